package mail

import (
	"fmt"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/senses/mail/message"
)

// BenchmarkJudge is what a letter costs that was fetched and parsed: of those of
// TestFeatures, and of one of 6 KB.
func BenchmarkJudge(b *testing.B) {
	h := newHouse(b, mailtest.Options{})
	h.knows(boss)
	h.ticks()
	all := posts()
	long := all[0].message
	long.Text += strings.Repeat("We met on Monday at nine, and the second part follows when the figures are there.\n\n", 75)
	for name, letters := range map[string][]post{"ordinary": all, "long": {{message: long}}} {
		b.Run(name, func(b *testing.B) {
			var judges []judge
			for _, p := range letters {
				m, err := message.Parse(mailtest.Compose(p.message))
				if err != nil {
					b.Fatal(err)
				}
				l := &collect{Sense: h.sense, at: h.at, zone: h.at.Location(), state: h.sense.state}
				judges = append(judges, judge{collect: l, fetched: fetched{Message: m, received: h.at}, id: "mid:" + m.ID, refs: refsOf(m), folder: inbox})
			}
			b.ResetTimer()
			for i := range b.N {
				judges[i%len(judges)].arrived()
			}
		})
	}
}

// BenchmarkLetters is a collect with 200 new letters while as many stand as can,
// over IMAP, without committing it.
func BenchmarkLetters(b *testing.B) {
	h := newHouse(b, mailtest.Options{})
	h.knows(boss)
	h.ticks()
	all := posts()
	deliver := func(from, n int) {
		for i := range n {
			m := all[(from+i)%len(all)].message
			m.MessageID = fmt.Sprintf("b%d@example.org", from+i)
			h.deliver("INBOX", m)
		}
	}
	deliver(0, 3*maxLetters)
	h.ticks()
	deliver(3*maxLetters, 200)
	for b.Loop() {
		if batch, err := h.collect(); err != nil || len(batch.Rows) < 200 {
			b.Fatal(err, len(batch.Rows))
		}
	}
}
