package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
)

var update = flag.Bool("update", false, "write what the commands print into the scripts")

func TestMain(m *testing.M) {
	testscript.Main(leakFree{m}, map[string]func(){
		// The command as main starts it, at the time of the samples; the person
		// types into it, unless a script says that nobody does.
		"subconsciousctl": func() {
			var in io.Reader // which is nobody's, unless a script says that something is piped in
			if os.Getenv("PIPED") != "" {
				in = os.Stdin
			}
			os.Exit(run(context.Background(), process{
				args: os.Args[1:], stdin: in, stdout: os.Stdout, stderr: os.Stderr, env: os.LookupEnv,
				now: apitest.At, zone: time.UTC, columns: func() int { return 0 }, inTerminal: os.Getenv("NOBODY_TYPES") == "",
				system: os.Getenv("SYSTEM"),
			}))
		},
		"browser": browser,
		// What a service starts, beside the command.
		"subconsciousd": func() {},
	})
}

// leakFree runs the tests and then looks for goroutines that are left.
type leakFree struct{ m *testing.M }

func (l leakFree) Run() int {
	if code := l.m.Run(); code != 0 {
		return code
	}
	if err := goleak.Find(); err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return 0
}

// served holds the mind of a script once it is served.
type served struct{ mind *apitest.Mind }

type servedKey struct{}

// TestScripts runs every script of testdata against a mind that is served over
// a real socket. `go test -update` writes the goldens again.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *update,
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", "/home/sample")
			commands, _, _ := strings.Cut(env.Getenv("PATH"), string(os.PathListSeparator))
			env.Setenv("COMMANDS", commands) // where both commands are, and nothing else
			env.Values[servedKey{}] = &served{}
			env.Values[phoneKey{}] = &phoneHolder{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"mind":       serveMind,
			"recorded":   recorded,
			"exits":      exits,
			"isjson":     isJSON,
			"narrow":     narrow,
			"plain":      plainly,
			"append":     appendTo,
			"phone":      servePhone,
			"pushed":     pushed,
			"mailserver": mailScript,
		},
	})
}

// serveMind is "mind SCENARIO": it serves a sample mind, to which the commands
// that follow speak.
func serveMind(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: mind SCENARIO")
	}
	scenarios := map[string]func() *apitest.Mind{
		"busy": apitest.Busy, "empty": apitest.Empty, "degraded": apitest.Degraded, "paused": apitest.Paused, "thinking": apitest.Thinking,
		"telling": apitest.Telling, "deliberating": apitest.Deliberating, "hostile": apitest.Hostile,
		"failing": func() *apitest.Mind {
			m := apitest.Busy()
			m.Now.Version = "devel 2026-11-22 bef71ba"
			m.Now.Models = []api.ModelStatus{{Role: "deliberation", Provider: "far", Model: "glm-6", State: api.ModelFailing, PriceInput: 15, PriceOutput: 75,
				Error: "the server failed (500)", Note: "write what far/glm-6 costs under models.prices"}}
			return m
		},
		// Of six events two are not kept any more.
		"changing": func() *apitest.Mind {
			m := apitest.Busy()
			m.Forgotten = 2
			m.Happen(api.EventTick, "128")
			m.Happen(api.EventIncident, "i-disk-1a0")
			m.Happen(api.EventPause, "")
			m.Happen(api.EventMessage, "work/3")
			return m
		},
		// Nothing waits, at night.
		"idle": func() *apitest.Mind {
			m := apitest.Busy()
			m.Box = api.Inbox{Channels: 1, QuietUntil: apitest.At().Add(18 * time.Hour), NextDigest: apitest.At().Add(19 * time.Hour)}
			return m
		},
		"broken": func() *apitest.Mind {
			return &apitest.Mind{OnStatus: func(context.Context) error { return errors.New("a fault") }}
		},
		"cursing": func() *apitest.Mind {
			return &apitest.Mind{OnThink: func(context.Context, api.TickRequest) error {
				return api.Errorf(api.CodeRefused, "do\x1b[2J\u009b31m\u202e it", "bytes \x9b\x1b[2J\u009b31m\u202e of a database")
			}}
		},
		"refusing": func() *apitest.Mind {
			return &apitest.Mind{OnThink: func(context.Context, api.TickRequest) error {
				return api.Errorf(api.CodeRefused, "ask its owner", "policy forbids it")
			}}
		},
	}
	scenario, ok := scenarios[args[0]]
	if !ok {
		ts.Fatalf("there is no scenario %q", args[0])
	}
	folder, err := os.MkdirTemp("/tmp", "mind")
	ts.Check(err)
	mind := scenario()
	server, err := api.New(api.Options{Socket: filepath.Join(folder, "socket"), Mind: mind, Version: "v0.1.0", Now: apitest.At})
	ts.Check(err)
	ts.Check(server.Start(context.Background()))
	ts.Defer(func() {
		ts.Check(errors.Join(server.Stop(context.Background()), os.RemoveAll(folder)))
	})
	ts.Setenv("SUBCONSCIOUS_STATE_DIR", folder)
	ts.Value(servedKey{}).(*served).mind = mind
}

// exits is "exits CODE COMMAND…": the command must end with that code, or with
// one of "0|4".
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if !slices.Contains(strings.Split(args[0], "|"), strconv.Itoa(got)) {
		ts.Fatalf("exit code %d, want %s\nstdout: %s\nstderr: %s", got, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// isJSON is "isjson FILE": it holds exactly one JSON value.
func isJSON(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range args {
		if json.Valid([]byte(ts.ReadFile(file))) == neg {
			ts.Fatalf("%s: is JSON: %v", file, neg)
		}
	}
}

// recorded is "recorded TEXT…": the mind was given commands and ticks with these
// words.
func recorded(ts *testscript.TestScript, neg bool, args []string) {
	mind := ts.Value(servedKey{}).(*served).mind
	text, err := json.Marshal(struct{ Commands, Ticks, Decisions, Posts, Memory any }{
		mind.Commands(), mind.Requests(), mind.Decisions(), mind.Posts(), mind.MemoryChanges()})
	ts.Check(err)
	for _, want := range args {
		if strings.Contains(string(text), want) == neg {
			ts.Fatalf("recorded is %s; it holds %q: %v", text, want, neg)
		}
	}
}

// appendTo is "append FILE LINE": it puts a line at the end of a file.
func appendTo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: append FILE LINE")
	}
	path := ts.MkAbs(args[0])
	ts.Check(os.WriteFile(path, []byte(ts.ReadFile(args[0])+args[1]+"\n"), 0o600))
}

// plainly is "plain FILE": nothing in it is obeyed by a terminal, or hidden.
func plainly(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range args {
		text := ts.ReadFile(file)
		if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }); (i >= 0) != neg {
			ts.Fatalf("%s: holds %q: %q", file, text[max(0, i):], text)
		}
	}
}

// narrow is "narrow FILE COLUMNS": no line is wider.
func narrow(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: narrow FILE COLUMNS")
	}
	most, err := strconv.Atoi(args[1])
	ts.Check(err)
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > most {
			ts.Fatalf("%d columns, more than %d: %s", n, most, line)
		}
	}
}
