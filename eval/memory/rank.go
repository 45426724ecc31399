package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/internal/recall"
	"github.com/subconsciousd/subconsciousd/store"
)

// ranker finds turns, by their numbers.
type ranker interface {
	add(ctx context.Context, turns []turn) error
	// ask finds the ten best turns for what is asked at a time, and the five best of
	// their sessions.
	ask(ctx context.Context, asked string, at time.Time) (turns []int, sessions []string, err error)
	close() error
}

const (
	mostTurns    = 10
	mostSessions = 5
)

// ours is the ranking that the product uses.
type ours struct{ *recall.Index }

func (o ours) add(_ context.Context, turns []turn) error {
	for n, t := range turns {
		o.Add(recall.Passage{ID: int64(n), Session: t.session, Place: t.place, Speaker: t.speaker, Text: t.text, Said: t.said})
	}
	return nil
}

func (o ours) ask(_ context.Context, asked string, at time.Time) (turns []int, sessions []string, _ error) {
	for _, h := range o.Search(recall.Question{Text: asked, Limit: mostTurns, Now: at}) {
		turns = append(turns, int(h.ID))
	}
	for _, s := range o.Sessions(recall.Question{Text: asked, Limit: mostSessions, Now: at}) {
		sessions = append(sessions, s.Session)
	}
	return turns, sessions, nil
}

func (ours) close() error { return nil }

// plain is BM25 as FTS5 has it: stems, no stop words, all words joined by OR.
type plain struct {
	db   *store.DB
	told []turn
}

func openPlain(ctx context.Context) (*plain, error) {
	db, err := store.Open(ctx, store.Options{Path: store.Memory}, store.Migration{Package: "eval", Version: 1,
		SQL: "CREATE VIRTUAL TABLE turns USING fts5 (text, " + fulltext.Tokenizer + ")"})
	return &plain{db: db}, err
}

func (p *plain) add(ctx context.Context, turns []turn) error {
	p.told = turns
	return p.db.Write(ctx, func(tx *store.Tx) error {
		for n, t := range turns {
			if err := tx.Exec(ctx, "INSERT INTO turns (rowid, text) VALUES (?, ?)", n, t.speaker+"\n"+t.text); err != nil {
				return err
			}
		}
		return nil
	})
}

// ask implements ranker. A session is among those of the best thousand turns.
func (p *plain) ask(ctx context.Context, asked string, _ time.Time) (turns []int, sessions []string, _ error) {
	all, err := matching(ctx, p.db, asked, 1000)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range all {
		if s := p.told[n].session; !slices.Contains(sessions, s) && len(sessions) < mostSessions {
			sessions = append(sessions, s)
		}
	}
	return all[:min(len(all), mostTurns)], sessions, nil
}

// matching are the rows of turns that share a word with what is asked, the best first.
func matching(ctx context.Context, db *store.DB, asked string, most int) ([]int, error) {
	words := strings.FieldsFunc(fulltext.Plain(asked), func(r rune) bool { return !isWord(r) })
	if len(words) == 0 {
		return nil, nil
	}
	found, err := store.All(ctx, db, func(n *int) []any { return []any{n} },
		"SELECT rowid FROM turns WHERE turns MATCH ? ORDER BY bm25(turns), rowid LIMIT ?", `"`+strings.Join(words, `" OR "`)+`"`, most)
	if err != nil {
		return nil, fmt.Errorf("search %q: %w", asked, err)
	}
	return found, nil
}

func (p *plain) close() error { return p.db.Close() }
