package actions_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/store"
)

// A proposal is shown, approved once, and run with exactly what was shown.
func TestProposeAndApprove(t *testing.T) {
	a, file := noting(t, "note-it")
	b := running(t, nil, a)
	p := b.propose(t, request("k", "note-it", `{"text":"one"}`))
	if p.ID != "p-note-1" || p.State != actions.Pending || string(p.Arguments) != `{"text":"one"}` || p.Argv[1] != "one" || !p.Expires.Equal(noon.Add(24*time.Hour)) ||
		p.Reason != "it is time" || p.Incident != "i-unit-1" || p.Clause != "act-asks-always" || len(p.Trusts) != 1 || p.Run != "" {
		t.Errorf("%+v", p)
	}
	if again := b.propose(t, request("k", "note-it", `{"text":"two"}`)); again.ID != p.ID || again.Argv[1] != "one" {
		t.Errorf("%+v", again)
	}
	_, err := b.Approve(t.Context(), p.ID, "", "me")
	refused(t, err, actions.CodeChanged)
	_, err = b.Approve(t.Context(), p.ID, strings.Repeat("0", 64), "me")
	refused(t, err, actions.CodeChanged)
	if got := lines(t, file); len(got) != 0 {
		t.Fatalf("it ran: %q", got)
	}
	r := b.approve(t, p)
	if r.State != actions.RunSucceeded || r.Proposal != p.ID || r.ID != "r-note-1" || r.Deliberation != "d-1" || r.Hash != p.Hash {
		t.Errorf("%+v", r)
	}
	_, err = b.Approve(t.Context(), p.ID, p.Hash, "me")
	refused(t, err, actions.CodeUsed)
	_, err = b.Reject(t.Context(), p.ID)
	refused(t, err, actions.CodeUsed)
	if got := lines(t, file); len(got) != 1 || got[0] != "one" {
		t.Errorf("it ran as %q", got)
	}
	if p, err := b.Proposal(t.Context(), p.ID); err != nil || p.State != actions.Approved || p.Run != r.ID {
		t.Errorf("%+v, %v", p, err)
	}
	if found, err := b.Runs(t.Context(), actions.Query{Proposal: p.ID}); err != nil || len(found) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestReject(t *testing.T) {
	a, file := noting(t, "note")
	b := running(t, nil, a)
	p := b.propose(t, request("k", "note", `{"text":"one"}`))
	for range 2 {
		if p, err := b.Reject(t.Context(), p.ID); err != nil || p.State != actions.Rejected {
			t.Errorf("%+v, %v", p, err)
		}
	}
	_, err := b.Approve(t.Context(), p.ID, p.Hash, "me")
	refused(t, err, actions.CodeUsed)
	if got := lines(t, file); len(got) != 0 {
		t.Errorf("it ran: %q", got)
	}
}

func TestIDs(t *testing.T) {
	a, _ := noting(t, "note")
	b := running(t, nil, a)
	p := b.propose(t, request("k", "note", `{"text":"one"}`))
	for _, id := range []string{"", "p", "p-", "p-1", "p-note-2", "p-other-1", "P-note-1", "p-note-01", "r-note-1", p.ID + " ", "p-note--1", "p-note-1'--", strings.Repeat("p-", 500), "p-note-7vvvvvvvvvvvvv"} {
		_, err := b.Approve(t.Context(), id, p.Hash, "me")
		refused(t, err, actions.CodeNotFound)
		_, err = b.Reject(t.Context(), id)
		refused(t, err, actions.CodeNotFound)
		_, err = b.Undo(t.Context(), id, "me")
		refused(t, err, actions.CodeNotFound)
	}
}

// A proposal expires by its time alone, swept or not.
func TestExpiry(t *testing.T) {
	a, file := noting(t, "note")
	b := running(t, nil, a)
	p, q := b.propose(t, request("k", "note", `{"text":"one"}`)), b.propose(t, request("k2", "note", `{"text":"two"}`))
	long := request("k3", "note", `{"text":"three"}`)
	long.Expires = 1000 * time.Hour
	if p := b.propose(t, long); !p.Expires.Equal(noon.Add(7 * 24 * time.Hour)) {
		t.Errorf("%+v", p)
	}
	b.clock.pass(24 * time.Hour)
	_, err := b.Approve(t.Context(), p.ID, p.Hash, "me")
	refused(t, err, actions.CodeExpired)
	if p, err := b.Proposal(t.Context(), p.ID); err != nil || p.State != actions.Expired {
		t.Errorf("%+v, %v", p, err)
	}
	if n, err := b.Proposals(t.Context(), actions.Query{Pending: true}); err != nil || len(n) != 1 {
		t.Errorf("%+v wait, %v", n, err)
	}
	b.sweep(t)
	// A clock that goes back brings nothing back.
	b.clock.pass(-12 * time.Hour)
	for _, p := range []actions.Proposal{p, q} {
		_, err = b.Approve(t.Context(), p.ID, p.Hash, "me")
		refused(t, err, actions.CodeExpired)
		_, err = b.Reject(t.Context(), p.ID)
		refused(t, err, actions.CodeExpired)
	}
	if got := lines(t, file); len(got) != 0 {
		t.Errorf("it ran: %q", got)
	}
}

// What is configured otherwise than when it was proposed is not run.
func TestChangedConfiguration(t *testing.T) {
	a, file := noting(t, "note")
	b := running(t, nil, a)
	p := b.propose(t, request("k", "note", `{"text":"one"}`))
	for name, change := range map[string]func(*actions.Action){
		"command": func(a *actions.Action) { a.Command = append([]string{}, a.Command...); a.Command[1] = "{text}!" },
		"program": func(a *actions.Action) { a.Command = []string{"echo", "{text}"} },
		"folder":  func(a *actions.Action) { a.Folder = "/tmp" },
		"env":     func(a *actions.Action) { a.Env = []string{"DISPLAY"} },
		"shorter": func(a *actions.Action) { a.Params = []actions.Param{{Name: "text", MaxLength: 2}} },
		"choices": func(a *actions.Action) {
			a.Params = []actions.Param{{Name: "text", Type: actions.Choice, Choices: []string{"one"}}}
		},
		"name": func(a *actions.Action) { a.Name = "other" },
		"gone": func(a *actions.Action) { a.Command = []string{"/no/such/program", "{text}"} },
	} {
		changed := a
		change(&changed)
		if err := b.SetActions([]actions.Action{changed}); err != nil {
			t.Fatal(err)
		}
		_, err := b.Approve(t.Context(), p.ID, p.Hash, "me")
		if name == "gone" {
			refused(t, err, actions.CodeUnavailable)
		} else {
			refused(t, err, actions.CodeChanged)
		}
	}
	if got := lines(t, file); len(got) != 0 {
		t.Fatalf("it ran: %q", got)
	}
	described := a
	described.Description, described.PerHour = "Says it anew.", 2
	if err := b.SetActions([]actions.Action{described}); err != nil {
		t.Fatal(err)
	}
	b.approve(t, p)
}

// What is stored otherwise than it was shown is not run.
func TestChangedRow(t *testing.T) {
	a, file := noting(t, "note")
	b := running(t, nil, a)
	p := b.propose(t, request("k", "note", `{"text":"one"}`))
	alter(t, b.db, `UPDATE actions_proposals SET arguments = '{"text":"two"}'`)
	_, err := b.Approve(t.Context(), p.ID, p.Hash, "me")
	refused(t, err, actions.CodeChanged)
	alter(t, b.db, `UPDATE actions_proposals SET arguments = 'rubbish'`)
	_, err = b.Approve(t.Context(), p.ID, p.Hash, "me")
	refused(t, err, actions.CodeChanged)
	if got := lines(t, file); len(got) != 0 {
		t.Errorf("it ran: %q", got)
	}
}

func alter(t testing.TB, db *store.DB, statement string) {
	t.Helper()
	if err := db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.ExecContext(t.Context(), statement)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// Of a hundred who approve at the same time one is obeyed.
func TestApproveRace(t *testing.T) {
	a, file := noting(t, "note")
	b := running(t, nil, a)
	p := b.propose(t, request("k", "note", `{"text":"one"}`))
	var group sync.WaitGroup
	var obeyed atomic.Int32
	for range 100 {
		group.Go(func() {
			switch _, err := b.Approve(t.Context(), p.ID, p.Hash, "me"); {
			case err == nil:
				obeyed.Add(1)
			case actions.CodeOf(err) != actions.CodeUsed && actions.CodeOf(err) != actions.CodeBusy:
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := lines(t, file); obeyed.Load() != 1 || len(got) != 1 {
		t.Errorf("%d were obeyed, and it ran %d times", obeyed.Load(), len(got))
	}
}

// At most a hundred wait, and what has expired makes room.
func TestPendingIsBounded(t *testing.T) {
	a, _ := noting(t, "note")
	b := running(t, nil, a)
	for n := range 100 {
		b.propose(t, request(fmt.Sprint(n), "note", `{"text":"one"}`))
	}
	_, err := b.tryPropose(request("more", "note", `{"text":"one"}`))
	refused(t, err, actions.CodeFull)
	b.propose(t, request("7", "note", `{"text":"one"}`))
	b.clock.pass(25 * time.Hour)
	b.propose(t, request("more", "note", `{"text":"one"}`))
}

// A limit refuses an approval, which can be given again later.
func TestLimitOfApprovals(t *testing.T) {
	a, file := noting(t, "note")
	a.PerHour = 1
	b := running(t, nil, a)
	p, q := b.propose(t, request("k", "note", `{"text":"one"}`)), b.propose(t, request("k2", "note", `{"text":"two"}`))
	b.approve(t, p)
	_, err := b.Approve(t.Context(), q.ID, q.Hash, "me")
	refused(t, err, actions.CodeLimit)
	b.clock.pass(61 * time.Minute)
	b.approve(t, q)
	if got := lines(t, file); len(got) != 2 {
		t.Errorf("it ran as %q", got)
	}
}

// A secret is no argument, and none is kept in a reason.
func TestSecretsAreNotKept(t *testing.T) {
	a, _ := noting(t, "note")
	b := running(t, nil, a)
	_, err := b.tryPropose(request("k", "note", `{"text":"password=hunter2hunter2"}`))
	refused(t, err, actions.CodeInvalid)
	r := request("k", "note", `{"text":"one"}`)
	r.Reason = "as\x1b[2J password=hunter2hunter2\nsays"
	if p := b.propose(t, r); p.Reason != "as[2J password=[redacted:password] says" {
		t.Errorf("%q", p.Reason)
	}
}

// Undoing works once, within its time, for what succeeded.
func TestUndo(t *testing.T) {
	dir := t.TempDir()

	make := actions.Action{Name: "make", Description: "Makes it.", Command: []string{script(t, dir, "create", `test "$1" = bad && exit 1; echo "$1" >>"$0.out"`), "{text}"},
		Undo: []string{script(t, dir, "unmake", `echo "un$1" >>"${0%/*}/create.out"`), "{text}"}, Params: []actions.Param{text("text")}, PerHour: 100}
	file := filepath.Join(dir, "create.out")
	plain, _ := noting(t, "note")
	b := running(t, nil, make, plain)
	r := b.execute(t, "k", "make", `{"text":"one"}`)
	if !r.UndoUntil.Equal(noon.Add(10 * time.Minute)) {
		t.Errorf("%+v", r)
	}
	if found, err := b.Runs(t.Context(), actions.Query{Undoable: true}); err != nil || len(found) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	u, err := b.Undo(t.Context(), r.ID, "me")
	if err != nil || u.UndoOf != r.ID || u.State != actions.RunSucceeded || u.Argv[1] != "one" || !u.UndoUntil.IsZero() {
		t.Errorf("%+v, %v", u, err)
	}
	if got := strings.Join(lines(t, file), " "); got != "one unone" {
		t.Errorf("%q", got)
	}
	for range 2 {
		_, err = b.Undo(t.Context(), r.ID, "me")
		refused(t, err, actions.CodeUsed)
	}
	_, err = b.Undo(t.Context(), u.ID, "me")
	refused(t, err, actions.CodeNoUndo)
	_, err = b.Undo(t.Context(), b.execute(t, "k2", "make", `{"text":"bad"}`).ID, "me")
	refused(t, err, actions.CodeNoUndo)
	_, err = b.Undo(t.Context(), b.execute(t, "k3", "note", `{"text":"x"}`).ID, "me")
	refused(t, err, actions.CodeNoUndo)
	late := b.execute(t, "k4", "make", `{"text":"late"}`)
	b.clock.pass(10 * time.Minute)
	_, err = b.Undo(t.Context(), late.ID, "me")
	refused(t, err, actions.CodeExpired)
	other := b.execute(t, "k5", "make", `{"text":"other"}`)
	changed := make
	changed.Undo = append([]string{}, make.Undo[0], "all")
	if err := b.SetActions([]actions.Action{changed}); err != nil {
		t.Fatal(err)
	}
	_, err = b.Undo(t.Context(), other.ID, "me")
	refused(t, err, actions.CodeChanged)
	if found, err := b.Runs(t.Context(), actions.Query{Undoable: true}); err != nil || len(found) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
}

// Of many who undo at the same time one is obeyed.
func TestUndoRace(t *testing.T) {
	a, file := noting(t, "note")
	a.Undo = a.Command
	b := running(t, nil, a)
	r := b.execute(t, "k", "note", `{"text":"one"}`)
	var group sync.WaitGroup
	var obeyed atomic.Int32
	for range 30 {
		group.Go(func() {
			if _, err := b.Undo(t.Context(), r.ID, "me"); err == nil {
				obeyed.Add(1)
			} else if actions.CodeOf(err) != actions.CodeUsed {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := lines(t, file); obeyed.Load() != 1 || len(got) != 2 {
		t.Errorf("%d were obeyed, and it ran %d times", obeyed.Load(), len(got))
	}
}

// What is used up or over is refused for that, also where its action is gone.
func TestRefusedForWhatItIs(t *testing.T) {
	a, _ := noting(t, "note")
	b := running(t, nil, a)
	p, q, late := b.propose(t, request("k", "note", `{"text":"one"}`)), b.propose(t, request("k2", "note", `{"text":"two"}`)), b.propose(t, request("k3", "note", `{"text":"three"}`))
	b.approve(t, p)
	if _, err := b.Reject(t.Context(), q.ID); err != nil {
		t.Fatal(err)
	}
	if err := b.SetActions(nil); err != nil {
		t.Fatal(err)
	}
	_, err := b.Approve(t.Context(), p.ID, p.Hash, "me")
	refused(t, err, actions.CodeUsed)
	_, err = b.Approve(t.Context(), q.ID, q.Hash, "me")
	refused(t, err, actions.CodeUsed)
	_, err = b.Approve(t.Context(), late.ID, late.Hash, "me")
	refused(t, err, actions.CodeChanged)
	b.clock.pass(25 * time.Hour)
	_, err = b.Approve(t.Context(), late.ID, late.Hash, "me")
	refused(t, err, actions.CodeExpired)
	if p, err := b.Proposal(t.Context(), p.ID); err != nil || p.State != actions.Approved {
		t.Errorf("%+v, %v", p, err)
	}
}

// The daemon's own actions are approved likewise, within one transaction.
func TestBuiltin(t *testing.T) {
	var fails atomic.Bool
	post := actions.Builtin{Name: "post_message", Description: "Posts.", Params: []actions.Param{text("conversation"), {Name: "text", Multiline: true}},
		Do: func(ctx context.Context, tx *store.Tx, key string, arguments json.RawMessage, r actions.Request) (string, error) {
			if _, err := tx.ExecContext(ctx, "INSERT INTO posted VALUES (?, ?, ?)", key, string(arguments), string(r.Incident)); err != nil {
				return "", err
			}
			if fails.Load() {
				return "", errors.New("it is closed")
			}
			return "posted", nil
		}}
	b := running(t, func(o *actions.Options) { o.Builtins = []actions.Builtin{post} })
	alter(t, b.db, "CREATE TABLE posted (key TEXT PRIMARY KEY, arguments TEXT, incident TEXT)")
	if len(b.Offers()) != 0 {
		t.Errorf("%+v", b.Offers())
	}
	p := b.propose(t, request("k", "post_message", `{"text":"a\nb","conversation":"home"}`))
	if len(p.Argv) != 0 || string(p.Arguments) != `{"conversation":"home","text":"a\nb"}` {
		t.Errorf("%+v", p)
	}
	fails.Store(true)
	if _, err := b.Approve(t.Context(), p.ID, p.Hash, "me"); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
	fails.Store(false)
	r := b.approve(t, p)
	if r.State != actions.RunSucceeded || r.Output != "posted" || r.ExitCode != 0 || r.Ended.IsZero() {
		t.Errorf("%+v", r)
	}
	_, err := b.Approve(t.Context(), p.ID, p.Hash, "me")
	refused(t, err, actions.CodeUsed)
	var posted int
	if err := b.db.Read(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRowContext(t.Context(), "SELECT count(*) FROM posted WHERE incident = 'i-unit-1'").Scan(&posted)
	}); err != nil || posted != 1 {
		t.Errorf("%d were posted, %v", posted, err)
	}
}

// What is old is forgotten, what was done last.
func TestSweep(t *testing.T) {
	a, _ := noting(t, "note")
	a.Command = []string{"echo", "{text}"}
	b := running(t, nil, a)
	p := b.propose(t, request("k", "note", `{"text":"one"}`))
	q := b.propose(t, request("k2", "note", `{"text":"two"}`))
	r := b.approve(t, p)
	count := func() (proposals, runs int) {
		found, err := b.Proposals(t.Context(), actions.Query{})
		if err != nil {
			t.Fatal(err)
		}
		ran, err := b.Runs(t.Context(), actions.Query{})
		if err != nil {
			t.Fatal(err)
		}
		return len(found), len(ran)
	}
	for _, c := range []struct {
		passes          time.Duration
		proposals, runs int
		output          string
	}{{29 * 24 * time.Hour, 2, 1, "one\n"}, {2*24*time.Hour + time.Hour, 1, 1, ""}, {330 * 24 * time.Hour, 1, 1, ""}, {10 * 24 * time.Hour, 0, 0, ""}} {
		b.clock.pass(c.passes)
		b.sweep(t)
		if n, m := count(); n != c.proposals || m != c.runs {
			t.Errorf("after %s there are %d proposals and %d runs", c.passes, n, m)
		}
		if c.runs > 0 {
			if r, err := b.Run(t.Context(), r.ID); err != nil || r.Output != c.output {
				t.Errorf("%+v, %v", r, err)
			}
		}
	}
	// No id comes again.
	if fresh := b.propose(t, request("k", "note", `{"text":"one"}`)); fresh.ID == p.ID || fresh.ID == q.ID {
		t.Errorf("%+v", fresh)
	}
}

// A reader that gives up leaves the program running, and finds it later.
func TestApprovalOutlivesItsCaller(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "go")
	b := running(t, nil, actions.Action{Name: "wait", Description: "Waits.", Command: []string{script(t, dir, "wait", `mkfifo "$1.b"; mv "$1.b" "$1"; read x <"$1"; echo "$x"`), fifo}})
	p := b.propose(t, request("k", "wait", `{}`))
	ctx, cancel := context.WithCancel(t.Context())
	begun := make(chan actions.Run)
	go func() {
		r, err := b.Approve(ctx, p.ID, p.Hash, "me")
		if err != nil {
			t.Error(err)
		}
		begun <- r
	}()
	var out *os.File
	for out == nil {
		out, _ = os.OpenFile(fifo, os.O_WRONLY, 0)
	}
	cancel()
	if r := <-begun; r.State != actions.RunStarted {
		t.Errorf("%+v", r)
	}
	_, err := b.Approve(t.Context(), p.ID, p.Hash, "me")
	refused(t, err, actions.CodeUsed)
	fmt.Fprintln(out, "done")
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	stop(t, b.Engine) // which waits for it
	found, err := b.Runs(t.Context(), actions.Query{Proposal: p.ID})
	if err != nil || len(found) != 1 || found[0].State == actions.RunStarted {
		t.Errorf("%+v, %v", found, err)
	}
}

func BenchmarkProposeAndApprove(b *testing.B) {
	e := running(b, nil, actions.Action{Name: "true", Description: "Does nothing.", Command: []string{"true"}, PerHour: 1000, PerDay: 1000})
	n := 0
	for b.Loop() {
		n++
		e.clock.pass(10 * time.Minute)
		if r := e.approve(b, e.propose(b, request(fmt.Sprint(n), "true", `{}`))); r.State != actions.RunSucceeded {
			b.Fatalf("%+v", r)
		}
	}
}
