package notify

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/wake"
	"github.com/subconsciousd/subconsciousd/store"
)

// Options say what an Outbox works with.
type Options struct {
	// DB was opened with Migrations.
	DB *store.DB
	// Channels may be empty: then nothing is posted anywhere. Ids are unique.
	Channels []Channel
	// Now is the mind's clock; nil is time.Now.
	Now func() time.Time
	// Logger gets what goes wrong; nil is none.
	Logger *slog.Logger
	// Answered is told what the person answered, in the transaction that uses
	// up the token; with an error the token can be used again, but for one that
	// wraps ErrToken, which refuses the answer. It must not call Write or Read
	// of the database. It is not called for the answers to a test message. Nil:
	// answers are refused, and no channel gets buttons.
	Answered func(ctx context.Context, tx *store.Tx, reply Reply) error
	// Taken, if set, is called when an answer has been committed.
	Taken func()
	// Redact takes secrets out of a message before it is stored; nil is none.
	Redact func(string) string
	// Deadline bounds one attempt to send; 0 is 15 s.
	Deadline time.Duration
	// Lateness is how long a service may take, after the sending of a message
	// broke off, until it is able to say that it has it; 0 is 10 s. One that
	// takes longer may show the message twice.
	Lateness time.Duration
	// Jitter returns a random part of up to the duration it is given, which is
	// added to a wait; nil is an even one.
	Jitter func(time.Duration) time.Duration
}

func (o Options) validate() error {
	if o.DB == nil {
		return errors.New("there is no database")
	}
	if o.Deadline < 0 || o.Lateness < 0 {
		return fmt.Errorf("the deadline is %s, the lateness %s", o.Deadline, o.Lateness)
	}
	known := map[string]bool{}
	for _, c := range o.Channels {
		switch {
		case c.ID == "" || len(c.ID) > maxChannelID:
			return fmt.Errorf("channel %q: an id has 1 to %d bytes", c.ID, maxChannelID)
		case known[c.ID]:
			return fmt.Errorf("channel %q is there twice", c.ID)
		case c.Notifier == nil:
			return fmt.Errorf("channel %q has nothing to send with", c.ID)
		case c.Content != ContentFull && c.Content != ContentTitle && c.Content != ContentNone:
			return fmt.Errorf("channel %q: content %q is none of full, title, none", c.ID, c.Content)
		}
		known[c.ID] = true
	}
	return nil
}

// Outbox delivers messages that were posted in a transaction, over each channel
// by itself, and takes the answers that come back. It is the only one that
// writes its tables, and is safe for concurrent use.
//
// A message whose sending was interrupted, by a crash or by the network, may
// have arrived. Where its channel is a Verifier it is asked, and what did not
// arrive is sent again. Where nobody can tell, an urgent one is sent once more,
// marked as possibly repeated; another one is left at that.
type Outbox struct {
	Options
	key     []byte
	workers []*worker

	mu      sync.Mutex
	started bool
	ended   bool
	cancel  context.CancelFunc // of what runs
	hurry   context.CancelFunc // of messages that are being sent
	group   sync.WaitGroup
	spent   spent // tokens that were used up
}

// NewOutbox returns the outbox kept in the database. It delivers nothing
// before Start.
func NewOutbox(ctx context.Context, options Options) (*Outbox, error) {
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("notify: outbox: %w", err)
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Redact == nil {
		options.Redact = func(text string) string { return text }
	}
	if options.Jitter == nil {
		options.Jitter = jitter
	}
	options.Logger = cmp.Or(options.Logger, slog.New(slog.DiscardHandler))
	options.Deadline, options.Lateness = cmp.Or(options.Deadline, deadline), cmp.Or(options.Lateness, lateness)
	o := &Outbox{Options: options}
	if err := o.DB.Write(ctx, func(tx *store.Tx) (err error) {
		o.key, err = signingKey(ctx, tx)
		return err
	}); err != nil {
		return nil, fmt.Errorf("notify: outbox: %w", err)
	}
	for _, channel := range o.Channels {
		o.workers = append(o.workers, &worker{o: o, channel: channel, bell: wake.New()})
	}
	return o, nil
}

// signingKey reads the key that answers are signed with, or makes it.
func signingKey(ctx context.Context, tx *store.Tx) (key []byte, err error) {
	fresh := make([]byte, keySize)
	if _, err := rand.Read(fresh); err != nil {
		return nil, err
	}
	if err := tx.Exec(ctx, "INSERT INTO notify_key (one, key) VALUES (1, ?) ON CONFLICT DO NOTHING", fresh); err != nil {
		return nil, err
	}
	key, _, err = store.One(ctx, tx, store.Value[[]byte], "SELECT key FROM notify_key")
	if err == nil && len(key) != keySize {
		return nil, fmt.Errorf("the signing key has %d bytes and not %d; restore a backup of the database", len(key), keySize)
	}
	return key, err
}

// Start begins to deliver, what an earlier process left first, and to listen
// for answers, until Stop. The context bounds the start alone. An outbox is
// started once; nothing else may deliver from the same database.
func (o *Outbox) Start(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.started || o.ended {
		return errors.New("notify: start: the outbox was started or stopped before")
	}
	if err := o.recover(ctx); err != nil {
		return fmt.Errorf("notify: start: %w", err)
	}
	o.started = true
	running, cancel := context.WithCancel(context.Background())
	sending, hurry := context.WithCancel(context.Background())
	o.cancel, o.hurry = cancel, hurry
	for _, w := range o.workers {
		o.group.Go(func() { w.run(running, sending) })
		if listener, ok := w.channel.Notifier.(Listener); ok && o.takesAnswers(w.channel) {
			o.group.Go(func() { w.listen(running, listener) })
		}
	}
	o.group.Go(func() { o.sweeps(running) })
	return nil
}

// takesAnswers: its messages have buttons.
func (o *Outbox) takesAnswers(c Channel) bool { return c.Buttons && o.Answered != nil }

// Stop begins no more deliveries and waits for those that run. When ctx ends
// they are broken off; what is not known to have arrived then is unknown. It
// may be called more than once.
func (o *Outbox) Stop(ctx context.Context) error {
	o.mu.Lock()
	o.ended = true
	started, cancel, hurry := o.started, o.cancel, o.hurry
	o.mu.Unlock()
	if !started {
		return nil
	}
	cancel()
	defer hurry()
	if wake.Joined(ctx, &o.group) {
		return nil
	}
	hurry()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	if wake.Joined(last, &o.group) {
		return nil
	}
	return fmt.Errorf("notify: stop: a channel does not let go: %w", ctx.Err())
}

// Wake lets the outbox look for what was posted. Call it after the transaction
// of Post.
func (o *Outbox) Wake() {
	for _, w := range o.workers {
		w.bell.Ring()
	}
}

// Idle waits until each channel has tried to send all that was due when Wake was
// called.
func (o *Outbox) Idle(ctx context.Context) error {
	for _, w := range o.workers {
		if err := w.bell.Idle(ctx); err != nil {
			return fmt.Errorf("notify: %s: %w", w.channel.ID, err)
		}
	}
	return nil
}
