package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/subconsciousd/subconsciousd/api"
)

// Unreachable says that no daemon answers.
type Unreachable struct {
	Socket string // the path that was tried
	Reason string // in plain words
	Next   string // what to do now
	Err    error
}

var _ error = (*Unreachable)(nil)

// Error says what was tried and why it failed.
func (u *Unreachable) Error() string {
	return fmt.Sprintf("no daemon answers at %s: %s", u.Socket, u.Reason)
}

// Unwrap returns the cause.
func (u *Unreachable) Unwrap() error { return u.Err }

// dialError marks a failure to connect, as against one in mid-answer.
type dialError struct{ err error }

func (d *dialError) Error() string { return d.err.Error() }
func (d *dialError) Unwrap() error { return d.err }

// failure tells what went wrong with a request that got no whole answer.
func (c *Client) failure(err error) error {
	var dial *dialError
	var foreign *api.Error
	switch {
	case errors.As(err, &foreign):
		return foreign
	case errors.As(err, &dial):
		return c.unreachable(dial.err)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("client: given up before the answer: %w", context.Canceled)
	case errors.Is(err, context.DeadlineExceeded):
		return &Unreachable{Socket: c.socket, Reason: "it took the question and did not answer in time",
			Next: "look at the daemon's log (subconsciousctl logs); restart it if it hangs", Err: err}
	}
	return &Unreachable{Socket: c.socket, Reason: "the connection broke off before the answer",
		Next: "the daemon may be stopping or have crashed: look at its log, then ask again", Err: err}
}

// unreachable tells why there was no connection.
func (c *Client) unreachable(err error) error {
	const start = "start it: subconsciousd; if it runs with another state folder, say so with --state-dir DIR"
	u := &Unreachable{Socket: c.socket, Err: err, Next: start}
	var known *api.Error
	switch {
	case errors.As(err, &known):
		u.Reason, u.Next = known.Text, known.Next
	case errors.Is(err, os.ErrNotExist):
		u.Reason = "there is no such socket, so the daemon is not running with this state folder"
	case errors.Is(err, os.ErrPermission):
		u.Reason = "this user may not open it"
		u.Next = "run the command as the user that the daemon runs as"
	case errors.Is(err, syscall.ENOTSOCK), !c.isSocket():
		u.Reason = "that is not a socket"
		u.Next = "check the state folder: --state-dir DIR"
	case errors.Is(err, syscall.ECONNREFUSED):
		u.Reason = "the socket is left over from a daemon that no longer runs"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, syscall.EAGAIN):
		u.Reason = "it does not take the connection"
		u.Next = "look at the daemon's log (subconsciousctl logs); restart it if it hangs"
	default:
		u.Reason = err.Error()
	}
	return u
}

// isSocket reports whether the path is a socket, as far as can be seen. Linux
// refuses a connection to a plain file as it does one to a dead socket.
func (c *Client) isSocket() bool {
	info, err := os.Stat(c.socket)
	return err != nil || info.Mode().Type() == os.ModeSocket
}
