package daemon_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// reloading is a mind whose configuration is a file.
type reloading struct {
	*world
	path   string
	source *daemon.Source
}

// reloads writes the configuration of the world as the file says it, and starts
// the mind of it.
func (w *world) reloads(text string) *reloading {
	w.t.Helper()
	r := &reloading{world: w, path: filepath.Join(w.dir, "config.yaml")}
	save(w.t, r.path, text)
	given := w.options
	r.source = daemon.NewSource(&daemon.Source{Path: r.path, StateDir: w.state, Log: io.Discard, Env: os.LookupEnv}, func(o *daemon.Options) {
		config, source := o.Config, o.Source
		*o = given
		o.Config, o.Source = config, source
	})
	options, err := r.source.Load()
	if err != nil {
		w.t.Fatal(err)
	}
	w.options = options
	w.begin()
	return r
}

// become lets the world go on with the mind that was started in place of its own.
func (r *reloading) become(d *daemon.Daemon, err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	if d == r.d {
		return
	}
	r.d = d
	r.watches()
}

// Reloads under load, half of them of files that are broken or cut short:
// nothing is new, lost, or there twice, and who asks is always answered.
func TestReloads(t *testing.T) {
	times := 100
	if testing.Short() {
		times = 15
	}
	w := newWorld(t)
	phone := phoned(w)
	w.options.NoSocket = false
	full := fmt.Sprintf(`timezone: Europe/Berlin
quiet_hours: {from: "00:00", to: "00:00"}
senses:
  files:
    - id: work
      path: %s
      trust: owner
  notes:
    - id: notes
      path: %s
      trust: owner
    - id: more
      path: %s
  calendar:
    - id: home
      ics: %s
`, w.files, w.notes, w.files, w.ics)
	r := w.reloads(full)
	r.tick()
	r.disk.fails("backup.service")
	r.tick()

	ctx, end := context.WithCancel(context.Background())
	var load sync.WaitGroup
	load.Go(func() {
		asking := client.New(filepath.Join(r.state, "socket"))
		defer asking.Close()
		for ctx.Err() == nil {
			_, err := client.Ask(ctx, asking, api.GetStatus, api.Nothing{})
			if problem, ok := errors.AsType[*api.Problem](err); err != nil && ctx.Err() == nil && !(ok && problem.Code == api.CodeUnavailable) {
				t.Errorf("who asks meanwhile hears: %v", err)
				return
			}
		}
	})
	random := rand.New(rand.NewPCG(1, 2))
	reloaded, refused := 0, 0
	r.become(r.source.Reload(ctx, r.d))
	files := openFiles(t)
	for i := range times {
		text := full
		switch random.IntN(4) {
		case 0:
			lines := strings.SplitAfter(full, "\n")
			text = strings.Join(lines[:random.IntN(len(lines))], "")
		case 1:
			text = full + "no such key: 1\n"
		case 2:
			text = strings.Replace(full, "timezone", fmt.Sprintf("schedule: '*/%d * * * *'\ntimezone", 2+random.IntN(20)), 1)
		}
		save(t, r.path, text)
		save(t, filepath.Join(r.notes, fmt.Sprintf("note-%d.md", i)), fmt.Sprintf("- [ ] write to person%d\n", i))
		before := r.d
		r.become(r.source.Reload(ctx, r.d))
		if r.d == before {
			refused++
		} else {
			reloaded++
		}
		if random.IntN(2) == 0 {
			r.tickAs(subconscious.Early)
		}
	}
	save(t, r.path, full)
	r.become(r.source.Reload(ctx, r.d))
	r.tick()
	r.tick()
	end()
	load.Wait()
	if reloaded < times/3 || refused < times/8 {
		t.Errorf("%d were taken up, %d refused", reloaded, refused)
	}
	if now := openFiles(t); now > files+10 { // some are of who asks
		t.Errorf("there were %d open files, and are %d", files, now)
	}
	appeared, created := map[int]int{}, 0
	r.query(`SELECT observation FROM ledger_changes WHERE ref LIKE 'notes:%'`, func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		_, name, _ := strings.Cut(text, "person")
		n := -1
		_, _ = fmt.Sscanf(name, "%d", &n) // what names none is none of the changes below
		switch {
		case strings.Contains(text, `"Note created: `):
			created++
		case strings.Contains(text, `"change":"appeared"`):
			appeared[n]++
		default:
			t.Errorf("there is a change %s", text)
		}
		return err
	})
	if created != times {
		t.Errorf("%d notes were created, and %d were told of", times, created)
	}
	for i := range times {
		if n := appeared[i]; n != 1 {
			t.Errorf("the promise to person%d appeared %d times", i, n)
		}
	}
	if all := r.pushes(phone); len(all) != 1 || !strings.Contains(all[0], "backup") {
		t.Errorf("pushed: %q", all)
	}
}

