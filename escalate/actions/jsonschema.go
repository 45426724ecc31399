package actions

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Schema is the JSON Schema of the parameters, for models. It uses only words
// that all providers take; what it cannot say stands in the descriptions.
func (a Action) Schema() json.RawMessage {
	properties, required := map[string]any{}, []string{}
	for _, p := range a.filled().Params {
		properties[p.Name] = p.schema()
		if !p.Optional {
			required = append(required, p.Name)
		}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
	if err != nil { // it holds texts, numbers and booleans
		return json.RawMessage(`{"type":"object"}`)
	}
	return schema
}

func (p Param) schema() map[string]any {
	s := map[string]any{"type": "string"}
	words := []string{}
	if p.Description != "" {
		words = append(words, p.Description)
	}
	say := func(format string, values ...any) { words = append(words, fmt.Sprintf(format, values...)) }
	switch p.Type {
	case Integer, Number, Boolean:
		s["type"] = string(p.Type)
	case Choice:
		s["enum"] = p.Choices
	case Date:
		say("A day, YYYY-MM-DD.")
	case Path:
		say("A path below %s, relative to it.", p.Root)
	case Text:
		say("At most %d characters.", p.MaxLength)
		if !p.Multiline {
			say("One line.")
		}
		if p.Pattern != "" {
			say("The whole of it matches %s.", p.Pattern)
		}
	}
	if p.Min != nil {
		say("At least %v.", *p.Min)
	}
	if p.Max != nil {
		say("At most %v.", *p.Max)
	}
	if len(words) > 0 {
		s["description"] = strings.Join(words, " ")
	}
	return s
}
