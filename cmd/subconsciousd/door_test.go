package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
)

type phoneKey struct{}

// phone is "phone": it serves a stand-in for an ntfy server, whose address is then
// in PHONE.
func phone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: phone")
	}
	server := ntfytest.New(ntfytest.Options{})
	ts.Defer(server.Close)
	ts.Value(phoneKey{}).(map[string]*ntfytest.Server)[""] = server
	ts.Setenv("PHONE", server.URL())
}

// pushed is "pushed TOPIC TEXT...": so many messages come to the topic, in any order, with these words;
// with ! there is none.
func pushed(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || neg == (len(args) > 1) {
		ts.Fatalf("usage: pushed TOPIC TEXT...")
	}
	messages := func() []ntfytest.Message {
		return ts.Value(phoneKey{}).(map[string]*ntfytest.Server)[""].Messages(args[0])
	}
	texts := args[1:]
	wait(ts, fmt.Sprintf("%d messages come to %s", len(texts), args[0]), func() bool { return len(messages()) >= len(texts) })
	got := messages()
	for _, text := range texts {
		if !slices.ContainsFunc(got, func(m ntfytest.Message) bool { return strings.Contains(m.Title+m.Message, text) }) {
			ts.Fatalf("%q is in none of %+v", text, got)
		}
	}
	if len(got) > len(texts) {
		ts.Fatalf("%+v came to %s", got, args[0])
	}
}

// envsubst is "envsubst FILE": it puts the variables of the script into a file.
func envsubst(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range args {
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(os.Expand(ts.ReadFile(file), ts.Getenv)), 0o600))
	}
}

// port is "port": PORT is one that nobody listens on.
func port(ts *testscript.TestScript, neg bool, args []string) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	_, number, err := net.SplitHostPort(free.Addr().String())
	ts.Check(err)
	ts.Check(free.Close())
	ts.Setenv("PORT", number)
}

// token is "token FILE": the token in it is TOKEN from then on.
func token(ts *testscript.TestScript, neg bool, args []string) {
	ts.Setenv("TOKEN", strings.Fields(ts.ReadFile(args[0]))[0])
}

// secret is "secret FILE": the file that FILE names holds what is TOKEN from then on.
func secret(ts *testscript.TestScript, neg bool, args []string) {
	token(ts, neg, []string{strings.TrimSpace(ts.ReadFile(args[0]))})
}

// hand is "hand STATUS TOKEN METHOD PATH [JSON]": the daemon answers so, over its
// socket, or at DOOR.
func hand(ts *testscript.TestScript, neg bool, args []string) {
	body := ""
	if len(args) == 5 {
		body = args[4]
	} else if neg || len(args) != 4 {
		ts.Fatalf("usage: hand STATUS TOKEN METHOD PATH [JSON]")
	}
	network, address := "unix", filepath.Join(ts.Getenv("SUBCONSCIOUS_STATE_DIR"), "socket")
	if door := ts.Getenv("DOOR"); door != "" {
		network, address = "tcp", door
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequest(args[2], "http://localhost"+args[3], strings.NewReader(body))
	ts.Check(err)
	request.Header.Set("Authorization", "Bearer "+args[1])
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := transport.RoundTrip(request)
	ts.Check(err)
	ts.Check(answer.Body.Close())
	if strconv.Itoa(answer.StatusCode) != args[0] {
		ts.Fatalf("%s %s answers %s", args[2], args[3], answer.Status)
	}
}
