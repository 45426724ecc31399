package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
	"github.com/subconsciousd/subconsciousd/subconscious/documenttest"
)

// patience bounds whatever a script waits for.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	testscript.Main(tidied{m}, map[string]func(){"subconsciousd": main})
}

// controlFolder is where subconsciousctl is built; "" before it is.
var controlFolder string

// tidied runs the tests and removes what was built for them.
type tidied struct{ m *testing.M }

func (r tidied) Run() int {
	code := r.m.Run()
	if controlFolder == "" {
		return code
	}
	if err := os.RemoveAll(controlFolder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// control builds the command that scripts speak to the daemon with, once.
var control = sync.OnceValue(func() (err error) {
	if controlFolder, err = os.MkdirTemp("", "subconsciousctl"); err != nil {
		return err
	}
	args := []string{"build", "-o", controlFolder}
	if withFailpoints {
		args = append(args, "-tags", "failpoints")
	}
	out, err := exec.Command("go", append(args, "../subconsciousctl")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build subconsciousctl: %w\n%s", err, out)
	}
	return nil
})

// TestScripts runs whole sessions of both commands, as processes.
func TestScripts(t *testing.T) { runScripts(t, "testdata/script") }

func runScripts(t *testing.T, dir string) {
	t.Helper()
	scripts, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts in %s: %v", dir, err)
	}
	if err := control(); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"home", "files", "notes", "tmp"} {
				if err := os.MkdirAll(filepath.Join(env.WorkDir, name), 0o700); err != nil {
					return err
				}
			}
			// A socket's path is short, which a test's folder is not.
			short, err := os.MkdirTemp("/tmp", "mind")
			if err != nil {
				return err
			}
			env.Defer(func() {
				if err := os.RemoveAll(short); err != nil {
					t.Error(err)
				}
			})
			env.Values[fakesKey{}] = fakes{}
			env.Values[phoneKey{}] = map[string]*ntfytest.Server{}
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("MIND", short)
			env.Setenv("SUBCONSCIOUS_STATE_DIR", filepath.Join(short, "state"))
			env.Setenv("TZ", "Europe/Berlin")
			env.Setenv("PATH", controlFolder+string(os.PathListSeparator)+env.Getenv("PATH"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"served": served,
			"until":  until,
			"field":  field,
			"listen": listen,
			"told":   told,
			"end":    end,
			"entry":  entry,
			"memory": remembered,
			"fake":   fake,
			"phone":  phone, "pushed": pushed, "hand": hand, "token": token, "port": port, "secret": secret, "envsubst": envsubst,
			"hearing": hearing, "answering": answering, "heard": heard,
		},
	})
}

// exits is "exits CODE COMMAND…": the command must end with that code, or one of them ("0|4").
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	code := "0"
	err := ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code, err = strconv.Itoa(exit.ExitCode()), nil
	}
	if err != nil || !slices.Contains(strings.Split(args[0], "|"), code) {
		ts.Fatalf("exit code %s, %v; want %s\nstdout: %s\nstderr: %s", code, err, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// end is "end SIGNAL [DIR]": it sends TERM, INT or HUP to the daemon of that folder,
// which has said in its lock who it is.
func end(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: end SIGNAL [DIR]")
	}
	dir := ts.Getenv("SUBCONSCIOUS_STATE_DIR")
	if len(args) == 2 {
		dir = args[1]
	}
	signal, ok := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "KILL": syscall.SIGKILL, "HUP": syscall.SIGHUP}[args[0]]
	if !ok {
		ts.Fatalf("unknown signal %s", args[0])
	}
	var holder struct{ PID int }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(filepath.Join(dir, "lock"))), &holder))
	ts.Check(syscall.Kill(holder.PID, signal))
}

// entry is "entry NAME TEXT": it waits for the entry whose summary holds the text, and
// sets a variable to its id.
func entry(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: entry NAME TEXT")
	}
	wait(ts, "an entry holds "+strconv.Quote(args[1]), func() bool {
		document, err := documenttest.Decode([]byte(ts.ReadFile(filepath.Join(ts.Getenv("SUBCONSCIOUS_STATE_DIR"), "subconscious.json"))))
		ts.Check(err)
		for _, e := range document.ActiveThreads {
			if strings.Contains(e.Summary, args[1]) {
				ts.Setenv(args[0], string(e.ID))
				return true
			}
		}
		return false
	})
}

