package actions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// ended waits until a process is no more, or only waits to be buried.
func ended(t testing.TB, pid int) {
	t.Helper()
	for range 200_000 {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(content), ") Z ") {
			return
		}
	}
	t.Errorf("process %d lives on", pid)
}

// only reads the one number in a file.
func only(t testing.TB, path string) int {
	t.Helper()
	found := lines(t, path)
	if len(found) != 1 {
		t.Fatalf("%s has %q", path, found)
	}
	n, err := strconv.Atoi(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A program that takes too long is ended with all of its group, and one that
// ends takes along what it left behind.
func TestGroupIsEnded(t *testing.T) {
	for name, c := range map[string]struct {
		body    string
		timeout time.Duration
		state   actions.RunState
	}{
		"late":              {`sleep 300 & echo $! >"$1"; wait`, 2 * time.Second, actions.RunTimedOut},
		"deaf":              {`trap "" TERM; sh -c 'trap "" TERM; echo $$ >"$1"; while :; do sleep 300; done' x "$1"`, 2 * time.Second, actions.RunTimedOut},
		"left behind":       {`sleep 300 & echo $! >"$1"; exit 0`, time.Minute, actions.RunSucceeded},
		"quiet left behind": {`sleep 300 >/dev/null 2>&1 & echo $! >"$1"; exit 0`, time.Minute, actions.RunSucceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			a := actions.Action{Name: "long", Description: "Takes long.", Command: []string{script(t, dir, "long", c.body), filepath.Join(dir, "pid")}, Timeout: c.timeout}
			b := running(t, nil, a)
			if r := b.execute(t, "k", "long", `{}`); r.State != c.state || r.Ended.IsZero() {
				t.Errorf("%+v", r)
			}
			ended(t, only(t, filepath.Join(dir, "pid")))
		})
	}
}

// Stopping the engine ends what runs, and says so.
func TestStopEndsWhatRuns(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "begun")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	b := running(t, nil, actions.Action{Name: "long", Description: "Takes long.", Command: []string{script(t, dir, "long", `echo $$ >"$1"; exec sleep 300`), fifo}})
	got := make(chan actions.Run)
	go func() {
		r, err := b.Execute(t.Context(), request("k", "long", `{}`))
		if err != nil {
			t.Error(err)
		}
		got <- r
	}()
	pid := only(t, fifo)
	_, err := b.Execute(t.Context(), request("other", "long", `{}`))
	refused(t, err, actions.CodeBusy)
	stop(t, b.Engine)
	r := <-got
	if r.State != actions.RunFailed || !strings.Contains(r.Problem, "with the daemon") {
		t.Errorf("%+v", r)
	}
	ended(t, pid)
	if kept, err := b.Run(t.Context(), r.ID); err != nil || kept.State != actions.RunFailed {
		t.Errorf("%+v, %v", kept, err)
	}
	_, err = b.Execute(t.Context(), request("k2", "long", `{}`))
	refused(t, err, actions.CodeStopped)
}

// A Stop that cannot wait kills what does not end, in its group and outside, and
// writes down that it was ended.
func TestStopCannotWait(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	short, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	for name, ctx := range map[string]context.Context{"ctx is done": over, "its time is short": short} {
		t.Run(name, func(t *testing.T) {
			b := running(t, func(o *actions.Options) { o.Grace = time.Hour }, deaf(t, t.TempDir()))
			got := make(chan actions.Run)
			go func() {
				r, err := b.Execute(context.Background(), request("k", "deaf", `{}`))
				if err != nil {
					t.Error(err)
				}
				got <- r
			}()
			pids := deafOnes(t, b.Actions[0])
			if err := b.Stop(ctx); err != nil {
				t.Error(err)
			}
			r := <-got
			if kept, err := b.Run(context.Background(), r.ID); err != nil || kept.State != actions.RunFailed || !strings.Contains(kept.Problem, "with the daemon") {
				t.Errorf("%+v, %v", kept, err)
			}
			for _, pid := range pids {
				ended(t, pid)
			}
		})
	}
}

// deaf is an action that does not end when it is asked to, nor does what it
// begins.
func deaf(t testing.TB, dir string) actions.Action {
	t.Helper()
	fifo := filepath.Join(dir, "begun")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	loop := script(t, dir, "loop", `trap "" TERM; echo $$; exec >/dev/null 2>&1; while :; do sleep 300; done`)
	return actions.Action{Name: "deaf", Description: "Does not end.", Timeout: time.Minute,
		Command: []string{script(t, dir, "deaf", `trap "" TERM; exec >"$1"; "$2" & "$2" & exec "$2"`), fifo, loop}}
}

