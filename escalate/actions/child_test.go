package actions_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/store"
)

// childActions are what a child runs: a line on disk for each run that began.
func childActions(dir string) []actions.Action {
	return []actions.Action{{Name: "note", Description: "Writes a line.", Command: []string{filepath.Join(dir, "note"), "{text}"},
		Undo: []string{filepath.Join(dir, "note"), "un{text}"}, Params: []actions.Param{text("text")}, PerHour: 1000, PerDay: 1000}}
}

// runChild is what the test program does when a test has started it again.
func runChild(dir string) int {
	if err := childAct(context.Background(), dir); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// childAct proposes, approves, executes and undoes until it has done its part
// or is killed. It tries again whatever an earlier life may have left undone.
func childAct(ctx context.Context, dir string) (err error) {
	db, err := store.Open(ctx, store.Options{Path: filepath.Join(dir, "mind.db")}, actions.Migrations()...)
	if err != nil {
		return err
	}
	e, err := actions.New(actions.Options{DB: db, Actions: childActions(dir)})
	if err != nil {
		return err
	}
	if err := e.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Stop(ctx), db.Close()) }()
	life := rand.Int64()
	for n := range 12 {
		// Some keys are of earlier lives.
		key := fmt.Sprintf("k%d", rand.IntN(200))
		if n%3 == 0 {
			key = fmt.Sprintf("life%d-%d", life, n)
		}
		r := request(key, "note", fmt.Sprintf(`{"text":"x%s"}`, key))
		switch rand.IntN(2) {
		case 0:
			run, err := e.Execute(ctx, r)
			if err != nil {
				return err
			}
			if err := childUndo(ctx, e, run); err != nil {
				return err
			}
		case 1:
			r.Key, r.Arguments = "p"+key, []byte(fmt.Sprintf(`{"text":"p%s"}`, key))
			var p actions.Proposal
			if err := db.Write(ctx, func(tx *store.Tx) (err error) {
				p, err = e.Propose(ctx, tx, r)
				return err
			}); err != nil {
				return err
			}
			if _, err := e.Approve(ctx, p.ID, p.Hash, "me"); err != nil && actions.CodeOf(err) != actions.CodeUsed {
				return err
			}
		}
		fmt.Println("step", n)
	}
	return nil
}

func childUndo(ctx context.Context, e *actions.Engine, run actions.Run) error {
	if rand.IntN(2) == 0 || run.UndoUntil.IsZero() {
		return nil
	}
	_, err := e.Undo(ctx, run.ID, "me")
	if code := actions.CodeOf(err); code == actions.CodeUsed || code == actions.CodeNoUndo {
		return nil
	}
	return err
}

// childFolder is where children live, with the program that they run.
func childFolder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	script(t, dir, "note", `echo "$1" >>"$0.out"`)
	return dir
}

func child(dir string, env ...string) *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(append(os.Environ(), "ACTIONS_TEST_CHILD="+dir), env...)
	return command
}

// reckoning is what all the lives of children came to.
type reckoning struct{ began, succeeded, failed, unknown, undone int }

// reckon compares what began with what is recorded: nothing began twice, or
// without a record, and what is recorded as done began.
func reckon(t *testing.T, dir string) (sum reckoning) {
	t.Helper()
	db := database(t, filepath.Join(dir, "mind.db"))
	b := &bench{db: db}
	var err error
	if b.Engine, err = actions.New(actions.Options{DB: db, Actions: childActions(dir)}); err != nil {
		t.Fatal(err)
	}
	b.start(t, b.Engine)
	began := map[string]int{}
	for _, line := range lines(t, filepath.Join(dir, "note.out")) {
		began[line]++
		sum.began++
	}
	runs, err := b.Runs(t.Context(), actions.Query{Limit: 500})
	if err != nil || len(runs) == 500 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for _, r := range runs {
		n := began[r.Argv[1]]
		delete(began, r.Argv[1])
		switch r.State {
		case actions.RunSucceeded:
			sum.succeeded++
			if n != 1 {
				t.Errorf("%s succeeded and began %d times", r.ID, n)
			}
		case actions.RunUnknown:
			sum.unknown++
			if n > 1 {
				t.Errorf("%s is unknown and began %d times", r.ID, n)
			}
		case actions.RunFailed:
			sum.failed++
			if n != 0 {
				t.Errorf("%s was never begun, and began %d times: %s", r.ID, n, r.Problem)
			}
		default:
			t.Errorf("%+v", r)
		}
		if r.UndoOf != "" {
			sum.undone++
		}
	}
	if len(began) > 0 {
		t.Errorf("these began and are in no record: %v", began)
	}
	interrupted, err := b.Interrupted(t.Context())
	if err != nil || len(interrupted) != sum.unknown {
		t.Errorf("%d were interrupted, and %d are unknown: %v", len(interrupted), sum.unknown, err)
	}
	if err := db.Check(t.Context()); err != nil {
		t.Error(err)
	}
	return sum
}

// Killed at any moment, nothing is run twice, and nothing without a record.
func TestKilledAtAnyMoment(t *testing.T) {
	dir := childFolder(t)
	lives := 15
	if testing.Short() {
		lives = 5
	}
	for n := range lives {
		command := child(dir)
		var out strings.Builder
		command.Stdout = &out
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(20+rand.IntN(150))*time.Millisecond, func() { _ = command.Process.Kill() })
		err := command.Wait()
		timer.Stop()
		if err != nil && err.Error() != "signal: killed" {
			t.Fatalf("life %d: %v: %s", n, err, out.String())
		}
	}
	t.Logf("%+v", reckon(t, dir))
}

// What was running when the daemon ended is unknown, is reported until it was
// told, and never begins again.
func TestInterrupted(t *testing.T) {
	a, file := noting(t, "note")
	b := running(t, nil, a)
	p := b.propose(t, request("k2", "note", `{"text":"two"}`))
	r, approved := b.execute(t, "k", "note", `{"text":"one"}`), b.approve(t, p)
	stop(t, b.Engine)
	alter(t, b.db, "UPDATE actions_runs SET state = 'started', ended = 0") // as a crash leaves it
	e, err := actions.New(actions.Options{DB: b.db, Actions: []actions.Action{a}, Now: b.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	b.Engine = e
	b.start(t, e)
	found, err := b.Interrupted(t.Context())
	if err != nil || len(found) != 2 || found[0].ID != r.ID || found[0].State != actions.RunUnknown || found[0].Problem == "" {
		t.Errorf("%+v, %v", found, err)
	}
	if again := b.execute(t, "k", "note", `{"text":"one"}`); again.State != actions.RunUnknown {
		t.Errorf("%+v", again)
	}
	_, err = b.Approve(t.Context(), p.ID, p.Hash, "me")
	refused(t, err, actions.CodeUsed)
	_, err = b.Undo(t.Context(), r.ID, "me")
	refused(t, err, actions.CodeNoUndo)
	if err := b.db.Write(t.Context(), func(tx *store.Tx) error { return b.Noticed(t.Context(), tx, r.ID) }); err != nil {
		t.Fatal(err)
	}
	if found, err := b.Interrupted(t.Context()); err != nil || len(found) != 1 || found[0].ID != approved.ID {
		t.Errorf("%+v, %v", found, err)
	}
	if got := lines(t, file); len(got) != 2 {
		t.Errorf("it ran as %q", got)
	}
}
