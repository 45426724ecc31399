package rumination

import (
	"cmp"
	"slices"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// spoken is a finding as a thread made it.
type spoken struct {
	subconscious.Finding
	thread subconscious.ThreadName
	words  *phrase
	// cited is what of its evidence the thread was shown, each with the number
	// of the change.
	cited []subconscious.Citation
}

// tally counts what a set of rules made of findings. The same tally is kept of
// the mechanics and of the baseline.
type tally struct {
	words    *vocabulary
	subjects map[string]*subject
	// said are the different texts that were accepted.
	said memory
	// told is what was told of any subject.
	told map[subconscious.Citation]bool
	now  int // the tick
	// baseless are the entries that were in a document without evidence.
	baseless map[string]bool
	figures  ruleFigures
}

// subject is what was taken in, and what was told, of one incident or entry.
type subject struct {
	said     memory
	recorded map[subconscious.Citation][]brought
	told     bool
	toldOf   map[subconscious.Citation]bool
}

// brought is who brought a change, a thread's model or its rules, and when.
type brought struct {
	by    subconscious.ThreadName
	model bool
	tick  int
}

// memory is what was said, each text once.
type memory []*phrase

// ruleFigures are what became of the findings under one set of rules.
type ruleFigures struct {
	Returned int            `json:"findings_returned"`
	Accepted int            `json:"findings_accepted"`
	Rejected map[string]int `json:"findings_rejected"`
	// NearWords are accepted findings worded as one that was accepted of the
	// same subject before, NearEvidence those that bring nothing new to their
	// subject; NearRepeats are one or the other.
	NearRepeats  int     `json:"near_repeats_accepted"`
	NearWords    int     `json:"near_repeats_by_words"`
	NearEvidence int     `json:"near_repeats_by_evidence"`
	OfReturned   float64 `json:"near_repeats_of_returned"`
	OfAccepted   float64 `json:"near_repeats_of_accepted"`
	// Elsewhere are further findings worded as one that was accepted of another
	// subject before, AtOnce those that another thread brought at the same tick, or
	// the rules beside a model before the model was shown it.
	Elsewhere int `json:"worded_as_of_another_incident"`
	AtOnce    int `json:"brought_by_two_at_once"`
	// Baseless are accepted findings without any evidence that was shown.
	Baseless        int `json:"accepted_without_evidence"`
	BaselessEntries int `json:"entries_without_evidence"`
	Told            int `json:"told"`
	ToldTwice       int `json:"told_twice"`
	// ToldElsewhere were told of another subject before: a pattern in one beside
	// that one itself.
	ToldElsewhere   int `json:"told_of_another_incident_before"`
	SelfReferential int `json:"told_resting_on_nothing"`
}

func newTally(words *vocabulary) *tally {
	return &tally{words: words, subjects: map[string]*subject{}, told: map[subconscious.Citation]bool{}, baseless: map[string]bool{},
		figures: ruleFigures{Rejected: map[string]int{}}}
}

// count adds one where something is so.
func count(n *int, so bool) {
	if so {
		*n++
	}
}

// accept counts a finding that was taken in as one of a subject.
func (t *tally) accept(name string, s spoken) {
	f, of := &t.figures, t.subject(name)
	byWords, elsewhere := of.said.holds(t.words, s.words), t.said.holds(t.words, s.words)
	isNew, atOnce := of.bring(s, t.now)
	byWords = byWords && !atOnce
	byEvidence := !isNew && !atOnce && len(s.cited) > 0
	repeat := byWords || byEvidence
	f.Accepted++
	count(&f.NearWords, byWords)
	count(&f.NearEvidence, byEvidence)
	count(&f.NearRepeats, repeat)
	count(&f.AtOnce, atOnce && !repeat)
	count(&f.Elsewhere, elsewhere && !atOnce && !repeat)
	count(&f.Baseless, len(s.cited) == 0)
}

// bring records what a finding cites. isNew: some of it was not recorded before.
// atOnce: none was, but for what another thread brought at this very tick, and what
// the rules beside a model did before it, or it before them.
func (of *subject) bring(s spoken, now int) (isNew, atOnce bool) {
	for _, c := range s.cited {
		all, by := of.recorded[c], brought{s.thread, subconscious.ByModel(s.Rule), now}
		of.recorded[c] = append(all, by)
		if len(all) == 0 {
			isNew = true
			continue
		}
		first, again := all[0], slices.ContainsFunc(all, func(b brought) bool { return b.by == by.by && b.model == by.model })
		atOnce = atOnce || first.tick == now && first.by != by.by || first.by == by.by && !again
	}
	return isNew, atOnce && !isNew
}

// tell counts a request to tell that was granted.
func (t *tally) tell(name string, s spoken) {
	f, of := &t.figures, t.subject(name)
	before := len(s.cited) > 0 && !slices.ContainsFunc(s.cited, func(c subconscious.Citation) bool { return !t.told[c] })
	isNew := len(s.cited) == 0 && !of.told
	for _, c := range s.cited {
		isNew = isNew || !of.toldOf[c]
		of.toldOf[c], t.told[c] = true, true
	}
	of.told = true
	f.Told++
	count(&f.ToldTwice, !isNew)
	count(&f.ToldElsewhere, isNew && before)
	count(&f.SelfReferential, len(s.cited) == 0)
}

func (t *tally) subject(name string) *subject {
	if t.subjects[name] == nil {
		t.subjects[name] = &subject{recorded: map[subconscious.Citation][]brought{}, toldOf: map[subconscious.Citation]bool{}}
	}
	return t.subjects[name]
}

// holds reports whether something alike was said before, and keeps the words for
// the next time.
func (m *memory) holds(words *vocabulary, p *phrase) bool {
	if slices.Contains(*m, p) {
		return true
	}
	found := slices.ContainsFunc(*m, func(other *phrase) bool { return words.alike(p, other) >= alikeFrom })
	*m = append(*m, p)
	return found
}

// done returns the figures with their shares.
func (t *tally) done() ruleFigures {
	f := t.figures
	f.BaselessEntries = len(t.baseless)
	f.OfReturned = harness.Share(f.NearRepeats, f.Returned)
	f.OfAccepted = harness.Share(f.NearRepeats, f.Accepted)
	return f
}

// shownEvidence is what was shown at a tick: by reference, what is known of it.
type shownEvidence map[subconscious.Ref]*subconscious.Evidence

func evidenceOf(in aggregator.Input) shownEvidence {
	known := shownEvidence{}
	for i := range in.Evidence {
		if e := &in.Evidence[i]; e.Latest.ID != "" {
			known[e.Ref] = e
		}
	}
	return known
}

// cited are the changes that a finding cites and that its thread was shown. It
// is worked out here independently of the mechanics, which check the same.
func (known shownEvidence) cited(thread subconscious.ThreadName, f subconscious.Finding) []subconscious.Citation {
	var cited []subconscious.Citation
	for _, text := range f.Evidence {
		c, ok := subconscious.ParseCitation(text)
		e := known[c.Ref]
		if !ok || e == nil || !slices.Contains(e.ShownTo, thread) {
			continue
		}
		c.Seq = cmp.Or(c.Seq, e.Latest.Seq)
		there := c.Seq == e.Latest.Seq || slices.ContainsFunc(e.Occurrences, func(o subconscious.Occurrence) bool { return o.Seq == c.Seq })
		if there && !slices.Contains(cited, c) {
			cited = append(cited, c)
		}
	}
	return cited
}

// Reasons are those for which findings were rejected, in the order in which they
// are looked for.
func (f ruleFigures) Reasons() (reasons []string) {
	for _, reason := range aggregator.Reasons() {
		if f.Rejected[string(reason)] > 0 {
			reasons = append(reasons, string(reason))
		}
	}
	return reasons
}
