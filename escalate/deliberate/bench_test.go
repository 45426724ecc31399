package deliberate_test

import (
	"path/filepath"
	"testing"

	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// BenchmarkDeliberation is an escalation of three answers: two readings, a
// memory, and the end.
func BenchmarkDeliberation(b *testing.B) {
	for _, kind := range []string{"memory", "disk"} {
		b.Run(kind, func(b *testing.B) {
			path := store.Memory
			if kind == "disk" {
				path = filepath.Join(b.TempDir(), "mind.db")
			}
			db := opened(b, path)
			defer db.Close()
			w := sceneOf(b, `{"Readings":{"read_file":{"Text":"text","Big":4000,"Words":[{"trust":"machine","source":"file"}]}},
				"Answers":[{"calls":[{"name":"read_file","arguments":{},"times":2}]},{"calls":[{"name":"remember","arguments":{"text":"so","kind":"fact"}}]},
				{"calls":[{"name":"notify_person","arguments":{"text":"Look.","reason":"now"}}]}]}`).ready()
			options := w.options(db)
			ended := make(chan string, 1)
			options.Ended = func(id string) { ended <- id }
			worker, err := deliberate.New(options)
			if err != nil {
				b.Fatal(err)
			}
			if err := worker.Start(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for tick := int64(1); b.Loop(); tick++ {
				e := w.theEscalation(noon)
				e.Tick, e.Incident = tick, subconscious.IncidentKey("disk:/")
				if err := db.Write(b.Context(), func(tx *store.Tx) error { return worker.Add(b.Context(), tx, e) }); err != nil {
					b.Fatal(err)
				}
				worker.Wake()
				<-ended
			}
			if err := worker.Stop(b.Context()); err != nil {
				b.Fatal(err)
			}
		})
	}
}
