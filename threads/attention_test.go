package threads_test

import (
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

var berlin = func() *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return zone
}()

func clock(text string) time.Time {
	t, err := time.ParseInLocation("2006-01-02 15:04", text, berlin)
	if err != nil {
		panic(err)
	}
	return t
}

func TestAttend(t *testing.T) {
	noon, night := clock("2026-11-23 12:00"), clock("2026-11-24 02:00")
	for _, test := range []struct {
		name   string
		gate   string
		thread subconscious.ThreadName
		kind   subconscious.TickKind
		at     time.Time
		tick   int64
		unseen int
		// pressure now, and the widest level since it was last released
		pressure, widened int

		ask    bool
		level  int
		rested bool
	}{
		{name: "nothing unseen", gate: threads.Adaptive, thread: "watcher", kind: subconscious.Scheduled, at: noon},
		{name: "something unseen", gate: threads.Adaptive, thread: "watcher", kind: subconscious.Scheduled, at: noon, unseen: 1, ask: true},
		{name: "pressure below the first level", gate: threads.Adaptive, thread: "oracle", kind: subconscious.Scheduled, at: noon, pressure: 2},
		{name: "the first level is reached", gate: threads.Adaptive, thread: "oracle", kind: subconscious.Scheduled, at: noon, pressure: 3, ask: true, level: 1},
		{name: "the first level was used", gate: threads.Adaptive, thread: "oracle", kind: subconscious.Scheduled, at: noon, pressure: 4, widened: 1},
		{name: "the first level was used, and something is unseen", gate: threads.Adaptive, thread: "oracle", kind: subconscious.Scheduled, at: noon, pressure: 4, widened: 1, unseen: 2, ask: true},
		{name: "the second level is reached", gate: threads.Adaptive, thread: "oracle", kind: subconscious.Scheduled, at: noon, pressure: 6, widened: 1, ask: true, level: 2},
		{name: "the third level is reached", gate: threads.Adaptive, thread: "dreamer", kind: subconscious.CatchUp, at: noon, pressure: 10, widened: 2, ask: true, level: 3},
		{name: "the third level was used", gate: threads.Adaptive, thread: "dreamer", kind: subconscious.Scheduled, at: noon, pressure: 10, widened: 3},
		{name: "two levels at once after a failure", gate: threads.Adaptive, thread: "dreamer", kind: subconscious.Scheduled, at: noon, pressure: 7, ask: true, level: 2},
		{name: "early ticks do not widen", gate: threads.Adaptive, thread: "dreamer", kind: subconscious.Early, at: noon, pressure: 10},
		{name: "early ticks show what is unseen", gate: threads.Adaptive, thread: "dreamer", kind: subconscious.Early, at: noon, pressure: 10, unseen: 3, ask: true},
		{name: "manual ticks widen", gate: threads.Adaptive, thread: "dreamer", kind: subconscious.Manual, at: noon, pressure: 3, ask: true, level: 1},
		{name: "changed never widens", gate: threads.Changed, thread: "dreamer", kind: subconscious.Scheduled, at: noon, pressure: 10},
		{name: "changed shows what is unseen", gate: threads.Changed, thread: "dreamer", kind: subconscious.Scheduled, at: noon, unseen: 1, ask: true},
		{name: "always asks", gate: threads.Always, thread: "dreamer", kind: subconscious.Scheduled, at: noon, ask: true},
		{name: "always keeps the field wide", gate: threads.Always, thread: "dreamer", kind: subconscious.Scheduled, at: noon, pressure: 8, widened: 2, ask: true, level: 2},

		{name: "an odd tick at night", gate: threads.Adaptive, thread: "watcher", kind: subconscious.Scheduled, at: night, tick: 7, unseen: 5, rested: true},
		{name: "an even tick at night", gate: threads.Adaptive, thread: "watcher", kind: subconscious.Scheduled, at: night, tick: 8, unseen: 5, ask: true},
		{name: "the librarian too", gate: threads.Always, thread: "librarian", kind: subconscious.Scheduled, at: night, tick: 7, rested: true},
		{name: "the oracle never rests", gate: threads.Adaptive, thread: "oracle", kind: subconscious.Scheduled, at: night, tick: 7, unseen: 5, ask: true},
		{name: "the dreamer never rests", gate: threads.Adaptive, thread: "dreamer", kind: subconscious.Scheduled, at: night, tick: 7, unseen: 5, ask: true},
		{name: "manual ticks wake everyone", gate: threads.Adaptive, thread: "watcher", kind: subconscious.Manual, at: night, tick: 7, unseen: 5, ask: true},
		{name: "early ticks wake everyone", gate: threads.Adaptive, thread: "librarian", kind: subconscious.Early, at: night, tick: 7, unseen: 5, ask: true},
		{name: "catch-up ticks wake everyone", gate: threads.Adaptive, thread: "librarian", kind: subconscious.CatchUp, at: night, tick: 7, unseen: 5, ask: true},
		{name: "an odd tick by day", gate: threads.Adaptive, thread: "watcher", kind: subconscious.Scheduled, at: noon, tick: 7, unseen: 5, ask: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := threads.DefaultConfig()
			config.Gate = test.gate
			got := config.Attend(threads.Question{Thread: test.thread, Kind: test.kind, At: test.at, Tick: test.tick, Unseen: test.unseen,
				State: subconscious.ThreadState{NoveltyPressure: test.pressure, Widened: test.widened}})
			if got.Ask != test.ask || got.Level != test.level || got.Rested != test.rested {
				t.Errorf("got %+v", got)
			}
			if got.Ask == (got.Reason != "") {
				t.Errorf("it is asked: %t, and the reason why not is %q", got.Ask, got.Reason)
			}
		})
	}
}

