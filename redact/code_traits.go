package redact

import (
	mathbits "math/bits"
	"strings"
)

// trait is one thing that speaks for or against a number's being a code.
type trait uint

const (
	// How it looks.
	sixFigures trait = iota
	eightFigures
	fiveFigures
	fourFigures
	groupedFigures
	capitalLetters
	smallLetters
	lettersAlone
	partedLetters
	likeYear
	likeHour
	likeRange
	manyFigures
	wordAndNumber
	oneFigure
	// How it stands.
	onOwnLine
	atBeginning
	atEnd
	inBrackets
	behindColon
	behindIs
	behindWith
	behindOf
	behindName
	leadsToWord
	amongNumbers
	inProgram
	aheadOfWord
	behindWord
	boundToPage
	// What is said in its sentence, by the roles of words.
	saidNames
	saidCertain
	saidOpens
	saidAdmits
	saidCommands
	saidCautions
	saidCounts
	saidTrades
	saidNumbers
	// And what near it, outside of the sentence.
	nearNames
	nearCertain
	nearOpens
	nearAdmits
	nearCommands
	nearCautions
	nearCounts
	nearTrades
	nearNumbers
	// What stands close before or behind it.
	closeCommand
	closeCount
	closeName
	behindNumber
	behindOpener
	// What goes together.
	saidYours
	namedFor
	toldFor
	unnamedModel
	unnamedAhead
	colonBehindOther
	unevenGroups
	traitCount
)

// traits is a set of them.
type traits uint64

func (s *traits) add(t trait, is bool) {
	if is {
		*s |= 1 << t
	}
}

// weight is what the traits say together.
func (s traits) weight() (sum int) {
	for ; s != 0; s &= s - 1 {
		sum += traitWeights[mathbits.TrailingZeros64(uint64(s))]
	}
	return sum
}

const (
	// speaking are the traits of which one at least is needed.
	speaking traits = 1<<saidNames | 1<<saidCertain | 1<<saidOpens | 1<<saidAdmits | 1<<saidCommands | 1<<saidCautions |
		1<<saidNumbers | 1<<nearNames | 1<<nearCertain
	// naming are those that call something a code.
	naming traits = 1<<saidNames | 1<<saidCertain
	// purposes are those that say what a code is for, or that it is secret.
	purposes traits = 1<<saidOpens | 1<<saidAdmits | 1<<saidCautions | 1<<nearCautions
)

// isCode reports whether what the traits say is enough.
func (s traits) isCode() bool {
	return s.any(1<<boundToPage) || s.eligible() && s.weight() >= enough
}

// any reports whether s has any of the traits of other.
func (s traits) any(other traits) bool { return s&other != 0 }

// eligible reports whether the traits are to be weighed at all: a range needs a
// word that calls it a code, and so does a year or a model right behind its noun
// ("the router WX-220"); "SAVE20" needs something that it lets in to.
func (s traits) eligible() bool {
	switch {
	case s.any(1 << boundToPage):
		return true
	case s.any(1<<likeRange) && !s.any(naming):
		return false
	case s.any(1<<likeYear) && s.any(1<<behindWord|1<<behindOpener) && !s.any(naming):
		return false
	case s.any(1<<unnamedModel) && s.any(1<<behindWord|1<<behindOpener) && !s.any(1<<behindNumber):
		return false
	case s.any(1<<wordAndNumber) && !s.any(1<<saidAdmits|1<<saidOpens):
		return false
	}
	if s.any(1 << aheadOfWord) { // "type 4410 bearings"
		return s.any(speaking &^ (1 << saidCommands))
	}
	return s.any(speaking)
}

// closeBy is how far off something is close, in bytes.
const closeBy = 24

// traits returns what speaks for and against c.
func (t *text) traits(c codeToken, w *window) (s traits) {
	c.looks(t.s[c.Start:c.End], &s)
	t.stands(c, w, &s)
	yourOwn, spoken := false, false
	for _, q := range w.cues {
		if q.from < c.End && q.to > c.Start {
			continue // a part of the code itself
		}
		if q.number > 0 && q.number != c.Start {
			q.roles &^= 1 << counts // it has a number of its own
		}
		group := nearNames
		if q.from >= w.from && q.to <= w.to {
			group = saidNames
			yourOwn = yourOwn || q.has(1<<yours)
			spoken = t.closeCue(c, q, &s) || spoken
		}
		s |= traits(q.roles&(1<<yours-1)) << group
	}
	named, purpose := s.any(naming), s.any(purposes)
	s.add(saidYours, yourOwn && named)
	s.add(namedFor, named && purpose)
	s.add(unnamedModel, !named && isModel(t.s[c.Start:c.End]))
	s.add(unnamedAhead, !named && s.any(1<<aheadOfWord))
	s.add(colonBehindOther, s.any(1<<behindColon) && !spoken)
	s.add(toldFor, s.any(1<<saidCommands) && purpose)
	return s
}

// closeCue adds what a word says that stands close before c, and reports whether
// it speaks of codes and adjoins.
func (t *text) closeCue(c codeToken, q cue, s *traits) bool {
	if before := c.Start - q.to; before < 0 || before > closeBy {
		return false
	}
	name := q.has(1<<names | 1<<certain)
	s.add(closeCommand, q.has(1<<commands))
	s.add(closeCount, q.has(1<<counts))
	s.add(closeName, name)
	if strings.Trim(t.s[q.to:c.Start], " :=\"'„“«»(-–—*>：\n") != "" {
		return false
	}
	s.add(behindName, name)
	s.add(behindNumber, q.has(1<<numbers))
	s.add(behindOpener, q.has(1<<opens))
	if name || q.has(1<<commands|1<<opens) {
		*s &^= 1 << behindWord
	}
	return q.has(speaks)
}
