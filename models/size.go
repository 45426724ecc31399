package models

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// wire is a request as its size and its hash see it. What a model wrote may be
// no JSON, and is text here.
type wire struct {
	System      string        `json:"system,omitempty"`
	Messages    []wireMessage `json:"messages"`
	Tools       []wireTool    `json:"tools,omitempty"`
	Schema      string        `json:"schema,omitempty"`
	MaxTokens   int           `json:"max_tokens"`
	Temperature *float64      `json:"temperature,omitempty"`
	Thinking    int           `json:"thinking,omitempty"`
}

type wireMessage struct {
	Role   string     `json:"role"`
	Text   string     `json:"text,omitempty"`
	Calls  []wireCall `json:"calls,omitempty"`
	CallID string     `json:"call_id,omitempty"`
	Opaque string     `json:"opaque,omitempty"`
}

type wireCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type wireTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Parameters  string `json:"parameters"`
}

// asJSON is everything that is sent of a request, with its fields in a fixed
// order, so that equal requests have equal bytes.
func asJSON(r Request) []byte {
	w := wire{System: r.System, Messages: make([]wireMessage, 0, len(r.Messages)), MaxTokens: r.MaxTokens, Temperature: r.Temperature, Thinking: r.Thinking}
	for _, m := range r.Messages {
		message := wireMessage{Role: m.Role, Text: m.Text, CallID: m.CallID, Opaque: string(m.Opaque)}
		for _, c := range m.Calls {
			message.Calls = append(message.Calls, wireCall{c.ID, c.Name, string(c.Arguments)})
		}
		w.Messages = append(w.Messages, message)
	}
	for _, t := range r.Tools {
		w.Tools = append(w.Tools, wireTool{t.Name, t.Description, string(t.Parameters)})
	}
	if r.Schema != nil {
		w.Schema = r.Schema.Name + " " + string(r.Schema.JSON)
	}
	text, err := json.Marshal(w)
	if err != nil { // a temperature that is no number
		return []byte(err.Error())
	}
	return text
}

// hashRequest returns the SHA-256 of a request, in hexadecimal, and its size
// as JSON.
func hashRequest(r Request) (hash string, size int) {
	text := asJSON(r)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), len(text)
}

// What a provider puts around a request, in tokens, at most.
const (
	tokensOfMessage = 16
	tokensOfRequest = 256
)

// worstInput returns how many tokens a request can be at most: a token is at
// least a byte. A schema counts thrice, because drivers close it for strict
// providers and tell it in words to those that enforce none.
func worstInput(r Request) int {
	worst := len(asJSON(r)) + tokensOfMessage*(len(r.Messages)+len(r.Tools)) + tokensOfRequest
	if r.Schema != nil {
		worst += 2 * len(r.Schema.JSON)
	}
	for _, t := range r.Tools {
		worst += len(t.Parameters)
	}
	return worst
}
