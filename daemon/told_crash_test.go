//go:build failpoints

package daemon_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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

// TestCrashNothingUrgentIsLost kills the daemon between any two steps from the
// decision to the receipt, and at random. Whatever was decided to be told
// arrives; what arrives twice does so once more, and says so.
//
// SUBCONSCIOUS_CRASHES says how often it is killed.
func TestCrashNothingUrgentIsLost(t *testing.T) {
	lives := 45
	if text := os.Getenv("SUBCONSCIOUS_CRASHES"); text != "" {
		var err error
		if lives, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
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
			point := onTheWay[(life/3*2+life%3)%len(onTheWay)]
			env = append(env, "SUBCONSCIOUS_FAILPOINTS="+point+"=kill@0.2", fmt.Sprintf("SUBCONSCIOUS_FAILPOINTS_SEED=%d", life+1))
		}
		env = append(env, fmt.Sprintf("%s=%d", childLife, life))
		dies(t, dir, time.Duration(random.IntN(120))*time.Millisecond, env...)
	}
	t.Setenv(childLife, strconv.Itoa(lives))
	told := decidedToTell(t, dir)
	arrived := readBook(t, filepath.Join(dir, "book"))
	lost, twice := 0, 0
	for id := range told {
		messages := arrived[id]
		switch {
		case len(messages) == 0:
			lost++
			t.Errorf("%s was to be told and never arrived", id)
		case len(messages) > 2, len(messages) == 2 && !messages[1].Repeated:
			t.Errorf("%s arrived %d times: %+v", id, len(messages), messages)
		case len(messages) == 2:
			twice++
		}
	}
	for id := range arrived {
		if !told[id] {
			t.Errorf("%s arrived, and nobody decided so", id)
		}
	}
	t.Logf("%d lives; %d incidents were to be told, %d lost, %d repeated and marked", lives, len(told), lost, twice)
	if len(told) < lives/3 {
		t.Errorf("only %d incidents in %d lives", len(told), lives)
	}
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
// the incidents that it ever decided to tell of.
func decidedToTell(t *testing.T, dir string) map[subconscious.IncidentID]bool {
	t.Helper()
	d, err := daemon.New(tellingOptions(dir))
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
	told := map[subconscious.IncidentID]bool{}
	w.query("SELECT person FROM mind_decisions WHERE verdict = 'tell'", func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		told[subconscious.IncidentID(id)] = true
		return err
	})
	if err := d.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	return told
}

func readBook(t *testing.T, path string) map[subconscious.IncidentID][]notify.Message {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	arrived := map[subconscious.IncidentID][]notify.Message{}
	for line := range bytes.Lines(data) {
		var m notify.Message
		if err := json.Unmarshal(line, &m); err != nil {
			continue // it was killed while it wrote: the line was not there whole
		}
		arrived[m.Incident] = append(arrived[m.Incident], m)
	}
	return arrived
}
