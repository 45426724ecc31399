package setup

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"sync"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/threads"
)

// Schema is the JSON Schema (2020-12) of the configuration, indented, with the
// description and the default of every key.
func Schema() ([]byte, error) {
	document := schemaOf("", "", root())
	document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	document["title"] = "subconsciousd configuration"
	out, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the schema: %w", err)
	}
	return append(out, '\n'), nil
}

// durationPattern and quantityPattern are what a person writes; Load checks
// them in full.
const (
	durationPattern = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`
	quantityPattern = `^[0-9]+(\.[0-9]+)? ?(%|°?C)$`
)

func schemaOf(key, about string, s shape) map[string]any {
	schema := map[string]any{}
	if about != "" {
		schema["description"] = about
	}
	if value, ok := defaults()[key]; ok {
		schema["default"] = value
	}
	switch s.kind {
	case object, items:
		properties := map[string]any{}
		prefix := key
		if s.kind == items {
			prefix += "[]"
		}
		for _, f := range s.fields {
			properties[f.key] = schemaOf(join(prefix, f.key), f.about, f.shape)
		}
		body := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
		if s.kind == object {
			maps.Copy(schema, body)
			break
		}
		if _, hasID := s.field("id"); hasID {
			body["required"] = []string{"id"}
			properties["id"].(map[string]any)["pattern"] = namingOf(key).pattern().String()
		}
		schema["type"], schema["items"], schema["maxItems"] = "array", body, maxItems
	case texts:
		item := map[string]any{"type": "string"}
		if enum := enumOf(key, s); len(enum) > 0 {
			item["enum"] = enum
		}
		schema["type"], schema["items"], schema["maxItems"] = "array", item, maxItems
	default:
		schema["type"] = map[kind]string{integer: "integer", number: "number", boolean: "boolean", text: "string", duration: "string", quantity: "string"}[s.kind]
		if pattern := map[kind]string{duration: durationPattern, quantity: quantityPattern}[s.kind]; pattern != "" {
			schema["pattern"] = pattern
		}
		if enum := enumOf(key, s); s.kind == text && len(enum) > 0 {
			schema["enum"] = enum
		}
	}
	return schema
}

// enumOf are the values of a text that has only some.
func enumOf(key string, s shape) []string {
	enum, ok := map[string][]string{
		"log.level":                        logLevels,
		"log.format":                       logFormats,
		"models.gate":                      {threads.Adaptive, threads.Changed, threads.Always},
		"models.preset":                    models.PresetNames(),
		"models.providers[].kind":          {models.OpenAI, models.Anthropic},
		"models.providers[].schema":        {models.SchemaJSON, models.SchemaObject, models.SchemaNone},
		"models.providers[].vendor":        models.VendorNames(),
		"escalation.critical":              escalate.Classes(),
		"notify[].content":                 contents,
		"senses.mail[].security":           securities,
		"senses.mail[].oauth.provider":     oauth.Providers(),
		"senses.mail[].oauth.mechanism":    {"oauthbearer", "xoauth2"},
		"senses.calendar[].oauth.provider": {oauth.Google, oauth.Custom},
	}[key]
	if ok {
		return enum
	}
	return s.enum
}

// defaults are the default values by key, as they are written.
var defaults = sync.OnceValue(func() map[string]any {
	values := map[string]any{}
	root().each("", reflect.ValueOf(*Default()), func(key string, v reflect.Value, f field) bool {
		switch {
		case f.shape.kind == object:
		case f.shape.kind == items, f.shape.kind == texts:
			if v.Len() == 0 {
				values[key] = []string{}
			}
		default:
			if value, err := plain(v, f.shape); err == nil {
				values[key] = value
			}
		}
		return true
	})
	return values
})
