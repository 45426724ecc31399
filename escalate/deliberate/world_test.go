package deliberate_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

var update = flag.Bool("update", false, "write what is wanted anew")

func TestMain(m *testing.M) {
	if dir := os.Getenv("DELIBERATE_TEST_CHILD"); dir != "" {
		os.Exit(runChild(dir))
	}
	goleak.VerifyTestMain(m)
}

// effects has what came of an escalation, each as often as it came.
var effects = store.Migration{Package: "test", Version: 1, SQL: "CREATE TABLE effects (kind TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL)"}

func migrations() []store.Migration { return append(deliberate.Migrations(), effects) }

// world is what a worker works with, in tests.
type world struct {
	scene
	at      time.Time
	mu      sync.Mutex
	asked   []models.Request
	ran     map[string]deliberate.Ran
	opened  []budget.Money
	closed  int
	started chan struct{}
	held    bool // no action begins
}

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func (w *world) options(db *store.DB) deliberate.Options {
	config := deliberate.DefaultConfig()
	config.Enabled = !w.Disabled
	if w.Rounds > 0 {
		config.Rounds = w.Rounds
	}
	begun := time.Now()
	o := deliberate.Options{Config: config, DB: db, Gather: w.Gather, Teller: w, Mind: w, Memories: memories{w}, Conversations: conversations{w}, Actions: acting{w}, Purse: w,
		Policy: w.policy(), Asker: w.asker, Now: func() time.Time { return w.at.Add(time.Since(begun)) },
		Answered: func(context.Context, *store.Tx, deliberate.Escalation) (bool, error) { return false, nil },
		Quiet:    func(time.Time) (time.Time, bool) { return time.Time{}, false }}
	if w.AnsweredIn != 0 {
		from := noon.Add(time.Duration((w.AnsweredIn - w.WaitsFor) * float64(time.Minute)))
		o.Answered = func(context.Context, *store.Tx, deliberate.Escalation) (bool, error) {
			return !o.Now().Before(from), nil
		}
	}
	if w.QuietIn != 0 {
		from := noon.Add(time.Duration((w.QuietIn - w.WaitsFor) * float64(time.Minute)))
		until := from.Add(time.Hour)
		o.Quiet = func(at time.Time) (time.Time, bool) { return until, !at.Before(from) && at.Before(until) }
	}
	o.Desk = func(deliberate.Escalation, time.Time) deliberate.Desk { return desk{w} }
	for _, missing := range w.Without {
		switch missing {
		case "memories":
			o.Memories = nil
		case "conversations":
			o.Conversations = nil
		case "actions":
			o.Actions = nil
		case "desk":
			o.Desk = nil
		}
	}
	return o
}

func (w *world) policy() escalate.Policy {
	policy := slices.DeleteFunc(escalate.Shipped(), func(c escalate.Clause) bool { return slices.Contains(w.Drop, c.Name) })
	for i := range policy {
		if slices.Contains(w.Allow, policy[i].Name) {
			policy[i].Permission = escalate.Allowed
		}
	}
	return policy
}

func (w *world) asker() deliberate.Asker {
	if w.NoModel {
		return deliberate.Asker{}
	}
	return deliberate.Asker{Generator: w, Identity: models.Identity{Provider: "test", Model: "frontier"}, Problem: w.Problem,
		Request: models.Request{Purpose: models.Purpose{Role: "deliberation"}, MaxTokens: 1000}}
}

// turnOf is how often a model has answered in a request.
func turnOf(request models.Request) (turn int) {
	for _, m := range request.Messages {
		if m.Role == models.Assistant {
			turn++
		}
	}
	return turn
}

