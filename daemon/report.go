package daemon

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// Modes of a thread in a report, beside that in which it ran.
const (
	threadSkipped = "skipped"
	threadFailed  = "failed"
)

// threadOK is the state of a thread that ran well.
const threadOK = "ok"

// report says what a tick did. What it says of publishing comes later.
func (d *Daemon) report(staged *senses.Staged, collected []senses.Collected, results []threads.Result, snapshot subconscious.Snapshot,
	next subconscious.State, changes aggregator.Changes, request tickRequest) api.TickReport {
	report := api.TickReport{
		Tick: next.TickCount, At: snapshot.At, Kind: request.kind, DryRun: request.dryRun,
		Senses: senseReports(staged, collected), Changes: []api.EntryChange{}, Decisions: []api.Decision{}, Told: []api.ToldMessage{},
	}
	for _, r := range results {
		report.Threads = append(report.Threads, d.threadReport(r, snapshot.Fields[r.Thread], changes))
	}
	for _, c := range changes.Entries {
		report.Changes = append(report.Changes, api.EntryChange{
			Entry: c.Entry, What: string(c.What), List: c.List, Summary: c.Summary, From: c.From, To: c.To, Why: c.Why,
		})
	}
	return report
}

func senseReports(staged *senses.Staged, collected []senses.Collected) []api.SenseReport {
	changes := map[senses.SenseID]int{}
	for _, o := range staged.Changes() {
		changes[senses.SenseID{Sense: o.Sense, ID: o.Instance}]++
	}
	reports := make([]api.SenseReport, 0, len(collected))
	for _, c := range collected {
		reports = append(reports, api.SenseReport{
			ID: c.ID, Kind: c.Sense, State: string(c.Health.State), Error: c.Health.Error,
			Changes: changes[senses.SenseID{Sense: c.Sense, ID: c.ID}],
		})
	}
	return reports
}

func (d *Daemon) threadReport(r threads.Result, field subconscious.Field, changes aggregator.Changes) api.ThreadReport {
	out := api.ThreadReport{
		Name: string(r.Thread), Mode: r.Mode, Reason: cmp.Or(r.Reason, r.Attention.Reason), Rejected: map[string]int{},
		Model: r.Model, Calls: r.Calls, Tokens: r.Tokens, Cached: r.Cached, Cost: r.Cost.Float(), Failures: r.Failures,
	}
	for _, a := range changes.Accepted {
		if a.Thread == r.Thread {
			out.Findings++
		}
	}
	for _, x := range changes.Rejected {
		if x.Thread == r.Thread {
			out.Rejected[string(x.Reason)]++
		}
	}
	switch {
	case !r.Attention.Ask:
		out.Mode = threadSkipped
		return out
	case r.Err != nil:
		out.Mode, out.Reason, out.Usual = threadFailed, r.Err.Error(), d.usual(r.Thread)
		return out
	}
	if r.Attention.Level > 0 && out.Reason == "" {
		out.Reason = fmt.Sprintf("its field is widened to %d days ahead", int(threads.AheadOf(r.Attention.Level).Hours()/24))
	}
	if usual := d.usual(r.Thread); usual != out.Model {
		out.Usual = usual
	}
	out.Shown = len(field.New) + len(field.Wider)
	return out
}

func threadState(t api.ThreadReport) string {
	if t.Mode == threadSkipped || t.Mode == threadFailed {
		return t.Mode
	}
	return threadOK
}

// replayable is what a tick's record holds: all that the mechanics depended on.
type replayable struct {
	Mechanics int              `json:"mechanics"`
	Zone      string           `json:"zone"`
	Input     aggregator.Input `json:"input"`
	// Judging is the version of the gate's rules.
	Judging int            `json:"judging"`
	Gate    escalate.Input `json:"gate"`
}

// tickRecord packs a tick so that it can be replayed and shown.
func tickRecord(in aggregator.Input, gate escalate.Input, report api.TickReport) (mind.Record, error) {
	kept := replayable{Mechanics: aggregator.MechanicsVersion, Zone: in.Zone.String(), Input: in, Judging: escalate.Version, Gate: gate}
	kept.Input.Zone = nil
	inputs, err := json.Marshal(kept)
	if err != nil {
		return mind.Record{}, fmt.Errorf("record tick %d: %w", report.Tick, err)
	}
	text, err := json.Marshal(report)
	if err != nil {
		return mind.Record{}, fmt.Errorf("record tick %d: %w", report.Tick, err)
	}
	return mind.Record{Tick: report.Tick, At: report.At, Kind: report.Kind, Inputs: inputs, Report: text}, nil
}

// Replayed is a recorded tick, thought again.
type Replayed struct {
	State   subconscious.State
	Changes aggregator.Changes
	Outcome escalate.Outcome
}

