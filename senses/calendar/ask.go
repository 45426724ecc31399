package calendar

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
)

// ask asks the Source what changed, keeps it, and reports what is ahead where
// something did. A cursor is the one of report, a line end, and the tokens.
func (s *Sense) ask(ctx context.Context, at time.Time, mind *time.Location, cursor []byte) (senses.Batch, error) {
	var all shelf
	var unread error
	read := func() bool {
		if all == nil && unread == nil {
			all, unread = s.readShelf(ctx)
		}
		return unread == nil
	}
	kept := Kept{Tokens: tokensOf(cursor), Has: func(collection, item, version string) bool {
		return read() && all.has(collection, item, version)
	}}
	found, err := s.options.Source.Look(ctx, kept)
	if err = cmp.Or(err, unread); err != nil {
		s.current = false
		return senses.Batch{}, err
	}
	fresh := s.own(found.Owner) && s.fresh(at, mind, cursor)
	batch := senses.Batch{}
	if !fresh || !found.same(kept.Tokens) {
		s.current = false
		if !read() {
			return senses.Batch{}, unread
		}
		if rows := all.take(found); len(rows) > 0 || !fresh {
			if err := s.recall(ctx, cursor); err != nil {
				return senses.Batch{}, err
			}
			if batch, err = s.expanded(ctx, all.split(), at, mind, cursor, "the calendars of "+s.config.ID); err != nil {
				return senses.Batch{}, err
			}
			if found.Degraded != "" || found.Starting || !found.holds(kept.Tokens) {
				batch.Changes = nil // a calendar went, not its events
			}
			batch.Rows = append(rows, batch.Rows...)
			s.collectedAt, s.mind, s.degraded = at, mind, batch.Degraded
		}
		s.current = true
	}
	head, _, _ := strings.Cut(s.cursor, "\n")
	if s.cursor = head + "\n" + found.tokens(); s.cursor != string(cursor) {
		batch.Cursor = []byte(s.cursor)
	}
	batch.Degraded, batch.Starting = senses.Joined(found.Degraded, s.degraded), found.Starting
	return batch, nil
}

// own takes in further addresses of the person, and reports whether all were known.
func (s *Sense) own(addresses []string) bool {
	known := true
	for _, address := range addresses {
		address = strings.ToLower(address)
		known = known && s.addresses[address]
		s.addresses[address] = true
	}
	return known
}

// same reports whether nothing was found that is not kept.
func (f Found) same(tokens map[string]string) bool {
	for _, c := range f.Collections {
		if _, known := tokens[c.Name]; !known || c.Full || len(c.Changed)+len(c.Removed) > 0 {
			return false
		}
	}
	return len(f.Collections) == len(tokens)
}

// holds reports whether all calendars are there still.
func (f Found) holds(tokens map[string]string) bool {
	for name := range tokens {
		if !slices.ContainsFunc(f.Collections, func(c Collection) bool { return c.Name == name }) {
			return false
		}
	}
	return true
}

func (f Found) tokens() string {
	all := make(map[string]string, len(f.Collections))
	for _, c := range f.Collections {
		all[c.Name] = c.Token
	}
	text, _ := json.Marshal(all) // of a map of strings, which cannot fail
	return string(text)
}

// tokensOf are those of a cursor.
func tokensOf(cursor []byte) (tokens map[string]string) {
	if _, text, found := strings.Cut(string(cursor), "\n"); !found || json.Unmarshal([]byte(text), &tokens) != nil {
		return nil
	}
	return tokens
}
