package mind_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func rows(t *testing.T, db *store.DB, query string, args ...any) (n int) {
	t.Helper()
	if err := db.Read(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRowContext(t.Context(), query, args...).Scan(&n)
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// More than a year of ticks, one every twelve hours, each with an entry of its own that
// is dropped at the next.
func TestWhatIsOldGoes(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	if _, err := minds.Enqueue(t.Context(), subconscious.Command{At: noon, Kind: subconscious.CommandNote, Text: "x", By: "person"}); err != nil {
		t.Fatal(err)
	}
	state := load(t, minds)
	const perDay, days = 2, 450
	lines := func() int { return rows(t, db, "SELECT count(*) FROM mind_entry_log") }
	atMonth, most := 0, 0
	for n := range perDay * days {
		c := nextAfter(state, 24*time.Hour/perDay)
		id := fmt.Sprint("w-x-", n)
		incident := subconscious.IncidentKey(fmt.Sprint("files:", n))
		one := entry(id)
		one.Incident = incident
		c.State.Entries = []subconscious.Entry{entry("held"), one}
		c.Incidents = []subconscious.Incident{{Key: incident, Links: []string{string(incident), "shared"}, LastSeen: c.Record.At}}
		c.Log = []mind.LogEntry{{Entry: one.ID, Incident: incident, Tick: c.Record.Tick, At: c.Record.At, What: "added"}}
		switch n {
		case 0:
			c.Consumed = map[int64]string{1: "noted"}
			c.Incidents = append(c.Incidents, subconscious.Incident{Key: "health:held", LastSeen: c.Record.At},
				subconscious.Incident{Key: "forever", LastSeen: c.Record.At, Closed: &subconscious.Closure{Forever: true}})
		case 100:
			c.State.History = []subconscious.EscalationRecord{{At: c.Record.At, Incident: incident, Outcome: "told"}}
		}
		commit(t, db, minds, c)
		state = c.State
		if n == perDay*40 {
			atMonth = lines()
		}
		if n == perDay*300 {
			if log, err := minds.Log(t.Context(), "w-x-100"); err != nil || len(log) != 1 {
				t.Errorf("the log of what was told, 250 days later: %v %v", log, err)
			}
			if _, ok, err := minds.LastEntry(t.Context(), "w-x-100"); !ok || err != nil {
				t.Errorf("the entry that was told, 250 days later: %v %v", ok, err)
			}
			if _, ok, err := minds.LastEntry(t.Context(), "w-x-101"); ok || err != nil {
				t.Errorf("an entry that was not told is still there: %v", err)
			}
		}
		if n > perDay*40 {
			most = max(most, lines())
		}
	}
	if most > 2*atMonth {
		t.Errorf("the log had %d lines after 40 days and %d at most later", atMonth, most)
	}
	for query, want := range map[string][2]int{
		"SELECT count(*) FROM mind_ticks":                                                            {300, 300 + 3*24 + 16},
		"SELECT count(*) FROM mind_entries_gone":                                                     {30 * perDay, 50 * perDay},
		"SELECT count(*) FROM mind_inputs":                                                           {0, 0},
		"SELECT count(*) FROM mind_told":                                                             {0, 0},
		"SELECT count(*) FROM mind_entry_log WHERE entry = 'w-x-100'":                                {0, 0},
		"SELECT count(*) FROM mind_incidents":                                                        {365 * perDay, 400 * perDay},
		"SELECT count(*) FROM mind_incidents WHERE key IN ('forever', 'health:held')":                {2, 2},
		"SELECT count(*) FROM mind_incident_links WHERE key NOT IN (SELECT key FROM mind_incidents)": {0, 0},
	} {
		if n := rows(t, db, query); n < want[0] || n > want[1] {
			t.Errorf("%s: %d, want %d to %d", query, n, want[0], want[1])
		}
	}
	records, err := minds.Records(t.Context(), 0, 100000)
	if err != nil || len(records) < 300 || records[0].Tick != perDay*days {
		t.Fatalf("%d records that can be read: %v", len(records), err)
	}
}