// deafOnes waits until all of them have begun.
func deafOnes(t testing.TB, a actions.Action) (pids []int) {
	t.Helper()
	for _, line := range lines(t, a.Command[1]) {
		pid, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	if len(pids) != 3 {
		t.Fatalf("%v have begun", pids)
	}
	return pids
}

// A program gets the variables that are named and a few more, nothing to read,
// no descriptors, and its folder.
func TestSurroundings(t *testing.T) {
	dir := t.TempDir()
	// One that is not closed to programs, as a parent may leave one.
	held, err := syscall.Open(filepath.Join(dir, "held"), syscall.O_CREAT|syscall.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(held)
	environ := map[string]string{"HOME": dir, "LANG": "C", "TZ": "UTC", "PATH": "/nowhere", "DISPLAY": ":0", "API_TOKEN": "not for them", "LC_ALL": "C"}
	b := running(t, func(o *actions.Options) {
		o.Environ = func(name string) (string, bool) { v, ok := environ[name]; return v, ok }
	},
		actions.Action{Name: "env", Description: "Shows them.", Command: []string{"env"}, Env: []string{"DISPLAY", "NOT_SET"}},
		actions.Action{Name: "path", Description: "Shows them.", Command: []string{"env"}, Env: []string{"PATH"}},
		actions.Action{Name: "where", Description: "Shows it.", Command: []string{"pwd"}, Folder: "/usr"},
		actions.Action{Name: "home", Description: "Shows it.", Command: []string{"pwd"}},
		actions.Action{Name: "read", Description: "Reads.", Command: []string{"cat"}},
		actions.Action{Name: "held", Description: "Shows what is open.", Command: []string{"ls", "/dev/fd/"}},
	)
	path := "PATH=" + strings.Join(actions.DefaultPath(), ":")
	for name, want := range map[string]string{
		"env":   "DISPLAY=:0\nHOME=" + dir + "\nLANG=C\n" + path + "\nSUBCONSCIOUS_RUN=its own\nTZ=UTC",
		"path":  "HOME=" + dir + "\nLANG=C\nPATH=/nowhere\nSUBCONSCIOUS_RUN=its own\nTZ=UTC",
		"where": "/usr", "home": dir, "read": "", "held": "0\n1\n2\n3",
	} {
		r := b.execute(t, name, name, `{}`)
		its := regexp.MustCompile(regexp.QuoteMeta(actions.RunVariable+"="+r.ID) + "/[A-Z0-9]{8}")
		got := strings.Split(strings.TrimSpace(its.ReplaceAllString(r.Output, actions.RunVariable+"=its own")), "\n")
		slices.Sort(got)
		if strings.Join(got, "\n") != want || r.State != actions.RunSucceeded {
			t.Errorf("%s: %q, %s", name, got, r.Problem)
		}
	}
}

// What a program says is plain, redacted and bounded, and how it ends is told.
func TestEnds(t *testing.T) {
	dir := t.TempDir()
	action := func(name, body string) actions.Action {
		return actions.Action{Name: name, Description: "Says it.", Command: []string{script(t, dir, name, body)}, MaxOutput: 200}
	}
	b := running(t, nil, action("both", `echo out; echo err >&2`), action("colour", `printf 'a\033[31mb\007\r\nc\377d'`),
		action("secret", `echo password=hunter2hunter2; echo fine`), action("flood", `yes | head -c 3000000; exit 3`), action("killed", `kill -9 $$`),
		actions.Action{Name: "nowhere", Description: "Cannot.", Command: []string{"true"}, Folder: "/no/such/folder"})
	for name, c := range map[string]struct {
		state  actions.RunState
		exit   int
		output string
		words  string
	}{
		"both": {actions.RunSucceeded, 0, "out\nerr\n", ""}, "colour": {actions.RunSucceeded, 0, "a[31mb\nc\uFFFDd", ""},
		"secret": {actions.RunSucceeded, 0, "password=[redacted:password]\nfine\n", ""}, "flood": {actions.RunFailed, 3, strings.Repeat("y\n", 100), "exit code 3"},
		"killed": {actions.RunFailed, -1, "", "killed"}, "nowhere": {actions.RunFailed, -1, "", "could not be started"},
	} {
		r := b.execute(t, name, name, `{}`)
		if r.State != c.state || r.ExitCode != c.exit || r.Output != c.output || !strings.Contains(r.Problem, c.words) || (r.Problem == "") != (c.words == "") {
			t.Errorf("%s: %+v", name, r)
		}
		if name == "flood" && r.LeftOut != 3_000_000-200 {
			t.Errorf("%d bytes were left out", r.LeftOut)
		}
		if kept, err := b.Run(t.Context(), r.ID); err != nil || kept.Output != r.Output || kept.State != r.State || !kept.Ended.Equal(r.Ended) {
			t.Errorf("%s: kept is %+v, %v", name, kept, err)
		}
	}
}

// A secret at the very end of what is kept is seen as a whole.
func TestSecretAtTheCut(t *testing.T) {
	mark := func(s string) string { return strings.ReplaceAll(s, "SECRETSECRET", "[redacted:test]") }
	for most := range 40 {
		got, _ := actions.Captured(most, mark, "some words SECR", "ETSECRET and more")
		if len(got) > most || strings.Contains(got, "SECRET") {
			t.Errorf("%d: %q", most, got)
		}
	}
}

// Whatever a program writes, and in whatever pieces, what is kept is text, and
// all of it is counted.
func TestOutputIsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(0, 60).Draw(t, "most")
		pieces := rapid.SliceOf(rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "pieces")
		got, leftOut := actions.Captured(most, func(s string) string { return s }, pieces...)
		if len(got) > most || !utf8.ValidString(got) || leftOut < 0 {
			t.Fatalf("%q, %d left out", got, leftOut)
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
			t.Fatalf("%q", got)
		}
	})
}

