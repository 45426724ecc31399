package mind_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// told returns an incident with that telling.
func told(t subconscious.Telling) subconscious.Incident {
	return subconscious.Incident{Key: subconscious.IncidentKey("key of " + t.ID), LastSeen: noon, Telling: &t}
}

// keep commits incidents in a tick of their own.
func keep(t testing.TB, minds *mind.Store, db *store.DB, incidents ...subconscious.Incident) {
	t.Helper()
	c := next(load(t, minds))
	c.Incidents = incidents
	commit(t, db, minds, c)
}

func ids(incidents []subconscious.Incident) (names []string) {
	for _, incident := range incidents {
		names = append(names, string(incident.Telling.ID))
	}
	return names
}

func liveIDs(t *testing.T, minds *mind.Store, limit int) []string {
	t.Helper()
	live, err := minds.LiveIncidents(t.Context(), limit)
	if err != nil {
		t.Fatal(err)
	}
	return ids(live)
}

func TestWhatIsLive(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	at := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }
	all := []subconscious.Incident{
		told(*waiting("a-waits", at(1))),
		told(subconscious.Telling{ID: "b-dropped", State: subconscious.TellingOpen, Since: at(9)}),
		told(subconscious.Telling{ID: "c-told", State: subconscious.TellingTold, Since: at(2)}),
		told(subconscious.Telling{ID: "d-acknowledged", State: subconscious.TellingAcknowledged, Since: at(3)}),
		told(subconscious.Telling{ID: "e-snoozed", State: subconscious.TellingSnoozed, Since: at(4)}),
		told(subconscious.Telling{ID: "f-dismissed", State: subconscious.TellingDismissed, Since: at(5)}),
		told(subconscious.Telling{ID: "g-resolved", State: subconscious.TellingResolved, Since: at(6)}),
		told(subconscious.Telling{ID: "h-reopened", State: subconscious.TellingReopened, Since: at(7)}),
		told(subconscious.Telling{ID: "i-over-to-remind", State: subconscious.TellingResolved, Since: at(8), Remind: at(500)}),
		{Key: "never asked for", LastSeen: noon},
	}
	keep(t, minds, db, all...)
	want := []string{"a-waits", "c-told", "d-acknowledged", "e-snoozed", "h-reopened", "i-over-to-remind"}
	if diff := cmp.Diff(want, liveIDs(t, minds, 100)); diff != "" {
		t.Error(diff)
	}
	// What must not be forgotten is in the smallest selection.
	for limit, want := range map[int][]string{1: {"a-waits"}, 2: {"a-waits", "i-over-to-remind"}, 3: {"a-waits", "h-reopened", "i-over-to-remind"}} {
		if diff := cmp.Diff(want, liveIDs(t, minds, limit)); diff != "" {
			t.Errorf("at most %d: %s", limit, diff)
		}
	}

	// The columns follow the incident.
	over := *all[0].Telling
	over.Waits, over.State = false, subconscious.TellingResolved
	keep(t, minds, db, told(over))
	if live := liveIDs(t, minds, 100); slices.Contains(live, "a-waits") {
		t.Errorf("still live: %v", live)
	}
	keep(t, minds, db, subconscious.Incident{Key: "key of c-told", LastSeen: noon})
	if _, ok, err := minds.IncidentByID(t.Context(), "c-told"); ok || err != nil {
		t.Errorf("found without its telling: %v", err)
	}
	for _, id := range []subconscious.IncidentID{"", "i-nothing-1"} {
		if _, ok, err := minds.IncidentByID(t.Context(), id); ok || err != nil {
			t.Errorf("%q: %v %v", id, ok, err)
		}
	}
	if incident, ok, err := minds.IncidentByID(t.Context(), "b-dropped"); !ok || err != nil || !cmp.Equal(incident, all[1]) {
		t.Errorf("%+v %v %v", incident, ok, err)
	}
}

