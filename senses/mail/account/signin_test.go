package account_test

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

func nothing(*account.Session) error { return nil }

// withToken are options of an account that signs in with text as its token.
func withToken(server *mailtest.Server, text, mechanism string) account.Options {
	o := options(server)
	o.Password, o.Mechanism = nil, mechanism
	o.Token = func(context.Context) (string, error) { return text, nil }
	return o
}

func TestSignsIn(t *testing.T) {
	cases := map[string]struct {
		mechanisms []string
		token      bool
		mechanism  string
		sent       string
	}{
		"plain":             {[]string{"PLAIN"}, false, "", "AUTHENTICATE PLAIN"},
		"login":             {[]string{"XOAUTH2"}, false, "", "LOGIN"},
		"either, standard":  {nil, true, "", "AUTHENTICATE OAUTHBEARER"},
		"either, as chosen": {nil, true, "XOAUTH2", "AUTHENTICATE XOAUTH2"},
		"only xoauth2":      {[]string{"XOAUTH2"}, true, "", "AUTHENTICATE XOAUTH2"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(o *mailtest.Options) { o.Mechanisms = c.mechanisms })
			o := options(server)
			if c.token {
				o = withToken(server, token, c.mechanism)
			}
			do(t, open(t, o), nothing)
			if all := strings.Join(server.Commands(), "\n"); !strings.Contains(all, c.sent) {
				t.Errorf("%s is not in:\n%s", c.sent, all)
			}
		})
	}
}

// TestTokenThatIsRefused: whoever gives tokens hears of the one that was not
// taken, and of no other.
func TestTokenThatIsRefused(t *testing.T) {
	for _, mechanism := range []string{"oauthbearer", "xoauth2"} {
		server := serve(t, nil)
		o := withToken(server, "", mechanism)
		given, refused := []string{"old-" + token, token}, []string(nil)
		o.Token = func(context.Context) (string, error) {
			next := given[0]
			given = given[1:]
			return next, nil
		}
		o.Refused = func(token string) { refused = append(refused, token) }
		a := open(t, o)
		says(t, a.Do(t.Context(), nothing), account.ErrSignIn)
		do(t, a, nothing)
		if len(refused) != 1 || refused[0] != "old-"+token {
			t.Errorf("%s: %q were refused", mechanism, refused)
		}
	}
	t.Run("unavailable", func(t *testing.T) {
		server := serve(t, nil)
		server.Refuse(mailtest.Unavailable, -1)
		o := withToken(server, token, "")
		o.Refused = func(string) { t.Error("a server that is busy has refused no token") }
		says(t, open(t, o).Do(t.Context(), nothing), account.ErrBusy)
	})
}

func TestRefusedSignIn(t *testing.T) {
	t.Run("password", func(t *testing.T) {
		server := serve(t, nil)
		o := options(server)
		o.Password = known("wrong-" + password)
		says(t, open(t, o).Do(t.Context(), nothing), account.ErrSignIn, "mail account home", "check the user and the password")
	})
	for _, mechanism := range []string{"oauthbearer", "xoauth2"} {
		t.Run(mechanism, func(t *testing.T) {
			server := serve(t, nil)
			o := withToken(server, "old-"+token, mechanism)
			says(t, open(t, o).Do(t.Context(), nothing), account.ErrSignIn, "subconsciousctl auth mail home")
		})
	}
	t.Run("no mechanism for tokens", func(t *testing.T) {
		server := serve(t, func(o *mailtest.Options) { o.Mechanisms = []string{"PLAIN"} })
		says(t, open(t, withToken(server, token, "")).Do(t.Context(), nothing), account.ErrSignIn, "takes no tokens")
	})
	t.Run("no password to be had", func(t *testing.T) {
		server := serve(t, nil)
		o := options(server)
		missing := errors.New("file /etc/x: there is no such file")
		o.Password = func(context.Context) (secret.Value, error) { return secret.Value{}, missing }
		says(t, open(t, o).Do(t.Context(), nothing), missing, "no such file")
	})
	t.Run("unavailable", func(t *testing.T) {
		server := serve(t, nil)
		server.Refuse(mailtest.Unavailable, -1)
		says(t, open(t, options(server)).Do(t.Context(), nothing), account.ErrBusy, "next tick")
	})
	t.Run("busy at the greeting", func(t *testing.T) {
		server := serve(t, nil)
		server.Refuse(mailtest.Busy, -1)
		says(t, open(t, options(server)).Do(t.Context(), nothing), account.ErrBusy)
	})
}

// overTLS are options of an account of a server on loopback.
func overTLS(t *testing.T, server *mailtest.Server, addr net.Addr, security account.Security, roots *x509.CertPool) account.Options {
	t.Helper()
	return account.Options{
		Name: "home", Host: "127.0.0.1", Port: addr.(*net.TCPAddr).Port, Security: security,
		User: ines, Password: known(password), RootCAs: roots,
	}
}

