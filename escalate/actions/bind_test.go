package actions_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
)

func number(x float64) *float64 { return &x }

// idle is an engine that runs nothing: Check needs no start.
func idle(t testing.TB, list ...actions.Action) *actions.Engine {
	t.Helper()
	e, err := actions.New(actions.Options{DB: database(t, store.Memory), Actions: list})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Each value is taken or refused by its type, and stands in its argument as it
// is.
func TestBinding(t *testing.T) {
	const echo = "/bin/echo"
	for name, c := range map[string]struct {
		param    actions.Param
		argument string
		takes    map[string]string // JSON → argument
		refuses  map[string]string // JSON → a word of why
	}{
		"text": {actions.Param{MaxLength: 10}, "{x}", map[string]string{
			`"a b"`: "a b", `"$(id);rm *"`: "$(id);rm *", `"{x}"`: "{x}", `"ü€😀"`: "ü€😀", `"a\u00a0b"`: "a\u00a0b", `"%s\\n"`: `%s\n`, `"'\"\u0060"`: "'\"`"},
			map[string]string{`""`: "empty", `"12345678901"`: "11 characters", `"-rf"`: "option", `"--x=1"`: "option", `"a\nb"`: "control", `"a\tb"`: "control",
				`"a\u0000b"`: "control", `"\u001b[31m"`: "control", `"a\u202eb"`: "not seen", `"a\u200bb"`: "not seen", `"a\ufeffb"`: "not seen", `"a\u3164b"`: "not seen (U+3164)", `"\u2800"`: "not seen", `"a\u115f\u1160"`: "not seen",
				`"\uffa0"`: "not seen", `"a\u034fb"`: "not seen", `"a\ufe0f"`: "not seen", `"a\udb40\udd00"`: "not seen (U+E0100)", `"a\u180b"`: "not seen", `"a\u17b4"`: "not seen", `"\ud800"`: "lost",
				`"\u2028"`: "not seen", `1`: "JSON string", `true`: "JSON string", `null`: "missing", `["a"]`: "single values", `{"a":1}`: "single values", "\"a\xff\"": "UTF-8"}},
		"text within": {actions.Param{}, "--title={x}", map[string]string{`"-rf"`: "--title=-rf", `"a b"`: "--title=a b"}, nil},
		"text behind": {actions.Param{}, "{x}.txt", map[string]string{`"a"`: "a.txt"}, map[string]string{`"-a"`: "option"}},
		"braces":      {actions.Param{}, `{{"t":"{x}"}}`, map[string]string{`"a"`: `{"t":"a"}`}, nil},
		"lines":       {actions.Param{Multiline: true}, "{x}", map[string]string{`"a\nb\tc"`: "a\nb\tc"}, map[string]string{`"a\rb"`: "control"}},
		"pattern": {actions.Param{Pattern: "[a-z]+|[0-9]+"}, "{x}", map[string]string{`"abc"`: "abc", `"12"`: "12"},
			map[string]string{`"abc1"`: "match", `"1a"`: "match", `"A"`: "match"}},
		"integer": {actions.Param{Type: actions.Integer}, "{x}", map[string]string{`5`: "5", `0`: "0", `-0`: "0"},
			map[string]string{`"5"`: "JSON number", `5.0`: "whole", `1e3`: "whole", `-5`: "option", `9007199254740993`: "whole", `99999999999999999999`: "whole", `true`: "JSON number"}},
		"range": {actions.Param{Type: actions.Integer, Min: number(-3), Max: number(4)}, "{x}", map[string]string{`-3`: "-3", `4`: "4"},
			map[string]string{`-4`: "at least", `5`: "at most"}},
		"number": {actions.Param{Type: actions.Number}, "n={x}", map[string]string{`1.5`: "n=1.5", `1e3`: "n=1000", `-0.0`: "n=0", `-2.50`: "n=-2.5"},
			map[string]string{`1e400`: "number", `1e300`: "digits", `1e-40`: "digits", `"1"`: "JSON number"}},
		"boolean": {actions.Param{Type: actions.Boolean}, "{x}", map[string]string{`true`: "true", `false`: "false"}, map[string]string{`"true"`: "true or false", `1`: "true or false"}},
		"choice": {actions.Param{Type: actions.Choice, Choices: []string{"on", "--off"}}, "{x}", map[string]string{`"on"`: "on", `"--off"`: "--off"},
			map[string]string{`"ON"`: "one of", `"on "`: "one of", `""`: "empty"}},
		"date": {actions.Param{Type: actions.Date}, "{x}", map[string]string{`"2026-02-28"`: "2026-02-28"},
			map[string]string{`"2026-02-30"`: "day", `"2026-2-3"`: "day", `"tomorrow"`: "day", `"2026-02-28 "`: "day"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.param.Name = "x"
			e := idle(t, actions.Action{Name: "say", Description: "Says it.", Command: []string{echo, "first", c.argument, "last"}, Params: []actions.Param{c.param}})
			for given, want := range c.takes {
				b, err := e.Check("say", json.RawMessage(`{"x":`+given+`}`))
				if err != nil || !slices.Equal(b.Argv, []string{echo, "first", want, "last"}) {
					t.Errorf("%s: %q, %v", given, b.Argv, err)
					continue
				}
				if again, err := e.Check("say", b.Arguments); err != nil || again.Hash != b.Hash || string(again.Arguments) != string(b.Arguments) {
					t.Errorf("%s: bound again it is %s, not %s: %v", given, again.Arguments, b.Arguments, err)
				}
			}
			for given, why := range c.refuses {
				b, err := e.Check("say", json.RawMessage(`{"x":`+given+`}`))
				refused(t, err, actions.CodeInvalid)
				if err == nil || !strings.Contains(err.Error(), why) {
					t.Errorf("%s: %v (%q), and should speak of %q", given, err, b.Argv, why)
				}
			}
		})
	}
}

// What is no flat object of known parameters is refused.
func TestArgumentsAreStrict(t *testing.T) {
	e := idle(t, actions.Action{Name: "say", Description: "Says it.", Command: []string{"echo", "{x}", "--y={y}"}, Params: []actions.Param{text("x"), {Name: "y", Optional: true}}})
	for _, given := range []string{``, ` `, `null`, `[]`, `"x"`, `{`, `{"x":"a"`, `{"x":"a"}}`, `{"x":"a"} {}`, `{"x":"a","x":"b"}`, `{"x":"a","X":"b"}`, `{"x":"a","z":"b"}`,
		`{"X":"a"}`, `{"x":"a",}`, `{"x":["a"]}`, `{"x":{"x":"a"}}`, `{x:"a"}`, `{"y":"a"}`, `{"x":"` + strings.Repeat("a", 70_000) + `"}`, strings.Repeat(`{"x":`, 10_000)} {
		if b, err := e.Check("say", json.RawMessage(given)); err == nil {
			t.Errorf("%.40s was taken: %q", given, b.Argv)
		}
	}
	for given, want := range map[string]int{`{"x":"a"}`: 2, `{"x":"a","y":null}`: 2, ` { "y" : "b", "x" : "a" } `: 3} {
		if b, err := e.Check("say", json.RawMessage(given)); err != nil || len(b.Argv) != want {
			t.Errorf("%s: %q, %v", given, b.Argv, err)
		}
	}
	_, err := e.Check("sing", json.RawMessage(`{}`))
	refused(t, err, actions.CodeUnknown)
}

// The order and the spaces of arguments do not matter to the hash; each value
// and the definition do.
func TestHash(t *testing.T) {
	base := actions.Action{Name: "say", Description: "Says it.", Command: []string{"echo", "{x}", "{y}"}, Params: []actions.Param{text("x"), text("y")}}
	check := func(a actions.Action, arguments string) string {
		t.Helper()
		b, err := idle(t, a).Check(a.Name, json.RawMessage(arguments))
		if err != nil {
			t.Fatal(err)
		}
		return b.Hash
	}
	want := check(base, `{"x":"1","y":"2"}`)
	if got := check(base, ` {"y":"\u0032", "x":"1"}`); got != want || len(want) != 64 {
		t.Errorf("%s, and should be %s", got, want)
	}
	other := base
	other.Description, other.PerHour, other.Approval = "Something else.", 3, "never"
	if check(other, `{"x":"1","y":"2"}`) != want {
		t.Error("the description is in the hash")
	}
	seen := map[string]bool{want: true, check(base, `{"x":"12","y":"2"}`): true, check(base, `{"x":"2","y":"1"}`): true}
	for _, change := range []func(*actions.Action){
		func(a *actions.Action) { a.Name = "sai" },
		func(a *actions.Action) { a.Command = []string{"echo", "{y}", "{x}"} },
		func(a *actions.Action) { a.Command = []string{"echo", "{x}{y}"} },
		func(a *actions.Action) { a.Command = []string{"printf", "{x}", "{y}"} },
		func(a *actions.Action) { a.Folder = "/tmp" },
		func(a *actions.Action) { a.Env = []string{"DISPLAY"} },
		func(a *actions.Action) { a.Undo = []string{"echo", "{x}"} },
		func(a *actions.Action) { a.Params = []actions.Param{text("x"), {Name: "y", MaxLength: 7}} },
	} {
		a := base
		change(&a)
		hash := check(a, `{"x":"1","y":"2"}`)
		if seen[hash] {
			t.Errorf("%+v has the hash of another", a)
		}
		seen[hash] = true
	}
}

// A path stays below its folder, whatever links are there.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	root, outside := filepath.Join(dir, "root"), filepath.Join(dir, "outside")
	for _, folder := range []string{filepath.Join(root, "sub"), outside, filepath.Join(dir, "rooted")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, content := range map[string]string{root + "/a.txt": "a", root + "/-rf": "b", outside + "/secret": "s", dir + "/rooted/x": "x"} {
		testutil.Write(t, path, content)
	}
	for link, to := range map[string]string{"out": "../outside/secret", "abs": outside, "in": "a.txt", "gone": "../outside/new", "loop": "loop", "self": root + "/a.txt", "sub/up": "../../outside"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	e := idle(t, actions.Action{Name: "open", Description: "Opens it.", Command: []string{"echo", "{x}"}, Params: []actions.Param{{Name: "x", Type: actions.Path, Root: root}}})
	for given, want := range map[string]string{"a.txt": "a.txt", "sub": "sub", "./sub/../a.txt": "a.txt", "sub/new.txt": "sub/new.txt", root + "/a.txt": "a.txt", "in": "in", "-rf": "-rf", ".": ""} {
		if b, err := e.Check("open", json.RawMessage(`{"x":`+quoted(given)+`}`)); err != nil || b.Argv[1] != filepath.Join(root, want) {
			t.Errorf("%s: %q, %v", given, b.Argv, err)
		}
	}
	for _, given := range []string{"..", "../outside/secret", "sub/../../outside/secret", "/etc/passwd", outside + "/secret", dir + "/rooted/x", "out", "abs", "abs/secret", "abs/new",
		"gone", "loop", "self", "sub/up/secret", "sub/up/new", "no/such/file", "a.txt/b", "a\x00.txt", "a\n.txt", strings.Repeat("a/", 3000), "", root + "/../outside/secret"} {
		b, err := e.Check("open", json.RawMessage(`{"x":`+quoted(given)+`}`))
		if err == nil {
			t.Errorf("%.60q was taken: %q", given, b.Argv)
		}
	}
}

// Whatever is given, the vector has the template's length and each value stands
// in its place, verbatim, and nothing else does.
func TestVectorIsTheTemplate(t *testing.T) {
	e := idle(t, actions.Action{Name: "say", Description: "Says it.", Command: []string{"/bin/echo", "a", "{x}", "--y={y}", "<{x}|{y}>", "z"},
		Params: []actions.Param{{Name: "x", Multiline: true}, text("y")}})
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.String().Draw(t, "x"), rapid.StringMatching(`[-{}$" a-zü;]{1,12}`).Draw(t, "y")
		raw := testutil.JSON(t, map[string]string{"x": x, "y": y})
		b, err := e.Check("say", raw)
		if err != nil {
			return
		}
		if want := []string{"/bin/echo", "a", x, "--y=" + y, "<" + x + "|" + y + ">", "z"}; !slices.Equal(b.Argv, want) {
			t.Fatalf("%q, and should be %q", b.Argv, want)
		}
		if strings.HasPrefix(x, "-") {
			t.Fatalf("%q became an option", x)
		}
	})
}

