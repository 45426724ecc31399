package heartbeat

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/own"
	"github.com/subconsciousd/subconsciousd/internal/secret"
)

// Config says who is told that the daemon lives; nobody where it is zero.
type Config struct {
	URL        Address `mapstructure:"url" about:"An address that is asked (GET) after each tick, https or on this machine http; empty: none. The service behind it tells you when it is asked no more."`
	Env        string  `mapstructure:"url_env" about:"In place of url, the variable that holds the address."`
	File       string  `mapstructure:"url_file" path:"secret" about:"In place of url, a file whose first line is the address, readable by you alone (0600)."`
	Keyring    string  `mapstructure:"url_keyring" about:"In place of url, the keyring's entry that holds the address: SERVICE/USER."`
	Credential string  `mapstructure:"url_credential" about:"In place of url, the systemd credential that holds the address: a file of $CREDENTIALS_DIRECTORY."`
}

// Address is an address whose path and query may be a secret.
type Address string

// Shown is as much of it as may be shown: its host.
func (a Address) Shown() string {
	at, err := url.Parse(string(a))
	switch {
	case a == "":
		return ""
	case err != nil || at.Host == "":
		return "[secret]"
	}
	return at.Scheme + "://" + at.Host + "/[secret]"
}

// parse reads an address. Its errors show nothing of it.
func (a Address) parse() (*url.URL, error) {
	at, err := url.Parse(string(a))
	switch {
	case err != nil || at.Hostname() == "" || at.Opaque != "":
		return nil, errors.New("is no address; write it as https://hc-ping.com/…")
	case at.User != nil:
		return nil, errors.New("has a user or a password in it, which is not sent; write it as https://hc-ping.com/…")
	case at.Scheme != "https" && !(at.Scheme == "http" && own.Loopback(at.Hostname())):
		return nil, fmt.Errorf("is %.20s://, where anybody on the way could read it; write https:// (http is for this machine alone)", at.Scheme)
	}
	at.Fragment = ""
	return at, nil
}

func (c Config) ref() secret.Ref {
	return secret.Ref{Env: c.Env, File: c.File, Keyring: c.Keyring, Credential: c.Credential}
}

// Validate returns what is wrong, each error beginning with the key.
func (c Config) Validate() error {
	wrong := c.ref().Wrong("url", "address", "HEARTBEAT_URL", "subconscious/heartbeat")
	if c.URL != "" {
		if _, err := c.URL.parse(); err != nil {
			wrong = append(wrong, fmt.Errorf("url: %w", err))
		}
		if c.ref() != (secret.Ref{}) {
			wrong = append(wrong, fmt.Errorf("url: the address is here and in the %s; keep one of them", c.ref()))
		}
	}
	return errors.Join(wrong...)
}

// Check is how a ping would begin: its host, or why none can be sent. It sends
// nothing. A Config that is zero has no host and nothing wrong.
func (c Config) Check(env func(string) (string, bool)) Status {
	_, status := c.resolve(env)
	return status
}

// resolve fetches the address; nil where there is none.
func (c Config) resolve(env func(string) (string, bool)) (*url.URL, Status) {
	address, setting := c.URL, "heartbeat.url"
	if ref := c.ref(); ref != (secret.Ref{}) {
		value, err := ref.Resolve(env)
		if err != nil {
			return nil, failed("", fmt.Errorf("the address cannot be had: %w", err))
		}
		address, setting = Address(value.Reveal()), "the address in the "+ref.String()
	}
	if address == "" {
		return nil, Status{}
	}
	at, err := address.parse()
	if err != nil {
		return nil, failed("", fmt.Errorf("%s %w", setting, err))
	}
	return at, Status{Host: at.Host}
}

// failed is a Status with an error whose next step stands behind its last
// semicolon.
func failed(host string, err error) Status {
	text := err.Error()
	i := strings.LastIndex(text, "; ")
	if i < 0 {
		return Status{Host: host, Error: text, Next: "correct heartbeat in the configuration"}
	}
	return Status{Host: host, Error: text[:i], Next: text[i+2:]}
}
