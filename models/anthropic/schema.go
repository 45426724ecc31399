package anthropic

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/subconsciousd/subconsciousd/models"
)

// unknown are keywords that Anthropic's structured outputs refuse, beside those
// that models.Strict leaves out. Whoever asks checks the answer by the schema as
// it was.
//
// https://platform.claude.com/docs/en/build-with-claude/structured-outputs
var unknown = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "maxItems", "minItems", "pattern", "format"}

// formatted returns a schema as the provider takes it, its properties in their
// order, in which they are written. What is no schema comes back as it is.
func formatted(schema json.RawMessage) json.RawMessage {
	strict := models.Strict(schema)
	var out bytes.Buffer
	if err := filter(strict, &out, true, 0); err != nil {
		return strict
	}
	return out.Bytes()
}

// filter copies JSON without the unknown keywords. In an object whose names are
// a person's, as those of properties, all are kept.
func filter(raw json.RawMessage, out *bytes.Buffer, keywords bool, depth int) error {
	raw = bytes.TrimSpace(raw)
	if depth > 64 || len(raw) == 0 || raw[0] != '{' && raw[0] != '[' {
		out.Write(raw)
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	out.WriteByte(raw[0])
	for first := true; decoder.More(); {
		inner := keywords
		var name string
		if raw[0] == '{' {
			token, err := decoder.Token()
			if err != nil {
				return err
			}
			name, _ = token.(string)
			inner = !keywords || !slices.Contains([]string{"properties", "$defs", "definitions", "enum", "const"}, name)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		if raw[0] == '{' && keywords && slices.Contains(unknown, name) {
			continue
		}
		if !first {
			out.WriteByte(',')
		}
		first = false
		if raw[0] == '{' {
			quoted, err := json.Marshal(name)
			if err != nil {
				return err
			}
			out.Write(quoted)
			out.WriteByte(':')
		}
		if err := filter(value, out, inner, depth+1); err != nil {
			return err
		}
	}
	out.WriteByte(raw[0] + 2) // the brace or bracket that closes
	return nil
}
