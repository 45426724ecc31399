package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/subconsciousd/subconsciousd/internal/recall"
	"github.com/subconsciousd/subconsciousd/store"
)

// ranked are the records as they are ranked, a lane each, in memory. They are read in
// by Rank, and follow each commit; until they are in, the tables of full text answer.
type ranked struct {
	lanes map[Lane]*recall.Index
	recall.Reading
}

func (r *ranked) add(added row) {
	if r.Covers(added.n) {
		r.lanes[added.Lane].Add(passage(added))
	}
}

func (r *ranked) remove(gone row) {
	if r.Covers(gone.n) {
		r.lanes[gone.Lane].Remove(gone.n)
	}
}

func passage(r row) recall.Passage {
	said := r.Said
	if said.IsZero() {
		said = r.Created
	}
	return recall.Passage{ID: r.n, Session: r.About.Session, Place: r.Place, Speaker: r.About.Agent, Text: r.searched() + "\n" + joined(r.Tags), Said: said,
		Labels: Query{Kind: r.Kind, About: r.About}.labels()}
}

// rankingColumns are what a passage is made of.
const rankingColumns = "n, lane, status, kind, title, text, tags, project, agent, session, place, said, created"

func (r *row) ranking() []any {
	return []any{&r.n, &r.Lane, &r.Status, &r.Kind, &r.Title, &r.Text, store.JSON(&r.Tags), &r.About.Project, &r.About.Agent, &r.About.Session, &r.Place,
		store.Time(&r.Said), store.Time(&r.Created)}
}

// labels are what a record is found by beside its words, session and time.
func (q Query) labels() (all []string) {
	for _, label := range []struct{ name, value string }{{"kind:", string(q.Kind)}, {"project:", q.About.Project}, {"agent:", q.About.Agent}} {
		if label.value != "" {
			all = append(all, label.name+label.value)
		}
	}
	return all
}

// Rank reads all records in, so that Search ranks them; until then it answers by full
// text alone. It is called once, beside whatever else is done.
func (s *Store) Rank(ctx context.Context) error {
	err := s.ranked.All(func(behind int64, most int, took func(int64, int)) error {
		return s.db.Write(ctx, func(tx *store.Tx) error {
			read, err := store.All(ctx, tx, (*row).ranking, "SELECT "+rankingColumns+" FROM memory_records WHERE n > ? ORDER BY n LIMIT ?", behind, most)
			tx.After(func() {
				last, active := behind, map[Lane][]recall.Passage{}
				for _, r := range read {
					if last = r.n; r.Status == Active {
						active[r.Lane] = append(active[r.Lane], passage(r))
					}
				}
				for lane, passages := range active {
					s.ranked.lanes[lane].Add(passages...)
				}
				took(last, len(read))
			})
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("memory: rank: %w", err)
	}
	return nil
}

// recalled are the records that the ranking finds.
func (s *Store) recalled(ctx context.Context, q Query, limit int) ([]Hit, error) {
	found := s.ranked.lanes[q.lane()].Search(recall.Question{
		Text: q.Words, Limit: limit, Now: s.now(), With: q.labels(), Session: q.About.Session, Since: q.Since, Variety: q.Variety,
	})
	read, err := rows(ctx, s.db, "r.n IN (SELECT value FROM json_each(?)) AND r.status = 'active'", store.JSON(recall.IDs(found)))
	if err != nil {
		return nil, fmt.Errorf("memory: search: %w", err)
	}
	var hits []Hit
	for _, hit := range found {
		i := slices.IndexFunc(read, func(r row) bool { return r.n == hit.ID })
		if i >= 0 && (q.About.Turn == "" || read[i].About.Turn == q.About.Turn) { // it was not changed meanwhile
			hits = append(hits, Hit{read[i].Record, hit.Score})
		}
	}
	if !q.Variety {
		slices.SortStableFunc(hits, func(a, b Hit) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Confidence, a.Confidence))
		})
	}
	return hits, nil
}
