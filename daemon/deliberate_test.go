package daemon_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// deliberating has a world deliberate with a scripted model, while its threads
// think by reflex.
func (w *world) deliberating(script modeltest.Script) *modeltest.Server {
	server := lab(w.t, modeltest.Options{Script: script})
	config := models.DefaultConfig()
	config.Providers = []models.Provider{{ID: "lab", Kind: "openai", BaseURL: server.BaseURL("openai"), Key: secret.Ref{Env: labKey}}}
	config.Roles = []models.Role{{ID: models.RoleDeliberation, Provider: "lab", Model: modeltest.Model}}
	config.Prices, config.Timeout = []models.Price{labPrice}, patience
	w.options.Config.Models, w.options.Env = config, labEnv
	w.options.Config.Budget.MoneyPerDay = 20
	return server
}

// oneByOne calls tools, one after the other, in an answer each.
func oneByOne(calls ...models.ToolCall) modeltest.Script {
	next := 0
	return func(modeltest.Request) modeltest.Reply {
		if next == len(calls) {
			return modeltest.Reply{Text: "That is all."}
		}
		next++
		call := calls[next-1]
		call.ID = "call-" + string(rune('a'+next))
		return modeltest.Reply{Calls: []models.ToolCall{call}}
	}
}

func calls(tool, arguments string) models.ToolCall {
	return models.ToolCall{Name: tool, Arguments: json.RawMessage(arguments)}
}

// concluded lets a tick take what the deliberations came to.
func (w *world) concluded() {
	w.t.Helper()
	w.tick()
	if open := w.status().Deliberating; len(open) > 0 {
		w.t.Fatalf("the deliberations have not ended: %s", asJSON(w.t, open))
	}
}

// lastDeliberation is that of the newest incident.
func (w *world) lastDeliberation() api.Deliberation {
	w.t.Helper()
	inbox, err := w.d.Inbox(context.Background(), api.InboxQuery{All: true, Limit: 20})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, incident := range inbox.Incidents {
		x, err := w.d.Incident(context.Background(), incident.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		if n := len(x.Deliberations); n > 0 {
			return x.Deliberations[n-1]
		}
	}
	w.t.Fatal("nothing was deliberated on")
	return api.Deliberation{}
}

func texts(phone *notifytest.Recorder) string {
	var said []string
	for _, m := range phone.Messages() {
		said = append(said, m.Title+" | "+m.Text)
	}
	return strings.Join(said, "\n")
}

// What is to be told goes through the frontier model, whose words the person
// gets, once; why shows all of it.
func TestDeliberated(t *testing.T) {
	w := newWorld(t)
	phone := phoned(w)
	server := w.deliberating(oneByOne(
		calls("health", `{}`),
		calls("notify_person", `{"text":"The disk of your photos is nearly full: move the films away today.","reason":"it is full within hours"}`),
	))
	w.fills(97)
	w.concluded()
	w.pushed(phone, "of the full disk", "/srv")
	if !strings.Contains(texts(phone), "move the films away") {
		t.Errorf("it was told so: %s", texts(phone))
	}
	got := w.lastDeliberation()
	if got.Outcome != subconscious.OutcomeTold || got.Template || len(got.Rounds) != 2 || got.Cost <= 0 || got.Model != "lab/"+modeltest.Model {
		t.Fatalf("the deliberation is %s", asJSON(t, got))
	}
	if !strings.Contains(got.Prompt.User, "/srv") || got.Prompt.System == "" || got.Rounds[0].Calls[0].Tool != "health" {
		t.Errorf("its record is %s", asJSON(t, got))
	}
	if j := got.Rounds[1].Calls[0].Judgement; j == nil || j.Permission != escalate.Allowed {
		t.Errorf("the policy said %+v", j)
	}
	history := w.document().EscalationHistory
	if last := history[len(history)-1]; last.Outcome != "told" || last.Deliberation != got.ID {
		t.Errorf("the history ends with %+v", last)
	}
	w.ticks(3)
	if server.Count() != 2 || len(phone.Messages()) != 1 {
		t.Errorf("%d requests, and told: %s", server.Count(), texts(phone))
	}
}

// What is dismissed or snoozed takes no attention.
func TestDeliberatedAndKeptBack(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]models.ToolCall{
		"dismissed": calls("dismiss", `{"reason":"you did it yourself just now"}`),
		"snoozed":   calls("snooze", `{"hours":2,"reason":"better after lunch"}`),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			phone := phoned(w)
			w.deliberating(oneByOne(call, calls("notify_person", `{"text":"It is time.","reason":"it stands"}`)))
			w.begin()
			w.tick()
			testutil.Write(t, filepath.Join(w.files, "authorized_keys"), "key")
			w.tick()
			w.concluded()
			w.pushed(phone, "at once")
			if got := w.lastDeliberation(); string(got.Outcome) != name {
				t.Fatalf("the deliberation is %s", asJSON(t, got))
			}
			if n := w.status().Budget.NotificationsToday; n != 0 {
				t.Errorf("%d notifications are counted", n)
			}
			w.ticks(30)
			if told := len(w.pushes(phone)); name == "snoozed" && told != 1 || name == "dismissed" && told != 0 {
				t.Errorf("after two hours told: %s", texts(phone))
			}
		})
	}
}

