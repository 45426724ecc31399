package ntfy_test

import (
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
)

func TestValidate(t *testing.T) {
	for _, good := range []ntfy.Config{
		{URL: "https://ntfy.sh", Topic: "abc"},
		{URL: "https://example.org/ntfy/", Topic: "abc", Token: secret.Ref{File: "/k"}, ReplyTopic: "answers"},
		{URL: "http://127.0.0.1:8080", Topic: "a_-Z9"},
		{URL: "http://nas.local", Topic: "abc", Username: "ada", Password: secret.Ref{Keyring: "subconscious/ntfy"}},
	} {
		if err := good.Validate(); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	at := func(change func(*ntfy.Config)) ntfy.Config {
		c := ntfy.Config{URL: "https://ntfy.sh", Topic: "abc"}
		change(&c)
		return c
	}
	for want, bad := range map[string]ntfy.Config{
		"url: is not set":                  at(func(c *ntfy.Config) { c.URL = "" }),
		"url: is not an address":           at(func(c *ntfy.Config) { c.URL = "ntfy.sh" }),
		"url: is not an address of":        at(func(c *ntfy.Config) { c.URL = "ftp://ntfy.sh" }),
		"url: has a name or a password":    at(func(c *ntfy.Config) { c.URL = "https://a:b@ntfy.sh" }),
		"url: has more behind":             at(func(c *ntfy.Config) { c.URL = "https://ntfy.sh/?a=b" }),
		"url: ends with the topic":         at(func(c *ntfy.Config) { c.URL = "https://ntfy.sh/abc" }),
		"url: sends messages in the clear": at(func(c *ntfy.Config) { c.URL = "http://ntfy.sh" }),
		"topic: is not set":                at(func(c *ntfy.Config) { c.Topic = "" }),
		"topic: \"a b\" is no topic":       at(func(c *ntfy.Config) { c.Topic = "a b" }),
		"topic: \"v1\" is a page":          at(func(c *ntfy.Config) { c.Topic = "v1" }),
		"token_env: more than one":         at(func(c *ntfy.Config) { c.Token.Env, c.Token.File = "A", "/b" }),
		"token_env: is not the name":       at(func(c *ntfy.Config) { c.Token.Env = "tk_abc-def" }),
		"token_keyring: is not written":    at(func(c *ntfy.Config) { c.Token.Keyring = "ntfy" }),
		"password_credential: is no plain": at(func(c *ntfy.Config) { c.Username, c.Password.Credential = "a", "../x" }),
		"username: is set beside a token":  at(func(c *ntfy.Config) { c.Username, c.Token.Env = "a", "B" }),
		"username: has no password":        at(func(c *ntfy.Config) { c.Username = "a" }),
		"username: is not set, and a":      at(func(c *ntfy.Config) { c.Password.Env = "A" }),
		"username: has a colon":            at(func(c *ntfy.Config) { c.Username, c.Password.Env = "a:b", "A" }),
		"reply_topic: is the topic":        at(func(c *ntfy.Config) { c.ReplyTopic = "abc" }),
		"reply_topic: \"a/b\" is no topic": at(func(c *ntfy.Config) { c.ReplyTopic = "a/b" }),
	} {
		if err := bad.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q expected: %v", want, err)
		}
		if _, err := ntfy.New(bad, ntfy.Options{}); err == nil {
			t.Errorf("%q: New takes it", want)
		}
	}
}

func TestOwn(t *testing.T) {
	for address, want := range map[string]bool{"https://ntfy.sh": false, "http://127.0.0.1:8080": true, "https://nas.local/ntfy": true, "https://[fd00::1]:8443": true, "": false} {
		if got := (ntfy.Config{URL: address}).Own(); got != want {
			t.Errorf("%q is one's own: %v", address, got)
		}
	}
}

func TestReplyTopic(t *testing.T) {
	one, other := ntfy.NewReplyTopic(), ntfy.NewReplyTopic()
	if one == other || len(one) != len(reply) || !strings.HasPrefix(one, "re-") {
		t.Errorf("%q, %q", one, other)
	}
	config := ntfy.Config{URL: "https://ntfy.sh", Topic: topic}
	for _, bad := range []string{topic, "a b", "re/x"} {
		if _, err := ntfy.New(config, ntfy.Options{ReplyTopic: bad}); err == nil || strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if client, err := ntfy.New(config, ntfy.Options{}); err != nil || client.Buttons() {
		t.Errorf("without a reply topic there are buttons: %v", err)
	}
}
