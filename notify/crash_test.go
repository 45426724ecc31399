//go:build failpoints

package notify_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/store"
)

// These tests need the points that fail on purpose, and kill 500 processes in
// their full form: go test -tags failpoints ./notify -lives 500

// steps are the points before and after each thing that lasts.
var steps = []string{"notify.post", "notify.posted", "store.begun", "store.commit", "store.committed", "notify.claim", "notify.claimed",
	"notify.sent", "notify.stored", "notify.take", "notify.taken"}

// arm lets the points of the child do what its test wants.
func arm() {
	if _, err := failpoint.Set(os.Getenv("NOTIFY_TEST_POINTS"), os.Getenv("NOTIFY_TEST_SEED")); err != nil {
		panic(err)
	}
}

// killed runs children whose points kill them, and returns how many died.
func killed(t *testing.T, dir string, count int, points func(n int) string, env ...string) (kills int) {
	t.Helper()
	for n := range count {
		if _, dead := testutil.Killed(t, child(dir, append(env, "NOTIFY_TEST_POINTS="+points(n), "NOTIFY_TEST_SEED="+strconv.Itoa(n+1))...)); dead {
			kills++
		}
	}
	return kills
}

// Killed at each step in turn, with what an earlier life left delivered
// before, nothing urgent is lost, and nothing repeated twice.
func TestCrashAtEachStep(t *testing.T) {
	dir := t.TempDir()
	kills := killed(t, dir, lifetimes(), func(n int) string { return steps[n%len(steps)] + "=kill@0.1" })
	sum := reckon(t, dir)
	t.Logf("killed %d times: %+v", kills, sum)
	if sum.lost > 0 {
		t.Errorf("%d urgent messages are lost", sum.lost)
	}
	if kills < lifetimes()/2 {
		t.Fatalf("only %d of the children were killed", kills)
	}
}

// Killed again and again while they take up what is left, an urgent message
// may be interrupted twice: it is sent no third time, and is kept as unknown.
// Where the channels can be asked, nothing is lost all the same, urgent or not,
// and nothing comes twice.
func TestCrashWhileTakingUp(t *testing.T) {
	for name, env := range map[string][]string{"asked": {verifies}, "not asked": nil} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			points := strings.Join(append([]string{"notify.verify", "notify.verified"}, steps...), "=kill@0.02;") + "=kill@0.02"
			kills := killed(t, dir, lifetimes()/2, func(int) string { return points }, append(env, "NOTIFY_TEST_STORM=1")...)
			t.Logf("killed %d times: %+v", kills, reckon(t, dir, env...))
			if kills < lifetimes()/4 {
				t.Fatalf("only %d of the children were killed", kills)
			}
		})
	}
}

// A step that fails, as on a full disk, is made up for when it works again.
func TestFailpointsOfDeliveries(t *testing.T) {
	for _, point := range []string{"store.begun", "store.commit", "store.committed", "notify.claim", "notify.claimed", "notify.sent", "notify.stored"} {
		for times := 1; times < 9; times++ {
			synctest.Test(t, func(t *testing.T) {
				var r notifytest.Recorder
				b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &r)}})
				b.put(t, incident("a"), incident("b"))
				restore, err := failpoint.Set(point+"=error*"+strconv.Itoa(times), "")
				if err != nil {
					t.Fatal(err)
				}
				defer restore()
				b.Wake()
				time.Sleep(10 * time.Minute)
				restore()
				for _, d := range b.recent(t) {
					if d.State != notify.StateSent || d.Repeated {
						t.Errorf("%s %d times: %+v", point, times, d)
					}
				}
				if n := len(r.Messages()); n != 2 {
					t.Errorf("%s %d times: %d messages arrived", point, times, n)
				}
			})
		}
	}
}

// What cannot be written before the end is unknown at the next start.
func TestFailpointAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		options := notify.Options{DB: database(t, store.Memory), Channels: []notify.Channel{channel("phone", &r)}}
		b := running(t, options)
		restore, err := failpoint.Set("notify.sent=error", "")
		if err != nil {
			t.Fatal(err)
		}
		defer restore()
		b.post(t, incident("a"))
		synctest.Wait()
		stop(t, b.Outbox)
		restore()
		if d := running(t, options).only(t); d.State != notify.StateUnknown || len(r.Messages()) != 1 {
			t.Errorf("%+v", d)
		}
	})
}

// An answer whose transaction failed can be given again.
func TestFailpointsOfAnswers(t *testing.T) {
	for point, effects := range map[string]int{"store.begun": 0, "notify.take": 0, "store.commit": 0, "store.committed": 1, "notify.taken": 1} {
		var r notifytest.Recorder
		var got replies
		b := running(t, notify.Options{DB: database(t, t.TempDir()+"/mind.db"), Channels: []notify.Channel{channel("phone", &r)}, Answered: got.answered})
		token := tokens(t, b, &r, "a")[0].Token
		stop(t, b.Outbox)
		restore, err := failpoint.Set(point+"=error*1", "")
		if err != nil {
			t.Fatal(err)
		}
		err = b.Take(t.Context(), token)
		restore()
		var failed *failpoint.Error
		if !errors.As(err, &failed) {
			t.Fatalf("%s: %v", point, err)
		}
		if err := b.Take(t.Context(), token); (err == nil) != (effects == 0) {
			t.Errorf("%s: %v", point, err)
		}
	}
}
