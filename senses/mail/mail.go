package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses"
)

// Name of the sense.
const Name = "mail"

var (
	_ senses.Sense   = (*Sense)(nil)
	_ senses.Hinter  = (*Sense)(nil)
	_ senses.Stopper = (*Sense)(nil)
)

// Options are what a Sense needs beside its configuration.
type Options struct {
	// Rows reads back what was committed. It may be nil in a look that is not
	// committed; then every look is the first.
	Rows senses.RowReader
	// Logger may be nil.
	Logger *slog.Logger
	// Zone is the mind's time zone, asked for each tick; nil means the
	// machine's.
	Zone func() *time.Location
	// Password returns the password, each time it is needed. It is not asked
	// where the configuration has an OAuth.
	Password func(ctx context.Context) (secret.Value, error)
	// Token returns an access token that is valid now.
	Token func(ctx context.Context) (secret.Value, error)
	// Dial opens connections; nil means net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

func (o Options) validate(config Config) error {
	switch {
	case config.OAuth != nil && o.Token == nil:
		return errors.New("an account with oauth needs a function that returns its token")
	case config.OAuth == nil && o.Password == nil:
		return errors.New("an account without oauth needs a function that returns its password")
	}
	return nil
}

// Sense looks at one mail account.
type Sense struct {
	config  Config
	options Options
}

// New returns the sense of one account. It signs in at the first look.
func New(config Config, options Options) (*Sense, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("mail: %w", err)
	}
	if err := options.validate(config); err != nil {
		return nil, fmt.Errorf("mail %s: %w", config.ID, err)
	}
	return &Sense{config: config, options: options}, nil
}

// Name returns "mail".
func (s *Sense) Name() string { return Name }

// ID returns the configured instance.
func (s *Sense) ID() string { return s.config.ID }

// Collect looks at what arrived since the cursor, at what was sent, and at
// what stands.
func (s *Sense) Collect(ctx context.Context, at time.Time, cursor []byte) (senses.Batch, error) {
	return senses.Batch{}, errors.New("mail: not connected")
}

// Hints is readable when the server says that something arrived; nil where
// IDLE is left alone.
func (s *Sense) Hints() <-chan struct{} { return nil }

// Stop ends the connection and the waiting for news.
func (s *Sense) Stop(context.Context) error { return nil }
