package daemon_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// usualModel is the model of all threads of these tests.
const usualModel = "lab/" + modeltest.Model

// harmless are the faults under which the model's thought is still one: what it
// says can be understood without a doubt.
var harmless = []modeltest.Fault{
	modeltest.NoUsage, modeltest.HugeUsage, modeltest.Prose, modeltest.ThinkBlock, modeltest.Fenced, modeltest.TrailingComma,
	modeltest.SameTwice, modeltest.ExtraFields, modeltest.ToolLoop,
}

// inShort are the faults that -short looks at.
var inShort = []modeltest.Fault{
	modeltest.RateHeader, modeltest.RateGemini, modeltest.ServerError, modeltest.Cut, modeltest.Hang, modeltest.WrongModel,
	modeltest.ThinkBlock, modeltest.TwoObjects,
}

// TestModelFaults has a provider misbehave in every way there is, always and one
// time in three: each tick ends in time, what a model did not think is thought
// by reflex, with the reason, and nothing is swallowed. It prints the table.
func TestModelFaults(t *testing.T) {
	t.Parallel()
	table := &faultTable{}
	atOnce := make(chan struct{}, 12)
	var all sync.WaitGroup
	for _, about := range modeltest.Faults() {
		if testing.Short() && !slices.Contains(inShort, about.Fault) {
			continue
		}
		rows := []faultRow{
			{fault: about.Fault, how: "always", always: true, protocol: modeltest.OpenAI, ticks: 3},
			{fault: about.Fault, how: "1 in 3", protocol: modeltest.Anthropic, ticks: 3},
		}
		if about.Fault == modeltest.Unavailable {
			// Long enough to see how often it is retried.
			rows = append(rows, faultRow{fault: about.Fault, how: "1 in 3, long", protocol: modeltest.OpenAI, ticks: 15})
		}
		for _, row := range rows {
			all.Go(func() {
				atOnce <- struct{}{}
				defer func() { <-atOnce }()
				t.Run(string(row.fault)+" "+row.how, func(t *testing.T) {
					row.run(t)
					table.add(row)
				})
			})
		}
	}
	all.Wait()
	t.Log("\n" + table.String())
}

// faultRow is one fault, and what came of it.
type faultRow struct {
	fault         modeltest.Fault
	how, protocol string
	always        bool
	ticks         int

	byModel, byReflex         int // threads that thought so while it went wrong
	asks, retries, told       int // told: by the ticks
	charged, counted, allowed float64
	health, cause             string
	slowest                   time.Duration
}

func (f *faultRow) run(t *testing.T) {
	server := lab(t, modeltest.Options{Script: modeltest.Thinker(), Seed: 7})
	w := newWorld(t).thinking(f.protocol, server)
	about, _ := modeltest.AboutFault(f.fault)
	if slices.Contains(about.Kinds, models.KindTimeout) || slices.Contains(about.Kinds, models.KindRate) {
		hurry(w.options.Config)
	}
	w.options.OnTick = func(report api.TickReport) {
		for _, r := range report.Threads {
			f.told += r.Calls
		}
	}
	w.begin()
	w.tick()
	if f.always {
		server.SetTroubles(modeltest.Always(f.fault))
	} else {
		server.SetTroubles(modeltest.Sometimes(f.fault, 1.0/3))
	}
	for i := range f.ticks {
		w.news(i)
		f.check(t, w.tick(), w.options.Config.Threads.Deadline)
	}
	f.sick(t, w)
	server.SetTroubles()
	w.clock.advance(time.Hour) // longer than any rest
	for i := range 2 {
		w.news(100 + i)
		report := w.tick()
		if i == 0 {
			continue // the first call after a rest is a probe, and the others wait
		}
		for _, r := range asked(report) {
			if r.Mode != "model" || r.Model != usualModel || r.Usual != "" || len(r.Failures) > 0 {
				t.Errorf("after the fault: %+v", r)
			}
		}
	}
	if m := w.model(subconscious.Watcher); m.State != api.ModelOK || m.Error != "" || m.Since.IsZero() {
		t.Errorf("after the fault the health is %+v", m)
	}
	if notices := w.modelNotices(); len(notices) > 0 {
		t.Errorf("after the fault there is the notice %+v", notices)
	}
	f.money(t, w, server)
}

// check holds one tick under the fault to what must be true of it.
func (f *faultRow) check(t *testing.T, report api.TickReport, deadline time.Duration) {
	t.Helper()
	elapsed := time.Duration(report.ElapsedMS * float64(time.Millisecond))
	f.slowest = max(f.slowest, elapsed)
	if elapsed > deadline+margin {
		t.Errorf("tick %d took %s", report.Tick, elapsed)
	}
	if n := len(asked(report)); n < 3 {
		t.Errorf("tick %d: %d threads were asked", report.Tick, n)
	}
	for _, r := range asked(report) {
		switch {
		case r.Mode == "model" && r.Model == usualModel && r.Usual == "":
			f.byModel++
		case r.Mode == "reflex" && r.Usual == usualModel && r.Model == "":
			f.byReflex++
			_, cause, named := strings.Cut(r.Reason, usualModel+": ")
			if !named || len(cause) < 10 || len(r.Failures) == 0 {
				t.Errorf("tick %d: the reason is %q, the failures are %q", report.Tick, r.Reason, r.Failures)
			}
			if f.cause == "" {
				f.cause = cause
			}
		default:
			t.Errorf("tick %d: %+v", report.Tick, r)
		}
	}
	if f.fault == modeltest.Truncated {
		return // it depends on where it is cut: what is whole but for its brackets counts
	}
	helped := slices.Contains(harmless, f.fault)
	if f.always && helped != (f.byReflex == 0) || f.always && helped == (f.byModel == 0) || f.byModel+f.byReflex == 0 {
		t.Errorf("tick %d: %d thought by the model and %d by reflex: %s", report.Tick, f.byModel, f.byReflex, f.cause)
	}
}

