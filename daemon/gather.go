package daemon

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// sources finds what a deliberation is shown first. That is what taints the
// least: the incident's own observations, and of other incidents only what rules
// wrote of the person's and the machine's. The rest is read with tools, which
// taints.
type sources struct {
	mind    *mind.Store
	ledger  *senses.Ledger
	memory  *memory.Store
	budget  *budget.Budget
	prompts *prompts.Set
	config  deliberate.Config
	state   func() subconscious.State
}

const (
	// evidenceShown and recalledShown bound how many observations and memories are
	// shown.
	evidenceShown = 12
	recalledShown = 5
)

// gather finds the sources of an escalation.
func (s sources) gather(ctx context.Context, e deliberate.Escalation, at time.Time) (deliberate.Sources, error) {
	incidents, err := s.mind.Incidents(ctx, []subconscious.IncidentKey{e.Incident}, nil)
	if err != nil {
		return deliberate.Sources{}, fmt.Errorf("look up the incident: %w", err)
	}
	var incident subconscious.Incident
	if len(incidents) > 0 {
		incident = incidents[0]
	}
	out := deliberate.Sources{Own: slices.Sorted(maps.Keys(incident.Recorded)), Words: []escalate.Word{{Trust: subconscious.Machine, Source: "mind"}}}
	in := prompts.Deliberation{At: at, Subject: subjectOf(e, incident), History: historyOf(e, incident), Budget: s.purseWords(ctx, at)}
	if in.Evidence, err = s.evidence(ctx, e, incident); err != nil {
		return deliberate.Sources{}, err
	}
	shown := map[subconscious.Ref]bool{}
	for _, o := range in.Evidence {
		shown[o.Ref()] = true
		out.Words = append(out.Words, wordOf(o, "evidence"))
	}
	unheard, err := s.unheard(ctx, incident, shown)
	if err != nil {
		return deliberate.Sources{}, err
	}
	out.Words = append(out.Words, unheard...)
	for _, citation := range e.Evidence { // a rule's words may be those of what is not shown
		in.Subject.ByModel = in.Subject.ByModel || !shown[citation.Ref]
	}
	out.Words = append(out.Words, s.addOthers(e, &in)...)
	if in.Memories, err = s.recalled(ctx, e, in.Evidence); err != nil {
		return deliberate.Sources{}, err
	}
	for _, r := range in.Memories {
		out.Words = append(out.Words, escalate.Word{Trust: r.Trust, Source: "memory"})
	}
	out.Prompt, err = s.prompts.Deliberation(in)
	return out, err
}

// addOthers adds the entries of other incidents that may be shown, and says whose
// words stand in them.
func (s sources) addOthers(of deliberate.Escalation, in *prompts.Deliberation) (all []escalate.Word) {
	for _, e := range s.state().Entries {
		words, plain := s.plainWords(e)
		switch {
		case e.Incident == of.Incident:
		case !plain:
			in.Withheld++
		default:
			in.State, all = append(in.State, e), append(all, words...)
		}
	}
	return all
}

// wordOf is whose word an observation is.
func wordOf(o subconscious.Observation, source string) escalate.Word {
	return escalate.Word{Trust: o.Trust, Ref: o.Ref(), Voice: threads.VoiceOf(o), Source: source}
}

// plainWords are whose words stand in an entry, and whether they are nobody's
// but the person's and the machine's.
func (s sources) plainWords(e subconscious.Entry) (words []escalate.Word, plain bool) {
	plain = true
	for _, from := range threads.SourcesOf(e, s.ledger.View()) {
		words = append(words, wordFrom(from, "entry"))
		plain = plain && (from.Trust == subconscious.Owner || from.Trust == subconscious.Machine)
	}
	return words, plain
}

func wordFrom(s threads.Source, source string) escalate.Word {
	return escalate.Word{Trust: s.Trust, Ref: s.Ref, Voice: s.Voice, Source: cmp.Or(s.Tool, source)}
}

// evidence are the observations that the escalation rests on, with their text:
// those cited first, then what else of the incident stands.
func (s sources) evidence(ctx context.Context, e deliberate.Escalation, incident subconscious.Incident) ([]subconscious.Observation, error) {
	citations := slices.Clone(e.Evidence)
	view := s.ledger.View()
	for _, ref := range slices.Sorted(maps.Keys(incident.Recorded)) {
		if _, stands := view.Get(ref); stands {
			citations = append(citations, subconscious.Citation{Ref: ref})
		}
	}
	var observations []subconscious.Observation
	seen := map[subconscious.Ref]bool{}
	for _, citation := range citations {
		if seen[citation.Ref] || len(observations) == evidenceShown {
			continue
		}
		seen[citation.Ref] = true
		o, ok, err := s.ledger.Observation(ctx, citation)
		if err != nil {
			return nil, fmt.Errorf("read observation %s: %w", citation, err)
		}
		if ok {
			observations = append(observations, o)
		}
	}
	return observations, nil
}

