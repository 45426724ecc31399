package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// Strict returns a schema as OpenAI's strict mode wants it: every object is
// closed and requires all its properties, those that were optional may be null,
// and what the mode does not know is left out. The order of properties, which is
// that in which a model writes them, stays. What is no schema comes back as it
// is. Converse checks the answer by the schema as it was.
//
// https://platform.openai.com/docs/guides/structured-outputs has the rules.
func Strict(schema json.RawMessage) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(schema))
	decoder.UseNumber()
	value, err := readOrdered(decoder, 0)
	if err != nil {
		return schema
	}
	text, err := plainJSON(strict(value))
	if err != nil {
		return schema
	}
	return text
}

// unknownToStrict are keywords that strict mode refuses.
var unknownToStrict = []string{"$schema", "$id", "$comment", "default", "examples", "minLength", "maxLength", "uniqueItems",
	"patternProperties", "propertyNames", "minProperties", "maxProperties", "contains", "minContains", "maxContains",
	"unevaluatedProperties", "unevaluatedItems", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"}

// strict rewrites one schema and those within it.
func strict(value any) any {
	schema, ok := value.(*ordered)
	if !ok {
		return value
	}
	schema.members = slices.DeleteFunc(schema.members, func(m member) bool { return slices.Contains(unknownToStrict, m.name) })
	required, _ := schema.get("required").([]any)
	for i, m := range schema.members {
		switch m.name {
		case "properties", "$defs", "definitions":
			eachMember(m.value, strict)
		case "items":
			schema.members[i].value = strict(m.value)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			eachItem(m.value, strict)
		}
	}
	properties, ok := schema.get("properties").(*ordered)
	if !ok && schema.get("type") == "object" {
		properties = &ordered{}
		schema.set("properties", properties)
	}
	if properties == nil {
		return schema
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
	return schema
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

func eachMember(value any, change func(any) any) {
	if object, ok := value.(*ordered); ok {
		for i, m := range object.members {
			object.members[i].value = change(m.value)
		}
	}
}

func eachItem(value any, change func(any) any) {
	if items, ok := value.([]any); ok {
		for i, item := range items {
			items[i] = change(item)
		}
	}
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