// What runs ends under the configuration under which it began, and the other one
// waits for it, which is said.
func TestReloadWaitsForActions(t *testing.T) {
	w, phone, _ := acting(t, "echo begun >&3; exec 3>&-; while ! [ -e go ]; do sleep 0.02; done; echo done")
	given := w.options
	path := filepath.Join(w.dir, "config.yaml")
	save(t, path, "quiet_hours: {from: '00:00', to: '00:00'}\n")
	source := daemon.NewSource(&daemon.Source{Path: path, StateDir: w.state, Log: io.Discard, Env: os.LookupEnv}, func(o *daemon.Options) {
		config, source := o.Config, o.Source
		*o = given
		o.Config, o.Source = config, source
	})
	r := &reloading{world: w, path: path, source: source}
	before := r.d
	r.become(source.Reload(t.Context(), r.d))
	if waits := source.Status().Waits; r.d != before || len(waits) != 1 || waits[0] != "the action write-down" {
		t.Fatalf("it waits for %q", waits)
	}
	save(t, filepath.Join(w.dir, "go"), "")
	r.until("the other configuration is taken up", func() bool {
		r.become(source.Advance(t.Context(), r.d))
		return r.d != before
	})
	if got := fmt.Sprint(r.runs()); got != "[succeeded]" || len(source.Status().Waits) != 0 {
		t.Errorf("it %s; waits: %q", got, source.Status().Waits)
	}
	r.concluded()
	if n := tellings(phone, "nobody knows"); n != 0 || len(r.interruptions()) != 0 {
		t.Errorf("told: %s", texts(phone))
	}
	if touched, ok := r.notice("configuration_touched"); !ok || !strings.Contains(touched.Text, "actions/write-down") || strings.Contains(touched.Text, "pen") {
		t.Errorf("the notice is %+v", touched)
	}
	r.clock.advance(8 * 24 * time.Hour)
	r.tick()
	if _, there := r.notice("configuration_touched"); there {
		t.Error("the notice is there a week later")
	}
}

// What is guarded is told of when it was changed while the daemon was down, once, as
// when it reloads.
func TestTouchedWhileDown(t *testing.T) {
	r := newWorld(t).reloads("timezone: Europe/Berlin\n")
	for _, step := range []struct {
		name, text string
		reload     bool
		told       []string // in all, of each what it names
	}{
		{"as it was", "timezone: Europe/Berlin\n", false, nil},
		{"what only shows", "timezone: Europe/Paris\n", false, nil},
		{"at a reload", "escalation: {strangers: digest}\n", true, []string{"escalation/strangers"}},
		{"a start after it", "escalation: {strangers: digest}\n", false, []string{"escalation/strangers"}},
		{"while it was down", "escalation: {strangers: digest}\nbudget: {notices_per_day: 0}\n", false, []string{"escalation/strangers", "budget/notices_per_day"}},
		{"a reload after it", "escalation: {strangers: digest}\nbudget: {notices_per_day: 0}\n", true, []string{"escalation/strangers", "budget/notices_per_day"}},
		{"as by default again", "", false, []string{"escalation/strangers", "budget/notices_per_day", "budget/notices_per_day, escalation/strangers"}},
	} {
		save(t, r.path, cmp.Or(step.text, "timezone: Europe/Berlin\n"))
		if step.reload {
			r.become(r.source.Reload(t.Context(), r.d))
		} else {
			options, err := r.source.Load()
			if err != nil {
				t.Fatal(err)
			}
			r.options = options
			r.restart()
		}
		r.clock.advance(time.Minute)
		var told []string
		for _, n := range r.status().Notices {
			if _, named, ok := strings.Cut(n.Text, "from outside: "); ok {
				told = append(told, named)
			}
		}
		if !slices.Equal(told, step.told) {
			t.Errorf("%s: told %q, want %q", step.name, told, step.told)
		}
	}
}