// remembered is "memory NAME FILE": the id of the memory that the file's JSON is about.
func remembered(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: memory NAME FILE")
	}
	var about struct{ ID string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &about))
	ts.Setenv(args[0], about.ID)
}

// wait asks again until something is so.
func wait(ts *testscript.TestScript, what string, so func() bool) {
	deadline, poll := time.After(patience), time.NewTicker(5*time.Millisecond)
	defer poll.Stop()
	for !so() {
		select {
		case <-poll.C:
		case <-deadline:
			ts.Fatalf("not before the deadline: %s", what)
		}
	}
}

// served is "served [DIR]": it waits until the mind of that folder is served and
// its first tick is over.
func served(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.Getenv("SUBCONSCIOUS_STATE_DIR")
	if neg || len(args) > 1 {
		ts.Fatalf("usage: served [DIR]")
	} else if len(args) == 1 {
		dir = args[0]
	}
	wait(ts, "a mind is served in "+dir, func() bool {
		connection, err := net.Dial("unix", filepath.Join(dir, "socket"))
		if err != nil {
			return false
		}
		ts.Check(connection.Close())
		_, err = os.Stat(filepath.Join(dir, "subconscious.json"))
		return err == nil
	})
}

// until is "until REGEXP COMMAND…": it runs the command again until it prints that.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until REGEXP COMMAND…")
	}
	wanted := regexp.MustCompile(args[0])
	wait(ts, "it prints "+args[0], func() bool {
		err := ts.Exec(args[1], args[2:]...)
		return err == nil && wanted.MatchString(ts.ReadFile("stdout"))
	})
}

// field is "field FILE PATH REGEXP": the JSON value at PATH ("threads.0.name",
// "senses.count" for how many there are) matches. With ! it does not match, or is
// not there.
func field(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: field FILE PATH REGEXP")
	}
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &value))
	found := true
	for _, step := range strings.Split(args[1], ".") {
		switch v := value.(type) {
		case map[string]any:
			value, found = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			switch {
			case step == "count":
				value = len(v)
			case err == nil && i < len(v):
				value = v[i]
			default:
				found = false
			}
		default:
			found = false
		}
		if !found {
			break
		}
	}
	text := ""
	if found {
		encoded, err := json.Marshal(value)
		ts.Check(err)
		text = strings.Trim(string(encoded), `"`)
	}
	matches := found && regexp.MustCompile("^(?:"+args[2]+")$").MatchString(text)
	if matches == neg {
		ts.Fatalf("%s is %q (there: %v)\n%s", args[1], text, found, ts.ReadFile(args[0]))
	}
}

// messages are what a service manager was told.
type messages struct {
	mu  sync.Mutex
	all []string
}

// listen makes a socket on which a service manager would listen.
func listen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: listen")
	}
	path := filepath.Join(ts.Getenv("MIND"), "notify")
	connection, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	ts.Check(err)
	ts.Setenv("NOTIFY_SOCKET", path)
	heard := &messages{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		buffer := make([]byte, 4096)
		for {
			n, err := connection.Read(buffer)
			if err != nil {
				return
			}
			heard.mu.Lock()
			heard.all = append(heard.all, string(buffer[:n]))
			heard.mu.Unlock()
		}
	}()
	toldTo.Store(path, heard)
	ts.Defer(func() {
		toldTo.Delete(path)
		ts.Check(connection.Close())
		<-ended
	})
}

// toldTo holds the messages by the path of their socket.
var toldTo sync.Map

// told is "told TEXT": the service manager is told so before long.
func told(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: told TEXT")
	}
	value, ok := toldTo.Load(ts.Getenv("NOTIFY_SOCKET"))
	if !ok {
		ts.Fatalf("nobody listens")
	}
	heard := value.(*messages)
	wait(ts, "the service manager is told "+args[0], func() bool {
		heard.mu.Lock()
		defer heard.mu.Unlock()
		for _, text := range heard.all {
			if strings.Contains(text, args[0]) {
				return true
			}
		}
		return false
	})
}
