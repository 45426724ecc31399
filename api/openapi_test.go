package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// content are the schemas of a body by its media type.
type content map[string]struct{ Schema json.RawMessage }

type operation struct {
	OperationID, Summary string
	Parameters           []struct {
		Name, In string
		Schema   struct{ Type string }
	}
	RequestBody struct{ Content content }
	Responses   map[string]struct{ Content content }
	Security    []map[string][]string
}

// described is the OpenAPI document as a server gives it.
type described struct {
	OpenAPI    string
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]json.RawMessage }
}

var description = sync.OnceValues(func() (d described, err error) {
	text, err := api.Described()
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	return d, err
})

// resolved are the schemas that were looked up before, by their text.
var resolved sync.Map

// schema is one of the document, with those that it refers to.
func (d described) schema(schema json.RawMessage) (*jsonschema.Resolved, error) {
	if known, ok := resolved.Load(string(schema)); ok {
		return known.(*jsonschema.Resolved), nil
	}
	text, err := json.Marshal(map[string]any{"$defs": d.Components.Schemas, "allOf": []json.RawMessage{schema}})
	var s jsonschema.Schema
	if err == nil {
		err = json.Unmarshal([]byte(strings.ReplaceAll(string(text), "#/components/schemas/", "#/$defs/")), &s)
	}
	if err != nil {
		return nil, err
	}
	found, err := s.Resolve(nil)
	if err == nil {
		resolved.Store(string(schema), found)
	}
	return found, err
}

// fits holds a body to the schema that a document has for it.
func (d described) fits(t testing.TB, what string, c content, media, body string) {
	t.Helper()
	schema, ok := c[media]
	if !ok {
		t.Errorf("%s: it is not said that it is %s", what, media)
		return
	}
	resolved, err := d.schema(schema.Schema)
	var value any
	if err == nil && strings.Contains(media, "json") {
		if err = json.Unmarshal([]byte(body), &value); err == nil {
			err = resolved.Validate(value)
		}
	}
	if err != nil {
		t.Errorf("%s: %v\n%.2000s", what, err, body)
	}
}

var inBraces = regexp.MustCompile(`{\w+}`)

// conforms holds a request that was answered, and its answer, to the document.
func conforms(t testing.TB, method, path, body string, got reply) {
	t.Helper()
	d, err := description()
	if err != nil {
		t.Fatal(err)
	}
	bare, query, _ := strings.Cut(path, "?")
	media := got.header.Get("Content-Type")
	for template, operations := range d.Paths {
		operation, ok := operations[strings.ToLower(method)]
		if !ok || !regexp.MustCompile("^"+inBraces.ReplaceAllString(template, `[^/]+`)+"$").MatchString(bare) || template != bare && d.Paths[bare] != nil {
			continue
		}
		what := method + " " + path
		if got.status != http.StatusOK {
			d.fits(t, what, operation.Responses["default"].Content, media, got.body)
			return
		}
		d.fits(t, what, operation.Responses["200"].Content, media, got.body)
		if strings.TrimSpace(body) != "" {
			media := "application/json"
			if operation.RequestBody.Content[media].Schema == nil {
				media = "text/plain; charset=utf-8" // a file
			}
			d.fits(t, what+", asked", operation.RequestBody.Content, media, body)
		}
		for _, part := range strings.Split(query, "&") {
			name, _, _ := strings.Cut(part, "=")
			known := name == ""
			for _, p := range operation.Parameters {
				known = known || p.In == "query" && p.Name == name
			}
			if !known {
				t.Errorf("%s is taken, and no parameter %s is described", what, name)
			}
		}
		return
	}
	if got.status == http.StatusOK {
		t.Errorf("%s is answered, and not described", method+" "+path)
	}
}

