package actions_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
)

// children is a program that begins others, each in a way in which it could be
// lost.
const children = `exec 3>"$1"
sh -c "echo child \$$ >&3; exec sleep 300" &
env -i sh -c "echo cleared \$$ >&3; exec sleep 300" &
(env -i sh -c "echo orphan \$$ >&3; exec sleep 300" &)
echo itself $$ >&3
exec env -i sleep 300`

// With a guard what it is there for does not happen; in its twin, which lacks
// that guard alone, it does.
func TestTwins(t *testing.T) {
	twins := map[string]func(t *testing.T, b func(...actions.Action) *bench) (bad bool){
		"text": func(t *testing.T, with func(...actions.Action) *bench) bool {
			b := with(good())
			bound, err := b.Check("say", json.RawMessage(`{"x":"fdp.\u202eexe"}`))
			return err == nil && strings.Contains(bound.Argv[1], "\u202e")
		},
		"option": func(t *testing.T, with func(...actions.Action) *bench) bool {
			dir := t.TempDir()
			b := with(actions.Action{Name: "touch", Description: "Makes a file.", Command: []string{"touch", "{x}"}, Params: []actions.Param{text("x")}, Folder: dir})
			_, err := b.Execute(t.Context(), request("k", "touch", `{"x":"--reference=/etc/hostname"}`))
			return err == nil // it was an option: no file of that name
		},
		"path": func(t *testing.T, with func(...actions.Action) *bench) bool {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "root"), 0o700); err != nil {
				t.Fatal(err)
			}
			testutil.Write(t, filepath.Join(dir, "secret"), "inside")
			if err := os.Symlink("../secret", filepath.Join(dir, "root", "innocent")); err != nil {
				t.Fatal(err)
			}
			b := with(actions.Action{Name: "show", Description: "Shows it.", Command: []string{"cat", "{x}"},
				Params: []actions.Param{{Name: "x", Type: actions.Path, Root: filepath.Join(dir, "root")}}})
			r, err := b.Execute(t.Context(), request("k", "show", `{"x":"innocent"}`))
			return err == nil && r.Output == "inside"
		},
		"stored": func(t *testing.T, with func(...actions.Action) *bench) bool {
			a, file := noting(t, "note")
			a.Undo = a.Command
			b := with(a)
			store := func(change string) {
				if err := b.db.Write(t.Context(), func(tx *store.Tx) error {
					_, err := tx.ExecContext(t.Context(), "UPDATE "+change)
					return err
				}); err != nil {
					t.Fatal(err)
				}
			}
			p, q := b.propose(t, request("k", "note", `{"text":"one"}`)), b.propose(t, request("k2", "note", `{"text":"two"}`))
			store(`actions_proposals SET argv = '["/bin/true"]' WHERE key = 'k'`)
			store(`actions_proposals SET folder = '/elsewhere' WHERE key = 'k2'`)
			open := 0
			for _, p := range []actions.Proposal{p, q} {
				shown, err := b.Proposal(t.Context(), p.ID)
				if err != nil {
					t.Fatal(err)
				}
				problem := b.Problem(shown)
				_, err = b.Approve(t.Context(), shown.ID, shown.Hash, "me")
				if err == nil && problem == nil {
					open++
				} else {
					refused(t, problem, actions.CodeChanged)
					refused(t, err, actions.CodeChanged)
				}
			}
			r := b.execute(t, "3", "note", `{"text":"three"}`)
			store(`actions_runs SET argv = '["/bin/true"]'`)
			shown, err := b.Run(t.Context(), r.ID)
			if err != nil {
				t.Fatal(err)
			}
			altered := b.Altered(shown)
			if _, err := b.Undo(t.Context(), r.ID, "me"); err == nil && altered == nil {
				open++
			} else {
				refused(t, altered, actions.CodeChanged)
				refused(t, err, actions.CodeChanged)
			}
			return open == 3 && len(lines(t, file)) == 4
		},
		"descends": func(t *testing.T, with func(...actions.Action) *bench) bool {
			b := with(actions.Action{Name: "bear", Description: "Begins others.", Command: []string{script(t, t.TempDir(), "bear", children), "{x}"}, Params: []actions.Param{text("x")}})
			fifo := filepath.Join(b.dir, "fifo")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			var run sync.WaitGroup
			run.Go(func() { _, _ = b.Execute(t.Context(), request("k", "bear", `{"x":`+quoted(fifo)+`}`)) })
			t.Cleanup(func() { stop(t, b.Engine); run.Wait() })
			file, err := os.Open(fifo)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			open := 0
			said := bufio.NewScanner(file)
			for range strings.Count(children, "$$ >&3") {
				if !said.Scan() {
					t.Fatal(said.Err())
				}
				name, number, _ := strings.Cut(said.Text(), " ")
				pid, err := strconv.Atoi(number)
				if err != nil {
					t.Fatal(err)
				}
				if by, err := b.Caller(os.Geteuid(), pid); err == nil {
					t.Log("let in: ", name, by)
					open++
				} else {
					refused(t, err, actions.CodeForbidden)
				}
			}
			return open > 0
		},
		"single use": func(t *testing.T, with func(...actions.Action) *bench) bool {
			a, file := noting(t, "note")
			b := with(a)
			p := b.propose(t, request("k", "note", `{"text":"one"}`))
			if _, err := b.Reject(t.Context(), p.ID); err != nil {
				t.Fatal(err)
			}
			_, err := b.Approve(t.Context(), p.ID, p.Hash, "me")
			return err == nil && len(lines(t, file)) == 1
		},
		"expiry": func(t *testing.T, with func(...actions.Action) *bench) bool {
			a, file := noting(t, "note")
			b := with(a)
			p := b.propose(t, request("k", "note", `{"text":"one"}`))
			b.clock.pass(30 * time.Hour)
			_, err := b.Approve(t.Context(), p.ID, p.Hash, "me")
			return err == nil && len(lines(t, file)) == 1
		},
		"shown": func(t *testing.T, with func(...actions.Action) *bench) bool {
			a, file := noting(t, "note")
			b := with(a)
			shown := b.propose(t, request("k", "note", `{"text":"harmless"}`))
			other := b.propose(t, request("k2", "note", `{"text":"harmful"}`))
			_, err := b.Approve(t.Context(), other.ID, shown.Hash, "me")
			return err == nil && slices.Contains(lines(t, file), "harmful")
		},
		"configured": func(t *testing.T, with func(...actions.Action) *bench) bool {
			a, file := noting(t, "note")
			b := with(a)
			p := b.propose(t, request("k", "note", `{"text":"one"}`))
			a.Env = []string{"EDITOR"} // its arguments are as they were stored
			if err := b.SetActions([]actions.Action{a}); err != nil {
				t.Fatal(err)
			}
			_, err := b.Approve(t.Context(), p.ID, p.Hash, "me")
			return err == nil && len(lines(t, file)) == 1
		},
		"limit": func(t *testing.T, with func(...actions.Action) *bench) bool {
			a, file := noting(t, "note")
			a.PerHour = 1
			b := with(a)
			p, q := b.propose(t, request("k", "note", `{"text":"one"}`)), b.propose(t, request("k2", "note", `{"text":"two"}`))
			b.approve(t, p)
			_, err := b.Approve(t.Context(), q.ID, q.Hash, "me")
			return err == nil && len(lines(t, file)) == 2
		},
	}
	for _, guard := range actions.Guards() {
		t.Run(strings.ReplaceAll(guard, " ", "-"), func(t *testing.T) {
			twin := twins[guard]
			if twin == nil {
				t.Fatal("this guard has no twin")
			}
			if twin(t, func(list ...actions.Action) *bench { return running(t, nil, list...) }) {
				t.Error("it happened although the guard is there")
			}
			if !twin(t, func(list ...actions.Action) *bench { return running(t, nil, list...).weak(t, guard) }) {
				t.Error("without the guard it did not happen: the guard is for nothing, or the test is")
			}
		})
	}
}

// The twin of deciding and marking in one transaction: whoever looks first and
// marks later lets a proposal work more than once.
func TestTwinOfTheTransaction(t *testing.T) {
	a, _ := noting(t, "note")
	b := running(t, nil, a)
	p := b.propose(t, request("k", "note", `{"text":"one"}`))
	const callers = 20
	var looked, group sync.WaitGroup
	looked.Add(callers)
	var mu sync.Mutex
	ran := 0
	for range callers {
		group.Go(func() {
			seen, err := b.Proposal(t.Context(), p.ID)
			looked.Done()
			if err != nil || seen.State != actions.Pending {
				t.Errorf("%+v, %v", seen, err)
				return
			}
			looked.Wait()
			if err := b.db.Write(t.Context(), func(tx *store.Tx) error {
				_, err := tx.ExecContext(t.Context(), "UPDATE actions_proposals SET state = 'approved' WHERE key = 'k'")
				return err
			}); err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			ran++
		})
	}
	group.Wait()
	if ran < 2 {
		t.Errorf("it ran %d times", ran)
	}
}
