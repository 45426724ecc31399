//go:build failpoints

package daemon_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// onTheWay are the points from the decision to the receipt.
var onTheWay = []string{
	"tick.commit.before", "tick.commit.inside", "tick.commit.after", "notify.post", "notify.posted", "mind.commit",
	"store.commit", "store.committed", "publish.written", "publish.rename", "publish.renamed",
	"notify.claim", "notify.claimed", "notify.sent", "notify.settled",
}

// asking are those of a channel that is asked what arrived.
var asking = []string{"notify.look", "notify.looked"}

// TestCrashNothingUrgentIsLost kills the daemon between any two steps from the
// decision to the receipt, and at random. Where its channel can be asked what
// arrived, whatever was decided to be told arrives, once. Where it cannot, what
// arrives twice does so once more and says so, and what is lost was interrupted
// twice.
//
// SUBCONSCIOUS_CRASHES says how often it is killed.
func TestCrashNothingUrgentIsLost(t *testing.T) {
	lives := map[bool]int{true: 90, false: 45}
	if text := os.Getenv("SUBCONSCIOUS_CRASHES"); text != "" {
		count, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		lives[true], lives[false] = count, count
	}
	t.Run("the channel is asked", func(t *testing.T) {
		t.Parallel()
		if sum := crashed(t, lives[true], true, append(asking, onTheWay...)); sum.lost+sum.twice > 0 {
			t.Errorf("%d lost, %d twice", sum.lost, sum.twice)
		}
	})
	t.Run("nobody can tell", func(t *testing.T) {
		t.Parallel()
		// What is interrupted twice: each time one of some steps out of all.
		if sum := crashed(t, lives[false], false, onTheWay); sum.lost > 1+sum.told/50 {
			t.Errorf("%d of %d lost", sum.lost, sum.told)
		}
	})
}

// toll is what became of what was to be told.
type toll struct{ told, lost, twice int }

// crashed lets a mind live so often, and reckons.
func crashed(t *testing.T, lives int, asks bool, points []string) (sum toll) {
	dir := t.TempDir()
	for _, folder := range []string{"state", "files", "notes"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := troubled(filepath.Join(dir, "units")).worse(); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(4, 711))
	for life := range lives {
		var env []string
		if life%3 != 2 { // at a point on the way, one of the times that it is passed
			point := points[(life/3*2+life%3)%len(points)]
			env = append(env, "SUBCONSCIOUS_FAILPOINTS="+point+"=kill@0.2", fmt.Sprintf("SUBCONSCIOUS_FAILPOINTS_SEED=%d", life+1))
		}
		if asks {
			env = append(env, childAsks+"=1")
		}
		env = append(env, fmt.Sprintf("%s=%d", childLife, life))
		dies(t, dir, time.Duration(random.IntN(120))*time.Millisecond, env...)
	}
	told := decidedToTell(t, dir, tellingOptions(dir, lives, asks))
	arrived := map[subconscious.IncidentID][]notify.Message{}
	all, err := book(filepath.Join(dir, "book")).read()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		arrived[m.Incident] = append(arrived[m.Incident], m)
	}
	sum.told = len(told)
	for id, delivery := range told {
		messages := arrived[id]
		switch {
		case len(messages) == 0:
			sum.lost++
			if asks || delivery.State != notify.StateUnknown || delivery.Attempts != 2 || !delivery.Repeated {
				t.Errorf("%s was to be told and never arrived: %+v", id, delivery)
			}
		case len(messages) > 2, len(messages) == 2 && !messages[1].Repeated:
			t.Errorf("%s arrived %d times: %+v", id, len(messages), messages)
		case len(messages) == 2:
			sum.twice++
		}
	}
	for id := range arrived {
		if _, ok := told[id]; !ok {
			t.Errorf("%s arrived, and nobody decided so", id)
		}
	}
	t.Logf("%d lives; %d incidents were to be told, %d lost, %d repeated and marked", lives, sum.told, sum.lost, sum.twice)
	if sum.told < lives/3 {
		t.Errorf("only %d incidents in %d lives", sum.told, lives)
	}
	return sum
}

// dies runs a life of the daemon, and kills it that long after it has started if
// it is not dead by then.
func dies(t *testing.T, dir string, within time.Duration, env ...string) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(append(os.Environ(), "DAEMON_TEST_CHILD=tells", childDir+"="+dir), env...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() != "started" {
			t.Errorf("it said %q", lines.Text())
		}
		time.AfterFunc(within, func() { _ = command.Process.Kill() })
	}
	if err := command.Wait(); err == nil {
		t.Fatalf("it ended by itself: %s", stderr.String())
	}
}

// decidedToTell starts the mind once more, waits until all is sent, and returns
// the incidents that it ever decided to tell of, and what the outbox says of
// each.
func decidedToTell(t *testing.T, dir string, options daemon.Options) map[subconscious.IncidentID]notify.Delivery {
	t.Helper()
	d, err := daemon.New(options)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, d: d, state: filepath.Join(dir, "state"), log: &syncBuffer{}}
	w.until("all is sent", func() bool {
		waiting, err := d.Outbox().Waiting(context.Background())
		return err == nil && waiting == 0
	})
	told := map[subconscious.IncidentID]notify.Delivery{}
	w.query("SELECT person FROM mind_decisions WHERE verdict = 'tell'", func(scan func(...any) error) error {
		var id subconscious.IncidentID
		err := scan(&id)
		told[id] = notify.Delivery{}
		return err
	})
	for id := range told {
		deliveries, err := d.Outbox().Deliveries(context.Background(), id)
		if err != nil || len(deliveries) == 0 {
			t.Errorf("%s has no delivery: %v", id, err)
			continue
		}
		told[id] = deliveries[len(deliveries)-1]
	}
	if err := d.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	return told
}
