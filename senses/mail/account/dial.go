package account

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// dial connects and protects the connection. The second of what it returns is
// what to close to end it at once.
func (a *Account) dial(ctx context.Context) (net.Conn, io.Closer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, a.options.Patience,
		fmt.Errorf("%w: no connection within %s", ErrSilent, a.options.Patience))
	defer cancel()
	raw, err := a.options.Dial(ctx, "tcp", a.options.address())
	if err != nil {
		return nil, nil, fmt.Errorf("%s cannot be reached; is the name right, and this machine online? %w", a.options.address(), dialError(ctx, err))
	}
	conn, err := a.protect(ctx, raw)
	if err != nil {
		_ = raw.Close() // the first error is the one that counts
		return nil, nil, err
	}
	return conn, raw, nil
}

// dialError is the reason of ctx where that is what ended a connection.
func dialError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (a *Account) protect(ctx context.Context, raw net.Conn) (net.Conn, error) {
	o := &a.options
	switch o.Security {
	case None:
		if !here(raw.RemoteAddr()) {
			return nil, fmt.Errorf("%w: %s is not of this machine, and security is none; use tls or starttls",
				ErrSecure, raw.RemoteAddr())
		}
		return raw, nil
	case StartTLS:
		if err := startTLS(ctx, raw, o); err != nil {
			return nil, err
		}
		conn, err := handshake(ctx, raw, o)
		if err != nil {
			return nil, err
		}
		return &greeted{Conn: conn, greeting: strings.NewReader("* OK ready\r\n")}, nil
	default:
		return handshake(ctx, raw, o)
	}
}

// here says whether an address is of this machine.
func here(addr net.Addr) bool {
	switch addr := addr.(type) {
	case *net.TCPAddr:
		return addr.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return addr != nil && addr.Network() == "pipe"
}

func handshake(ctx context.Context, raw net.Conn, o *Options) (net.Conn, error) {
	conn := tls.Client(raw, &tls.Config{
		ServerName: strings.Trim(o.Host, "[]"),
		RootCAs:    o.RootCAs,
		MinVersion: tls.VersionTLS12,
		Time:       o.Now,
	})
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, tlsError(dialError(ctx, err), o)
	}
	return conn, nil
}

// tlsError says in plain words why TLS failed, and what to do.
func tlsError(err error, o *Options) error {
	say := func(format string, args ...any) error {
		return fmt.Errorf("%s: %w: "+format, append([]any{o.address(), ErrSecure}, args...)...)
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return say("its certificate is valid from %s to %s; is this machine's clock right? If so, its operator has to renew it",
			day(invalid.Cert.NotBefore), day(invalid.Cert.NotAfter))
	}
	if name, ok := errors.AsType[x509.HostnameError](err); ok {
		return say("its certificate is for %s, not for %s; write the name that it is for as host", words(certNames(name.Certificate)), o.Host)
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return say("its certificate is signed by nobody who is trusted here; put the certificate of who signed it in a file, and name that as ca_file")
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		if o.Security == StartTLS {
			return say("what it sent after STARTTLS is not TLS; somebody may be meddling with the connection")
		}
		return say("it does not speak TLS on that port; use port 993, or security starttls")
	}
	return fmt.Errorf("%s: %w: %w", o.address(), ErrSecure, err)
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func certNames(c *x509.Certificate) string {
	names := append([]string(nil), c.DNSNames...)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		return "no name at all"
	}
	return strings.Join(names, ", ")
}

// greeted is a connection that begins with a greeting of our own: the server
// gave its own before TLS, where it counts for nothing.
type greeted struct {
	net.Conn
	greeting *strings.Reader
}

func (g *greeted) Read(p []byte) (int, error) {
	if g.greeting.Len() > 0 {
		return g.greeting.Read(p)
	}
	return g.Conn.Read(p)
}
