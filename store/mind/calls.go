package mind

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// OutcomeAnswered is the outcome of a call that helped.
const OutcomeAnswered = "answered"

// ModelCall is one request to a model, all its attempts together. Its texts
// are redacted by the caller, and cut to their bounds here.
type ModelCall struct {
	Tick     int64 // 0 outside a tick
	At       time.Time
	Role     string // watcher, chat, …
	Provider string
	Model    string
	// Exploration: nothing in the thread's field was unseen.
	Exploration bool
	PromptHash  string
	PromptBytes int
	// Tokens; Input counts Cached and Written too, Output counts Thinking.
	Input, Cached, Written int
	Output, Thinking       int
	// UsageKnown: the provider reported the tokens.
	UsageKnown bool
	Cost       int64 // billionths of a US dollar
	Latency    time.Duration
	Attempts   int
	Outcome    string // OutcomeAnswered, or the kind of the failure
	Error      string // in plain words, at most 500 bytes; "" where there is none
	Answer     string // at most 4 KiB; "" where none is kept
}

// CallSum adds up the calls of one role, provider, model and outcome.
type CallSum struct {
	Role, Provider, Model, Outcome string
	Calls, Exploration, Attempts   int
	Input, Cached, Written         int
	Output, Thinking               int
	// Unknown counts calls whose tokens the provider did not report.
	Unknown int
	Cost    int64 // billionths of a US dollar
	// Latency is of all calls together, Slowest of one.
	Latency, Slowest time.Duration
}

const (
	maxCallAnswer = 4 << 10
	maxCallError  = 500
	maxCallName   = 200
)

// AddCalls records calls that were made outside a tick.
func (s *Store) AddCalls(ctx context.Context, calls []ModelCall) error {
	if len(calls) == 0 {
		return nil
	}
	if err := s.db.Write(ctx, func(tx *store.Tx) error { return putCalls(ctx, tx, calls) }); err != nil {
		return fmt.Errorf("mind: add calls: %w", err)
	}
	return nil
}

// Calls returns the newest calls since that time, newest first, at most limit.
func (s *Store) Calls(ctx context.Context, since time.Time, limit int) ([]ModelCall, error) {
	return s.calls(ctx, "WHERE at >= ? ORDER BY at DESC, id DESC LIMIT ?", since.UnixNano(), limit)
}

// CallsOfTick returns the calls of a tick in the order in which they were
// recorded.
func (s *Store) CallsOfTick(ctx context.Context, tick int64) ([]ModelCall, error) {
	if tick <= 0 {
		return nil, nil
	}
	// The index is of ticks alone, and used where the query says so too.
	return s.calls(ctx, "WHERE tick = ? AND tick > 0 ORDER BY id", tick)
}

const callColumns = `tick, at, zone, role, provider, model, exploration, prompt_hash, prompt_bytes,
	input, cached, written, output, thinking, usage_known, cost, latency, attempts, outcome, error, answer`

func (s *Store) calls(ctx context.Context, where string, args ...any) ([]ModelCall, error) {
	return all(ctx, s, "calls", func(c *ModelCall) []any {
		return []any{&c.Tick, store.Time(&c.At), store.Zone(&c.At), &c.Role, &c.Provider, &c.Model, &c.Exploration, &c.PromptHash, &c.PromptBytes,
			&c.Input, &c.Cached, &c.Written, &c.Output, &c.Thinking, &c.UsageKnown, &c.Cost, &c.Latency, &c.Attempts,
			&c.Outcome, &c.Error, &c.Answer}
	}, "SELECT "+strings.NewReplacer("latency", "latency * 1000", "answer", "coalesce(answer, '')").Replace(callColumns)+" FROM mind_model_calls "+where, args...)
}

// SumCalls adds up the calls since that time by role, provider, model and
// outcome, in that order.
func (s *Store) SumCalls(ctx context.Context, since time.Time) ([]CallSum, error) {
	return all(ctx, s, "sum calls", func(c *CallSum) []any {
		return []any{&c.Role, &c.Provider, &c.Model, &c.Outcome, &c.Calls, &c.Exploration, &c.Attempts,
			&c.Input, &c.Cached, &c.Written, &c.Output, &c.Thinking, &c.Unknown, &c.Cost, &c.Latency, &c.Slowest}
	}, `SELECT role, provider, model, outcome, count(*), sum(exploration), sum(attempts),
		sum(input), sum(cached), sum(written), sum(output), sum(thinking), sum(usage_known = 0), sum(cost), sum(latency) * 1000, max(latency) * 1000
		FROM mind_model_calls WHERE at >= ? GROUP BY role, provider, model, outcome ORDER BY role, provider, model, outcome`, since.UnixNano())
}

func putCalls(ctx context.Context, tx *store.Tx, calls []ModelCall) error {
	for _, c := range calls {
		if c.At.IsZero() || c.Role == "" || c.Outcome == "" {
			return errors.New("a call has no time, no role or no outcome")
		}
		at, zone := columns(c.At)
		var answer *string
		if text := bounded(c.Answer, maxCallAnswer); text != "" {
			answer = &text
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO mind_model_calls ("+callColumns+") VALUES (?"+strings.Repeat(", ?", 20)+")",
			c.Tick, at, zone, bounded(c.Role, maxCallName), bounded(c.Provider, maxCallName), bounded(c.Model, maxCallName), c.Exploration,
			bounded(c.PromptHash, maxCallName), c.PromptBytes, c.Input, c.Cached, c.Written, c.Output, c.Thinking, c.UsageKnown,
			c.Cost, c.Latency.Microseconds(), c.Attempts, bounded(c.Outcome, maxCallName), bounded(c.Error, maxCallError), answer); err != nil {
			return err
		}
	}
	return nil
}

// bounded cuts a text to size bytes, at a whole character, and replaces what is
// not UTF-8.
func bounded(text string, size int) string {
	return subconscious.Clip(strings.ToValidUTF8(text, "\uFFFD"), size)
}

// sweepCalls removes calls that are older than they are kept.
func sweepCalls(ctx context.Context, tx *store.Tx, at time.Time) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM mind_model_calls WHERE id IN (SELECT id FROM mind_model_calls WHERE at < ? ORDER BY at LIMIT ?)",
		before(at, keep), sweepRows)
	return err
}
