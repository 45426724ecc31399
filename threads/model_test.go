package threads_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// groq is the model of the tests.
var groq = models.Identity{Provider: "groq", Model: "llama-3.3-70b"}

// script answers requests one after another, and keeps them.
type script struct {
	answers  []func(context.Context, models.Request) (models.Answer, error)
	requests []models.Request
}

var _ models.Generator = (*script)(nil)

func (s *script) Generate(ctx context.Context, request models.Request) (models.Answer, error) {
	s.requests = append(s.requests, request)
	if len(s.requests) > len(s.answers) {
		return models.Answer{}, &models.Error{Kind: models.KindServer, By: groq, Text: "there are no more answers", Attempts: 1}
	}
	return s.answers[len(s.requests)-1](ctx, request)
}

// says is an answer of 1,000 tokens in and 50 out, of which 600 had been kept,
// for a tenth of a cent.
func says(text string) func(context.Context, models.Request) (models.Answer, error) {
	return func(context.Context, models.Request) (models.Answer, error) {
		return models.Answer{Text: text, Stop: "end", By: groq, Attempts: 1, Usage: models.Usage{Input: 1000, Cached: 600, Output: 50, Known: true}, Cost: budget.Dollar / 1000}, nil
	}
}

func fails(err *models.Error) func(context.Context, models.Request) (models.Answer, error) {
	return func(context.Context, models.Request) (models.Answer, error) { return models.Answer{}, err }
}

func asks(name, arguments string) func(context.Context, models.Request) (models.Answer, error) {
	return func(context.Context, models.Request) (models.Answer, error) {
		return models.Answer{Calls: []models.ToolCall{{ID: "1", Name: name, Arguments: []byte(arguments)}}, Stop: "tools", By: groq, Attempts: 1,
			Usage: models.Usage{Input: 900, Output: 20, Known: true}}, nil
	}
}

const nothing = `{"findings":[],"journal":""}`

// disk and landlord are what is new.
func disk() subconscious.Observation {
	return subconscious.Observation{ID: "disk:/var", Sense: "health", Kind: "disk", Change: subconscious.Changed, Seq: 1182, At: clock("2026-11-23 12:00"),
		Trust: subconscious.Machine, Title: "Disk /var is 91 % full", Severity: subconscious.Warning}
}

func landlord() subconscious.Observation {
	return subconscious.Observation{ID: "mid:1@example.com", Sense: "mail", Change: subconscious.Appeared, Seq: 1180, At: clock("2026-11-23 12:00"),
		Trust: subconscious.Outsider, Title: "Jonas Weber: the contract", Text: "Please send it by Friday."}
}

func snapshotOf(field subconscious.Field) subconscious.Snapshot {
	at := clock("2026-11-23 12:00")
	fields := map[subconscious.ThreadName]subconscious.Field{}
	for _, name := range subconscious.Threads() {
		fields[name] = field
	}
	return subconscious.Snapshot{Tick: 7, At: at, Zone: at.Location(), Kind: subconscious.Scheduled, World: shelf{disk(), landlord()}, Fields: fields,
		State: subconscious.State{Entries: []subconscious.Entry{{ID: "w-old-1", List: subconscious.ActiveThreads, Kind: subconscious.KindAnomaly, Summary: "Old"}}}}
}

func twoNew() subconscious.Snapshot {
	return snapshotOf(subconscious.Field{New: []subconscious.Observation{landlord(), disk()}, Ahead: threads.Ahead})
}

// reflexive is the fall-back of the tests: it finds one thing.
func reflexive() *mind { return &mind{name: "watcher", think: finds("by reflex", 0)} }

