package api

import (
	"encoding/json"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// list returns an empty list for none, so that every list is present in JSON.
func list[T any](values []T) []T {
	if values == nil {
		return []T{}
	}
	return values
}

func counts(values map[string]int) map[string]int {
	if values == nil {
		return map[string]int{}
	}
	return values
}

// filled returns the status with every list present.
func (s Status) filled() Status {
	s.Senses, s.Threads, s.Pending, s.Notices = list(s.Senses), list(s.Threads), list(s.Pending), list(s.Notices)
	s.Parked, s.Rejected = list(s.Parked), counts(s.Rejected)
	s.Budget, s.Models = s.Budget.filled(), filledModels(s.Models)
	s.Waiting, s.Channels = filledIncidents(s.Waiting), list(s.Channels)
	s.Proposed, s.Deliberating = list(s.Proposed), list(s.Deliberating)
	d := &s.Subconscious
	for _, entries := range []*[]subconscious.DocumentEntry{&d.ActiveThreads, &d.Patterns, &d.Hunches, &d.Insights} {
		*entries = list(*entries)
	}
	d.EscalationHistory = list(d.EscalationHistory)
	if d.ThreadState == nil {
		d.ThreadState = map[subconscious.ThreadName]subconscious.DocumentThread{}
	}
	return s
}

// filled returns the budget with every list present.
func (b BudgetStatus) filled() BudgetStatus {
	b.Limits, b.Roles = list(b.Limits), list(b.Roles)
	return b
}

// filledModels returns the models with every list present.
func filledModels(models []ModelStatus) []ModelStatus {
	filled := make([]ModelStatus, len(models))
	for i, m := range models {
		m.Fallbacks = list(m.Fallbacks)
		filled[i] = m
	}
	return filled
}

// filledTests returns the tests with every list present.
func filledTests(tests []ModelTest) []ModelTest {
	filled := make([]ModelTest, len(tests))
	for i, t := range tests {
		t.Steps = list(t.Steps)
		filled[i] = t
	}
	return filled
}

// filled returns the report with every list present.
func (r Report) filled() Report {
	r.Rejected, r.Changes, r.Decisions = counts(r.Rejected), counts(r.Changes), counts(r.Decisions)
	r.Threads, r.Models, r.Blind = list(r.Threads), list(r.Models), list(r.Blind)
	r.Budget = r.Budget.filled()
	return r
}

// filled returns the report with every list present.
func (t TickReport) filled() TickReport {
	t.Senses, t.Changes, t.Decisions = list(t.Senses), list(t.Changes), list(t.Decisions)
	threads := make([]ThreadReport, len(t.Threads))
	for i, thread := range t.Threads {
		thread.Rejected = counts(thread.Rejected)
		threads[i] = thread
	}
	t.Threads = threads
	told := make([]ToldMessage, len(t.Told))
	for i, message := range t.Told {
		message.Incidents = list(message.Incidents)
		told[i] = message
	}
	t.Told = told
	return t
}

// filled returns the explanation with every list present.
func (e Explanation) filled() Explanation {
	e.Observations, e.Steps = list(e.Observations), list(e.Steps)
	e.Entry.Evidence, e.Incident = list(e.Entry.Evidence), filledRecord(e.Incident)
	return e
}

// filledIncidents returns the incidents with every list present.
func filledIncidents(incidents []InboxIncident) []InboxIncident {
	filled := make([]InboxIncident, len(incidents))
	for i, incident := range incidents {
		incident.Delivery = list(incident.Delivery)
		filled[i] = incident
	}
	return filled
}

// filledRecord returns the incident with every list present; its own telling
// is left as it is.
func filledRecord(incident subconscious.Incident) subconscious.Incident {
	if incident.Telling != nil {
		telling := *incident.Telling
		telling.Asked.Evidence = list(telling.Asked.Evidence)
		incident.Telling = &telling
	}
	return incident
}

// filled returns the page with every list present.
func (i Inbox) filled() Inbox {
	i.Incidents = filledIncidents(i.Incidents)
	return i
}

// filled returns the explanation with every list present.
func (e IncidentExplanation) filled() IncidentExplanation {
	e.Incident.Delivery, e.Record = list(e.Incident.Delivery), filledRecord(e.Record)
	e.Entries, e.Observations = list(e.Entries), list(e.Observations)
	e.Decisions, e.Deliveries = list(e.Decisions), list(e.Deliveries)
	deliberations := make([]Deliberation, len(e.Deliberations))
	for i, d := range e.Deliberations {
		deliberations[i] = d.filled()
	}
	e.Deliberations = deliberations
	return e
}

// filled returns the deliberation with every list present.
func (d Deliberation) filled() Deliberation {
	d.Taint, d.Cited = list(d.Taint), list(d.Cited)
	rounds := make([]DeliberationRound, len(d.Rounds))
	for i, round := range d.Rounds {
		calls := make([]DeliberationCall, len(round.Calls))
		for k, call := range round.Calls {
			call.Shown = list(call.Shown)
			calls[k] = call
		}
		round.Calls = calls
		rounds[i] = round
	}
	d.Rounds = rounds
	return d
}

// noArguments stand for those of an action that has none.
const noArguments = "{}"

// filled returns the proposal with every list present, and its arguments as
// JSON whatever they are.
func (p Proposal) filled() Proposal {
	p.Argv, p.Shown = list(p.Argv), list(p.Shown)
	if !json.Valid(p.Arguments) {
		p.Arguments = json.RawMessage(noArguments)
	}
	return p
}

// filled returns the page with every list present.
func (p ProposalPage) filled() ProposalPage {
	proposals := make([]Proposal, len(p.Proposals))
	for i, proposal := range p.Proposals {
		proposals[i] = proposal.filled()
	}
	p.Proposals = proposals
	return p
}

// filled returns the result with every list present.
func (r ProposalResult) filled() ProposalResult {
	r.Proposal = r.Proposal.filled()
	if r.Run != nil {
		run := r.Run.filled()
		r.Run = &run
	}
	return r
}

// filled returns the run with every list present.
func (r ActionRun) filled() ActionRun {
	r.Argv = list(r.Argv)
	return r
}

// filled returns the page with every list present.
func (p RunPage) filled() RunPage {
	runs := make([]ActionRun, len(p.Runs))
	for i, run := range p.Runs {
		runs[i] = run.filled()
	}
	p.Runs = runs
	return p
}

// filled returns the memory with every list present.
func (r MemoryRecord) filled() MemoryRecord {
	r.Tags, r.Citations = list(r.Tags), list(r.Citations)
	return r
}

// filled returns the page with every list present.
func (p MemoryPage) filled() MemoryPage {
	memories := make([]MemoryRecord, len(p.Memories))
	for i, memory := range p.Memories {
		memories[i] = memory.filled()
	}
	p.Memories = memories
	return p
}

// filled returns the trace with every list present.
func (t Trace) filled() Trace {
	t.Candidates, t.Steps = list(t.Candidates), list(t.Steps)
	return t
}

// filled returns the calibration with every list present.
func (c Calibration) filled() Calibration {
	c.Scores = list(c.Scores)
	return c
}
