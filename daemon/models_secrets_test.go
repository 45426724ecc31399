package daemon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/redact/redacttest"
	"github.com/subconsciousd/subconsciousd/setup/live"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
)

// TestPlantedSecrets plants secrets in all that is read, before models that read
// what they can by tools and repeat all that they are shown. None of them may be
// on the wire, in the records, the log, the database or any answer. The twin, in
// which nothing is taken out on the way to a model, must leak.
func TestPlantedSecrets(t *testing.T) {
	t.Parallel()
	secrets := redacttest.Planted()
	if len(secrets) != 50 {
		t.Fatalf("%d secrets", len(secrets))
	}
	for _, protocol := range []string{modeltest.OpenAI, modeltest.Anthropic} {
		if testing.Short() && protocol != modeltest.OpenAI {
			continue
		}
		t.Run(protocol, func(t *testing.T) {
			found := newPlanted(t, secrets, protocol).leaks()
			for place, leaks := range found {
				t.Errorf("%s: %d leaks: %q", place, len(leaks), leaks)
			}
		})
	}
	t.Run("twin", func(t *testing.T) {
		p := newPlanted(t, secrets, modeltest.OpenAI, unredacted)
		found := p.leaks()
		for _, place := range []string{"requests", "mind.db", "subconscious.json", "status", "why"} {
			if len(found[place]) == 0 {
				t.Errorf("%s holds no secret: the test could not fail", place)
			}
		}
		t.Logf("without redaction %d secrets and forms are on the wire, %d in the database", len(found["requests"]), len(found["mind.db"])+len(found["mind.db-wal"]))
	})
}

// planted is a world with secrets in it.
type planted struct {
	*world
	secrets []redacttest.Secret
	server  *modeltest.Server
}

func newPlanted(t *testing.T, secrets []redacttest.Secret, protocol string, changes ...func(w *world, server *modeltest.Server)) *planted {
	server := lab(t, modeltest.Options{Script: curious()})
	p := &planted{world: newWorld(t).thinking(protocol, server), secrets: secrets, server: server}
	p.options.Logger = slog.New(slog.NewTextHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	for _, change := range changes {
		change(p.world, server)
	}
	p.begin()
	p.tick()
	// In four parts, so that prompts and tools have room for all.
	for part := range slices.Chunk(secrets, 13) {
		p.plant(part)
		p.tick()
		p.tick() // what found no room
	}
	return p
}

// plant puts secrets into names and contents of files, notes, the calendar and
// what the person types.
func (p *planted) plant(part []redacttest.Secret) {
	p.t.Helper()
	p.marks++
	id := fmt.Sprint(p.marks)
	var events []event
	var text strings.Builder
	for i, s := range part {
		one := strings.ReplaceAll(s.Text, "\n", " ")
		fmt.Fprintf(&text, "%s\n", s.Text)
		if len(s.Text) < 200 && !strings.ContainsAny(s.Text, "/\n\x00") {
			testutil.Write(p.t, filepath.Join(p.files, s.Text+".md"), s.Text)
		}
		testutil.Write(p.t, filepath.Join(p.notes, fmt.Sprintf("%s-%d.md", id, i)), fmt.Sprintf("- [ ] tell Anna by Friday: %s\n\n%s\n", one, s.Text))
		events = append(events, event{uid: fmt.Sprintf("%s-%d@example.org", id, i), summary: one, start: p.clock.Now().Add(time.Duration(i+1) * time.Hour), length: time.Hour})
		if i%4 == 0 {
			p.command(subconscious.Command{Kind: subconscious.CommandNote, Text: one + " by Tuesday"})
		}
	}
	testutil.Write(p.t, filepath.Join(p.files, "planted.md"), text.String())
	testutil.Write(p.t, filepath.Join(p.files, "settings-"+id+".yaml"), "server:\n  name: example\n"+text.String())
	testutil.Write(p.t, filepath.Join(p.notes, "planted.md"), "# planted\n\n"+text.String())
	p.calendar(events...)
}

// curious is a model that uses its tools where secrets may be, and then repeats
// all that it is shown.
func curious() modeltest.Script {
	echo := modeltest.Echo()
	requests := map[string]string{
		"read_file": `{"path":"files-work/planted.md"}`, "search_notes": `{"words":"planted password key tell Anna"}`,
		"list_events": `{"days":3}`, "health": `{}`,
	}
	return func(r modeltest.Request) modeltest.Reply {
		if r.AfterTools() || len(r.Tools) == 0 {
			return echo(r)
		}
		var reply modeltest.Reply
		for i, tool := range r.Tools {
			reply.Calls = append(reply.Calls, models.ToolCall{ID: fmt.Sprintf("call_%d_%d", r.Number, i), Name: tool.Name,
				Arguments: json.RawMessage(requests[tool.Name])})
		}
		return reply
	}
}

// leaks looks for the secrets everywhere, and returns what it found by place.
func (p *planted) leaks() map[string][]string {
	p.t.Helper()
	found := map[string][]string{}
	look := func(place string, data []byte) {
		if len(data) == 0 {
			p.t.Errorf("%s is empty", place)
		}
		found[place] = append(found[place], redacttest.Leaks(data, p.secrets)...)
	}
	var wire bytes.Buffer
	used := 0
	for _, r := range p.server.Requests() {
		wire.Write(r.Body)
		if r.Request.AfterTools() {
			used++
		}
	}
	if used < 4 {
		p.t.Errorf("only %d requests brought what tools returned", used)
	}
	look("requests", wire.Bytes())
	if calls := p.calls(); calls != nil || p.options.Threads == nil {
		look("records", []byte(asJSON(p.t, calls)))
	}
	p.answers(look)
	p.stored(look)
	p.stop()
	p.stored(look)
	look("log", []byte(p.log.String()))
	for place, leaks := range found {
		if len(leaks) == 0 {
			delete(found, place)
		}
	}
	return found
}

// answers are those of the API.
func (p *planted) answers(look func(place string, data []byte)) {
	ctx := context.Background()
	put := func(place string, answer any, err error) {
		if err != nil {
			p.t.Errorf("%s: %v", place, err)
		}
		look(place, []byte(asJSON(p.t, answer)))
	}
	put("status", p.status(), nil)
	for _, e := range entries(p.document()) {
		why, err := p.d.Why(ctx, e.ID)
		put("why", why, err)
	}
	for _, name := range subconscious.Threads() {
		rendered, err := p.d.Prompt(ctx, string(name))
		put("prompt of the "+string(name), rendered, err)
	}
	report, err := p.d.Report(ctx, start)
	put("report", report, err)
	ticks, err := p.d.Ticks(ctx, 0, 100)
	put("ticks", ticks, err)
	all, err := p.d.Models(ctx)
	put("models", all, err)
}

// stored is all that the mind keeps.
func (p *planted) stored(look func(place string, data []byte)) {
	kept, err := filepath.Glob(filepath.Join(p.state, "*"))
	if err != nil || len(kept) < 2 {
		p.t.Errorf("the mind keeps %q: %v", kept, err)
	}
	for _, path := range kept {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			p.t.Error(err)
		}
		look(filepath.Base(path), data)
	}
}