// unheard are whose words an incident rests on that find no room, and of which
// the person has not heard. To keep the incident back keeps them back, too, so
// that they count as shown: else one who writes often would silence another. Of
// what the incident itself has forgotten nobody knows whose words they were.
func (s sources) unheard(ctx context.Context, incident subconscious.Incident, shown map[subconscious.Ref]bool) (words []escalate.Word, err error) {
	heard, ever := incident.Telling.Heard()
	if incident.Forgotten > 0 && (!ever || incident.Unheard > heard.Tick) {
		words = append(words, escalate.Word{Trust: subconscious.Outsider, Source: "unheard"})
	}
	for _, ref := range slices.Sorted(maps.Keys(incident.Recorded)) {
		counted := incident.Recorded[ref]
		if shown[ref] || len(counted) == 0 {
			continue
		}
		last := slices.Max(counted)
		if told, known := heard.Changes[ref]; known && told >= last {
			continue
		}
		citation := subconscious.Citation{Ref: ref, Seq: last}
		o, ok, err := s.ledger.Observation(ctx, citation)
		switch {
		case err != nil:
			return nil, fmt.Errorf("read observation %s: %w", citation, err)
		case ok:
			words = append(words, wordOf(o, "unheard"))
		default:
			words = append(words, escalate.Word{Trust: subconscious.Outsider, Ref: ref, Source: "unheard"})
		}
	}
	return words, nil
}

func subjectOf(e deliberate.Escalation, incident subconscious.Incident) prompts.Subject {
	subject := prompts.Subject{
		ID: e.Person, Kind: e.Kind, Importance: e.Importance, Critical: e.Critical, Due: e.Due, Why: e.Decision,
		Title: e.Template.Title, Summary: e.Summary, Because: e.Reason, ByModel: subconscious.ByModel(e.Rule),
	}
	if t := incident.Telling; t != nil {
		for _, told := range t.Told {
			if told.Tick != e.Tick && told.Heard() {
				subject.Told, subject.LastTold = subject.Told+1, told.At
			}
		}
	}
	return subject
}

// historyOf says in our own words what became of an incident with the person
// before: what they heard, and what was kept back from them.
func historyOf(e deliberate.Escalation, incident subconscious.Incident) []prompts.Line {
	var lines []prompts.Line
	add := func(at time.Time, format string, args ...any) {
		if !at.IsZero() {
			lines = append(lines, prompts.Line{At: at, Text: fmt.Sprintf(format, args...), Trust: subconscious.Machine})
		}
	}
	add(incident.Opened, "first noticed")
	t := incident.Telling
	if t == nil {
		return lines
	}
	for _, told := range t.Told {
		switch {
		case told.Tick == e.Tick:
		case told.Heard():
			add(told.At, "the person was told (%s)", cmp.Or(told.Why, "the first time"))
		case told.Outcome.KeepsBack():
			add(told.At, "thought over, and kept back: the person heard nothing")
		default:
			add(told.At, "given to be thought over, and nothing is known of its end")
		}
	}
	if t.Feedback != "" {
		add(t.Since, "the person's last word on it: %s", strings.ReplaceAll(string(t.Feedback), "_", " "))
	}
	return lines
}

// recalled are memories that share words with the incident.
func (s sources) recalled(ctx context.Context, e deliberate.Escalation, observations []subconscious.Observation) ([]prompts.Memory, error) {
	var words []string
	if !subconscious.ByModel(e.Rule) {
		words = append(words, e.Summary)
	}
	for _, o := range observations {
		words = append(words, o.Title)
	}
	hits, err := s.memory.Search(ctx, memory.Query{Words: strings.Join(words, " "), Limit: recalledShown, Variety: true, Into: e.ID})
	if err != nil {
		return nil, fmt.Errorf("recall: %w", err)
	}
	var all []prompts.Memory
	for _, hit := range hits {
		all = append(all, prompts.Memory{ID: hit.ID, Text: hit.Text, Trust: hit.Trust, At: hit.Created, Doubt: hit.Doubt()})
	}
	return all, nil
}

// purseWords says what may be spent.
func (s sources) purseWords(ctx context.Context, at time.Time) string {
	config := s.config
	words := fmt.Sprintf("You may answer %d times, within %s", config.Rounds, config.Deadline)
	if config.MaxCost > 0 {
		words += fmt.Sprintf(" and %.2f dollars", config.MaxCost)
	}
	if o, err := s.budget.Spent(ctx, at); err == nil {
		for _, l := range o.Limits {
			if l.Name == budget.MoneyPerDay && l.Role == "" && l.Allowed >= 0 {
				words += fmt.Sprintf("; of the day's money %.2f dollars are left", budget.Money(max(l.Allowed-l.Used, 0)).Float())
			}
		}
	}
	return words + "."
}

// reading reads more for a deliberation.
type reading struct {
	*threads.Toolbox
	deliberation string
}

var _ deliberate.Desk = reading{}

// Read implements deliberate.Desk.
func (r reading) Read(ctx context.Context, call models.ToolCall) (deliberate.Reading, error) {
	got, err := r.Toolbox.Read(context.WithValue(ctx, into{}, r.deliberation), call)
	out := deliberate.Reading{Text: got.Text, Words: []escalate.Word{{Trust: subconscious.Machine, Source: call.Name}}}
	for _, s := range got.Sources {
		out.Words = append(out.Words, wordFrom(s, call.Name))
	}
	return out, err
}
