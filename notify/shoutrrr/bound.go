package shoutrrr

import (
	"net/http"
	"sync"
	"time"
)

const (
	// longest is how long one request of a bounded client lasts, its answer
	// included.
	longest = time.Minute
	// maxAnswer is how much of an answer is read, in bytes. Services say a line.
	maxAnswer = 1 << 20
)

// bounding is held while a client is bounded: a process can have several owners.
var bounding sync.Mutex

// Bound gives a client a minute for each request and 1 MiB for each answer. The
// library's services use http.DefaultClient, which has no bounds: whoever owns
// the process bounds it before anything else is started. To bound a client
// twice, also at once, does nothing.
func Bound(client *http.Client) {
	bounding.Lock()
	defer bounding.Unlock()
	if _, done := client.Transport.(bounded); done {
		return
	}
	if client.Timeout == 0 || client.Timeout > longest {
		client.Timeout = longest
	}
	client.Transport = bounded{client.Transport}
}

// bounded is a transport whose answers end; nil is http.DefaultTransport.
type bounded struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	base := b.base
	if base == nil {
		base = http.DefaultTransport
	}
	response, err := base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if response.Body != nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxAnswer)
	}
	return response, nil
}