// Generate plays the script; behind its end the model says nothing more.
func (w *world) Generate(ctx context.Context, request models.Request) (models.Answer, error) {
	w.mu.Lock()
	turn := turnOf(request)
	w.asked = append(w.asked, request)
	if w.started != nil {
		select {
		case w.started <- struct{}{}:
		default:
		}
	}
	w.mu.Unlock()
	by := models.Identity{Provider: "test", Model: "frontier"}
	if turn >= len(w.Answers) {
		return models.Answer{Text: "Nothing more.", Stop: models.StopEnd, By: by}, nil
	}
	s := w.Answers[turn]
	if s.Panic {
		panic("the model")
	}
	if s.Takes > 0 {
		timer := time.NewTimer(s.Takes * time.Second)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return models.Answer{}, &models.Error{Kind: models.KindTimeout, By: by, Text: "no answer came in time", Err: ctx.Err()}
		}
	}
	if s.Error != "" {
		return models.Answer{}, &models.Error{Kind: s.Error, By: by, Text: "it failed: " + string(s.Error), Cost: budget.Money(s.Money)}
	}
	answer := models.Answer{Text: s.Text, Stop: cmp.Or(s.Stop, models.StopTools), By: by, Usage: models.Usage{Input: 1000, Output: 100, Known: true}, Cost: budget.Money(s.Money), Attempts: 1}
	for _, c := range s.Calls {
		arguments := c.Arguments
		if c.Raw != "" {
			arguments = json.RawMessage(c.Raw)
		}
		for range max(c.Times, 1) {
			answer.Calls = append(answer.Calls, models.ToolCall{ID: fmt.Sprintf("call-%d-%d", turn, len(answer.Calls)), Name: c.Name, Arguments: arguments})
		}
	}
	return answer, nil
}

// Gather is an Options.Gather.
func (w *world) Gather(context.Context, deliberate.Escalation, time.Time) (deliberate.Sources, error) {
	if w.GatherErr != "" {
		return deliberate.Sources{}, errors.New(w.GatherErr)
	}
	m := deliberate.Sources{Prompt: prompts.Prompt{System: "Deliberate.", User: "The escalation."}, Words: w.Words, Own: w.Own}
	if m.Words == nil && !w.NoWords {
		m.Words = []escalate.Word{{Trust: subconscious.Machine, Ref: "health:aaaaaaaaaa", Source: "evidence"}}
	}
	if m.Own == nil {
		m.Own = []subconscious.Ref{"health:aaaaaaaaaa", "mail:bbbbbbbbbb"}
	}
	return m, nil
}

// Open implements deliberate.Purse.
func (w *world) Open(_ context.Context, charge budget.Charge) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opened = append(w.opened, charge.Worst.Money)
	return nil
}

// Close implements deliberate.Purse.
func (w *world) Close(context.Context) (budget.Amount, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed++
	return budget.Amount{}, nil
}

func note(ctx context.Context, tx *store.Tx, kind, key string, format string, args ...any) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO effects VALUES (?, ?, ?)", kind, key, fmt.Sprintf(format, args...))
	return err
}

// Tell implements deliberate.Teller.
func (w *world) Tell(ctx context.Context, tx *store.Tx, t deliberate.Telling) error {
	more := ""
	if t.Urgent {
		more += " urgent"
	}
	if t.Proposal+t.Run != "" {
		more += " of " + t.Proposal + t.Run
	}
	if !t.Expires.IsZero() {
		more += " until " + t.Expires.Format("15:04")
	}
	return note(ctx, tx, "told", t.Key, "%s%s: %s | %s", t.Kind, more, t.Title, t.Text)
}

// Conclude implements deliberate.Mind.
func (w *world) Conclude(ctx context.Context, tx *store.Tx, c subconscious.Command, refund bool) error {
	o := c.Outcome
	until := ""
	if !c.Until.IsZero() {
		until = " until " + c.Until.Format("Mon 15:04")
	}
	return note(ctx, tx, "concluded", o.Deliberation, "%s%s by %s, refund %t, cost %d: %s", o.Kind, until, o.Model, refund, o.Cost, o.Reason)
}

type memories struct{ *world }

func (w memories) Remember(ctx context.Context, tx *store.Tx, m deliberate.Memo) (string, error) {
	if w.WrongMemory != "" {
		return "", fmt.Errorf("%s: %w", w.WrongMemory, deliberate.ErrRequest)
	}
	return "m-1", note(ctx, tx, "remembered", m.Key, "%s %v quarantined %t, shown %v: %s", m.Kind, m.Tags, m.Quarantined, m.Trusts, m.Text)
}

