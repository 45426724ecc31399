package modeltest

import (
	"encoding/json"
	"hash/fnv"
	"regexp"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The protocols.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// Request is what a Script is asked.
type Request struct {
	Protocol string
	// Number counts the requests to the server, Turn those of them with the
	// same System, both from 1. With several clients at once, Turn depends on
	// none but the one that asks.
	Number, Turn int
	Model        string
	System       string
	Messages     []models.Message
	Tools        []models.Tool
	// Schema is the shape asked for; nil if none is. JSONOnly: any JSON object
	// is asked for.
	Schema   *models.Schema
	JSONOnly bool
	// MaxTokens is 0 where the request sets none.
	MaxTokens   int
	Temperature *float64
	Thinking    int
	Stream      bool

	withUsage  bool   // the stream is to end with usage
	schemaTool string // the schema is that of a tool that must be called
	prompt     string // all that was taken in, in the order in which it is kept
	kept       int    // how much of prompt the provider is told to keep; -1: it decides
}

// Text is all that the request tells the model, the system's part included.
func (r Request) Text() string {
	parts := []string{r.System}
	for _, m := range r.Messages {
		parts = append(parts, m.Text)
	}
	return strings.Join(parts, "\n")
}

// Shown is what the request shows: everything but the system's part, which is
// the same each time.
func (r Request) Shown() string {
	var parts []string
	for _, m := range r.Messages {
		if m.Role != models.Assistant {
			parts = append(parts, m.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// AfterTools reports whether the request brings what tools returned.
func (r Request) AfterTools() bool {
	return len(r.Messages) > 0 && r.Messages[len(r.Messages)-1].Role == models.ToolRole
}

var (
	citations = regexp.MustCompile(`\b[a-z0-9_-]+:[a-z2-7]{10}(?:@[0-9]{1,18})?\b`)
	marked    = regexp.MustCompile(`(?m)^\[([a-z0-9_-]+:[a-z2-7]{10}(?:@[0-9]{1,18})?)\]`)
	kindsTold = regexp.MustCompile(`"kind": one of ([a-z, ]+)`)
	entryIDs  = regexp.MustCompile(`\b[wlodi]-[a-z0-9-]{2,60}\b`)
)

// Cited returns every citation that the request shows, in order, each once.
func (r Request) Cited() []subconscious.Citation {
	return distinct(citations.FindAllString(r.Shown(), -1))
}

// Observed returns the citations of the observations that the request shows,
// one a line as "[files:abcdefghij@42] …", in order, each once. Where nothing
// is shown so, it is what is cited in any way.
func (r Request) Observed() []subconscious.Citation {
	var found []string
	for _, match := range marked.FindAllStringSubmatch(r.Shown(), -1) {
		found = append(found, match[1])
	}
	if len(found) == 0 {
		return r.Cited()
	}
	return distinct(found)
}

// Newest returns the observation with the highest number, the last of those
// that have none.
func (r Request) Newest() (newest subconscious.Citation, ok bool) {
	for _, c := range r.Observed() {
		if !ok || c.Seq >= newest.Seq {
			newest, ok = c, true
		}
	}
	return newest, ok
}

// Entries returns what looks like ids of entries in what is shown.
func (r Request) Entries() []string {
	var found []string
	seen := map[string]bool{}
	for _, id := range entryIDs.FindAllString(r.Shown(), -1) {
		if !seen[id] {
			seen[id] = true
			found = append(found, id)
		}
	}
	return found
}

func distinct(texts []string) []subconscious.Citation {
	var found []subconscious.Citation
	seen := map[subconscious.Citation]bool{}
	for _, text := range texts {
		if c, ok := subconscious.ParseCitation(text); ok && !seen[c] {
			seen[c] = true
			found = append(found, c)
		}
	}
	return found
}

// shape is the schema asked for: the one sent, or the one told in words where
// the provider enforces none; nil if there is none.
func (r Request) shape() json.RawMessage {
	if r.Schema != nil {
		return r.Schema.JSON
	}
	_, told, found := strings.Cut(r.Text(), "JSON Schema")
	begin := strings.IndexByte(told, '{')
	if !found || begin < 0 {
		return nil
	}
	var schema json.RawMessage
	if json.NewDecoder(strings.NewReader(told[begin:])).Decode(&schema) != nil {
		return nil
	}
	return schema
}

// Kinds returns the kinds of findings that the request allows: by its schema,
// or in words; none if it does not say.
func (r Request) Kinds() []string {
	var thought struct {
		Properties struct {
			Findings struct {
				Items struct {
					Properties struct {
						Kind struct {
							Enum []string `json:"enum"`
						} `json:"kind"`
					} `json:"properties"`
				} `json:"items"`
			} `json:"findings"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(r.shape(), &thought); err == nil {
		if kinds := thought.Properties.Findings.Items.Properties.Kind.Enum; len(kinds) > 0 {
			return kinds
		}
	}
	if told := kindsTold.FindStringSubmatch(r.System); told != nil {
		return strings.FieldsFunc(told[1], func(c rune) bool { return c == ',' || c == ' ' })
	}
	return nil
}

// wantsThought reports whether the answer may be a thought: the schema has
// findings, or there is none.
func (r Request) wantsThought() bool {
	var object struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(r.shape(), &object) != nil {
		return true
	}
	return object.Properties["findings"] != nil
}

// hash mixes numbers and texts into one number, the same on every machine.
func hash(seed uint64, parts ...string) uint64 {
	h := fnv.New64a()
	var number [8]byte
	for i := range number {
		number[i] = byte(seed >> (8 * i))
	}
	h.Write(number[:])
	for _, part := range parts {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	// FNV's low bits are weak for short inputs: the finaliser of SplitMix64.
	x := h.Sum64()
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
