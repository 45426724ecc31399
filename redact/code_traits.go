package redact

import (
	mathbits "math/bits"
	"strconv"
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

// speaking are the traits of which one at least is needed.
const speaking traits = 1<<saidNames | 1<<saidCertain | 1<<saidOpens | 1<<saidAdmits | 1<<saidCommands | 1<<saidCautions | 1<<nearNames | 1<<nearCertain | 1<<saidNumbers

// isCode reports whether what the traits say is enough.
func (s traits) isCode() bool {
	return s.eligible() && (s&(1<<boundToPage) != 0 || s.weight() >= enough)
}

// eligible reports whether the traits are to be weighed at all.
func (s traits) eligible() bool {
	if s&(1<<boundToPage) != 0 {
		return true
	}
	if s&speaking == 0 || s&(1<<likeRange) != 0 && s&(1<<saidNames|1<<saidCertain) == 0 || s&(1<<wordAndNumber) != 0 && s&(1<<saidAdmits|1<<saidOpens) == 0 {
		return false
	}
	return true
}

// closeBy is how far off something is close, in bytes.
const closeBy = 24

// traits returns what speaks for and against c.
func (t *text) traits(c codeToken, w *window) (s traits) {
	c.looks(t.s[c.Start:c.End], &s)
	t.stands(c, w, &s)
	yourOwn := false
	for _, q := range w.cues {
		if q.from < c.End && q.to > c.Start {
			continue // a part of the code itself
		}
		if q.number > 0 && q.number != c.Start {
			q.roles &^= 1 << counts // it has a number of its own
		}
		group := nearNames
		yourOwn = yourOwn || q.roles&(1<<yours) != 0 && q.from >= w.from && q.to <= w.to
		if q.from >= w.from && q.to <= w.to {
			group = saidNames
			if before := c.Start - q.to; before >= 0 && before <= closeBy {
				s.add(closeCommand, q.roles&(1<<commands) != 0)
				s.add(closeCount, q.roles&(1<<counts) != 0)
				s.add(closeName, q.roles&(1<<names|1<<certain) != 0)
				adjoins := strings.Trim(t.s[q.to:c.Start], " :=\"'„“«»(-–—*>：\n") == ""
				s.add(behindName, adjoins && q.roles&(1<<names|1<<certain) != 0)
				s.add(behindNumber, adjoins && q.roles&(1<<numbers) != 0)
				s.add(behindOpener, adjoins && q.roles&(1<<opens) != 0)
				if adjoins && q.roles&(1<<names|1<<certain|1<<commands|1<<opens) != 0 {
					s &^= 1 << behindWord
				}
			}
		}
		s |= traits(q.roles&(1<<yours-1)) << group
	}
	named := s&(1<<saidNames|1<<saidCertain) != 0
	purpose := s&(1<<saidOpens|1<<saidAdmits|1<<saidCautions|1<<nearCautions) != 0
	s.add(saidYours, yourOwn && named)
	s.add(namedFor, named && purpose)
	s.add(toldFor, s&(1<<saidCommands) != 0 && purpose)
	return s
}

// looks adds how a code looks.
func (c codeToken) looks(s string, to *traits) {
	digitsOnly := c.figures == c.length
	to.add(sixFigures, digitsOnly && c.figures == 6)
	to.add(eightFigures, digitsOnly && (c.figures == 7 || c.figures == 8))
	to.add(fiveFigures, digitsOnly && c.figures == 5)
	to.add(fourFigures, digitsOnly && c.figures == 4)
	to.add(groupedFigures, digitsOnly && c.parts > 1)
	to.add(capitalLetters, c.capitals > 0 && c.smalls == 0)
	to.add(smallLetters, c.smalls > 0)
	to.add(lettersAlone, c.figures == 0)
	to.add(partedLetters, !digitsOnly && c.parts > 1)
	word := extend(s, 0, len(s), isUpper)
	to.add(wordAndNumber, word >= 4 && c.parts == 1 && c.figures <= 3 && c.figures > 0 && word+c.figures == len(s))
	to.add(oneFigure, c.figures == 1)
	to.add(manyFigures, digitsOnly && c.figures > 8)
	to.add(likeRange, digitsOnly && isRange(s))
	to.add(likeHour, digitsOnly && len(s) == 4 && s < "2400" && (s[3] == '0' || s[3] == '5') && s[2] < '6')
	to.add(likeYear, digitsOnly && len(s) == 4 && (s[:2] == "19" || s[:2] == "20"))
}

// isRange reports whether s is two numbers of which the second is somewhat
// greater: "100-140".
func isRange(s string) bool {
	first, second, two := strings.Cut(s, "-")
	low, err := strconv.Atoi(first)
	high, err2 := strconv.Atoi(second)
	return two && err == nil && err2 == nil && low < high && high-low <= 100
}

// stands adds how a code stands in its sentence.
func (t *text) stands(c codeToken, w *window, s *traits) {
	own := t.ownLine(c)
	before := strings.TrimRight(t.s[max(w.from, c.Start-48):c.Start], " \t\r\n\"'*„“«»[<>")
	after := t.s[c.End:min(w.to, c.End+32)]
	bare := strings.TrimLeft(after, " \"'*”“«»)]")
	s.add(onOwnLine, own)
	s.add(atBeginning, !own && strings.Trim(before, " (#") == "")
	s.add(atEnd, !own && (bare == "" || strings.IndexByte(".;,\n|", bare[0]) >= 0 || strings.HasPrefix(bare, "- ") || strings.HasPrefix(bare, "–") || strings.HasPrefix(bare, "—") || strings.HasPrefix(after, " (") || strings.HasPrefix(after, ")")))
	s.add(inBrackets, strings.HasSuffix(before, "(") && strings.HasPrefix(after, ")") || strings.HasSuffix(before, "|"))
	word, sign := lastWord(before)
	if articles[word] && strings.TrimSpace(sign) == "" {
		word, sign = lastWord(before[:len(before)-len(sign)-len(word)])
	}
	switch sign = strings.TrimSpace(sign); {
	case sign == "" || sign == "'":
		s.add(behindIs, leadIs[word])
		s.add(behindWith, leadWith[word])
		s.add(behindWord, word != "" && !leadIs[word] && !leadWith[word] && !leadOf[word])
		s.add(behindOf, leadOf[word] && !strings.HasSuffix(before, "key in") && !strings.HasSuffix(before, "type in"))
	case strings.ContainsAny(sign, ":：") || strings.HasSuffix(sign, "-") || strings.HasSuffix(sign, "–") || strings.HasSuffix(sign, "—"):
		s.add(behindColon, true)
	}
	s.add(behindOf, strings.HasSuffix(before, "#") && !leadWith[word])
	s.add(leadsToWord, leadsOn.ofFolded(strings.TrimLeft(after, "\"'*”“«»)] ")))
	s.add(aheadOfWord, strings.HasPrefix(after, " ") && len(after) > 1 && beginsWithLetter(after[1:]) && !inFolded(leadOn, firstWord(after[1:])))
	s.add(boundToPage, t.boundToPage(c))
	numbers, codey := 0, 0
	for i := w.from; i < w.to; i++ {
		switch b := t.s[i]; {
		case isDigit[b] && (i == 0 || !isAlnum[t.s[i-1]]):
			numbers++
		case strings.IndexByte("{}\\", b) >= 0, (b == '(' || b == '=') && i > 0 && (isAlnum[t.s[i-1]] || t.s[i-1] == '='):
			codey++
		}
	}
	s.add(amongNumbers, numbers > 1+c.parts)
	s.add(inProgram, codey >= 2)
}

// boundToPage reports whether c stands in the line that ties a code to the page
// for which it is meant, for the browser: "@example.com #123456".
func (t *text) boundToPage(c codeToken) bool {
	if c.Start < 4 || t.s[c.Start-2:c.Start] != " #" {
		return false
	}
	line := t.s[max(0, c.Start-codeAround) : c.Start-2]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	return line != "" && line[0] == '@' && strings.IndexByte(line, '.') > 0 && extend(line, 1, len(line), isMailDomain) == len(line)
}

// isCounted reports whether what stands beside c makes it an amount, a date, a
// telephone number, or the number of something.
func (t *text) isCounted(c codeToken) bool {
	said := t.s[max(0, c.Start-closeBy):c.Start]
	before := strings.ToLower(strings.TrimRight(said, " \t\"'(:"))
	after := strings.TrimLeft(head(t.s[c.End:], closeBy), " ")
	if strings.HasSuffix(said, "…") || numberSigns.ends(before) && t.at(c.Start-1) != '*' || c.figures == c.length && (numberUnits.of(after) || inFolded(units, firstWord(after))) {
		return true
	}
	word, rest := lastWord(before)
	return c.figures == c.length && (telephones[word] && rest == "" && !strings.Contains(said, "\n") || c.figures == 4 && months[word])
}

// leadsOn lead from a code to the word for it.
var leadsOn = newBeginnings("is ", "ist ", "est ", "es ", "as ", "als ", "comme ", "como ", "- ", "– ", "— ", ": ", ", ", "= ")

// enough is the weight from which something is taken for a code.
const enough = -8

// traitWeights are what the traits say, in tenths of a natural logarithm of the
// odds.
var traitWeights = [traitCount]int{
	sixFigures:     16,
	eightFigures:   6,
	fiveFigures:    2,
	fourFigures:    -5,
	groupedFigures: 7,
	capitalLetters: 6,
	smallLetters:   -8,
	lettersAlone:   2,
	partedLetters:  7,
	likeYear:       -18,
	likeHour:       -19,
	likeRange:      0,
	manyFigures:    -3,
	wordAndNumber:  -6,
	oneFigure:      -6,
	onOwnLine:      12,
	atBeginning:    7,
	atEnd:          -1,
	inBrackets:     -8,
	behindColon:    12,
	behindIs:       11,
	behindWith:     15,
	behindOf:       -29,
	behindName:     6,
	leadsToWord:    -2,
	amongNumbers:   -11,
	inProgram:      -21,
	aheadOfWord:    -20,
	behindWord:     -10,
	boundToPage:    12,
	saidNames:      12,
	saidCertain:    11,
	saidOpens:      15,
	saidAdmits:     7,
	saidCommands:   2,
	saidCautions:   17,
	saidCounts:     -22,
	saidTrades:     -17,
	saidNumbers:    9,
	nearNames:      -2,
	nearCertain:    7,
	nearOpens:      1,
	nearAdmits:     -4,
	nearCommands:   -6,
	nearCautions:   2,
	nearCounts:     -6,
	nearTrades:     -6,
	nearNumbers:    -1,
	closeCommand:   1,
	closeCount:     -17,
	closeName:      1,
	behindNumber:   9,
	behindOpener:   -4,
	saidYours:      -2,
	namedFor:       5,
	toldFor:        7,
}
