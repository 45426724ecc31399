package setup

import (
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses/source"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// kind is what a key holds.
type kind string

const (
	object   kind = "a mapping"
	items    kind = "a list of mappings, each with an id"
	texts    kind = "a list of texts"
	text     kind = "text"
	integer  kind = "a whole number"
	number   kind = "a number"
	boolean  kind = "true or false"
	duration kind = "a duration with its unit"
	quantity kind = "a quantity with its unit"
)

// shape is what the configuration may look like at one place. It is read off
// the types, so that the two cannot differ.
type shape struct {
	kind   kind
	typ    reflect.Type
	fields []field // of an object, and of the items of a list
	enum   []string
	// optional: an object that is there or not, behind a pointer.
	optional bool
}

type field struct {
	key   string
	index []int // in its struct, or in a reference there
	shape shape
	// about says in one sentence what it is for, with its unit; env is the
	// variable that overrides it, and path what a path names: a folder, a file, a
	// secret (a file without which an account cannot be used), any of them, or
	// what is made where it is not there. They are tags of the field.
	about, env, path string
	// spare: it is not written where it is not set.
	spare bool
}

// field returns the one with that key.
func (s shape) field(key string) (field, bool) {
	for _, f := range s.fields {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
}

// keys are the keys of an object, in order.
func (s shape) keys() []string {
	keys := make([]string, len(s.fields))
	for i, f := range s.fields {
		keys[i] = f.key
	}
	return keys
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
	// enums are the texts that have only some values.
	enums = map[reflect.Type][]string{
		reflect.TypeFor[subconscious.Trust](): {"owner", "machine", "agent", "outsider"},
		reflect.TypeFor[escalate.Approval]():  {string(escalate.ApproveAlways), string(escalate.ApproveTainted), string(escalate.ApproveNever)},
		reflect.TypeFor[source.Level]():       source.Levels,
		reflect.TypeFor[actions.ParamType]():  {"text", "integer", "number", "boolean", "choice", "date", "path"},
	}
)

// root is the shape of Config.
var root = sync.OnceValue(func() shape { return shapeOf(reflect.TypeFor[Config]()) })

// shapeOf reads the shape off a type. It panics at a type that a configuration
// cannot hold, which the first test of this package then shows.
func shapeOf(t reflect.Type) shape {
	s := shape{typ: t}
	switch {
	case t == durationType:
		s.kind = duration
	case reflect.PointerTo(t).Implements(textType):
		s.kind = quantity
	case t.Kind() == reflect.String:
		s.kind, s.enum = text, enums[t]
	case t.Kind() == reflect.Int:
		s.kind = integer
	case t.Kind() == reflect.Float64, t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Float64:
		s.kind = number
	case t.Kind() == reflect.Bool, t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Bool:
		s.kind = boolean
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		s.kind, s.fields, s.optional = object, fieldsOf(t.Elem()), true
	case t.Kind() == reflect.Struct:
		s.kind, s.fields = object, fieldsOf(t)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		s.kind = texts
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		s.kind, s.fields = items, fieldsOf(t.Elem())
	default:
		panic(fmt.Sprintf("setup: no configuration can hold a %s", t))
	}
	return s
}

// fieldsOf reads the fields of a struct that have a key.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		key, more, _ := strings.Cut(t.Field(i).Tag.Get("mapstructure"), ",")
		if key == "" && more == "" || key == "-" {
			continue
		}
		tag := t.Field(i).Tag
		if more == "squash" {
			for _, f := range fieldsOf(t.Field(i).Type) {
				f.index = append([]int{i}, f.index...)
				fields = append(fields, f)
			}
			continue
		}
		f := field{key: key, index: []int{i}, spare: more == "omitempty", about: tag.Get("about"), env: tag.Get("env"), path: tag.Get("path")}
		if t.Field(i).Type == refType {
			fields = append(fields, f.references()...)
			continue
		}
		f.shape = shapeOf(t.Field(i).Type)
		fields = append(fields, f)
	}
	return fields
}

var refType = reflect.TypeFor[secret.Ref]()

// references are the fields of a secret.Ref, whose keys begin with that of the
// field. What it says behind a comma or a semicolon is said with the first alone.
func (f field) references() []field {
	what := f.about
	fields := fieldsOf(refType)
	for i, ref := range fields {
		fields[i].key, fields[i].index = f.key+"_"+ref.key, append(slices.Clone(f.index), ref.index...)
		fields[i].about = fmt.Sprintf(ref.about, what)
		what = what[:strings.IndexAny(what+",", ",;")]
	}
	return fields
}

// nested puts the keys of references, such as token_env, below those of their
// fields, where the decoder looks for them.
func nested(_, to reflect.Type, data any) (any, error) {
	written, ok := data.(map[string]any)
	if !ok || to.Kind() != reflect.Struct {
		return data, nil
	}
	written = maps.Clone(written)
	for i := range to.NumField() {
		if to.Field(i).Type != refType {
			continue
		}
		key, refs := to.Field(i).Tag.Get("mapstructure"), map[string]any{}
		for _, ref := range fieldsOf(refType) {
			if value, ok := written[key+"_"+ref.key]; ok {
				refs[ref.key] = value
				delete(written, key+"_"+ref.key)
			}
		}
		written[key] = refs
	}
	return written, nil
}

// walk calls visit for every key below s, depth first, parents before
// children. The items of a list are named with "[]".
func (s shape) walk(prefix string, visit func(key string, f field)) {
	for _, f := range s.fields {
		key := join(prefix, f.key)
		visit(key, f)
		if f.shape.kind == items {
			key += "[]"
		}
		f.shape.walk(key, visit)
	}
}

// each calls visit for every value below v, the items of lists among them, and
// for what is below one where visit says so.
func (s shape) each(prefix string, v reflect.Value, visit func(key string, v reflect.Value, f field) (deeper bool)) {
	for _, f := range s.fields {
		key, value := join(prefix, f.key), v.FieldByIndex(f.index)
		switch deeper := visit(key, value, f); {
		case !deeper || f.shape.optional && value.IsNil():
		case f.shape.kind == object:
			f.shape.each(key, reflect.Indirect(value), visit)
		case f.shape.kind == items:
			item := shape{kind: object, fields: f.shape.fields}
			for i := range value.Len() {
				if key := fmt.Sprintf("%s[%d]", key, i); visit(key, value.Index(i), field{shape: item}) {
					item.each(key, value.Index(i), visit)
				}
			}
		}
	}
}

// join puts a key behind the path of its parent.
func join(prefix, key string) string {
	if prefix == "" {
		return key
	}
	return prefix + "." + key
}
