package reflex_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
)

// hostile draws snapshots of whatever a stranger could bring about.
type hostile struct{ *rapid.T }

func (h hostile) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(h.T, label)
}

// text is mostly words that rules look for, and sometimes anything at all.
func (h hostile) text(label string) string {
	switch rapid.IntRange(0, 5).Draw(h.T, label+" kind") {
	case 0:
		return ""
	case 1:
		return rapid.String().Draw(h.T, label)
	case 2:
		return strings.Repeat(h.pick(label, "wide ", "界", "x", "%s ", "\u202e", "…", "a/"), rapid.IntRange(1, 300).Draw(h.T, label+" times"))
	}
	words := []string{"lighthouse", "Heligoland", "review", "RE-4711", "by Friday", ", Mon 23 Nov 10:00", "projector", "2026-11-27", "%d", "harbour", "the", "\"", "is", " failed "}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 12).Draw(h.T, label), " ")
}

func (h hostile) time(label string, at time.Time) time.Time {
	switch rapid.IntRange(0, 9).Draw(h.T, label+" kind") {
	case 0:
		return time.Time{}
	case 1:
		return time.Unix(rapid.Int64Range(-1e11, 1e11).Draw(h.T, label), 0)
	}
	return at.Add(time.Duration(rapid.IntRange(-3*24*60, 8*24*60).Draw(h.T, label)) * time.Minute)
}

func (h hostile) observation(n int, at time.Time) subconscious.Observation {
	senses := []string{"calendar", "calendar", "notes", "notes", "health", "files", "person", "mail", "mail", "mail", "calendar"}
	o := subconscious.Observation{
		Sense: h.pick("sense", senses...), Instance: "sample", Seq: int64(n + 1), Title: h.text("title"), Text: h.text("text"),
		Change: subconscious.Change(h.pick("change", "appeared", "appeared", "appeared", "changed", "gone", "momentary")),
		Kind: h.pick("kind", "event", "promise", "note", "disk", "inodes", "memory", "unit", "restarts", "battery", "file", "odd",
			"mail", "request", "deadline", "promise", "awaiting"),
		ID:       h.pick("id", "disk:/", "unit:a", "work/a", "work/b/*", "work/c/", "/n/a#", "uid/", "mid:", "") + fmt.Sprint(n%97),
		At:       h.time("at", at),
		Due:      h.time("due", at),
		Severity: subconscious.Severity(rapid.IntRange(-1, 4).Draw(h.T, "severity")),
		BandOnly: rapid.IntRange(0, 4).Draw(h.T, "band") == 0,
		Attrs:    map[string]string{},
	}
	for range rapid.IntRange(0, 6).Draw(h.T, "attributes") {
		switch key := h.pick("attribute", "end", "moved_from", "full_at", "location", "partstat", "transparent", "all_day", "recurring", "zone",
			"used_percent", "free_bytes", "action", "from", "files", "deleted", "secret", "config", "date_text", "file", "what", "trend", "status",
			"from", "from_name", "to", "thread", "received", "addressed", "known", "seen", "asks", "urgent", "awaited", "list", "bulk", "automated", "junk"); key {
		case "received":
			o.Attrs[key] = h.time(key, at).Format(time.RFC3339)
		case "known":
			o.Attrs[key] = h.pick(key, "1", "2", "40", "-1", "many", "99999999999999")
		case "thread":
			o.Attrs[key] = h.pick(key, "mid:a@example.com", "mid:b@example.com", "", h.text(key))
		case "end", "moved_from", "full_at":
			o.Attrs[key] = h.time(key, at).Format(time.RFC3339)
		default:
			o.Attrs[key] = h.pick(key, "true", "free", "declined", "needs-action", "America/New_York", "../x", "96", "999999999", "created", "burst", "renamed",
				"deleted", "changed", "falling", "Harbour Street 12, Lindau", "Station Road 3, Bregenz", "Room 3", "by Friday", "", h.text(key))
		}
	}
	for range rapid.IntRange(0, 3).Draw(h.T, "links") {
		o.Links = append(o.Links, h.pick("link", "uid:uid", "uid:other", "disk:/1", "unit:a2", "invoice:4711", "url:https://example.org/x", "file:/n/a", "odd", "url:", "mid:1"))
	}
	return o
}

