//go:build failpoints

package daemon_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// onTheWay are the points from the decision to the receipt.
var onTheWay = []string{
	"tick.commit.before", "tick.commit.inside", "tick.commit.after", "notify.post", "notify.posted", "mind.commit",
	"store.commit", "store.committed", "publish.written", "publish.rename", "publish.renamed",
	"notify.claim", "notify.claimed", "notify.sent", "notify.stored",
}

// asking are those of a channel that is asked what arrived.
var asking = []string{"notify.verify", "notify.verified"}

// TestCrashNothingUrgentIsLost kills the daemon between any two steps from the
// decision to the receipt, and at random. Where its channel can be asked what
// arrived, a file or an ntfy server, whatever was decided to be told arrives,
// once. Where it cannot, what arrives twice does so once more and says so, and
// what is lost was interrupted twice.
//
// SUBCONSCIOUS_CRASHES says how often each is killed.
func TestCrashNothingUrgentIsLost(t *testing.T) {
	for name, test := range map[string]struct {
		lives  int
		points []string
	}{"asked": {45, append(asking, onTheWay...)}, "ntfy": {45, append(asking, onTheWay...)}, "not asked": {30, onTheWay}} {
		if text := os.Getenv("SUBCONSCIOUS_CRASHES"); text != "" {
			var err error
			if test.lives, err = strconv.Atoi(text); err != nil {
				t.Fatal(err)
			}
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := crashes{lives: test.lives, points: test.points, phone: map[string]string{"asked": anOpenBook, "not asked": closedBook}[name]}
			if name == "ntfy" {
				c.server = ntfytest.New(ntfytest.Options{})
				defer c.server.Close()
				c.phone = c.server.URL()
			}
			sum := c.run(t)
			switch {
			case name == "not asked" && sum.lost > 3+sum.told/10, name != "not asked" && sum.lost+sum.twice > 0:
				t.Errorf("%d told, %d lost, %d twice", sum.told, sum.lost, sum.twice)
			}
		})
	}
}

// crashes are many lives of a mind.
type crashes struct {
	lives  int
	points []string
	phone  string
	server *ntfytest.Server // nil: what arrived is in the book
}

// toll is what became of what was to be told.
type toll struct{ told, lost, twice int }

// run lets a mind live so often, and reckons.
func (c crashes) run(t *testing.T) (sum toll) {
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
	for life := range c.lives {
		var env []string
		if life%3 != 2 { // at a point on the way, one of the times that it is passed
			point := c.points[(life/3*2+life%3)%len(c.points)]
			env = append(env, "SUBCONSCIOUS_FAILPOINTS="+point+"=kill@0.2", fmt.Sprintf("SUBCONSCIOUS_FAILPOINTS_SEED=%d", life+1))
		}
		env = append(env, childPhone+"="+c.phone, fmt.Sprintf("%s=%d", childLife, life))
		dies(t, dir, time.Duration(random.IntN(120))*time.Millisecond, env...)
	}
	options, err := tellingOptions(dir, c.lives, c.phone)
	if err != nil {
		t.Fatal(err)
	}
	told := decidedToTell(t, dir, options)
	arrived := c.arrived(t, dir, told)
	sum.told = len(told)
	for id, delivery := range told {
		messages := arrived[id]
		switch {
		case len(messages) == 0:
			sum.lost++
			if c.phone != closedBook || delivery.State != notify.StateUnknown || delivery.Attempts != 2 || !delivery.Repeated {
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
			t.Errorf("%q arrived, and nobody decided so", id)
		}
	}
	t.Logf("%d lives; %d incidents were to be told, %d lost, %d repeated and marked", c.lives, sum.told, sum.lost, sum.twice)
	if sum.told < c.lives/3 {
		t.Errorf("only %d incidents in %d lives", sum.told, c.lives)
	}
	return sum
}

// arrived is what the person got, by what it was about.
func (c crashes) arrived(t *testing.T, dir string, told map[subconscious.IncidentID]notify.Delivery) map[subconscious.IncidentID][]notify.Message {
	t.Helper()
	all, err := book(filepath.Join(dir, "book")).read()
	if err != nil {
		t.Fatal(err)
	}
	if c.server != nil {
		const mark = " (possibly repeated)"
		titles := map[string]subconscious.IncidentID{}
		for id, d := range told {
			titles[d.Title] = id
		}
		for _, m := range c.server.Messages("alerts") {
			all = append(all, notify.Message{Incident: titles[strings.TrimSuffix(m.Title, mark)], Title: m.Title, Repeated: strings.HasSuffix(m.Title, mark)})
		}
	}
	arrived := map[subconscious.IncidentID][]notify.Message{}
	for _, m := range all {
		if m.Kind != notify.KindClear && !strings.HasPrefix(m.Title, "All clear") { // which says that it is over
			arrived[m.Incident] = append(arrived[m.Incident], m)
		}
	}
	return arrived
}

// dies runs a life of the daemon, and kills it that long after it has started if
// it is not dead by then.
func dies(t *testing.T, dir string, within time.Duration, env ...string) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(append(os.Environ(), "DAEMON_TEST_CHILD=tells", childDir+"="+dir), env...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	lines := testutil.Started(t, command)
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
	w := begun(t, dir, options)
	d := w.d
	w.until("all is sent", func() bool {
		undelivered, err := d.Outbox().Undelivered(context.Background(), time.Now())
		return err == nil && undelivered.Waiting == 0
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
		deliveries = slices.DeleteFunc(deliveries, func(d notify.Delivery) bool { return d.Kind == notify.KindClear })
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
