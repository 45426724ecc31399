package daemon

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// report says what a tick did. What it says of publishing comes later.
func (d *Daemon) report(staged *senses.Staged, collected []senses.Collected, results []threads.Result, snapshot subconscious.Snapshot,
	next subconscious.State, changes aggregator.Changes, request tickRequest) api.TickReport {
	report := api.TickReport{
		Tick: next.TickCount, At: snapshot.At, Kind: request.kind, DryRun: request.dryRun,
		Senses: senseReports(staged, collected), Changes: append([]api.EntryChange{}, changes.Entries...), Decisions: []api.Decision{}, Told: []api.ToldMessage{},
	}
	for _, r := range results {
		report.Threads = append(report.Threads, d.threadReport(r, snapshot.Fields[r.Thread], changes))
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
		out.Mode = view.Skipped
		return out
	case r.Err != nil:
		out.Mode, out.Reason, out.Usual = view.Failed, r.Err.Error(), d.usual(r.Thread)
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

// entryLog says what happened to each entry, with the thread and the rule, for
// explanations. That an entry faded by one is not worth a line.
func entryLog(report api.TickReport, next, before subconscious.State, changes aggregator.Changes) ([]mind.LogEntry, error) {
	var out []mind.LogEntry
	for _, c := range report.Changes {
		if c.What == aggregator.Faded {
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
			if subconscious.ByModel(a.Finding.Rule) {
				step.Asked = askedBy(report, string(a.Thread))
				break
			}
		}
		text, err := json.Marshal(step)
		if err != nil {
			return nil, fmt.Errorf("log entry %s: %w", c.Entry, err)
		}
		out = append(out, mind.LogEntry{Entry: c.Entry, Incident: entry.Incident, Tick: report.Tick, At: report.At, What: string(c.What), JSON: text})
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
		if view.FellBack(t) {
			fellBack++
		}
		if t.Mode == view.Failed {
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
	d.board.Set(func(n *view.Now) {
		took := time.Duration(report.ElapsedMS * float64(time.Millisecond))
		n.Done = api.Done{Ticks: n.Done.Ticks + 1, Findings: n.Done.Findings + findings, Told: n.Done.Told + len(report.Told), Took: n.Done.Took + took}
	})
	tellSystemd(d.options.Logger, "STATUS="+Line(report))
	if d.options.OnTick != nil {
		d.options.OnTick(report)
	}
}

// threadStatus is what is known of a thread between its ticks.
func (d *Daemon) threadStatus(name subconscious.ThreadName, kept subconscious.ThreadState) api.ThreadStatus {
	return api.ThreadStatus{
		Name: string(name), Mode: d.runner.Modes()[name], Usual: d.usual(name), State: cmp.Or(kept.Health, view.OK), Reason: kept.Error, Since: kept.Since,
		NoveltyPressure: kept.NoveltyPressure, FocusHint: kept.FocusHint,
	}
}
