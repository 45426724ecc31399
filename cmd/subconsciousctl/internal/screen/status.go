package screen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	blind    = "blind"
	degraded = "degraded"
	failed   = "failed"

	byRules   = "by rules" // a thread whose model did not answer
	byAnother = "stand-in" // a thread for which a fallback answered

	label  = 13 // columns of the labels at the left
	margin = 17 // columns before an entry's words: the bar and its number

	healthMargin = 2 + 2 + 2 + 9 + 2 // columns beside a name: sign, word, gaps
	wordsAtLeast = 16
	narrow       = 60 // columns of a screen on which words go below a name
	hintCells    = 32 // of a focus hint, which most often repeats an entry
)

// Degraded lists what keeps a mind from thinking as it should, in plain words:
// blind senses, failed threads, roles whose model fails or cannot be asked,
// channels that fail, and a last tick that did not commit.
func Degraded(s api.Status) []string {
	var reasons []string
	for _, sense := range s.Senses {
		if sense.State == blind {
			reasons = append(reasons, senseLabel(sense.Kind, sense.ID)+" is blind")
		}
	}
	for _, thread := range s.Threads {
		if thread.State == failed {
			reasons = append(reasons, clean(thread.Name)+" failed")
		}
	}
	if bad := troubles(s.Models); len(bad) > 0 {
		var roles []string
		for _, t := range bad {
			roles = append(roles, t.roles...)
		}
		words := "the model of " + roles[0] + " fails"
		if len(roles) > 1 {
			words = "the models of " + some(roles, 4) + " fail"
		}
		reasons = append(reasons, words)
	}
	if mute := silentChannels(s.Channels); mute != "" {
		reasons = append(reasons, mute)
	}
	if s.Tick.Error != "" {
		reasons = append(reasons, "the last tick failed")
	}
	return reasons
}

// Status is one screen about a mind.
func Status(view View, s api.Status) string {
	p := newPage(view)
	p.head(s)
	p.mind(s)
	p.parked(s.Parked)
	p.threads(s)
	p.senses(s)
	p.rest(s)
	p.pending(s)
	p.notices(s)
	return p.String()
}

// head says whether it is thinking, and when.
func (p *page) head(s api.Status) {
	mark, colour, words := "●", green, "Thinking"
	reasons := Degraded(s)
	switch {
	case s.Mind.Paused && s.Mind.PausedUntil.IsZero():
		mark, colour, words = "‖", yellow, "Paused until you resume it"
	case s.Mind.Paused:
		mark, colour, words = "‖", yellow, "Paused, goes on "+p.when(s.Mind.PausedUntil)
	case s.Tick.Running:
		words = "Thinking just now"
	}
	if len(reasons) > 0 {
		mark, colour = "▲", red
		words += ", but " + strings.Join(reasons, ", ")
	}
	version := clean(s.Version)
	if i := strings.LastIndexByte(version, ' '); p.Width < narrow && i >= 0 {
		version = version[i+1:] // the commit alone
	}
	if s.Mind.Demo {
		version += " demo"
	}
	for i, row := range wrap(words, p.Width-2-cells(version)-2) {
		if i == 0 {
			p.line(p.in(colour, mark), " ", p.in(bold, pad(row, p.Width-2-cells(version))), p.in(dim, version))
			continue
		}
		p.line("  ", p.in(bold, row))
	}
	p.line()
	p.labelled("last tick", p.lastTick(s))
	p.labelled("next tick", p.nextTick(s))
	p.labelled("mind", pieces(p.Width-label-2, p.path(s.Mind.StateDir), fmt.Sprintf("process %d", s.Mind.PID),
		"up "+length(p.At.Sub(s.Mind.Started))))
	if s.Tick.Error != "" {
		p.wrapped("  "+pad("failed with", label), red, sentence(s.Tick.Error))
	}
	if s.Mind.Paused {
		p.wrapped("  "+pad("", label), plain, "Let it go on: subconsciousctl resume")
	}
}

func (p *page) labelled(name, text string) {
	p.line("  ", p.in(dim, pad(name, label)), truncate(text, p.Width-label-2))
}

