package threads_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

func TestStanding(t *testing.T) {
	at := clock("2026-11-23 12:00")
	held := note("held", at.Add(-day))
	held.Seq, held.Due = 3, at.Add(day)
	hot := disk()
	world := shelf{held, hot, event("today", at.Add(5*time.Hour)), event("in 4 days", at.Add(4*day)), event("past", at.Add(-time.Hour)),
		{Sense: "notes", ID: "dated", Change: subconscious.Appeared, Due: at.Add(day)}, note("loose", at)}
	state := subconscious.State{Entries: []subconscious.Entry{
		{ID: "w-a-1", Evidence: []subconscious.Held{{Citation: subconscious.Citation{Ref: held.Ref()}}, {Citation: subconscious.Citation{Ref: "files:aaaaaaaaaa"}}}},
		{ID: "w-b-1", Evidence: []subconscious.Held{{Citation: subconscious.Citation{Ref: held.Ref()}}}}}}
	for _, c := range []struct {
		thread subconscious.ThreadName
		ahead  time.Duration
		except []string
		want   []string
	}{
		{"watcher", threads.Ahead, nil, []string{"disk:/var", "today"}},
		{"watcher", threads.Ahead, []string{"today", "disk:/var"}, nil},
		{"librarian", threads.Ahead, nil, []string{"dated"}},
		{"oracle", threads.Ahead, nil, []string{"dated", "today"}},
		{"oracle", 7 * day, nil, []string{"dated", "in 4 days", "today"}},
		{"dreamer", 7 * day, []string{"today"}, []string{"dated", "in 4 days"}},
	} {
		got := threads.Standing(c.thread, at, c.ahead, state, world, func(ref subconscious.Ref) bool {
			o, _ := world.Get(ref)
			return slices.Contains(c.except, o.ID)
		})
		if !slices.IsSortedFunc(got, func(a, b subconscious.Observation) int { return int(a.Seq - b.Seq) }) {
			t.Errorf("%s: not in the order in which they were recorded: %q", c.thread, ids(got))
		}
		if names := slices.Sorted(slices.Values(ids(got))); !slices.Equal(names, c.want) {
			t.Errorf("the %s is shown %q, want %q", c.thread, names, c.want)
		}
	}
	if got := threads.Standing("oracle", at, threads.Ahead, state, world, nil); len(got) != 2 {
		t.Errorf("%q", ids(got))
	}
}

// TestStandingIsBounded: of much that stands, some of each is shown, and nothing of
// what entries tell.
func TestStandingIsBounded(t *testing.T) {
	at := clock("2026-11-23 12:00")
	var world shelf
	state := subconscious.State{}
	for i := range 60 {
		held, sick, due := note(fmt.Sprintf("n%d", i), at), disk(), event(fmt.Sprintf("e%d", i), at.Add(time.Duration(i)*time.Hour))
		sick.ID = fmt.Sprintf("disk:%d", i)
		world = append(world, held, sick, due)
		state.Entries = append(state.Entries, subconscious.Entry{Evidence: []subconscious.Held{{Citation: subconscious.Citation{Ref: held.Ref()}}}})
	}
	count := map[string]int{}
	for _, o := range threads.Standing("watcher", at, threads.Ahead, state, world, nil) {
		count[o.Sense]++
	}
	if count["notes"] != 0 || count["health"] != 8 || count["calendar"] != 32 {
		t.Errorf("%v", count)
	}
}
