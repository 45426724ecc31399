package files

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

const benchFiles = 200_000

// large makes a world of 200,000 files in 20,000 folders, looked at once.
func large(b *testing.B) *world {
	b.Helper()
	w := &world{t: b, root: b.TempDir(), kept: &sensetest.Kept{All: map[string][]byte{}}}
	for folder := range benchFiles / 10 {
		dir := w.path(fmt.Sprintf("area%d/project%d/folder%d", folder%20, folder%400, folder))
		w.must(os.MkdirAll(dir, 0o755))
		for i := range 10 {
			w.must(os.WriteFile(fmt.Sprintf("%s/document-%d.txt", dir, i), nil, 0o644))
		}
	}
	w.watcher, w.fence = sensetest.NewFence(b, w.root)
	b.Cleanup(w.stop)
	w.config = Config{ID: "work", Path: w.root}
	w.options = Options{Options: folder.Options{Watcher: w.watcher, Rows: w.kept}, Wait: time.Minute}
	w.start()
	begin := time.Now()
	w.tick()
	b.Logf("first collect: %v, %d rows", time.Since(begin), len(w.kept.All))
	for begin = time.Now(); ; {
		w.sense.Rescan = false
		degraded := w.sense.Drain()
		if degraded != "" {
			b.Skipf("not enough watches: %s", degraded)
		}
		if !w.sense.Rescan {
			break
		}
		runtime.Gosched()
	}
	b.Logf("watching after: %v", time.Since(begin))
	w.sense.Rescan = true
	w.tick()
	return w
}

func BenchmarkLargeFolder(b *testing.B) {
	w := large(b)
	bare := func() {
		if batch, err := w.sense.Collect(b.Context(), time.Unix(1, 0), w.kept.Cursor); err != nil || len(batch.Changes) > 0 {
			b.Fatal(err, batch.Changes)
		}
	}
	b.Run("nothing changed", func(b *testing.B) {
		for b.Loop() {
			bare()
		}
	})
	b.Run("10 changed", func(b *testing.B) {
		n := 1
		for b.Loop() {
			b.StopTimer()
			n++
			for i := range 10 {
				w.must(os.WriteFile(w.path(fmt.Sprintf("area%d/project%d/folder%d/document-3.txt", i, i, i)), make([]byte, n), 0o644))
			}
			w.await()
			b.StartTimer()
			batch, err := w.sense.Collect(b.Context(), time.Unix(1, 0), w.kept.Cursor)
			if err != nil || len(batch.Changes) != 10 || len(batch.Rows) != 10 {
				b.Fatal(err, len(batch.Changes), len(batch.Rows))
			}
			w.kept.Keep(batch)
		}
	})
	b.Run("everything looked at", func(b *testing.B) {
		for b.Loop() {
			w.sense.Rescan = true
			bare()
		}
	})
	b.Run("restart", func(b *testing.B) {
		for b.Loop() {
			w.restart()
			bare()
		}
	})
}

// BenchmarkMemory measures what is kept in memory for each file.
func BenchmarkMemory(b *testing.B) {
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var perFile float64
	for b.Loop() {
		before := live()
		rows := newLoaded()
		for folder := range benchFiles / 10 {
			for i := range 10 {
				rows.add(fmt.Sprintf("area%d/project%d/folder%d/document-%d.txt", folder%20, folder%400, folder, i), encodeStat(stat{1, 2, 3}, false))
			}
		}
		rows.known = newTree()
		rows.restore(newTree())
		perFile = float64(live()-before) / float64(rows.known.files)
		runtime.KeepAlive(rows)
	}
	b.ReportMetric(perFile, "B/file")
	b.ReportMetric(0, "ns/op")
}