func inboxPage(t *testing.T, minds *mind.Store, query mind.InboxQuery) ([]string, string) {
	t.Helper()
	page, before, err := minds.Inbox(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	return ids(page), before
}

func TestInboxPages(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	var incidents []subconscious.Incident
	for n := range 25 {
		// Five are of the same moment.
		since := noon.Add(time.Duration(n/5) * time.Minute)
		incidents = append(incidents, told(*waiting(subconscious.IncidentID(fmt.Sprintf("i-%02d", n)), since)))
	}
	incidents[7].Telling.Waits = false
	keep(t, minds, db, incidents...)
	var pages [][]string
	query := mind.InboxQuery{Limit: 8}
	for {
		page, before := inboxPage(t, minds, query)
		pages = append(pages, page)
		if before == "" {
			break
		}
		query.Before = before
	}
	var want []string
	for n := 24; n >= 0; n-- {
		if n != 7 {
			want = append(want, fmt.Sprintf("i-%02d", n))
		}
	}
	if len(pages) != 3 || !slices.Equal(slices.Concat(pages...), want) {
		t.Errorf("%v", pages)
	}
	if page, before := inboxPage(t, minds, mind.InboxQuery{All: true, Limit: 25}); len(page) != 25 || before != "" {
		t.Errorf("all: %v %q", page, before)
	}

	// Between two pages one of the first page and one that was not shown yet
	// change, and one is new: the second page is what it would have been, but
	// for the one that is now in front.
	first, before := inboxPage(t, minds, mind.InboxQuery{Limit: 8})
	later := noon.Add(time.Hour)
	keep(t, minds, db, told(*waiting("i-24", later)), told(*waiting("i-10", later)), told(*waiting("i-new", later)))
	second, _ := inboxPage(t, minds, mind.InboxQuery{Limit: 8, Before: before})
	if want := []string{"i-16", "i-15", "i-14", "i-13", "i-12", "i-11", "i-09", "i-08"}; !slices.Equal(second, want) {
		t.Errorf("after %v came %v", first, second)
	}
}

func TestInboxRefusesMarksThatAreNone(t *testing.T) {
	minds, _ := newStore(t, store.Memory)
	for _, mark := range []string{"x", "_", "1_", "_1", "1_2_3", "ü_1", "zzzzzzzzzzzzzzzzzzzz_1", "' OR 1=1"} {
		_, _, err := minds.Inbox(t.Context(), mind.InboxQuery{Before: mark, Limit: 1})
		var plain *store.Error
		if !errors.As(err, &plain) || plain.Code != store.CodeInput || plain.Next == "" {
			t.Errorf("%q: %v", mark, err)
		}
	}
	for _, query := range []mind.InboxQuery{{}, {Limit: -3}, {Before: "-1_-1"}} {
		if page, before, err := minds.Inbox(t.Context(), query); err != nil || len(page) != 0 || before != "" {
			t.Errorf("%+v: %v %q %v", query, page, before, err)
		}
	}
}

func TestFeedbackCounts(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	one := func(id subconscious.IncidentID, word subconscious.Feedback, times ...time.Time) subconscious.Incident {
		telling := subconscious.Telling{ID: id, State: subconscious.TellingTold, Since: noon, Feedback: word}
		for _, at := range times {
			telling.Told = append(telling.Told, subconscious.Told{At: at})
		}
		return told(telling)
	}
	before, after := noon.Add(-time.Second), noon.Add(time.Hour)
	keep(t, minds, db,
		one("a", subconscious.Useful, noon), one("b", subconscious.Useful, before, after), one("c", subconscious.NotUseful, after),
		one("d", "", after), one("e", subconscious.Dismissed, before), one("f", subconscious.Missed))
	got, err := minds.FeedbackCounts(t.Context(), noon)
	want := map[subconscious.Feedback]int{subconscious.Useful: 2, subconscious.NotUseful: 1}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// What a deliberation kept back, or has under way, was not told.
func TestKeptBackIsNotCounted(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	one := func(id subconscious.IncidentID, times ...subconscious.Told) subconscious.Incident {
		return told(subconscious.Telling{ID: id, State: subconscious.TellingAcknowledged, Since: noon, Feedback: subconscious.Useful, Told: times})
	}
	before, after := noon.Add(-time.Hour), noon.Add(time.Hour)
	keep(t, minds, db,
		one("a", subconscious.Told{At: after, Outcome: subconscious.OutcomeDismissed}), one("b", subconscious.Told{At: after, Outcome: subconscious.OutcomePending}),
		one("c", subconscious.Told{At: before}, subconscious.Told{At: after, Outcome: subconscious.OutcomeSnoozed}),
		one("d", subconscious.Told{At: after, Outcome: subconscious.OutcomeActed}), one("e", subconscious.Told{At: after}, subconscious.Told{At: after, Outcome: subconscious.OutcomeRemembered}))
	got, err := minds.FeedbackCounts(t.Context(), noon)
	if diff := cmp.Diff(map[subconscious.Feedback]int{subconscious.Useful: 2}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	c := next(load(t, minds))
	c.Decisions = []mind.Decision{
		decided("a", after, mind.VerdictTell, "escalate"), decided("a", after, "drop", mind.ReasonKeptBack),
		decided("b", after, mind.VerdictTell, "escalate"), decided("b", after, "hold", mind.ReasonKeptBack), decided("b", after, mind.VerdictTell, "escalate"),
		decided("c", after, mind.VerdictTell, "escalate"), decided("c", after, mind.VerdictTell, "escalate"), decided("c", after, "drop", mind.ReasonKeptBack), decided("c", after, mind.VerdictTell, "escalate"),
		decided("d", after, mind.VerdictTell, mind.ReasonDigest), decided("e", after, "drop", mind.ReasonKeptBack),
	}
	commit(t, db, minds, c)
	sum, err := minds.DecisionCounts(t.Context(), noon)
	if sum.Told != 3 || sum.Again != 1 || sum.Digested != 1 || sum.Reasons[mind.ReasonKeptBack] != 4 || err != nil {
		t.Errorf("%+v, %v", sum, err)
	}
}
