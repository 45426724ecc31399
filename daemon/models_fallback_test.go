package daemon_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/setup/live"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
)

// threadStatus is what status says of one thread.
func (w *world) threadStatus(name subconscious.ThreadName) api.ThreadStatus {
	w.t.Helper()
	for _, s := range w.status().Threads {
		if s.Name == string(name) {
			return s
		}
	}
	w.t.Fatalf("no %s", name)
	return api.ThreadStatus{}
}

// TestListedFallback: where a provider is gone the model that is listed next
// thinks, and where that is gone too, reflex does. Tick, status, notices and
// report say who, in whose place, and why.
func TestListedFallback(t *testing.T) {
	t.Parallel()
	first, second := lab(t, modeltest.Options{Script: modeltest.Thinker()}), lab(t, modeltest.Options{Script: modeltest.Thinker()})
	w := newWorld(t).thinking(modeltest.OpenAI, first)
	config := &w.options.Config.Models
	config.Providers = append(config.Providers, models.Provider{ID: "spare", Kind: modeltest.Anthropic, BaseURL: second.BaseURL(modeltest.Anthropic), Key: secret.Ref{Env: labKey}})
	for i := range config.Roles {
		config.Roles[i].Fallbacks = []string{"spare/" + modeltest.Model}
	}
	w.begin()
	w.tick()
	w.news(0)
	for _, r := range asked(w.tick()) {
		if r.Mode != "model" || r.Model != usualModel || r.Usual != "" || r.Reason != "" {
			t.Errorf("with both: %+v", r)
		}
	}
	if second.Count() != 0 {
		t.Errorf("the second was asked %d times without need", second.Count())
	}

	first.Close()
	w.news(1)
	for _, r := range asked(w.tick()) {
		if r.Mode != "model" || r.Model != "spare/"+modeltest.Model || r.Usual != usualModel ||
			!strings.HasPrefix(r.Reason, usualModel+": ") || !strings.HasSuffix(r.Reason, "; spare/"+modeltest.Model+" thought in its place") || len(r.Failures) == 0 {
			t.Errorf("without the first: %+v", r)
		}
	}
	w.says("model", "spare/"+modeltest.Model, "thought in its place")

	second.Close()
	w.news(2)
	for _, r := range asked(w.tick()) {
		if r.Mode != "reflex" || r.Model != "" || r.Usual != usualModel || len(r.Failures) == 0 ||
			!strings.Contains(r.Reason, usualModel+": ") || !strings.Contains(r.Reason, "spare/"+modeltest.Model+": ") {
			t.Errorf("without both: %+v", r)
		}
	}
	w.says("reflex", "", "spare/"+modeltest.Model+": ")

	report, err := w.d.Report(context.Background(), start)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]int{}
	for _, m := range report.Models {
		by[m.Provider] += m.Calls - m.Failed
	}
	if by["lab"] < 3 || by["spare"] < 3 {
		t.Errorf("the report counts %+v", report.Models)
	}
	for _, sum := range report.Threads {
		if sum.Name != string(subconscious.Dreamer) && (sum.FellBack != 2 || sum.Reflex < 1 || sum.Model < 2) {
			t.Errorf("the report says %+v", sum)
		}
	}
}

// says holds status and notices to who thought, and why.
func (w *world) says(mode, model, reason string) {
	w.t.Helper()
	s := w.threadStatus(subconscious.Watcher)
	if s.Mode != mode || s.Model != model || s.Usual != usualModel || !strings.Contains(s.Reason, usualModel+": ") || !strings.Contains(s.Reason, reason) {
		w.t.Errorf("status says %+v", s)
	}
	notices := w.modelNotices()
	if !slices.ContainsFunc(notices, func(n api.Notice) bool {
		return strings.Contains(n.Text, "the watcher") && strings.Contains(n.Text, usualModel) && strings.Contains(n.Text, reason)
	}) {
		w.t.Errorf("the notices are %+v", notices)
	}
	if m := w.model(subconscious.Watcher); m.State != api.ModelFailing && m.State != api.ModelResting || !slices.Equal(m.Fallbacks, []string{"spare/" + modeltest.Model}) {
		w.t.Errorf("the model is shown as %+v", m)
	}
}

