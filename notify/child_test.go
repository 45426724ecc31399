package notify_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/internal/wake"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/store"
)

// lifetimes is how many processes a test kills.
func lifetimes() int {
	if testing.Short() {
		return min(*lives, 12)
	}
	return *lives
}

// lives is how many processes are killed: 500 is the full form.
var lives = flag.Int("lives", 60, "how many processes the crash tests kill")

// childTables has what answers did, beside the outbox.
var childTables = store.Migration{Package: "test", Version: 1, SQL: "CREATE TABLE replies (delivery TEXT NOT NULL)"}

func childDatabase(ctx context.Context, dir string) (*store.DB, error) {
	return store.Open(ctx, store.Options{Path: filepath.Join(dir, "mind.db")}, append(notify.Migrations(), childTables)...)
}

// runChild is what the test program does when a test has started it again.
func runChild(dir string) int {
	if err := childDeliver(context.Background(), dir); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// paper is a phone: what arrived stands in a file, on disk, before the
// channel says that it took it.
type paper struct {
	file   *os.File
	tokens chan string
}

func (p paper) Send(_ context.Context, m notify.Message) (notify.Receipt, error) {
	if _, err := fmt.Fprintf(p.file, "%s %t %t\n", m.Sequence, m.Repeated, strings.HasSuffix(m.Title, "(possibly repeated)")); err != nil {
		return notify.Receipt{}, err
	}
	p.tokens <- m.Buttons[0].Token
	return notify.Receipt{ID: m.Sequence}, nil
}

// reread is a phone that can be asked what arrived.
type reread struct{ paper }

func (r reread) Arrived(_ context.Context, m notify.Message, _ time.Time) (bool, error) {
	content, err := os.ReadFile(r.file.Name())
	return strings.Contains("\n"+string(content), "\n"+m.Sequence+" "), err
}

// verifies has the channels of a child asked what arrived.
const verifies = "NOTIFY_TEST_VERIFIES=1"

// childDeliver delivers what is there over two channels, says so, and then
// posts and delivers more until it has done its part or is killed.
func childDeliver(ctx context.Context, dir string) error {
	db, err := childDatabase(ctx, dir)
	if err != nil {
		return err
	}
	arrived, err := os.OpenFile(filepath.Join(dir, "arrived"), os.O_CREATE|os.O_WRONLY|os.O_APPEND|os.O_SYNC, 0o600)
	if err != nil {
		return err
	}
	posted, err := os.OpenFile(filepath.Join(dir, "posted"), os.O_CREATE|os.O_WRONLY|os.O_APPEND|os.O_SYNC, 0o600)
	if err != nil {
		return err
	}
	tokens := make(chan string, 1024)
	var phone notify.Notifier = paper{arrived, tokens}
	if os.Getenv("NOTIFY_TEST_VERIFIES") != "" {
		phone = reread{paper{arrived, tokens}}
	}
	o, err := notify.NewOutbox(ctx, notify.Options{DB: db, Channels: []notify.Channel{channel("phone", phone), channel("screen", phone)},
		Lateness: time.Nanosecond, // what is in a file is there at once
		Answered: func(ctx context.Context, tx *store.Tx, r notify.Reply) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO replies VALUES (?)", fmt.Sprint(r.Incident, " ", r.Channel))
			return err
		}})
	if err != nil {
		return err
	}
	storm := os.Getenv("NOTIFY_TEST_STORM") != ""
	if storm {
		arm()
	}
	if err := o.Start(ctx); err != nil {
		return err
	}
	if err := drain(ctx, o); err != nil {
		return err
	}
	fmt.Println("drained")
	if !storm {
		arm()
	}
	if os.Getenv("NOTIFY_TEST_LAST") == "" {
		if err := childPost(ctx, o, db, posted, tokens); err != nil {
			return err
		}
	}
	return errors.Join(drain(ctx, o), o.Stop(ctx), db.Close())
}

func childPost(ctx context.Context, o *notify.Outbox, db *store.DB, posted *os.File, tokens chan string) error {
	life := rand.Uint64()
	for n := range 12 {
		p := incident(fmt.Sprintf("%x-%d", life, n))
		p.Urgent = n%3 > 0
		if err := db.Write(ctx, func(tx *store.Tx) error { return o.Post(ctx, tx, p) }); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(posted, p.Key); err != nil {
			return err
		}
		o.Wake()
		fmt.Println("posted", p.Key)
		for len(tokens) > 0 {
			if err := o.Take(ctx, <-tokens); err != nil && !errors.Is(err, notify.ErrToken) {
				return err
			}
			fmt.Println("answered")
		}
	}
	return nil
}

