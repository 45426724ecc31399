package modeltest

import (
	"encoding/json"
	"hash/fnv"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
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
	// Schema is the shape asked for; nil if none is.
	Schema *models.Schema
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
// the same each time, and what the model said itself.
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

// Round counts the answers that the model has given in this conversation.
func (r Request) Round() int {
	n := 0
	for _, m := range r.Messages {
		if m.Role == models.Assistant {
			n++
		}
	}
	return n
}

// Offers reports whether a tool of that name is offered.
func (r Request) Offers(tool string) bool {
	return slices.ContainsFunc(r.Tools, func(t models.Tool) bool { return t.Name == tool })
}

// Wields reports whether tools are offered that do more than read.
func (r Request) Wields() bool { return r.Offers("notify_person") || r.Offers("dismiss") }

var (
	citations = regexp.MustCompile(`\b[a-z0-9_-]+:[a-z2-7]{10}(?:@[0-9]{1,18})?\b`)
	marked    = regexp.MustCompile(`(?m)^\[([a-z0-9_-]+:[a-z2-7]{10}(?:@[0-9]{1,18})?)\]`)
	kindsTold = regexp.MustCompile(`"kind": one of ([a-z, ]+)`)
	entryIDs  = regexp.MustCompile(`\b[wlodi]-[a-z0-9-]{2,60}\b`)
)

// Observed returns the citations of the observations that the request shows,
// one a line as "[files:abcdefghij@42] …", in order, each once. Where nothing
// is shown so, it is what is cited in any way.
func (r Request) Observed() []subconscious.Citation {
	var found []subconscious.Citation
	add := func(text string) {
		if c, ok := subconscious.ParseCitation(text); ok && !slices.Contains(found, c) {
			found = append(found, c)
		}
	}
	shown := r.Shown()
	for _, match := range marked.FindAllStringSubmatch(shown, -1) {
		add(match[1])
	}
	if len(found) == 0 {
		for _, text := range citations.FindAllString(shown, -1) {
			add(text)
		}
	}
	return found
}

// entries returns what looks like ids of entries in what is shown.
func (r Request) entries() []string {
	var found []string
	for _, id := range entryIDs.FindAllString(r.Shown(), -1) {
		if !slices.Contains(found, id) {
			found = append(found, id)
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
					Properties struct{ Kind struct{ Enum []string } }
				}
			}
		}
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
	var object struct{ Properties map[string]json.RawMessage }
	return json.Unmarshal(r.shape(), &object) != nil || object.Properties["findings"] != nil
}

// Letters are the letters and digits of a text in lower case: what no mark, no
// line break and no bracket changes.
func Letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// Instance returns the least JSON that a schema allows: what is required alone,
// lists as short as may be, the first of several choices. Of what is no schema it
// makes an object.
func Instance(schema json.RawMessage) string {
	var root jsonschema.Schema
	if json.Unmarshal(schema, &root) != nil {
		return "{}"
	}
	left := 10000 // values that may still be made, for schemas that refer to themselves
	return compact(instance(&root, root.Defs, &left, 0))
}

func instance(s *jsonschema.Schema, defs map[string]*jsonschema.Schema, left *int, depth int) any {
	*left--
	if depth > 12 || *left < 0 || s == nil {
		return nil
	}
	deeper := func(inner *jsonschema.Schema) any { return instance(inner, defs, left, depth+1) }
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		return deeper(defs[name])
	}
	choices := slices.Concat(s.AnyOf, s.OneOf, s.AllOf)
	switch {
	case s.Const != nil:
		return *s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(choices) > 0:
		return deeper(choices[0])
	}
	switch append([]string{s.Type}, s.Types...)[min(len(s.Types), 1)] {
	case "array":
		list := []any{}
		for range min(value(s.MinItems), 100) {
			list = append(list, deeper(s.Items))
		}
		return list
	case "string":
		return strings.Repeat("x", min(max(value(s.MinLength), 0), 10000))
	case "integer", "number":
		return value(s.Minimum)
	case "boolean":
		return false
	case "null":
		return nil
	}
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) {
			object[name] = deeper(s.Properties[name])
		}
	}
	return object
}

// value is what a pointer points to, or the zero value.
func value[T any](pointer *T) (none T) {
	if pointer == nil {
		return none
	}
	return *pointer
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