type conversations struct{ *world }

func (w conversations) Post(ctx context.Context, tx *store.Tx, p deliberate.Post) (string, error) {
	return "c-1", note(ctx, tx, "posted", p.Key, "%s: %s", p.Conversation, p.Text)
}

type desk struct{ *world }

func (w desk) Tools() (all []models.Tool) {
	for name := range w.Readings {
		all = append(all, models.Tool{Name: name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return all
}

func (w desk) Read(ctx context.Context, call models.ToolCall) (deliberate.Reading, error) {
	r := w.Readings[call.Name]
	if r.Takes > 0 {
		timer := time.NewTimer(r.Takes * time.Second)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return deliberate.Reading{}, ctx.Err()
		}
	}
	if r.Error == "panic" {
		panic("the desk")
	}
	if r.Error != "" {
		return deliberate.Reading{Words: r.Words}, errors.New(r.Error)
	}
	return deliberate.Reading{Text: r.Text + strings.Repeat("x", r.Big), Words: r.Words}, nil
}

type acting struct{ *world }

func (w acting) Offers() (all []escalate.Offer) {
	for _, a := range w.Actions {
		all = append(all, escalate.Offer{Name: a.Name, Description: "Does " + a.Name, Approval: a.Approval})
	}
	return all
}

func (w acting) Propose(ctx context.Context, tx *store.Tx, request escalate.ActRequest) (deliberate.Proposed, error) {
	for _, a := range w.Actions {
		if a.Name == request.Action && a.Wrong != "" {
			return deliberate.Proposed{}, fmt.Errorf("%s: %w", a.Wrong, deliberate.ErrRequest)
		}
	}
	return deliberate.Proposed{ID: "p-1", Words: request.Action + " " + string(request.Arguments), Expires: noon.Add(24 * time.Hour)},
		note(ctx, tx, "proposed", request.Key, "%s %s, shown %v, by %s", request.Action, request.Arguments, request.Trusts, request.Clause)
}

func (w acting) Run(ctx context.Context, request escalate.ActRequest) (deliberate.Ran, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ran, ok := w.ran[request.Key]; ok {
		return ran, nil
	}
	if w.held {
		<-ctx.Done() // it never begins
		return deliberate.Ran{}, ctx.Err()
	}
	for _, a := range w.Actions {
		switch {
		case a.Name != request.Action:
		case request.Refused != "":
			return deliberate.Ran{}, fmt.Errorf("%s: %w", request.Refused, deliberate.ErrRequest)
		case a.Wrong != "":
			return deliberate.Ran{}, fmt.Errorf("%s: %w", a.Wrong, deliberate.ErrRequest)
		case a.Err != "":
			return deliberate.Ran{}, errors.New(a.Err)
		default:
			ran := deliberate.Ran{ID: "r-1", Words: a.Name + " " + string(request.Arguments), OK: !a.Fails && !a.Unknown, Unknown: a.Unknown, Output: a.Output,
				UndoUntil: w.at.Add(30 * time.Minute)}
			w.ran[request.Key] = ran
			return ran, nil
		}
	}
	return deliberate.Ran{}, errors.New("no such action")
}

func opened(t testing.TB, path string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Path: path}, migrations()...)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// play lets a worker take the escalation of a scene to its end, and returns it.
func play(t *testing.T, w *world) (deliberate.Record, []string) {
	t.Helper()
	return playWith(t, w, func(*deliberate.Options) {})
}

// playWith is play with other options.
func playWith(t *testing.T, w *world, with func(*deliberate.Options)) (r deliberate.Record, happened []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		db := opened(t, store.Memory)
		defer db.Close()
		o := w.ready().options(db)
		with(&o)
		worker := w.beginWith(t, o)
		if w.started != nil {
			<-w.started
		}
		r, happened = concluded(t, db, worker)
	})
	return r, happened
}

