package memory

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/store"
)

// Reason is why something was not worth keeping.
type Reason string

const (
	Empty    Reason = "empty"    // no word of content
	Question Reason = "question" // nothing but questions
	Self     Reason = "self"     // about the mind itself
	Marked   Reason = "marked"   // it carries our own mark: we wrote or showed it
	Echo     Reason = "echo"     // like what was recalled where it was written
	Unquoted Reason = "unquoted" // the words that it rests on do not stand where they should
	// WasForgotten: the person has forgotten it. Their own word is kept, with this reason.
	WasForgotten Reason = "forgotten"
	// Displaced is counted with them: what went to the archive for want of room.
	Displaced Reason = "displaced"
)

// Mark begins what the daemon writes out of its memory, so that nothing takes it in
// again.
const Mark = "<!-- subconsciousd memory"

const (
	// echoes is how like what was recalled a text is that only repeats it, and corrects
	// nothing, of so many as were recalled last.
	echoes   = 0.85
	echoesOf = 200
)

var (
	// marks are ours, and those by which prompts set off the words of others.
	marks = lazy.Regexp(`<!-- subconsciousd|«[a-z]{5} [^»]* [a-z]{5}»`)
	// itself is what speaks of the mind: its programs' names, and what models call
	// themselves and their memory.
	itself = lazy.Regexp(`(?i)\bsubconscious(d|ctl)?\b|\b(my|your|the|this|our) (long-term )?(memory|mind|memories)\b|\b(as an?|the|this|an?) (ai|assistant|language model|llm)\b|` +
		`\b(mein|dein|das|unser)e?s? (langzeit)?(gedächtnis|unterbewusstsein)\b|\b(ma|ta|la|cette) mémoire\b|\b(mi|tu|la|esta) memoria\b|\b(ki|ia)-(assistent|assistant)\b`)
)

// refuses says why a record is not worth keeping; "" where it is.
func (s *Store) refuses(ctx context.Context, tx *store.Tx, r Record) (Reason, error) {
	if len(fulltext.Asked(r.Text)) == 0 {
		return Empty, nil
	}
	if onlyAsks(r.Text) {
		return Question, nil
	}
	if marks().MatchString(r.Text) {
		return Marked, nil
	}
	if !quoted(r.RestsOn, r.Quotes) {
		return Unquoted, nil
	}
	if len(s.options.Tombstones.of(r)) > 0 {
		return WasForgotten, nil
	}
	if r.Source == Person {
		return "", nil
	}
	if len(fulltext.Terms(r.Text)) == 0 {
		return Empty, nil
	}
	if len(r.Citations) == 0 && itself().MatchString(r.Text) {
		return Self, nil
	}
	return s.echoed(ctx, tx, r)
}

// onlyAsks reports whether every sentence of a text is a question.
func onlyAsks(text string) bool {
	all := prose.Sentences(text)
	for _, sentence := range all {
		if !strings.HasSuffix(strings.TrimRight(sentence.Text, ` "')»”’`), "?") {
			return false
		}
	}
	return len(all) > 0
}

// quoted reports whether each of these words stands in one of the texts, but for
// capitals and white space.
func quoted(words, texts []string) bool {
	for _, w := range words {
		w = strings.ToLower(fulltext.Line(w))
		stands := false
		for _, t := range texts {
			stands = stands || strings.Contains(strings.ToLower(fulltext.Line(t)), w)
		}
		if w == "" || !stands {
			return false
		}
	}
	return true
}

// echoed refuses what was recalled in the same session, conversation or deliberation.
func (s *Store) echoed(ctx context.Context, tx *store.Tx, r Record) (Reason, error) {
	sessions := []string{r.About.Session, r.Deliberation}
	if r.Source == Mechanics {
		sessions = append(sessions, Threads)
	}
	for _, into := range sessions {
		if into == "" {
			continue
		}
		recalled, err := store.All(ctx, tx, (*Record).columns, "SELECT "+recordColumns+" FROM memory_recalled l JOIN memory_records r ON r.id = l.id WHERE l.session = ? ORDER BY l.at DESC LIMIT ?", into, echoesOf)
		if err != nil {
			return "", err
		}
		for _, known := range recalled {
			if c := compare(known.Text, r.Text); !c.differ && !c.moved && c.likeness() >= echoes {
				return Echo, nil
			}
		}
	}
	return "", nil
}

// Threads is what threads recall into: what they find becomes the mechanics' insights.
const Threads = "threads"

// recalledKept is how long it is known what was recalled where.
const recalledKept = 30 * 24 * time.Hour

// note keeps that records were recalled into a session, conversation or deliberation:
// what is written there and says the same is an echo.
func (s *Store) note(ctx context.Context, into string, hits []Hit) error {
	now := s.now()
	return s.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Exec(ctx, "DELETE FROM memory_recalled WHERE at < ?", now.Add(-recalledKept).UnixNano()); err != nil {
			return err
		}
		for i, h := range hits {
			if err := tx.Exec(ctx, "INSERT OR REPLACE INTO memory_recalled (session, id, at, place, score) VALUES (?, ?, ?, ?, ?)", into, h.ID, now.UnixNano(), i+1, h.Score); err != nil {
				return err
			}
			if err := tx.Exec(ctx, "UPDATE memory_records SET used = used + 1, last_used = ? WHERE id = ?", now.UnixNano(), h.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// Recalled is a record that was recalled somewhere: its place among what was found then,
// from 1, and its score.
type Recalled struct {
	ID    string  `json:"id"`
	Title string  `json:"title"`
	Lane  Lane    `json:"lane"`
	Place int     `json:"place"`
	Score float64 `json:"score"`
}

// RecalledInto lists what was recalled into a session, conversation or deliberation in
// the last 30 days, and was not forgotten since, in the order in which it was.
func (s *Store) RecalledInto(ctx context.Context, into string) ([]Recalled, error) {
	all, err := store.All(ctx, s.db, func(r *Recalled) []any { return []any{&r.ID, &r.Title, &r.Lane, &r.Place, &r.Score} },
		"SELECT r.id, CASE r.title WHEN '' THEN r.text ELSE r.title END, r.lane, l.place, l.score FROM memory_recalled l JOIN memory_records r ON r.id = l.id WHERE l.session = ? ORDER BY l.at, l.place LIMIT ?", into, maxLimit)
	if err != nil {
		return nil, fmt.Errorf("memory: recalled: %w", err)
	}
	for i := range all {
		all[i].Title = Record{Text: all[i].Title}.firstLine()
	}
	return all, nil
}

// count counts what was not kept, by reason.
func (s *Store) count(ctx context.Context, tx *store.Tx, reason Reason) error {
	return tx.Exec(ctx, "INSERT INTO memory_refused VALUES (?, 1, ?) ON CONFLICT DO UPDATE SET times = times + 1, last = excluded.last", reason, s.now().UnixNano())
}
