package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// InWords adds to the system's part of a request a schema that the provider does
// not enforce.
func (s Schema) InWords(system string) string {
	return strings.TrimSpace(system + "\n\nAnswer with one JSON object that fits this JSON Schema, and with nothing else:\n" + string(s.JSON))
}

// shape judges answers by a schema.
type shape struct {
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
}

// newShape reads a schema. An error is a fault of whoever asks.
func newShape(s Schema) (*shape, error) {
	var schema jsonschema.Schema
	if err := json.Unmarshal(s.JSON, &schema); err != nil {
		return nil, fmt.Errorf("schema %s: %w", s.Name, err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", s.Name, err)
	}
	return &shape{&schema, resolved}, nil
}

// check returns the object without the nulls that stand for what is left out,
// as providers that enforce schemas write it, or why it does not fit.
func (s *shape) check(object json.RawMessage) (json.RawMessage, error) {
	var value map[string]any
	if err := json.Unmarshal(object, &value); err != nil {
		return nil, errBroken
	}
	if s.dropNulls(s.schema, value, 0) {
		var err error
		if object, err = dropFrom(object, s); err != nil {
			return nil, err
		}
	}
	if err := s.resolved.Validate(value); err != nil {
		return nil, fmt.Errorf("it does not fit the schema: %s", shorter(err))
	}
	return object, nil
}

// dropFrom drops the nulls from JSON with its numbers as they are written.
func dropFrom(object json.RawMessage, s *shape) (json.RawMessage, error) {
	decoder := json.NewDecoder(strings.NewReader(string(object)))
	decoder.UseNumber()
	var value map[string]any
	if err := decoder.Decode(&value); err != nil {
		return nil, errBroken
	}
	s.dropNulls(s.schema, value, 0)
	return plainJSON(value)
}

// dropNulls removes members that are null where the schema neither requires nor
// allows them so, and reports whether there were any.
func (s *shape) dropNulls(schema *jsonschema.Schema, value any, depth int) (dropped bool) {
	if schema = s.follow(schema); schema == nil || depth > maxDepth {
		return false
	}
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			dropped = s.dropNulls(schema.Items, item, depth+1) || dropped
		}
	case map[string]any:
		for name, property := range schema.Properties {
			item, ok := v[name]
			switch {
			case !ok:
			case item == nil && !slices.Contains(schema.Required, name) && !s.nullable(property):
				delete(v, name)
				dropped = true
			default:
				dropped = s.dropNulls(property, item, depth+1) || dropped
			}
		}
	}
	return dropped
}

// follow goes along a $ref to a definition of the same schema.
func (s *shape) follow(schema *jsonschema.Schema) *jsonschema.Schema {
	for range maxDepth {
		if schema == nil || schema.Ref == "" {
			return schema
		}
		if name, ok := strings.CutPrefix(schema.Ref, "#/$defs/"); ok {
			schema = s.schema.Defs[name]
		} else {
			return nil
		}
	}
	return nil
}

// nullable reports whether a schema allows null.
func (s *shape) nullable(schema *jsonschema.Schema) bool {
	schema = s.follow(schema)
	return schema == nil || schema.Type == "null" || slices.Contains(schema.Types, "null") ||
		schema.Type == "" && schema.Types == nil && schema.Enum == nil
}

// shorter takes from a validator's error the chain of schemas that led to it.
func shorter(err error) string {
	text := err.Error()
	for {
		rest, ok := strings.CutPrefix(text, "validating ")
		if !ok {
			break
		}
		place, after, ok := strings.Cut(rest, ": ")
		if !ok {
			break
		}
		if !strings.HasPrefix(after, "validating ") {
			return place + ": " + after
		}
		text = after
	}
	return text
}

// Strict returns a schema as OpenAI's strict mode wants it: every object is
// closed and requires all its properties, those that were optional may be null,
// and what the mode does not know is left out. The order of properties, which is
// that in which a model writes them, stays. What is no schema comes back as it
// is. Converse checks the answer by the schema as it was.
//
// unknown are further keywords that the provider does not know.
//
// https://platform.openai.com/docs/guides/structured-outputs has the rules.
func Strict(schema json.RawMessage, unknown ...string) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(schema))
	decoder.UseNumber()
	value, err := readOrdered(decoder, 0)
	if err != nil {
		return schema
	}
	strict(value, append(unknown, unknownToStrict...))
	text, err := plainJSON(value)
	if err != nil {
		return schema
	}
	return text
}

