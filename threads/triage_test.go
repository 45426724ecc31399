package threads_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// clerk judges mails as their titles say: "VERDICT Name: subject"; calls has what it
// was shown.
type clerk struct {
	verdicts map[string]string // by a word of the title
	calls    []string
	err      error
	failed   int // answers that are held against the model
}

func (c *clerk) Generate(_ context.Context, r models.Request) (models.Answer, error) {
	shown := r.Messages[0].Text
	c.calls = append(c.calls, shown)
	var all []string
	n := 0
	for line := range strings.Lines(shown) {
		if !strings.HasPrefix(line, fmt.Sprint(n+1, ". ")) {
			continue
		}
		n++
		for word, verdict := range c.verdicts {
			if strings.Contains(line, word) {
				before, bound, _ := strings.Cut(verdict, " ")
				all = append(all, fmt.Sprintf(`{"n":%d,%s,"why":"see «abcde https, so %s"}`, n, before, strings.Repeat("so ", 99)+bound))
			}
		}
	}
	text, stop := `{"verdicts":[`+strings.Join(all, ",")+`]}`, ""
	if i := strings.Index(text, "BOUND"); i >= 0 {
		text, stop = text[:i], models.StopLength
	}
	judge := func(err *models.Error) {
		if err != nil {
			c.failed++
		}
	}
	return models.Answer{Text: text, Stop: stop, Judge: judge}, c.err
}

// weighed are rules that say of each mail what its attribute "says" has.
type weighed struct{}

func (weighed) Name() subconscious.ThreadName { return subconscious.Watcher }
func (weighed) Mode() string                  { return threads.Reflex }
func (weighed) Think(_ context.Context, s subconscious.Snapshot) (answer threads.Answer, err error) {
	for _, f := range weigh(s, subconscious.Watcher) {
		if f.Importance >= 3 {
			answer.Thought.Findings = append(answer.Thought.Findings, f.Finding)
		}
	}
	return answer, nil
}

func weigh(s subconscious.Snapshot, name subconscious.ThreadName) (all []threads.Weighed) {
	for _, o := range s.Fields[name].New {
		f := subconscious.Finding{Kind: subconscious.KindObservation, Rule: threads.LetterRule, Summary: o.Title, Evidence: []string{string(o.Ref())}, Due: o.Due}
		_ = json.Unmarshal([]byte(o.Attrs["worth"]), &f.Importance)
		habit := s.Habits[o.Attrs["from"]].Lean
		f.Importance += habit
		f.Escalate = f.Importance >= 4
		all = append(all, threads.Weighed{Finding: f, Habit: habit})
	}
	return all
}

