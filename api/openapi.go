package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// openAPI returns what describes every route, as OpenAPI 3.1 has it.
func (s *Server) openAPI(context.Context, Nothing) (json.RawMessage, error) { return s.described() }

type object = map[string]any

// describe describes routes by the table that serves them, and by the types of what
// goes in and comes out.
func describeAll(routes []served, version string) (json.RawMessage, error) {
	codes := &jsonschema.Schema{Type: "string"}
	for _, code := range slices.Sorted(maps.Keys(statuses)) {
		codes.Enum = append(codes.Enum, code)
	}
	c, paths := components{anything: {}, moments: {Type: "string", Format: "date-time"}, reflect.TypeFor[Code](): codes}, map[string]object{}
	c.collect(reflect.TypeFor[Problem]())
	for _, r := range routes {
		c.collect(r.parts[0])
		c.collect(r.parts[1])
	}
	for _, r := range routes {
		answer, err := jsonschema.ForType(r.parts[1], &jsonschema.ForOptions{TypeSchemas: c})
		if err != nil {
			return nil, fmt.Errorf("api: describe %s: %w", r.path, err)
		}
		operation := object{
			"operationId": strings.Trim(notName.ReplaceAllString(strings.ToLower(r.method)+r.path, "_"), "_"), "summary": r.about, "parameters": parameters(r),
			"responses": object{
				"200":     object{"description": "what was asked for", "content": object{r.media: object{"schema": plainly(answer)}}},
				"default": object{"description": "what is wrong, and what to do now", "content": object{problemMedia: object{"schema": c[reflect.TypeFor[Problem]()]}}},
			},
		}
		if opens(r.class) {
			operation["security"] = []object{{}, {"token": []string{}}}
		}
		if r.file {
			operation["requestBody"] = object{"content": object{fileMedia: object{"schema": object{"type": "string"}}}}
		} else if r.method == http.MethodPost {
			question, err := jsonschema.ForType(r.parts[0], &jsonschema.ForOptions{TypeSchemas: c})
			if err != nil {
				return nil, fmt.Errorf("api: describe what %s is asked: %w", r.path, err)
			}
			operation["requestBody"] = object{"content": object{"application/json": object{"schema": plainly(question)}}}
		}
		if paths[r.path] == nil {
			paths[r.path] = object{}
		}
		paths[r.path][strings.ToLower(r.method)] = operation
	}
	schemas, err := c.schemas()
	if err != nil {
		return nil, err
	}
	return json.Marshal(object{
		"openapi": "3.1.0",
		"info": object{"title": "subconsciousd", "version": version,
			"description": "Served on the unix socket of the state folder. Where api.listen is set, what reads and observes is served over TCP, too, to who sends the token."},
		"paths":      paths,
		"components": object{"schemas": schemas, "securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}}},
	})
}

var (
	anything = reflect.TypeFor[json.RawMessage]()
	moments  = reflect.TypeFor[time.Time]()

	notName  = regexp.MustCompile(`[^a-zA-Z0-9]+`)
	inPath   = regexp.MustCompile(`{(\w+)}`)
	packages = regexp.MustCompile(`[\w.-]+/`) // before the last part of a package's path
)

// parameters are those of a path and of its query.
func parameters(r served) []object {
	all := []object{}
	for _, name := range inPath.FindAllStringSubmatch(r.path, -1) {
		all = append(all, object{"name": name[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for i := 0; (r.method == http.MethodGet || r.file) && i < r.parts[0].NumField(); i++ {
		field, schema := r.parts[0].Field(i), object{"type": "string"}
		switch {
		case field.Type == moments:
			schema["format"] = "date-time"
		case field.Type.Kind() == reflect.Bool:
			schema["type"] = "boolean"
		case field.Type.Kind() != reflect.String:
			schema = object{"type": "integer", "minimum": 1}
		}
		if name := field.Tag.Get("query"); name != "" {
			all = append(all, object{"name": name, "in": "query", "schema": schema})
		} else if at := slices.IndexFunc(all, func(p object) bool { return p["name"] == field.Tag.Get("path") }); at >= 0 {
			all[at]["schema"] = schema
		}
	}
	return all
}

// components are the types that travel, each with what refers to its schema.
type components map[reflect.Type]*jsonschema.Schema

// collect adds a type, and those of its fields.
func (c components) collect(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if t != anything {
			c.collect(t.Elem())
		}
	case reflect.Struct:
		if c[t] == nil {
			c[t] = &jsonschema.Schema{Ref: "#/components/schemas/" + nameOf(t)}
			for field := range t.Fields() {
				if field.IsExported() && field.Tag.Get("json") != "-" {
					c.collect(field.Type)
				}
			}
		}
	}
}

// nameOf is what the schema of a type is called.
func nameOf(t reflect.Type) string {
	return strings.Trim(notName.ReplaceAllString(packages.ReplaceAllString(t.String(), ""), "_"), "_")
}

// schemas are those of all types, by name.
func (c components) schemas() (map[string]*jsonschema.Schema, error) {
	all := map[string]*jsonschema.Schema{}
	for t := range c {
		if t.Kind() != reflect.Struct || t == moments {
			continue
		}
		others := maps.Clone(c)
		delete(others, t)
		for _, field := range reflect.VisibleFields(t) {
			if field.Anonymous {
				delete(others, field.Type) // its fields are written out
			}
		}
		schema, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: others})
		if err != nil {
			return nil, fmt.Errorf("api: describe %s: %w", t, err)
		}
		all[nameOf(t)] = plainly(schema)
	}
	return all, nil
}

// plainly takes null out of a schema: an answer has none.
func plainly(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil {
		return nil
	}
	// The library adds it to what has one type, or none, which is a reference.
	if slices.Contains(s.Types, "null") {
		s.Type, s.Types = strings.Join(slices.DeleteFunc(s.Types, func(kind string) bool { return kind == "null" }), ""), nil
	}
	for _, inner := range s.Properties {
		plainly(inner)
	}
	plainly(s.Items)
	plainly(s.AdditionalProperties)
	return s
}