func (p *page) lastTick(s api.Status) string {
	if s.Tick.Last.IsZero() {
		return "none yet"
	}
	return p.when(s.Tick.Last) + fmt.Sprintf(", number %d", s.Tick.Count)
}

func (p *page) nextTick(s api.Status) string {
	switch {
	case s.Mind.Paused && s.Mind.PausedUntil.IsZero():
		return "not while it is paused"
	case s.Mind.Paused && s.Tick.Next.Before(s.Mind.PausedUntil):
		return "when the pause ends, " + p.when(s.Mind.PausedUntil)
	case s.Tick.Next.IsZero():
		return "not scheduled"
	case s.Tick.Schedule == "":
		return p.when(s.Tick.Next)
	}
	return pieces(p.Width-label-2, p.when(s.Tick.Next), "schedule "+clean(s.Tick.Schedule))
}

// mind writes the lists of entries.
func (p *page) mind(s api.Status) {
	doc := s.Subconscious
	lists := map[subconscious.List][]subconscious.DocumentEntry{
		subconscious.ActiveThreads: doc.ActiveThreads, subconscious.Patterns: doc.Patterns,
		subconscious.Hunches: doc.Hunches, subconscious.Insights: doc.Insights,
	}
	var empty []string
	for _, name := range subconscious.Lists() {
		if len(lists[name]) == 0 {
			empty = append(empty, strings.ToLower(listTitle(name)))
			continue
		}
		p.heading(listTitle(name))
		for _, entry := range lists[name] {
			p.entry(entry)
		}
	}
	switch {
	case len(empty) == len(lists):
		p.heading("Nothing on its mind")
		p.wrapped("  ", plain, emptyWords(s))
	case len(empty) > 0:
		p.line()
		p.wrapped("  ", dim, "Empty: "+strings.Join(empty, ", ")+".")
	}
	p.told(doc.EscalationHistory)
}

func emptyWords(s api.Status) string {
	switch {
	case len(s.Senses) == 0:
		return "It has no senses, so there is nothing it could notice. `subconsciousctl config path` names the file that takes them."
	case s.Tick.Count == 0:
		return "It has not had its first tick. Run one now: subconsciousctl tick"
	default:
		return fmt.Sprintf("After %s nothing is worth keeping; most of the time that is as it should be. Tell it something: subconsciousctl note TEXT",
			number(int(s.Tick.Count), "tick"))
	}
}

// entry writes one entry: bar, strength and summary, then what else is known.
func (p *page) entry(e subconscious.DocumentEntry) {
	colour := plain
	if e.Over {
		colour = dim
	}
	first := fmt.Sprintf("  %s %2d  ", bar(e.Strength), e.Strength)
	for i, row := range wrap(clean(e.Summary), p.Width-margin) {
		if i > 0 {
			first = strings.Repeat(" ", margin)
		}
		p.line(first, p.in(colour, row))
	}
	due, over := "", ""
	if !e.Due.IsZero() {
		due = "due " + p.when(e.Due)
	}
	if e.Over {
		over = "over"
	}
	p.line(strings.Repeat(" ", margin), p.in(dim, pieces(p.Width-margin,
		clean(string(e.ID)), over, due, clean(string(e.Kind)), number(len(e.Evidence), "observation"), "seen "+p.relative(e.LastSeen))))
}

// told writes what the person heard lately, and apart from it what was kept
// back. What is being deliberated on is neither.
func (p *page) told(history []subconscious.EscalationRecord) {
	var told, kept []subconscious.EscalationRecord
	for _, record := range history {
		switch kind := subconscious.OutcomeKind(record.Outcome); {
		case kind.KeepsBack():
			kept = append(kept, record)
		case kind != subconscious.OutcomePending:
			told = append(told, record)
		}
	}
	p.lately("Told lately", told, func(record subconscious.EscalationRecord) string { return clean(record.Outcome) })
	p.lately("Not told lately", kept, keptWords)
}

// lately writes the last of what is on record under a heading.
func (p *page) lately(title string, records []subconscious.EscalationRecord, outcome func(subconscious.EscalationRecord) string) {
	const most = 3
	if len(records) == 0 {
		return
	}
	p.heading(title)
	for _, record := range records[max(0, len(records)-most):] {
		p.wrapped("  "+pad(p.clock(record.At), 11)+"  ", plain, clean(record.Summary)+" ("+outcome(record)+")")
	}
}

