package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// protocol writes what a provider writes, byte by byte.
type protocol interface {
	// parse reads a request for an answer as strictly as the provider does.
	parse(header http.Header, body []byte) (Request, *problem)
	// problem writes the body of an answer that refuses.
	problem(problem) []byte
	// models writes the list of models.
	models(names []string) []byte
	// plain writes a whole answer, stream the events of one.
	plain(answer) []byte
	stream(answer) [][]byte
	// delta is one event with a piece of text, failure one with an error.
	delta(text string) []byte
	failure() []byte
}

// problem is why a provider refuses.
type problem struct {
	status     int
	kind, text string
}

func refuse(format string, values ...any) *problem {
	return &problem{http.StatusBadRequest, "invalid_request_error", fmt.Sprintf(format, values...)}
}

// answer is what is to be written.
type answer struct {
	request   Request
	model     string
	text      string
	calls     []models.ToolCall
	stop      string
	reasoning string
	noContent bool // content is null
	usage     models.Usage
}

// pieces cuts a text into what a stream carries in one event.
func pieces(text string) []string {
	size := max(16, len(text)/200)
	var parts []string
	for text != "" {
		part := subconscious.Head(text, size)
		if part == "" { // a character longer than size, or no UTF-8
			part = text[:min(size, len(text))]
		}
		parts = append(parts, part)
		text = text[len(part):]
	}
	return parts
}

// created is when answers say that they were made, in Unix seconds: always the
// same, so that they are.
const created = 1790000000

func id(prefix string, number int) string { return fmt.Sprintf("%s%06d", prefix, number) }

// names returns the models that a list shows.
func names(known []string) []string {
	if len(known) == 0 {
		return []string{Model}
	}
	return known
}

// strictly checks a schema as providers do that enforce it: each object closed,
// each of its properties required.
func strictly(schema json.RawMessage, path string) *problem {
	var s struct {
		shape
		Additional json.RawMessage `json:"additionalProperties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return refuse("schema at %s is no object", path)
	}
	for name, inner := range s.Properties {
		if !slices.Contains(s.Required, name) {
			return refuse("in a strict schema every property must be required: %s lacks %q", path, name)
		}
		if p := strictly(inner, path+"."+name); p != nil {
			return p
		}
	}
	if s.Properties != nil && string(s.Additional) != "false" {
		return refuse("in a strict schema additionalProperties must be false: %s", path)
	}
	if s.Items != nil {
		if p := strictly(s.Items, path+"[]"); p != nil {
			return p
		}
	}
	for _, inner := range slices.Concat(s.AnyOf, s.OneOf, s.AllOf) {
		if p := strictly(inner, path); p != nil {
			return p
		}
	}
	return nil
}
