package subconscious

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Schema is the JSON Schema (2020-12) of the published document.
//
//go:embed schema.json
var Schema []byte

// Limits of the document, fixed by its schema. Configuration may only lower
// the numbers of entries.
const (
	MaxActive   = 5
	MaxPatterns = 5
	MaxHunches  = 5
	MaxInsights = 3
	MaxHistory  = 10
	MaxStrength = 10
	MaxPressure = 10
	MaxTokens   = 2000
)

var entryID = regexp.MustCompile(`^[a-z]-[a-z0-9]+(-[a-z0-9]+)*$`)

// Validate reports the first ways in which the document breaks its limits.
func (d Document) Validate() error {
	var problems []error
	more := 0
	bad := func(format string, args ...any) {
		if len(problems) == problemsShown {
			more++
			return
		}
		problems = append(problems, fmt.Errorf(format, args...))
	}
	if d.Version != SchemaVersion {
		bad("version: is %d, want %d", d.Version, SchemaVersion)
	}
	if d.TickCount < 0 {
		bad("tick_count: is negative")
	}
	seen := map[EntryID]bool{}
	for _, list := range Lists() {
		entries := *d.list(list)
		if entries == nil {
			bad("%s: is missing", list)
		}
		if limit := listLimit(list); len(entries) > limit {
			bad("%s: has %d entries, at most %d fit", list, len(entries), limit)
		}
		for i, e := range entries {
			for _, problem := range e.problems() {
				bad("%s[%d].%s", list, i, problem)
			}
			if seen[e.ID] {
				bad("%s[%d].id: %q is used twice", list, i, e.ID)
			}
			seen[e.ID] = true
		}
	}
	if d.EscalationHistory == nil {
		bad("escalation_history: is missing")
	}
	if len(d.EscalationHistory) > MaxHistory {
		bad("escalation_history: has %d entries, at most %d fit", len(d.EscalationHistory), MaxHistory)
	}
	for i, record := range d.EscalationHistory {
		for _, problem := range record.problems() {
			bad("escalation_history[%d].%s", i, problem)
		}
	}
	if d.ThreadState == nil {
		bad("thread_state: is missing")
	}
	for _, name := range slices.Sorted(maps.Keys(d.ThreadState)) {
		for _, problem := range d.ThreadState[name].problems() {
			bad("thread_state.%.40s.%s", name, problem)
		}
	}
	if more > 0 {
		problems = append(problems, fmt.Errorf("and %d more", more))
	}
	return errors.Join(problems...)
}

func (t DocumentThread) problems() []string {
	var problems []string
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if t.LastFindings == nil || slices.ContainsFunc(t.LastFindings, func(ids []EntryID) bool { return ids == nil }) {
		bad("last_findings: is missing")
	}
	if len(t.LastFindings) > findingsShown {
		bad("last_findings: has %d ticks, at most %d fit", len(t.LastFindings), findingsShown)
	}
	if t.NoveltyPressure < 0 || t.NoveltyPressure > MaxPressure {
		bad("novelty_pressure: is %d, want 0 to %d", t.NoveltyPressure, MaxPressure)
	}
	return problems
}

func (r EscalationRecord) problems() []string {
	var problems []string
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if len(r.Deliberation) > deliberationBytes {
		bad("deliberation: is %d bytes long, at most %d fit", len(r.Deliberation), deliberationBytes)
	}
	if r.Cost < 0 {
		bad("cost: is negative")
	}
	if len(r.Cited) > MaxCited {
		bad("cited: has %d references, at most %d fit", len(r.Cited), MaxCited)
	}
	for i, text := range r.Cited {
		if _, ok := ParseCitation(text); !ok || strings.TrimSpace(text) != text {
			bad("cited[%d]: %.40q is not a reference such as notes:abcdefghij", i, text)
		}
	}
	return problems
}

func (e DocumentEntry) problems() []string {
	var problems []string
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if len(e.ID) > 64 || !entryID.MatchString(string(e.ID)) {
		bad("id: %.70q is not an id such as w-invoice-3k0", e.ID)
	}
	switch {
	case strings.TrimSpace(e.Summary) == "":
		bad("summary: is empty")
	case !utf8.ValidString(e.Summary):
		bad("summary: is not valid UTF-8")
	case len(e.Summary) > SummaryBytes:
		bad("summary: is %d bytes long, at most %d fit", len(e.Summary), SummaryBytes)
	case len(strings.Fields(e.Summary)) > SummaryWords:
		bad("summary: has %d words, fewer than 20 fit", len(strings.Fields(e.Summary)))
	}
	if e.Strength < 0 || e.Strength > MaxStrength {
		bad("strength: is %d, want 0 to %d", e.Strength, MaxStrength)
	}
	if !slices.Contains(Kinds(), e.Kind) {
		bad("kind: %.30q is none of %v", e.Kind, Kinds())
	}
	if e.LastSeen.IsZero() {
		bad("last_seen: is missing")
	}
	if e.Evidence == nil {
		bad("evidence: is missing")
	}
	if len(e.Evidence) > evidenceShown {
		bad("evidence: has %d references, at most %d fit", len(e.Evidence), evidenceShown)
	}
	for i, text := range e.Evidence {
		if _, ok := ParseCitation(text); !ok || strings.TrimSpace(text) != text {
			bad("evidence[%d]: %.40q is not a reference such as notes:abcdefghij", i, text)
		}
	}
	return problems
}

func listLimit(list List) int {
	switch list {
	case ActiveThreads:
		return MaxActive
	case Patterns:
		return MaxPatterns
	case Hunches:
		return MaxHunches
	}
	return MaxInsights
}
