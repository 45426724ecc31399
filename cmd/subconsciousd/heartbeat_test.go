package main

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"
)

// hearer is whom the daemon shows that it lives.
type hearer struct{ code, heard atomic.Int64 }

// hearers holds them by their address.
var hearers sync.Map

func hearerOf(ts *testscript.TestScript) *hearer {
	found, ok := hearers.Load(ts.Getenv("HEART"))
	if !ok {
		ts.Fatalf("nobody hears")
	}
	return found.(*hearer)
}

// hearing is "hearing": somebody hears at the address HEART, and answers 200.
func hearing(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: hearing")
	}
	h := &hearer{}
	h.code.Store(http.StatusOK)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h.heard.Add(1)
		w.WriteHeader(int(h.code.Load()))
	}))
	ts.Setenv("HEART", server.URL)
	hearers.Store(server.URL, h)
	ts.Defer(func() {
		hearers.Delete(server.URL)
		server.Close()
	})
}

// answering is "answering CODE": who hears answers so from then on.
func answering(ts *testscript.TestScript, neg bool, args []string) {
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	hearerOf(ts).code.Store(int64(code))
}

// heard is "heard N": so many heartbeats have come in all, before long.
func heard(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	h := hearerOf(ts)
	wait(ts, args[0]+" heartbeats", func() bool { return h.heard.Load() >= n })
	if got := h.heard.Load(); got != n {
		ts.Fatalf("%d heartbeats; want %d", got, n)
	}
}
