package prompts

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// deliberation is the name of its template.
const deliberation = "deliberation"

// PushLength is how long the text of a push should be, in characters; what is
// longer is cut where it does not fit beside its title.
const PushLength = 160

// evidenceText is how many bytes of text are shown of one observation.
const evidenceText = 3000

// Deliberation is what the prompt of a deliberation is made of. All that it
// holds is shown, but for what says otherwise, and so taints.
type Deliberation struct {
	// At is in the mind's zone.
	At      time.Time
	Subject Subject
	// Evidence are the observations that the incident rests on, with their text, its
	// own first.
	Evidence []subconscious.Observation
	// Changes are the recorded changes of the evidence, oldest first.
	Changes map[subconscious.Ref][]subconscious.Occurrence
	// History says what became of the incident before, oldest first.
	History []Line
	// State are the entries of other incidents that may be shown, and Withheld is
	// how many are not.
	State    []subconscious.Entry
	Withheld int
	Memories []Memory
	// Budget says in our own words what is left of rounds, time and money.
	Budget string
	// MaxBytes bounds the part of the moment; 0 means 24 KiB.
	MaxBytes int
}

// Subject is the incident that is deliberated on, in our own words where nothing
// else is said.
type Subject struct {
	ID         subconscious.IncidentID
	Kind       subconscious.Kind
	Importance int // 1 to 10; 0 is not shown
	Critical   bool
	Due        time.Time
	// Why says why the gate lets the person be told now.
	Why string
	// Told is how often the person was told of it before, and LastTold when last.
	Told     int
	LastTold time.Time
	// Title is what the push will bear, Summary what was noticed, and Because why
	// the person should be told. They and ID, which has a word of them, are not
	// shown where ByModel says that the model of a thread wrote them, who may have
	// read anything, or that it is not known who did. What a rule wrote has words
	// of all that it rests on, shown or not.
	Title, Summary, Because string
	ByModel                 bool
}

// Line is something that was said at a time. It is set off unless it is the
// person's or the machine's.
type Line struct {
	At    time.Time
	Text  string
	Trust subconscious.Trust
}

// Memory is something that was remembered. It has no reference, and is no
// evidence.
type Memory struct {
	ID    string
	Text  string
	Trust subconscious.Trust
	At    time.Time
	// Doubt says why it is not to be taken for true; "" where nothing is known.
	Doubt string
}

// Deliberation makes the prompt of a deliberation. What is left out for want of
// room is none of the incident's own, unless their titles alone take more.
func (s *Set) Deliberation(in Deliberation) (Prompt, error) {
	system, err := execute(s.parsed[deliberation], systemPart, s.common())
	if err != nil {
		return Prompt{}, fmt.Errorf("prompt of a deliberation: %w", err)
	}
	return s.assemble("a deliberation", deliberation, system, cmp.Or(in.MaxBytes, MaxBytes), newBrief(s.common(), in))
}

// brief is what the part of the moment is made of.
type brief struct {
	base     page
	subject  []string
	evidence section
	history  []string
	state    []subconscious.Entry
	memories []string
	zone     *time.Location
	cut      [3]int // how many lines of history, entries and memories were left out
}

func newBrief(base page, in Deliberation) *brief {
	b := &brief{base: base, zone: in.At.Location(), state: slices.Clone(in.State)}
	b.base.Now, b.base.Budget = now(in.At), short(in.Budget, false)
	if in.Withheld > 0 {
		b.base.Withheld = fmt.Sprint(in.Withheld)
	}
	b.evidence = newSection(in.Evidence, b.zone, evidenceText)
	b.evidence.history = historyShown
	for i := range b.evidence.observations {
		t := &b.evidence.observations[i]
		t.history = history(in.Changes[t.ref], *t, b.zone)
	}
	b.subject = subjectLines(in.Subject, in.Evidence, b.zone)
	for _, line := range in.History {
		b.history = append(b.history, "- "+day(line.At, b.zone)+" · "+short(line.Text, Untrusted(line.Trust)))
	}
	for _, m := range in.Memories {
		b.memories = append(b.memories, memoryLine(m, b.zone))
	}
	return b
}

