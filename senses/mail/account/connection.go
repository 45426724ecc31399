package account

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

// connection is one that is signed in.
type connection struct {
	client *imapclient.Client
	guard  *guard
	caps   imap.CapSet
	hidden hidden // what is said about the connection has none of it
	opened Opened // Name is "" where none is
	// answered is whether the server has answered anything since Do took the
	// connection up; fresh, that it was made for this Do.
	answered, fresh bool
	// news is called when the server says unasked that something changed.
	news func()
	// strays counts texts that came before the UID of their message, which the
	// library cannot assign to a command.
	strays atomic.Int64
}

// answerError is a NO or BAD of the server.
type answerError struct {
	code imap.ResponseCode
	text string
}

func (e *answerError) Error() string {
	if e.text == "" {
		return "the server said no"
	}
	return fmt.Sprintf("the server said %q", e.text)
}

// connect dials and signs in.
func (a *Account) connect(ctx context.Context) (*connection, error) {
	conn, raw, err := a.dial(ctx)
	if err != nil {
		return nil, err
	}
	c := &connection{fresh: true, news: a.hint}
	c.guard = newGuard(conn, raw, a.options.Patience)
	c.guard.expect(allowance{}, a.options.Patience)
	defer c.guard.under(ctx)()
	c.client = c.guard.client(&imapclient.Options{UnilateralDataHandler: c.listener()})
	if err := a.begin(ctx, c); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// begin reads the greeting and signs in.
func (a *Account) begin(ctx context.Context, c *connection) error {
	if err := a.greet(c); err != nil {
		return err
	}
	if c.client.State() == imap.ConnStateNotAuthenticated {
		if err := a.signIn(ctx, c); err != nil {
			return err
		}
	}
	return c.learn(ctx)
}

func (a *Account) greet(c *connection) error {
	err := c.client.WaitGreeting()
	var answer *imap.Error
	switch {
	case err == nil:
	case errors.As(err, &answer):
		return fmt.Errorf("%w: it said %q; it is tried again at the next tick", ErrBusy, words(answer.Text))
	case c.guard.goodbye() != "": // the library noticed the end first
		return fmt.Errorf("%w: it said %q; it is tried again at the next tick", ErrBusy, words(c.guard.goodbye()))
	default:
		return c.explain(err)
	}
	c.caps = c.client.Caps()
	if c.caps == nil {
		return c.explain(fmt.Errorf("%w: it does not say what it can do", ErrBounds))
	}
	return nil
}

// learn asks what the server can do, which may be more behind the sign-in. The
// library asks by itself, but only after it has said that the sign-in is done: a
// NOOP waits until it has begun to, or its question could stay behind an IDLE.
func (c *connection) learn(ctx context.Context) error {
	return c.command(ctx, allowance{}, func() error {
		if err := c.client.Noop().Wait(); err != nil {
			return err
		}
		if c.caps = c.client.Caps(); c.caps == nil {
			return fmt.Errorf("%w: it does not say what it can do", ErrBounds)
		}
		return nil
	})
}

// listener hears what the server says unasked.
func (c *connection) listener() *imapclient.UnilateralDataHandler {
	return &imapclient.UnilateralDataHandler{
		Mailbox: func(d *imapclient.UnilateralDataMailbox) {
			if d.NumMessages != nil {
				c.news()
			}
		},
		Expunge: func(uint32) { c.news() },
		Fetch: func(m *imapclient.FetchMessageData) {
			for item := m.Next(); item != nil; item = m.Next() {
				switch item.(type) {
				case imapclient.FetchItemDataBodySection:
					c.strays.Add(1)
				case imapclient.FetchItemDataFlags:
					c.news()
				}
			}
		},
	}
}

// alive says whether the connection has not been seen to end.
func (c *connection) alive() bool {
	select {
	case <-c.client.Closed():
		return false
	default:
		return c.guard.reason() == nil
	}
}

// patienceFor is how long the first answer may take on a connection that lay
// idle: one that broke unseen is better replaced soon.
func (c *connection) patienceFor() time.Duration {
	if !c.fresh && !c.answered {
		return c.guard.patience / 2
	}
	return c.guard.patience
}

// command runs one command of the library under an allowance for its answer.
func (c *connection) command(ctx context.Context, a allowance, run func() error) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	stop := c.guard.under(ctx)
	c.guard.expect(a, c.patienceFor())
	err := run()
	c.guard.rest()
	stop()
	if err == nil {
		c.answered = true
		return nil
	}
	err = c.explain(err)
	var answer *answerError
	if errors.As(err, &answer) {
		c.answered = true
	}
	return err
}

// explain says what an error of the library means. Of a connection that ended,
// the reason is the guard's; the library's words may repeat what the server sent.
func (c *connection) explain(err error) error {
	reason := c.guard.reason()
	var answer *imap.Error
	switch {
	case errors.As(err, &answer):
		return &answerError{code: answer.Code, text: words(c.hidden.clean(answer.Text))}
	case reason != nil && !errors.Is(reason, ErrLost):
		return reason
	case errors.Is(err, ErrBounds):
		return err
	case lost(err):
		if said := words(c.hidden.clean(c.guard.goodbye())); said != "" {
			return fmt.Errorf("%w: the server said %q", ErrLost, said)
		}
		return fmt.Errorf("%w: the server closed it", ErrLost)
	}
	return fmt.Errorf("%w, which cannot be understood: %s", ErrBounds, words(c.hidden.clean(err.Error())))
}

// connectionWords are those in which the library and the system speak of a
// connection that ended.
var connectionWords = regexp.MustCompile(`EOF|use of closed|closed pipe|connection reset|broken pipe|connection closed before`)

// lost says whether an error of the library is the end of the connection. Its
// own errors wrap nothing, so that their words have to do.
func lost(err error) bool {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, io.ErrClosedPipe) || errors.Is(err, ErrLost) {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return connectionWords.MatchString(err.Error())
}

// close ends the connection at once and waits for the library to notice.
func (c *connection) close() {
	c.guard.fail(ErrLost)
	_ = c.client.Close() // why it ended is known
}