func set(t testing.TB) *prompts.Set {
	t.Helper()
	s, err := prompts.Open("")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newModel(t testing.TB, generator models.Generator, change func(*threads.ModelOptions)) (*threads.ModelThread, *mind) {
	t.Helper()
	reflex := reflexive()
	options := threads.ModelOptions{Name: "watcher", Asker: threads.Asker{Generator: generator, Identity: groq}, Prompts: set(t), Reflex: reflex, Redact: redact.Text}
	if change != nil {
		change(&options)
	}
	thread, err := threads.NewModel(options)
	if err != nil {
		t.Fatal(err)
	}
	return thread, reflex
}

// TestModelFinds: what a model answers becomes a thought, cleaned and bounded.
func TestModelFinds(t *testing.T) {
	s := &script{answers: []func(context.Context, models.Request) (models.Answer, error){says("<think>hm</think>```json\n" + fmt.Sprintf(`{"findings":[
		{"kind":"anomaly","summary":"«abcde Disk /var abcde» will be full \u0007 at 03:00, password=%s","importance":7,"evidence":["[%s@1182]","%s"," mail:aaaaaaaaaa "],
		 "reinforces":["w-old-1","w-none-1"],"due":"2026-11-24T03:00","escalate":true,"escalate_reason":"It is full tonight.",},
		{"kind":"observation","summary":"%s","importance":3,"evidence":["%s"],"due":null,"escalate":true,"escalate_reason":null,"reinforces":[]}],
		"suggested_focus":{"thread":"oracle","hint":"the contract"},"journal":"%s","over":["files:x"]}`,
		"hunter2secret", disk().Ref(), disk().Ref(), strings.Repeat("word ", 40), landlord().Ref(), strings.Repeat("ä", 400)) + "\n```")}}
	temperature := 0.3
	thread, reflex := newModel(t, s, func(o *threads.ModelOptions) {
		o.Asker.Request = models.Request{MaxTokens: 900, Temperature: &temperature, Thinking: 5}
	})
	got, err := thread.Think(t.Context(), twoNew())
	if err != nil {
		t.Fatal(err)
	}
	if got.Mode != threads.Model || got.Model != "groq/llama-3.3-70b" || got.Reason != "" || reflex.asked.Load() != 0 || thread.Mode() != threads.Model || thread.Name() != "watcher" {
		t.Errorf("%+v", got)
	}
	if got.Calls != 1 || got.Tokens != 1050 || got.Cached != 600 || got.Cost != budget.Dollar/1000 || len(got.Failures) != 0 {
		t.Errorf("it took %d calls, %d tokens, %d of them cached, %s: %q", got.Calls, got.Tokens, got.Cached, got.Cost, got.Failures)
	}
	f := got.Thought.Findings
	if len(f) != 2 || f[0].Kind != subconscious.KindAnomaly || f[0].Rule != "model groq/llama-3.3-70b" || f[0].Importance != 7 || !f[0].Escalate || f[0].EscalateReason != "It is full tonight." {
		t.Fatalf("%+v", f)
	}
	if !strings.HasPrefix(f[0].Summary, "Disk /var will be full at 03:00, password=[redacted:") || strings.Contains(f[0].Summary, "hunter2") {
		t.Errorf("%q", f[0].Summary)
	}
	if want := []string{string(disk().Ref()) + "@1182", string(disk().Ref()), "mail:aaaaaaaaaa"}; !slices.Equal(f[0].Evidence, want) {
		t.Errorf("%q", f[0].Evidence)
	}
	if !f[0].Due.Equal(clock("2026-11-24 03:00")) || !f[1].Due.IsZero() || !slices.Equal(f[0].Reinforces, []subconscious.EntryID{"w-old-1"}) {
		t.Errorf("due %s, reinforces %q", f[0].Due, f[0].Reinforces)
	}
	if len(f[1].Summary) > subconscious.SummaryBytes || f[1].EscalateReason != f[1].Summary {
		t.Errorf("%q %q", f[1].Summary, f[1].EscalateReason)
	}
	if focus := got.Thought.Focus; focus == nil || focus.Thread != "oracle" || focus.Hint != "the contract" || got.Thought.Over != nil {
		t.Errorf("%+v, %v", focus, got.Thought.Over)
	}
	if n := len([]rune(got.Thought.Journal)); n != prompts.JournalLength {
		t.Errorf("the journal has %d characters", n)
	}
	asked := s.requests[0]
	if p := asked.Purpose; p.Role != "watcher" || p.Tick != 7 || p.Exploration || !p.At.Equal(clock("2026-11-23 12:00")) {
		t.Errorf("%+v", p)
	}
	if asked.MaxTokens != 900 || asked.Temperature != &temperature || asked.Thinking != 5 || asked.Schema == nil || !strings.Contains(string(asked.Schema.JSON), `"enum":["observation","anomaly"]`) || len(asked.Tools) != 0 {
		t.Errorf("%+v", asked)
	}
	if !strings.Contains(asked.System, "# The watcher") || !strings.Contains(asked.Messages[0].Text, "["+string(disk().Ref())+"@1182] health · changed · warning · Disk /var") {
		t.Errorf("%s", asked.Messages[0].Text)
	}
}

// TestModelIsSilent: to find nothing is an answer, and nobody else is asked.
func TestModelIsSilent(t *testing.T) {
	for _, text := range []string{nothing, `{"findings":[]}`, "I see nothing.\n{\"findings\": []}"} {
		thread, reflex := newModel(t, &script{answers: []func(context.Context, models.Request) (models.Answer, error){says(text)}}, nil)
		got, err := thread.Think(t.Context(), twoNew())
		if err != nil || got.Mode != threads.Model || len(got.Thought.Findings) != 0 || reflex.asked.Load() != 0 || got.Reason != "" || len(got.Failures) > 0 {
			t.Errorf("%q: %+v %v", text, got, err)
		}
	}
}

// TestModelIsShownNoClutter: letters to many are for rules to score. Where nothing
// else is new no model is asked, and the rules see all.
func TestModelIsShownNoClutter(t *testing.T) {
	clutter := subconscious.Observation{ID: "mid:n", Sense: "mail", Kind: "mail", Seq: 9, Change: subconscious.Appeared, Title: "Newsletter", Attrs: map[string]string{"bulk": "true"}}
	s := &script{answers: []func(context.Context, models.Request) (models.Answer, error){says(nothing)}}
	thread, reflex := newModel(t, s, nil)
	if got, err := thread.Think(t.Context(), snapshotOf(subconscious.Field{New: []subconscious.Observation{clutter}})); err != nil || got.Mode != threads.Reflex || reflex.asked.Load() != 1 || len(s.requests) > 0 {
		t.Errorf("%+v %v, %d requests", got, err, len(s.requests))
	}
	snapshot := snapshotOf(subconscious.Field{New: []subconscious.Observation{disk(), clutter}})
	if _, err := thread.Think(t.Context(), snapshot); err != nil || strings.Contains(s.requests[0].Messages[0].Text, "Newsletter") || len(snapshot.Fields["watcher"].New) != 2 {
		t.Errorf("%v, %q", err, s.requests[0].Messages[0].Text)
	}
}

// TestModelFails: whatever goes wrong, reflex thinking looks, and the reason
// says what and until when.
func TestModelFails(t *testing.T) {
	at := clock("2026-11-23 12:00")
	midnight := clock("2026-11-24 00:00")
	wrong := says(`{"findings":[{"kind":"anomaly","summary":"x","importance":5,"evidence":["my own words"]}]}`)
	refuse := func(r budget.Refusal) *models.Error {
		return &models.Error{Kind: models.KindBudget, By: groq, Text: "it may not be paid for", Err: &r}
	}
	for name, c := range map[string]struct {
		answers []func(context.Context, models.Request) (models.Answer, error)
		reason  []string
		calls   int
	}{
		"429": {[]func(context.Context, models.Request) (models.Answer, error){fails(&models.Error{Kind: models.KindRate, By: groq, Status: 429, Text: "it answered 429, too many requests", RetryAfter: 5 * time.Minute, Attempts: 2})},
			[]string{"groq/llama-3.3-70b: it answered 429, too many requests until 12:05"}, 2},
		"no key": {[]func(context.Context, models.Request) (models.Answer, error){fails(&models.Error{Kind: models.KindKey, By: groq, Text: "there is no key", Next: "set GROQ_API_KEY"})},
			[]string{"there is no key (set GROQ_API_KEY)"}, 0},
		"resting": {[]func(context.Context, models.Request) (models.Answer, error){fails(&models.Error{Kind: models.KindResting, By: groq, Text: "it is not asked until 12:10:00", RetryAfter: time.Minute})},
			[]string{"it is not asked until 12:10:00"}, 0},
		"today's money":  {[]func(context.Context, models.Request) (models.Answer, error){fails(refuse(budget.Refusal{Limit: budget.MoneyPerDay, Allowed: 5, Used: 5, Worst: 1, Until: midnight}))}, []string{"the budget of money for today has no room for a call until midnight"}, 0},
		"own calls":      {[]func(context.Context, models.Request) (models.Answer, error){fails(refuse(budget.Refusal{Limit: budget.CallsPerDay, Role: "watcher", Allowed: 5, Used: 5, Worst: 1, Until: at.Add(time.Hour)}))}, []string{"calls of models for today for the watcher has no room", "until 13:00"}, 0},
		"this month's":   {[]func(context.Context, models.Request) (models.Answer, error){fails(refuse(budget.Refusal{Limit: budget.MoneyPerMonth, Allowed: 5, Used: 5, Worst: 1, Until: clock("2026-12-01 00:00")}))}, []string{"money for this month", "until Tue 1 December 00:00"}, 0},
		"none allowed":   {[]func(context.Context, models.Request) (models.Answer, error){fails(refuse(budget.Refusal{Limit: budget.MoneyPerDay}))}, []string{"money_per_day is 0"}, 0},
		"too dear":       {[]func(context.Context, models.Request) (models.Answer, error){fails(refuse(budget.Refusal{Limit: budget.TokensPerDay, Allowed: 5, Worst: 9}))}, []string{"tokens for today is less than a single call could take (raise tokens_per_day)"}, 0},
		"prose twice":    {[]func(context.Context, models.Request) (models.Answer, error){says("All is well."), says("Really.")}, []string{"cannot be used"}, 2},
		"wrong evidence": {[]func(context.Context, models.Request) (models.Answer, error){wrong, wrong}, []string{"cannot be used", "findings[0].evidence"}, 2},
		"another error": {[]func(context.Context, models.Request) (models.Answer, error){func(context.Context, models.Request) (models.Answer, error) {
			return models.Answer{}, errors.New("the moon is full, password: hunter2secret99")
		}}, []string{"the moon is full, password: [redacted:"}, 1},
		"a panic": {[]func(context.Context, models.Request) (models.Answer, error){func(context.Context, models.Request) (models.Answer, error) { panic("x") }}, []string{"by a fault in this program"}, 0},
		"all fallbacks": {[]func(context.Context, models.Request) (models.Answer, error){fails(&models.Error{Kind: models.KindServer, By: models.Identity{Provider: "ollama", Model: "qwen"}, Text: "it is not there", Attempts: 1,
			Passed: []*models.Error{{Kind: models.KindServer, By: groq, Text: "it answered 503", Attempts: 2}}})}, []string{"groq/llama-3.3-70b: it answered 503; ollama/qwen: it is not there"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			thread, reflex := newModel(t, &script{answers: c.answers}, nil)
			got, err := thread.Think(t.Context(), twoNew())
			if err != nil || got.Mode != threads.Reflex || reflex.asked.Load() != 1 || len(got.Thought.Findings) != 1 || got.Model != "" {
				t.Fatalf("%+v %v", got, err)
			}
			for _, want := range c.reason {
				if !strings.Contains(got.Reason, want) {
					t.Errorf("%q is not in %q", want, got.Reason)
				}
			}
			if got.Calls != c.calls || len(got.Failures) == 0 || strings.Contains(got.Reason+strings.Join(got.Failures, ""), "hunter2") {
				t.Errorf("%d calls, %q", got.Calls, got.Failures)
			}
			if c.calls > 1 && name != "429" && name != "all fallbacks" && (got.Tokens != c.calls*1050 || got.Cost == 0) {
				t.Errorf("what it took is lost: %d tokens, %s", got.Tokens, got.Cost)
			}
		})
	}
	missing, reflex := newModel(t, nil, func(o *threads.ModelOptions) { o.Asker.Problem = "GROQ_API_KEY is not set" })
	if got, err := missing.Think(t.Context(), twoNew()); err != nil || got.Mode != threads.Reflex || got.Reason != "GROQ_API_KEY is not set" || reflex.asked.Load() != 1 || got.Calls != 0 {
		t.Errorf("%+v %v", got, err)
	}
}

// TestSecondAnswerCounts: what was wrong is told once, and the second answer
// counts.
func TestSecondAnswerCounts(t *testing.T) {
	good := fmt.Sprintf(`{"findings":[{"kind":"anomaly","summary":"Disk /var is nearly full","importance":6,"evidence":["%s"]}]}`, disk().Ref())
	for name, c := range map[string]struct{ first, told string }{
		"garbage as evidence": {`{"findings":[{"kind":"anomaly","summary":"x","importance":5,"evidence":["the disk"]}]}`, "findings[0].evidence"},
		"no evidence":         {`{"findings":[{"kind":"anomaly","summary":"x","importance":5,"evidence":[]}]}`, "findings[0].evidence: is empty"},
		"importance 11":       {`{"findings":[{"kind":"anomaly","summary":"x","importance":11,"evidence":["mail:aaaaaaaaaa"]}]}`, "importance"},
		"another's kind":      {`{"findings":[{"kind":"deadline","summary":"x","importance":5,"evidence":["mail:aaaaaaaaaa"]}]}`, "kind"},
		"no summary":          {`{"findings":[{"kind":"anomaly","summary":" ","importance":5,"evidence":["mail:aaaaaaaaaa"]}]}`, "findings[0].summary: is empty"},
		"no time":             {`{"findings":[{"kind":"anomaly","summary":"x","importance":5,"evidence":["mail:aaaaaaaaaa"],"due":"soon"}]}`, "findings[0].due"},
		"no year":             {`{"findings":[{"kind":"anomaly","summary":"x","importance":5,"evidence":["mail:aaaaaaaaaa"],"due":"9999-12-31T23:59:59Z"}]}`, "findings[0].due"},
		"four findings":       {`{"findings":[` + strings.Repeat(`{"kind":"anomaly","summary":"x","importance":5,"evidence":["mail:aaaaaaaaaa"]},`, 3) + `{"kind":"anomaly","summary":"x","importance":5,"evidence":["mail:aaaaaaaaaa"]}]}`, "findings"},
		"prose":               {"Nothing to see.", "JSON"},
	} {
		s := &script{answers: []func(context.Context, models.Request) (models.Answer, error){says(c.first), says(good)}}
		thread, _ := newModel(t, s, nil)
		got, err := thread.Think(t.Context(), twoNew())
		if err != nil || got.Mode != threads.Model || len(got.Thought.Findings) != 1 || got.Calls != 2 || len(got.Failures) != 1 {
			t.Errorf("%s: %+v %v", name, got, err)
			continue
		}
		if last := s.requests[1].Messages; !strings.Contains(last[len(last)-1].Text, c.told) {
			t.Errorf("%s: it is told %q", name, last[len(last)-1].Text)
		}
	}
	own := `{"findings":[{"kind":"anomaly","summary":"x","importance":5,"evidence":["w-old-1"]}]}`
	thread, _ := newModel(t, &script{answers: []func(context.Context, models.Request) (models.Answer, error){says(own)}}, nil)
	if got, err := thread.Think(t.Context(), twoNew()); err != nil || got.Calls != 1 || got.Thought.Findings[0].Evidence[0] != "w-old-1" {
		t.Errorf("its own words are for the mechanics to refuse: %+v %v", got, err)
	}
}

// TestFallbackIsShown: a listed model that answered in place of the role's.
func TestFallbackIsShown(t *testing.T) {
	other := models.Identity{Provider: "ollama", Model: "qwen3"}
	thread, _ := newModel(t, &script{answers: []func(context.Context, models.Request) (models.Answer, error){func(context.Context, models.Request) (models.Answer, error) {
		return models.Answer{Text: nothing, By: other, Attempts: 1, Passed: []*models.Error{{Kind: models.KindServer, By: groq, Text: "it answered 503", Attempts: 2}}}, nil
	}}}, nil)
	got, err := thread.Think(t.Context(), twoNew())
	if err != nil || got.Mode != threads.Model || got.Model != "ollama/qwen3" || got.Reason != "groq/llama-3.3-70b: it answered 503; ollama/qwen3 thought in its place" || got.Calls != 3 || len(got.Failures) != 1 {
		t.Errorf("%+v %v", got, err)
	}
}

// TestModelLeavesTime: a model that does not answer leaves a fifth of the time
// to reflex thinking.
func TestModelLeavesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context, _ models.Request) (models.Answer, error) {
			<-ctx.Done()
			return models.Answer{}, &models.Error{Kind: models.KindTimeout, By: groq, Text: "no answer came in time", Attempts: 1, Unsure: 1}
		}
		thread, _ := newModel(t, &script{answers: []func(context.Context, models.Request) (models.Answer, error){hang}}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		began := time.Now()
		got, err := thread.Think(ctx, twoNew())
		if took := time.Since(began); took != 24*time.Second || err != nil || got.Mode != threads.Reflex || !strings.Contains(got.Reason, "no answer came in time") {
			t.Errorf("after %s: %+v %v", took, got, err)
		}
		thread, reflex := newModel(t, &script{answers: []func(context.Context, models.Request) (models.Answer, error){hang}}, nil)
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if got, err := thread.Think(ctx, twoNew()); err == nil || reflex.asked.Load() != 0 || got.Calls != 1 {
			t.Errorf("who waits no more is told so: %+v %v", got, err)
		}
	})
}

