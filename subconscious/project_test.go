package subconscious_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/subconscious/documenttest"
)

func project(t interface{ Fatal(...any) }, s subconscious.State, tokens int) (subconscious.Document, int) {
	out, err := subconscious.Project(s, tokens)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := documenttest.Decode(out)
	if err != nil {
		t.Fatal(err, string(out))
	}
	return doc, len(out)
}

// TestDocument: what of a state is published, and in which order.
func TestDocument(t *testing.T) {
	s := fullState(languages["english"])
	s.Entries[3].Strength, s.Entries[3].Over = 9, true
	s.Parked = []subconscious.Entry{{ID: "w-parked-1", Summary: "parked"}}
	doc := s.Document()
	if doc.Version != 1 || doc.TickCount != 123456 || !doc.LastTick.Equal(s.LastTick) {
		t.Errorf("%+v", doc)
	}
	first := doc.ActiveThreads[0]
	if first.ID != s.Entries[3].ID || first.Strength != 9 || !first.Over || len(first.Evidence) != 2 || first.Evidence[0] != string(s.Entries[3].Evidence[0].Ref) ||
		!first.Due.Equal(s.Entries[3].Due) || !first.Created.Equal(s.Entries[3].Created) || !first.LastSeen.Equal(s.Entries[3].LastSeen) || first.Kind != s.Entries[3].Kind {
		t.Errorf("%+v", first)
	}
	if len(doc.ActiveThreads) != 5 || len(doc.Patterns) != 5 || len(doc.Hunches) != 5 || len(doc.Insights) != 3 {
		t.Errorf("%d %d %d %d", len(doc.ActiveThreads), len(doc.Patterns), len(doc.Hunches), len(doc.Insights))
	}
	if len(doc.EscalationHistory) != 5 || !reflect.DeepEqual(doc.EscalationHistory, s.History[2:]) {
		t.Errorf("%+v", doc.EscalationHistory)
	}
	if w := doc.ThreadState["oracle"]; len(w.LastFindings) != 3 || w.NoveltyPressure != 2 || w.FocusHint == "" || w.Health != "ok" {
		t.Errorf("%+v", w)
	}
	if strings.Contains(asJSON(t, doc), "parked") {
		t.Error("what is parked is published")
	}
}

// TestDocumentOrder: the strongest first, then the most important, the newest,
// and by id.
func TestDocumentOrder(t *testing.T) {
	at := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	entry := func(id subconscious.EntryID, strength, importance int, ago time.Duration) subconscious.Entry {
		return subconscious.Entry{ID: id, List: subconscious.Hunches, Kind: subconscious.KindIdea, Summary: "x", Strength: strength, Importance: importance, LastSeen: at.Add(-ago)}
	}
	s := subconscious.State{Entries: []subconscious.Entry{entry("a-e-5", 2, 5, 0), entry("a-e-4", 2, 5, 0), entry("a-e-3", 2, 5, time.Hour),
		entry("a-e-2", 2, 9, time.Hour), entry("a-e-1", 3, 1, time.Hour)}}
	var ids []string
	for _, e := range s.Document().Hunches {
		ids = append(ids, string(e.ID))
	}
	if got := strings.Join(ids, " "); got != "a-e-1 a-e-2 a-e-4 a-e-5 a-e-3" {
		t.Error(got)
	}
}

