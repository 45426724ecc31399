package mind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Decision is what the gate decided of one request. It is kept for 30 days, and
// for a year where the incident was told.
type Decision struct {
	Tick     int64
	At       time.Time
	Incident subconscious.IncidentKey
	ID       subconscious.IncidentID // "" where the incident got none: a request without evidence
	Entry    subconscious.EntryID
	Thread   subconscious.ThreadName
	Verdict  string // tell, hold, drop
	Reason   string
	JSON     []byte // the caller's details, at most 64 KiB
}

// The verdicts and reasons by which what was told is counted. ReasonKeptBack
// withdraws one that was to be told.
const (
	VerdictTell    = "tell"
	ReasonDigest   = "digest"
	ReasonKeptBack = "kept_back"
)

// DecisionSum counts decisions.
type DecisionSum struct {
	Reasons map[string]int
	// Told counts the incidents that were told, Again those of them that were
	// told before too, Digested those that were told in a digest.
	Told, Again, Digested int
}

var decisionTable = table[Decision]{
	name:    "mind_decisions",
	columns: "tick, at, zone, incident, person, entry, thread, verdict, reason, body",
	places: func(d *Decision) []any {
		return []any{&d.Tick, store.Time(&d.At), store.Zone(&d.At), &d.Incident, &d.ID, &d.Entry, &d.Thread, &d.Verdict, &d.Reason, &d.JSON}
	},
	check: func(d *Decision) error {
		switch {
		case d.At.IsZero() || d.Verdict == "" || d.Reason == "":
			return errors.New("a decision has no time, no verdict or no reason")
		case len(d.JSON) > maxJSON:
			return fmt.Errorf("the decision on %s has %d bytes, more than %d", d.ID, len(d.JSON), maxJSON)
		}
		return nil
	},
}

// Decisions returns the newest decisions about an incident, at most limit,
// oldest first.
func (s *Store) Decisions(ctx context.Context, id subconscious.IncidentID, limit int) ([]Decision, error) {
	if id == "" {
		return nil, nil
	}
	decisions, err := decisionTable.find(ctx, s, "decisions of "+string(id), "WHERE person = ? ORDER BY id DESC LIMIT ?", id, limit)
	slices.Reverse(decisions)
	return decisions, err
}

// DecisionCounts counts the decisions since that time.
func (s *Store) DecisionCounts(ctx context.Context, since time.Time) (DecisionSum, error) {
	var sum DecisionSum
	err := s.read(ctx, "count decisions", func(tx *store.Tx) (err error) {
		if sum.Reasons, err = store.Map[string, int](ctx, tx, "SELECT reason, count(*) FROM mind_decisions WHERE at >= ? GROUP BY reason", since.UnixNano()); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(times > 1), 0), coalesce(sum(digested), 0) FROM (
			SELECT max(verdict = ?1 AND reason = ?2) AS digested,
				(SELECT sum(verdict = ?1) - sum(reason = ?4) FROM mind_decisions AS every WHERE every.person = some.person) AS times
			FROM mind_decisions AS some WHERE at >= ?3 AND (verdict = ?1 OR reason = ?4)
			GROUP BY person HAVING sum(verdict = ?1) > sum(reason = ?4))`,
			VerdictTell, ReasonDigest, since.UnixNano(), ReasonKeptBack).Scan(&sum.Told, &sum.Again, &sum.Digested)
	})
	return sum, err
}

// putDecisions adds decisions; incidents that are told are noted as such.
func putDecisions(ctx context.Context, tx *store.Tx, decisions []Decision) error {
	if err := decisionTable.add(ctx, tx, decisions); err != nil {
		return err
	}
	for _, d := range decisions {
		if d.Verdict == VerdictTell && d.Incident != "" {
			if err := noteTold(ctx, tx, d.Incident, d.At); err != nil {
				return err
			}
		}
	}
	return nil
}
