//go:build failpoints

package actions_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// These tests need the points that fail on purpose: go test -tags failpoints
// ./escalate/actions

// steps are the points before and after each thing that lasts.
var steps = []string{"actions.propose", "actions.proposed", "store.begun", "store.commit", "store.committed", "actions.start", "actions.started", "actions.ran", "actions.ended"}

// Killed at each step in turn, nothing is run twice, nothing without a record,
// and what a crash made unknown is said to be.
func TestCrashAtEachStep(t *testing.T) {
	dir := childFolder(t)
	lives := 6 * len(steps)
	if testing.Short() {
		lives = len(steps)
	}
	kills := 0
	for n := range lives {
		if _, dead := testutil.Killed(t, child(dir, "SUBCONSCIOUS_FAILPOINTS="+steps[n%len(steps)]+"=kill@0.15", "SUBCONSCIOUS_FAILPOINTS_SEED="+strconv.Itoa(n+1))); dead {
			kills++
		}
	}
	sum := reckon(t, dir)
	t.Logf("killed %d times: %+v", kills, sum)
	if kills < lives/2 || sum.unknown == 0 {
		t.Errorf("killed %d times of %d: %+v", kills, lives, sum)
	}
}

// fail lets a point fail once.
func fail(t *testing.T, point string) (restore func()) {
	t.Helper()
	restore, err := failpoint.Set(point+"=error*1", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(restore)
	return restore
}

// A step of executing that fails has run nothing, or is told as unknown; it is
// never run by a second call.
func TestFailpointsOfExecuting(t *testing.T) {
	for point, c := range map[string]struct {
		began int              // of the first call
		state actions.RunState // of what a second call finds
	}{
		"store.begun": {0, actions.RunSucceeded}, "actions.start": {0, actions.RunSucceeded}, "store.commit": {0, actions.RunSucceeded},
		"store.committed": {0, actions.RunFailed}, "actions.started": {0, actions.RunFailed}, "actions.ran": {1, actions.RunStarted}, "actions.ended": {1, actions.RunSucceeded},
	} {
		t.Run(point, func(t *testing.T) {
			a, file := noting(t, "note")
			b := running(t, nil, a)
			restore := fail(t, point)
			_, err := b.Execute(t.Context(), request("k", "note", `{"text":"one"}`))
			restore()
			if _, failed := errors.AsType[*failpoint.Error](err); failed != (c.began == 0) {
				t.Error(err)
			}
			if got := lines(t, file); len(got) != c.began {
				t.Errorf("it ran %d times", len(got))
			}
			if r := b.execute(t, "k", "note", `{"text":"one"}`); r.State != c.state {
				t.Errorf("%+v", r)
			}
			want := 1
			if c.state == actions.RunFailed {
				want = 0
			}
			if got := lines(t, file); len(got) != want {
				t.Errorf("it ran %d times in all", len(got))
			}
		})
	}
}

// Who waits for a run that did not begin is told why, and may ask again.
func TestFailpointWhileOthersWait(t *testing.T) {
	a, file := noting(t, "note")
	b := running(t, nil, a)
	restore, err := failpoint.Set("store.begun=sleep(50ms)*1;store.commit=error*1", "")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			r, err := b.Execute(t.Context(), request("k", "note", `{"text":"one"}`))
			if _, failed := errors.AsType[*failpoint.Error](err); (err != nil) != failed || err == nil && r.State != actions.RunSucceeded {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	group.Wait()
	restore()
	if r := b.execute(t, "k", "note", `{"text":"one"}`); r.State != actions.RunSucceeded || len(lines(t, file)) != 1 {
		t.Errorf("%+v", r)
	}
}

// A step of approving that fails leaves the proposal as it was, or used up and
// never begun.
func TestFailpointsOfApproving(t *testing.T) {
	for point, used := range map[string]bool{"store.begun": false, "actions.start": false, "store.commit": false, "store.committed": true, "actions.started": true} {
		t.Run(point, func(t *testing.T) {
			a, file := noting(t, "note")
			b := running(t, nil, a)
			p := b.propose(t, request("k", "note", `{"text":"one"}`))
			restore, err := failpoint.Set(point+"=error*2", "") // the first one may be for reading
			if err != nil {
				t.Fatal(err)
			}
			for n := 0; n < 2 && err == nil || n == 0; n++ {
				_, err = b.Approve(t.Context(), p.ID, p.Hash, "me")
			}
			restore()
			if _, failed := errors.AsType[*failpoint.Error](err); !failed || len(lines(t, file)) != 0 {
				t.Errorf("%v, %q", err, lines(t, file))
			}
			_, err = b.Approve(t.Context(), p.ID, p.Hash, "me")
			if used && point == "actions.started" {
				refused(t, err, actions.CodeUsed)
			} else if err != nil && actions.CodeOf(err) != actions.CodeUsed {
				t.Error(err)
			}
			if got := lines(t, file); len(got) > 1 || err == nil && len(got) != 1 {
				t.Errorf("it ran as %q", got)
			}
		})
	}
}

// Rejecting and proposing that fail can be done again.
func TestFailpointsOfAsking(t *testing.T) {
	for _, point := range []string{"actions.propose", "actions.proposed", "actions.reject", "actions.rejected"} {
		a, _ := noting(t, "note")
		b := running(t, nil, a)
		restore := fail(t, point)
		p, err := b.tryPropose(request("k", "note", `{"text":"one"}`))
		if err == nil {
			_, err = b.Reject(t.Context(), p.ID)
		}
		restore()
		if _, failed := errors.AsType[*failpoint.Error](err); !failed {
			t.Errorf("%s: %v", point, err)
		}
		p = b.propose(t, request("k", "note", `{"text":"one"}`))
		if p, err = b.Reject(t.Context(), p.ID); err != nil || p.State != actions.Rejected {
			t.Errorf("%s: %+v, %v", point, p, err)
		}
	}
}