// TestPressureReachesEachLevelOnce plays slots in which nothing is found: the
// field widens once at 3, 6 and 10, a failure uses no level up, and a finding
// begins anew.
func TestPressureReachesEachLevelOnce(t *testing.T) {
	config := threads.DefaultConfig()
	at := clock("2026-11-23 12:00")
	state := subconscious.ThreadState{}
	slot := func(failed bool) int {
		got := config.Attend(threads.Question{Thread: subconscious.Dreamer, Kind: subconscious.Scheduled, At: at, State: state})
		if got.Ask && !failed { // as the mechanics keep it
			state.Widened = max(state.Widened, got.Level)
		}
		if !failed || !got.Ask {
			state.NoveltyPressure = min(state.NoveltyPressure+1, subconscious.MaxPressure)
		}
		return got.Level
	}
	var levels []int
	for i := range 30 {
		levels = append(levels, slot(i == 3 || i == 4)) // it fails at the first level, twice
	}
	want := []int{0, 0, 0, 1, 1, 1, 0, 0, 2, 0, 0, 0, 3}
	for i, level := range levels {
		if i < len(want) && level != want[i] || i >= len(want) && level != 0 {
			t.Fatalf("levels %v, want %v and then none", levels, want)
		}
	}
	state.NoveltyPressure, state.Widened = 0, 0
	for i := range 4 {
		if level := slot(false); (level == 1) != (i == 3) {
			t.Errorf("slot %d after the release is at level %d", i, level)
		}
	}
}

func TestLevel(t *testing.T) {
	for pressure, want := range map[int]int{-1: 0, 0: 0, 2: 0, 3: 1, 5: 1, 6: 2, 9: 2, 10: 3, 99: 3} {
		if got := threads.Level(pressure); got != want {
			t.Errorf("pressure %d is at level %d, want %d", pressure, got, want)
		}
	}
}

