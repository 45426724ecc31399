package rumination

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/subconscious/documenttest"
	"github.com/subconsciousd/subconsciousd/threads"
)

// gateFigures are those of all ticks under one gate.
type gateFigures struct {
	Gate      string         `json:"gate"`
	Ticks     int            `json:"ticks"`
	Model     modelFigures   `json:"model"`
	Mechanics ruleFigures    `json:"mechanics"`
	Baseline  ruleFigures    `json:"baseline"`
	Documents documentFigure `json:"documents"`
	Time      timeFigures    `json:"time"`
	// Missed says which reaches were missed, in words.
	Missed []string `json:"missed"`
}

// modelFigures are what was asked, by the daemon's own record; Billed is what
// the model counted.
type modelFigures struct {
	Calls        int     `json:"calls"`
	Billed       int     `json:"calls_billed"`
	Nothing      int     `json:"calls_with_nothing_unseen"`
	NothingADay  int     `json:"calls_with_nothing_unseen_on_the_worst_day"`
	Allowed      int     `json:"exploration_calls_a_day_allowed"`
	Input        int     `json:"tokens_in"`
	Output       int     `json:"tokens_out"`
	CallsADay    float64 `json:"calls_a_day"`
	InputADay    float64 `json:"tokens_in_a_day"`
	OutputADay   float64 `json:"tokens_out_a_day"`
	LastDay      int     `json:"tokens_on_the_last_day"`
	Unanswered   int     `json:"calls_not_answered"`
	ByReflex     int     `json:"findings_by_reflex"`
	FailedThread int     `json:"threads_failed"`
}

type documentFigure struct {
	Checked   int    `json:"checked"`
	Bad       int    `json:"not_valid_or_over_limits"`
	First     string `json:"first_problem,omitempty"`
	MostToken int    `json:"most_tokens"`
}

type timeFigures struct {
	Median float64 `json:"median_ms"`
	Worst  float64 `json:"worst_ms"`
	P99    float64 `json:"p99_ms"`
	// Over counts ticks that took longer than they may, or lost a thread to its
	// deadline.
	Over   int     `json:"over_deadline"`
	Within float64 `json:"deadline_seconds"`
}

// run is a measurement under one gate.
type run struct {
	standstill
	words     *vocabulary
	mechanics *tally
	baseline  *tally
	rules     *baseline
	figures   gateFigures
	took      []float64
	nothing   map[string]int // calls with nothing unseen, by day
	known     map[subconscious.Ref]bool
}

// ruminate runs all ticks under one gate.
func ruminate(ctx context.Context, o *options, gate string) (f gateFigures, err error) {
	world, err := openStandstill(ctx, o, gate)
	defer world.CloseInto(ctx, &err)
	if err != nil {
		return f, err
	}
	words := newVocabulary()
	r := &run{
		standstill: world, words: words, mechanics: newTally(words), baseline: newTally(words), rules: &baseline{words: words},
		figures: gateFigures{Gate: gate, Ticks: o.ticks},
		nothing: map[string]int{}, known: map[subconscious.Ref]bool{},
	}
	for range o.ticks {
		if err := ctx.Err(); err != nil {
			return gateFigures{}, fmt.Errorf("ended after %d of %d ticks: %w", len(r.took), o.ticks, err)
		}
		if err := r.slot(ctx); err != nil {
			return gateFigures{}, err
		}
	}
	return r.done(), nil
}

// slot lets a slot pass, runs the scheduled tick, and looks at all of it.
func (r *run) slot(ctx context.Context) error {
	r.Pass()
	began := time.Now()
	report, err := r.Tick(ctx)
	took := time.Since(began)
	if err != nil {
		return err
	}
	merged, err := r.Mind.Merged(ctx, report.Tick)
	if err != nil {
		return err
	}
	r.timed(report, took)
	r.asked(merged)
	r.weigh(merged)
	if err := r.tell(ctx, report.Decisions); err != nil {
		return err
	}
	return r.document()
}