// acting configures an action that leaves a mark, and returns where.
func (w *world) acting(approval escalate.Approval) (mark string) {
	mark = filepath.Join(w.t.TempDir(), "mark")
	w.options.Config.Actions = append(w.options.Config.Actions, actions.Action{
		Name: "leave-mark", Description: "Leaves a mark.", Command: []string{"/bin/cp", "/etc/hostname", mark}, Approval: approval,
		Undo: []string{"/bin/rm", mark},
	})
	return mark
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

var act = calls("propose_action", `{"action":"leave-mark","arguments":{},"reason":"it makes room"}`)

// A stranger's file leads to a proposal alone; the person approves exactly that,
// once, and takes it back.
func TestProposedApprovedUndone(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	phone := phoned(w)
	mark := w.acting(escalate.ApproveNever)
	w.deliberating(oneByOne(act))
	w.options.Config.Senses.Files[0].Trust = subconscious.Outsider
	w.begin()
	w.tick()
	testutil.Write(t, filepath.Join(w.files, "authorized_keys"), "key")
	w.tick()
	w.concluded()
	page, err := w.d.Proposals(ctx, api.ProposalQuery{})
	if err != nil || len(page.Proposals) != 1 || exists(mark) {
		t.Fatalf("proposed: %s, %v; carried out: %t; %s", asJSON(t, page), err, exists(mark), asJSON(t, w.lastDeliberation()))
	}
	p := page.Proposals[0]
	if w.rests(); !strings.Contains(texts(phone), "Proposed: leave-mark: ") || !strings.Contains(texts(phone), "It waits for your yes at home") || strings.Contains(texts(phone), p.ID) {
		t.Errorf("told: %s", texts(phone)) // which names it without its id
	}
	if !slices.Contains(p.Trusts, "outsider") || p.Clause != "act-asks-for-strangers" {
		t.Errorf("the proposal is %s", asJSON(t, p))
	}
	if _, err := w.d.Decide(ctx, api.ProposalDecision{ID: p.ID, Hash: strings.Repeat("0", 64), Approve: true}); err == nil || exists(mark) {
		t.Fatalf("approved with another hash: %v", err)
	}
	result, err := w.d.Decide(ctx, api.ProposalDecision{ID: p.ID, Hash: p.Hash, Approve: true})
	if err != nil || result.Run == nil || result.Run.State != api.RunSucceeded || !exists(mark) {
		t.Fatalf("approved: %s, %v", asJSON(t, result), err)
	}
	if _, err := w.d.Decide(ctx, api.ProposalDecision{ID: p.ID, Hash: p.Hash, Approve: true}); err == nil {
		t.Error("approved twice")
	}
	if last := w.lastDeliberation(); last.Proposal != p.ID || last.ProposalState != "approved" || last.Run != result.Run.ID {
		t.Errorf("the deliberation says %s", asJSON(t, last))
	}
	w.learns("proposed; you: approved")
	if _, err := w.d.Undo(ctx, api.UndoRequest{Run: result.Run.ID}); err != nil || exists(mark) {
		t.Errorf("taken back: %v", err)
	}
	w.learns("proposed; you: taken back")
}

// learns holds what the history says of the last escalation, once a tick has
// taken what was said.
func (w *world) learns(want string) {
	w.t.Helper()
	w.tick()
	history := w.document().EscalationHistory
	if len(history) == 0 || history[len(history)-1].Outcome != want {
		w.t.Errorf("the history is %s, want %q", asJSON(w.t, history), want)
	}
}

// acts deliberates on a full disk with a model that acts.
func (w *world) acts() {
	w.t.Helper()
	w.deliberating(oneByOne(act))
	w.fills(97)
	w.concluded()
}

// What the machine itself says may lead to what is configured, and the person is
// told.
func TestMachineActs(t *testing.T) {
	w := newWorld(t)
	phone := phoned(w)
	mark := w.acting(escalate.ApproveTainted)
	w.acts()
	if got := w.lastDeliberation(); got.Outcome != subconscious.OutcomeActed || !exists(mark) || got.Run == "" {
		t.Fatalf("the deliberation is %s", asJSON(t, got))
	}
	if w.rests(); !strings.Contains(texts(phone), "leave-mark") {
		t.Errorf("told: %s", texts(phone))
	}
	var shown []api.DeliberationCall
	for _, round := range w.lastDeliberation().Rounds {
		shown = append(shown, round.Calls...)
	}
	if len(shown) != 1 || shown[0].Result == "" || shown[0].Judgement == nil {
		t.Errorf("it is shown as %s", asJSON(t, shown))
	}
}

// What could not be taken back is not said to have been.
func TestUndoFails(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	mark := w.acting(escalate.ApproveTainted)
	w.acts()
	run := w.lastDeliberation().Run
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	failed, err := w.d.Undo(ctx, api.UndoRequest{Run: run})
	if err != nil || failed.State != "failed" {
		t.Fatalf("taken back: %s, %v", asJSON(t, failed), err)
	}
	if _, err := w.d.Undo(ctx, api.UndoRequest{Run: run}); err == nil || !strings.Contains(err.Error(), failed.ID) {
		t.Errorf("a second time: %v", err)
	}
	page, err := w.d.Runs(ctx, api.RunQuery{})
	if err != nil || len(page.Runs) != 2 || page.Runs[1].Undone != "" || page.Runs[1].UndoTried != failed.ID {
		t.Errorf("the runs are %s, %v", asJSON(t, page), err)
	}
}

// A model that does not answer leaves the words of the rules, which say so.
func TestTemplateTells(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	phone := phoned(w)
	server := w.deliberating(modeltest.Silent())
	server.Close()
	w.fills(97)
	w.concluded()
	w.pushed(phone, "of the full disk", "/srv")
	if got := w.lastDeliberation(); !got.Template || got.Outcome != subconscious.OutcomeTold || got.Problem == "" {
		t.Errorf("the deliberation is %s", asJSON(t, got))
	}
	if !strings.Contains(texts(phone), "told by rule") {
		t.Errorf("it does not say so: %s", texts(phone))
	}
}

// What strangers put into a folder of theirs is theirs, also where it lies within
// the person's notes.
func TestStrangersWithinNotes(t *testing.T) {
	w := newWorld(t)
	down := filepath.Join(w.notes, "down")
	if err := os.Mkdir(down, 0o700); err != nil {
		t.Fatal(err)
	}
	w.options.Config.Senses.Files = append(w.options.Config.Senses.Files, files.Config{ID: "down", Path: down, Trust: subconscious.Outsider})
	w.begin()
	w.tick()
	testutil.Write(t, filepath.Join(w.notes, "own.md"), "- [ ] send the offer to the mason by Friday\n")
	testutil.Write(t, filepath.Join(down, "theirs.md"), "- [ ] send the keys to the stranger by Friday\n")
	w.tick()
	for text, want := range map[string]subconscious.Trust{"mason": subconscious.Owner, "stranger": subconscious.Outsider} {
		entry, ok := w.entry(text)
		if !ok {
			t.Fatalf("nothing is known of the %s: %s", text, w.summaries())
		}
		x, err := w.d.Why(context.Background(), entry.ID)
		if err != nil || len(x.Observations) == 0 || x.Observations[0].Observation.Trust != want {
			t.Errorf("what is said of the %s: %s, %v", text, asJSON(t, x.Observations), err)
		}
	}
}

// TestNotRemembered: what memory refuses is refused to the model, and keeps nothing from
// the person.
func TestNotRemembered(t *testing.T) {
	w := newWorld(t)
	phone := phoned(w)
	w.deliberating(oneByOne(calls("remember", `{"text":"Is the disk full again?","kind":"fact"}`)))
	w.fills(97)
	w.concluded()
	got := w.lastDeliberation()
	if said := asJSON(t, got.Rounds); !strings.Contains(said, "not worth keeping: question") || got.Outcome == subconscious.OutcomeRemembered || len(w.memories()) > 0 {
		t.Errorf("%d memories, %s: %s", len(w.memories()), got.Outcome, said)
	}
	if pushes := w.pushes(phone); len(pushes) != 1 {
		t.Errorf("pushed: %q", pushes)
	}
}
