package conversation_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// benchTranscripts writes sessions of 100 messages, as agents do.
func benchTranscripts(b *testing.B, sessions int) *world {
	w := newWorld(b, "lines")
	for n := range sessions {
		var text strings.Builder
		for i := range 50 {
			fmt.Fprintf(&text, "{\"type\":\"user\",\"uuid\":\"u-%d-%d\",\"message\":{\"role\":\"user\",\"content\":\"Please look at part %d of the roof, and tell me what it needs.\"}}\n", n, i, i)
			fmt.Fprintf(&text, "{\"type\":\"assistant\",\"uuid\":\"a-%d-%d\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Part %d of the roof is sound. %s\"}]}}\n", n, i, i, strings.Repeat("It was looked at. ", 20))
		}
		appendTo(b, filepath.Join(w.dir, fmt.Sprintf("session-%04d.jsonl", n)), text.String())
		w.touch(fmt.Sprintf("session-%04d", n), w.at)
	}
	return w
}

func BenchmarkFirstCollect(b *testing.B) {
	w := benchTranscripts(b, 100)
	for b.Loop() {
		w.All, w.Cursor = map[string][]byte{}, nil
		w.restart()
		for w.collectAll() {
		}
	}
}

// collectAll is one collect of a first one; it reports whether there is more.
func (w *world) collectAll() bool {
	batch := w.collect()
	w.commit(batch)
	return batch.Starting
}

func BenchmarkUnchanged(b *testing.B) {
	w := benchTranscripts(b, 1000)
	for w.collectAll() {
	}
	b.ReportAllocs()
	for b.Loop() {
		if told := w.tick(); len(told) > 0 {
			b.Fatal(titles(told))
		}
	}
}

func BenchmarkOneMore(b *testing.B) {
	w := benchTranscripts(b, 100)
	for w.collectAll() {
	}
	n := 0
	for b.Loop() {
		n++
		w.append("session-0042", fmt.Sprintf("{\"role\":\"user\",\"content\":\"word %d\"}\n", n))
		if told := w.tick(); len(told) != 1 {
			b.Fatal(titles(told))
		}
	}
}
