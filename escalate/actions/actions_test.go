package actions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("ACTIONS_TEST_CHILD"); dir != "" {
		os.Exit(runChild(dir))
	}
	goleak.VerifyTestMain(m)
}

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// clock is set by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func database(t testing.TB, path string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Path: path}, actions.Migrations()...)
	return testutil.Opened(t, db, err)
}

// bench is an engine that runs, with what its tests need.
type bench struct {
	*actions.Engine
	db    *store.DB
	clock *clock
	dir   string // for what the programs write
}

// script writes an executable file, and returns its path.
func script(t testing.TB, dir, name, body string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	testutil.Program(t, path, body)
	return path
}

// running starts an engine with actions.
func running(t testing.TB, change func(*actions.Options), list ...actions.Action) *bench {
	t.Helper()
	b := &bench{clock: &clock{now: noon}, dir: t.TempDir()}
	b.db = database(t, filepath.Join(b.dir, "mind.db"))
	options := actions.Options{DB: b.db, Actions: list, Now: b.clock.Now, Redact: redact.Text, Grace: 300 * time.Millisecond}
	if change != nil {
		change(&options)
	}
	var err error
	if b.Engine, err = actions.New(options); err != nil {
		t.Fatal(err)
	}
	b.start(t, b.Engine)
	return b
}

// start starts an engine, and stops it with the test.
func (b *bench) start(t testing.TB, e *actions.Engine) {
	t.Helper()
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, e) })
}

func stop(t testing.TB, e *actions.Engine) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := e.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// weak is the same engine without one guard, in the same database.
func (b *bench) weak(t testing.TB, guard string) *bench {
	t.Helper()
	stop(t, b.Engine)
	other := *b
	other.Engine = actions.Without(t, b.Engine, guard)
	b.start(t, other.Engine)
	return &other
}

func request(key, action, arguments string) actions.Request {
	return actions.Request{Act: escalate.Act{Key: key, Action: action, Arguments: json.RawMessage(arguments), Reason: "it is time", Incident: "i-unit-1",
		Deliberation: "d-1", Trusts: []subconscious.Trust{subconscious.Outsider}, Clause: "act-asks-always", Why: "it is configured so"}}
}

func (b *bench) propose(t testing.TB, r actions.Request) actions.Proposal {
	t.Helper()
	p, err := b.tryPropose(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (b *bench) tryPropose(r actions.Request) (p actions.Proposal, err error) {
	err = b.db.Write(context.Background(), func(tx *store.Tx) error {
		p, err = b.Propose(context.Background(), tx, r)
		return err
	})
	return p, err
}

func (b *bench) approve(t testing.TB, p actions.Proposal) actions.Run {
	t.Helper()
	r, err := b.Approve(t.Context(), p.ID, p.Hash, "me")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (b *bench) execute(t testing.TB, key, action, arguments string) actions.Run {
	t.Helper()
	r, err := b.Execute(t.Context(), request(key, action, arguments))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (b *bench) sweep(t testing.TB) {
	t.Helper()
	if err := b.db.Write(t.Context(), func(tx *store.Tx) error { return b.Sweep(t.Context(), tx) }); err != nil {
		t.Fatal(err)
	}
}

// refused wants an error with a code.
func refused(t testing.TB, err error, code actions.Code) {
	t.Helper()
	if got := actions.CodeOf(err); got != code || err == nil {
		t.Errorf("the error is %q (%v), and should be %q", got, err, code)
	}
}

// lines are those of a file, none where it is not there.
func lines(t testing.TB, path string) []string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(string(content))
}

// noting is an action that writes a line into a file each time that it runs.
func noting(t testing.TB, name string) (a actions.Action, file string) {
	t.Helper()
	dir := t.TempDir()
	return actions.Action{Name: name, Description: "Writes a line.", Command: []string{script(t, dir, "note", `echo "$1" >>"$0.out"`), "{text}"},
		Params: []actions.Param{{Name: "text"}}, PerHour: 1000, PerDay: 1000}, filepath.Join(dir, "note.out")
}

func text(name string) actions.Param { return actions.Param{Name: name, Type: actions.Text} }

func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprint(err))
	}
	return string(raw)
}
