package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// routed is a request, and what it is answered with.
type routed struct {
	method, path, body string
	status             int
	want               string // in the body
}

func (r routed) holds(t *testing.T, c *http.Client) (body string) {
	t.Helper()
	media := ""
	if r.body != "" {
		media = asJSON
	}
	got := call(t, c, r.method, r.path, media, r.body)
	if got.status != r.status || !strings.Contains(got.body, r.want) {
		t.Errorf("%s %.60s %.60s: %d %s, want %d with %q", r.method, r.path, r.body, got.status, got.body, r.status, r.want)
	}
	return got.body
}

func TestModelRoutes(t *testing.T) {
	folder := testutil.Folder(t)
	apitest.Serve(t, folder, apitest.Thinking(), api.Options{Now: apitest.At})
	c := caller(t, folder)
	for _, test := range []routed{
		{"GET", "/v1/models", "", 200, `"fallbacks":[],"price_input":0.3`},
		{"GET", "/v1/status", "", 200, `"limits":[{"name":"money_per_day"`},
		{"GET", "/v1/prompts/watcher", "", 200, `"redacted":true`},
		{"GET", "/v1/prompts/oracle", "", 404, "no thread oracle"},
		{"GET", "/v1/prompts/No%20body", "", 400, "not a thread"},
		{"GET", "/v1/report", "", 200, `"since":"2026-03-13T14:05:30Z"`},
		{"GET", "/v1/report?since=2026-03-01T00:00:00Z", "", 200, `"unchanged":271`},
		{"GET", "/v1/report?since=yesterday", "", 400, "is not a time"},
		{"GET", "/v1/report?since=2026-04-01T00:00:00Z", "", 400, "is not yet"},
		{"GET", "/v1/report?from=2026-03-01T00:00:00Z", "", 400, "from"},
		{"GET", "/v1/report?since=a&since=b", "", 400, "since"},
		{"POST", "/v1/models/test", "", 200, `"provider":"workshop"`},
		{"POST", "/v1/models/test", `{"who":"groq"}`, 200, `"role":"watcher"`},
		{"POST", "/v1/models/test", `{"who":"nobody"}`, 404, "nobody"},
		{"POST", "/v1/models/test", `{"who":"NO BODY"}`, 400, "neither a role nor a provider"},
		{"POST", "/v1/models/test", `{"whom":"groq"}`, 400, "whom"},
		{"GET", "/v1/models/test", "", 405, "does not take GET"},
		{"POST", "/v1/models", "", 405, "does not take POST"},
	} {
		test.holds(t, c)
	}
}

func TestListsArePresent(t *testing.T) {
	folder := testutil.Folder(t)
	apitest.Serve(t, folder, apitest.Busy(), api.Options{})
	if got := call(t, caller(t, folder), "GET", "/v1/status", "", ""); !strings.Contains(got.body, `"models":[]`) || !strings.Contains(got.body, `"limits":[]`) {
		t.Errorf("lists are missing: %s", got.body)
	}
}
