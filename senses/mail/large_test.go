package mail

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// TestLargeFolder: a tick over a folder of 20,000 messages asks the server for
// no more than one over a small folder does, and afterwards for what is new.
func TestLargeFolder(t *testing.T) {
	h := newHouse(t, mailtest.Options{})
	h.box.DeliverMany("INBOX", 20_000, func(i int) time.Time { return now.Add(-time.Duration(20_000-i) * time.Minute) }, func(i int) []byte {
		return mailtest.Compose(mailtest.Message{From: other, To: []string{me}, Subject: "News", Text: "It went well.", Date: now, MessageID: fmt.Sprintf("many-%d@example.net", i)})
	})
	h.expect("the first collect is silent", h.ticks())
	if n := h.sense.known.len(); n < firstMessages-100 || n > firstMessages {
		t.Errorf("%d messages are known, %d should be", n, firstMessages)
	}
	before := h.server.Traffic()
	h.expect("nothing is new", h.tick())
	idle := h.server.Traffic()
	if n := idle.Commands - before.Commands; n > 4 {
		t.Errorf("a tick without news took %d commands", n)
	}
	h.deliver("INBOX", h.message("a", other, "News", "It went well."))
	h.expect("one is new", h.tick(), "mail mid:a@example.org")
	if n := h.server.Traffic().Commands - idle.Commands; n > 8 {
		t.Errorf("a tick with one message took %d commands", n)
	}
	if rows := len(h.last.Rows); rows != 2 { // that it is known, and that it stands
		t.Errorf("one message wrote %d rows", rows)
	}
}

// BenchmarkTickKnown is a tick without news of an account that knows 100,000
// messages.
func BenchmarkTickKnown(b *testing.B) {
	h := newHouse(b, mailtest.Options{})
	h.ticks()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 100_000 {
		h.sense.known.base[hashOf(fmt.Sprint(i))] = known{Thread: hash(i), Received: uint32(now.Unix()), Places: [2]place{{1, 1}}}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	h.tick() // what is over is looked for once an hour
	for b.Loop() {
		if _, err := h.collect(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MB-known")
}
