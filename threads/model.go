package threads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Asker is a model to be asked, with what it is asked with.
type Asker struct {
	// Generator is nil where Problem says why no model can be asked: a key is
	// missing.
	Generator models.Generator
	Identity  models.Identity
	Problem   string
	// Request holds what is the role's own: MaxTokens, Temperature, Thinking.
	Request models.Request
}

// ModelOptions are what a ModelThread needs.
type ModelOptions struct {
	Name  subconscious.ThreadName
	Asker Asker
	// Prompts makes what the model is told.
	Prompts *prompts.Set
	// Tools are the read tools; nil: none.
	Tools *Registry
	// Reflex thinks where the model cannot.
	Reflex Thread
	// Gate is that of the threads: under "always" the model is asked although
	// nothing is new or wider. Empty means adaptive.
	Gate string
	// Redact takes secrets out of what the model wrote; nil leaves it.
	Redact func(string) string
	// Logger; nil discards.
	Logger *slog.Logger
}

// validate names what is missing.
func (o ModelOptions) validate() error {
	switch {
	case o.Reflex == nil:
		return errors.New("Reflex is missing: it thinks where the model cannot")
	case o.Reflex.Name() != o.Name:
		return fmt.Errorf("Reflex is the %s", o.Reflex.Name())
	case o.Prompts == nil:
		return errors.New("Prompts is missing")
	case o.Asker.Generator == nil && o.Asker.Problem == "":
		return errors.New("Asker has neither a Generator nor a Problem")
	}
	return nil
}

// ModelThread is a thread that asks a model, and thinks by reflex where that
// fails.
type ModelThread struct{ options ModelOptions }

var _ Thread = (*ModelThread)(nil)

// NewModel returns a thread that asks a model.
func NewModel(options ModelOptions) (*ModelThread, error) {
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("thread %q: %w", options.Name, err)
	}
	options.Gate = cmp.Or(options.Gate, Adaptive)
	if options.Redact == nil {
		options.Redact = func(text string) string { return text }
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	return &ModelThread{options: options}, nil
}

// Name implements Thread.
func (t *ModelThread) Name() subconscious.ThreadName { return t.options.Name }

// Mode implements Thread.
func (t *ModelThread) Mode() string { return Model }

// Think implements Thread.
func (t *ModelThread) Think(ctx context.Context, snapshot subconscious.Snapshot) (Answer, error) {
	answer, err := t.options.Reflex.Think(ctx, snapshot)
	answer.Mode, answer.Reason = Reflex, t.options.Asker.Problem
	return answer, err
}
