package view

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

const (
	// missedWithin is how far back a miss is traced, and candidatesShown how
	// many observations are shown that it could be.
	missedWithin    = 14 * 24 * time.Hour
	candidatesShown = 5
	// ticksTraced is how many ticks after an observation are looked through, and
	// how many of the last ones.
	ticksTraced = 300
)

// Trace follows what should have been told from the observation to the gate:
// where was it let pass?
func (v *Reader) Trace(ctx context.Context, text string) (api.Trace, error) {
	at := v.in.Now()
	trace := api.Trace{Text: redact.Text(text), At: at, Candidates: []api.CitedObservation{}, Steps: []api.TraceStep{}}
	passed, failed := v.in.Passed(ctx, at.Add(-missedWithin))
	found, err := v.in.Ledger.Search(ctx, text, at.Add(-missedWithin), candidatesShown, passed...)
	if err != nil {
		return api.Trace{}, err
	}
	t := tracer{in: v.in, trace: &trace}
	if failed != nil {
		t.step(stageSense, "", false, 0, at, "what was passed over cannot be looked for now: %s", subconscious.Line(failed.Error()))
	}
	for _, f := range found {
		c := subconscious.Citation{Ref: f.Observation.Ref(), Seq: f.Observation.Seq}
		_, stands := v.in.Ledger.View().Get(c.Ref)
		trace.Candidates = append(trace.Candidates, api.CitedObservation{Citation: c.String(), Observation: f.Observation, Standing: stands})
	}
	switch {
	case len(found) == 0:
		err = t.unseen(ctx)
	case found[0].Why != "":
		o := found[0].Observation
		t.step(stageSense, o.Instance, false, 0, o.At, "%s has it and did not report it", senseOf(o))
		err = t.end("It was passed over: "+found[0].Why+".",
			"See folders and look_back of the account, under senses.mail in the configuration. `subconsciousctl tick` looks at what is new.")
	default:
		t.observation = found[0].Observation
		err = t.follow(ctx)
		trace.Missed = !t.arrived
	}
	return trace, err
}

// Stages of a trace.
const (
	stageSense     = "sense"
	stageThread    = "thread"
	stageFinding   = "finding"
	stageMechanics = "mechanics"
	stageGate      = "gate"
	stageDelivery  = "delivery"
)

// tracer follows one observation through what is on record.
type tracer struct {
	in          Sources
	trace       *api.Trace
	observation subconscious.Observation
	// arrived: the person was told by a message of its own, and a channel took it.
	arrived bool
}

func (t *tracer) step(stage, who string, ok bool, tick int64, at time.Time, format string, args ...any) {
	t.trace.Steps = append(t.trace.Steps, api.TraceStep{Stage: stage, Who: who, OK: ok, Tick: tick, At: at, Text: fmt.Sprintf(format, args...)})
}

func (t *tracer) end(verdict, proposal string) error {
	t.trace.Verdict, t.trace.Proposal = verdict, proposal
	return nil
}

// unseen says that no sense saw it, and which were blind.
func (t *tracer) unseen(ctx context.Context) error {
	blind, err := t.in.Ledger.BlindPeriods(ctx, t.trace.At.Add(-missedWithin))
	if err != nil {
		return fmt.Errorf("read the blind periods: %w", err)
	}
	next := "Name what was in it (a file, a unit, a word of the note), or let a sense look there: see senses in config.example.yaml."
	for _, b := range blind {
		next = "Mend the sense that was blind, as `subconsciousctl status` says; or name what was in it."
		who, to := senseOf(subconscious.Observation{Sense: b.Sense, Instance: b.ID}), "on"
		if !b.To.IsZero() {
			to = "to " + clock(b.To, t.trace.At)
		}
		t.step(stageSense, who, false, 0, b.From, "%s was blind from %s %s: %s", who, clock(b.From, t.trace.At), to, b.Error)
	}
	return t.end(fmt.Sprintf("No sense reported anything with these words in the last %d days.", int(missedWithin.Hours()/24)), next)
}

