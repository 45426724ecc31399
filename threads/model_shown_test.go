package threads_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// TestShown: what stands beside, and what tools brought, is shown; what found
// no room is not.
func TestShown(t *testing.T) {
	standing, due := event("meeting", clock("2026-11-24 10:00")), event("dentist", clock("2026-11-25 09:00"))
	standing.Trust, due.Trust = subconscious.Owner, subconscious.Outsider
	snapshot := snapshotOf(subconscious.Field{New: []subconscious.Observation{disk()}, Standing: []subconscious.Observation{standing}})
	snapshot.World = shelf{standing, due, disk()}
	for i := range 300 {
		field := snapshot.Fields["watcher"]
		field.New = append(field.New, subconscious.Observation{ID: fmt.Sprint(i), Sense: "mail", Seq: int64(2000 + i), Change: subconscious.Appeared, Title: strings.Repeat("long ", 38)})
		snapshot.Fields["watcher"] = field
	}
	registry, err := threads.NewRegistry(threads.RegistryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := &script{answers: []func(context.Context, models.Request) (models.Answer, error){asks("list_events", `{"days":3}`), asks("none", `{}`), asks("list_events", `{"days":"many"}`), says(nothing)}}
	thread, _ := newModel(t, s, func(o *threads.ModelOptions) { o.Tools = registry })
	got, err := thread.Think(t.Context(), snapshot)
	if err != nil || got.Mode != threads.Model || got.Calls != 4 {
		t.Fatalf("%+v %v", got, err)
	}
	if want := slices.Sorted(slices.Values([]subconscious.Ref{standing.Ref(), due.Ref()})); !slices.Equal(got.Shown, want) {
		t.Errorf("shown are %q", got.Shown)
	}
	if len(got.Unshown) == 0 || slices.Contains(got.Unshown, disk().Ref()) {
		t.Errorf("%d are left out", len(got.Unshown))
	}
	for _, ref := range got.Unshown {
		if strings.Contains(s.requests[0].Messages[0].Text, string(ref)) {
			t.Fatalf("%s is said to be left out, and is there", ref)
		}
	}
	last := s.requests[3].Messages
	var results []string
	for _, m := range last {
		if m.Role == models.ToolRole {
			results = append(results, m.Text)
		}
	}
	if len(results) != 3 || !strings.Contains(results[0], "["+string(due.Ref())+"]") || !strings.Contains(results[1], `there is no tool "none"`) || !strings.Contains(results[2], "not as the tool's schema has them") {
		t.Errorf("%q", results)
	}
}

func TestNewModelRefuses(t *testing.T) {
	good := threads.ModelOptions{Name: "watcher", Asker: threads.Asker{Problem: "no key"}, Prompts: set(t), Reflex: reflexive()}
	for name, change := range map[string]func(*threads.ModelOptions){
		"no reflex":      func(o *threads.ModelOptions) { o.Reflex = nil },
		"another reflex": func(o *threads.ModelOptions) { o.Name = "oracle" },
		"no prompts":     func(o *threads.ModelOptions) { o.Prompts = nil },
		"no model":       func(o *threads.ModelOptions) { o.Asker.Problem = "" },
	} {
		options := good
		change(&options)
		if _, err := threads.NewModel(options); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	if _, err := threads.NewModel(good); err != nil {
		t.Error(err)
	}
}

// FuzzThought: whatever a model answers, there is a thought within its bounds,
// or reflex thinking looks.
func FuzzThought(f *testing.F) {
	for _, seed := range []string{nothing, `{"findings":[{"kind":"anomaly","summary":"Disk","importance":6,"evidence":["health:abcdefghij@3"],"due":"2026-11-24T03:00:00+01:00","escalate":true}]}`,
		`{"findings":[{"kind":"anomaly","summary":"^^","importance":1e0,"evidence":["w-a-1"]}],"suggested_focus":null,"journal":"\u0000"}`, "```json\n{\"findings\":[]}\n```", "{", ""} {
		f.Add(seed)
	}
	prompts := set(f)
	f.Fuzz(func(t *testing.T, text string) {
		s := &script{answers: []func(context.Context, models.Request) (models.Answer, error){says(text), says(text)}}
		thread, _ := newModel(t, s, func(o *threads.ModelOptions) { o.Prompts = prompts })
		got, err := thread.Think(t.Context(), twoNew())
		if err != nil {
			t.Fatal(err)
		}
		if got.Mode == threads.Reflex {
			return
		}
		if len(got.Thought.Findings) > 3 || len([]rune(got.Thought.Journal)) > 280 || len(got.Thought.Over) > 0 {
			t.Fatalf("%+v", got.Thought)
		}
		for _, f := range got.Thought.Findings {
			if f.Importance < 1 || f.Importance > 10 || len(f.Evidence) == 0 || len(f.Evidence) > 8 || len(f.Summary) > subconscious.SummaryBytes || f.Summary != subconscious.Printable(f.Summary) {
				t.Fatalf("%+v", f)
			}
		}
	})
}

// instant answers at once.
type instant struct{}

func (instant) Generate(context.Context, models.Request) (models.Answer, error) {
	return models.Answer{Text: fmt.Sprintf(`{"findings":[{"kind":"anomaly","summary":"Disk /var is nearly full","importance":6,"evidence":["%s"]}]}`, disk().Ref()), By: groq, Attempts: 1,
		Usage: models.Usage{Input: 1000, Output: 50, Known: true}}, nil
}

// BenchmarkModelThread is what a model thread takes around a model that answers
// at once: the prompt of two new observations, and of a full field.
func BenchmarkModelThread(b *testing.B) {
	large := twoNew()
	field := large.Fields["watcher"]
	for i := range 60 {
		field.New = append(field.New, subconscious.Observation{ID: fmt.Sprint(i), Sense: "mail", Seq: int64(2000 + i), Change: subconscious.Appeared, Title: strings.Repeat("title ", 15),
			Text: strings.Repeat("some more of the text ", 180), Trust: subconscious.Outsider})
		field.Standing = append(field.Standing, event(fmt.Sprint(i), clock("2026-11-24 10:00")))
	}
	large.Fields["watcher"] = field
	for name, snapshot := range map[string]subconscious.Snapshot{"two": twoNew(), "full": large} {
		b.Run(name, func(b *testing.B) {
			thread, _ := newModel(b, instant{}, nil)
			b.ReportAllocs()
			for b.Loop() {
				if got, err := thread.Think(b.Context(), snapshot); err != nil || got.Mode != threads.Model {
					b.Fatal(got.Reason, err)
				}
			}
		})
	}
}

// TestNoAllowanceIsNoFailure: a model that may not be asked, since exploring is
// used up, has not failed: reflex looks, and says why.
func TestNoAllowanceIsNoFailure(t *testing.T) {
	wider := snapshotOf(subconscious.Field{Wider: []subconscious.Observation{landlord()}, Ahead: threads.Ahead})
	none := &models.Error{Kind: models.KindBudget, By: groq, Text: "budget: none", Err: &budget.Refusal{Limit: budget.ExplorationCallsPerDay}}
	money := &models.Error{Kind: models.KindBudget, By: groq, Text: "budget: money", Err: &budget.Refusal{Limit: budget.MoneyPerDay}}
	both, mixed := *none, *none
	both.Passed, mixed.Passed = []*models.Error{none}, []*models.Error{money}
	for name, c := range map[string]struct {
		failure  *models.Error
		failures int
	}{"one model": {none, 0}, "a fallback too": {&both, 0}, "another limit": {money, 1}, "another limit before": {&mixed, 2}} {
		t.Run(name, func(t *testing.T) {
			thread, _ := newModel(t, &script{answers: []func(context.Context, models.Request) (models.Answer, error){fails(c.failure)}}, nil)
			answer, err := thread.Think(context.Background(), wider)
			if err != nil || answer.Mode != threads.Reflex || len(answer.Failures) != c.failures || !strings.Contains(answer.Reason, "the budget of") {
				t.Errorf("%s, %q, failures %q, %v; want %d failures", answer.Mode, answer.Reason, answer.Failures, err, c.failures)
			}
		})
	}
}

// TestWholeNumbersAreWhole: 7.0 is as good as 7, and costs no second question.
func TestWholeNumbersAreWhole(t *testing.T) {
	for importance, calls := range map[string]int{"7": 1, "7.0": 1, "7e0": 1, "7.5": 2} {
		said := fmt.Sprintf(`{"findings":[{"kind":"anomaly","summary":"the disk is nearly full","importance":%s,"evidence":[%q]}],"journal":""}`, importance, disk().Ref())
		generator := &script{answers: []func(context.Context, models.Request) (models.Answer, error){says(said), says(nothing)}}
		thread, _ := newModel(t, generator, nil)
		answer, err := thread.Think(context.Background(), twoNew())
		if err != nil || len(generator.requests) != calls || calls == 1 && answer.Thought.Findings[0].Importance != 7 {
			t.Errorf("%s: %d questions, %+v, %v; want %d", importance, len(generator.requests), answer.Thought, err, calls)
		}
	}
}

// TestToolsShowWhatHadNoRoom: what found no room in the prompt and was then
// shown by a tool may be cited, and is no longer new.
func TestToolsShowWhatHadNoRoom(t *testing.T) {
	field := subconscious.Field{Ahead: threads.Ahead}
	for i := range 300 {
		o := disk()
		o.ID, o.Seq, o.Severity = fmt.Sprintf("disk:%d", i), int64(i), subconscious.Plain
		o.Title = strings.Repeat("the disk is large ", 15)
		field.New = append(field.New, o)
	}
	last := field.New[len(field.New)-1]
	snapshot := snapshotOf(field)
	snapshot.World = shelf{last}
	registry, err := threads.NewRegistry(threads.RegistryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	thread, _ := newModel(t, &script{answers: []func(context.Context, models.Request) (models.Answer, error){asks("health", "{}"), says(nothing)}},
		func(o *threads.ModelOptions) { o.Tools = registry })
	answer, err := thread.Think(context.Background(), snapshot)
	if err != nil || len(answer.Unshown) == 0 || slices.Contains(answer.Unshown, last.Ref()) {
		t.Errorf("%v; of %d unshown, the last one is among them: %v", err, len(answer.Unshown), slices.Contains(answer.Unshown, last.Ref()))
	}
}
