// Package account is one mail account over IMAP: it signs in, opens folders,
// reads messages and waits for news. It changes nothing on the server, and
// whatever the server sends is bounded in bytes, nesting and time.
//
// It stores nothing. senses/mail calls it; setup's doctor and init to see
// whether an account can be signed in to.
package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/emersion/go-imap/v2"
)

// What can be wrong with an account, for errors.Is. The text of an error says
// what happened, where, and what to do.
var (
	// ErrSignIn says that the server refused the password or the token, or that
	// there is no way of signing in which both sides know.
	ErrSignIn = errors.New("signing in was refused")
	// ErrSecure says that the connection cannot be protected as it has to be: a
	// certificate that is not trusted, or no STARTTLS.
	ErrSecure = errors.New("the connection cannot be protected")
	// ErrFolder says that there is no such folder.
	ErrFolder = errors.New("there is no such folder")
	// ErrBusy says that the server has no room now: too many connections, or it
	// is down for a while.
	ErrBusy = errors.New("the server has no room now")
	// ErrBounds says that the server sent more than was asked for, or what no
	// server sends.
	ErrBounds = errors.New("the server sent what it should not")
	// ErrSilent says that the server did not answer in time.
	ErrSilent = errors.New("the server does not answer")
	// ErrLost says that the connection ended.
	ErrLost = errors.New("the connection ended")
	// ErrStopped says that the account was stopped.
	ErrStopped = errors.New("the account was stopped")
)

// Security is how the connection is protected.
type Security string

const (
	TLS      Security = "tls"
	StartTLS Security = "starttls"
	None     Security = "none" // on loopback alone
)

// Folder is one folder of the account.
type Folder struct {
	Name  string
	Attrs []imap.MailboxAttr
	// Broken: its name cannot be read, so that it cannot be opened by it.
	Broken bool
}

// Opened is a folder as EXAMINE found it.
type Opened struct {
	Name        string
	UIDValidity uint32
	UIDNext     imap.UID // 0 where the server does not say
	Messages    uint32
	// ModSeq is HIGHESTMODSEQ, 0 where the server has no CONDSTORE.
	ModSeq uint64
}

// Flags are those of a message that mean something here.
type Flags struct {
	Seen, Answered, Deleted, Draft, Junk bool
}

// Raw is a message as it was read.
type Raw struct {
	UID      imap.UID
	Flags    Flags
	Received time.Time // INTERNALDATE
	Size     int64     // of the whole
	// Body is the beginning of the whole message, or of its header.
	Body []byte
}

// patience is how long the server may say nothing where it has to answer.
const patience = 20 * time.Second

// Account is one account, with one connection at most, which is kept from one Do
// to the next. It may be used by many at once; they wait for each other.
type Account struct {
	options Options
	hints   chan struct{}
	// turn is held by whoever uses what follows it.
	turn chan struct{}
	conn *connection // nil while there is none
	// seen is IdleFolder as the last Do found it.
	seen Opened
	// undated is set once the server has sent a date that the library cannot
	// read: dates are not asked for from then on.
	undated bool
	// barred is set while the last sign-in was refused.
	barred bool

	idler idler
	// life ends with Stop.
	life context.Context
	end  context.CancelCauseFunc
}

// New makes an account. It connects to nothing.
func New(options Options) (*Account, error) {
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("mail account: %w", err)
	}
	a := &Account{options: options, hints: make(chan struct{}, 1), turn: make(chan struct{}, 1),
		idler: idler{done: make(chan struct{}), wanted: make(chan struct{}, 1), freed: make(chan struct{}, 1)}}
	a.life, a.end = context.WithCancelCause(context.Background())
	return a, nil
}

// Do runs f with a session that is signed in, and waits for whoever else does.
// A connection that has ended since the last time is replaced; if that shows
// only at its first answer, f is run a second time from its beginning. The end of
// ctx closes the connection at once. f must not call Do.
func (a *Account) Do(ctx context.Context, f func(*Session) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(a.life, func() { cancel(ErrStopped) })()
	a.idler.interrupt()
	defer a.idler.resume()
	if err := a.take(ctx); err != nil {
		return a.named(err)
	}
	defer a.release()
	reused := a.conn != nil && a.conn.alive()
	answered, err := a.run(ctx, f)
	if reused && !answered && broken(err) && ctx.Err() == nil {
		_, err = a.run(ctx, f)
	}
	return err
}

// broken says whether err is that of a connection that ended by itself.
func broken(err error) bool { return errors.Is(err, ErrLost) || errors.Is(err, ErrSilent) }

// run runs f once. It returns whether the server answered anything.
func (a *Account) run(ctx context.Context, f func(*Session) error) (bool, error) {
	if err := a.connected(ctx); err != nil {
		return false, a.named(err)
	}
	conn := a.conn
	defer conn.guard.under(ctx)()
	s := &Session{account: a, conn: conn}
	defer func() { s.conn = nil }()
	err := f(s)
	return conn.answered, err
}

// connected sees to it that there is a connection.
func (a *Account) connected(ctx context.Context) error {
	if a.conn != nil && a.conn.alive() {
		a.conn.fresh, a.conn.answered = false, false
		return nil
	}
	a.drop()
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if a.life.Err() != nil { // ctx may not have heard of it yet
		return ErrStopped
	}
	conn, err := a.connect(ctx)
	a.barred = errors.Is(err, ErrSignIn) || errors.Is(err, ErrSecure)
	if err != nil {
		return err
	}
	a.conn = conn
	return nil
}

// drop ends the connection, if there is one.
func (a *Account) drop() {
	if a.conn != nil {
		a.conn.close()
		a.conn = nil
	}
}

// take waits for the turn.
func (a *Account) take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	select {
	case a.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// release gives the turn back, without a connection that has ended.
func (a *Account) release() {
	if a.conn != nil && !a.conn.alive() {
		a.drop()
	}
	<-a.turn
}

// named says which account an error is of.
func (a *Account) named(err error) error {
	return fmt.Errorf("mail account %s: %w", a.options.Name, err)
}

// Hints receives when something in IdleFolder may have changed, once for any
// number of changes, if Options.Idle is set and the server has IDLE. From its
// first call on a connection is kept waiting between calls of Do, and made again
// when it breaks, which may take minutes. It is never closed.
func (a *Account) Hints() <-chan struct{} {
	if a.options.Idle && a.life.Err() == nil {
		a.idler.start(a)
	}
	return a.hints
}

// hint says that something may have changed.
func (a *Account) hint() { tell(a.hints) }

// goodbye is how long Stop waits for the server to take leave.
const goodbye = 2 * time.Second

// Stop signs out, closes the connection, and waits for all that was started,
// no longer than ctx. Do returns ErrStopped from then on.
func (a *Account) Stop(ctx context.Context) error {
	a.end(ErrStopped)
	if err := a.idler.wait(ctx); err != nil {
		return a.named(fmt.Errorf("stopping: %w", err))
	}
	if err := a.take(ctx); err != nil {
		return a.named(fmt.Errorf("stopping: %w", err))
	}
	defer a.release()
	if a.conn != nil && a.conn.alive() {
		ctx, cancel := context.WithTimeout(ctx, goodbye)
		defer cancel()
		_ = a.conn.command(ctx, allowance{}, func() error { return a.conn.client.Logout().Wait() }) // it is closed either way
	}
	a.drop()
	return nil
}
