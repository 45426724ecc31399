package modeltest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

const (
	// maxDepth bounds how deep an instance is filled, maxValues of how many
	// values, for schemas that refer to themselves.
	maxDepth  = 12
	maxValues = 10000
)

// shape is as much of a JSON Schema as is needed to fill it.
type shape struct {
	Type       json.RawMessage            `json:"type"`
	Enum       []json.RawMessage          `json:"enum"`
	Const      json.RawMessage            `json:"const"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	Items      json.RawMessage            `json:"items"`
	MinItems   int                        `json:"minItems"`
	MinLength  int                        `json:"minLength"`
	Minimum    *float64                   `json:"minimum"`
	AnyOf      []json.RawMessage          `json:"anyOf"`
	OneOf      []json.RawMessage          `json:"oneOf"`
	AllOf      []json.RawMessage          `json:"allOf"`
	Ref        string                     `json:"$ref"`
	Defs       map[string]json.RawMessage `json:"$defs"`
}

// Instance returns the least JSON that a schema allows: what is required alone,
// lists as short as may be, the first of several choices. What it does not
// understand of a schema it passes over; of no schema it makes an object.
func Instance(schema json.RawMessage) string {
	var root shape
	if json.Unmarshal(schema, &root) != nil {
		return "{}"
	}
	f := filler{defs: root.Defs, left: maxValues}
	return compact(f.fill(schema, 0))
}

// filler fills one schema.
type filler struct {
	defs map[string]json.RawMessage
	left int // values that may still be made
}

func (f *filler) fill(schema json.RawMessage, depth int) any {
	var s shape
	f.left--
	if depth > maxDepth || f.left < 0 || json.Unmarshal(schema, &s) != nil {
		return nil
	}
	deeper := func(inner json.RawMessage) any { return f.fill(inner, depth+1) }
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		return deeper(f.defs[name])
	}
	switch {
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AnyOf) > 0:
		return deeper(s.AnyOf[0])
	case len(s.OneOf) > 0:
		return deeper(s.OneOf[0])
	case len(s.AllOf) > 0:
		return deeper(s.AllOf[0])
	}
	switch s.kind() {
	case "array":
		list := []any{}
		for range min(s.MinItems, 100) {
			list = append(list, deeper(s.Items))
		}
		return list
	case "string":
		return strings.Repeat("x", min(max(s.MinLength, 0), 10000))
	case "integer", "number":
		if s.Minimum != nil {
			return *s.Minimum
		}
		return 0
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

// kind is the first type that the schema allows.
func (s shape) kind() string {
	var one string
	var several []string
	switch {
	case json.Unmarshal(s.Type, &one) == nil:
		return one
	case json.Unmarshal(s.Type, &several) == nil && len(several) > 0:
		return several[0]
	}
	return "object"
}