func (h hostile) snapshot(thread subconscious.ThreadName) subconscious.Snapshot {
	zone := time.FixedZone("sample", rapid.IntRange(-12, 14).Draw(h.T, "zone")*3600)
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, zone)
	w := newWorld()
	field := subconscious.Field{Level: rapid.IntRange(0, 3).Draw(h.T, "level"), History: map[subconscious.Ref][]subconscious.Occurrence{}}
	field.Ahead = threads.AheadOf(field.Level)
	state := subconscious.State{Version: 1}
	observations := rapid.IntRange(0, 40).Draw(h.T, "observations")
	for n := range observations {
		o := h.observation(n, at)
		if slices.ContainsFunc(slices.Concat(field.New, field.Wider), func(x subconscious.Observation) bool { return x.Ref() == o.Ref() }) {
			continue
		}
		if _, known := w.known[o.Ref()]; known {
			continue
		}
		if o.Stands() {
			w.add(o)
		}
		switch rapid.IntRange(0, 3).Draw(h.T, "where") {
		case 0:
			field.Wider = append(field.Wider, o)
		case 1:
		default:
			field.New = append(field.New, o)
		}
		for past := range rapid.IntRange(0, 8).Draw(h.T, "history") {
			field.History[o.Ref()] = append(field.History[o.Ref()], subconscious.Occurrence{
				Seq: int64(1000 + past), At: at.Add(-time.Duration(past*rapid.IntRange(1, 40).Draw(h.T, "ago")) * time.Hour),
				Change: o.Change, Severity: o.Severity})
		}
		if rapid.IntRange(0, 3).Draw(h.T, "followed") == 0 {
			state.Entries = append(state.Entries, h.entry(thread, o, w))
		}
	}
	return subconscious.Snapshot{Tick: 1, At: at, Zone: zone, Kind: subconscious.Scheduled, State: state, World: w,
		Fields: map[subconscious.ThreadName]subconscious.Field{thread: field}}
}

func (h hostile) entry(thread subconscious.ThreadName, o subconscious.Observation, w *world) subconscious.Entry {
	rules := reflex.Rules(thread)
	e := subconscious.Entry{Incident: o.Key(), Sources: []subconscious.ThreadName{thread}, Rule: rapid.SampledFrom(rules).Draw(h.T, "rule").Name,
		Evidence: []subconscious.Held{{Citation: subconscious.Citation{Ref: o.Ref(), Seq: o.Seq}}}}
	for _, ref := range slices.Sorted(func(yield func(subconscious.Ref) bool) {
		for ref := range w.known {
			if !yield(ref) {
				return
			}
		}
	}) {
		if other := w.known[ref]; ref != o.Ref() && rapid.Bool().Draw(h.T, "pair") {
			e.Incident = subconscious.PairKey(o.Key(), other.Key())
			e.Evidence = append(e.Evidence, subconscious.Held{Citation: subconscious.Citation{Ref: ref}})
			break
		}
	}
	return e
}

func think(t interface{ Fatal(...any) }, snapshot subconscious.Snapshot, thread subconscious.ThreadName) subconscious.Thought {
	answer, err := reflex.New(thread).Think(context.Background(), snapshot)
	thought := answer.Thought
	if err != nil {
		t.Fatal(err)
	}
	return thought
}

// TestProperties: whatever a thread is shown, it cites nothing else, says one
// observation an incident in bounded and printable words, and says the same
// whatever the order.
func TestProperties(t *testing.T) {
	for _, thread := range subconscious.Threads() {
		t.Run(string(thread), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				h := hostile{t}
				snapshot := h.snapshot(thread)
				thought := think(t, snapshot, thread)
				checkThought(t, snapshot, thought)

				field := snapshot.Fields[thread]
				random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
				shuffled := field
				shuffled.New, shuffled.Wider = slices.Clone(field.New), slices.Clone(field.Wider)
				random.Shuffle(len(shuffled.New), func(i, j int) { shuffled.New[i], shuffled.New[j] = shuffled.New[j], shuffled.New[i] })
				random.Shuffle(len(shuffled.Wider), func(i, j int) { shuffled.Wider[i], shuffled.Wider[j] = shuffled.Wider[j], shuffled.Wider[i] })
				snapshot.Fields = map[subconscious.ThreadName]subconscious.Field{thread: shuffled}
				if again := think(t, snapshot, thread); cmp.Diff(thought, again) != "" {
					t.Errorf("the order of what is new matters:\n%s", cmp.Diff(thought, again))
				}
			})
		})
	}
}

