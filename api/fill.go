package api

import "github.com/subconsciousd/subconsciousd/subconscious"

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

// filled returns the report with every list present.
func (t TickReport) filled() TickReport {
	t.Senses, t.Changes, t.Decisions = list(t.Senses), list(t.Changes), list(t.Decisions)
	threads := make([]ThreadReport, len(t.Threads))
	for i, thread := range t.Threads {
		thread.Rejected = counts(thread.Rejected)
		threads[i] = thread
	}
	t.Threads = threads
	return t
}

// filled returns the explanation with every list present.
func (e Explanation) filled() Explanation {
	e.Observations, e.Steps = list(e.Observations), list(e.Steps)
	return e
}
