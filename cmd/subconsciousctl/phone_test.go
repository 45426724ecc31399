package main

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
)

type phoneKey struct{}

// phoneHolder holds the server of a script once there is one.
type phoneHolder struct{ server *ntfytest.Server }

// servePhone is "phone [TOKEN]": it serves a stand-in for an ntfy server, whose
// address is then in NTFY_SERVER_HERE. With a token nobody else is let in.
func servePhone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: phone [TOKEN]")
	}
	var options ntfytest.Options
	if len(args) == 1 {
		options.Accounts = []ntfytest.Account{{Token: args[0]}}
	}
	server := ntfytest.New(options)
	ts.Defer(server.Close)
	ts.Value(phoneKey{}).(*phoneHolder).server = server
	ts.Setenv("NTFY_SERVER_HERE", server.URL())
}

// pushed is "pushed TOPIC TEXT…": one message came to the topic, with these
// words; "! pushed TOPIC": none did.
func pushed(ts *testscript.TestScript, neg bool, args []string) {
	holder := ts.Value(phoneKey{}).(*phoneHolder)
	if len(args) == 0 || holder.server == nil {
		ts.Fatalf("usage: pushed TOPIC TEXT…, behind phone")
	}
	messages := holder.server.Messages(args[0])
	if neg {
		if len(messages) > 0 {
			ts.Fatalf("%d messages came to %s", len(messages), args[0])
		}
		return
	}
	if len(messages) != 1 {
		ts.Fatalf("%d messages came to %s, want one", len(messages), args[0])
	}
	for _, want := range args[1:] {
		if text := messages[0].Title + "\n" + messages[0].Message; !strings.Contains(text, want) {
			ts.Fatalf("%q is not in %q", want, text)
		}
	}
}
