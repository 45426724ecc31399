package screen

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/setup/doctor"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestRelativeAndClock(t *testing.T) {
	p := newPage(View{At: apitest.At(), Zone: time.FixedZone("test", 2*60*60)})
	for _, test := range []struct {
		from time.Duration
		want string
	}{
		{0, "just now (16:05)"},
		{-9 * time.Second, "just now (16:05)"},
		{-40 * time.Second, "40 seconds ago (16:04)"},
		{-time.Minute, "1 minute ago (16:04)"},
		{-119 * time.Minute, "1 h 59 min ago (14:06)"},
		{-3 * time.Hour, "3 hours ago (13:05)"},
		{-20 * time.Hour, "20 hours ago (Fri 20:05)"},
		{-50 * time.Hour, "2 days ago (Thu 14:05)"},
		{-20 * 24 * time.Hour, "20 days ago (22 Feb 16:05)"},
		{-400 * 24 * time.Hour, "400 days ago (2025-02-07)"},
		{30 * time.Second, "in less than a minute (16:06)"},
		{2*time.Hour + 59*time.Minute + 50*time.Second, "in 3 hours (19:05)"},
		{5 * 24 * time.Hour, "in 5 days (Thu 16:05)"},
	} {
		if got := p.when(apitest.At().Add(test.from)); got != test.want {
			t.Errorf("%s: %q, want %q", test.from, got, test.want)
		}
	}
	if got := p.when(time.Time{}); got != "never" {
		t.Errorf("no time at all: %q", got)
	}
}

func TestCellsAndTruncate(t *testing.T) {
	for _, test := range []struct {
		text  string
		cells int
		in6   string
	}{
		{"", 0, ""},
		{"plain", 5, "plain"},
		{"plainly", 7, "plain…"},
		{"Größe", 5, "Größe"},
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"},
		{"会議会議", 8, "会議…"},
		{"会議会", 6, "会議会"},
	} {
		if got := cells(test.text); got != test.cells {
			t.Errorf("%q takes %d columns, want %d", test.text, got, test.cells)
		}
		if got := truncate(test.text, 6); got != test.in6 {
			t.Errorf("%q in 6 columns is %q, want %q", test.text, got, test.in6)
		}
	}
}

func TestWrapLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z会é/]{0,60}( [a-z会é/]{1,60}){0,4}`).Draw(t, "text")
		columns := rapid.IntRange(8, 40).Draw(t, "columns")
		lines := wrap(text, columns)
		for _, line := range lines {
			if cells(line) > columns {
				t.Fatalf("%q is wider than %d columns", line, columns)
			}
		}
		if got, want := strings.Join(lines, ""), strings.ReplaceAll(text, " ", ""); strings.ReplaceAll(got, " ", "") != want {
			t.Fatalf("%q became %q", want, lines)
		}
	})
}

// hostile puts text into every string of a value that is not a key.
func hostile(value reflect.Value, text string) {
	switch value.Kind() {
	case reflect.String:
		if value.CanSet() {
			value.SetString(text)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Type().Field(i).IsExported() && value.Type() != reflect.TypeFor[time.Time]() {
				hostile(value.Field(i), text)
			}
		}
	case reflect.Slice:
		for i := range value.Len() {
			hostile(value.Index(i), text)
		}
	case reflect.Pointer:
		if !value.IsNil() {
			hostile(value.Elem(), text)
		}
	}
}

// TestNothingMovesTheCursor draws screens of minds whose every text is hostile:
// no control character but the line break comes through, and no line is wider
// than the terminal.
func TestNothingMovesTheCursor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		view := View{At: apitest.At(), Zone: time.UTC, Width: rapid.IntRange(40, 120).Draw(t, "width"), Home: "/home/sample"}
		m, thinking := apitest.Degraded(), apitest.Thinking()
		prompt := thinking.Prompts["watcher"]
		findings := []doctor.Finding{{State: doctor.OK}, {State: doctor.Broken}, {State: doctor.Degraded}}
		why := m.Reasons["w-backup-a2c"]
		page := api.TickPage{Ticks: m.Reports, Before: 3}
		result := api.CommandResult{Command: subconscious.Command{Kind: subconscious.CommandFocus}, Pending: true}
		for _, value := range []any{&m.Now, &why, &page, &result, &thinking.Now, &thinking.Reports, &thinking.Tests, &thinking.Sum, &prompt, &findings} {
			hostile(reflect.ValueOf(value).Elem(), text)
		}
		for name, got := range map[string]string{
			"status": Draw(view, "Status", m.Now), "why": Draw(view, "Why", why, Shown{All: true}), "ticks": Draw(view, "Ticks", page),
			"tick": Draw(view, "Tick", page.Ticks[0]), "command": Draw(view, "Command", result),
			"thinking": Draw(view, "Status", thinking.Now), "thought": Draw(view, "Tick", thinking.Reports[0]), "models": Draw(view, "Models", thinking.Now.Models),
			"tests": Draw(view, "ModelTests", thinking.Tests), "report": Draw(view, "Report", thinking.Sum),
			"doctor": Draw(view, "Doctor", findings), "question": Draw(view, "Question", []struct{ Name, About string }{{text, text}}, text),
		} {
			mustFit(t, view, name, got)
		}
		// A prompt is not wrapped, and neither is a difference.
		for _, got := range []string{Draw(view, "Prompt", prompt), Diff(view, text), Paragraph(view, text), Draw(view, "Ready", struct{ BaseURL, AnthropicURL, Config, Warning string }{text, text, text, text})} {
			mustBePrintable(t, "a prompt", got)
		}
	})
}

// TestParagraphsStandApart: what is said on the way through a dialogue, and
// before the first message of a stand-in, has an empty line below it.
func TestParagraphsStandApart(t *testing.T) {
	view := View{Width: 80}
	for _, c := range []struct{ got, want string }{
		{Paragraph(view, "Sign in:\n  https://a.example"), "Sign in:\n  https://a.example\n\n"},
		{Paragraph(view, "One.\n\nTwo.\n"), "One.\n\nTwo.\n\n"},
		{Draw(view, "Question", []struct{ Name, About string }{{"free", "no cost"}, {"reflex", "by rules"}}, "Who?"), "Who?\n   1  free    no cost\n   2  reflex  by rules\n"},
		{Draw(view, "ReadyChannel", struct{ URL, Config string }{"http://here", "notify:\n  - id: fake\n"}),
			"A stand-in for an ntfy server listens at http://here\n\nPut this into the configuration, and it takes what your phone would:\n\n" +
				"  notify:\n    - id: fake\n\nThen: subconsciousctl notify test. Ctrl-C ends it.\n\n"},
	} {
		if c.got != c.want {
			t.Errorf("got:\n%s\nwant:\n%s", c.got, c.want)
		}
	}
}

// TestNarrowArrows: where a column has no room for its text, an arrow goes along.
func TestNarrowArrows(t *testing.T) {
	findings := []doctor.Finding{{Name: "state folder", State: doctor.Broken, Detail: "it is not there", Next: "start the daemon: subconsciousd, or as a service"}}
	want := "    it is not there\n    → start the daemon: subconsciousd,\n      or as a service\n"
	if got := Draw(View{Width: 40}, "Doctor", findings); !strings.Contains(got, want) {
		t.Errorf("%s", got)
	}
}

// TestColourSaysNothing takes the colours away again and finds the plain screen.
func TestColourSaysNothing(t *testing.T) {
	for name, m := range map[string]*apitest.Mind{"busy": apitest.Busy(), "empty": apitest.Empty(), "degraded": apitest.Degraded(), "paused": apitest.Paused(), "thinking": apitest.Thinking()} {
		view := View{At: apitest.At(), Zone: time.UTC, Width: 80}
		plainText := Draw(view, "Status", m.Now)
		view.Colour = true
		coloured := Draw(view, "Status", m.Now)
		if coloured == plainText || !strings.Contains(coloured, "\x1b[1m") {
			t.Errorf("%s: there is no colour", name)
		}
		for _, s := range []style{bold, dim, red, green, yellow, "0"} {
			coloured = strings.ReplaceAll(coloured, "\x1b["+string(s)+"m", "")
		}
		if coloured != plainText {
			t.Errorf("%s: with colours it says something else:\n%s", name, coloured)
		}
	}
}

func TestWhatItWaitsFor(t *testing.T) {
	at := apitest.At()
	for _, test := range []struct {
		name   string
		change func(*api.Explanation)
		want   string
	}{
		{"stands", func(*api.Explanation) {}, "What was seen to end"},
		{"momentary", func(e *api.Explanation) { e.Entry.Evidence[0].Standing = false }, "gone after 6 more ticks"},
		{"over", func(e *api.Explanation) { e.Entry.Over = true }, "The next tick drops it"},
		{"parked", func(e *api.Explanation) { e.Place = "parked" }, "Room in its list"},
		{"confirmed", func(e *api.Explanation) { e.Incident.Confirmed = true }, "once it is no longer followed"},
		{"confirmed insight", func(e *api.Explanation) { e.Incident.Confirmed, e.Incident.Promoted = true, true }, "which made it an insight"},
		{"dropped", func(e *api.Explanation) { e.Place = "dropped" }, "gone from the mind"},
		{"due", func(e *api.Explanation) { e.Entry.Due = at.Add(time.Hour) }, "Its time comes in 1 hour (15:05)"},
		{"closed", func(e *api.Explanation) {
			e.Incident.Closed = &subconscious.Closure{At: at, Standing: true, Severity: subconscious.Warning}
		}, "comes back if it becomes critical, or appears anew"},
		{"closed while plain", func(e *api.Explanation) {
			e.Incident.Closed = &subconscious.Closure{At: at, Standing: true}
		}, "comes back if it gets worse, or appears anew"},
		{"closed while critical", func(e *api.Explanation) {
			e.Incident.Closed = &subconscious.Closure{At: at, Standing: true, Severity: subconscious.Critical}
		}, "comes back if it appears anew"},
		{"closed and ended", func(e *api.Explanation) {
			e.Incident.Closed = &subconscious.Closure{At: at, Standing: true, WentAway: true}
		}, "comes back if it appears anew"},
		{"closed for a week", func(e *api.Explanation) {
			e.Incident.Closed = &subconscious.Closure{At: at, Expires: at.Add(7 * 24 * time.Hour)}
		}, "in 7 days"},
		{"closed for ever", func(e *api.Explanation) { e.Incident.Closed = &subconscious.Closure{At: at, Forever: true} }, "comes back where it is critical"},
	} {
		e := apitest.Busy().Reasons["w-backup-a2c"]
		test.change(&e)
		got := Draw(View{At: at, Zone: time.UTC, Width: 120}, "Why", e, Shown{})
		if _, tail, _ := strings.Cut(got, "What it waits for"); !strings.Contains(tail, test.want) {
			t.Errorf("%s: %q is not in %s", test.name, test.want, tail)
		}
	}
}

func TestLongStoriesAreCut(t *testing.T) {
	e := apitest.Busy().Reasons["w-backup-a2c"]
	for n := range 100 {
		step := e.Steps[len(e.Steps)-1]
		step.Tick++
		step.Change.From, step.Change.To = n%2, n%2+1
		e.Steps = append(e.Steps, step)
	}
	view := View{At: apitest.At(), Zone: time.UTC, Width: 80}
	short, long := Draw(view, "Why", e, Shown{}), Draw(view, "Why", e, Shown{All: true})
	if n := strings.Count(short, "\n  tick "); n != maxSteps || !strings.Contains(short, "85 earlier steps") {
		t.Errorf("%d steps are shown:\n%s", n, short)
	}
	if n := strings.Count(long, "\n  tick "); n != 105 {
		t.Errorf("with all, %d steps are shown", n)
	}
}

func BenchmarkStatus(b *testing.B) {
	for _, width := range []int{80, 120} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			view := View{At: apitest.At(), Zone: time.UTC, Width: width, Colour: true}
			status := apitest.Degraded().Now
			b.ReportAllocs()
			for b.Loop() {
				if Draw(view, "Status", status) == "" {
					b.Fatal("nothing was drawn")
				}
			}
		})
	}
}

func TestMoney(t *testing.T) {
	for _, test := range []struct {
		amount float64
		want   string
	}{{0, "0.00"}, {-1, "0.00"}, {1, "1.00"}, {0.955, "0.95"}, {0.0132, "0.01"}, {0.0021, "0.002"}, {0.00004, "0.00004"}, {1e-9, "0.00001"}, {1234.5, "1234.50"}} {
		if got := money(test.amount); got != test.want {
			t.Errorf("%v is written %q, want %q", test.amount, got, test.want)
		}
	}
	for n, want := range map[int]string{0: "0", 12: "12", 999: "999", 1000: "1,000", 220400: "220,400", 5000000: "5,000,000", -1200: "-1,200"} {
		if got := thousands(n); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
}

func TestSince(t *testing.T) {
	view := View{At: apitest.At(), Zone: time.FixedZone("test", 2*60*60)}
	for text, want := range map[string]string{
		"24h": "2026-03-13T14:05:30Z", "90m": "2026-03-14T12:35:30Z", "7d": "2026-03-07T14:05:30Z",
		"2026-03-01": "2026-02-28T22:00:00Z", "2026-03-01 12:00": "2026-03-01T10:00:00Z", "2026-03-01T12:00:00Z": "2026-03-01T12:00:00Z",
		"": "", "0h": "", "-3h": "", "0d": "", "7dd": "", "99999d": "", "07d": "", "yesterday": "", "2026-04-01": "", "2026-13-01": "",
	} {
		since, ok := Since(view, text)
		if ok != (want != "") || ok && since.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: %v %v, want %q", text, since, ok, want)
		}
	}
}

func TestThinker(t *testing.T) {
	for _, test := range []struct{ mode, model, usual, want string }{
		{"reflex", "", "", "reflex"},
		{"model", "", "zai/glm-5", "zai/glm-5"},
		{"model", "zai/glm-5", "zai/glm-5", "zai/glm-5"},
		{"model", "ollama/qwen3:8b", "zai/glm-5", "ollama/qwen3:8b in place of zai/glm-5"},
		{"reflex", "", "zai/glm-5", "reflex in place of zai/glm-5"},
	} {
		if got := thinker(test.mode, test.model, test.usual); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

// TestFailuresAreSaidOnce: what the reason says is not said again, and of what
// went wrong before an answer the last is shown, in two lines at most.
func TestFailuresAreSaidOnce(t *testing.T) {
	long := strings.Repeat("it answered with prose ", 20)
	for name, c := range map[string]struct {
		report    api.ThreadReport
		want, not string
	}{
		"by rules": {api.ThreadReport{Mode: "reflex", Usual: "lab/one", Reason: "lab/one: no answer", Failures: []string{"lab/one: no answer"}}, "! watcher   by rules", "before it"},
		"by a fallback": {api.ThreadReport{Mode: "model", Usual: "lab/one", Model: "lab/two", Reason: "lab/one: no answer; lab/two thought in its place",
			Failures: []string{"lab/one: no answer"}}, "! watcher   stand-in", "before it"},
		"failed":        {api.ThreadReport{Mode: "failed", Usual: "lab/one", Reason: "no answer", Failures: []string{"no answer"}}, "✗ watcher   failed", "before it"},
		"then answered": {api.ThreadReport{Mode: "model", Model: "lab/one", Failures: []string{long}}, "before it: it answered", "well " + long},
		"at last":       {api.ThreadReport{Mode: "model", Model: "lab/one", Failures: []string{"first", "second"}}, "2 failures before it, last: second", "first"},
	} {
		t.Run(name, func(t *testing.T) {
			c.report.Name = "watcher"
			got := Draw(View{Width: 80, At: apitest.At(), Zone: time.UTC}, "Thought", []api.ThreadReport{c.report})
			if !strings.Contains(got, c.want) || strings.Contains(got, c.not) || strings.Count(got, "\n") > 6 {
				t.Errorf("got:\n%s", got)
			}
		})
	}
}

// TestNarrowScreensKeepTheirWidthForWords: what is said of a thread stands
// below its name.
func TestNarrowScreensKeepTheirWidthForWords(t *testing.T) {
	page := newPage(View{Width: 40, At: apitest.At(), Zone: time.UTC})
	page.render(string(health("ok", "watcher", "nothing new in its field")))
	if got, want := page.String(), "  ✓ watcher   well\n    nothing new in its field\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLimitsSayWhatTheyAre: one with something left is not called reached.
func TestLimitsSayWhatTheyAre(t *testing.T) {
	page := newPage(View{Width: 80, At: apitest.At(), Zone: time.UTC})
	got := page.exhausted(api.BudgetStatus{Limits: []api.LimitStatus{
		{Name: "money_per_day", Used: 0.77, Limit: 1, Exhausted: true}, {Name: "watcher.calls_per_day", Used: 4, Limit: 4, Exhausted: true}, {Name: "tokens_per_day", Used: 4, Limit: 5},
		{Name: "exploration_calls_per_day", Limit: 0, Exhausted: true}, {Name: "exploration_calls_per_day", Used: 4, Limit: 4, Exhausted: true}}})
	want := []string{"the limit of money per day has no room for some calls ($0.77 of $1.00): rules think instead", "the limit of calls per day for watcher is reached (4 of 4): rules think instead",
		"the limit of exploration calls per day is reached (4 of 4): where nothing is new, rules look further afield"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLongReasonsAreSaidOnce: of several threads with the same reason the first
// says it, and whoever thought is not named twice.
func TestLongReasonsAreSaidOnce(t *testing.T) {
	const reason = "lab/one: the key of lab cannot be had: there is no such file; make it"
	got := Draw(View{Width: 80, At: apitest.At(), Zone: time.UTC}, "Status", api.Status{Threads: []api.ThreadStatus{
		{Name: "watcher", Mode: "reflex", State: "ok", Usual: "lab/one", Reason: reason},
		{Name: "oracle", Mode: "reflex", State: "ok", Usual: "lab/one", Reason: reason},
		{Name: "dreamer", Mode: "reflex", State: "ok", Usual: "lab/one", Reason: "short"},
	}})
	if strings.Count(got, "the key of lab") != 1 || !strings.Contains(got, "by rules   the same as of the watcher · has") || strings.Count(got, "in place of") != 1 {
		t.Errorf("got:\n%s", got)
	}
}

// TestUnaskedModelsAreNotCalledWell: nobody knows how they are.
func TestUnaskedModelsAreNotCalledWell(t *testing.T) {
	one, two := api.ModelStatus{Provider: "a", Model: "one", State: api.ModelOK}, api.ModelStatus{Provider: "b", Model: "two", State: api.ModelUnused}
	for _, c := range []struct {
		models []api.ModelStatus
		want   string
	}{
		{[]api.ModelStatus{one}, "well: a/one"},
		{[]api.ModelStatus{two, two}, "not yet asked: b/two"},
		{[]api.ModelStatus{one, two}, "well: a/one · not yet asked: b/two"},
	} {
		if got := modelWords(c.models); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