func TestReflexFailsToo(t *testing.T) {
	thread, reflex := newModel(t, &script{}, nil)
	reflex.think = func(context.Context) (subconscious.Thought, error) {
		return subconscious.Thought{}, errors.New("no idea")
	}
	got, err := thread.Think(t.Context(), twoNew())
	if err == nil || !strings.Contains(err.Error(), "there are no more answers; reflex thinking failed too: no idea") || got.Calls != 1 {
		t.Errorf("%+v %v", got, err)
	}
}

// TestExploration: a model is asked about a wider field within the allowance,
// and about nothing at all under the gate "always" alone.
func TestExploration(t *testing.T) {
	wider := snapshotOf(subconscious.Field{Wider: []subconscious.Observation{disk()}, Standing: []subconscious.Observation{landlord()}, Level: 1, Pressure: 3})
	none := snapshotOf(subconscious.Field{Level: 1, Pressure: 3, Standing: []subconscious.Observation{landlord()}})
	for _, c := range []struct {
		name     string
		gate     string
		snapshot subconscious.Snapshot
		asked    int
		explores bool
	}{
		{"something wider", threads.Adaptive, wider, 1, true}, {"nothing", threads.Adaptive, none, 0, false}, {"nothing, by default", "", none, 0, false},
		{"nothing, changed", threads.Changed, none, 0, false}, {"nothing, always", threads.Always, none, 1, true}, {"something new", threads.Always, twoNew(), 1, false},
	} {
		s := &script{answers: []func(context.Context, models.Request) (models.Answer, error){says(nothing)}}
		thread, reflex := newModel(t, s, func(o *threads.ModelOptions) { o.Gate = c.gate })
		got, err := thread.Think(t.Context(), c.snapshot)
		if err != nil || len(s.requests) != c.asked || int(reflex.asked.Load()) != 1-c.asked {
			t.Errorf("%s: %d asked, %+v %v", c.name, len(s.requests), got, err)
			continue
		}
		if c.asked == 0 && (got.Mode != threads.Reflex || !strings.Contains(got.Reason, "nothing in its field is unseen") || got.Calls+got.Tokens != 0) {
			t.Errorf("%s: %+v", c.name, got)
		}
		if c.asked == 1 && s.requests[0].Purpose.Exploration != c.explores {
			t.Errorf("%s: exploration is %v", c.name, !c.explores)
		}
	}
}
