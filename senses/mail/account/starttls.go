package account

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
)

// startTLS asks for TLS and reads up to where it begins. The library is not used
// for this: it would keep what came unprotected, capabilities among them, for
// what the server said afterwards.
func startTLS(ctx context.Context, conn net.Conn, o *Options) error {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	r := bufio.NewReaderSize(io.LimitReader(conn, slack), 4096)
	err := askTLS(conn, r)
	if err == nil && r.Buffered() > 0 {
		err = fmt.Errorf("%w: it went on without protection after it had agreed to STARTTLS; somebody may be meddling with the connection", ErrSecure)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.address(), dialError(ctx, err))
	}
	return nil
}

func askTLS(conn net.Conn, r *bufio.Reader) error {
	greeting, err := plainLine(r)
	if err != nil {
		return err
	}
	switch kind, rest := cutWord(strings.TrimPrefix(greeting, "* ")); {
	case kind == "BYE":
		return fmt.Errorf("%w: it said %q; try again later", ErrBusy, words(rest))
	case kind != "OK":
		return fmt.Errorf("%w: it does not begin as a server that wants a sign-in does; is this the right port?", ErrSecure)
	}
	if _, err := io.WriteString(conn, "S1 STARTTLS\r\n"); err != nil {
		return err
	}
	for {
		line, err := plainLine(r)
		if err != nil {
			return err
		}
		answer, ok := strings.CutPrefix(line, "S1 ")
		if !ok {
			continue
		}
		if kind, rest := cutWord(answer); kind != "OK" {
			return fmt.Errorf("%w: it refuses STARTTLS (%q); use security tls, mostly on port 993", ErrSecure, words(rest))
		}
		return nil
	}
}

func cutWord(line string) (string, string) {
	word, rest, _ := strings.Cut(line, " ")
	return strings.ToUpper(word), rest
}

// plainLine reads one line.
func plainLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", fmt.Errorf("%w: a line of more than 4 KiB", ErrBounds)
	case errors.Is(err, io.EOF):
		return "", fmt.Errorf("%w before TLS began", ErrLost)
	case err != nil:
		return "", err
	}
	return strings.TrimRight(string(line), "\r\n"), nil
}