// Replay merges a recorded tick again, and judges it again. It fails where the
// record is of another version of the mechanics.
func Replay(record mind.Record) (Replayed, error) {
	in, gate, err := recorded(record)
	if err != nil {
		return Replayed{}, err
	}
	out := Replayed{Outcome: escalate.Decide(gate)}
	out.State, out.Changes = aggregator.Merge(in)
	out.State = escalate.Remember(out.State, out.Outcome)
	return out, nil
}

// recordedInput is what a recorded tick was merged from.
func recordedInput(record mind.Record) (aggregator.Input, error) {
	in, _, err := recorded(record)
	return in, err
}

// recorded is what a tick was merged and judged from.
func recorded(record mind.Record) (aggregator.Input, escalate.Input, error) {
	var kept replayable
	fail := func(err error) (aggregator.Input, escalate.Input, error) {
		return aggregator.Input{}, escalate.Input{}, fmt.Errorf("replay tick %d: %w", record.Tick, err)
	}
	if err := json.Unmarshal(record.Inputs, &kept); err != nil {
		return fail(err)
	}
	if kept.Mechanics != aggregator.MechanicsVersion {
		return fail(fmt.Errorf("it was made by mechanics version %d, this is version %d", kept.Mechanics, aggregator.MechanicsVersion))
	}
	if kept.Judging != escalate.Version {
		return fail(fmt.Errorf("it was judged by version %d of the gate, this is version %d", kept.Judging, escalate.Version))
	}
	zone, err := time.LoadLocation(kept.Zone)
	if err != nil {
		return fail(err)
	}
	kept.Input.Zone = zone
	kept.Input.At, kept.Gate.At = kept.Input.At.In(zone), kept.Gate.At.In(zone)
	return kept.Input, kept.Gate, nil
}

// entryLog says what happened to each entry, with the thread and the rule, for
// explanations. That an entry faded by one is not worth a line.
func entryLog(report api.TickReport, next, before subconscious.State, changes aggregator.Changes) ([]mind.LogEntry, error) {
	var out []mind.LogEntry
	for _, c := range report.Changes {
		if c.What == string(aggregator.Faded) {
			continue
		}
		entry, ok := next.Entry(c.Entry)
		if !ok {
			entry, ok = before.Entry(c.Entry)
		}
		if !ok {
			continue // a newcomer that found no place
		}
		step := api.Step{Tick: report.Tick, At: report.At, Change: c}
		for _, a := range changes.Accepted {
			if a.Entry != c.Entry {
				continue
			}
			if step.Thread == "" {
				step.Thread, step.Rule = string(a.Thread), a.Finding.Rule
			}
			if wroteModel(a.Finding.Rule) {
				step.Asked = askedBy(report, string(a.Thread))
				break
			}
		}
		text, err := json.Marshal(step)
		if err != nil {
			return nil, fmt.Errorf("log entry %s: %w", c.Entry, err)
		}
		out = append(out, mind.LogEntry{Entry: c.Entry, Incident: entry.Incident, Tick: report.Tick, At: report.At, What: c.What, JSON: text})
	}
	return out, nil
}

// askedBy is what a thread asked of a model at a tick.
func askedBy(report api.TickReport, thread string) *api.Asked {
	for _, t := range report.Threads {
		if t.Name == thread && t.Model != "" {
			return &api.Asked{Model: t.Model, Shown: t.Shown, Calls: t.Calls, Tokens: t.Tokens, Cost: t.Cost}
		}
	}
	return nil
}

// tell logs a tick in one line, and tells whoever asked.
func (d *Daemon) tell(report api.TickReport) {
	findings, failed, calls, fellBack := 0, 0, 0, 0
	for _, t := range report.Threads {
		findings += t.Findings
		calls += t.Calls
		if fallsBack(t) {
			fellBack++
		}
		if t.Mode == threadFailed {
			failed++
		}
	}
	seen, blind := 0, 0
	for _, s := range report.Senses {
		seen += s.Changes
		if s.State == string(senses.Blind) {
			blind++
		}
	}
	d.options.Logger.Info("tick", "tick", report.Tick, "kind", string(report.Kind), "seen", seen, "findings", findings,
		"changes", len(report.Changes), "blind", blind, "failed", failed,
		"calls", calls, "fell_back", fellBack, "elapsed_ms", report.ElapsedMS)
	tellSystemd(d.options.Logger, "STATUS="+Line(report))
	if d.options.OnTick != nil {
		d.options.OnTick(report)
	}
}

// fallsBack: rules, or a listed fall-back, thought for a model that failed.
func fallsBack(t api.ThreadReport) bool {
	return t.Usual != "" && (t.Model != "" || len(t.Failures) > 0)
}
