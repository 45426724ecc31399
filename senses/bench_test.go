package senses_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// plausibleItem is an event as a calendar would report it.
func plausibleItem(i int) subconscious.Observation {
	return subconscious.Observation{
		ID: fmt.Sprintf("%08d@calendar.example.com", i), Kind: "event",
		Title:       fmt.Sprintf("Planning of project%d with team%d", i%5000, i%300),
		Text:        fmt.Sprintf("Room %d. Agenda: budget%d, staffing, delivery dates, open questions of the quarter.", i%40, i%700),
		Fingerprint: "1", Due: noon.Add(time.Duration(i+1000) * time.Minute), Trust: subconscious.Outsider, At: noon,
		Attrs: map[string]string{"start": "2026-03-09T10:00:00Z", "attendees": "4"},
		Links: []string{fmt.Sprintf("uid:%08d", i), fmt.Sprintf("url:https://calendar.example.com/%d", i)},
	}
}

// full returns a ledger in which n observations stand and nothing waits: each
// scope holds one observation, so that a collect can speak of few of them.
func full(b *testing.B, path string, n int) *book {
	b.Helper()
	db, err := store.Open(context.Background(), store.Options{Path: path}, senses.Migrations()...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	k := &book{t: b, db: db, at: noon}
	k.reopen()
	for start := 0; start < n; start += 25_000 {
		k.commit(k.ledger.Stage(k.at, []senses.Collected{scopes(start/senses.MaxStanding, start, min(25_000, n-start), "1")}))
	}
	var refs []subconscious.Ref
	k.ledger.View().All(func(o subconscious.Observation) bool { refs = append(refs, o.Ref()); return true })
	s := k.ledger.Stage(k.at, nil)
	for _, thread := range subconscious.Threads() {
		s.Seen(thread, refs)
	}
	k.commit(s)
	return k
}

// scopes is a collect of count observations, each in a scope of its own.
func scopes(instance, start, count int, class string) senses.Collected {
	var sets []senses.Set
	for i := start; i < start+count; i++ {
		o := plausibleItem(i)
		o.Fingerprint = class
		sets = append(sets, senses.Set{Scope: fmt.Sprint(i), Items: []subconscious.Observation{o}})
	}
	return brings("calendar", fmt.Sprint(instance), senses.Batch{Sets: sets})
}

// again is a tick at the same time, so that nothing enters a band.
func (b *book) again(collected []senses.Collected, healthy ...subconscious.ThreadName) {
	at := b.at
	b.tick(collected, healthy...)
	b.at = at
}

var sizes = []int{1_000, 10_000, 100_000}

// BenchmarkTick is Stage, View, Seen of all threads, Persist and commit to a
// file, at several numbers of standing observations.
func BenchmarkTick(b *testing.B) {
	for _, n := range sizes {
		k := full(b, filepath.Join(b.TempDir(), "mind.db"), n)
		fresh := n // no observation is new twice
		b.Run(fmt.Sprintf("unchanged/%d", n), func(b *testing.B) {
			collected := []senses.Collected{brings("calendar", "0", senses.Batch{})}
			for b.Loop() {
				k.again(collected, subconscious.Threads()...)
			}
		})
		b.Run(fmt.Sprintf("stage-unchanged/%d", n), func(b *testing.B) {
			collected := []senses.Collected{brings("calendar", "0", senses.Batch{})}
			for b.Loop() {
				k.ledger.Stage(k.at, collected).View()
			}
		})
		b.Run(fmt.Sprintf("changed10/%d", n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				i++
				k.again([]senses.Collected{scopes(0, 0, 10, fmt.Sprint(i))}, subconscious.Threads()...)
			}
		})
		b.Run(fmt.Sprintf("new10/%d", n), func(b *testing.B) {
			for b.Loop() {
				fresh += 10
				k.again([]senses.Collected{scopes(7, fresh, 10, "1")}, subconscious.Threads()...)
			}
		})
		b.Run(fmt.Sprintf("stage-changed10/%d", n), func(b *testing.B) {
			collected := []senses.Collected{scopes(0, 0, 10, "another")}
			for b.Loop() {
				k.ledger.Stage(k.at, collected).View()
			}
		})
	}
}

// BenchmarkBurst is a tick in which much happens at once.
func BenchmarkBurst(b *testing.B) {
	k := full(b, filepath.Join(b.TempDir(), "mind.db"), 1_000)
	b.Run("changes10000", func(b *testing.B) {
		n := 0
		for b.Loop() {
			batch := senses.Batch{Changes: make([]subconscious.Observation, senses.MaxChanges)}
			for i := range batch.Changes {
				n++
				batch.Changes[i] = change(plausibleItem(n%25_000), subconscious.Momentary)
			}
			k.again([]senses.Collected{brings("files", "f", batch)}, subconscious.Threads()...)
		}
	})
	b.Run("rows100000", func(b *testing.B) {
		rows := make([]senses.Row, 100_000)
		for i := range rows {
			rows[i] = senses.Row{Key: fmt.Sprintf("/home/person/folder-%d/file-%d.txt", i%1000, i), Value: []byte("0123456789abcdef")}
		}
		for b.Loop() {
			k.again([]senses.Collected{brings("files", "f", senses.Batch{Rows: rows})}, subconscious.Threads()...)
		}
	})
}

// BenchmarkStanding reports what one standing observation takes, in memory and
// in the file, and how long a ledger takes to open.
func BenchmarkStanding(b *testing.B) {
	const n = 50_000
	k := full(b, filepath.Join(b.TempDir(), "mind.db"), n)
	k.ledger = nil
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		k.reopen()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/observation")
	if got := k.ledger.View().Len(); got != n {
		b.Fatalf("%d observations stand, want %d", got, n)
	}
}

func BenchmarkClean(b *testing.B) {
	clean := senses.Cleaner{Redact: func(s string) string { return s }}
	o := plausibleItem(1)
	o.Change = subconscious.Momentary
	o.Text = strings.Repeat("A line of plain text as people write it: with words, and 3 numbers.\n", 60)
	batch := senses.Batch{Changes: []subconscious.Observation{o}}
	b.SetBytes(int64(len(o.Text)))
	for b.Loop() {
		clean.Batch(noon, senses.SenseID{Sense: "mail"}, batch)
	}
}
