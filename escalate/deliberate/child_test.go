package deliberate_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// lives is how many processes are killed: 300 is the full form.
var lives = flag.Int("lives", 30, "how many processes the crash tests kill")

func lifetimes() int {
	if testing.Short() {
		return min(*lives, 10)
	}
	return *lives
}

// runs has which actions were begun and done.
var runs = store.Migration{Package: "test", Version: 2, SQL: "CREATE TABLE runs (key TEXT PRIMARY KEY, state TEXT NOT NULL)"}

func childDatabase(ctx context.Context, dir string) (*store.DB, error) {
	return store.Open(ctx, store.Options{Path: filepath.Join(dir, "mind.db")}, append(migrations(), runs)...)
}

// runChild is what the test program does when a test has started it again.
func runChild(dir string) int {
	if err := childDeliberate(context.Background(), dir); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// casting is the world of a child: what its model says depends on the tick.
type casting struct {
	world
	db  *store.DB
	ran *os.File
}

// Generate has five sorts of escalations by turns.
func (c *casting) Generate(_ context.Context, request models.Request) (models.Answer, error) {
	call := func(name, arguments string) models.ToolCall {
		return models.ToolCall{ID: "c", Name: name, Arguments: json.RawMessage(arguments)}
	}
	notify := call("notify_person", `{"text":"Look at it.","reason":"it is time"}`)
	script := [][][]models.ToolCall{
		{{call("read_file", `{}`)}, {notify}},
		{{call("remember", `{"text":"So it is.","kind":"fact"}`), notify}},
		{{call("propose_action", `{"action":"clean","arguments":{},"reason":"room"}`)}},
		{{call("read_file", `{}`), call("snooze", `{"hours":2,"reason":"later"}`)}},
		{{call("propose_action", `{"action":"format","arguments":{},"reason":"room"}`)}},
	}[request.Purpose.Tick%5]
	turn := turnOf(request)
	if turn >= len(script) {
		return models.Answer{Text: "Done.", Stop: models.StopEnd}, nil
	}
	return models.Answer{Calls: script[turn], Stop: models.StopTools}, nil
}

type childActions struct{ *casting }

func (c childActions) Offers() []escalate.Offer {
	return []escalate.Offer{{Name: "clean", Approval: escalate.ApproveNever}, {Name: "format", Approval: escalate.ApproveAlways}}
}

func (c childActions) Propose(ctx context.Context, tx *store.Tx, w escalate.ActRequest) (deliberate.Proposed, error) {
	return deliberate.Proposed{ID: "p-1", Words: w.Action}, note(ctx, tx, "proposed", w.Key, "%s", w.Action)
}

// Run carries out what was never begun, and says how the rest went.
func (c childActions) Run(ctx context.Context, request escalate.ActRequest) (deliberate.Ran, error) {
	state := ""
	put := func(now string) error {
		return c.db.Write(ctx, func(tx *store.Tx) error {
			_ = tx.QueryRowContext(ctx, "SELECT state FROM runs WHERE key = ?", request.Key).Scan(&state) // none is ""
			if now == "begun" && state != "" {
				return nil
			}
			_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO runs VALUES (?, ?)", request.Key, now)
			return err
		})
	}
	if err := put("begun"); err != nil {
		return deliberate.Ran{}, err
	}
	switch state {
	case "begun":
		return deliberate.Ran{ID: "r-1", Unknown: true}, nil
	case "done":
		return deliberate.Ran{ID: "r-1", OK: true}, nil
	}
	if _, err := fmt.Fprintln(c.ran, request.Key); err != nil {
		return deliberate.Ran{}, err
	}
	return deliberate.Ran{ID: "r-1", OK: true}, put("done")
}

// childDeliberate deliberates on what is there and on some escalations more.
func childDeliberate(ctx context.Context, dir string) error {
	db, err := childDatabase(ctx, dir)
	if err != nil {
		return err
	}
	c := &casting{db: db}
	if c.ran, err = os.OpenFile(filepath.Join(dir, "ran"), os.O_CREATE|os.O_WRONLY|os.O_APPEND|os.O_SYNC, 0o600); err != nil {
		return err
	}
	c.Readings = map[string]reading{"read_file": {Text: "text", Words: []escalate.Word{{Trust: subconscious.Machine, Source: "file"}}}}
	options := c.options(db)
	options.Asker = func() deliberate.Asker { return deliberate.Asker{Generator: c} }
	options.Actions, options.Now, options.Purse = childActions{c}, time.Now, nil
	worker, err := deliberate.New(options)
	if err != nil {
		return err
	}
	if os.Getenv("DELIBERATE_TEST_LAST") == "" {
		arm()
		if err := childAdd(ctx, db, worker); err != nil {
			return err
		}
	}
	if err := worker.Start(ctx); err != nil {
		return err
	}
	fmt.Println("started")
	if err := drain(ctx, worker); err != nil {
		return err
	}
	return errors.Join(worker.Stop(ctx), db.Close(), c.ran.Close())
}

func childAdd(ctx context.Context, db *store.DB, worker *deliberate.Worker) error {
	return db.Write(ctx, func(tx *store.Tx) error {
		for range 5 {
			w := world{}
			one := w.theEscalation(time.Now())
			one.Tick, one.Incident = 1+rand.Int64N(1<<40), subconscious.IncidentKey(fmt.Sprint("i", rand.Int64()))
			one.Critical = rand.IntN(5) == 0
			if err := worker.Add(ctx, tx, one); err != nil {
				return err
			}
		}
		return nil
	})
}

// drain waits until no escalation is left.
func drain(ctx context.Context, worker *deliberate.Worker) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return worker.Idle(ctx)
}