// A configuration of which no mind can be started, though one can be composed, is
// refused, and the mind of the last one goes on.
func TestReloadFallsBack(t *testing.T) {
	w := newWorld(t)
	w.options.NoSocket = false
	opened, failing := 0, 0
	w.options.Senses = func(senses.RowReader) ([]senses.Sense, error) {
		if opened++; opened == failing {
			return nil, errors.New("the sense does not open")
		}
		return nil, nil
	}
	r := w.reloads("timezone: Europe/Berlin\n")
	r.tick()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	taken := listener.Addr().String()
	save(t, r.path, fmt.Sprintf("timezone: Europe/Berlin\napi: {listen: %q}\n", taken))
	before := r.d
	r.become(r.source.Reload(t.Context(), r.d))
	if status := r.status(); r.d != before || !strings.Contains(status.Configuration.Refused, taken) {
		t.Errorf("a port that is taken is seen before: %q", status.Configuration.Refused)
	}
	failing = opened + 2 // not in the rehearsal, and then
	save(t, r.path, "timezone: Europe/Berlin\nschedule: '*/9 * * * *'\n")
	r.become(r.source.Reload(t.Context(), r.d))
	if status := r.status(); r.d == before || !strings.Contains(status.Configuration.Refused, "the sense does not open") || status.Tick.Schedule == "*/9 * * * *" {
		t.Errorf("refused: %q", status.Configuration.Refused)
	}
	if report := r.tick(); report.Tick != 2 {
		t.Errorf("tick %d", report.Tick)
	}
	save(t, r.path, "timezone: Europe/Berlin\nschedule: '*/7 * * * *'\n")
	r.become(r.source.Reload(t.Context(), r.d))
	if status := r.status(); status.Configuration.Refused != "" || status.Tick.Schedule != "*/7 * * * *" {
		t.Errorf("%+v", status.Configuration)
	}
	save(t, r.path, "")
	before = r.d
	r.become(r.source.Reload(t.Context(), r.d))
	if status := r.status(); r.d != before || !strings.Contains(status.Configuration.Refused, "is empty") {
		t.Errorf("an empty file: %+v", status.Configuration)
	}
}

// A file is read when it has been still between two looks, and once.
func TestReloadAwaitsStillness(t *testing.T) {
	w := newWorld(t)
	r := w.reloads("timezone: Europe/Berlin\n")
	write := func(text string) func() {
		return func() { save(t, r.path, text) }
	}
	gone := func() {
		if err := os.Remove(r.path); err != nil {
			t.Fatal(err)
		}
	}
	nothing := func() {}
	for i, look := range []struct {
		before func()
		due    bool
	}{
		{nothing, false}, {nothing, false},
		{write("timezone: Europe/"), false}, {write("timezone: Europe/Par"), false}, {write("timezone: Europe/Paris\n"), false},
		{nothing, true}, {nothing, false},
		{gone, false}, {nothing, true}, {nothing, false},
		{write("timezone: Europe/Rome\n"), false}, {nothing, true}, {nothing, false},
	} {
		look.before()
		due := r.source.Due()
		if due != look.due {
			t.Errorf("at the look %d it is due: %t", i, due)
		}
		if due {
			r.become(r.source.Reload(t.Context(), r.d))
		}
	}
	if c := r.status().Configuration; c.Refused != "" {
		t.Errorf("%+v", c)
	}
}

// openFiles is how many files, sockets and watches the process has open.
func openFiles(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}
