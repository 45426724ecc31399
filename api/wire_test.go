package api

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

var update = flag.Bool("update", false, "rewrite the list of what travels")

// TestWire lists every field that travels, by its type, so that none gets out by
// accident: a field reaches the wire by an explicit tag alone.
func TestWire(t *testing.T) {
	types := map[reflect.Type]string{}
	for _, route := range routes() {
		for _, part := range route.serve(nil).parts {
			travels(t, types, part)
		}
	}
	lines := slices.Sorted(maps.Values(types))
	if len(lines) < 50 {
		t.Fatalf("only %d types travel", len(lines))
	}
	got := strings.Join(lines, "\n") + "\n"
	testutil.Golden(t, *update, "testdata/wire.txt", got)
}

// A problem says what to do now, also where the error that it is of does not.
func TestEveryCodeHasANextStep(t *testing.T) {
	for code := range statuses {
		if p := ProblemOf(&Error{Code: code}); p.Code != code || p.Status < 400 || p.Title == "" || p.Next == "" {
			t.Errorf("%s: %+v", code, p)
		}
	}
	if p := ProblemOf(&Error{Code: "made_up"}); p.Next == "" || p.Status != 500 {
		t.Errorf("a code that is in no table: %+v", p)
	}
}

// travels adds a type, and those of its fields.
func travels(t *testing.T, types map[reflect.Type]string, what reflect.Type) {
	if what.Implements(reflect.TypeFor[json.Marshaler]()) {
		return
	}
	switch what.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		travels(t, types, what.Elem())
		return
	case reflect.Struct:
	default:
		return
	}
	if _, known := types[what]; known {
		return
	}
	types[what] = ""
	var names []string
	for i := range what.NumField() {
		field := what.Field(i)
		name, tagged := field.Tag.Lookup("json")
		switch query := field.Tag.Get("query") + field.Tag.Get("path"); {
		case !field.IsExported(), name == "-":
			continue
		case query != "":
			name = query
		case !tagged && !field.Anonymous:
			t.Errorf("%s.%s has no tag, and travels", what, field.Name)
		}
		names = append(names, strings.TrimSpace(fmt.Sprintf("%s %s", name, field.Type)))
		travels(t, types, field.Type)
	}
	types[what] = fmt.Sprintf("%s: %s", what, strings.Join(names, "; "))
}
