// Package anthropic asks Claude over Anthropic's own protocol: with its prompt
// cache, its tools, its thinking, and answers that keep to a schema.
//
// It stores nothing. models/roster makes one driver for each model in use.
package anthropic
