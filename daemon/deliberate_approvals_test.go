package daemon_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/approve"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// penned configures an action that writes a unit into a file, line by line.
func (w *world) penned(approval escalate.Approval, more ...string) {
	w.t.Helper()
	pen := filepath.Join(w.dir, "pen")
	testutil.Program(w.t, pen, "echo \"$1\" >> "+filepath.Join(w.dir, "acted"))
	w.options.Config.Actions = []actions.Action{{
		Name: "write-down", Description: "Writes a unit down.", Command: append([]string{pen, "{unit}"}, more...), Folder: w.dir, Approval: approval,
		Params: []actions.Param{{Name: "unit", Pattern: "[a-z0-9-]+"}}, PerHour: 1000, PerDay: 1000,
	}}
}

// wrote is how often the program ran for a unit.
func (w *world) wrote(unit string) int {
	w.t.Helper()
	times, err := acted(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	return times[unit]
}

// asksFor asks that the unit be written down that an incident is about.
func asksFor(r modeltest.Request) modeltest.Reply {
	if r.Round() > 0 {
		return modeltest.Reply{Text: "Done."}
	}
	call := calls("propose_action", fmt.Sprintf(`{"action":"write-down","arguments":{"unit":"unit-%d"},"reason":"for the record"}`, unitOf(r)))
	call.ID = "call"
	return modeltest.Reply{Calls: []models.ToolCall{call}}
}

// approving is a mind that waits for the person's word on a unit each, over its
// socket.
type approving struct {
	*world
	phone  *notifytest.Recorder
	client *client.Client
}

func newApproving(t *testing.T, units int) *approving {
	w := &approving{world: newWorld(t)}
	w.phone = phoned(w.world)
	w.deliberating(asksFor)
	w.penned(escalate.ApproveAlways)
	w.options.NoSocket = false
	w.options.Config.Budget.EscalationsPerHour, w.options.Config.Budget.NotificationsPerDay = 200, 200
	w.client = client.New(filepath.Join(w.state, "socket"))
	t.Cleanup(w.client.Close)
	w.begin()
	w.tick()
	for n := range units {
		w.disk.fails(fmt.Sprintf("unit-%d.service", n))
	}
	w.tick()
	w.concluded()
	return w
}

// proposal is that of a unit, as a person is shown it.
func (w *approving) proposal(unit string) api.Proposal {
	w.t.Helper()
	page, err := client.Ask(context.Background(), w.client, api.GetProposals, api.ProposalQuery{All: true, Limit: 100})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, p := range page.Proposals {
		if strings.Contains(string(p.Arguments), `"`+unit+`"`) {
			return p
		}
	}
	w.t.Fatalf("nothing is proposed for %s: %s", unit, asJSON(w.t, page))
	return api.Proposal{}
}

// approve says yes to what is shown of a proposal, and returns the code of the
// refusal; "" where it was carried out.
func (w *approving) approve(p api.Proposal) api.Code {
	w.t.Helper()
	result, err := client.Ask(context.Background(), w.client, api.PostDecision, api.ProposalDecision{ID: p.ID, Hash: p.Hash, Approve: true})
	if err == nil {
		if result.Run == nil || result.Run.State != api.RunSucceeded {
			w.t.Errorf("it ran: %s", asJSON(w.t, result))
		}
		return ""
	}
	return w.code(err)
}

func (w *approving) code(err error) api.Code {
	w.t.Helper()
	problem, ok := errors.AsType[*api.Problem](err)
	if !ok {
		w.t.Fatalf("it was not refused, but failed: %v", err)
	}
	return problem.Code
}

// refusesToRun holds a yes to a proposal to a code, and to no run.
func (w *approving) refusesToRun(unit string, p api.Proposal, want api.Code) {
	w.t.Helper()
	before := w.wrote(unit)
	if got := w.approve(p); got != want || w.wrote(unit) != before {
		w.t.Errorf("a yes for %s: %q, want %q; it ran %d times more", unit, got, want, w.wrote(unit)-before)
	}
}

// A hundred who say yes at once carry it out once; whoever says so again, also
// after a restart, carries out nothing.
func TestApprovedAtOnce(t *testing.T) {
	w := newApproving(t, 1)
	p := w.proposal("unit-0")
	var all sync.WaitGroup
	var mu sync.Mutex
	codes := map[api.Code]int{}
	begin := make(chan struct{})
	for range 100 {
		all.Go(func() {
			<-begin
			_, err := client.Ask(context.Background(), w.client, api.PostDecision, api.ProposalDecision{ID: p.ID, Hash: p.Hash, Approve: true})
			code := api.Code("")
			if problem, ok := errors.AsType[*api.Problem](err); ok {
				code = problem.Code
			} else if err != nil {
				code = api.Code(err.Error())
			}
			mu.Lock()
			defer mu.Unlock()
			codes[code]++
		})
	}
	close(begin)
	all.Wait()
	if codes[""] != 1 || codes[api.CodeUsed]+codes[api.CodeBusy] != 99 || w.wrote("unit-0") != 1 {
		t.Errorf("of a hundred: %v; it ran %d times", codes, w.wrote("unit-0"))
	}
	w.refusesToRun("unit-0", p, api.CodeUsed)
	w.restart()
	w.refusesToRun("unit-0", p, api.CodeUsed)
	if runs, err := client.Ask(context.Background(), w.client, api.GetRuns, api.RunQuery{}); err != nil || len(runs.Runs) != 1 || runs.Runs[0].Proposal != p.ID {
		t.Errorf("the runs are %s, %v", asJSON(t, runs), err)
	}
}

// With a passphrase nothing is approved without it, three wrong ones keep out the right
// one, over a restart as well, and the person hears that somebody guesses.
func TestApprovedByPassphrase(t *testing.T) {
	w := newApproving(t, 1)
	w.options.Config.Approve.Ask = approve.AskPassphrase
	w.restart()
	p := w.proposal("unit-0")
	give := func(passphrase string, want api.Code, runs, notices int) {
		t.Helper()
		_, err := client.Ask(context.Background(), w.client, api.PostDecision, api.ProposalDecision{ID: p.ID, Hash: p.Hash, Approve: true, Passphrase: passphrase})
		code := api.Code("")
		if err != nil {
			code = w.code(err)
		}
		status, err := client.Ask(context.Background(), w.client, api.GetStatus, api.Nothing{})
		guessed := slices.DeleteFunc(status.Notices, func(n api.Notice) bool { return n.Code != "passphrase_guessed" })
		if code != want || err != nil || w.wrote("unit-0") != runs || len(guessed) != notices {
			t.Errorf("%q: %q, want %q; it ran %d times; %v, %v", passphrase, code, want, w.wrote("unit-0"), guessed, err)
		}
	}
	give("", api.CodeRefused, 0, 0) // none is set
	if set, err := client.Ask(context.Background(), w.client, api.PostPassphrase, api.PassphraseRequest{Passphrase: "correct horse"}); err != nil || !set.Asked {
		t.Fatal(set, err)
	}
	give("", api.CodePassphrase, 0, 0)
	give("battery staple", api.CodeRefused, 0, 0)
	give("battery staple", api.CodeRefused, 0, 0)
	give("battery staple", api.CodeLimit, 0, 1)
	w.restart()
	give("correct horse", api.CodeLimit, 0, 1)
	w.clock.advance(15 * time.Minute)
	give("correct horse", "", 1, 0)
	for _, file := range []string{"mind.db", "mind.db-wal", "sign-in/passphrase.json"} {
		if text, err := os.ReadFile(filepath.Join(w.state, file)); err != nil && !errors.Is(err, os.ErrNotExist) || strings.Contains(string(text), "correct horse") {
			t.Errorf("%s holds the passphrase, %v", file, err)
		}
	}
}

// Nothing but the very thing that was shown is approved, in time, and once.
func TestApprovedIsWhatWasShown(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newApproving(t, 4)
	// Another hash, an abbreviated one, none.
	p := w.proposal("unit-0")
	for _, hash := range []string{strings.Repeat("0", 64), p.Hash[:12], strings.ToUpper(p.Hash), "", w.proposal("unit-1").Hash} {
		shown := p
		shown.Hash = hash
		before := w.wrote("unit-0")
		if code := w.approve(shown); code != api.CodeChanged && code != api.CodeBadRequest || w.wrote("unit-0") != before {
			t.Errorf("with the hash %q: %q", hash, code)
		}
	}
	// No, and then yes.
	if _, err := client.Ask(ctx, w.client, api.PostDecision, api.ProposalDecision{ID: p.ID}); err != nil {
		t.Fatal(err)
	}
	w.refusesToRun("unit-0", p, api.CodeUsed)
	// The action is another one by the time of the yes, and gone; as it was, it
	// is what was shown.
	p = w.proposal("unit-1")
	w.stop()
	w.penned(escalate.ApproveAlways, "--more")
	w.begin()
	w.refusesToRun("unit-1", p, api.CodeChanged)
	if now := w.proposal("unit-1"); now.Problem == "" || now.State != api.ProposalPending || now.Hash != p.Hash {
		t.Errorf("it is shown as %s", asJSON(t, now))
	}
	status, err := client.Ask(ctx, w.client, api.GetStatus, api.Nothing{})
	if err != nil || !slices.ContainsFunc(status.Proposed, func(s api.Proposal) bool { return s.ID == p.ID && s.Problem != "" }) {
		t.Errorf("status says of it: %s, %v", asJSON(t, status.Proposed), err)
	}
	if inbox, err := client.Ask(ctx, w.client, api.GetInbox, api.InboxQuery{All: true}); err != nil || slices.ContainsFunc(inbox.Incidents, func(i api.InboxIncident) bool { return i.Proposal == p.ID }) {
		t.Errorf("the inbox invites to approve it: %s, %v", asJSON(t, inbox), err)
	}
	w.stop()
	kept := w.options.Config.Actions
	w.options.Config.Actions = nil
	w.begin()
	w.refusesToRun("unit-1", p, api.CodeChanged)
	w.stop()
	w.options.Config.Actions = kept
	w.penned(escalate.ApproveAlways)
	w.begin()
	if code := w.approve(p); code != "" || w.wrote("unit-1") != 1 {
		t.Errorf("as it was shown: %q, it ran %d times", code, w.wrote("unit-1"))
	}
	// Too late, by an instant and by far.
	p = w.proposal("unit-2")
	w.clock.advance(p.Expires.Sub(w.clock.Now()))
	w.refusesToRun("unit-2", p, api.CodeExpired)
	w.restart()
	w.refusesToRun("unit-2", p, api.CodeExpired)
	if now := w.proposal("unit-2"); now.State != "expired" {
		t.Errorf("it is shown as %s", asJSON(t, now))
	}
	w.clock.advance(30 * 24 * time.Hour)
	w.refusesToRun("unit-3", w.proposal("unit-3"), api.CodeExpired)
}

// A channel says later or no, and never yes, whatever is sent over it.
func TestNoChannelApproves(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	w := newApproving(t, 3)
	w.pushes(w.phone) // all is sent
	byUnit := map[string]notify.Message{}
	for _, m := range w.phone.Messages() {
		for n := range 3 {
			if unit := fmt.Sprintf("unit-%d", n); m.Kind == notify.KindProposal && m.Proposal == w.proposal(unit).ID {
				byUnit[unit] = m
			}
		}
	}
	if len(byUnit) != 3 {
		t.Fatalf("told: %s", texts(w.phone))
	}
	var tokens []string
	for unit, m := range byUnit {
		if len(m.Buttons) != 2 || m.Buttons[0].Answer != notify.AnswerLater || m.Buttons[1].Answer != notify.AnswerReject {
			t.Fatalf("the buttons for %s are %+v", unit, m.Buttons)
		}
		tokens = append(tokens, m.Buttons[0].Token, m.Buttons[1].Token)
	}
	// Forged: each byte of each token turned, answers that there are not, words.
	for _, token := range tokens {
		raw, err := base64.RawURLEncoding.DecodeString(token)
		if err != nil {
			t.Fatal(err)
		}
		for i := range raw {
			forged := append([]byte{}, raw...)
			forged[i] ^= 1
			if err := w.phone.Press(ctx, base64.RawURLEncoding.EncodeToString(forged)); err != nil {
				t.Fatal(err)
			}
		}
		for answer := range byte(16) {
			if answer == raw[1] {
				continue
			}
			forged := append([]byte{}, raw...)
			forged[1] = answer
			if err := w.phone.Press(ctx, base64.RawURLEncoding.EncodeToString(forged)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, m := range byUnit {
		for _, word := range []string{"approve", m.Proposal, "approve " + m.Proposal, w.proposal("unit-0").Hash, ""} {
			if err := w.phone.Press(ctx, word); err != nil {
				t.Fatal(err)
			}
		}
	}
	for unit := range byUnit {
		if p := w.proposal(unit); p.State != api.ProposalPending || w.wrote(unit) != 0 {
			t.Fatalf("after forged answers %s is %s, and it ran %d times", unit, p.State, w.wrote(unit))
		}
	}
	// The real ones.
	press := func(unit string, n int) {
		t.Helper()
		if err := w.phone.Press(ctx, byUnit[unit].Buttons[n].Token); err != nil {
			t.Fatal(err)
		}
	}
	press("unit-0", 1)
	press("unit-1", 0)
	w.ticks(2)
	first, second := w.proposal("unit-0"), w.proposal("unit-1")
	if first.State != "rejected" || second.State != api.ProposalPending || w.wrote("unit-0")+w.wrote("unit-1")+w.wrote("unit-2") != 0 {
		t.Fatalf("no and later: %s", asJSON(t, []api.Proposal{first, second}))
	}
	if history := w.document().EscalationHistory; !slices.ContainsFunc(history, func(e subconscious.EscalationRecord) bool { return e.Outcome == "proposed; you: rejected" }) {
		t.Errorf("the history does not learn the no: %s", asJSON(t, history))
	}
	w.refusesToRun("unit-0", first, api.CodeUsed)
	if code := w.approve(second); code != "" || w.wrote("unit-1") != 1 {
		t.Errorf("put off, and approved at home: %q", code)
	}
	press("unit-1", 1) // a no comes too late
	if p := w.proposal("unit-1"); p.State != "approved" || w.wrote("unit-1") != 1 {
		t.Errorf("a no after the yes: %s", p.State)
	}
}
