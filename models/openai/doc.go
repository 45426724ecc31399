// Package openai asks models that speak OpenAI's chat protocol: OpenAI, Groq,
// Gemini, Z.AI, Mistral, DeepSeek, OpenRouter, and the servers that people run
// themselves (Ollama, llama.cpp, vLLM, LM Studio). What they do differently is
// in models.Vendors.
//
// It stores nothing. models/roster makes one driver for each model in use.
package openai
