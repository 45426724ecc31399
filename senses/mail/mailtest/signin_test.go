package mailtest_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// TestSignIn signs in by each mechanism, and is refused by each.
func TestSignIn(t *testing.T) {
	s := serve(t, mailtest.Options{})
	for _, right := range []bool{true, false} {
		secret, proof := password, token
		if !right {
			secret, proof = "another", "another"
		}
		for name, try := range map[string]func(*imapclient.Client) error{
			"LOGIN": func(c *imapclient.Client) error { return c.Login(ines, secret).Wait() },
			"PLAIN": func(c *imapclient.Client) error { return c.Authenticate(sasl.NewPlainClient("", ines, secret)) },
			"OAUTHBEARER": func(c *imapclient.Client) error {
				return c.Authenticate(sasl.NewOAuthBearerClient(&sasl.OAuthBearerOptions{Username: ines, Token: proof, Host: "mail.example.com", Port: 993}))
			},
			"XOAUTH2": func(c *imapclient.Client) error { return c.Authenticate(xoauth2(proof)) },
		} {
			c := connect(t, s, nil)
			err := try(c)
			if right != (err == nil) {
				t.Errorf("%s, right %v: %v", name, right, err)
			}
			var no *imap.Error
			if !right && (!errors.As(err, &no) || no.Code != imap.ResponseCodeAuthenticationFailed) && name != "OAUTHBEARER" {
				t.Errorf("%s refuses with %v", name, err)
			}
		}
	}
	for _, line := range s.Commands() {
		if strings.Contains(line, password) || strings.Contains(line, "dXNlcj1") {
			t.Errorf("the log of commands has %q", line)
		}
	}
}

type xoauth2 string

func (x xoauth2) Start() (string, []byte, error) {
	return "XOAUTH2", fmt.Appendf(nil, "user=%s\x01auth=Bearer %s\x01\x01", ines, string(x)), nil
}
func (x xoauth2) Next([]byte) ([]byte, error) { return []byte{}, nil }

func TestTLS(t *testing.T) {
	authority, err := mailtest.Certificate(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, mailtest.Options{TLS: authority.Config})
	s.User(ines).Deliver("INBOX", numbered(1), morning)
	config := &tls.Config{RootCAs: authority.Pool, ServerName: "localhost"}
	plain, err := s.Listen()
	if err != nil {
		t.Fatal(err)
	}
	secure, err := s.ListenTLS()
	if err != nil {
		t.Fatal(err)
	}
	c, err := imapclient.DialInsecure(plain.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if caps := c.Caps(); !caps.Has(imap.CapStartTLS) || !caps.Has(imap.CapLoginDisabled) {
		t.Errorf("in the clear there are %v", caps)
	}
	if err := c.Login(ines, password).Wait(); err == nil {
		t.Error("somebody signed in in the clear")
	}
	_ = c.Close()
	for name, dial := range map[string]func() (*imapclient.Client, error){
		"STARTTLS": func() (*imapclient.Client, error) {
			return imapclient.DialStartTLS(plain.String(), &imapclient.Options{TLSConfig: config})
		},
		"TLS": func() (*imapclient.Client, error) {
			return imapclient.DialTLS(secure.String(), &imapclient.Options{TLSConfig: config})
		},
	} {
		c, err := dial()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := c.Login(ines, password).Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if data := open(t, c, "INBOX", &imap.SelectOptions{ReadOnly: true, CondStore: true}); data.HighestModSeq == 0 {
			t.Errorf("%s: no mod-sequence", name)
		}
		if c.Caps().Has(imap.CapStartTLS) {
			t.Errorf("%s is offered STARTTLS again", name)
		}
		_ = c.Close()
	}
	if _, err := imapclient.DialTLS(secure.String(), nil); err == nil {
		t.Error("a certificate that nobody vouches for is taken")
	}
}