// TestEmptyDocument: all lists are always present.
func TestEmptyDocument(t *testing.T) {
	out, err := subconscious.Project(subconscious.State{}, 200)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"version":1,"tick_count":0,"last_tick":"0001-01-01T00:00:00Z","active_threads":[],"patterns":[],"hunches":[],"insights":[],"escalation_history":[],"thread_state":{}}`
	if string(out) != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
	if _, err := subconscious.Project(subconscious.State{}, 50); err == nil || !strings.Contains(err.Error(), "over 50 tokens") {
		t.Errorf("an empty document within 50 tokens: %v", err)
	}
}

// TestTrimming takes one thing away after the other, in this order.
func TestTrimming(t *testing.T) {
	s := fullState(languages["english"])
	whole := s.Document()
	last := -1
	for tokens := 4000; tokens >= 100; tokens -= 11 {
		doc, _ := project(t, s, tokens)
		stage := 0
		findings := slices.ContainsFunc([]subconscious.ThreadName{"watcher", "librarian", "oracle", "dreamer"}, func(n subconscious.ThreadName) bool {
			return len(doc.ThreadState[n].LastFindings) > 0
		})
		entries := slices.Concat(doc.ActiveThreads, doc.Patterns, doc.Hunches, doc.Insights)
		second := slices.ContainsFunc(entries, func(e subconscious.DocumentEntry) bool { return len(e.Evidence) > 1 })
		created := slices.ContainsFunc(entries, func(e subconscious.DocumentEntry) bool { return !e.Created.IsZero() })
		hints := doc.ThreadState["watcher"].FocusHint != ""
		trimmed := []bool{len(doc.EscalationHistory) < 5, len(doc.EscalationHistory) == 0, !findings, !second, !created, len(entries) < 18, len(entries) == 0, !hints, len(doc.ThreadState) < 4}
		for _, so := range trimmed {
			if so {
				stage++
			}
		}
		// What comes later is trimmed only where all before is.
		if !slices.IsSortedFunc(trimmed, func(a, b bool) int { return map[bool]int{true: 0, false: 1}[a] - map[bool]int{true: 0, false: 1}[b] }) {
			t.Fatalf("within %d tokens it is trimmed out of order: %v", tokens, trimmed)
		}
		if stage < last {
			t.Fatalf("within %d tokens more is shown than within %d", tokens, tokens+11)
		}
		last = stage
		if stage == 0 && asJSON(t, doc) != asJSON(t, whole) {
			t.Fatalf("within %d tokens it is not the whole document", tokens)
		}
	}
	if last != 9 {
		t.Errorf("within 100 tokens %d of 9 steps were taken", last)
	}
}

// TestTrimmedHistory: the oldest goes first.
func TestTrimmedHistory(t *testing.T) {
	s := fullState(languages["english"])
	for tokens := 4000; tokens > 1500; tokens -= 20 {
		doc, _ := project(t, s, tokens)
		n := len(doc.EscalationHistory)
		if !reflect.DeepEqual(asJSON(t, doc.EscalationHistory), asJSON(t, append([]subconscious.EscalationRecord{}, s.History[7-n:]...))) {
			t.Fatalf("within %d tokens the history is %+v", tokens, doc.EscalationHistory)
		}
	}
}

// TestTrimmedEntries: entries go in prune order, whatever list they are in.
func TestTrimmedEntries(t *testing.T) {
	s := fullState(languages["english"])
	inOrder := slices.Clone(s.Entries)
	slices.SortFunc(inOrder, func(a, b subconscious.Entry) int { return subconscious.PruneOrder(a, b, s.LastTick) })
	counts := map[int]bool{}
	for tokens := 2000; tokens >= 150; tokens -= 8 {
		doc, _ := project(t, s, tokens)
		var shown []subconscious.EntryID
		for _, e := range slices.Concat(doc.ActiveThreads, doc.Patterns, doc.Hunches, doc.Insights) {
			shown = append(shown, e.ID)
		}
		counts[len(shown)] = true
		for _, e := range inOrder[len(inOrder)-len(shown):] {
			if !slices.Contains(shown, e.ID) {
				t.Fatalf("within %d tokens %v are shown, without %s", tokens, shown, e.ID)
			}
		}
	}
	if len(counts) < 15 {
		t.Errorf("only %v entries were shown", counts)
	}
}

// TestProjectProperties: never over the bound, always decodes, nothing trimmed
// where it fits, the state never changed.
func TestProjectProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		before := asJSON(t, s)
		tokens := rapid.IntRange(100, 2000).Draw(t, "tokens")
		_, size := project(t, s, tokens)
		if subconscious.EstimateTokens(size) > tokens {
			t.Fatalf("%d bytes are over %d tokens", size, tokens)
		}
		whole, _ := project(t, s, math.MaxInt32)
		if asJSON(t, whole) != asJSON(t, s.Document()) {
			t.Fatal("something is trimmed that fits")
		}
		if after := asJSON(t, s); after != before {
			t.Fatalf("the state was\n%s\nand is\n%s", before, after)
		}
	})
}

// TestPublishedTimes: to the second, in the zone they have; and what JSON cannot
// hold does not keep the document from being published.
func TestPublishedTimes(t *testing.T) {
	s := fullState(languages["short"])
	s.LastTick = time.Date(2026, 11, 2, 8, 10, 0, 999999999, zone)
	s.Entries[0].Due = time.Date(30000, 1, 1, 0, 0, 0, 0, time.UTC)
	s.Entries[0].Created = time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC)
	out, err := subconscious.Project(s, 2000)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), `"last_tick":"2026-11-02T08:10:00+01:00"`) {
		t.Errorf("%s", out)
	}
	doc := s.Document()
	for _, e := range doc.ActiveThreads {
		if e.ID == s.Entries[0].ID && (!e.Due.IsZero() || !e.Created.IsZero()) {
			t.Errorf("%+v", e)
		}
	}
}

// TestMarkup: < and > and & are written as they are.
func TestMarkup(t *testing.T) {
	s := fullState([]string{"a <b> & \"c\" \u2028 d"})
	out, err := subconscious.Project(s, 2000)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), `"summary":"a <b> & \"c\" d"`) || strings.HasSuffix(string(out), "\n") {
		t.Errorf("%s", out)
	}
}

// TestPruneOrder: no gain before what stands before new evidence, then strength,
// importance, longest unseen, id.
func TestPruneOrder(t *testing.T) {
	at := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	stands := []subconscious.Held{{Standing: true}}
	inOrder := []subconscious.Entry{
		{ID: "none-weak", Strength: 1, Importance: 9, LastSeen: at.Add(-1)},
		{ID: "none", Strength: 9, Importance: 9, LastSeen: at.Add(-1)},
		{ID: "stands-weak", Strength: 1, Importance: 9, LastSeen: at.Add(-1), Evidence: stands},
		{ID: "stands-unimportant", Strength: 2, Importance: 3, LastSeen: at.Add(-1), Evidence: stands},
		{ID: "stands-unseen", Strength: 2, Importance: 4, LastSeen: at.Add(-2), Evidence: stands},
		{ID: "stands-a", Strength: 2, Importance: 4, LastSeen: at.Add(-1), Evidence: stands},
		{ID: "stands-b", Strength: 2, Importance: 4, LastSeen: at.Add(-1), Evidence: stands},
		{ID: "new", Strength: 1, Importance: 1, LastSeen: at},
		{ID: "new-stands", Strength: 2, Importance: 1, LastSeen: at, Evidence: stands},
	}
	for i, a := range inOrder {
		for j, b := range inOrder {
			if got := subconscious.PruneOrder(a, b, at); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%s and %s compare as %d", a.ID, b.ID, got)
			}
		}
	}
}

// TestStands: a connection stands while all that it connects stands, anything
// else while some of its own evidence does.
func TestStands(t *testing.T) {
	yes, no, aside := subconscious.Held{Standing: true}, subconscious.Held{}, subconscious.Held{Standing: true, Aside: true}
	pair := subconscious.PairKey("a", "b")
	for _, c := range []struct {
		incident subconscious.IncidentKey
		evidence []subconscious.Held
		want     bool
	}{
		{"a", nil, false}, {"a", []subconscious.Held{no}, false}, {"a", []subconscious.Held{yes, no}, true}, {"a", []subconscious.Held{no, aside}, false},
		{pair, nil, false}, {pair, []subconscious.Held{yes, no}, false}, {pair, []subconscious.Held{yes, yes}, true},
		{pair, []subconscious.Held{yes, {Aside: true}}, true}, {pair, []subconscious.Held{aside}, false},
	} {
		if got := (subconscious.Entry{Incident: c.incident, Evidence: c.evidence}).Stands(); got != c.want {
			t.Errorf("%s with %+v stands: %v", c.incident, c.evidence, got)
		}
	}
}

// TestLookingUp: entries by list, and by id wherever they are.
func TestLookingUp(t *testing.T) {
	s := subconscious.State{Entries: []subconscious.Entry{{ID: "a", List: subconscious.Hunches}, {ID: "b", List: subconscious.Insights}},
		Parked: []subconscious.Entry{{ID: "c"}}}
	if in := s.In(subconscious.Insights); len(in) != 1 || in[0].ID != "b" || s.In(subconscious.Patterns) != nil {
		t.Errorf("%+v", in)
	}
	for _, id := range []subconscious.EntryID{"a", "b", "c"} {
		if e, ok := s.Entry(id); !ok || e.ID != id {
			t.Errorf("%s: %+v", id, e)
		}
	}
	if _, ok := s.Entry("d"); ok {
		t.Error("d is there")
	}
}
