package escalate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// BenchmarkDecide measures a tick with so many incidents: half of them wait for
// the digest, half were told, and a tenth is asked for anew.
func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{0, 10, 200} {
		p := newPlay(b, noon)
		p.rules.NotificationsPerDay, p.rules.EscalationsPerHour = 1000, 1000
		ask := func(i int) {
			name := fmt.Sprintf("disk%d", i)
			kind := subconscious.KindAnomaly
			if i%2 == 0 {
				kind = subconscious.KindIdea
			}
			p.ask(p.key(name), subconscious.Asked{Thread: subconscious.Watcher, Kind: kind, Importance: 7, Summary: name + " is filling up", Reason: "it fills"}, name)
		}
		for i := range n {
			p.observe(fmt.Sprintf("disk%d", i), "disk")
			p.happen(fmt.Sprintf("disk%d", i), subconscious.Appeared, subconscious.Warning)
			ask(i)
		}
		p.decide()
		p.at = p.at.Add(5 * time.Minute)
		for i := 0; i < n; i += 10 {
			ask(i)
		}
		in := p.input()
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				escalate.Decide(in)
			}
		})
	}
}