// senseOf names the sense of an observation: "mail home".
func senseOf(o subconscious.Observation) string {
	return strings.TrimSpace(o.Sense + " " + strings.TrimPrefix(o.Instance, o.Sense))
}

// follow goes on until something let the observation pass.
func (t *tracer) follow(ctx context.Context) error {
	who := senseOf(t.observation)
	t.step(stageSense, who, true, 0, t.observation.At, "%s saw it: %s", who, t.observation.Title)
	seen, err := t.ticks(ctx)
	if err != nil {
		return err
	}
	asked := t.asked(seen)
	var named []claimed
	for _, tick := range seen {
		named = append(named, t.claims(tick)...)
	}
	if len(named) == 0 {
		return t.unfound(asked)
	}
	last := named[len(named)-1]
	t.step(stageFinding, string(last.finding.Rule), true, last.tick, last.at, "the %s found: %s (importance %d)",
		last.thread, last.finding.Summary, last.finding.Importance)
	return t.judged(ctx, named)
}

// tracedTick is one tick's record, merged again.
type tracedTick struct {
	report  api.TickReport
	input   aggregator.Input
	changes aggregator.Changes
}

// ticks are those that followed when it was seen, and the last ones, in order.
func (t *tracer) ticks(ctx context.Context) ([]tracedTick, error) {
	count := t.in.Board.Now().State.TickCount
	first, err := t.first(ctx, count)
	if err != nil {
		return nil, err
	}
	var all []tracedTick
	for tick := first; tick <= count; tick++ {
		if tick == first+ticksTraced {
			tick = max(tick, count-ticksTraced+1)
		}
		record, ok, err := t.in.Mind.Record(ctx, tick)
		if err != nil {
			return nil, fmt.Errorf("read the ticks: %w", err)
		}
		if !ok {
			continue
		}
		traced := tracedTick{}
		if traced.report, err = ReportOf(record); err != nil {
			return nil, err
		}
		// A record of other mechanics says which threads were asked, but not
		// what became of their findings.
		if input, err := Merged(record); err == nil {
			traced.input = input
			_, traced.changes = aggregator.Merge(input)
		}
		all = append(all, traced)
	}
	return all, nil
}

// first is the first tick since the observation was seen, of so many.
func (t *tracer) first(ctx context.Context, count int64) (int64, error) {
	var failed error
	after := sort.Search(int(count), func(n int) bool {
		record, ok, err := t.in.Mind.Record(ctx, int64(n)+1)
		failed = errors.Join(failed, err)
		return ok && !record.At.Before(t.observation.At)
	})
	if failed != nil {
		return 0, fmt.Errorf("find the tick that saw it: %w", failed)
	}
	return int64(after) + 1, nil
}

// asked are the threads in whose field it was when they were asked.
func (t *tracer) asked(ticks []tracedTick) (asked []string) {
	for _, name := range t.in.Threads {
		if !threads.Interested(name, t.observation) {
			continue
		}
		at := slices.IndexFunc(ticks, func(tick tracedTick) bool {
			return slices.ContainsFunc(tick.report.Threads, func(r api.ThreadReport) bool {
				return r.Name == string(name) && r.Mode != Skipped && r.Mode != Failed
			})
		})
		if at < 0 {
			t.step(stageThread, string(name), false, 0, time.Time{}, "the %s has not been asked since", name)
			continue
		}
		asked = append(asked, string(name))
		t.step(stageThread, string(name), true, ticks[at].report.Tick, ticks[at].report.At, "the %s was shown it", name)
	}
	return asked
}

// claimed is a finding that cites the observation.
type claimed struct {
	thread  subconscious.ThreadName
	finding subconscious.Finding
	tick    int64
	at      time.Time
	changes aggregator.Changes
}

// claims are the findings of a tick that cite the observation.
func (t *tracer) claims(tick tracedTick) (all []claimed) {
	ref := t.observation.Ref()
	for _, thought := range tick.input.Thoughts {
		for _, f := range thought.Findings {
			if f.Cites(ref) {
				all = append(all, claimed{thought.Thread.Thread(), f, tick.report.Tick, tick.report.At, tick.changes})
			}
		}
	}
	return all
}

