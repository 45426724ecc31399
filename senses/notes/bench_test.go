package notes_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/notes"
)

const benchNotes = 10_000

// manyNotes writes notes of about 1 KiB, one in ten with two promises.
func manyNotes(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	old := time.Now().Add(-time.Hour)
	for i := range benchNotes {
		sub := filepath.Join(dir, fmt.Sprintf("folder-%02d", i%100))
		if i < 100 {
			if err := os.Mkdir(sub, 0o700); err != nil {
				b.Fatal(err)
			}
		}
		text := fmt.Sprintf("---\ntitle: Note %d\ndate: 2026-11-16\n---\n# Note %d\n\n", i, i)
		for line := range 12 {
			text += fmt.Sprintf("Line %d of note %d speaks of nothing in particular, as most lines of notes do.\n", line, i)
		}
		if i%10 == 0 {
			text += "\n- [ ] call the office\n\nI will send the report by Friday.\n"
		}
		file := filepath.Join(sub, fmt.Sprintf("note-%05d.md", i))
		testutil.Write(b, file, text)
		if err := os.Chtimes(file, old, old); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// firstCollect collects until the first is over.
func firstCollect(b *testing.B, s *notes.Sense) (cursor []byte) {
	b.Helper()
	promises := 0
	for {
		batch, err := s.Collect(context.Background(), time.Now(), cursor)
		if err != nil {
			b.Fatal(err)
		}
		for _, set := range batch.Sets {
			promises += len(set.Items)
		}
		if batch.Cursor != nil {
			cursor = batch.Cursor
		}
		if !batch.Starting {
			break
		}
	}
	if promises < benchNotes/10 {
		b.Fatalf("%d promises", promises)
	}
	return cursor
}

// await returns when all folders are watched: the watcher takes one
// subscription after the other.
func await(b *testing.B, watcher *watch.Watcher, dir string) {
	b.Helper()
	last, err := watcher.Subscribe(dir, watch.SubscribeOptions{Recursive: true})
	if err != nil {
		b.Fatal(err)
	}
	defer last.Close()
	deadline := time.After(patience)
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for {
		_, rescan, degraded := last.Drain()
		switch {
		case degraded != "":
			b.Skipf("cannot watch: %s", degraded)
		case !rescan:
			return
		}
		select {
		case <-poll.C:
		case <-deadline:
			b.Fatal("the folders are not watched")
		}
	}
}

func BenchmarkFirstCollect(b *testing.B) {
	dir := manyNotes(b)
	for b.Loop() {
		s, err := notes.New(notes.Config{ID: "notes", Path: dir}, notes.Options{})
		if err != nil {
			b.Fatal(err)
		}
		firstCollect(b, s)
	}
}

func BenchmarkUnchanged(b *testing.B) {
	dir := manyNotes(b)
	for _, watched := range []bool{true, false} {
		b.Run(map[bool]string{true: "watching", false: "listing"}[watched], func(b *testing.B) {
			var options notes.Options
			if watched {
				watcher, err := watch.New(watch.Options{})
				if err != nil {
					b.Fatal(err)
				}
				defer watcher.Close()
				options.Watcher = watcher
			}
			s, err := notes.New(notes.Config{ID: "notes", Path: dir}, options)
			if err != nil {
				b.Fatal(err)
			}
			if options.Watcher != nil {
				await(b, options.Watcher, dir)
			}
			cursor := firstCollect(b, s)
			collect := func() senses.Batch {
				batch, err := s.Collect(context.Background(), time.Now(), cursor)
				if err != nil {
					b.Fatal(err)
				}
				return batch
			}
			collect()
			b.ReportAllocs()
			for b.Loop() {
				if batch := collect(); len(batch.Changes)+len(batch.Sets)+len(batch.Rows) > 0 {
					b.Fatalf("something changed: %d rows", len(batch.Rows))
				}
			}
		})
	}
}
