package setup

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/subconsciousd/subconsciousd/redact"
)

// Marshal writes the whole configuration, defaults included, as YAML that Load
// reads. What looks like a secret is replaced by a mark.
func Marshal(c *Config) ([]byte, error) {
	node, err := nodeOf(reflect.ValueOf(*c), root())
	if err != nil {
		return nil, err
	}
	out, err := yaml.Marshal(node)
	if err != nil {
		return nil, fmt.Errorf("encode the configuration: %w", err)
	}
	return out, nil
}

// nodeOf makes the YAML of one value.
func nodeOf(v reflect.Value, s shape) (*yaml.Node, error) {
	switch s.kind {
	case object:
		return mappingOf(reflect.Indirect(v), s)
	case items, texts:
		list := &yaml.Node{Kind: yaml.SequenceNode}
		inner := shape{kind: text}
		if s.kind == items {
			inner = shape{kind: object, fields: s.fields}
		}
		for i := range v.Len() {
			item, err := nodeOf(v.Index(i), inner)
			if err != nil {
				return nil, err
			}
			list.Content = append(list.Content, item)
		}
		return list, nil
	}
	node := &yaml.Node{}
	value, err := plain(v, s)
	if err == nil {
		err = node.Encode(value)
	}
	return node, err
}

// mappingOf leaves out lists that are empty, and texts and spare keys that are
// not set.
func mappingOf(v reflect.Value, s shape) (*yaml.Node, error) {
	mapping := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range s.fields {
		field := v.FieldByIndex(f.index)
		list := field.Kind() == reflect.Slice && field.Len() == 0
		spare := f.spare || field.Kind() == reflect.String || field.Kind() == reflect.Pointer
		if list || spare && field.IsZero() {
			continue
		}
		node, err := nodeOf(field, f.shape)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.key, err)
		}
		mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: f.key}, node)
	}
	return mapping, nil
}

// plain is a value as it is written in YAML.
func plain(v reflect.Value, s shape) (any, error) {
	switch s.kind {
	case duration:
		return v.Interface().(time.Duration).String(), nil
	case quantity:
		b, err := v.Interface().(encoding.TextMarshaler).MarshalText()
		return string(b), err
	case text:
		if secret, ok := v.Interface().(interface{ Shown() string }); ok {
			return secret.Shown(), nil
		}
		return redact.Text(v.String()), nil
	case integer:
		return v.Int(), nil
	case number:
		return reflect.Indirect(v).Float(), nil
	}
	return reflect.Indirect(v).Bool(), nil
}

// exampleOf is a quantity of the type of s with its unit, for messages.
func exampleOf(s shape, number string) string {
	zero, _ := reflect.New(s.typ).Elem().Interface().(encoding.TextMarshaler).MarshalText() // which cannot fail
	return strconv.Quote(number + strings.TrimLeft(string(zero), "0123456789."))
}
