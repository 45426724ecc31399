package api_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// TestDoor: over TCP a source hands in with its token, and nothing else is served,
// whoever asks.
func TestDoor(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	apitest.Serve(t, testutil.Folder(t), apitest.Busy(), api.Options{Listen: address})
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, c := range []struct {
		method, path, token, media, body string
		status                           int
	}{
		{"POST", "/v1/observations/doorbell", "Bearer source-OPEN", "application/json", `{"title":"It rang"}`, 200},
		{"POST", "/v1/observations/doorbell", "Bearer source-SHUT", "application/json", `{"title":"It rang"}`, 403},
		{"POST", "/v1/observations/doorbell", "", "application/json", `{"title":"It rang"}`, 403},
		{"POST", "/v1/observations/parcels", "Bearer source-OPEN", "application/json", `{"title":"It rang"}`, 403},
		{"POST", "/v1/observations/doorbell", "Bearer source-OPEN", "text/plain", `{"title":"It rang"}`, 415},
		{"POST", "/v1/observations/doorbell", "Bearer source-OPEN", "application/json", `"` + strings.Repeat("x", api.MaxBody) + `"`, 413},
		{"GET", "/v1/observations/doorbell", "Bearer source-OPEN", "", "", 405},
		{"GET", "/v1/status", "Bearer source-OPEN", "", "", 403},
		{"GET", "/v1/status", "", "", "", 403},
		{"GET", "/healthz", "", "", "", 403},
		{"POST", "/v1/sources/token", "", "application/json", `{"source":"doorbell"}`, 403},
	} {
		request, err := http.NewRequest(c.method, "http://"+address+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", c.token)
		request.Header.Set("Content-Type", c.media)
		if c.token == "" {
			request.Header.Del("Authorization")
		}
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if answer.StatusCode != c.status || err != nil || answer.Body.Close() != nil {
			t.Errorf("%+.80v: %s, %v: %s", c, answer.Status, err, text)
		}
	}
}
