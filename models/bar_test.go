package models

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What a name leads to counts when it is dialled. "0.0.0.0" stands in for such a
// name: what it leads to answers.
func TestBarredAddresses(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{}")) // the client may have gone
	}))
	t.Cleanup(server.Close)
	for _, test := range []struct{ host, want string }{{"127.0.0.1", ""}, {"0.0.0.0", "0.0.0.0 is link-local, multicast or unspecified"}} {
		for _, twin := range []bool{false, true} {
			base := strings.Replace(server.URL, "127.0.0.1", test.host, 1)
			client := NewClient(TransportOptions{BaseURL: base})
			if twin {
				client.under.DialContext = new(net.Dialer).DialContext
			}
			_, err := client.Send(t.Context(), base+"/v1/models", http.Header{}, nil, nil)
			client.CloseIdleConnections()
			if want := test.want; (err == nil) != (want == "" || twin) || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s, twin %v: %v", test.host, twin, err)
			}
		}
	}
}