// drain waits until nothing waits.
func drain(ctx context.Context, o *notify.Outbox) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		u, err := o.Undelivered(ctx, time.Now())
		if err != nil || u.Waiting == 0 {
			return err
		}
		if wake.Pause(ctx, 5*time.Millisecond); ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func child(dir string, env ...string) *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(append(os.Environ(), "NOTIFY_TEST_CHILD="+dir), env...)
	return command
}

// tally is what became of all messages after all lives.
type tally struct{ messages, repeated, unknown, lost, answered int }

// reckon lets a last life deliver what is left, and compares what was posted,
// what the outbox says, and what arrived. Where the channels could be asked all
// arrived, once.
func reckon(t *testing.T, dir string, env ...string) (sum tally) {
	t.Helper()
	asked := slices.Contains(env, verifies)
	if out, err := child(dir, append(env, "NOTIFY_TEST_LAST=1")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	arrived := map[string][]string{}
	for _, line := range lines(t, filepath.Join(dir, "arrived")) {
		sequence, marks, _ := strings.Cut(line, " ")
		arrived[sequence] = append(arrived[sequence], marks)
	}
	db, err := childDatabase(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	keys := map[string]int{}
	type message struct {
		key, sequence, state string
		urgent, repeated     bool
		attempts             int
	}
	var list []message
	if err := db.Read(t.Context(), func(tx *store.Tx) error {
		rows, err := tx.QueryContext(t.Context(), "SELECT key, sequence, state, urgent, repeated, attempts FROM notify_outbox")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var m message
			if err := rows.Scan(&m.key, &m.sequence, &m.state, &m.urgent, &m.repeated, &m.attempts); err != nil {
				return err
			}
			list = append(list, m)
		}
		var replies int
		if err := rows.Err(); err != nil {
			return err
		}
		if err := tx.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM notify_answers), (SELECT count(*) FROM replies)").Scan(&sum.answered, &replies); err != nil {
			return err
		}
		if replies != sum.answered {
			t.Errorf("%d tokens were used, and %d answers had an effect", sum.answered, replies)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		keys[m.key]++
		sum.messages++
		came := arrived[m.sequence]
		delete(arrived, m.sequence)
		most := 1
		if m.urgent && !asked {
			most = 2
		}
		if asked && (m.state != "sent" || m.repeated) {
			t.Errorf("%+v, and its channel could be asked", m)
		}
		if len(came) > most || len(came) == 2 && (came[0] != "false false" || came[1] != "true true") || !m.urgent && m.repeated {
			t.Errorf("%+v arrived as %q", m, came)
		}
		if m.state != "sent" && m.state != "unknown" || m.state == "sent" && len(came) == 0 {
			t.Errorf("%+v arrived as %q", m, came)
		}
		if len(came) == 2 {
			sum.repeated++
		}
		if m.state == "unknown" {
			sum.unknown++
		}
		if m.urgent && len(came) == 0 {
			sum.lost++
			if asked || m.attempts != 2 {
				t.Errorf("lost: %+v", m)
			}
		}
	}
	for _, key := range lines(t, filepath.Join(dir, "posted")) {
		if keys[key] != 2 {
			t.Errorf("%s was posted, and %d deliveries are there", key, keys[key])
		}
	}
	if len(arrived) > 0 {
		t.Errorf("these arrived and were never posted: %v", arrived)
	}
	return sum
}

func lines(t *testing.T, path string) (list []string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		list = append(list, strings.TrimSpace(line))
	}
	return list
}

// However often the process is killed, after what an earlier life left was
// delivered, no urgent message is lost, and one arrives twice at most, marked.
// Where the channels can be asked, nothing is lost and nothing comes twice.
func TestKilledAtAnyMoment(t *testing.T) {
	for name, env := range map[string][]string{"asked": {verifies}, "not asked": nil} {
		t.Run(name, func(t *testing.T) { killedAtAnyMoment(t, env) })
	}
}

func killedAtAnyMoment(t *testing.T, env []string) {
	dir := t.TempDir()
	count := max(lifetimes()/3, 1)
	for range count {
		command := child(dir, env...)
		scanner := testutil.Started(t, command)
		for scanner.Scan() && scanner.Text() != "drained" {
		}
		for left := rand.IntN(20); left > 0 && scanner.Scan(); left-- {
		}
		if err := command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		// What is left in the pipe: the error says that it was killed.
		for scanner.Scan() {
		}
		if err := command.Wait(); err != nil && err.Error() != "signal: killed" {
			t.Fatal(err)
		}
	}
	sum := reckon(t, dir, env...)
	t.Logf("%d lives: %+v", count, sum)
	if sum.lost > 0 || sum.messages == 0 && !testing.Short() {
		t.Errorf("%+v", sum)
	}
}