func (r *run) timed(report api.TickReport, took time.Duration) {
	r.took = append(r.took, float64(took.Microseconds())/1000)
	late := took > r.Config.TickTimeout
	for _, t := range report.Threads {
		if t.Mode == "failed" {
			r.figures.Model.FailedThread++
			late = late || strings.Contains(t.Reason, "deadline")
		}
	}
	if late {
		r.figures.Time.Over++
	}
}

// asked counts what the daemon has on record of the models.
func (r *run) asked(merged daemon.Merged) {
	m := &r.figures.Model
	for _, c := range merged.Calls {
		m.Calls++
		m.Input += c.Input
		m.Output += c.Output
		if c.Outcome != "answered" {
			m.Unanswered++
		}
		if r.Now().Sub(start) > time.Duration(r.figures.Ticks)*harness.Slot-24*time.Hour {
			m.LastDay += c.Input + c.Output
		}
		if c.Exploration {
			m.Nothing++
			day := merged.Input.At.Format(time.DateOnly)
			r.nothing[day]++
			m.NothingADay = max(m.NothingADay, r.nothing[day])
		}
	}
}

// weigh counts what the mechanics made of the findings, and gives the same findings
// to the baseline.
func (r *run) weigh(merged daemon.Merged) {
	evidence := evidenceOf(merged.Input)
	for ref := range evidence {
		r.known[ref] = true
	}
	r.mechanics.now, r.baseline.now = len(r.took), len(r.took)
	all := r.spoken(merged.Input.Thoughts, evidence)
	r.mechanics.figures.Returned += len(all)
	r.baseline.figures.Returned += len(all)
	for _, x := range merged.Changes.Rejected {
		r.mechanics.figures.Rejected[string(x.Reason)]++
	}
	for _, a := range merged.Changes.Accepted {
		s := spoken{a.Finding, a.Thread, r.words.phrase(a.Finding.Summary), evidence.cited(a.Thread, a.Finding)}
		entry, _ := merged.State.Entry(a.Entry)
		r.mechanics.accept(cmp.Or(string(entry.Incident), string(a.Entry)), s)
	}
	r.remember(all)
}

// tell counts what the gate decided to tell, alone or in a digest, with what the
// request for it cited.
func (r *run) tell(ctx context.Context, decisions []api.Decision) error {
	for _, d := range decisions {
		if d.Verdict != escalate.Tell {
			continue
		}
		told, err := r.Mind.Incident(ctx, d.ID)
		if err != nil {
			return fmt.Errorf("what was told at tick %d: %w", d.Tick, err)
		}
		asked := told.Record.Telling.Asked
		r.mechanics.tell(string(d.Incident), spoken{
			Finding: subconscious.Finding{Summary: d.Summary, Kind: asked.Kind}, thread: d.Thread, words: r.words.phrase(d.Summary), cited: asked.Evidence,
		})
	}
	return nil
}

// spoken are the findings of a tick by thread, since threads answer in any
// order.
func (r *run) spoken(thoughts []subconscious.Thought, evidence shownEvidence) []spoken {
	var all []spoken
	for _, t := range thoughts {
		for _, f := range t.Findings {
			all = append(all, spoken{f, t.Thread, r.words.learn(subconscious.Summary(f.Summary)), evidence.cited(t.Thread, f)})
			if !strings.HasPrefix(f.Rule, "model ") {
				r.figures.Model.ByReflex++
			}
		}
	}
	slices.SortStableFunc(all, func(a, b spoken) int { return cmp.Compare(a.thread, b.thread) })
	return all
}

// remember counts what the baseline made of the findings.
func (r *run) remember(all []spoken) {
	for _, t := range r.rules.tick(all) {
		r.baseline.accept(t.entry.id, t.spoken)
		if t.told {
			r.baseline.tell(t.entry.id, t.spoken)
		}
	}
	for _, e := range r.rules.entries {
		if !e.grounded {
			r.baseline.baseless[e.id] = true
		}
	}
}