// unredacted has the threads ask models from which nothing is kept, with tools
// that take nothing out.
func unredacted(w *world, server *modeltest.Server) {
	w.t.Helper()
	plain := func(text string) string { return text }
	asked, err := models.OpenRoster(models.RosterOptions{Protocols: live.Protocols(), Config: w.options.Config.Models, Env: labEnv, Secrets: plain})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = asked.Close() })
	set, err := prompts.Open("")
	if err != nil {
		w.t.Fatal(err)
	}
	tools, err := threads.NewRegistry(threads.RegistryOptions{Roots: []threads.Root{
		{ID: "files-work", Path: w.files}, {ID: "notes-notes", Path: w.notes, Notes: true},
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = tools.Stop(context.Background()) })
	for _, name := range subconscious.Threads() {
		role, _ := asked.Role(string(name))
		thread, err := threads.NewModel(threads.ModelOptions{Name: name, Prompts: set, Tools: tools, Reflex: reflex.New(name),
			Asker: threads.Asker{Generator: role.Generator, Identity: role.Identity, Request: role.Request}})
		if err != nil {
			w.t.Fatal(err)
		}
		w.options.Threads = append(w.options.Threads, thread)
	}
	server.SetScript(blab())
}

// blab finds one secret after another in what it is shown, and says it.
func blab() modeltest.Script {
	look, said := curious(), map[string]bool{}
	return func(r modeltest.Request) modeltest.Reply {
		reply := look(r)
		if reply.Thought == nil {
			return reply
		}
		next := 0
		for _, s := range redacttest.Planted() {
			if next == len(reply.Thought.Findings) || said[s.Value] || len(s.Value) > 60 || !strings.Contains(r.Shown(), s.Value) {
				continue
			}
			said[s.Value] = true
			reply.Thought.Findings[next].Summary = s.Value + " is there"
			next++
		}
		return reply
	}
}

// TestPersonalData: remote models are given placeholders, which are put back in
// what they find; a local model is given what is there.
func TestPersonalData(t *testing.T) {
	const mail, phone = "anna.berg@example.org", "+4930901820"
	for name, local := range map[string]bool{"remote": false, "local": true} {
		t.Run(name, func(t *testing.T) {
			server := lab(t, modeltest.Options{Script: modeltest.Thinker()})
			w := newWorld(t).thinking(modeltest.OpenAI, server)
			w.options.Config.Models.Providers[0].Local = local
			w.options.Config.Models.Privacy = models.Privacy{MailAddresses: true, PhoneNumbers: true}
			w.begin()
			w.tick()
			w.calendar(event{"call@example.org", "Call " + mail + " " + phone, w.clock.Now().Add(5 * time.Hour), time.Hour})
			report := w.tick()
			for _, r := range asked(report) {
				if r.Mode != "model" {
					t.Errorf("%+v", r)
				}
			}
			shown := false
			for _, r := range server.Requests() {
				for _, data := range []string{mail, phone} {
					has := strings.Contains(string(r.Body), data)
					shown = shown || has
					if has && !local {
						t.Errorf("%q is on the wire", data)
					}
				}
			}
			if shown != local {
				t.Errorf("shown: %v", shown)
			}
			found := ""
			for _, e := range entries(w.document()) {
				if strings.Contains(e.Summary, "Noticed") {
					found += e.Summary + "\n"
				}
			}
			if !strings.Contains(found, mail) || !strings.Contains(found, phone) {
				t.Errorf("found is %q", found)
			}
		})
	}
}
