package budget_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
)

// crashLimit is what the child may spend, in all its lives.
const crashLimit = 20_000

// crashConfig lets that through, and no more.
var crashConfig = budget.Config{MoneyPerDay: crashLimit * 1e-9, MoneyPerMonth: -1, CallsPerDay: -1, TokensPerDay: -1, ExplorationCallsPerDay: -1}

// runChild is what the test program does when a test has started it again.
func runChild(dir string) int {
	if err := childSpend(context.Background(), dir); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// childSpend makes calls with four threads until the budget is used up or it
// is killed. What a call takes stands in the file "paid", on disk, before it
// is settled: that is the provider's bill.
func childSpend(ctx context.Context, dir string) error {
	db, err := store.Open(ctx, store.Options{Path: filepath.Join(dir, "mind.db")}, budget.Migrations()...)
	if err != nil {
		return err
	}
	b, err := budget.Open(ctx, db, crashConfig)
	if err != nil {
		return err
	}
	paid, err := os.OpenFile(filepath.Join(dir, "paid"), os.O_CREATE|os.O_WRONLY|os.O_APPEND|os.O_SYNC, 0o600)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	errs := make([]error, 4)
	for n := range errs {
		group.Go(func() { errs[n] = childThread(ctx, b, db, paid) })
	}
	group.Wait()
	return errors.Join(append(errs, b.Close(ctx), paid.Close(), db.Close())...)
}

func childThread(ctx context.Context, b *budget.Budget, db *store.DB, paid *os.File) error {
	for n := range 30 {
		worst := 1 + rand.Int64N(60)
		ticket, err := b.Debit(ctx, charge("watcher", noon, budget.Money(worst)))
		var refusal *budget.Refusal
		if errors.As(err, &refusal) {
			return nil
		}
		if err != nil {
			return err
		}
		actual := rand.Int64N(worst + 1)
		if _, err := fmt.Fprintln(paid, actual); err != nil {
			return err
		}
		if err := b.Settle(ctx, ticket, budget.Amount{Money: budget.Money(actual), Tokens: 1}); err != nil {
			return err
		}
		if n%8 == 7 {
			if err := db.Write(ctx, func(tx *store.Tx) error { return b.Flush(ctx, tx) }); err != nil {
				return err
			}
		}
		fmt.Println("settled", ticket)
	}
	return nil
}

func child(dir string, env ...string) *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(append(os.Environ(), "BUDGET_TEST_CHILD="+dir), env...)
	return command
}

// bill adds up what the provider was paid.
func bill(t testing.TB, dir string) (paid budget.Money, calls int) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "paid"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		n, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		paid += budget.Money(n)
		calls++
	}
	return paid, calls
}

// checkBill wants the budget to count at least the bill, and at most the
// limit.
func checkBill(t *testing.T, dir string) budget.Overview {
	t.Helper()
	db := database(t, filepath.Join(dir, "mind.db"))
	o := spent(t, again(t, db, crashConfig), noon)
	paid, calls := bill(t, dir)
	if paid > o.Today.Money || o.Today.Money > crashLimit || calls > o.Today.Calls {
		t.Fatalf("paid are %d in %d calls, counted %d in %d, allowed %d", paid, calls, o.Today.Money, o.Today.Calls, crashLimit)
	}
	checkSums(t, db, crashLimit, crashLimit)
	if err := errors.Join(db.Check(t.Context()), db.Close()); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestKilledAtAnyMoment(t *testing.T) {
	dir := t.TempDir()
	var lost int
	for range 12 {
		command := child(dir)
		lines := testutil.Started(t, command)
		for left := rand.IntN(50); left > 0 && lines.Scan(); left-- {
		}
		if err := command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		// What is left in the pipe: the error says that it was killed.
		for lines.Scan() {
		}
		if err := command.Wait(); err != nil && err.Error() != "signal: killed" {
			t.Fatal(err)
		}
		lost = checkBill(t, dir).Lost.Calls
	}
	if lost == 0 {
		t.Error("no life was ended while a call was being made")
	}
}
