package daemon_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// insistent is a model that wants the person told of all that it is shown, in
// words of its own.
func insistent(r modeltest.Request) modeltest.Reply {
	reply, why := modeltest.Silent()(r), "so says the model"
	for _, c := range r.Observed() {
		if reply.Thought != nil && len(reply.Thought.Findings) < 3 {
			reply.Thought.Findings = append(reply.Thought.Findings, modeltest.Finding{Kind: r.Kinds()[0], Summary: "A model on " + string(c.Ref),
				Importance: 7, Evidence: []string{c.String()}, Escalate: true, EscalateReason: &why})
		}
	}
	return reply
}

// Facts are told whatever a model says of them, and once: that it is silent hides
// none, nor that it is not asked, and what it says as well is told once. Rules see
// each once, and the model nothing less for it.
func TestFactsBesideModels(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script         modeltest.Script
		rests, insists bool // at the tick at which it happens; on being told all
	}{
		"a silent model": {script: modeltest.Silent()}, "a model that rests": {script: modeltest.Silent(), rests: true},
		"a model that says so too": {script: insistent, insists: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t).thinking(modeltest.OpenAI, lab(t, modeltest.Options{Script: c.script}))
			phone := phoned(w)
			w.options.Config.Escalation.PushFrom = 0.6 // a disk at its warning level is worth a message
			w.options.Config.Budget.EscalationsPerHour = 100
			if c.rests {
				w.options.Config.Threads.Night.From, w.options.Config.Threads.Night.To = "00:00", "23:59"
			}
			w.begin()
			w.calendar(event{"c", "Dentist", start.Add(8 * time.Hour), time.Hour})
			w.ticks(2)
			before := w.spent().Today.Tokens
			w.disk.set(90)
			testutil.Write(t, filepath.Join(w.notes, "todo.md"), "- [ ] send the offer to Ines by 2026-11-23 13:30\n")
			w.calendar(event{"a", "Review", start.Add(3 * time.Hour), time.Hour}, event{"b", "Viewing", start.Add(3*time.Hour + 30*time.Minute), time.Hour},
				event{"c", "Dentist", start.Add(9 * time.Hour), time.Hour})
			report := w.tick()
			for _, s := range w.status().Threads {
				if s.Name == string(subconscious.Watcher) && !c.insists && (s.Pending > 0) != c.rests {
					t.Errorf("%d observations wait for the model", s.Pending)
				}
			}
			for _, r := range report.Threads {
				if rested := r.Mode == "skipped"; c.rests && r.Name == string(subconscious.Watcher) && (!rested || r.Findings == 0) || !c.rests && r.Mode == threads.Reflex {
					t.Errorf("the %s is %+v", r.Name, r)
				}
			}
			for _, r := range w.tick().Threads {
				if n := r.Rejected["repeat"]; n > 0 && !c.insists {
					t.Errorf("the %s says %d things again", r.Name, n)
				}
			}
			w.ticks(2)
			if !c.insists { // the model has told of it
				w.clock.advance(start.Add(91 * time.Minute).Sub(w.clock.Now()))
				w.tick() // it is time for the offer
			}
			titles := w.pushes(phone)
			facts := []string{"/srv", "Clash", "Dentist moved", "offer"}
			if c.insists { // the model told of the dentist before it was moved
				facts = facts[:2]
			}
			for _, fact := range facts {
				if n := len(slices.DeleteFunc(slices.Clone(titles), func(title string) bool {
					return !strings.Contains(title, fact) && (fact != "/srv" || !strings.Contains(title, "A model on health"))
				})); n != 1 {
					t.Errorf("of %q it is told %d times: %q", fact, n, titles)
				}
			}
			for _, i := range w.inbox() {
				if i.Times > 1 {
					t.Errorf("%s is told %d times: %s", i.ID, i.Times, i.Summary)
				}
			}
			if c.insists {
				return
			}
			tokens := w.spent().Today.Tokens
			if w.ticks(2); w.spent().Today.Tokens != tokens || tokens == before {
				t.Errorf("%d tokens, then %d, and in silence %d", before, tokens, w.spent().Today.Tokens)
			}
		})
	}
}
