package daemon_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
)

// instant is a model that finds nothing, at once.
type instant struct{}

func (instant) Generate(context.Context, models.Request) (models.Answer, error) {
	return models.Answer{Text: modeltest.Thought{}.JSON(), By: models.Identity{Provider: "lab", Model: modeltest.Model}, Attempts: 1,
		Usage: models.Usage{Input: 1000, Output: 20, Known: true}}, nil
}

// BenchmarkModelTick is a tick with something new for all four threads: by
// reflex, with a model in the process that answers at once, and with one behind
// the whole stack and a connection over loopback, the server's own work
// included. The overhead of one model thread is at most the difference to the
// first, since they run side by side.
func BenchmarkModelTick(b *testing.B) {
	for _, c := range []struct {
		name string
		set  func(w *world)
	}{
		{"reflex", func(*world) {}},
		{"instant", func(w *world) { w.options.Threads = instantly(b) }},
		{"loopback", func(w *world) { w.thinking(modeltest.OpenAI, lab(b, modeltest.Options{Script: modeltest.Silent()})) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := newWorld(b)
			w.options.Logger = nil
			c.set(w)
			w.options.Config.Budget.MoneyPerDay, w.options.Config.Budget.CallsPerDay, w.options.Config.Budget.TokensPerDay = -1, -1, -1
			w.options.Config.Budget.MoneyPerMonth = -1
			w.begin()
			w.ticks(3)
			n, modelled := 0, 0
			for b.Loop() {
				b.StopTimer()
				w.clock.advance(slot)
				w.disk.set(50 + uint64(n%2)*40)
				w.command(subconscious.Command{Kind: subconscious.CommandNote, Text: fmt.Sprintf("send offer %d by Friday", n)})
				b.StartTimer()
				report, err := w.d.TickAs(b.Context(), subconscious.Scheduled)
				if err != nil {
					b.Fatal(err)
				}
				n++
				for _, r := range report.Threads {
					if r.Mode == threads.Model {
						modelled++
					}
				}
			}
			b.StopTimer()
			b.ReportMetric(float64(modelled)/float64(n), "models/op")
			if c.name != "reflex" && modelled < 3*n {
				b.Fatalf("%d thoughts of models in %d ticks", modelled, n)
			}
		})
	}
}

// instantly are the four threads with an instant model.
func instantly(b *testing.B) []threads.Thread {
	set, err := prompts.Open("")
	if err != nil {
		b.Fatal(err)
	}
	var all []threads.Thread
	for _, name := range subconscious.Threads() {
		thread, err := threads.NewModel(threads.ModelOptions{Name: name, Prompts: set, Reflex: reflex.New(name), Asker: threads.Asker{
			Generator: instant{}, Identity: models.Identity{Provider: "lab", Model: modeltest.Model}, Request: models.Request{MaxTokens: 1000}}})
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, thread)
	}
	return all
}
