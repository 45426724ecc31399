package mail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/subconsciousd/subconsciousd/senses"
)

// rowTable is what tables of different classes have in common.
type rowTable interface {
	changed() bool
	rows(prefix string, rows []senses.Row) []senses.Row
	commit()
	discard()
	dropAll()
	clear()
	load(key string, value []byte) bool
}

// tables are all of them, by the prefix of their rows.
func (s *Sense) tables() map[string]rowTable {
	return map[string]rowTable{"m/": s.known, "o/": s.open, "s/": s.sent, "r/": s.answered, "c/": s.wroteTo}
}

// conclude finds out what became of the last batch: the cursor given is the one
// that was committed.
func (s *Sense) conclude(ctx context.Context, given []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	anew := s.commits.Conclude(given, func(state *cursor) {
		for _, t := range s.tables() {
			t.commit()
		}
		s.state = state
	}, func(*cursor) {})
	for _, t := range s.tables() {
		t.discard()
	}
	if !anew {
		return nil
	}
	if err := s.load(ctx, given); err != nil {
		return fmt.Errorf("mail %s: read back what is known: %w", s.config.ID, err)
	}
	s.commits.Begin(given)
	return nil
}

// load reads back what was committed with a cursor. Rows of another account are
// deleted by the next batch.
func (s *Sense) load(ctx context.Context, given []byte) error {
	for _, t := range s.tables() {
		t.clear()
	}
	if s.options.Rows == nil {
		given = nil
	}
	state, err := parseCursor(given, s.identity())
	if err != nil {
		s.options.Logger.Warn("the mail is looked at as for the first time", "sense", s.config.ID, "error", err)
	}
	s.state = state
	if s.options.Rows == nil {
		return nil
	}
	tables, unreadable := s.tables(), 0
	err = s.options.Rows.Rows(ctx, Name, s.config.ID, func(key string, value []byte) bool {
		prefix, name, _ := strings.Cut(key, "/")
		if t := tables[prefix+"/"]; t == nil || !t.load(name, value) {
			unreadable++
		}
		return ctx.Err() == nil
	})
	if unreadable > 0 {
		s.options.Logger.Warn("some of what was known of the mail cannot be read", "sense", s.config.ID, "rows", unreadable)
	}
	return errors.Join(err, ctx.Err())
}

// identity says which account the rows are of.
func (s *Sense) identity() string {
	return hashOf(strings.ToLower(s.config.Host) + "\x00" + s.config.User).key()
}

// hand puts what a collect changed into the batch.
func (s *Sense) hand(batch *senses.Batch, state *cursor) {
	changed := false
	for _, t := range s.tables() {
		changed = changed || t.changed()
	}
	if !changed && len(s.commits.Committed()) > 0 && state.same(s.state) {
		return
	}
	s.collects++
	state.Run, state.Collect = s.run, s.collects
	out, _ := json.Marshal(state) // of plain values, which cannot fail
	for prefix, t := range s.tables() {
		batch.Rows = t.rows(prefix, batch.Rows)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	batch.Cursor = s.commits.Hand(out, state)
}