// subjectLines say what it is about. Words of the incident's observations may
// stand in what a rule wrote, which is marked as they are.
func subjectLines(s Subject, evidence []subconscious.Observation, zone *time.Location) []string {
	var said []string
	add := func(name, text string) {
		if text != "" {
			said = append(said, "- "+name+": "+text)
		}
	}
	if !s.ByModel { // it names an observation by a word of its summary
		add("incident", short(string(s.ID), false))
	}
	add("kind", short(string(s.Kind), false))
	if s.Importance > 0 {
		add("importance", fmt.Sprintf("%d of 10", s.Importance))
	}
	if s.Critical {
		said = append(said, "- critical: the person is told of it in any case, and now")
	}
	if !s.Due.IsZero() {
		add("due", exact(s.Due, zone))
	}
	add("why it comes to you", short(s.Why, false))
	switch {
	case s.Told == 0:
		said = append(said, "- the person was not told of it before")
	case s.LastTold.IsZero():
		add("the person was told of it before", times(s.Told))
	default:
		add("the person was told of it before", times(s.Told)+", last on "+day(s.LastTold, zone))
	}
	if s.ByModel {
		return append(said, "- what was noticed, and the title of the push, were written by the model of a thread and are withheld: judge by the evidence")
	}
	foreign := len(evidence) == 0 || slices.ContainsFunc(evidence, func(o subconscious.Observation) bool { return Untrusted(o.Trust) })
	add("what was noticed", short(s.Summary, foreign))
	add("why the person should know", short(s.Because, foreign))
	add("title of the push", short(s.Title, foreign))
	return said
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// memoryBytes bounds what is shown of a memory.
const memoryBytes = 1000

func memoryLine(m Memory, zone *time.Location) string {
	text := clipped(m.Text, Untrusted(m.Trust), memoryBytes)
	name := "- " + short(m.ID, Untrusted(m.Trust))
	if !m.At.IsZero() {
		name += " · " + day(m.At, zone)
	}
	if m.Doubt != "" {
		name += " · " + m.Doubt
	}
	return name + " · " + text
}

// page prints the brief as it is left after trimming.
func (b *brief) page(system string) page {
	p := b.base
	entries, _ := entriesLines(b.state, b.zone)
	frame(system, []framed{
		{"subconscious", lines(entries), &p.Mind},
		{"memories", lines(b.memories), &p.Memories},
		{"history", lines(b.history), &p.History},
		{"subject", lines(b.subject), &p.Subject},
		{"evidence", b.evidence.String(), &p.Evidence},
	}, p.Budget)
	p.Omitted = b.omitted()
	return p
}

func (b *brief) size() int {
	entries, _ := entriesLines(b.state, b.zone)
	return b.evidence.size() + linesSize(b.subject, b.history, b.memories, entries)
}

// shown are the references in the prompt, sorted.
func (b *brief) shown() []subconscious.Ref {
	_, refs := entriesLines(b.state, b.zone)
	refs = append(refs, b.evidence.refs(false)...)
	slices.Sort(refs)
	return slices.Compact(refs)
}

// left are the observations that found no room.
func (b *brief) left() []subconscious.Ref { return b.evidence.refs(true) }

// trim takes away what is worth the least, and reports whether there was
// anything: memories from the end, entries from the end, the oldest history,
// then texts of the observations; at last these.
func (b *brief) trim(excess int) bool {
	for _, step := range [...]func() bool{
		func() bool { return b.evidence.shorten(evidenceText / 2) },
		func() bool { return drop(&b.memories, true, &b.cut[2], excess, lineSize) },
		func() bool {
			return drop(&b.state, true, &b.cut[1], excess, func(e subconscious.Entry) int {
				line, _ := entryLine(e, b.zone)
				return len(line)
			})
		},
		func() bool { return drop(&b.history, false, &b.cut[0], excess, lineSize) },
		func() bool { return b.evidence.forget(0) },
		func() bool { return b.evidence.shorten(evidenceText / 5) },
		func() bool { return b.evidence.shorten(0) },
		func() bool { return b.leaveLast(excess) },
	} {
		if step() {
			return true
		}
	}
	return false
}

// leaveLast leaves out observations from the end: its own come first.
func (b *brief) leaveLast(excess int) bool {
	had := false
	for i := range slices.Backward(b.evidence.observations) {
		t := &b.evidence.observations[i]
		if excess <= 0 {
			break
		}
		if !t.left {
			had, t.left, excess = true, true, excess-b.evidence.sizeOf(*t)
		}
	}
	return had
}

// drop takes items of at least excess bytes from the end of a list, or else from
// its beginning, and reports whether there were any.
func drop[T any](list *[]T, end bool, count *int, excess int, size func(T) int) bool {
	had := len(*list) > 0
	for ; excess > 0 && len(*list) > 0; *count++ {
		at := 0
		if end {
			at = len(*list) - 1
		}
		excess -= size((*list)[at]) + 1
		*list = slices.Delete(*list, at, at+1)
	}
	return had
}

func lineSize(line string) int { return len(line) }

// omitted says what was left out.
func (b *brief) omitted() string {
	said := b.evidence.missing("of the evidence")
	if b.evidence.history == 0 && slices.ContainsFunc(b.evidence.observations, func(t shown) bool { return len(t.history) > 0 }) {
		said = append(said, "earlier changes")
	}
	for i, what := range [...]string{"older lines of the history", "entries of the subconscious", "memories"} {
		if b.cut[i] > 0 {
			said = append(said, fmt.Sprintf("%d %s", b.cut[i], what))
		}
	}
	return leftOut(said)
}
