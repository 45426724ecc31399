package reflex_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
)

// nouns make words that no two observations share by chance alone.
var nouns = []string{"lighthouse", "harbour", "gooseberry", "kittiwake", "projector", "heligoland", "ferry", "drawing", "garden", "boiler"}

// crowd is a world of so many standing observations, of which ten changed: as
// many events, promises and mails an hour whatever the number, so that more of
// them reach further ahead.
func crowd(standing int) (subconscious.Snapshot, *world) {
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	w := newWorld()
	field := subconscious.Field{Ahead: threads.Ahead, History: map[subconscious.Ref][]subconscious.Occurrence{}}
	for i := range standing {
		due := at.Add(time.Duration(i) * 20 * time.Minute)
		o := subconscious.Observation{Change: subconscious.Appeared, Seq: int64(i + 1), At: at, Attrs: map[string]string{}, Instance: "sample"}
		words := fmt.Sprintf("%s %s%d", nouns[i%len(nouns)], nouns[(i/7)%len(nouns)], i)
		switch i % 4 {
		case 0:
			o.Sense, o.Kind, o.ID, o.Due = "calendar", "event", fmt.Sprintf("e%d/", i), due
			o.Title = words + due.Format(", Mon 2 Jan 15:04")
			o.Attrs["end"], o.Attrs["location"] = due.Add(45*time.Minute).Format(time.RFC3339), fmt.Sprintf("Street %d", i)
			o.Links = []string{fmt.Sprintf("uid:e%d", i)}
		case 1:
			o.Sense, o.Kind, o.ID, o.Due, o.Title = "notes", "promise", fmt.Sprintf("/n/%d.md#1", i), due, "bring the "+words
			o.Attrs["file"], o.Links = fmt.Sprintf("%d.md", i), []string{fmt.Sprintf("file:/n/%d.md", i)}
		case 2:
			o.Sense, o.Kind, o.ID, o.Title = "notes", "promise", fmt.Sprintf("/n/%d.md#1", i), "mend the "+words
		case 3:
			o.Sense, o.Kind, o.ID, o.Due, o.Title = "mail", "request", fmt.Sprintf("mid:%d@example.com", i), due, "Ines Duarte: "+words
			o.Attrs["from_name"], o.Attrs["from"], o.Attrs["known"], o.Attrs["thread"] = "Ines Duarte", "ines@example.com", "3", o.ID
			o.Links = []string{fmt.Sprintf("invoice:%d", i)}
		}
		w.add(o)
		if i < 10 {
			field.New = append(field.New, o)
		}
	}
	fields := map[subconscious.ThreadName]subconscious.Field{}
	for _, thread := range subconscious.Threads() {
		fields[thread] = field
	}
	return subconscious.Snapshot{At: at, Zone: time.UTC, World: w, Fields: fields, State: subconscious.State{Version: 1}}, w
}

// TestCostDoesNotGrow counts what is read of the world for ten changes.
func TestCostDoesNotGrow(t *testing.T) {
	read := func(standing int) (calls, visits int) {
		snapshot, w := crowd(standing)
		for _, thread := range subconscious.Threads() {
			checkThought(t, snapshot, think(t, snapshot, thread))
		}
		w.calls, w.visits = 0, 0
		for _, thread := range subconscious.Threads() {
			think(t, snapshot, thread)
		}
		return w.calls, w.visits
	}
	calls, visits := read(1_000)
	if calls == 0 || visits == 0 || calls > 1_000 || visits > 2_000 {
		t.Errorf("at 1,000 standing observations: %d calls, %d observations read", calls, visits)
	}
	for _, standing := range []int{10_000, 100_000} {
		if c, v := read(standing); c > calls || v > visits {
			t.Errorf("at %d standing observations: %d calls, %d observations read; at 1,000: %d and %d", standing, c, v, calls, visits)
		}
	}
}

// BenchmarkThink is one tick of all four threads with ten changes.
func BenchmarkThink(b *testing.B) {
	for _, standing := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("standing=%d", standing), func(b *testing.B) {
			snapshot, w := crowd(standing)
			all := make([]*reflex.Thread, 0, 4)
			for _, thread := range subconscious.Threads() {
				all = append(all, reflex.New(thread))
			}
			b.ReportAllocs()
			for b.Loop() {
				w.visits = 0
				for _, thread := range all {
					if _, err := thread.Think(context.Background(), snapshot); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(w.visits), "observations/op")
		})
	}
}