func child(dir string, env ...string) *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(append(os.Environ(), "DELIBERATE_TEST_CHILD="+dir), env...)
	return command
}

// reckon lets a last life deliberate on what is left, and wants each escalation
// to have ended once, with what belongs to its end, and each action to have run
// once at most.
func reckon(t *testing.T, dir string) (sum map[string]int) {
	t.Helper()
	if out, err := child(dir, "DELIBERATE_TEST_LAST=1").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	db, err := childDatabase(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	count, proposals := counted(t, db)
	ran := map[string]int{}
	content := testutil.Read(t, filepath.Join(dir, "ran"))
	for line := range strings.Lines(string(content)) {
		ran[strings.TrimSpace(line)]++
	}
	for key, times := range ran {
		if times != 1 {
			t.Errorf("%s ran %d times", key, times)
		}
	}
	worker, err := deliberate.New((&world{}).options(db))
	if err != nil {
		t.Fatal(err)
	}
	sum = map[string]int{"ran": len(ran)}
	for id := range count {
		r, err := worker.Record(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		checkOne(t, r, count[id])
		sum["escalations"]++
		sum[string(r.Outcome.Kind)]++
		sum["resumed"] += r.Resumed
		if r.Fallback != "" {
			sum["by rule"]++
		}
		if r.Told != nil && r.Told.Kind == deliberate.TellFailed {
			sum["unknown"]++
		}
		if r.Outcome.Kind == subconscious.OutcomeActed && ran[id+"/2"] != 1 {
			t.Errorf("%s acted, and nothing ran", id)
		}
	}
	if sum["proposed"] != proposals {
		t.Errorf("%d escalations ended with a proposal, and there are %d", sum["proposed"], proposals)
	}
	return sum
}

// counted returns what happened, by escalation, and how many proposals there are.
func counted(t *testing.T, db *store.DB) (all map[string][]string, proposals int) {
	t.Helper()
	all = map[string][]string{}
	if err := db.Read(t.Context(), func(tx *store.Tx) error {
		rows, err := tx.QueryContext(t.Context(), `SELECT id, coalesce(kind, ''), coalesce(key, '') FROM escalations
			LEFT JOIN effects ON instr(key, id) > 0`)
		if err != nil {
			return err
		}
		defer rows.Close()
		keys := map[string]bool{}
		for rows.Next() {
			var id, kind, key string
			if err := rows.Scan(&id, &kind, &key); err != nil {
				return err
			}
			if keys[kind+key] && kind != "" {
				t.Errorf("%s %s came twice", kind, key)
			}
			keys[kind+key] = true
			all[id] = append(all[id], kind)
			if kind == "proposed" {
				proposals++
			}
		}
		return rows.Err()
	}); err != nil {
		t.Fatal(err)
	}
	return all, proposals
}

// TestKilledAtAnyMoment kills processes at random moments: each escalation ends once,
// the person is told once, and no action runs twice.
func TestKilledAtAnyMoment(t *testing.T) {
	dir := t.TempDir()
	for range lifetimes() {
		command := child(dir)
		testutil.Started(t, command).Scan() // it has started
		timer := time.NewTimer(rand.N(60 * time.Millisecond))
		<-timer.C
		_ = command.Process.Kill() // it may have ended
		_ = command.Wait()
	}
	t.Logf("%v", reckon(t, dir))
}
