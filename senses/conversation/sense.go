package conversation

import (
	"context"
	"log/slog"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
)

// Sense looks at one folder of transcripts.
type Sense struct {
	config  Config
	options Options
}

var (
	_ senses.Sense   = (*Sense)(nil)
	_ senses.Stopper = (*Sense)(nil)
)

// New returns the sense of one folder of transcripts. The folder need not exist.
func New(config Config, options Options) (*Sense, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	return &Sense{config: config, options: options}, nil
}

// Name returns "conversation".
func (s *Sense) Name() string { return Name }

// ID returns the configured instance.
func (s *Sense) ID() string { return s.config.ID }

// Stop gives the watches back.
func (s *Sense) Stop(context.Context) error { return nil }

// Collect looks at the transcripts that were touched, or at all of them.
func (s *Sense) Collect(context.Context, time.Time, []byte) (senses.Batch, error) {
	return senses.Batch{}, nil
}