// keptWords says how a deliberation kept something back, and why.
func keptWords(record subconscious.EscalationRecord) string {
	kind := subconscious.OutcomeKind(record.Outcome)
	words := map[subconscious.OutcomeKind]string{
		subconscious.OutcomeSnoozed: "a deliberation put it off", subconscious.OutcomeRemembered: "a deliberation remembered it",
	}[kind]
	if words == "" {
		words = "a deliberation kept it back"
	}
	if reason := clean(record.Reason); reason != "" && reason != record.Outcome {
		words += ": " + reason
	}
	return words
}

// parked writes what waits for room in its list.
func (p *page) parked(entries []api.ParkedEntry) {
	const most = 5
	if len(entries) == 0 {
		return
	}
	p.heading("Waiting for room")
	for _, e := range entries[:min(most, len(entries))] {
		p.wrapped("  · ", plain, clean(e.Summary)+" ("+clean(string(e.ID))+")")
	}
	if more := len(entries) - most; more > 0 {
		p.wrapped("    ", dim, fmt.Sprintf("and %d more", more))
	}
}

// nameWidth is how many columns names take, so that some are left for words.
func nameWidth[T any](p *page, values []T, name func(T) string) int {
	widest := 8
	for _, v := range values {
		widest = max(widest, cells(name(v)))
	}
	return min(widest, 24, p.Width-healthMargin-wordsAtLeast)
}

// healthMark gives a state its sign, colour and word.
func healthMark(state string) (mark string, colour style, word string) {
	switch state {
	case "ok":
		return "✓", green, "well"
	case "starting":
		return "…", dim, "starting"
	case "skipped":
		return "–", dim, "skipped"
	case degraded, byRules, byAnother:
		return "!", yellow, state
	case blind, failed:
		return "✗", red, state
	case "":
		return "·", dim, "not yet asked"
	default:
		return "?", yellow, clean(state)
	}
}

// health writes one line about a thread or a sense; the words are wrapped.
// Where the screen is narrow they have lines of their own.
func (p *page) health(name string, columns int, state, words string) {
	mark, colour, word := healthMark(state)
	first := "  " + p.in(colour, mark) + " " + pad(name, columns) + "  " + p.in(colour, pad(word, 9)) + "  "
	deep := p.deep(columns)
	if cells(deep) < healthMargin+columns {
		p.line("  ", p.in(colour, mark), " ", pad(name, columns), "  ", p.in(colour, truncate(word, 9)))
		first = deep
	}
	for i, row := range wrap(words, p.Width-cells(deep)) {
		if i > 0 {
			first = deep
		}
		p.line(first, row)
	}
}

// deep is what stands before words about a thread or a sense.
func (p *page) deep(columns int) string {
	if p.Width < narrow {
		return "    "
	}
	return strings.Repeat(" ", healthMargin+columns)
}

func (p *page) senses(s api.Status) {
	p.heading("Senses")
	if len(s.Senses) == 0 {
		p.wrapped("  ", plain, "None are configured. `subconsciousctl config path` names the file that takes them.")
		return
	}
	name := func(sense api.SenseStatus) string { return senseLabel(sense.Kind, sense.ID) }
	columns := nameWidth(p, s.Senses, name)
	for _, sense := range s.Senses {
		p.health(name(sense), columns, sense.State, p.senseWords(sense))
	}
}

func (p *page) senseWords(s api.SenseStatus) string {
	var parts []string
	if s.State == blind || s.State == degraded {
		parts = append(parts, "since "+p.clock(s.Since)+" ("+length(p.At.Sub(s.Since))+")")
	}
	if s.Error != "" {
		parts = append(parts, clean(s.Error))
	}
	if !s.Next.IsZero() {
		parts = append(parts, "tries again "+p.relative(s.Next))
	}
	standing := number(s.Standing, "observation") + " standing"
	switch {
	case s.Standing == 0:
		standing = "nothing standing"
	case s.State == blind:
		standing += " as of then"
	}
	return strings.Join(append(parts, standing), " · ")
}

