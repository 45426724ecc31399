package ntfy_test

import (
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
)

const (
	topic = "alerts"
	reply = "re-0123456789abcdef0123456789abcdef"
	token = "tk_conformance0123456789abcdef"
)

// lookup is an environment that has the token of the account.
func lookup(name string) (string, bool) { return token, name == "NTFY_TOKEN" }

// account is a server that lets one account do everything, and phones answer.
func account() ntfytest.Options {
	return ntfytest.Options{Accounts: []ntfytest.Account{{Name: "daemon", Token: token}},
		Everyone: []ntfytest.Grant{{Topic: "re-*", Write: true}}}
}

// open makes a client of a server.
func open(t testing.TB, server *ntfytest.Server, config ntfy.Config, options ntfy.Options) *ntfy.Client {
	t.Helper()
	config.URL, config.Topic = server.URL(), topic
	options.ReplyTopic = reply
	if options.Env == nil {
		options.Env = lookup
	}
	return made(t, config, options)
}

func made(t testing.TB, config ntfy.Config, options ntfy.Options) *ntfy.Client {
	t.Helper()
	client, err := ntfy.New(config, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func start(t testing.TB, options ntfytest.Options) *ntfytest.Server {
	t.Helper()
	server := ntfytest.New(options)
	t.Cleanup(server.Close)
	return server
}

func TestConformance(t *testing.T) {
	for name, config := range map[string]ntfy.Config{"token": {Token: secret.Ref{Env: "NTFY_TOKEN"}}, "open": {}} {
		t.Run(name, func(t *testing.T) {
			options := ntfytest.Options{}
			if config.Token.Env != "" {
				options = account()
			}
			notifytest.Run(t, notifytest.Driver{
				Open:    func(t testing.TB) notifytest.Service { return service(t, config, options) },
				Faults:  notifytest.Faults(),
				Secrets: []string{token},
				Buttons: true, Sequence: true, Link: true, Urgent: true,
			})
		})
	}
}

func service(t testing.TB, config ntfy.Config, options ntfytest.Options) notifytest.Service {
	server := start(t, options)
	down := false
	return notifytest.Service{
		Notifier: open(t, server, config, ntfy.Options{}),
		Received: func() []notifytest.Received { return received(server) },
		Requests: server.Requests,
		Break:    server.Break,
		Press: func(token string) error {
			return ntfytest.Action{Label: "Yes", Method: "POST", URL: server.URL() + "/" + reply, Body: token}.Press(t.Context())
		},
		Fail: func(fault notifytest.Fault) {
			if down {
				server.Up()
			}
			if down = fault == notifytest.Down; down {
				server.Close()
			}
			server.SetTroubles()
			if trouble, ok := faults[fault]; ok {
				server.SetTroubles(ntfytest.Trouble{Fault: trouble})
			}
		},
	}
}

// faults are those of the suite as the server knows them.
var faults = map[notifytest.Fault]ntfytest.Fault{notifytest.Refuses: ntfytest.Denied, notifytest.Broken: ntfytest.Broken,
	notifytest.Limits: ntfytest.Limited, notifytest.Cuts: ntfytest.CutAfter, notifytest.Hangs: ntfytest.HangAfter,
	notifytest.Endless: ntfytest.Huge, notifytest.Garbles: ntfytest.Garbage}

// received is what a phone showed, one after the other. An app shows a message
// without a title by its text.
func received(server *ntfytest.Server) []notifytest.Received {
	var all []notifytest.Received
	for _, m := range server.Messages(topic) {
		r := notifytest.Received{Title: m.Title, Text: m.Message, Urgent: m.Priority == 5, Sequence: m.Sequence, Link: m.Click}
		for _, a := range m.Actions {
			r.Buttons = append(r.Buttons, a.Label)
		}
		all = append(all, r)
	}
	return all
}