// unknownToStrict are keywords that strict mode refuses.
var unknownToStrict = []string{"$schema", "$id", "$comment", "default", "examples", "minLength", "maxLength", "uniqueItems",
	"patternProperties", "propertyNames", "minProperties", "maxProperties", "contains", "minContains", "maxContains",
	"unevaluatedProperties", "unevaluatedItems", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"}

// strict rewrites one schema and those within it, without the unknown keywords.
func strict(value any, unknown []string) {
	schema, ok := value.(*ordered)
	if !ok {
		return
	}
	schema.members = slices.DeleteFunc(schema.members, func(m member) bool { return slices.Contains(unknown, m.name) })
	for _, m := range schema.members {
		switch inner := m.value.(type) {
		case *ordered:
			if m.name == "items" {
				strict(inner, unknown)
			} else if slices.Contains([]string{"properties", "$defs", "definitions"}, m.name) {
				for _, p := range inner.members {
					strict(p.value, unknown)
				}
			}
		case []any:
			if slices.Contains([]string{"anyOf", "oneOf", "allOf", "prefixItems"}, m.name) {
				for _, item := range inner {
					strict(item, unknown)
				}
			}
		}
	}
	required, _ := schema.get("required").([]any)
	properties, ok := schema.get("properties").(*ordered)
	if !ok && schema.get("type") == "object" {
		properties = &ordered{}
		schema.set("properties", properties)
	}
	if properties == nil {
		return
	}
	names := make([]any, 0, len(properties.members))
	for i, m := range properties.members {
		if !slices.Contains(required, any(m.name)) {
			properties.members[i].value = orNull(m.value)
		}
		names = append(names, m.name)
	}
	schema.set("required", names)
	schema.set("additionalProperties", false)
}

// orNull lets a schema be null too.
func orNull(value any) any {
	schema, ok := value.(*ordered)
	if !ok {
		return value
	}
	if values, ok := schema.get("enum").([]any); ok && !slices.Contains(values, nil) {
		schema.set("enum", append(slices.Clone(values), nil))
	}
	switch kind := schema.get("type").(type) {
	case string:
		if kind != "null" {
			schema.set("type", []any{kind, "null"})
		}
		return schema
	case []any:
		if !slices.Contains(kind, any("null")) {
			schema.set("type", append(slices.Clone(kind), "null"))
		}
		return schema
	}
	if len(schema.members) == 0 || schema.get("enum") != nil {
		return schema
	}
	null := &ordered{[]member{{"type", "null"}}}
	return &ordered{[]member{{"anyOf", []any{schema, null}}}}
}

// ordered is a JSON object that keeps the order of its members.
type ordered struct{ members []member }

type member struct {
	name  string
	value any
}

func (o *ordered) get(name string) any {
	for _, m := range o.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (o *ordered) set(name string, value any) {
	for i, m := range o.members {
		if m.name == name {
			o.members[i].value = value
			return
		}
	}
	o.members = append(o.members, member{name, value})
}

var _ json.Marshaler = (*ordered)(nil)

// MarshalJSON implements json.Marshaler.
func (o *ordered) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o.members {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := plainJSON(m.name)
		if err != nil {
			return nil, err
		}
		value, err := plainJSON(m.value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}

var errNotOrdered = errors.New("no JSON")

// readOrdered reads one value.
func readOrdered(decoder *json.Decoder, depth int) (any, error) {
	token, err := decoder.Token()
	if err != nil || depth > maxDepth {
		return nil, errNotOrdered
	}
	switch token {
	case json.Delim('{'):
		object := &ordered{}
		for decoder.More() {
			name, err := decoder.Token()
			if err != nil {
				return nil, errNotOrdered
			}
			value, err := readOrdered(decoder, depth+1)
			if err != nil {
				return nil, err
			}
			text, _ := name.(string)
			object.set(text, value)
		}
		_, err = decoder.Token()
		return object, err
	case json.Delim('['):
		items := []any{}
		for decoder.More() {
			value, err := readOrdered(decoder, depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, value)
		}
		_, err = decoder.Token()
		return items, err
	}
	return token, nil
}
