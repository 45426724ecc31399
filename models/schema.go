package models

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

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
			case item == nil && !contains(schema.Required, name) && !s.nullable(property):
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
	return schema == nil || schema.Type == "null" || contains(schema.Types, "null") ||
		schema.Type == "" && schema.Types == nil && schema.Enum == nil
}

func contains(words []string, word string) bool {
	for _, w := range words {
		if w == word {
			return true
		}
	}
	return false
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