// TestEqualContent: what is found follows from what observations say, and not
// from what identities they have.
func TestEqualContent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
		h := hostile{t}
		observations := make([]subconscious.Observation, rapid.IntRange(2, 12).Draw(t, "observations"))
		for i := range observations {
			observations[i] = h.observation(i, at)
			observations[i].Sense, observations[i].Change = h.pick("sense", "calendar", "notes"), subconscious.Appeared
		}
		ids := rapid.Permutation(observations).Draw(t, "identities")
		var sums [2][]string
		for round := range 2 {
			w, field := newWorld(), subconscious.Field{Ahead: threads.Ahead}
			for i, o := range observations {
				if o.ID = fmt.Sprintf("%s item %d", o.Sense, i); round == 1 {
					o.ID = "other " + ids[i].Sense + fmt.Sprint(i)
				}
				w.add(o)
				field.New = append(field.New, o)
			}
			for _, thread := range subconscious.Threads() {
				for _, f := range think(t, subconscious.Snapshot{At: at, Zone: time.UTC, World: w,
					Fields: map[subconscious.ThreadName]subconscious.Field{thread: field}}, thread).Findings {
					if f.Kind == subconscious.KindRisk && len(f.Evidence) == 2 {
						continue // of two events at the same time either may be named first
					}
					sum := fmt.Sprint(f.Rule, f.Importance, f.Kind)
					if f.Kind == subconscious.KindConnection {
						sum = f.Rule // of several that are as close, which pairs are told may differ
						if slices.Contains(sums[round], sum) {
							continue
						}
					}
					sums[round] = append(sums[round], sum)
				}
			}
			slices.Sort(sums[round])
		}
		if diff := cmp.Diff(sums[0], sums[1]); diff != "" {
			t.Errorf("identities matter:\n%s", diff)
		}
	})
}

// TestTenThousandOverlapping: a stranger's calendar cannot make a thread slow,
// or loud.
func TestTenThousandOverlapping(t *testing.T) {
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	w, field := newWorld(), subconscious.Field{Ahead: threads.Ahead}
	for i := range 10_000 {
		o := subconscious.Observation{Sense: "calendar", Kind: "event", ID: fmt.Sprintf("e%d/", i), Title: fmt.Sprintf("Event %d", i), Change: subconscious.Appeared,
			Seq: int64(i + 1), At: at, Due: at.Add(24 * time.Hour).Add(time.Duration(i) * time.Second), Links: []string{"uid:one"}}
		o.Attrs = map[string]string{"end": o.Due.Add(3 * time.Hour).Format(time.RFC3339), "location": fmt.Sprintf("Street %d", i)}
		w.add(o)
		if i%50 == 0 {
			field.New = append(field.New, o)
		}
	}
	snapshot := subconscious.Snapshot{At: at, Zone: time.UTC, World: w, Fields: map[subconscious.ThreadName]subconscious.Field{subconscious.Oracle: field}}
	thought := think(t, snapshot, subconscious.Oracle)
	checkThought(t, snapshot, thought)
	clashes := 0
	for _, f := range thought.Findings {
		if f.Rule == "oracle.clash" {
			clashes++
		}
	}
	if clashes != 1 {
		t.Errorf("%d clashes are told of one day", clashes)
	}
	if w.visits > 40_000 {
		t.Errorf("%d observations were looked at", w.visits)
	}
}

// TestThinkStops: a thread whose tick is over thinks no further.
func TestThinkStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := reflex.New(subconscious.Watcher).Think(ctx, subconscious.Snapshot{World: newWorld()}); err == nil {
		t.Error("it went on")
	}
}