func authority(t *testing.T, at time.Time, names ...string) mailtest.Authority {
	t.Helper()
	a, err := mailtest.Certificate(at, names...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// secured is a server with a certificate.
func secured(t *testing.T, cert mailtest.Authority) *mailtest.Server {
	return serve(t, func(o *mailtest.Options) { o.TLS = cert.Config })
}

func listen(t *testing.T, f func() (net.Addr, error)) net.Addr {
	t.Helper()
	addr, err := f()
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

func TestProtects(t *testing.T) {
	cert := authority(t, time.Now())
	server := secured(t, cert)
	server.User(ines).Deliver("INBOX", message(1), arrival(1))
	for security, addr := range map[account.Security]net.Addr{
		account.TLS: listen(t, server.ListenTLS), account.StartTLS: listen(t, server.Listen),
	} {
		a := open(t, overTLS(t, server, addr, security, cert.Pool))
		do(t, a, func(s *account.Session) error {
			all, err := read(t.Context(), s)
			if len(all) != 1 {
				t.Errorf("%s: %d messages", security, len(all))
			}
			return err
		})
	}
}

func TestDistrusts(t *testing.T) {
	cert, other := authority(t, time.Now()), authority(t, time.Now())
	server := secured(t, cert)
	byTLS, plain := listen(t, server.ListenTLS), listen(t, server.Listen)
	for security, addr := range map[account.Security]net.Addr{account.TLS: byTLS, account.StartTLS: plain} {
		t.Run(string(security), func(t *testing.T) {
			o := overTLS(t, server, addr, security, other.Pool)
			says(t, open(t, o).Do(t.Context(), nothing), account.ErrSecure, "ca_file")
			o = overTLS(t, server, addr, security, cert.Pool)
			o.Now = func() time.Time { return time.Now().AddDate(40, 0, 0) }
			says(t, open(t, o).Do(t.Context(), nothing), account.ErrSecure, "clock right")
			o = overTLS(t, server, addr, security, cert.Pool)
			o.Host = "mail.example.com"
			o.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, network, addr.String())
			}
			says(t, open(t, o).Do(t.Context(), nothing), account.ErrSecure, "localhost", "not for mail.example.com")
		})
	}
	t.Run("TLS where there is none", func(t *testing.T) {
		says(t, open(t, overTLS(t, server, plain, account.TLS, cert.Pool)).Do(t.Context(), nothing), account.ErrSecure, "starttls")
	})
	t.Run("passwords in the clear", func(t *testing.T) {
		err := open(t, overTLS(t, server, plain, account.None, cert.Pool)).Do(t.Context(), nothing)
		says(t, err, account.ErrSignIn, "use security starttls")
	})
	t.Run("nobody there", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := l.Addr()
		_ = l.Close()
		says(t, open(t, overTLS(t, server, addr, account.TLS, nil)).Do(t.Context(), nothing), nil, "cannot be reached")
	})
	for _, line := range server.Commands() {
		if strings.Contains(line, "LOGIN") || strings.Contains(line, "AUTHENTICATE") {
			t.Errorf("it sent %q over a connection that cannot be trusted", line)
		}
	}
}

// elsewhere is a connection to another machine, as far as it knows.
type elsewhere struct {
	net.Conn
	wrote bool
}

func (e *elsewhere) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.ParseIP("192.0.2.7"), Port: 143}
}
func (e *elsewhere) Write(p []byte) (int, error) { e.wrote = true; return e.Conn.Write(p) }

func TestInTheClearOnThisMachineAlone(t *testing.T) {
	server := serve(t, nil)
	o := options(server)
	o.Host = "localhost" // which resolves to somewhere else
	var far *elsewhere
	o.Dial = func(context.Context, string, string) (net.Conn, error) {
		conn, err := server.Dial()
		far = &elsewhere{Conn: conn}
		return far, err
	}
	says(t, open(t, o).Do(t.Context(), nothing), account.ErrSecure, "192.0.2.7", "use tls or starttls")
	if far.wrote {
		t.Error("it sent something")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	good := account.Options{Host: "mail.example.com", User: ines, Password: known(password)}
	if _, err := account.New(good); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*account.Options){
		"no host":     func(o *account.Options) { o.Host = "" },
		"alone":       func(o *account.Options) { o.Host = "imaps://mail.example.com" },
		"port":        func(o *account.Options) { o.Port = 70000 },
		"security":    func(o *account.Options) { o.Security = "ssl" },
		"no user":     func(o *account.Options) { o.User = "" },
		"control":     func(o *account.Options) { o.User = "ines\r\nT9 DELETE INBOX" },
		"one way":     func(o *account.Options) { o.Password = nil },
		"mechanism":   func(o *account.Options) { o.Mechanism = "cram-md5" },
		"for tokens":  func(o *account.Options) { o.Mechanism = "xoauth2" },
		"cannot be n": func(o *account.Options) { o.Patience = -1 },
	} {
		o := good
		change(&o)
		if _, err := account.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestServersWithLess(t *testing.T) {
	server := serve(t, func(o *mailtest.Options) {
		o.Without = []imap.Cap{"CONDSTORE", "IDLE", "SPECIAL-USE", "ESEARCH", "MOVE", "UIDPLUS", "ENABLE"}
	})
	server.User(ines).Deliver("INBOX", message(1), arrival(1))
	o := options(server)
	o.Idle = true
	a := open(t, o)
	a.Hints()
	do(t, a, func(s *account.Session) error {
		all, err := read(t.Context(), s)
		if len(all) != 1 {
			t.Errorf("%d messages", len(all))
		}
		if folders, err := s.Folders(t.Context()); err != nil || len(folders) == 0 {
			t.Errorf("%d folders, %v", len(folders), err)
		}
		return err
	})
	for _, line := range server.Commands() {
		if strings.Contains(line, "IDLE") || strings.Contains(line, "CONDSTORE") {
			t.Errorf("it sent %q to a server that does not know it", line)
		}
	}
}
