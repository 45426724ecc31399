package oauth

import (
	"context"
	"errors"
	"html/template"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/own"
	"github.com/subconsciousd/subconsciousd/internal/secret"
)

// noSecret is for requests that go through the browser.
var noSecret secret.Value

// serve waits for the browser at a listener, until Close.
func (f *Flow) serve(listener net.Listener) {
	f.served = make(chan struct{})
	f.server = &http.Server{Handler: http.HandlerFunc(f.browser), ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute,
		IdleTimeout: 5 * time.Second, MaxHeaderBytes: 2 * maxAddress, ErrorLog: log.New(io.Discard, "", 0)}
	go func() {
		defer close(f.served)
		_ = f.server.Serve(listener) // it ends with Close alone
	}()
}

// browser takes the one request that brings the provider's answer, and shows
// what became of it. What else asks is turned away.
func (f *Flow) browser(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Cache-Control", "no-store")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	host, _, err := net.SplitHostPort(r.Host)
	values := r.URL.Query()
	switch {
	case err != nil || !own.Loopback(host) || r.Method != http.MethodGet || r.URL.Path != "/":
		show(w, http.StatusNotFound, "There is nothing here", "This address waits for a sign-in alone.")
		return
	case len(r.URL.RawQuery) > maxAddress || !f.mine(values) || values.Get("code")+values.Get("error") == "":
		show(w, http.StatusBadRequest, "This is no answer to the sign-in", "Go back to the address that the terminal shows.")
		return
	}
	if f.taken.Swap(true) {
		show(w, http.StatusGone, "This sign-in was answered already", "You may close this window.")
		return
	}
	a := arrival{values, make(chan error, 1)}
	select {
	case f.arrived <- a:
	case <-r.Context().Done():
		return
	case <-time.After(time.Until(f.deadline)):
		show(w, http.StatusGone, "This sign-in is over", "Begin again in the terminal.")
		return
	}
	select {
	case err := <-a.page:
		if errors.Is(err, context.Canceled) {
			err = errors.New("it was broken off in the terminal")
		}
		if err != nil {
			show(w, http.StatusOK, "You are not signed in", err.Error())
			return
		}
		show(w, http.StatusOK, "You are signed in", "You may close this window and go back to the terminal.")
	case <-r.Context().Done():
	}
}

var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Title}}</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:18vh auto;padding:0 1rem;color:#222;background:#fff}
@media (prefers-color-scheme:dark){body{color:#ddd;background:#181818}}</style></head>
<body><h1>{{.Title}}</h1><p>{{.Text}}</p></body></html>
`))

func show(w http.ResponseWriter, status int, title, text string) {
	w.WriteHeader(status)
	// A browser that is gone sees nothing.
	_ = page.Execute(w, struct{ Title, Text string }{title, text})
}
