package ntfy

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/own"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/subconscious"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// Config is one topic on one server.
type Config struct {
	URL   string `mapstructure:"url" about:"The address of the server, without the topic; https, or http on this machine and its network."`
	Topic string `mapstructure:"topic" about:"The topic. Whoever knows it can read along: take one that nobody guesses."`
	// The access token of an account, by reference only; at most one of them,
	// and none beside a username.
	Token secret.Ref `mapstructure:"token" about:"the access token, where the server wants one"`
	// Username of an account, and its password by reference only.
	Username string     `mapstructure:"username" about:"The account, where the server wants a password instead."`
	Password secret.Ref `mapstructure:"password" about:"the password"`
	// Replies: messages have buttons, whose answers come back over the reply
	// topic. Nil is true.
	Replies *bool `mapstructure:"replies" about:"Whether messages have buttons, whose answers come back over the reply topic."`
	// ReplyTopic is where they come back; empty is Options.ReplyTopic.
	ReplyTopic string `mapstructure:"reply_topic" about:"Where answers come back; left out: a random topic that the mind keeps."`
}

// Answers reports whether messages have buttons.
func (c Config) Answers() bool { return c.Replies == nil || *c.Replies }

// Address is the address of a server as it was written: without a scheme it is
// taken as http on this machine, where hardly a server has a certificate, and as
// https elsewhere.
func Address(written string) string {
	switch {
	case written == "" || strings.Contains(written, "://"):
		return written
	case Loopback("http://" + written):
		return "http://" + written
	}
	return "https://" + written
}

// Loopback reports whether an address means this machine to whoever uses it.
func Loopback(address string) bool {
	at, err := url.Parse(address)
	return err == nil && own.Loopback(at.Hostname())
}

// Own reports whether the server is on this machine or in its network, as far
// as its name tells. Where it is not, others could read what is sent.
func (c Config) Own() bool {
	at, err := url.Parse(c.URL)
	return err == nil && own.Network(at.Hostname())
}

// Validate names every setting that cannot be used, in the order of the fields.
func (c Config) Validate() error {
	v := &validation{}
	v.address(c)
	v.topic("topic", c.Topic, true)
	v.problems = append(v.problems, c.Token.Wrong("token", "token", "NTFY_TOKEN", "subconscious/ntfy")...)
	v.problems = append(v.problems, c.Password.Wrong("password", "password", "NTFY_PASSWORD", "subconscious/ntfy")...)
	token, password := len(c.Token.Names()) > 0, len(c.Password.Names()) > 0
	switch {
	case c.Username != "" && token:
		v.wrong("username", "is set beside a token; keep one way to sign in")
	case c.Username != "" && !password:
		v.wrong("username", "has no password; set password_env, password_file, password_keyring or password_credential")
	case c.Username == "" && password:
		v.wrong("username", "is not set, and a password is; name the account that it is of")
	case len(c.Username) > 200 || strings.ContainsFunc(c.Username, func(r rune) bool { return r < ' ' || r == ':' || r == 0x7f }):
		v.wrong("username", "has a colon or a control character in it, or is over 200 bytes; write the name of the account")
	}
	v.topic("reply_topic", c.ReplyTopic, false)
	if c.ReplyTopic != "" && c.ReplyTopic == c.Topic {
		v.wrong("reply_topic", "is the topic that messages go to; give answers one of their own, or leave it out")
	}
	return errors.Join(v.problems...)
}

// validation gathers problems.
type validation struct{ problems []error }

func (v *validation) wrong(key, format string, args ...any) {
	v.problems = append(v.problems, fmt.Errorf("%s: "+format, append([]any{key}, args...)...))
}

// address refuses what is no server, and what would carry messages and keys
// over the internet in the clear.
func (v *validation) address(c Config) {
	at, err := url.Parse(c.URL)
	switch {
	case c.URL == "":
		v.wrong("url", "is not set; write the address of the server, such as https://ntfy.sh")
	case err != nil || at.Hostname() == "" || at.Scheme != "http" && at.Scheme != "https" || len(c.URL) > 500:
		v.wrong("url", "is not an address of http or https; write it as https://HOST, or as http://HOST on this machine and its network")
	case at.User != nil:
		v.wrong("url", "has a name or a password in it; use username and password_file, or token_file")
	case at.RawQuery != "" || at.Fragment != "" || at.ForceQuery:
		v.wrong("url", "has more behind its path; write it as https://HOST")
	case c.Topic != "" && strings.HasSuffix(strings.TrimRight(at.Path, "/"), "/"+c.Topic):
		v.wrong("url", "ends with the topic; write the address of the server alone, the topic is a key of its own")
	case at.Scheme == "http" && !own.Network(at.Hostname()):
		v.wrong("url", "sends messages in the clear to %s; use https", subconscious.Clip(at.Hostname(), 80))
	}
}

// topicPattern is what servers take as a topic.
var topicPattern = lazy.Regexp(`^[-_A-Za-z0-9]{1,64}$`)

// reserved are names that servers keep for pages of their own.
var reserved = []string{"docs", "static", "file", "app", "metrics", "account", "settings", "signup", "login", "v1"}

func (v *validation) topic(key, topic string, needed bool) {
	switch {
	case topic == "" && needed:
		v.wrong(key, "is not set; choose one that nobody guesses, subconsciousctl init makes one")
	case topic != "" && !topicPattern().MatchString(topic):
		v.wrong(key, "%q is no topic; use 1 to 64 letters, digits, _ and -", subconscious.Clip(topic, 80))
	case slices.Contains(reserved, topic):
		v.wrong(key, "%q is a page of the server; choose another", topic)
	}
}