// The document describes every route, and nothing else. Every answer of the tests of
// this package is held to it, too, by call.
func TestOpenAPI(t *testing.T) {
	folder := testutil.Folder(t)
	apitest.Serve(t, folder, apitest.Busy(), api.Options{Version: "v9", Now: apitest.At})
	if got := call(t, caller(t, folder), "GET", "/v1/openapi.json", "", ""); got.status != http.StatusOK || !strings.Contains(got.body, `"openapi":"3.1.0"`) || !strings.Contains(got.body, `"version":"v9"`) {
		t.Errorf("%d %.200s", got.status, got.body)
	}
	d, err := description()
	if err != nil {
		t.Fatal(err)
	}
	if size := len(fmt.Sprint(d)); size > 300_000 {
		t.Errorf("the document has %d bytes", size)
	}
	ids, left := map[string]bool{}, 0
	for path, operations := range d.Paths {
		for method, o := range operations {
			left++
			if ids[o.OperationID] || o.Summary == "" || o.OperationID == "" {
				t.Errorf("%s %s: the id %q, and %q about it", method, path, o.OperationID, o.Summary)
			}
			ids[o.OperationID] = true
			for _, name := range inBraces.FindAllString(path, -1) {
				if len(o.Parameters) == 0 || o.Parameters[0].In != "path" || "{"+o.Parameters[0].Name+"}" != name {
					t.Errorf("%s %s: %+v", method, path, o.Parameters)
				}
			}
		}
	}
	for _, route := range api.AllRoutes() {
		path, _, _ := strings.Cut(route.Path, "?")
		o, ok := d.Paths[path][strings.ToLower(route.Method)]
		if left--; !ok || (len(o.Security) > 0) != (route.Class == api.Reads || route.Class == api.Observes) {
			t.Errorf("%s %s: described %t, security %v", route.Method, path, ok, o.Security)
		}
	}
	if left != 0 {
		t.Errorf("%d are described and not served", left)
	}
	if _, err := d.schema(json.RawMessage("{}")); err != nil {
		t.Errorf("the schemas: %v", err)
	}
}

// Each sample mind answers as it is described.
func TestAnswersConform(t *testing.T) {
	for name, m := range map[string]func() *apitest.Mind{
		"busy": apitest.Busy, "empty": apitest.Empty, "degraded": apitest.Degraded, "paused": apitest.Paused, "thinking": apitest.Thinking,
		"telling": apitest.Telling, "deliberating": apitest.Deliberating, "hostile": apitest.Hostile,
	} {
		t.Run(name, func(t *testing.T) {
			folder, m := testutil.Folder(t), m()
			apitest.Serve(t, folder, m, api.Options{Now: apitest.At})
			c := caller(t, folder)
			paths := []string{"/v1/ticks/128", "/v1/ticks/128/replay", "/v1/prompts/watcher"}
			for _, route := range api.AllRoutes() {
				if route.Method == http.MethodGet && !strings.Contains(route.Path, "{") {
					paths = append(paths, route.Path)
				}
			}
			for id := range m.Reasons {
				paths = append(paths, "/v1/why/"+string(id))
			}
			for id := range m.Stories {
				paths = append(paths, "/v1/inbox/"+string(id))
			}
			for _, p := range m.Proposed {
				paths = append(paths, "/v1/proposals/"+p.ID)
			}
			for _, talk := range m.Talks {
				paths = append(paths, "/v1/conversations/"+talk.ID)
			}
			for _, r := range m.Memories {
				paths = append(paths, "/v1/memory/"+r.ID)
			}
			for _, path := range paths {
				call(t, c, "GET", path, "", "")
			}
		})
	}
}

func TestMetrics(t *testing.T) {
	folder, m := testutil.Folder(t), apitest.Busy()
	m.Now.Senses[0].ID = "a \"b\"\\\nc"
	apitest.Serve(t, folder, m, api.Options{Version: "v9", Now: apitest.At})
	listen(t, folder, "", "")()
	got := call(t, caller(t, folder), "GET", "/metrics", "", "")
	for _, line := range []string{
		"# TYPE subconsciousd_mind_ticks_total counter", "subconsciousd_mind_ticks_total 128", "subconsciousd_ticks_total 1", "subconsciousd_tick_seconds_total 1.5",
		`subconsciousd_sense{kind="` + m.Now.Senses[0].Kind + `",id="a \"b\"\\\nc",state="` + string(m.Now.Senses[0].State) + `"} 1`, "subconsciousd_event_listeners 1", "subconsciousd_paused 0",
	} {
		if !strings.Contains(got.body, "\n"+line+"\n") {
			t.Errorf("there is no line %s in\n%s", line, got.body)
		}
	}
	// The format: what a metric is comes once, before its values.
	line := regexp.MustCompile(`^subconsciousd_[a-z_]+(\{([a-z]+="([^"\\\n]|\\["\\n])*",?)+\})? [-+.e0-9]+$`)
	is, told := "", map[string]bool{}
	for _, text := range strings.Split(strings.TrimSpace(got.body), "\n") {
		words := strings.Fields(text)
		switch {
		case words[0] == "#" && words[1] == "TYPE":
			if is = words[2]; told[is] || words[3] != "counter" && words[3] != "gauge" {
				t.Errorf("%s", text)
			}
			told[is] = true
		case words[0] != "#" && (!line.MatchString(text) || strings.FieldsFunc(text, func(r rune) bool { return r == '{' || r == ' ' })[0] != is):
			t.Errorf("%s", text)
		}
	}
	if len(told) < 20 {
		t.Errorf("%d metrics", len(told))
	}
}