// rest says what waits to be told, what today cost, what was not taken.
func (p *page) rest(s api.Status) {
	p.line()
	p.toTell(s)
	p.decisionLines(s.Proposed)
	p.deliberating(s.Deliberating)
	p.channelLines(s.Channels)
	if words := p.presenceWords(s.Presence); words != "" {
		p.wrapped("  "+pad("you are", label), plain, words)
	}
	p.modelLines(s)
	p.wrapped("  "+pad("today", label), plain, spentWords(s.Budget))
	for _, words := range p.exhausted(s.Budget) {
		p.wrapped("  "+pad("", label), yellow, words)
	}
	total, words := rejections(s.Rejected)
	if total == 0 {
		p.labelled("not taken", "nothing in 24 hours")
		return
	}
	p.wrapped("  "+pad("not taken", label), plain, fmt.Sprintf("%s in 24 hours: %s", number(total, "finding"), words))
}

// modelLines says who thinks, and which models cannot be asked.
func (p *page) modelLines(s api.Status) {
	bad := troubles(s.Models)
	switch {
	case len(s.Models) == 0:
		p.labelled("models", "none: rules think")
	case len(bad) == 0:
		p.wrapped("  "+pad("models", label), plain, modelWords(s.Models))
	}
	for i, t := range bad {
		name := ""
		if i == 0 {
			name = "models"
		}
		_, colour, word := modelMark(t.model.State)
		words := identity(t.model.Provider, t.model.Model) + " is " + word + " (" + some(t.roles, 4) + ")"
		if why := p.troubleWords(t.model); why != "" {
			words += ": " + why
		}
		p.wrapped("  "+pad(name, label), colour, words)
	}
}

// modelWords says of models that can be asked whether they ever were.
func modelWords(models []api.ModelStatus) string {
	unused := func(m api.ModelStatus) bool { return m.State == api.ModelUnused }
	asked := modelNames(slices.DeleteFunc(slices.Clone(models), unused))
	others := slices.DeleteFunc(modelNames(models), func(name string) bool { return slices.Contains(asked, name) })
	var parts []string
	if len(asked) > 0 {
		parts = append(parts, "well: "+some(asked, 3))
	}
	if len(others) > 0 {
		parts = append(parts, "not yet asked: "+some(others, 3))
	}
	return strings.Join(parts, " · ")
}

// modelNames are the models that there are, each once, in order.
func modelNames(models []api.ModelStatus) []string {
	var names []string
	for _, m := range models {
		if name := identity(m.Provider, m.Model); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// pending writes what the next tick will consume.
func (p *page) pending(s api.Status) {
	if len(s.Pending) == 0 {
		return
	}
	p.heading("For the next tick")
	for _, command := range s.Pending {
		words := CommandWords(command)
		switch {
		case command.Until.IsZero():
		case command.Kind == subconscious.CommandRemind:
			words += ", " + p.clock(command.Until)
		default:
			words += " until " + p.clock(command.Until)
		}
		p.wrapped("  ", plain, words+" (asked "+p.relative(command.At)+")")
	}
}

// CommandWords says what is asked for.
func CommandWords(c subconscious.Command) string {
	about := clean(string(c.Entry))
	if about == "" {
		about = clean(string(c.IncidentID))
	}
	if about == "" {
		about = clean(string(c.Incident))
	}
	switch c.Kind {
	case subconscious.CommandFocus:
		if c.Text == "" {
			return "clear the focus of " + clean(string(c.Thread))
		}
		return "focus " + clean(string(c.Thread)) + " on: " + clean(c.Text)
	case subconscious.CommandNote:
		return "note “" + clean(c.Text) + "”"
	}
	words := clean(string(c.Kind)) + " " + about
	if said := feedbackWord(c.Feedback); said != "" {
		words += " as " + said
	}
	if c.Forever {
		words += " for ever"
	}
	return words
}

func (p *page) notices(s api.Status) {
	if len(s.Notices) == 0 {
		return
	}
	p.heading("Notices")
	for _, notice := range s.Notices {
		p.wrapped("  ! ", yellow, clean(notice.Text)+" ("+p.relative(notice.At)+")")
		if notice.Next != "" {
			p.wrapped("    → ", plain, clean(notice.Next))
		}
	}
}