// One key runs once, whoever asks how often.
func TestExecuteOnce(t *testing.T) {
	a, file := noting(t, "note")
	b := running(t, nil, a)
	var group sync.WaitGroup
	ids := make([]string, 50)
	for n := range ids {
		group.Go(func() {
			r, err := b.Execute(t.Context(), request("k", "note", `{"text":"x"}`))
			if err != nil {
				t.Error(err)
			}
			ids[n] = r.ID
		})
	}
	group.Wait()
	if got := lines(t, file); len(got) != 1 || len(slices.Compact(ids)) != 1 {
		t.Errorf("it ran %d times: %q", len(got), ids)
	}
	// Another request under the same key is the first again.
	if r := b.execute(t, "k", "nothing of the kind", `[]`); r.ID != ids[0] || r.State != actions.RunSucceeded {
		t.Errorf("%+v", r)
	}
	if r := b.execute(t, "k2", "note", `{"text":"y"}`); r.ID == ids[0] || r.UndoUntil != (time.Time{}) {
		t.Errorf("%+v", r)
	}
	if found, err := b.Runs(t.Context(), actions.Query{Deliberation: "d-1"}); err != nil || len(found) != 2 || found[1].ID != ids[0] {
		t.Errorf("%+v, %v", found, err)
	}
	// How it went is said also where nothing is run any more.
	stop(t, b.Engine)
	if r := b.execute(t, "k", "note", `{"text":"x"}`); r.ID != ids[0] || r.State != actions.RunSucceeded {
		t.Errorf("%+v", r)
	}
	_, err := b.Execute(t.Context(), request("k3", "note", `{"text":"x"}`))
	refused(t, err, actions.CodeStopped)
}

// An action runs no more often than its limits say, also under a clock that
// goes back.
func TestLimits(t *testing.T) {
	a, file := noting(t, "note")
	a.PerHour, a.PerDay = 2, 3
	b := running(t, nil, a)
	n := 0
	try := func() error {
		n++
		_, err := b.Execute(t.Context(), request(fmt.Sprint(n), "note", `{"text":"x"}`))
		return err
	}
	for step, c := range []struct {
		passes time.Duration
		code   actions.Code
	}{{0, ""}, {0, ""}, {0, actions.CodeLimit}, {-30 * time.Minute, actions.CodeLimit}, {30 * time.Minute, actions.CodeLimit}, {time.Hour, ""}, {2 * time.Hour, actions.CodeLimit}, {24 * time.Hour, ""}} {
		b.clock.pass(c.passes)
		if err := try(); actions.CodeOf(err) != c.code || (err == nil) != (c.code == "") {
			t.Errorf("step %d: %v", step, err)
		}
	}
	if got := lines(t, file); len(got) != 4 {
		t.Errorf("it ran %d times", len(got))
	}
}

// A program that is not there, that everybody may change, or that is a shell
// behind a link, is not offered.
func TestUnavailable(t *testing.T) {
	dir := t.TempDir()
	loose := script(t, dir, "loose", "true")
	if err := os.Chmod(loose, 0o777); err != nil {
		t.Fatal(err)
	}
	shell := filepath.Join(dir, "helper")
	if err := os.Symlink("/bin/sh", shell); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(dir, "plain")
	testutil.Write(t, plain, "x")
	b := running(t, nil, actions.Action{Name: "gone", Description: "Is not there.", Command: []string{"no-such-program-here"}},
		actions.Action{Name: "loose", Description: "Is open.", Command: []string{loose}}, actions.Action{Name: "plain", Description: "Is no program.", Command: []string{plain}},
		actions.Action{Name: "folder", Description: "Is no program.", Command: []string{dir}},
		actions.Action{Name: "shell", Description: "Is a shell.", Command: []string{shell, "-c", "echo"}},
		actions.Action{Name: "undoer", Description: "Cannot undo.", Command: []string{"true"}, Undo: []string{"no-such-program-here"}},
		actions.Action{Name: "fine", Description: "Is there.", Command: []string{"true"}, Approval: "tainted", Undo: []string{"true"}})
	offers := b.Offers()
	if len(offers) != 1 || offers[0].Name != "fine" || !offers[0].Undo || offers[0].Approval != "tainted" || len(b.Problems()) != 6 {
		t.Errorf("%+v, %+v", offers, b.Problems())
	}
	_, err := b.Check("gone", json.RawMessage(`{}`))
	refused(t, err, actions.CodeUnavailable)
	_, err = b.Execute(t.Context(), request("k", "loose", `{}`))
	refused(t, err, actions.CodeUnavailable)
}