// document checks the published file, as a reader of it would.
func (r *run) document() error {
	data, err := os.ReadFile(r.Path("state/subconscious.json"))
	if err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	f := &r.figures.Documents
	f.Checked++
	tokens := subconscious.EstimateTokens(len(data))
	f.MostToken = max(f.MostToken, tokens)
	document, err := documenttest.Decode(data)
	if limit := r.Config.Mechanics.MaxTokens; err == nil && tokens > limit {
		err = fmt.Errorf("it takes %d tokens, more than %d", tokens, limit)
	}
	if err != nil {
		f.Bad++
		f.First = cmp.Or(f.First, fmt.Sprintf("tick %d: %v", document.TickCount, err))
	}
	for _, e := range slices.Concat(document.ActiveThreads, document.Patterns, document.Hunches, document.Insights) {
		if !slices.ContainsFunc(e.Evidence, r.ofTheWorld) {
			r.mechanics.baseless[string(e.ID)] = true
		}
	}
	return nil
}

// ofTheWorld reports whether a reference is of something that a sense saw.
func (r *run) ofTheWorld(text string) bool {
	c, ok := subconscious.ParseCitation(text)
	return ok && r.known[c.Ref]
}

// done sums up.
func (r *run) done() gateFigures {
	f := r.figures
	f.Mechanics, f.Baseline = r.mechanics.done(), r.baseline.done()
	days := float64(f.Ticks) * harness.Slot.Hours() / 24
	m := &f.Model
	m.Billed, m.Allowed = r.server.Count(), r.Config.Budget.ExplorationCallsPerDay
	m.CallsADay, m.InputADay, m.OutputADay = float64(m.Calls)/days, float64(m.Input)/days, float64(m.Output)/days
	slices.Sort(r.took)
	f.Time.Within = r.Config.TickTimeout.Seconds()
	f.Time.Median, f.Time.P99, f.Time.Worst = r.took[len(r.took)/2], r.took[len(r.took)*99/100], r.took[len(r.took)-1]
	f.Missed = harness.Missed(f.reaches())
	return f
}

// nearReach is the share of near-repeats that may be accepted.
const nearReach = 0.05

// reaches are those of the mechanics and of the whole run.
func (f gateFigures) reaches() []harness.Reach {
	m, d := f.Model, f.Documents
	all := []harness.Reach{
		harness.Want(m.Calls > 0 && f.Mechanics.Returned > 0, "the model is asked and has findings: %d calls, %d findings", m.Calls, f.Mechanics.Returned),
		harness.Want(m.Unanswered == 0 && m.Calls == m.Billed, "every call is answered and on record: %d were not answered, %d are on record, %d were billed", m.Unanswered, m.Calls, m.Billed),
		harness.Want(d.Bad == 0, "documents are valid and within limits: %d of %d are not, the first of them: %s", d.Bad, d.Checked, d.First),
		harness.Want(f.Time.Over+m.FailedThread == 0, "ticks end within %.0f s, with all threads: %d did not", f.Time.Within, f.Time.Over+m.FailedThread),
	}
	if f.Gate == threads.Adaptive {
		all = append(all, harness.Want(m.NothingADay <= m.Allowed, "at most %d calls a day with nothing unseen: there were %d", m.Allowed, m.NothingADay))
	}
	return append(all, f.Mechanics.reaches()...)
}

// reaches are those that a set of rules can meet or miss.
func (f ruleFigures) reaches() []harness.Reach {
	return []harness.Reach{
		harness.Want(f.OfReturned <= nearReach, "at most %s of the findings are accepted near-repeats: %s are", harness.Percent(nearReach), harness.Percent(f.OfReturned)),
		harness.Want(f.OfAccepted <= nearReach, "at most %s of what is accepted are near-repeats: %s are", harness.Percent(nearReach), harness.Percent(f.OfAccepted)),
		harness.Want(f.BaselessEntries == 0, "no entry is without evidence: %d are", f.BaselessEntries),
		harness.Want(f.ToldTwice == 0, "nothing is told twice: %d are", f.ToldTwice),
		harness.Want(f.SelfReferential == 0, "nothing is told that rests on nothing: %d are", f.SelfReferential),
	}
}