func TestHours(t *testing.T) {
	for _, test := range []struct {
		from, to, at string
		want         bool
	}{
		{"23:00", "08:00", "2026-11-23 22:59", false},
		{"23:00", "08:00", "2026-11-23 23:00", true},
		{"23:00", "08:00", "2026-11-24 00:00", true},
		{"23:00", "08:00", "2026-11-24 07:59", true},
		{"23:00", "08:00", "2026-11-24 08:00", false},
		{"13:00", "15:00", "2026-11-24 12:59", false},
		{"13:00", "15:00", "2026-11-24 13:00", true},
		{"13:00", "15:00", "2026-11-24 15:00", false},
		{"00:00", "06:00", "2026-11-24 00:00", true},
		{"18:00", "00:00", "2026-11-24 23:59", true},
		{"18:00", "00:00", "2026-11-25 00:00", false},
		{"09:00", "09:00", "2026-11-24 09:00", false},
		{"9", "10:00", "2026-11-24 09:30", false},
		{"02:00", "04:00", "2026-03-29 03:00", true}, // there is no 02:00 that night
		{"01:30", "02:30", "2026-03-29 03:00", false},
	} {
		if got := (threads.Hours{From: test.from, To: test.to}).Hold(clock(test.at)); got != test.want {
			t.Errorf("%s to %s at %s: %t", test.from, test.to, test.at, got)
		}
	}
	// In autumn half past two comes twice, and both lie in the hours.
	first := clock("2026-10-25 01:30").Add(time.Hour)
	for _, at := range []time.Time{first, first.Add(time.Hour)} {
		if at.Format("15:04") != "02:30" || !(threads.Hours{From: "02:00", To: "03:00"}).Hold(at) {
			t.Errorf("%s does not lie in 02:00 to 03:00", at)
		}
	}
	if (threads.Hours{From: "02:00", To: "03:00"}).Hold(first.Add(2 * time.Hour)) {
		t.Error("half past three lies in 02:00 to 03:00")
	}
	// The hours are local: the same moment is another time elsewhere.
	if at := clock("2026-11-24 02:00"); (threads.Hours{From: "23:00", To: "08:00"}).Hold(at.In(time.FixedZone("", -12*3600))) {
		t.Error("two in the afternoon is night")
	}
}

func TestValidate(t *testing.T) {
	good := threads.DefaultConfig()
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		change func(*threads.Config)
		want   []string // in order; none: it is fine
	}{
		{"the other gates", func(c *threads.Config) { c.Gate = threads.Always }, nil},
		{"changed", func(c *threads.Config) { c.Gate = threads.Changed }, nil},
		{"a gate that is none", func(c *threads.Config) { c.Gate = "Adaptive" }, []string{`gate: "Adaptive" is none of adaptive, changed, always`}},
		{"no gate", func(c *threads.Config) { c.Gate = "" }, []string{"gate:"}},
		{"the least deadline", func(c *threads.Config) { c.Deadline = 100 * time.Millisecond }, nil},
		{"too short", func(c *threads.Config) { c.Deadline = 99 * time.Millisecond }, []string{"deadline: is 99ms, must be 100ms to 10m"}},
		{"too long", func(c *threads.Config) { c.Deadline = 11 * time.Minute }, []string{"deadline:"}},
		{"a bare number", func(c *threads.Config) { c.Deadline = 30 }, []string{"deadline: is 30ns"}},
		{"no night", func(c *threads.Config) { c.Night = threads.Hours{From: "08:00", To: "08:00"} }, nil},
		{"a night without an end", func(c *threads.Config) { c.Night.To = "" }, []string{`night.to: "" is not a time of day; write it as "23:00"`}},
		{"an hour that is none", func(c *threads.Config) { c.Night.From = "24:00" }, []string{"night.from:"}},
		{"all of it", func(c *threads.Config) { *c = threads.Config{} }, []string{"gate:", "deadline:", "night.from:", "night.to:"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := threads.DefaultConfig()
			test.change(&config)
			err := config.Validate()
			if len(test.want) == 0 {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil {
				t.Fatal("it was taken")
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(test.want) {
				t.Fatalf("got %q", lines)
			}
			for i, want := range test.want {
				if !strings.HasPrefix(lines[i], want) {
					t.Errorf("line %d is %q, want %q", i, lines[i], want)
				}
			}
		})
	}
}
