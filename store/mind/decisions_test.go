package mind_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestDecisions(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	berlin := time.FixedZone("", 3600)
	at := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour).In(berlin) }
	all := []mind.Decision{
		decided("i-disk-1", at(0), "hold", "quiet_hours"),
		decided("i-disk-1", at(1), mind.VerdictTell, "escalate"),
		decided("i-disk-1", at(2), "drop", "duplicate"),
		decided("i-disk-1", at(3), mind.VerdictTell, "escalate"),
		decided("i-fair-2", at(2), "hold", mind.ReasonDigest),
		decided("i-fair-2", at(4), mind.VerdictTell, mind.ReasonDigest),
		decided("i-swap-3", at(4), "drop", "low_confidence"),
	}
	c := next(load(t, minds))
	c.Decisions = all
	commit(t, db, minds, c)
	got, err := minds.Decisions(t.Context(), "i-disk-1", 10)
	if diff := cmp.Diff(all[:4], got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if got, err = minds.Decisions(t.Context(), "i-disk-1", 2); err != nil || !cmp.Equal(got, all[2:4]) {
		t.Errorf("the newest two: %+v, %v", got, err)
	}
	if got, err = minds.Decisions(t.Context(), "i-nothing-1", 2); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	// A request without evidence has no incident that people know.
	c = next(c.State)
	c.Decisions = []mind.Decision{decided("", at(-1), "drop", "no_evidence")}
	commit(t, db, minds, c)
	if got, err = minds.Decisions(t.Context(), "", 2); err != nil || len(got) != 0 {
		t.Errorf("of no incident: %+v, %v", got, err)
	}
	for since, want := range map[int]mind.DecisionSum{
		-1: {Reasons: map[string]int{"quiet_hours": 1, "escalate": 2, "duplicate": 1, "digest": 2, "low_confidence": 1, "no_evidence": 1}, Told: 2, Again: 1, Digested: 1},
		0:  {Reasons: map[string]int{"quiet_hours": 1, "escalate": 2, "duplicate": 1, "digest": 2, "low_confidence": 1}, Told: 2, Again: 1, Digested: 1},
		// Told once since then, and once before.
		3: {Reasons: map[string]int{"escalate": 1, "digest": 1, "low_confidence": 1}, Told: 2, Again: 1, Digested: 1},
		5: {Reasons: map[string]int{}},
	} {
		sum, err := minds.DecisionCounts(t.Context(), at(since))
		if diff := cmp.Diff(want, sum); diff != "" || err != nil {
			t.Errorf("since %d: %s %v", since, diff, err)
		}
	}
}

func TestDecisionsAreBounded(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	for name, spoil := range map[string]func(*mind.Decision){
		"no time":    func(d *mind.Decision) { d.At = time.Time{} },
		"no verdict": func(d *mind.Decision) { d.Verdict = "" },
		"no reason":  func(d *mind.Decision) { d.Reason = "" },
		"too much":   func(d *mind.Decision) { d.JSON = make([]byte, 64<<10+1) },
	} {
		c := next(load(t, minds))
		c.Decisions = []mind.Decision{decided("i-disk-1", noon, "hold", "presence")}
		spoil(&c.Decisions[0])
		if err := tryCommit(t.Context(), db, minds, c); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}

// A year and a half with two ticks a day: what was decided of an incident that
// was told outlives the rest, and nothing grows.
func TestWhatWasToldIsKeptForAYear(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	state := load(t, minds)
	const perDay, days = 2, 560
	for n := range perDay * days {
		c := nextAfter(state, 24*time.Hour/perDay)
		at := c.Record.At
		c.Decisions = []mind.Decision{decided(subconscious.IncidentID(fmt.Sprint("i-", n)), at, "drop", "low_confidence")}
		if n == 10 || n%perDay == 0 && n > 200 {
			// One incident that is told once, and one that is told daily.
			id := subconscious.IncidentID("i-daily")
			if n == 10 {
				id = "i-once"
			}
			c.Decisions = append(c.Decisions, decided(id, at.Add(-time.Hour), "hold", "presence"), decided(id, at, mind.VerdictTell, "escalate"))
		}
		c.Pushes = []mind.Push{{At: at, Kind: "incident"}}
		c.Scores = []subconscious.Score{{Thread: subconscious.Watcher, Source: fmt.Sprint("sense-", n), Kind: subconscious.KindAnomaly, Useful: n, Updated: at}}
		asked := *waiting(subconscious.IncidentID(fmt.Sprint("i-", n)), at)
		asked.Waits = n < 3
		if n == 1 {
			asked.Waits, asked.Remind = false, at.AddDate(2, 0, 0)
		}
		one := told(asked)
		one.LastSeen = at
		c.Incidents = []subconscious.Incident{one}
		commit(t, db, minds, c)
		state = c.State
		if n == perDay*300 {
			if got, err := minds.Decisions(t.Context(), "i-once", 10); err != nil || len(got) != 2 {
				t.Errorf("what was told, 295 days later: %+v, %v", got, err)
			}
			if got, err := minds.Decisions(t.Context(), "i-11", 10); err != nil || len(got) != 0 {
				t.Errorf("what was not told, 295 days later: %+v, %v", got, err)
			}
			if err := minds.AddMissed(t.Context(), mind.Missed{At: at.AddDate(-1, 0, 0), Text: "long ago"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for query, want := range map[string][2]int{
		"SELECT count(*) FROM mind_decisions WHERE verdict = 'drop'":                       {30 * perDay, 60 * perDay},
		"SELECT count(*) FROM mind_decisions WHERE person = 'i-once'":                      {0, 0},
		"SELECT count(*) FROM mind_decisions WHERE person = 'i-daily'":                     {365 * 2, 400 * 2},
		"SELECT count(*) FROM mind_pushes":                                                 {40 * perDay, 50 * perDay},
		"SELECT count(*) FROM mind_missed":                                                 {0, 0},
		"SELECT count(*) FROM mind_scores":                                                 {perDay * days, perDay * days},
		"SELECT count(*) FROM mind_incidents WHERE person IN ('i-0', 'i-1', 'i-2')":        {3, 3},
		"SELECT count(*) FROM mind_incidents WHERE person IN ('i-3', 'i-4', 'i-5', 'i-6')": {0, 0},
	} {
		if n := rows(t, db, query); n < want[0] || n > want[1] {
			t.Errorf("%s: %d, want %d to %d", query, n, want[0], want[1])
		}
	}
}
