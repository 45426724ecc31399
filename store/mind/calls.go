package mind

import (
	"context"
	"database/sql"
	"database/sql/driver"
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

var callTable = table[ModelCall]{
	name: "mind_model_calls",
	columns: `tick, at, zone, role, provider, model, exploration, prompt_hash, prompt_bytes,
		input, cached, written, output, thinking, usage_known, cost, latency, attempts, outcome, error, answer`,
	places: func(c *ModelCall) []any {
		return []any{&c.Tick, store.Time(&c.At), store.Zone(&c.At), &c.Role, &c.Provider, &c.Model, &c.Exploration, &c.PromptHash, &c.PromptBytes,
			&c.Input, &c.Cached, &c.Written, &c.Output, &c.Thinking, &c.UsageKnown, &c.Cost, micros{&c.Latency}, &c.Attempts,
			&c.Outcome, &c.Error, store.Optional(&c.Answer)}
	},
	check: func(c *ModelCall) error {
		if c.At.IsZero() || c.Role == "" || c.Outcome == "" {
			return errors.New("a call has no time, no role or no outcome")
		}
		for _, name := range []*string{&c.Role, &c.Provider, &c.Model, &c.PromptHash, &c.Outcome} {
			*name = bounded(*name, maxCallName)
		}
		c.Error, c.Answer = bounded(c.Error, maxCallError), bounded(c.Answer, maxCallAnswer)
		return nil
	},
}

// micros is a duration stored in microseconds.
type micros struct{ into *time.Duration }

func (m micros) Value() (driver.Value, error) { return m.into.Microseconds(), nil }

func (m micros) Scan(column any) error {
	n, ok := column.(int64)
	if !ok {
		return fmt.Errorf("a duration is stored as %T", column)
	}
	*m.into = time.Duration(n) * time.Microsecond
	return nil
}

// AddCalls records calls that were made outside a tick.
func (s *Store) AddCalls(ctx context.Context, calls []ModelCall) error {
	if len(calls) == 0 {
		return nil
	}
	return s.write(ctx, "add calls", func(tx *store.Tx) error { return callTable.add(ctx, tx, calls) })
}

// DropAnswers drops, in the transaction, the answers of a role at these ticks, and those
// that say what is to be forgotten, and returns how many.
func DropAnswers(ctx context.Context, tx *store.Tx, role string, ticks []int64, says func(string) bool) (dropped int, err error) {
	var gone []int64
	err = tx.Each(ctx, func(rows *sql.Rows) error {
		var id int64
		var of bool
		var answer string
		err := rows.Scan(&id, &of, &answer)
		if err == nil && (of || says(answer)) {
			gone = append(gone, id)
		}
		return err
	}, "SELECT id, role = ? AND coalesce(tick IN (SELECT value FROM json_each(?)), 0), answer FROM mind_model_calls WHERE answer IS NOT NULL", role, store.JSON(ticks))
	if err == nil && len(gone) > 0 {
		err = tx.Exec(ctx, "UPDATE mind_model_calls SET answer = NULL WHERE id IN (SELECT value FROM json_each(?))", store.JSON(gone))
	}
	if err != nil {
		return 0, fmt.Errorf("mind: drop answers: %w", err)
	}
	return len(gone), nil
}

// Calls returns the newest calls since that time, newest first, at most limit.
func (s *Store) Calls(ctx context.Context, since time.Time, limit int) ([]ModelCall, error) {
	return callTable.find(ctx, s, "calls", "WHERE at >= ? ORDER BY at DESC, id DESC LIMIT ?", since.UnixNano(), limit)
}

// CallsOfTick returns the calls of a tick in the order in which they were
// recorded.
func (s *Store) CallsOfTick(ctx context.Context, tick int64) ([]ModelCall, error) {
	// The index is of ticks alone, and used where the query says so too.
	return callTable.find(ctx, s, "calls", "WHERE tick = ? AND tick > 0 ORDER BY id", tick)
}

// SumCalls adds up the calls since that time by role, provider, model and
// outcome, in that order.
func (s *Store) SumCalls(ctx context.Context, since time.Time) ([]CallSum, error) {
	return all(ctx, s, "sum calls", func(c *CallSum) []any {
		return []any{&c.Role, &c.Provider, &c.Model, &c.Outcome, &c.Calls, &c.Exploration, &c.Attempts,
			&c.Input, &c.Cached, &c.Written, &c.Output, &c.Thinking, &c.Unknown, &c.Cost, micros{&c.Latency}, micros{&c.Slowest}}
	}, `SELECT role, provider, model, outcome, count(*), sum(exploration), sum(attempts),
		sum(input), sum(cached), sum(written), sum(output), sum(thinking), sum(usage_known = 0), sum(cost), sum(latency), max(latency)
		FROM mind_model_calls WHERE at >= ? GROUP BY role, provider, model, outcome ORDER BY role, provider, model, outcome`, since.UnixNano())
}

// bounded cuts a text to size bytes, at a whole character, and replaces what is
// not UTF-8.
func bounded(text string, size int) string {
	return subconscious.Clip(strings.ToValidUTF8(text, "\uFFFD"), size)
}
