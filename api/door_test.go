package api_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// door is a server that is asked over TCP.
type door struct {
	t       *testing.T
	folder  string
	address string
	token   string
	client  *http.Client
}

// openDoor serves a mind over both listeners, without one guard where it is named.
func openDoor(t *testing.T, mind api.Mind, without string) *door {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &door{t: t, folder: testutil.Folder(t), address: free.Addr().String(), client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	server, err := api.New(api.Options{Socket: filepath.Join(d.folder, "socket"), Listen: d.address, Hosts: []string{"mind.example.com"}, Mind: mind, Now: apitest.At})
	if err != nil {
		t.Fatal(err)
	}
	if without != "" {
		api.Unguarded(server, without)
	}
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	d.token = strings.TrimSpace(string(testutil.Read(t, filepath.Join(d.folder, api.TokenName))))
	return d
}

// ask sends a request with a token, "" for none, and headers, two strings each.
func (d *door) ask(method, path, token, body string, headers ...string) (status int, answer string, header http.Header) {
	d.t.Helper()
	request, err := http.NewRequest(method, "http://"+d.address+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		request.Header.Set("Content-Type", asJSON)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
	}
	response, err := d.client.Do(request)
	if err != nil {
		d.t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		d.t.Fatal(err)
	}
	return response.StatusCode, string(text), response.Header
}

// TestClasses: a route that changes nothing is a GET, and each says what it does. What
// the person alone may read decides.
func TestClasses(t *testing.T) {
	for _, r := range api.AllRoutes() {
		if r.Class < api.Reads || r.Class > api.Decides || r.Class == api.Reads && r.Method != http.MethodGet || r.Method == http.MethodGet && r.Class != api.Reads && r.Class != api.Decides {
			t.Errorf("%s %s has the class %d", r.Method, r.Path, r.Class)
		}
	}
}

var parameter = regexp.MustCompile(`\{[a-z]+\}`)

// TestDoor: over TCP all is served that reads and observes, to who has the token, as
// it is over the socket; nothing else is, whoever asks.
func TestDoor(t *testing.T) {
	mind := apitest.Deliberating()
	d := openDoor(t, mind, "")
	socket := caller(t, d.folder)
	for _, r := range api.AllRoutes() {
		path := parameter.ReplaceAllString(r.Path, "127")
		if r.Path == "/v1/messages/search" {
			path += "?words=backup"
		}
		for _, token := range []string{"", "source-OPEN", d.token[:len(d.token)-1], d.token + "x", strings.ToLower(d.token)} {
			if status, text, _ := d.ask(r.Method, path, token, ""); status != http.StatusForbidden {
				t.Errorf("%s %s with the token %q: %d %s", r.Method, path, token, status, text)
			}
		}
		status, text, header := d.ask(r.Method, path, d.token, "")
		switch r.Class {
		case api.Reads:
			if over := call(t, socket, r.Method, path, "", ""); status == http.StatusForbidden || status != over.status || text != over.body && r.Path != api.GetMetrics.Path {
				t.Errorf("%s %s: over TCP %d %s, over the socket %d %s", r.Method, path, status, text, over.status, over.body)
			}
		case api.Observes:
			if status, text, _ := d.ask(r.Method, "/v1/observations/doorbell", d.token, `{"title":"It rang"}`); status != http.StatusOK {
				t.Errorf("the API's token does not observe: %d %s", status, text)
			}
		default:
			if status != http.StatusForbidden || !strings.Contains(text, "over the socket in the state folder") {
				t.Errorf("%s %s: %d %s", r.Method, path, status, text)
			}
		}
		for name, want := range map[string]string{"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "X-Content-Type-Options": "nosniff",
			"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", "Access-Control-Allow-Origin": ""} {
			if got := header.Get(name); got != want {
				t.Errorf("%s %s: %s is %q", r.Method, path, name, got)
			}
		}
	}
	if len(mind.Commands())+len(mind.Decisions())+len(mind.Posts())+len(mind.MemoryChanges())+len(mind.Requests()) > 0 {
		t.Error("something was done over TCP")
	}
	for _, c := range []struct {
		method, path, token, body string
		status                    int
	}{
		{"POST", "/v1/observations/doorbell", "source-OPEN", `{"title":"It rang"}`, 200},
		{"POST", "/v1/observations/doorbell", "source-SHUT", `{"title":"It rang"}`, 403},
		{"POST", "/v1/observations/parcels", "source-OPEN", `{"title":"It rang"}`, 403},
		{"POST", "/v1/observations/doorbell", "source-OPEN", `"` + strings.Repeat("x", api.MaxBody) + `"`, 413},
		{"GET", "/v1/observations/doorbell", "source-OPEN", "", 405},
		{"OPTIONS", "/v1/status", "", "", 403},
		{"OPTIONS", "/v1/status", d.token, "", 405},
		{"GET", "/v1/nothing", d.token, "", 404},
	} {
		if status, text, _ := d.ask(c.method, c.path, c.token, c.body); status != c.status {
			t.Errorf("%+.80v: %d %s", c, status, text)
		}
	}
	for host, want := range map[string]int{"localhost:1": 200, "[::1]:7766": 200, "127.0.0.2": 200, "MIND.example.com": 200, "mind.example.com:443": 200,
		"example.com": 403, "127.0.0.1.example.com": 403, "localhost.example.com": 403, "192.0.2.1": 403, "0.0.0.0": 403, ".mind.example.com": 403} {
		if status, text, _ := d.ask("GET", "/healthz", d.token, "", "Host", host); status != want {
			t.Errorf("asked as %s: %d %s", host, status, text)
		}
	}
}

// TestDoorTwins: each guard of the door keeps out what comes in without it.
func TestDoorTwins(t *testing.T) {
	approve := `{"id":"p-4f2a","hash":"` + apitest.SampleHash + `","approve":true}`
	for guard, ask := range map[string]func(d *door) (int, string, http.Header){
		"token": func(d *door) (int, string, http.Header) { return d.ask("GET", "/v1/status", "", "") },
		"opens": func(d *door) (int, string, http.Header) {
			return d.ask("POST", "/v1/proposals/decide", d.token, approve)
		},
		"host": func(d *door) (int, string, http.Header) {
			return d.ask("GET", "/v1/status", d.token, "", "Host", "rebound.example.com")
		},
		"origin": func(d *door) (int, string, http.Header) {
			return d.ask("POST", "/v1/observations/doorbell", "source-OPEN", `{"title":"It rang"}`, "Origin", "https://example.com", "Sec-Fetch-Site", "cross-site")
		},
		"body": func(d *door) (int, string, http.Header) {
			got := call(d.t, caller(d.t, d.folder), "POST", "/v1/tick", asJSON, strings.Repeat(" ", 4*api.MaxBody))
			return got.status, got.body, got.header
		},
	} {
		for _, off := range []bool{false, true} {
			without, want := "", http.StatusForbidden
			if guard == "body" {
				want = http.StatusRequestEntityTooLarge
			}
			if off {
				without, want = guard, http.StatusOK
			}
			mind := apitest.Deliberating()
			status, text, _ := ask(openDoor(t, mind, without))
			if status != want || guard == "opens" && (len(mind.Decisions()) == 1) != off {
				t.Errorf("%s, left out %v: %d %s, want %d", guard, off, status, text, want)
			}
		}
	}
}

// TestTokenFile: it is the person's alone, is kept, and can be renewed; what is no
// token of theirs opens nothing.
func TestTokenFile(t *testing.T) {
	d := openDoor(t, apitest.Busy(), "")
	path := filepath.Join(d.folder, api.TokenName)
	if info, err := os.Lstat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	socket := caller(t, d.folder)
	if got := call(t, socket, "POST", "/v1/token", asJSON, `{"as":"agent"}`); got.status != http.StatusForbidden {
		t.Errorf("an agent made one: %d %s", got.status, got.body)
	}
	if got := call(t, socket, "POST", "/v1/token", asJSON, `{}`); got.status != 200 || !strings.Contains(got.body, path) || strings.Contains(got.body, "mind-") {
		t.Errorf("%d %s", got.status, got.body)
	}
	renewed := strings.TrimSpace(string(testutil.Read(t, path)))
	for token, want := range map[string]int{d.token: 403, renewed: 200} {
		if status, text, _ := d.ask("GET", "/healthz", token, ""); status != want {
			t.Errorf("%d %s, want %d", status, text, want)
		}
	}
	for name, spoil := range map[string]func(path string) error{
		"kept": func(path string) error { return os.WriteFile(path, []byte(renewed+"\n"), 0o600) },
		"open to others": func(path string) error {
			return errors.Join(os.WriteFile(path, []byte(renewed), 0o600), os.Chmod(path, 0o640))
		},
		"empty":    func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a link":   func(path string) error { return os.Symlink("/dev/null", path) },
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		folder := testutil.Folder(t)
		path := filepath.Join(folder, api.TokenName)
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		server, err := api.New(api.Options{Socket: filepath.Join(folder, "socket"), Listen: "127.0.0.1:0", Mind: apitest.Busy()})
		if err != nil {
			t.Fatal(err)
		}
		if err := server.Start(t.Context()); (err == nil) != (name == "kept") || err != nil && !strings.Contains(err.Error(), "the token of the API") {
			t.Errorf("%s: %v", name, err)
		}
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if name == "kept" && strings.TrimSpace(string(testutil.Read(t, path))) != renewed {
			t.Error("the token was made anew")
		}
	}
}
