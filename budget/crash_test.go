//go:build failpoints

package budget_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
)

// These tests need the points that fail on purpose:
// go test -tags failpoints ./budget

const points = "store.begun=kill@0.01;store.commit=kill@0.01;store.committed=kill@0.01;budget.debited=kill@0.02;budget.settled=kill@0.02"

func TestCrashAtEachStep(t *testing.T) {
	dir := t.TempDir()
	kills := 0
	for round := range 40 {
		if _, dead := testutil.Killed(t, child(dir, "SUBCONSCIOUS_FAILPOINTS="+points, "SUBCONSCIOUS_FAILPOINTS_SEED="+strconv.Itoa(round+1))); dead {
			kills++
		}
		if o := checkBill(t, dir); round == 39 {
			paid, calls := bill(t, dir)
			t.Logf("killed %d times: %d calls, paid %d, counted %d of %d, left by crashes %+v", kills, calls, paid, o.Today.Money, crashLimit, o.Lost)
		}
	}
	if kills < 25 {
		t.Fatalf("only %d of the children were killed", kills)
	}
}

// failsAt makes a debit that fails at a point.
func failsAt(t *testing.T, b *budget.Budget, point string) {
	t.Helper()
	restore, err := failpoint.Set(point+"=error*1", "")
	if err != nil {
		t.Fatal(err)
	}
	defer restore()
	_, err = b.Debit(t.Context(), charge("watcher", noon, 100))
	if failed := (*failpoint.Error)(nil); !errors.As(err, &failed) {
		t.Fatalf("%s: %v", point, err)
	}
}

// A debit whose commit failed, or whose caller was told so, lets no call be
// made; nothing of it may be counted twice.
func TestFailpointsOfDebits(t *testing.T) {
	for point, money := range map[string]budget.Money{"store.begun": 0, "store.commit": 0, "store.committed": 100, "budget.debited": 100} {
		b, db := opened(t, t.TempDir()+"/mind.db", budget.DefaultConfig())
		// The day is begun.
		settle(t, b, debit(t, b, charge("watcher", noon, 100)), 0, 0)
		failsAt(t, b, point)
		// What a commit says to have failed may be there: no call was made, and
		// only after a restart it counts.
		if o := spent(t, b, noon); o.Today.Money != money && point != "store.committed" || o.Running.Calls != 0 {
			t.Errorf("%s: %+v", point, o)
		}
		if err := b.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if o := spent(t, again(t, db, budget.DefaultConfig()), noon); o.Today.Money != money || o.Lost.Money != money {
			t.Errorf("%s: %+v, want %d", point, o, money)
		}
	}
}

// A turn of the day that fails is tried again by the next debit.
func TestFailpointsOfTheDay(t *testing.T) {
	b, _ := opened(t, store.Memory, budget.DefaultConfig())
	for _, point := range []string{"store.begun", "store.commit", "store.committed"} {
		failsAt(t, b, point)
	}
	debit(t, b, charge("watcher", noon, 100))
	if o := spent(t, b, noon); o.Today.Money != 100 || o.Day != "2026-03-10" {
		t.Errorf("%+v", o)
	}
}

// What is settled while the day turns counts once.
func TestFailpointSettledWhileTheDayTurns(t *testing.T) {
	b, db := opened(t, t.TempDir()+"/mind.db", budget.DefaultConfig())
	var open []budget.Ticket
	for range 60 {
		open = append(open, debit(t, b, charge("watcher", noon, 1000)))
	}
	restore, err := failpoint.Set("store.commit=sleep(10ms)", "")
	if err != nil {
		t.Fatal(err)
	}
	defer restore()
	next := noon.AddDate(0, 0, 1)
	turned := make(chan error)
	go func() {
		_, err := b.Debit(t.Context(), charge("watcher", next, 1000))
		turned <- err
	}()
	for _, ticket := range open {
		settle(t, b, ticket, 400, 10)
		spent(t, b, noon)
	}
	if err := <-turned; err != nil {
		t.Fatal(err)
	}
	restore()
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, b := range []*budget.Budget{b, again(t, db, budget.DefaultConfig())} {
		if o := spent(t, b, next); o.ThisMonth != (budget.Sum{Money: 25_000, Tokens: 700, Calls: 61}) {
			t.Errorf("%+v", o)
		}
	}
}