// TestFailingModelThreadMissesNothing: where a model and its reflex thinking
// both fail for three ticks, all that was new is shown later; and of what is
// shown, what found no place among three findings stays new until it has.
func TestFailingModelThreadMissesNothing(t *testing.T) {
	server := lab(t, modeltest.Options{Script: thorough()})
	w := newWorld(t).thinking(modeltest.OpenAI, server)
	stubborn := &thread{Thread: reflex.New(subconscious.Watcher)}
	w.withWatcher(stubborn)
	w.begin()
	w.tick()

	server.SetTroubles(modeltest.Always(modeltest.BadRequest))
	stubborn.set(fails)
	const all = 7 // as many as a list has room for
	for i := range all {
		testutil.Write(t, filepath.Join(w.files, fmt.Sprintf("paper-%d.md", i)), strings.Repeat("x", i+1))
		if i%3 != 2 && i != all-1 {
			continue // several at a tick
		}
		r := threadOf(t, w.tick(), subconscious.Watcher)
		if r.Mode != "failed" || !strings.Contains(r.Reason, usualModel) || !strings.Contains(r.Reason, "reflex thinking failed too: a made-up fault") {
			t.Fatalf("the report says %+v", r)
		}
	}
	if pending := w.threadStatus(subconscious.Watcher).Pending; pending < all {
		t.Errorf("%d are pending", pending)
	}

	server.SetTroubles()
	stubborn.set(nil)
	told := map[string]bool{}
	for range (all + 2) / 3 {
		before, report := len(told), w.tick()
		r := threadOf(t, report, subconscious.Watcher)
		for _, c := range report.Changes {
			if c.What == "added" {
				told[c.Summary] = true
			}
		}
		if r.Mode != "model" || r.Shown != all-before || len(told)-before != min(3, all-before) {
			t.Fatalf("%d were told before, %d then; %+v", before, len(told), r)
		}
	}
	for i := range all {
		if !told[fmt.Sprintf("New: paper-%d.md", i)] {
			t.Errorf("paper-%d.md was never told", i)
		}
	}
	if r := threadOf(t, w.tick(), subconscious.Watcher); r.Findings != 0 || r.Shown != 0 {
		t.Errorf("and then: %+v", r)
	}
}

// thorough finds up to three of the papers that it is shown.
func thorough() modeltest.Script {
	return func(r modeltest.Request) modeltest.Reply {
		thought := modeltest.Thought{}
		for _, c := range r.Observed() {
			line := lineOf(r, "["+c.String()+"]")
			at := strings.Index(line, "paper-")
			if at < 0 || c.Seq == 0 || len(thought.Findings) == 3 {
				continue
			}
			name, _, _ := strings.Cut(line[at:], " ")
			thought.Findings = append(thought.Findings, modeltest.Finding{Kind: r.Kinds()[0], Summary: "New: " + name, Importance: 5, Evidence: []string{c.String()}})
		}
		return modeltest.Reply{Thought: &thought}
	}
}

func lineOf(r modeltest.Request, mark string) string {
	for line := range strings.Lines(r.Shown()) {
		if strings.Contains(line, mark) {
			return line
		}
	}
	return ""
}

// withWatcher gives the mind one thread, whose model is the watcher's of the
// configuration and whose reflex thinking is the given one.
func (w *world) withWatcher(own threads.Thread) {
	w.t.Helper()
	all, err := models.OpenRoster(models.RosterOptions{Protocols: live.Protocols(), Config: w.options.Config.Models, Env: labEnv, Now: w.clock.Now})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = all.Close() })
	set, err := prompts.Open("")
	if err != nil {
		w.t.Fatal(err)
	}
	role, _ := all.Role(string(own.Name()))
	made, err := threads.NewModel(threads.ModelOptions{Name: own.Name(), Prompts: set, Reflex: own,
		Asker: threads.Asker{Generator: role.Generator, Identity: role.Identity, Request: role.Request}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.options.Threads = []threads.Thread{made}
}
