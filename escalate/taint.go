package escalate

import (
	"cmp"
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Word is a piece of what a model was shown: whose word it is.
type Word struct {
	Trust subconscious.Trust `json:"trust"`
	// Ref is the observation that it was read in; "" where it is of none, as a
	// memory or a message of a conversation.
	Ref subconscious.Ref `json:"ref,omitempty"`
	// Voice is who speaks, as far as that is known: the sender of a mail, the
	// organizer of an event. "" is unlike any other voice but that of its Ref.
	Voice string `json:"voice,omitempty"`
	// Source says in a word where it was shown: "evidence", "entry", "memory",
	// "conversation", "read_mail", "model".
	Source string `json:"source"`
}

// maxWords bounds what a taint remembers one by one. What is more counts as an
// outsider's, of a voice of its own.
const maxWords = 512

// Taint is the union of everything that a model was shown, not what it cites.
// The zero value is the taint of one that was shown nothing. It only grows.
type Taint struct {
	// Words are in order, each once.
	Words []Word `json:"words,omitempty"`
	// Many: there were more than are kept.
	Many bool `json:"many,omitempty"`
}

// With is the taint after a model was shown words, too. A word without a known
// trust is an outsider's.
func (t Taint) With(words ...Word) Taint {
	all := slices.Concat(t.Words, words)
	for i := range all {
		all[i].Trust = all[i].trust()
	}
	slices.SortFunc(all, compareWords)
	all = slices.Compact(all)
	if len(all) > maxWords {
		few := Fewer(all, maxWords)
		slices.SortFunc(few, compareWords)
		return Taint{Words: few, Many: true}
	}
	return Taint{Words: all, Many: t.Many}
}

// trust is whose word it is, an outsider's where that is not known.
func (w Word) trust() subconscious.Trust {
	switch w.Trust {
	case subconscious.Owner, subconscious.Machine, subconscious.Agent:
		return w.Trust
	}
	return subconscious.Outsider
}

func compareWords(a, b Word) int {
	return cmp.Or(cmp.Compare(a.Trust, b.Trust), cmp.Compare(a.Ref, b.Ref), cmp.Compare(a.Voice, b.Voice), cmp.Compare(a.Source, b.Source))
}

// Fewer are at most so many words, one of each trust among them, so that whose
// words they are is seen of them still.
func Fewer(words []Word, most int) []Word {
	var kept, others []Word
	for _, w := range words {
		if len(kept) == most || slices.ContainsFunc(kept, func(k Word) bool { return k.Trust == w.Trust }) {
			others = append(others, w)
			continue
		}
		kept = append(kept, w)
	}
	return append(kept, others[:min(len(others), most-len(kept))]...)
}

// Has reports whether some of it is the word of one whom trust says.
func (t Taint) Has(trust subconscious.Trust) bool {
	if t.Many && trust == subconscious.Outsider {
		return true
	}
	return slices.ContainsFunc(t.Words, func(w Word) bool { return w.trust() == trust })
}

// Trusts are whose words it holds, sorted.
func (t Taint) Trusts() []subconscious.Trust {
	var all []subconscious.Trust
	for _, trust := range []subconscious.Trust{subconscious.Agent, subconscious.Machine, subconscious.Outsider, subconscious.Owner} {
		if t.Has(trust) {
			all = append(all, trust)
		}
	}
	return all
}

// IsForeign reports whether words of strangers or agents are in it that are not
// of the observations own, of more than one of them, or beside what the person
// or the machine says in one of those: then one of them could silence another.
// What the person and the machine say elsewhere, or in none, is not kept back
// with the incident.
func (t Taint) IsForeign(own []subconscious.Ref) bool {
	if t.Many {
		return true
	}
	var first *Word
	ours := false
	for i, w := range t.Words {
		if w.Trust == subconscious.Owner || w.Trust == subconscious.Machine {
			ours = ours || w.Ref != "" && slices.Contains(own, w.Ref)
			continue
		}
		if w.Ref == "" || !slices.Contains(own, w.Ref) {
			return true
		}
		if first == nil {
			first = &t.Words[i]
		}
		if !w.isOfVoice(*first) {
			return true
		}
	}
	return ours && first != nil
}

// isOfVoice reports whether the same one speaks in both. Where a word names
// nobody, only the same thing is of the same voice; no name is taken for an
// observation.
func (w Word) isOfVoice(other Word) bool {
	return w.Voice == other.Voice && (w.Voice != "" || w.Ref == other.Ref)
}