func FuzzCheck(f *testing.F) {
	e := idle(f, actions.Action{Name: "say", Description: "Says it.", Command: []string{"/bin/echo", "{x}", "--y={y}", "{n}", "{d}"},
		Params: []actions.Param{text("x"), text("y"), {Name: "n", Type: actions.Number}, {Name: "d", Type: actions.Date, Optional: true}}})
	for _, seed := range []string{`{"x":"a","y":"b","n":1}`, `{"x":"a","y":"b","n":-1e3,"d":"2026-01-01"}`, `{"x":"-a","y":"\u0000","n":1}`, `{"x":"a","x":"b"}`, `[1]`, `{"x":{"y":[]}}`, "{\"x\":\"\xff\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := e.Check("say", raw)
		if err != nil {
			if actions.CodeOf(err) != actions.CodeInvalid {
				t.Fatal(err)
			}
			return
		}
		given, err := actions.Decode(raw)
		if err != nil || len(b.Argv) != 4 && len(b.Argv) != 5 {
			t.Fatalf("%q: %v", b.Argv, err)
		}
		if b.Argv[1] != given["x"] || b.Argv[2] != "--y="+given["y"].(string) || strings.HasPrefix(b.Argv[1], "-") || strings.HasPrefix(b.Argv[3], "-") {
			t.Fatalf("%q from %s", b.Argv, raw)
		}
		for _, a := range b.Argv {
			if !utf8.ValidString(a) || strings.ContainsAny(a, "\x00\n\x1b") {
				t.Fatalf("%q", b.Argv)
			}
		}
		if again, err := e.Check("say", b.Arguments); err != nil || again.Hash != b.Hash {
			t.Fatalf("%s bound again: %v", b.Arguments, err)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	e := idle(b, actions.Action{Name: "say", Description: "Says it.", Command: []string{"/bin/echo", "{x}", "--y={y}", "{n}"},
		Params: []actions.Param{text("x"), text("y"), {Name: "n", Type: actions.Number}}})
	raw := json.RawMessage(`{"x":"a note of some length, as one would write it","y":"b","n":12.5}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Check("say", raw); err != nil {
			b.Fatal(err)
		}
	}
}