func (t *tracer) unfound(asked []string) error {
	if len(asked) == 0 {
		return t.end("It was seen, and no thread that looks at such things has been asked since.",
			"Run `subconsciousctl tick`, and see in `subconsciousctl status` why the threads rest or fail.")
	}
	return t.end(fmt.Sprintf("%s looked at it and found nothing to say of it.", sentence(asked)),
		"Give the thread a model, if it has none, and have that look for it: "+t.focus(asked[0])+"; rules find no more the second time.")
}

// focus is the command that has a thread look for it. Its words may be a
// stranger's: whoever pastes them into a shell has nothing run by them.
func (t *tracer) focus(thread string) string {
	words := strings.FieldsFunc(t.observation.Title, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	return fmt.Sprintf("`subconsciousctl focus %s \"%s\"`", thread, cmp.Or(strings.Join(words[:min(len(words), 6)], " "), t.observation.Kind))
}

// judged says what the mechanics and the gate made of the findings.
func (t *tracer) judged(ctx context.Context, named []claimed) error {
	last := named[len(named)-1]
	for _, c := range named {
		if key, ok := t.incidentOf(c); ok {
			t.step(stageMechanics, "", true, c.tick, c.at, "it was kept")
			return t.gated(ctx, key, c)
		}
	}
	for _, c := range named {
		for _, x := range c.changes.Rejected {
			if x.Thread == c.thread && x.Summary == subconscious.Summary(c.finding.Summary) {
				why := strings.ReplaceAll(string(x.Reason), "_", " ")
				t.step(stageMechanics, "", false, c.tick, c.at, "it was not kept: %s", why)
				return t.end(fmt.Sprintf("The %s found it, and it was not kept: %s.", c.thread, why), rejectionProposal(x.Reason, last))
			}
		}
	}
	return t.end("It was found, but nothing is on record of what became of it.", "See `subconsciousctl ticks` around that time.")
}

func rejectionProposal(reason aggregator.Reason, c claimed) string {
	switch reason {
	case aggregator.ClosedByPerson:
		return "You had closed it: it stays closed until it gets worse or comes anew."
	case aggregator.BelowImportance:
		return fmt.Sprintf("Lower mechanics.min_importance to %v.", max(c.finding.Importance, 1))
	case aggregator.CrowdedOut:
		return "More important entries filled its list: close what is done of those that `subconsciousctl status` lists."
	}
	return "See `subconsciousctl ticks` for what was brought beside it."
}

// incidentOf is the incident into which a finding was taken.
func (t *tracer) incidentOf(c claimed) (subconscious.IncidentKey, bool) {
	for _, a := range c.changes.Accepted {
		if a.Thread != c.thread || a.Finding.Summary != subconscious.Summary(c.finding.Summary) {
			continue
		}
		for _, incident := range c.changes.Incidents {
			if _, recorded := incident.Recorded[t.observation.Ref()]; recorded {
				return incident.Key, true
			}
		}
	}
	return "", false
}

// gated says what the gate decided of the incident.
func (t *tracer) gated(ctx context.Context, key subconscious.IncidentKey, c claimed) error {
	incidents, err := t.in.Mind.Incidents(ctx, []subconscious.IncidentKey{key}, nil)
	if err != nil {
		return Answer(err)
	}
	if len(incidents) == 0 || incidents[0].Telling == nil {
		t.step(stageGate, "", false, c.tick, c.at, "nobody asked that you be told")
		return t.end(fmt.Sprintf("The %s noted it with importance %d and did not ask that you be told.", c.thread, c.finding.Importance),
			"It is kept among what is on its mind. A thread with a model weighs such things for itself; "+t.focus(string(c.thread))+" asks it to look for them.")
	}
	telling := incidents[0].Telling
	t.trace.Incident = telling.ID
	rows, err := t.in.Mind.Decisions(ctx, telling.ID, decisionsShown)
	if err != nil {
		return fmt.Errorf("read the decisions: %w", err)
	}
	var last api.Decision
	for _, row := range rows {
		if err := json.Unmarshal(row.JSON, &last); err != nil {
			return fmt.Errorf("read a decision on %s: %w", telling.ID, err)
		}
		t.step(stageGate, "", last.Verdict == escalate.Tell, last.Tick, last.At, "%s", last.Detail)
	}
	if len(telling.Told) > 0 {
		return t.delivered(ctx, telling)
	}
	verdict := "It was let go: "
	if last.Verdict == escalate.Hold {
		verdict = "It waits to be told: "
	}
	return t.end(verdict+last.Detail+".", gateProposal(t.in.Config.Gate(), last.Reason, telling.ID))
}

// delivered says how the message fared.
func (t *tracer) delivered(ctx context.Context, telling *subconscious.Telling) error {
	heard, ok := telling.Heard()
	if !ok && telling.Deliberating() {
		return t.end("It is being deliberated on.", "Wait for what comes of it: `subconsciousctl why "+string(telling.ID)+"`.")
	}
	if !ok {
		return t.end("A deliberation kept it back.", "`subconsciousctl why "+string(telling.ID)+"` shows all that was said; deliberation.enabled: false tells without one.")
	}
	deliveries, err := t.in.Outbox.Deliveries(ctx, telling.ID)
	if err != nil {
		return fmt.Errorf("read what was sent: %w", err)
	}
	for _, x := range deliveries {
		ok := x.State == notify.StateSent
		t.arrived = t.arrived || ok
		t.step(stageDelivery, x.Channel, ok, 0, x.At, "%s", strings.TrimSpace(fmt.Sprintf("%s: %s %s", x.Channel, x.State, x.Error)))
	}
	when := clock(heard.At, t.trace.At)
	switch {
	case t.arrived:
		return t.end("You were told "+when+", and a channel took it.", "Look at the phone's settings for that channel; `subconsciousctl notify test` sends another.")
	case len(deliveries) == 0:
		return t.end("It was told "+when+", in the inbox alone: in a digest, or because no channel is configured.", "Name a channel under notify in the configuration, or run `subconsciousctl init`.")
	}
	return t.end("It was told "+when+", and no channel took it.", "See `subconsciousctl notify list` for what is wrong.")
}

// gateProposal is the change that would have let it through.
func gateProposal(rules escalate.Rules, reason escalate.Reason, id subconscious.IncidentID) string {
	why := "`subconsciousctl why " + string(id) + "`"
	switch reason {
	case escalate.LowConfidence, escalate.Digest:
		return fmt.Sprintf("Count it as missed, with --teach, which raises the weight of such things; or lower escalation.push_from, now %.2f.", rules.PushFrom)
	case escalate.QuietHours:
		return fmt.Sprintf("It came in quiet hours (%s to %s): change quiet_hours, or add its class to escalation.critical.", rules.Quiet.From, rules.Quiet.To)
	case escalate.Presence:
		return "It waited for a natural pause: lower escalation.hold_engaged or hold_busy, or switch a source off under presence."
	case escalate.BudgetAttention:
		return fmt.Sprintf("The caps were used up: budget.notifications_per_day is %d, escalations_per_hour %v.", rules.NotificationsPerDay, rules.EscalationsPerHour)
	case escalate.Strangers:
		return "You do not know who wrote it: write to them, or look at escalation.strangers."
	case escalate.Cooldown:
		return fmt.Sprintf("It was told shortly before: escalation.cooldown is %s.", rules.Cooldown)
	case escalate.Expired:
		return "It was noticed, or could be told, only after its time. See what held it before that: " + why + "."
	case escalate.Dismissed:
		return "You had dismissed it."
	}
	return "See " + why + "."
}

// sentence lists threads at the beginning of a sentence.
func sentence(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return "The " + names[0]
	}
	return "The " + strings.Join(names[:last], ", the ") + " and the " + names[last]
}

// clock is a time in the zone of another, for people.
func clock(at, zone time.Time) string { return at.In(zone.Location()).Format("Mon 15:04") }
