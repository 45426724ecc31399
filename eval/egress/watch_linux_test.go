package egress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain is also the process inside, which Enter starts.
func TestMain(m *testing.M) {
	if Inside() {
		if err := play(os.Args[1], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// play does what a test wants of the process inside.
func play(what string, out io.Writer) error {
	ctx := context.Background()
	w, err := Open(ctx)
	if err != nil {
		return err
	}
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer server.Close()
	if what != "strange-port" {
		w.Allow(uint16(server.Addr().(*net.TCPAddr).Port))
	}
	try := func(network, to string) {
		dialer := net.Dialer{Timeout: 500 * time.Millisecond}
		if conn, err := dialer.Dial(network, to); err == nil {
			_, _ = conn.Write([]byte("secret"))
			conn.Close()
		}
	}
	switch what {
	case "quiet", "strange-port":
		try("tcp", server.Addr().String())
	case "tcp":
		try("tcp", "203.0.113.7:443")
	case "udp6":
		try("udp", "[2001:db8:7::7]:53")
	case "name":
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		_, _ = net.DefaultResolver.LookupHost(ctx, "attacker.example")
	}
	seen, err := w.Close(ctx)
	fmt.Fprintln(out, seen.Bytes > 0, seen)
	return err
}

func TestWatch(t *testing.T) {
	for _, c := range []struct {
		what string
		sent bool
		to   string
	}{
		{"quiet", false, "nowhere"},
		{"strange-port", true, "tcp 127.0.0.1:"},
		{"tcp", true, "tcp 203.0.113.7:443"},
		{"udp6", true, "udp [2001:db8:7::7]:53"},
		{"name", true, ":53"},
	} {
		t.Run(c.what, func(t *testing.T) {
			if c.what == "udp6" && !hasIPv6() {
				t.Skip("the system does not speak it")
			}
			var out, problems bytes.Buffer
			code, err := Enter(t.Context(), []string{c.what}, &out, &problems)
			if errors.Is(err, ErrUnsupported) {
				t.Skip(err)
			}
			if err != nil || code != 0 {
				t.Fatalf("code %d, %v\n%s", code, err, &problems)
			}
			if got := out.String(); !bytes.HasPrefix(out.Bytes(), fmt.Append(nil, c.sent)) || !bytes.Contains(out.Bytes(), []byte(c.to)) {
				t.Errorf("it saw %s", got)
			}
		})
	}
}

func TestNotInside(t *testing.T) {
	if _, err := Open(t.Context()); !errors.Is(err, ErrUnsupported) {
		t.Errorf("outside of a network of its own it says %v", err)
	}
}
