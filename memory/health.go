package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// Tally is how many records of a lane have a status.
type Tally struct {
	Lane    Lane   `json:"lane"`
	Status  Status `json:"status"`
	Records int    `json:"records"`
}

// Refusal is how often something was not kept, for a reason.
type Refusal struct {
	Reason Reason    `json:"reason"`
	Times  int       `json:"times"`
	Last   time.Time `json:"last"`
}

// Health is how the memory is.
type Health struct {
	Records []Tally   `json:"records"`
	Refused []Refusal `json:"refused,omitempty"`
	// Conflicts are pairs of active records of which one may be wrong, Duplicates
	// active ones whose text another one of their lane has too.
	Conflicts  int `json:"conflicts"`
	Duplicates int `json:"duplicates"`
	// Changed and Missing are active records whose source is otherwise, or gone; Doubted
	// are up to ten of them.
	Changed int      `json:"changed"`
	Missing int      `json:"missing"`
	Doubted []string `json:"doubted,omitempty"`
	// Unused are active records older than a year that were never recalled.
	Unused int `json:"unused"`
	// Unchecked are active ones that cite something and were never looked at, and
	// Oldest is when the first of them was written.
	Unchecked int       `json:"unchecked"`
	Oldest    time.Time `json:"oldest_unchecked,omitzero"`
	// Ranked: all records are read in, and found by their rank.
	Ranked bool `json:"ranked"`
	// Last is what the last consolidation did.
	Last Consolidated `json:"last"`
	// Do are the commands by which the person can put it in order.
	Do []string `json:"do,omitempty"`
}

// yearUnused is how old what was never recalled is when it counts as unused.
const yearUnused = 365 * 24 * time.Hour

// Health counts what is kept, what was refused, and what is in doubt.
func (s *Store) Health(ctx context.Context) (Health, error) {
	h := Health{Ranked: s.ranked.Whole()}
	err := s.db.Read(ctx, func(tx *store.Tx) error {
		var errs [5]error
		h.Records, errs[0] = store.All(ctx, tx, func(t *Tally) []any { return []any{&t.Lane, &t.Status, &t.Records} },
			"SELECT lane, status, sum(records) FROM memory_counts GROUP BY lane, status ORDER BY lane DESC, status")
		h.Refused, errs[1] = store.All(ctx, tx, func(r *Refusal) []any { return []any{&r.Reason, &r.Times, store.Time(&r.Last)} },
			"SELECT reason, times, last FROM memory_refused ORDER BY times DESC, reason")
		h.Doubted, errs[2] = store.All(ctx, tx, store.Value[string], "SELECT id FROM memory_records WHERE status = 'active' AND validity IN ('changed', 'missing') ORDER BY used DESC, n LIMIT 10")
		_, _, errs[3] = store.One(ctx, tx, func(*Health) []any {
			return []any{&h.Conflicts, &h.Duplicates, &h.Changed, &h.Missing, &h.Unused, &h.Unchecked, store.Time(&h.Oldest)}
		}, `SELECT (SELECT count(*) FROM memory_conflicts c JOIN memory_records o ON o.id = c.older AND o.status = 'active' JOIN memory_records n ON n.id = c.newer AND n.status = 'active'),
			(SELECT coalesce(sum(same - 1), 0) FROM (SELECT count(*) AS same FROM memory_records WHERE status = 'active' GROUP BY lane, hash)),
			coalesce(sum(validity = 'changed'), 0), coalesce(sum(validity = 'missing'), 0), coalesce(sum(used = 0 AND created < ?), 0),
			coalesce(sum(checked = 0 AND citations NOT IN ('[]', 'null')), 0), coalesce(min(CASE WHEN checked = 0 AND citations NOT IN ('[]', 'null') THEN created END), 0)
			FROM memory_records WHERE status = 'active'`, s.now().Add(-yearUnused).UnixNano())
		h.Last, _, errs[4] = store.One(ctx, tx, store.JSONValue[Consolidated], "SELECT value FROM memory_state WHERE key = ?", consolidation)
		return errors.Join(errs[:]...)
	})
	if err != nil {
		return Health{}, fmt.Errorf("memory: health: %w", err)
	}
	h.Do = h.todo()
	return h, nil
}

// todo are the commands by which the person can put it in order.
func (h Health) todo() (do []string) {
	if h.Conflicts > 0 {
		do = append(do, "subconsciousctl memory conflicts")
	}
	for _, id := range h.Doubted {
		do = append(do, "subconsciousctl memory validate "+id)
	}
	for _, d := range h.Last.Proposed {
		if d.What == "archived" {
			do = append(do, "subconsciousctl memory archive "+d.ID)
		}
	}
	return do
}