// TestTriage: what a verdict may do, and what it may not.
func TestTriage(t *testing.T) {
	at := clock("2026-11-23 12:00")
	mail := func(title string, worth int, ago time.Duration, attrs ...string) subconscious.Observation {
		o := subconscious.Observation{ID: "mid:" + title, Sense: "mail", Kind: "mail", Change: subconscious.Appeared, At: at.Add(-ago), Trust: subconscious.Outsider, Title: title,
			Attrs: map[string]string{"from": strings.ToLower(title) + "@example.com", "worth": fmt.Sprint(worth), "addressed": "to"}}
		for i := 0; i < len(attrs); i += 2 {
			o.Attrs[attrs[i]] = attrs[i+1]
		}
		return o
	}
	const read = `"act":"read","loss":2,"for_me":true`
	const none, do, attend = `"act":"none","loss":0,"for_me":true`, `"act":"do","loss":3,"for_me":true,"by":"2026-11-23T18:00:00+01:00"`, `"act":"attend","loss":1,"for_me":true,"by":"2026-11-23T18:00:00+01:00"`
	soon := mail("Soon", 4, 0, "known", "3")
	soon.Due = at.Add(time.Hour)
	var flood []subconscious.Observation
	for i := range 7 {
		flood = append(flood, mail(fmt.Sprint("Evil", i), 7, 0))
	}
	var many []subconscious.Observation
	for i := range 8 {
		many = append(many, mail(fmt.Sprint("Kim", i), 1, time.Hour, "known", "3"))
	}
	for name, c := range map[string]struct {
		mails      []subconscious.Observation
		verdicts   map[string]string
		want       string // importance of each finding, by title
		calls      int
		unshown    int
		raises     int
		err        error
		credulous  bool
		wantRaises int
	}{
		"it gathers":                       {mails: []subconscious.Observation{mail("Anna", 5, time.Minute, "known", "3")}, unshown: 1},
		"it has gathered":                  {mails: []subconscious.Observation{mail("Anna", 1, 16*time.Minute, "known", "3")}, verdicts: map[string]string{"Anna": do}, want: "Anna 9", calls: 1, raises: 1, wantRaises: 1},
		"the day's raises are used up":     {mails: []subconscious.Observation{mail("Anna", 1, time.Hour, "known", "3")}, verdicts: map[string]string{"Anna": do}, want: "Anna 6", calls: 1},
		"a stranger is never sure":         {mails: []subconscious.Observation{mail("Evil", 1, time.Hour)}, verdicts: map[string]string{"Evil": do}, want: "Evil 7", calls: 1, raises: 1, wantRaises: 1},
		"due soon does not gather":         {mails: []subconscious.Observation{soon}, verdicts: map[string]string{"Soon": attend}, want: "Soon 7", calls: 1, raises: 1, wantRaises: 1},
		"low is lowered":                   {mails: []subconscious.Observation{mail("Anna", 5, time.Hour, "known", "3")}, verdicts: map[string]string{"Anna": none}, calls: 1},
		"a push is lowered to the digest":  {mails: []subconscious.Observation{mail("Anna", 7, 0, "known", "3")}, verdicts: map[string]string{"Anna": none}, want: "Anna 4", calls: 1},
		"8 never waits":                    {mails: []subconscious.Observation{mail("Anna", 8, 0, "known", "3")}, want: "Anna 8"},
		"habits raise a verdict":           {mails: []subconscious.Observation{mail("Fond", 1, time.Hour, "known", "3")}, verdicts: map[string]string{"Fond": do}, want: "Fond 10", calls: 1, raises: 1, wantRaises: 1},
		"habits lower a verdict":           {mails: []subconscious.Observation{mail("Bore", 5, time.Hour, "known", "3")}, verdicts: map[string]string{"Bore": read}, want: "Bore 4", calls: 1},
		"a push is judged alone":           {mails: []subconscious.Observation{mail("Anna", 7, 0, "known", "3"), mail("Ben", 5, time.Hour, "known", "3")}, verdicts: map[string]string{"Anna": do, "Ben": none}, want: "Anna 9", calls: 2},
		"known and unknown apart":          {mails: []subconscious.Observation{mail("Anna", 5, time.Hour, "known", "3"), mail("Evil", 5, time.Hour)}, verdicts: map[string]string{"Anna": do, "Evil": none}, want: "Anna 6", calls: 2},
		"strangers take nobody's call":     {mails: append(flood, mail("Anna", 5, time.Hour, "known", "3")), verdicts: map[string]string{"Anna": attend, "Evil": none}, want: "Evil5 7, Evil6 7, Anna 7, Evil0 4, Evil1 4, Evil2 4, Evil3 4, Evil4 4", calls: 6, raises: 1, wantRaises: 1},
		"where it fails the rules stand":   {mails: []subconscious.Observation{mail("Anna", 7, 0, "known", "3")}, err: context.DeadlineExceeded, want: "Anna 7", calls: 1},
		"a reason beyond the bound is cut": {mails: []subconscious.Observation{mail("Anna", 1, time.Hour, "known", "3"), mail("Ben", 5, time.Hour, "known", "3")}, verdicts: map[string]string{"Anna": do, "Ben": none + " BOUND"}, want: "Anna 6", calls: 1},
		"in a verdict without one, too":    {mails: []subconscious.Observation{mail("Anna", 1, time.Hour, "known", "3"), mail("Ben", 5, time.Hour, "known", "3")}, verdicts: map[string]string{"Anna": do, "Ben": `"act":"BOUND`}, want: "Ben 5, Anna 6", calls: 1},
		"the raises go by the order":       {mails: many, verdicts: map[string]string{"Kim": do}, want: "Kim0 9, Kim1 9, Kim2 6, Kim3 6, Kim4 6, Kim5 6, Kim6 6, Kim7 6", calls: 1, raises: 2, wantRaises: 2},
		"the twin: all in one, and silent": {mails: []subconscious.Observation{mail("Anna", 7, 0, "known", "3"), mail("Evil", 5, time.Hour)}, verdicts: map[string]string{"Anna": none, "Evil": do}, want: "Evil 7", calls: 1, raises: 1, wantRaises: 1, credulous: true},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := prompts.Open("")
			if err != nil {
				t.Fatal(err)
			}
			model, raised := &clerk{verdicts: c.verdicts, err: c.err}, 0
			triage := threads.NewTriage(threads.TriageOptions{Redact: func(text string) string { return strings.ReplaceAll(text, "https", "hxxps") },
				Asker: threads.Asker{Generator: model}, Prompts: set, Rules: weighed{}, Weigh: weigh, Credulous: c.credulous,
				Raise: func(time.Time, bool) bool { raised++; return raised <= c.raises }})
			snapshot := subconscious.Snapshot{At: at, Fields: map[subconscious.ThreadName]subconscious.Field{subconscious.Watcher: {New: c.mails}},
				Habits: map[string]subconscious.Habit{"fond@example.com": {Lean: 2}, "bore@example.com": {Lean: -1}}}
			answer, err := triage.Think(t.Context(), snapshot)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range answer.Thought.Findings {
				got = append(got, fmt.Sprint(f.Summary, " ", f.Importance))
				if judged := strings.Contains(f.EscalateReason, "loss"); judged != strings.HasPrefix(f.Remark, "see hxxps, so so") || len(f.Remark) > 123 {
					t.Errorf("%s: the remark of %q is %q", f.Summary, f.EscalateReason, f.Remark)
				}
				if strings.Contains(f.EscalateReason, "so") && !strings.Contains(f.EscalateReason, "loss") {
					t.Errorf("a reason has words of the model: %q", f.EscalateReason)
				}
			}
			if strings.Join(got, ", ") != c.want || len(model.calls) != c.calls || len(answer.Unshown) != c.unshown || min(raised, c.raises) != c.wantRaises || model.failed > 0 {
				t.Errorf("%q after %d calls, %d wait, %d raised, %d failed", got, len(model.calls), len(answer.Unshown), raised, model.failed)
			}
		})
	}
}
