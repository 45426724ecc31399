package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/internal/recall"
	"github.com/subconsciousd/subconsciousd/store"
)

// ranker finds turns, by their numbers.
type ranker interface {
	add(ctx context.Context, n int, t turn) error
	// turns are the best for what is asked, sessions the best of those.
	turns(ctx context.Context, asked string, limit int) ([]int, error)
	sessions(ctx context.Context, asked string, limit int) ([]string, error)
	close() error
}

// ours is the ranking that the product uses.
type ours struct{ *recall.Index }

func (o ours) add(_ context.Context, n int, t turn) error {
	o.Add(recall.Passage{ID: int64(n), Session: t.session, Place: t.place, Speaker: t.speaker, Text: t.text, Said: t.said})
	return nil
}

func (o ours) turns(_ context.Context, asked string, limit int) (found []int, _ error) {
	for _, h := range o.Search(recall.Question{Text: asked, Limit: limit}) {
		found = append(found, int(h.ID))
	}
	return found, nil
}

func (o ours) sessions(_ context.Context, asked string, limit int) (found []string, _ error) {
	for _, s := range o.Sessions(recall.Question{Text: asked, Limit: limit}) {
		found = append(found, s.Session)
	}
	return found, nil
}

func (ours) close() error { return nil }

// plain is BM25 as FTS5 has it: stems, no stop words, all words joined by OR.
type plain struct {
	db   *store.DB
	told map[int]turn
}

func openPlain(ctx context.Context) (*plain, error) {
	db, err := store.Open(ctx, store.Options{Path: store.Memory}, store.Migration{Package: "eval", Version: 1,
		SQL: "CREATE VIRTUAL TABLE turns USING fts5 (text, " + fulltext.Tokenizer + ")"})
	return &plain{db, map[int]turn{}}, err
}

func (p *plain) add(ctx context.Context, n int, t turn) error {
	p.told[n] = t
	return p.db.Exec(ctx, "INSERT INTO turns (rowid, text) VALUES (?, ?)", n, t.speaker+"\n"+t.text)
}

func (p *plain) turns(ctx context.Context, asked string, limit int) ([]int, error) {
	words := strings.FieldsFunc(fulltext.Plain(asked), func(r rune) bool { return !isWord(r) })
	if len(words) == 0 {
		return nil, nil
	}
	found, err := store.All(ctx, p.db, func(n *int) []any { return []any{n} },
		"SELECT rowid FROM turns WHERE turns MATCH ? ORDER BY bm25(turns), rowid LIMIT ?", `"`+strings.Join(words, `" OR "`)+`"`, limit)
	if err != nil {
		return nil, fmt.Errorf("search %q: %w", asked, err)
	}
	return found, nil
}

func (p *plain) sessions(ctx context.Context, asked string, limit int) (found []string, _ error) {
	all, err := p.turns(ctx, asked, -1)
	for _, n := range all {
		if s := p.told[n].session; !slices.Contains(found, s) && len(found) < limit {
			found = append(found, s)
		}
	}
	return found, err
}

func (p *plain) close() error { return p.db.Close() }
