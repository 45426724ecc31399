package threads_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

const day = 24 * time.Hour

func TestInterested(t *testing.T) {
	at := clock("2026-11-23 12:00")
	observe := func(sense string, change subconscious.Change, due time.Duration) subconscious.Observation {
		o := subconscious.Observation{Sense: sense, Change: change, At: at}
		if due != 0 {
			o.Due = at.Add(due)
		}
		return o
	}
	band := observe("calendar", subconscious.Changed, 20*time.Hour)
	band.BandOnly = true
	all := subconscious.Threads()
	for _, test := range []struct {
		name string
		o    subconscious.Observation
		want []subconscious.ThreadName
	}{
		{"a disk", observe("health", subconscious.Appeared, 0), []subconscious.ThreadName{"watcher", "librarian", "dreamer"}},
		{"a disk that changes", observe("health", subconscious.Changed, 0), []subconscious.ThreadName{"watcher", "librarian", "dreamer"}},
		{"a file", observe("files", subconscious.Momentary, 0), []subconscious.ThreadName{"watcher", "dreamer"}},
		{"an event of tomorrow", observe("calendar", subconscious.Appeared, 30*time.Hour), []subconscious.ThreadName{"watcher", "oracle", "dreamer"}},
		{"an event in exactly three days", observe("calendar", subconscious.Appeared, 72*time.Hour), []subconscious.ThreadName{"watcher", "oracle", "dreamer"}},
		{"an event beyond", observe("calendar", subconscious.Appeared, 73*time.Hour), nil},
		{"an event beyond that changes", observe("calendar", subconscious.Changed, 400*time.Hour), []subconscious.ThreadName{"watcher", "oracle", "dreamer"}},
		{"an event that is gone", observe("calendar", subconscious.Gone, 400*time.Hour), []subconscious.ThreadName{"watcher", "oracle", "dreamer"}},
		{"a crossed band", band, []subconscious.ThreadName{"oracle"}},
		{"a promise for next month", observe("notes", subconscious.Appeared, 30*day), []subconscious.ThreadName{"librarian", "oracle", "dreamer"}},
		{"a promise without a date", observe("notes", subconscious.Appeared, 0), []subconscious.ThreadName{"dreamer"}},
		{"a promise without a date that is reworded", observe("notes", subconscious.Changed, 0), []subconscious.ThreadName{"librarian", "oracle", "dreamer"}},
		{"a promise that is ticked off", observe("notes", subconscious.Gone, 0), []subconscious.ThreadName{"librarian", "oracle", "dreamer"}},
		{"a note that was saved", observe("notes", subconscious.Momentary, 0), []subconscious.ThreadName{"librarian", "dreamer"}},
		{"what the person says", observe("person", subconscious.Appeared, 0), []subconscious.ThreadName{"watcher", "librarian", "dreamer"}},
		{"what the person says with a date", observe("person", subconscious.Appeared, 30*day), all},
	} {
		var got []subconscious.ThreadName
		for _, thread := range all {
			if threads.Interested(thread, test.o) {
				got = append(got, thread)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s lies in the fields of %v, want %v", test.name, got, test.want)
		}
	}
}

// shelf is a world in which observations stand in order of their due times.
type shelf []subconscious.Observation

var _ subconscious.World = shelf(nil)

func (s shelf) Get(ref subconscious.Ref) (subconscious.Observation, bool) {
	for _, o := range s {
		if o.Ref() == ref {
			return o, true
		}
	}
	return subconscious.Observation{}, false
}

func (s shelf) Due(from, to time.Time, yield func(subconscious.Observation) bool) {
	for _, o := range slices.SortedStableFunc(slices.Values(s), func(a, b subconscious.Observation) int { return a.Due.Compare(b.Due) }) {
		if !o.Due.IsZero() && !o.Due.Before(from) && o.Due.Before(to) && !yield(o) {
			return
		}
	}
}

func (s shelf) Of(sense string, yield func(subconscious.Observation) bool) {
	for _, o := range slices.SortedStableFunc(slices.Values(s), func(a, b subconscious.Observation) int { return cmp.Compare(a.Ref(), b.Ref()) }) {
		if o.Sense == sense && !yield(o) {
			return
		}
	}
}

func (s shelf) Sharing(string, int) ([]subconscious.Observation, int) { return nil, 0 }

// notes yields what the daemon does: what the notes hold.
func (s shelf) notes(yield func(subconscious.Observation) bool) {
	for _, o := range s {
		if o.Sense == "notes" && !yield(o) {
			return
		}
	}
}

func event(id string, due time.Time) subconscious.Observation {
	return subconscious.Observation{Sense: "calendar", ID: id, Change: subconscious.Appeared, Due: due}
}

func note(id string, at time.Time) subconscious.Observation {
	return subconscious.Observation{Sense: "notes", ID: id, Change: subconscious.Appeared, At: at}
}

func ids(list []subconscious.Observation) (names []string) {
	for _, o := range list {
		names = append(names, o.ID)
	}
	return names
}

func TestWiden(t *testing.T) {
	at := clock("2026-11-23 12:00")
	world := shelf{
		event("today", at.Add(5*time.Hour)), event("4 days", at.Add(4*day)), event("10 days", at.Add(10*day)), event("20 days", at.Add(20*day)),
		event("over", at.Add(-time.Hour)), event("in 40 days", at.Add(40*day)),
		note("3 days old", at.Add(-3*day)), note("8 days old", at.Add(-8*day)), note("20 days old", at.Add(-20*day)), note("new", at.Add(-day)),
		{Sense: "notes", ID: "a dated note", Change: subconscious.Appeared, At: at.Add(-30 * day), Due: at.Add(6 * day)},
	}
	for _, test := range []struct {
		thread subconscious.ThreadName
		level  int
		shown  []string
		want   []string
	}{
		{"oracle", 0, nil, nil},
		{"librarian", 0, nil, nil},
		{"oracle", 1, nil, []string{"today", "4 days", "a dated note"}},
		{"oracle", 1, []string{"today", "a dated note"}, []string{"4 days"}},
		{"oracle", 2, []string{"today", "a dated note", "4 days"}, []string{"10 days"}},
		{"oracle", 3, []string{"today", "a dated note", "4 days", "10 days"}, []string{"20 days"}},
		{"dreamer", 3, nil, []string{"today", "4 days", "a dated note", "10 days", "20 days"}},
		{"watcher", 1, nil, []string{"today", "4 days"}},
		{"librarian", 1, []string{"a dated note"}, []string{"20 days old"}},
		{"librarian", 2, []string{"a dated note"}, []string{"20 days old", "8 days old"}},
		{"librarian", 3, []string{"a dated note"}, []string{"20 days old", "8 days old", "3 days old"}},
		{"librarian", 3, []string{"20 days old", "8 days old"}, []string{"a dated note", "3 days old"}},
		{"oracle", 9, []string{"today"}, []string{"4 days", "a dated note", "10 days", "20 days"}},
	} {
		got := threads.Widen(test.thread, test.level, at, world, world.notes, func(ref subconscious.Ref) bool {
			o, _ := world.Get(ref)
			return slices.Contains(test.shown, o.ID)
		})
		if !slices.Equal(ids(got), test.want) {
			t.Errorf("level %d of the %s, shown %q: got %q, want %q", test.level, test.thread, test.shown, ids(got), test.want)
		}
	}
	for level, want := range map[int]time.Duration{-1: 72 * time.Hour, 0: 72 * time.Hour, 1: 7 * day, 2: 14 * day, 3: 35 * day, 9: 35 * day} {
		if got := threads.AheadOf(level); got != want {
			t.Errorf("level %d looks %s ahead", level, got)
		}
	}
}

// TestWidenIsBounded: of many old notes the oldest come first, a few at a time,
// until all were shown.
func TestWidenIsBounded(t *testing.T) {
	at := clock("2026-11-23 12:00")
	var world shelf
	for i := range 300 {
		world = append(world, note(fmt.Sprintf("%03d", i), at.Add(-time.Duration(100+(i*37)%300)*day)), event(fmt.Sprintf("e%03d", i), at.Add(time.Duration(i)*time.Hour)))
	}
	shown := map[subconscious.Ref]bool{}
	var last time.Time
	for round := range 60 {
		got := threads.Widen(subconscious.Librarian, 1, at, world, world.notes, func(ref subconscious.Ref) bool { return shown[ref] })
		if len(got) != 5 {
			t.Fatalf("round %d shows %d", round, len(got))
		}
		for _, o := range got {
			if shown[o.Ref()] || o.At.Before(last) {
				t.Fatalf("round %d shows %s again, or too late", round, o.ID)
			}
			shown[o.Ref()], last = true, o.At
		}
	}
	if got := threads.Widen(subconscious.Oracle, 3, at, world, world.notes, func(subconscious.Ref) bool { return false }); len(got) != 50 {
		t.Errorf("the oracle is shown %d at once", len(got))
	}
}

// TestWidenNeverRepeats: whatever stands and was shown, a wider field holds
// what was never shown, lies ahead within its reach, and is in the thread's
// field; the plain one holds nothing.
func TestWidenNeverRepeats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := clock("2026-11-23 12:00")
		var world shelf
		for i := range rapid.IntRange(0, 30).Draw(t, "observations") {
			o := subconscious.Observation{ID: fmt.Sprint(i), Sense: rapid.SampledFrom([]string{"calendar", "notes", "health", "files", "person"}).Draw(t, "sense"),
				Change: rapid.SampledFrom([]subconscious.Change{subconscious.Appeared, subconscious.Changed}).Draw(t, "change"),
				At:     at.Add(-time.Duration(rapid.IntRange(0, 40*24).Draw(t, "age")) * time.Hour)}
			if rapid.Bool().Draw(t, "dated") {
				o.Due = at.Add(time.Duration(rapid.IntRange(-48, 50*24).Draw(t, "due")) * time.Hour)
			}
			world = append(world, o)
		}
		shown := map[subconscious.Ref]bool{}
		thread := rapid.SampledFrom(subconscious.Threads()).Draw(t, "thread")
		for _, level := range rapid.SliceOfN(rapid.IntRange(0, 3), 1, 8).Draw(t, "levels") {
			got := threads.Widen(thread, level, at, world, world.notes, func(ref subconscious.Ref) bool { return shown[ref] })
			if level == 0 && len(got) > 0 {
				t.Fatalf("the plain field holds %q besides", ids(got))
			}
			for _, o := range got {
				if shown[o.Ref()] {
					t.Fatalf("%s is shown again", o.ID)
				}
				if !o.Due.IsZero() && (o.Due.Before(at) || !o.Due.Before(at.Add(threads.AheadOf(level)))) {
					t.Fatalf("%s is due %s, beyond the field of level %d", o.ID, o.Due, level)
				}
				if o.Due.IsZero() && (thread != subconscious.Librarian || o.Sense != "notes") {
					t.Fatalf("%s has no date, and is shown to the %s", o.ID, thread)
				}
				shown[o.Ref()] = true
			}
		}
	})
}
