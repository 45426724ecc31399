package eval

import (
	"slices"

	"github.com/subconsciousd/subconsciousd/aggregator"
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
	words  *vocabulary
	things map[string]*thing
	// said are the different texts that were accepted.
	said    map[*phrase]bool
	phrases []*phrase
	// baseless are the entries that were in a document without evidence.
	baseless map[string]bool
	figures  ruleFigures
}

// thing is what was taken in, and what was told, of one incident or entry.
type thing struct {
	recorded, told map[subconscious.Citation]bool
}

// ruleFigures are what became of the findings under one set of rules.
type ruleFigures struct {
	Returned int            `json:"findings_returned"`
	Accepted int            `json:"findings_accepted"`
	Rejected map[string]int `json:"findings_rejected"`
	// NearWords are accepted findings that say what an accepted one said before,
	// NearEvidence those that bring no evidence that is new to their thing;
	// NearRepeats are one or the other.
	NearRepeats  int     `json:"near_repeats_accepted"`
	NearWords    int     `json:"near_repeats_by_words"`
	NearEvidence int     `json:"near_repeats_by_evidence"`
	OfReturned   float64 `json:"near_repeats_of_returned"`
	OfAccepted   float64 `json:"near_repeats_of_accepted"`
	// Baseless are accepted findings without any evidence that was shown.
	Baseless        int `json:"accepted_without_evidence"`
	BaselessEntries int `json:"entries_without_evidence"`
	Told            int `json:"told"`
	ToldTwice       int `json:"told_twice"`
	SelfReferential int `json:"told_of_itself"`
}

func newTally(words *vocabulary) *tally {
	return &tally{words: words, things: map[string]*thing{}, said: map[*phrase]bool{}, baseless: map[string]bool{},
		figures: ruleFigures{Rejected: map[string]int{}}}
}

// accept counts a finding that was taken in as one of a thing.
func (t *tally) accept(name string, s spoken) {
	t.figures.Accepted++
	byWords, byEvidence := t.saidBefore(s.words), false
	of := t.thing(name)
	if len(s.cited) == 0 {
		t.figures.Baseless++
	} else {
		byEvidence = !add(of.recorded, s.cited)
	}
	if byWords {
		t.figures.NearWords++
	}
	if byEvidence {
		t.figures.NearEvidence++
	}
	if byWords || byEvidence {
		t.figures.NearRepeats++
	}
}

// tell counts a wish to tell that was granted.
func (t *tally) tell(name string, s spoken) {
	t.figures.Told++
	of := t.thing(name)
	if len(s.cited) == 0 {
		t.figures.SelfReferential++
	}
	if !add(of.told, s.cited) && (len(s.cited) > 0 || of.told[nothing]) {
		t.figures.ToldTwice++
	}
	of.told[nothing] = true
}

// nothing marks that a thing was told at all.
var nothing = subconscious.Citation{}

// add adds citations to a set, and reports whether one was new to it.
func add(set map[subconscious.Citation]bool, cited []subconscious.Citation) (isNew bool) {
	for _, c := range cited {
		isNew = isNew || !set[c]
		set[c] = true
	}
	return isNew
}

func (t *tally) thing(name string) *thing {
	of, ok := t.things[name]
	if !ok {
		of = &thing{recorded: map[subconscious.Citation]bool{}, told: map[subconscious.Citation]bool{}}
		t.things[name] = of
	}
	return of
}

// saidBefore reports whether something alike was accepted before, and keeps the
// words for the next time.
func (t *tally) saidBefore(words *phrase) bool {
	if t.said[words] {
		return true
	}
	found := false
	for _, other := range t.phrases {
		if found = t.words.alike(words, other) >= alikeFrom; found {
			break
		}
	}
	t.said[words], t.phrases = true, append(t.phrases, words)
	return found
}

// done works the shares out.
func (t *tally) done() ruleFigures {
	f := t.figures
	f.BaselessEntries = len(t.baseless)
	f.OfReturned = share(f.NearRepeats, f.Returned)
	f.OfAccepted = share(f.NearRepeats, f.Accepted)
	return f
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
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
// is worked out anew here, so that it is no echo of the mechanics' own check.
func (known shownEvidence) cited(thread subconscious.ThreadName, f subconscious.Finding) []subconscious.Citation {
	var cited []subconscious.Citation
	for _, text := range f.Evidence {
		c, ok := subconscious.ParseCitation(text)
		e := known[c.Ref]
		if !ok || e == nil || !slices.Contains(e.ShownTo, thread) {
			continue
		}
		there := c.Seq == 0 || c.Seq == e.Latest.Seq
		for _, o := range e.Occurrences {
			there = there || o.Seq == c.Seq
		}
		if c.Seq == 0 {
			c.Seq = e.Latest.Seq
		}
		if there && !slices.Contains(cited, c) {
			cited = append(cited, c)
		}
	}
	return cited
}
