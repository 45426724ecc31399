package source_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
	"github.com/subconsciousd/subconsciousd/senses/source"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// checks are the kinds of a source of the machine's word.
func checks(id string) source.Config {
	return source.Config{ID: id, Trust: subconscious.Machine, Kinds: []source.Kind{
		{ID: "failed", Severity: "warning"}, {ID: "parcel", Stands: time.Hour, Due: true},
	}}
}

// clock goes on by ten minutes whenever it is read.
func clock() func() time.Time {
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	return func() time.Time { at = at.Add(10 * time.Minute); return at }
}

func open(t testing.TB, c source.ExecConfig) *source.Exec {
	t.Helper()
	s, err := source.NewExec(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestExecConforms: a command that prints all that stands, and one that prints what
// happened lately.
func TestExecConforms(t *testing.T) {
	for name, complete := range map[string]bool{"complete": true, "momentary": false} {
		t.Run(name, func(t *testing.T) {
			file, lines := filepath.Join(t.TempDir(), "lines"), map[int]string{}
			write := func(t testing.TB) {
				t.Helper()
				text := strings.Join(slices.Sorted(maps.Values(lines)), "")
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(t)
			set := func(state string) func(testing.TB, int) {
				return func(t testing.TB, n int) {
					lines[n] = fmt.Sprintf(`{"id":"job %d","kind":"failed","title":"Job %d failed","state":%q}`+"\n", n, n, state)
					write(t)
				}
			}
			rename := func(from, to string) func(testing.TB) {
				return func(t testing.TB) {
					if err := os.Rename(from, to); err != nil {
						t.Fatal(err)
					}
				}
			}
			sensetest.Run(t, sensetest.Harness{
				Open: func(t testing.TB) senses.Sense {
					return open(t, source.ExecConfig{Config: checks("jobs"), Command: []string{"cat", file}, Complete: complete})
				},
				Add: set("once"), Change: set("twice"), Remove: func(t testing.TB, n int) {
					if delete(lines, n); !complete { // what happens to it last
						set("never")(t, n)
					}
					write(t)
				},
				Momentary: !complete, Break: rename(file, file+".away"), Mend: rename(file+".away", file), Now: clock(), Collects: 100,
			})
		})
	}
}

// TestCompleteLeavesNoGhosts: what a complete command prints no more is gone, however
// much else it prints.
func TestCompleteLeavesNoGhosts(t *testing.T) {
	file, now, stands := filepath.Join(t.TempDir(), "lines"), clock(), map[string]bool{}
	config := checks("jobs")
	config.PerHour = 3600
	s := open(t, source.ExecConfig{Config: config, Command: []string{"cat", file}, Complete: true})
	var cursor []byte
	for run := range 2 {
		var lines strings.Builder
		for n := range 900 {
			fmt.Fprintf(&lines, `{"id":"job %d %d","kind":"failed","title":"Job %d failed"}`+"\n", run, n, n)
		}
		testutil.Write(t, file, []byte(lines.String()))
		batch, err := s.Collect(t.Context(), now(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range batch.Sets {
			if delete(stands, set.Scope); len(set.Items) > 0 {
				stands[set.Scope] = true
			}
		}
		cursor = batch.Cursor
	}
	if len(stands) != 900 || !stands["job 1 0"] {
		t.Errorf("%d stand", len(stands))
	}
}

// script is a program of so many lines of shell.
func script(t testing.TB, lines string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	testutil.Program(t, path, lines)
	return []string{path}
}

const good = `echo '{"id":"a","kind":"failed","title":"A failed"}'`

// TestExecGoesWrong: what was printed well counts however a command ends, and
// health says what is wrong, where, and what to do.
func TestExecGoesWrong(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	for name, c := range map[string]struct {
		lines string
		good  int
		says  []string
	}{
		"well":       {good, 1, nil},
		"nothing":    {"exit 0", 0, nil},
		"dies":       {good + "\necho no disk >&2; exit 3", 1, []string{"exit code 3", "no disk", "run it by hand"}},
		"dies alone": {"exit 4", 0, []string{"exit code 4"}},
		"is killed":  {good + "\nkill -9 $$", 1, []string{"killed"}},
		"garbage":    {good + "\necho hello; echo more", 1, []string{"line 2", "no JSON object", "1 more lines"}},
		"floods":     {good + "\nexec yes '{\"id\":\"b\",\"kind\":\"failed\",\"title\":\"B failed\"}'", 2, []string{"printed more than", "1000 lines are not read"}},
		"too much":   {`for n in $(seq 70); do echo "{\"kind\":\"failed\",\"title\":\"Failed $n\"}"; done`, 60, []string{"10 reports", "60 new ones", "raise per_hour"}},
		"one line":   {"exec tr '\\0' x </dev/zero", 0, []string{"printed more than"}},
		"hangs":      {good + "\nsleep 300", 1, []string{"ran longer than 1s", "raise timeout"}},
		"forks":      {good + "\n(trap '' TERM HUP; echo $$ >>" + pids + "; exec sleep 300) & echo $! >>" + pids + "; sleep 300", 1, []string{"ran longer than 1s"}},
		"leaves":     {good + "\nsleep 300 & echo $! >>" + pids, 1, nil},
		"trust":      {`echo '{"id":"a","kind":"failed","title":"A","trust":"owner"}'`, 0, []string{`unknown field "trust"`}},
		"severity":   {`echo '{"id":"a","kind":"failed","title":"A","severity":3}'`, 0, []string{`unknown field "severity"`}},
		"kind":       {`echo '{"id":"a","kind":"unit","title":"A"}'`, 0, []string{`"unit" is none`}},
		"due":        {`echo '{"id":"a","kind":"failed","title":"A","due":"2026-11-24T10:00:00Z"}'`, 0, []string{"not declared to be due"}},
		"input":      {"read line && exit 9\n" + good, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, source.ExecConfig{Config: checks("jobs"), Command: script(t, c.lines), Timeout: time.Second})
			batch, err := s.Collect(t.Context(), time.Now(), nil)
			said := batch.Degraded
			if err != nil {
				said = err.Error()
			}
			if (said == "") != (c.says == nil) || c.good != len(batch.Changes) {
				t.Errorf("%d changes, and %q", len(batch.Changes), said)
			}
			for _, words := range c.says {
				if !strings.Contains(said, words) {
					t.Errorf("%q does not say %q", said, words)
				}
			}
		})
	}
	t.Cleanup(func() { // when all of them have ended
		text, err := os.ReadFile(pids)
		if err != nil || len(strings.Fields(string(text))) < 3 {
			t.Fatalf("%q, %v", text, err)
		}
		for _, pid := range strings.Fields(string(text)) {
			ended(t, pid)
		}
	})
}

// ended waits until a process is no more, or only waits to be buried.
func ended(t testing.TB, text string) {
	t.Helper()
	pid, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	for range 200_000 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if syscall.Kill(pid, 0) != nil || err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	t.Errorf("process %d lives on", pid)
}

// TestExecIsEndedWithTheDaemon: a collect that is cancelled leaves no process.
func TestExecIsEndedWithTheDaemon(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	s := open(t, source.ExecConfig{Config: checks("jobs"), Command: script(t, "sleep 300 & echo $! >"+pids+".new; mv "+pids+".new "+pids+"; wait")})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for {
			if _, err := os.Stat(pids); err == nil || ctx.Err() != nil {
				return
			}
		}
	}()
	if _, err := s.Collect(ctx, time.Now(), nil); err == nil {
		t.Error("a collect that was cancelled gave an answer")
	}
	pid, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	ended(t, strings.TrimSpace(string(pid)))
}

// TestExecKeepsToItself: whatever a command prints, what it reports is its own,
// and of the trust that is configured.
func TestExecKeepsToItself(t *testing.T) {
	t.Setenv("SECRET_KEY", "hidden")
	t.Setenv("WANTED", "seen")
	line := `printf '{"id":"%s","kind":"failed","title":"%s %s"}\n' "$1" "$SECRET_KEY" "$WANTED"`
	for _, id := range []string{"disk:/", "../notes/x", "exec:other/a", "calendar:uid"} {
		c := checks("jobs")
		c.Trust = subconscious.Outsider
		c.Kinds[0].Severity, c.Kinds[1].Due = "notable", false
		s := open(t, source.ExecConfig{Config: c, Command: append(script(t, line), id), Env: []string{"WANTED"}})
		batch, err := s.Collect(t.Context(), time.Now(), nil)
		if err != nil || len(batch.Changes) != 1 {
			t.Fatalf("%+v, %v", batch, err)
		}
		o := batch.Changes[0]
		if o.ID != "jobs/"+id || o.Kind != "jobs.failed" || o.Trust != subconscious.Outsider || o.Title != " seen" || len(o.Links) > 0 || o.Attrs["thread"] != "" {
			t.Errorf("%+v", o)
		}
	}
}

// TestExecRunsWhenItIsTime: between its runs nothing is said anew but what was
// wrong, and nothing that was reported is told twice. A tick may be seconds early, and
// none before its time makes the next run earlier.
func TestExecRunsWhenItIsTime(t *testing.T) {
	s := open(t, source.ExecConfig{Config: checks("jobs"), Command: script(t, good+"\nexit 1"), Every: time.Hour})
	at := time.Now()
	first, err := s.Collect(t.Context(), at, nil)
	if err != nil || len(first.Changes) != 1 || first.Degraded == "" {
		t.Fatalf("%+v, %v", first, err)
	}
	soon, err := s.Collect(t.Context(), at.Add(58*time.Minute), first.Cursor)
	if err != nil || soon.Cursor != nil || soon.Degraded != first.Degraded {
		t.Errorf("%+v, %v", soon, err)
	}
	later, err := s.Collect(t.Context(), at.Add(time.Hour-10*time.Second), first.Cursor)
	if err != nil || later.Cursor == nil || len(later.Changes) > 0 || !json.Valid(later.Cursor) {
		t.Errorf("%+v, %v", later, err)
	}
}

// TestConfig: what cannot be meant is said with its key and what to do.
func TestConfig(t *testing.T) {
	for want, change := range map[string]func(*source.ExecConfig){
		"":                           func(*source.ExecConfig) {},
		"command: is empty":          func(c *source.ExecConfig) { c.Command = nil },
		"command: sh -c is a shell":  func(c *source.ExecConfig) { c.Command = []string{"env", "/bin/sh", "-ec", "ls"} },
		"is no program":              func(c *source.ExecConfig) { c.Command = []string{"ls -l"} },
		"folder: \"/root/.ssh\"":     func(c *source.ExecConfig) { c.Folder = "/root/.ssh" },
		"timeout: is 1m0s":           func(c *source.ExecConfig) { c.Timeout = time.Minute },
		"every: is 1s":               func(c *source.ExecConfig) { c.Every = time.Second },
		"kinds: there is none":       func(c *source.ExecConfig) { c.Kinds = nil },
		"kinds[0].severity: \"warn":  func(c *source.ExecConfig) { c.Trust = "" },
		"kinds[1].due: when you":     func(c *source.ExecConfig) { c.Trust, c.Kinds[0].Severity = subconscious.Agent, "" },
		"kinds[1].due: what is due":  func(c *source.ExecConfig) { c.Kinds[1].Stands = 0 },
		"kinds[1].stands: is 9000h0": func(c *source.ExecConfig) { c.Kinds[1].Stands = 9000 * time.Hour },
		"per_hour: is 9999":          func(c *source.ExecConfig) { c.PerHour = 9999 },
	} {
		c := source.ExecConfig{Config: checks("jobs"), Command: []string{"/usr/bin/true"}}
		change(&c)
		if err := c.Validate(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	if _, err := source.NewExec(source.ExecConfig{Config: checks("jobs"), Command: []string{"true"}, Folder: "/var/mind/backups"}, []string{"/var/mind"}); err == nil {
		t.Error("a command may run in the folder of the mind")
	}
}

// TestCompleteOnlyWhereItEndedWell: what is not printed any more is gone, unless the
// command failed, or a line of it cannot be read.
func TestCompleteOnlyWhereItEndedWell(t *testing.T) {
	two := good + "\n" + strings.ReplaceAll(strings.ReplaceAll(good, `"a"`, `"b"`), "A failed", "B failed")
	at := time.Now()
	collect := func(lines string, cursor []byte) senses.Batch {
		s := open(t, source.ExecConfig{Config: checks("jobs"), Command: script(t, lines), Complete: true})
		at = at.Add(time.Hour)
		batch, err := s.Collect(t.Context(), at, cursor)
		if err != nil {
			t.Fatal(err)
		}
		return batch
	}
	first := collect(two, nil)
	for lines, gone := range map[string]bool{good: true, good + "\nexit 1": false, good + "\necho garbage": false} {
		var ended []string
		for _, set := range collect(lines, first.Cursor).Sets {
			if len(set.Items) == 0 {
				ended = append(ended, set.Scope)
			}
		}
		if slices.Equal(ended, []string{"b"}) != gone || len(ended) > 1 {
			t.Errorf("%q ends %q", lines, ended)
		}
	}
}
