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
// something did. A cursor is the one of report, the tokens, and who left, a line each.
func (s *Sense) ask(ctx context.Context, at time.Time, mind *time.Location, cursor []byte) (senses.Batch, error) {
	var all shelf
	var unread error
	read := func() bool {
		if all == nil && unread == nil {
			all, unread = s.readShelf(ctx)
		}
		return unread == nil
	}
	tokens, before := tokensOf(cursor)
	kept := Kept{Tokens: tokens, Has: func(collection, item, version string) bool {
		return read() && all.has(collection, item, version)
	}}
	found, err := s.options.Source.Look(ctx, kept)
	if err = cmp.Or(err, unread); err != nil {
		s.current = false
		return senses.Batch{}, err
	}
	left, listing := found.keep(tokens, before, at)
	fresh := s.own(found.Owner) && s.fresh(at, mind, cursor) && listing == senses.Unchanged
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
			if listing != senses.Unchanged {
				clear(s.items[:]) // and so all is said again
			}
			there, out := all.parted(left)
			if batch, err = s.expanded(ctx, there.split(), out.split(), at, mind, cursor, "the calendars of "+s.config.ID); err != nil {
				return senses.Batch{}, err
			}
			if found.Degraded != "" || found.Starting || !found.holds(kept.Tokens) || listing == senses.Forgotten {
				batch.Changes = nil // a calendar went, not its events
			}
			batch.Listing = listing
			batch.Rows = append(rows, batch.Rows...)
			s.collectedAt, s.mind, s.degraded = at, mind, batch.Degraded
		}
		s.current = true
	}
	head, _, _ := strings.Cut(s.cursor, "\n")
	if s.cursor = head + "\n" + found.tokens(left); s.cursor != string(cursor) {
		batch.Cursor = []byte(s.cursor)
	}
	batch.Degraded, batch.Starting = senses.Joined(found.Degraded, s.degraded), found.Starting
	batch.Aside = left.Says("calendars", mind)
	return batch, nil
}

// keep adds the calendars that left the configuration, as they are known, and returns
// them, and what became of the list.
func (f *Found) keep(tokens map[string]string, before senses.Left, at time.Time) (left senses.Left, listing senses.Listing) {
	known := slices.DeleteFunc(slices.Clone(f.Left), func(name string) bool { _, is := tokens[name]; return !is })
	left, _, listing = before.Keep(at, known, func(string) bool { return false })
	for name := range left {
		f.Collections = append(f.Collections, Collection{Name: name, Token: tokens[name]})
	}
	return left, listing
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

// tokens are those of the next cursor, and who left.
func (f Found) tokens(left senses.Left) string {
	all := make(map[string]string, len(f.Collections))
	for _, c := range f.Collections {
		all[c.Name] = c.Token
	}
	tokens, _ := json.Marshal(all) // of maps of texts and numbers, which cannot fail
	out, _ := json.Marshal(left)
	return string(tokens) + "\n" + string(out)
}

// tokensOf are those of a cursor, and who left.
func tokensOf(cursor []byte) (tokens map[string]string, left senses.Left) {
	lines := append(strings.SplitN(string(cursor), "\n", 3), "", "")
	if json.Unmarshal([]byte(lines[1]), &tokens) != nil || json.Unmarshal([]byte(cmp.Or(lines[2], "null")), &left) != nil {
		return nil, nil
	}
	return tokens, left
}