// sick looks at what is said of the model while it goes wrong.
func (f *faultRow) sick(t *testing.T, w *world) {
	t.Helper()
	m := w.model(subconscious.Watcher)
	f.health = m.State
	notices := w.modelNotices()
	said := map[string]bool{}
	for _, n := range notices {
		who := strings.Join(strings.Fields(n.Text)[:2], " ")
		if said[who] || !strings.Contains(n.Text, usualModel) || n.Next == "" {
			t.Errorf("there are the notices %+v", notices)
		}
		said[who] = true
	}
	if !f.always {
		return
	}
	// To decline is an answer; what cannot be used is none.
	answers := slices.Contains(harmless, f.fault) || f.fault == modeltest.Refusal
	switch {
	case f.fault == modeltest.Truncated: // it depends on where it is cut
	case answers != (m.State == api.ModelOK):
		t.Errorf("the health is %+v", m)
	case m.State == api.ModelOK:
		if m.Error != "" || !m.Next.IsZero() {
			t.Errorf("the health is %+v", m)
		}
	case m.Error == "" || m.Since.IsZero() || (m.State == api.ModelResting) != m.Next.After(w.clock.Now()):
		t.Errorf("the health is %+v", m)
	}
	if f.fault != modeltest.Truncated && (len(notices) > 0) != (f.byReflex > 0) {
		t.Errorf("%d thought by reflex, and there are %d notices", f.byReflex, len(notices))
	}
	if len(notices) > 0 && !notices[0].At.Before(w.clock.Now().Add(-slot)) {
		t.Errorf("the notice began at %s, not when the fault began", notices[0].At)
	}
}

// money compares what was asked, counted and charged.
func (f *faultRow) money(t *testing.T, w *world, server *modeltest.Server) {
	t.Helper()
	attempts := 0
	for _, c := range w.calls() {
		attempts += c.Attempts
		if c.Attempts > 0 {
			f.asks++
		}
		if c.Outcome != "answered" && c.Error == "" {
			t.Errorf("a call failed without a word: %+v", c)
		}
	}
	f.retries = attempts - f.asks
	// An attempt may end before it has come to the server; none goes unrecorded.
	if server.Count() > attempts || server.Count() < attempts-f.retries-2 {
		t.Errorf("the server got %d requests, %d are on record", server.Count(), attempts)
	}
	if said := w.log.String() + asJSON(t, w.status()) + asJSON(t, w.calls()); strings.Contains(said, modeltest.Key) {
		t.Error("the key is in the log, the status or the records")
	}
	if float64(f.retries) > 0.2*float64(f.asks)+2 {
		t.Errorf("%d retries of %d asks", f.retries, f.asks)
	}
	charged, spent := server.Charged(), w.spent()
	f.charged, f.counted, f.allowed = bill(charged).Float(), spent.Today.Money.Float(), w.options.Config.Budget.MoneyPerDay
	if bill(charged) > spent.Today.Money || charged.Total() > spent.Today.Tokens || f.counted > f.allowed {
		t.Errorf("charged %s and %d tokens, counted %s and %d", bill(charged), charged.Total(), spent.Today.Money, spent.Today.Tokens)
	}
	// What was sent is a call, a retry too, whoever counts it.
	report, err := w.d.Report(t.Context(), start)
	if err != nil {
		t.Fatal(err)
	}
	reported := 0
	for _, m := range report.Models {
		reported += m.Calls
	}
	if attempts != spent.Today.Calls || attempts != reported || attempts != f.told {
		t.Errorf("%d requests were sent; the budget counts %d, the report %d, the ticks %d", attempts, spent.Today.Calls, reported, f.told)
	}
	if spent.Running.Calls+spent.Lost.Calls > 0 {
		t.Errorf("running %+v, lost %+v", spent.Running, spent.Lost)
	}
}

// faultTable gathers rows in the order of the faults.
type faultTable struct {
	mu   sync.Mutex
	rows []faultRow
}

func (f *faultTable) add(row faultRow) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows = append(f.rows, row)
}

func (f *faultTable) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	order := map[modeltest.Fault]int{}
	for i, about := range modeltest.Faults() {
		order[about.Fault] = i
	}
	slices.SortFunc(f.rows, func(a, b faultRow) int {
		if d := order[a.fault] - order[b.fault]; d != 0 {
			return d
		}
		return strings.Compare(b.how, a.how)
	})
	var out strings.Builder
	tab := tabwriter.NewWriter(&out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(tab, "| fault\t| how\t| by model\t| by reflex\t| asks\t| retries\t| charged\t| counted\t| health\t| slowest\t| the reason begins\t|")
	asks, retries := 0, 0
	for _, r := range f.rows {
		asks, retries = asks+r.asks, retries+r.retries
		cause := r.cause[:min(len(r.cause), 60)]
		fmt.Fprintf(tab, "| %s\t| %s\t| %d\t| %d\t| %d\t| %d\t| $%.4f\t| $%.4f\t| %s\t| %s\t| %s\t|\n", r.fault, r.how, r.byModel, r.byReflex, r.asks, r.retries,
			r.charged, r.counted, r.health, r.slowest.Round(10*time.Millisecond), cause)
	}
	_ = tab.Flush()
	return out.String() + fmt.Sprintf("%d retries of %d asks: %.1f %%\n", retries, asks, 100*float64(retries)/float64(max(asks, 1)))
}
