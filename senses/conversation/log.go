package conversation

import (
	"context"
	"log/slog"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
)

// LogSense looks at the mind's own log of conversations.
type LogSense struct {
	log     Log
	options Options
}

var _ senses.Sense = (*LogSense)(nil)

// NewLog returns the sense of the mind's own log.
func NewLog(log Log, options Options) *LogSense {
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	return &LogSense{log: log, options: options}
}

// Name returns "conversation".
func (s *LogSense) Name() string { return Name }

// ID returns "chat".
func (s *LogSense) ID() string { return LogID }

// Collect looks at what was said since.
func (s *LogSense) Collect(context.Context, time.Time, []byte) (senses.Batch, error) {
	return senses.Batch{}, nil
}
