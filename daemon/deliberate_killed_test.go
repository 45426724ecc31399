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
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestKilledWhileItDeliberates kills the daemon at random while it deliberates.
func TestKilledWhileItDeliberates(t *testing.T) {
	t.Parallel()
	lives := 8
	if testing.Short() {
		lives = 4
	}
	m := newMortalDeliberation(t, 3)
	for range lives {
		m.lives(time.Duration(m.random.IntN(400)) * time.Millisecond)
	}
	m.reckons()
}

// mortalDeliberation is a mind that is killed while it deliberates, and a model
// that outlives it.
type mortalDeliberation struct {
	t      *testing.T
	dir    string
	server *modeltest.Server
	random *rand.Rand
	life   int
}

func newMortalDeliberation(t *testing.T, seed uint64) *mortalDeliberation {
	m := &mortalDeliberation{t: t, dir: t.TempDir(), server: lab(t, modeltest.Options{Script: manySided}), random: rand.New(rand.NewPCG(seed, 17))}
	for _, folder := range []string{"state", "files", "notes"} {
		if err := os.Mkdir(filepath.Join(m.dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := troubled(filepath.Join(m.dir, "units")).worse(); err != nil {
		t.Fatal(err)
	}
	return m
}

// lives is a life of the daemon, which ends that long after it has started if
// it is not dead by then. It reports whether it was.
func (m *mortalDeliberation) lives(within time.Duration, env ...string) (byItself bool) {
	m.t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(append(os.Environ(), "DAEMON_TEST_CHILD=deliberates", childDir+"="+m.dir, childModel+"="+m.server.BaseURL("openai"),
		fmt.Sprintf("%s=%d", childLife, m.life)), env...)
	m.life++
	var stderr bytes.Buffer
	command.Stderr = &stderr
	lines, death := testutil.Started(m.t, command), time.AfterFunc(time.Minute, func() {})
	for lines.Scan() {
		if lines.Text() != "started" {
			m.t.Errorf("it said %q", lines.Text())
		}
		death.Stop()
		death = time.AfterFunc(within, func() { _ = command.Process.Kill() })
	}
	if err := command.Wait(); err == nil {
		m.t.Fatalf("it ended by itself: %s", stderr.String())
	}
	return death.Stop()
}

// reckons lets the mind live once more, until nothing is open, and holds it to
// what must be so.
func (m *mortalDeliberation) reckons() {
	m.t.Helper()
	options, err := deliberatingOptions(m.dir, m.life, m.server.BaseURL("openai"))
	if err != nil {
		m.t.Fatal(err)
	}
	w := begun(m.t, m.dir, options)
	d := w.d
	w.until("nothing is open", func() bool {
		if _, err := d.TickAs(context.Background(), subconscious.Scheduled); err != nil {
			m.t.Fatal(err)
		}
		waiting := 0 // but for what tells at the end of a minute how many actions ran in it
		w.query("SELECT count(*) FROM notify_outbox WHERE state IN ('pending', 'sending') AND key NOT LIKE 'runs/%'", func(scan func(...any) error) error {
			return scan(&waiting)
		})
		pending, err := d.Mind().Pending(context.Background())
		return err == nil && waiting == 0 && len(pending) == 0 && len(w.status().Deliberating) == 0
	})
	w.intact()
	escalations := m.outcomes(w)
	m.tellings(w, escalations)
	m.deeds(w, escalations)
	if err := d.Stop(context.Background()); err != nil {
		m.t.Error(err)
	}
	m.money(w)
}

// outcomes holds the mind to one deliberation for each decision, each with one
// end, of which the mind heard once. It returns them by their ids.
func (m *mortalDeliberation) outcomes(w *world) map[string]deliberate.Record {
	m.t.Helper()
	told := map[string]bool{} // by tick and incident
	w.query("SELECT tick, person FROM mind_decisions WHERE verdict = 'tell'", func(scan func(...any) error) error {
		var tick int64
		var person string
		err := scan(&tick, &person)
		key := fmt.Sprint(tick, " ", person)
		if told[key] {
			m.t.Errorf("%s was decided on twice", key)
		}
		told[key] = true
		return err
	})
	persons := map[string]subconscious.IncidentID{}
	w.query("SELECT id, person FROM escalations", func(scan func(...any) error) error {
		var id, person string
		err := scan(&id, &person)
		persons[id] = subconscious.IncidentID(person)
		return err
	})
	heard := map[string]int{}
	w.query("SELECT json_extract(body, '$.outcome.deliberation') FROM mind_inputs WHERE json_extract(body, '$.outcome.deliberation') IS NOT NULL", func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		heard[id]++
		return err
	})
	escalations, kinds := map[string]deliberate.Record{}, map[subconscious.OutcomeKind]int{}
	byRule, resumed := 0, 0
	for id, person := range persons {
		all, err := w.d.Deliberations().Of(context.Background(), person)
		at := slices.IndexFunc(all, func(r deliberate.Record) bool { return r.ID == id })
		if err != nil || at < 0 {
			m.t.Fatalf("%s is not to be read: %v", id, err)
		}
		r := all[at]
		escalations[id] = r
		key := fmt.Sprint(r.Tick, " ", r.Person)
		if !told[key] {
			m.t.Errorf("%s (%s) was deliberated on, and was not to be told", id, key)
		}
		delete(told, key)
		ends := 0
		for _, s := range r.Steps {
			if s.Kind == deliberate.StepEnded {
				ends++
			}
		}
		if r.State != deliberate.Ended || r.Outcome == nil || ends != 1 || heard[id] != 1 {
			m.t.Errorf("%s is %s, ended %d times, of which the mind heard %d times", id, r.State, ends, heard[id])
			continue
		}
		kinds[r.Outcome.Kind]++
		if r.Fallback != "" {
			byRule++
		}
		if r.Resumed > 0 {
			resumed++
		}
	}
	reminded := 0 // of what was put off: told without a deliberation
	w.query("SELECT key FROM notify_outbox WHERE kind = 'incident' AND key NOT LIKE 'deliberation:%'", func(scan func(...any) error) error {
		var key string
		err := scan(&key)
		key = strings.Replace(key, "/", " ", 1)
		if !told[key] {
			m.t.Errorf("%s was told, and was not to be told, or was deliberated on as well", key)
		}
		delete(told, key)
		reminded++
		return err
	})
	if reminded > kinds[subconscious.OutcomeSnoozed] {
		m.t.Errorf("%d were told without a deliberation, and %d were put off", reminded, kinds[subconscious.OutcomeSnoozed])
	}
	for key := range told {
		m.t.Errorf("%s was to be told, and was not deliberated on", key)
	}
	m.t.Logf("%d lives, %d deliberations, %d of them resumed and %d told by rule: %v", m.life, len(escalations), resumed, byRule, kinds)
	if len(escalations) < m.life/3 {
		m.t.Errorf("only %d deliberations in %d lives", len(escalations), m.life)
	}
	return escalations
}

// tellings holds what the person got to what was to be told: each once, over a
// channel that can be asked, but for what was of no use any more by then.
func (m *mortalDeliberation) tellings(w *world, escalations map[string]deliberate.Record) {
	m.t.Helper()
	all, err := book(filepath.Join(m.dir, "book")).read()
	if err != nil {
		m.t.Fatal(err)
	}
	type words struct{ sequence, title, text string } // what is told of an incident again has the sequence of what it replaces
	arrived, sent := map[words]int{}, map[words]int{}
	for _, message := range all {
		arrived[words{message.Sequence, message.Title, message.Text}]++
	}
	told, late := map[string]bool{}, 0
	w.query("SELECT substr(key, 14), sequence, title, text, state FROM notify_outbox WHERE key LIKE 'deliberation:%'", func(scan func(...any) error) error {
		var id string
		var said words
		var state notify.State
		err := scan(&id, &said.sequence, &said.title, &said.text, &state)
		told[id] = true
		switch state {
		case notify.StateSent:
			sent[said]++
		case notify.StateExpired:
			sent[said] += 0
			late++
		default:
			m.t.Errorf("what %s told is %s", id, state)
		}
		return err
	})
	for said, n := range sent {
		if arrived[said] != n {
			m.t.Errorf("%q was sent %d times, and arrived %d times", said, n, arrived[said])
		}
	}
	for _, r := range escalations {
		if r.Outcome != nil && ((r.Told != nil) != r.Outcome.Kind.Tells() || told[r.ID] != (r.Told != nil)) {
			m.t.Errorf("%s came to %s, and told %+v", r.ID, r.Outcome.Kind, r.Told)
		}
	}
	m.t.Logf("%d tellings, %d of them too late", len(told), late)
	if late > m.life/6 {
		m.t.Errorf("%d of %d tellings were too late", late, len(told))
	}
}

// deeds holds what was done to what was decided: no action ran twice, and
// nothing was remembered or proposed twice.
func (m *mortalDeliberation) deeds(w *world, escalations map[string]deliberate.Record) {
	m.t.Helper()
	lines, err := acted(m.dir)
	if err != nil {
		m.t.Fatal(err)
	}
	runs, unknown := map[string]int{}, 0
	w.query("SELECT json_extract(arguments, '$.unit'), deliberation, state FROM actions_runs", func(scan func(...any) error) error {
		var unit, of, state string
		err := scan(&unit, &of, &state)
		runs[unit]++
		switch {
		case state == "unknown" || state == "failed":
			unknown++
		case state != "succeeded":
			m.t.Errorf("a run for %s is %s", unit, state)
		case lines[unit] == 0:
			m.t.Errorf("a run for %s succeeded, and did nothing", unit)
		}
		if r, ok := escalations[of]; !ok || r.Outcome == nil || r.Outcome.Kind != subconscious.OutcomeActed && r.Outcome.Kind != subconscious.OutcomeTold {
			m.t.Errorf("a run is of %q, which came to %+v", of, r.Outcome)
		}
		return err
	})
	for unit, n := range lines {
		if n > runs[unit] {
			m.t.Errorf("the program ran %d times for %s, and was to run %d times", n, unit, runs[unit])
		}
	}
	once := func(what, query string) (n int) {
		w.query(query, func(scan func(...any) error) error {
			var of string
			var times int
			err := scan(&of, &times)
			n += times
			if _, known := escalations[of]; times != 1 || !known {
				m.t.Errorf("%s: %d %s", of, times, what)
			}
			return err
		})
		return n
	}
	remembered, kept := 0, 0
	for _, r := range escalations {
		n := 0
		for _, s := range r.Steps {
			if s.Call != nil && s.Call.Name == string(escalate.EffectRemember) && !s.Call.Failed {
				n++
			}
		}
		if remembered += n; n > 1 {
			m.t.Errorf("%s remembered %d times", r.ID, n)
		}
	}
	w.query("SELECT count(*) FROM memory_keys", func(scan func(...any) error) error { return scan(&kept) })
	if kept != remembered {
		m.t.Errorf("%d memories were written, and %d were asked for", kept, remembered)
	}
	proposed := once("proposals", "SELECT deliberation, count(*) FROM actions_proposals GROUP BY deliberation")
	once("runs", "SELECT deliberation, count(*) FROM actions_runs GROUP BY deliberation")
	m.t.Logf("%d runs, %d of them interrupted; %d memories, %d proposals", len(runs), unknown, remembered, proposed)
	if m.life > 30 && (len(runs) == 0 || remembered == 0 || proposed == 0) {
		m.t.Error("something was never done at all")
	}
}

// money holds what is counted to what was charged: no less, and no more than a
// cap for each death.
func (m *mortalDeliberation) money(w *world) {
	m.t.Helper()
	var counted budget.Money
	w.query("SELECT day, role, money, tokens, calls FROM budget_days", func(scan func(...any) error) error {
		var day, role string
		var money budget.Money
		var tokens, calls int64
		err := scan(&day, &role, &money, &tokens, &calls)
		if money < 0 || tokens < 0 || calls < 0 {
			m.t.Errorf("on %s %s has used %s, %d tokens, %d calls", day, role, money, tokens, calls)
		}
		counted += money
		return err
	})
	charged := models.Rate{Price: labPrice}.Cost(m.server.Charged())
	m.t.Logf("charged %s, counted %s", charged, counted)
	if most := charged + budget.Money(m.life)*budget.Dollars(escalationCap); counted < charged || counted > most {
		m.t.Errorf("charged %s, counted %s, which may be %s", charged, counted, most)
	}
}