// started returns a worker that has begun, with what another one left.
func started(t testing.TB, options deliberate.Options) *deliberate.Worker {
	t.Helper()
	worker, err := deliberate.New(options)
	if err != nil {
		t.Fatal(err)
	}
	begins(t, worker)
	return worker
}

func begins(t testing.TB, worker *deliberate.Worker) {
	t.Helper()
	if err := worker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// concluded waits until no escalation is left, stops the worker, and returns the
// one escalation, and what happened.
func concluded(t *testing.T, db *store.DB, worker *deliberate.Worker) (deliberate.Record, []string) {
	t.Helper()
	ends(t, worker)
	if err := worker.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	return outcome(t, db, worker)
}

// ends waits until no escalation is left.
func ends(t *testing.T, worker *deliberate.Worker) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if err := worker.Idle(ctx); err != nil {
		t.Errorf("the escalation has not ended in an hour: %v", err)
	}
}

// begin adds the escalation and starts a worker.
func (w *world) begin(t testing.TB, db *store.DB) *deliberate.Worker {
	t.Helper()
	return w.beginWith(t, w.ready().options(db))
}

func (w *world) beginWith(t testing.TB, options deliberate.Options) *deliberate.Worker {
	t.Helper()
	worker := w.adds(t, options, noon.Add(-time.Duration(w.WaitsFor*float64(time.Minute))))
	begins(t, worker)
	return worker
}

// adds returns a worker that has not begun, with the escalation of that time.
func (w *world) adds(t testing.TB, options deliberate.Options, at time.Time) *deliberate.Worker {
	t.Helper()
	worker, err := deliberate.New(options)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // added twice it is there once
		if err := options.DB.Write(t.Context(), func(tx *store.Tx) error { return worker.Add(t.Context(), tx, w.theEscalation(at)) }); err != nil {
			t.Fatal(err)
		}
	}
	return worker
}

// outcome returns the one escalation, and what happened.
func outcome(t testing.TB, db *store.DB, worker *deliberate.Worker) (deliberate.Record, []string) {
	t.Helper()
	all, err := worker.Of(t.Context(), "i-disk-ab")
	if err != nil || len(all) != 1 {
		t.Fatalf("%d escalations: %v", len(all), err)
	}
	r, err := worker.Record(t.Context(), all[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	return r, effectsOf(t, db)
}

func effectsOf(t testing.TB, db *store.DB) (all []string) {
	t.Helper()
	if err := db.Read(t.Context(), func(tx *store.Tx) error {
		rows, err := tx.QueryContext(t.Context(), "SELECT kind || ' ' || body FROM effects ORDER BY rowid")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				return err
			}
			all = append(all, line)
		}
		return rows.Err()
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// checkOne wants an escalation that has ended once, and a person who was told once at
// most.
func checkOne(t testing.TB, r deliberate.Record, happened []string) {
	t.Helper()
	count := map[string]int{}
	for _, line := range happened {
		kind, _, _ := strings.Cut(line, " ")
		count[kind]++
	}
	if r.State != deliberate.Ended || r.Outcome == nil || count["concluded"] != 1 {
		t.Fatalf("state %s, outcome %+v, %d conclusions", r.State, r.Outcome, count["concluded"])
	}
	tells := 0
	if r.Outcome.Kind.Tells() {
		tells = 1
	}
	if count["told"] != tells || (r.Told != nil) != (tells == 1) {
		t.Errorf("outcome %s, and told %d times", r.Outcome.Kind, count["told"])
	}
	if r.Told != nil {
		if n := len([]rune(r.Told.Title + r.Told.Text)); n > 240 || strings.ContainsAny(r.Told.Title+r.Told.Text, "\n\r\t\x1b") {
			t.Errorf("told in %d characters: %q", n, r.Told.Text)
		}
	}
	if len(r.Steps) == 0 || r.Steps[len(r.Steps)-1].Kind != deliberate.StepEnded {
		t.Errorf("its last step is no end")
	}
	for i, s := range r.Steps {
		if s.N != i {
			t.Errorf("step %d has number %d", i, s.N)
		}
	}
}
