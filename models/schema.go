package models

import (
	"bytes"
	"encoding/json"
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
	value, err := decoded(object)
	if err != nil {
		return nil, errBroken
	}
	if s.dropNulls(s.schema, value, 0) {
		object = textOf(value)
	}
	var plain map[string]any
	if err := json.Unmarshal(object, &plain); err != nil {
		return nil, errBroken
	}
	if err := s.resolved.Validate(plain); err != nil {
		return nil, fmt.Errorf("it does not fit the schema: %s", shorter(err.Error()))
	}
	return object, nil
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
func shorter(text string) string {
	for {
		rest, _ := strings.CutPrefix(text, "validating ")
		_, after, _ := strings.Cut(rest, ": ")
		if !strings.HasPrefix(after, "validating ") {
			return rest
		}
		text = after
	}
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
	var plain bytes.Buffer
	if json.Compact(&plain, schema) != nil {
		return schema
	}
	return strict(plain.Bytes(), append(unknown, unknownToStrict...))
}

// unknownToStrict are keywords that strict mode refuses.
var unknownToStrict = []string{"$schema", "$id", "$comment", "default", "examples", "minLength", "maxLength", "uniqueItems",
	"patternProperties", "propertyNames", "minProperties", "maxProperties", "contains", "minContains", "maxContains",
	"unevaluatedProperties", "unevaluatedItems", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"}

// strict rewrites one schema and those within it, without the unknown keywords.
func strict(raw json.RawMessage, unknown []string) json.RawMessage {
	schema := membersOf(raw)
	if schema == nil {
		return raw
	}
	schema = slices.DeleteFunc(schema, func(m member) bool { return slices.Contains(unknown, m.name) })
	for i, m := range schema {
		switch m.name {
		case "items":
			schema[i].value = strict(m.value, unknown)
		case "properties", "$defs", "definitions":
			if inner := membersOf(m.value); inner != nil {
				for j, p := range inner {
					inner[j].value = strict(p.value, unknown)
				}
				schema[i].value = inner.text()
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			if inner, ok := listOf(m.value); ok {
				for j, item := range inner {
					inner[j] = strict(item, unknown)
				}
				schema[i].value = textOf(inner)
			}
		}
	}
	properties := membersOf(schema.get("properties"))
	if properties == nil && string(schema.get("type")) == `"object"` {
		properties = members{}
	}
	if properties == nil {
		return schema.text()
	}
	required, _ := listOf(schema.get("required"))
	names := []json.RawMessage{}
	for i, m := range properties {
		name := textOf(m.name)
		if !holds(required, name) {
			properties[i].value = orNull(m.value)
		}
		names = append(names, name)
	}
	schema.set("properties", properties.text())
	schema.set("required", textOf(names))
	schema.set("additionalProperties", json.RawMessage("false"))
	return schema.text()
}

// null is a schema's word for nothing, and the type of it.
var null = json.RawMessage("null")

// orNull lets a schema be null too.
func orNull(raw json.RawMessage) json.RawMessage {
	schema := membersOf(raw)
	if len(schema) == 0 {
		return raw
	}
	values, limited := listOf(schema.get("enum"))
	if limited && !holds(values, null) {
		schema.set("enum", textOf(append(values, null)))
	}
	kind := schema.get("type")
	kinds, many := listOf(kind)
	if !many && len(kind) > 0 && kind[0] == '"' {
		kinds = []json.RawMessage{kind}
	}
	switch word := textOf("null"); {
	case kinds == nil && limited:
	case kinds != nil && !holds(kinds, word):
		schema.set("type", textOf(append(kinds, word)))
	case kinds == nil:
		return json.RawMessage(`{"anyOf":[` + string(schema.text()) + `,{"type":"null"}]}`)
	}
	return schema.text()
}

// members are those of a JSON object, in their order, each name once.
type members []member

type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns nil where there is no object.
func membersOf(raw json.RawMessage) members {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return nil
	}
	found := members{}
	for decoder.More() {
		name, err := decoder.Token()
		var value json.RawMessage
		if err != nil || decoder.Decode(&value) != nil {
			return nil
		}
		found.set(fmt.Sprint(name), value)
	}
	return found
}

func (o members) get(name string) json.RawMessage {
	if i := slices.IndexFunc(o, func(m member) bool { return m.name == name }); i >= 0 {
		return o[i].value
	}
	return nil
}

func (o *members) set(name string, value json.RawMessage) {
	if i := slices.IndexFunc(*o, func(m member) bool { return m.name == name }); i >= 0 {
		(*o)[i].value = value
		return
	}
	*o = append(*o, member{name, value})
}

func (o members) text() json.RawMessage {
	parts := make([]string, len(o))
	for i, m := range o {
		parts[i] = string(textOf(m.name)) + ":" + string(m.value)
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

// listOf reports whether there is a list.
func listOf(raw json.RawMessage) (list []json.RawMessage, ok bool) {
	err := json.Unmarshal(raw, &list)
	return list, err == nil && list != nil
}

func holds(list []json.RawMessage, value json.RawMessage) bool {
	return slices.ContainsFunc(list, func(item json.RawMessage) bool { return bytes.Equal(item, value) })
}
