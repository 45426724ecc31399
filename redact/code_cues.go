package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cue is a word of the text with its role.
type cue struct {
	from, to int
	roles    uint16
	// number is where the number begins that directly follows, or 0: "order 4711".
	number int
}

// has reports whether the word has any of some roles.
func (q cue) has(roles uint16) bool { return q.roles&roles != 0 }

// maxCues bounds what is kept of a text that consists of such words.
const maxCues = 50_000

// lexeme is what is known of a word: whether it may be the end or the beginning
// of a longer one.
type lexeme struct {
	roles       uint16
	tail, begin bool
}

// withCues adds the words of cueWords to a table of anchors, so that one pass
// finds both.
func withCues(table []anchor) []anchor {
	known := map[string]int{}
	for i, a := range table {
		known[a.text] = i
	}
	add := func(word string, l lexeme) {
		i, ok := known[word]
		if !ok {
			i, known[word] = len(table), len(table)
			table = append(table, anchor{text: word})
		}
		if have := table[i].cue; have != nil {
			l = lexeme{have.roles | l.roles, have.tail || l.tail, have.begin || l.begin}
		}
		table[i].cue = &l
	}
	for role, lists := range cueWords {
		for word := range strings.FieldsSeq(strings.Join(lists, " ")) {
			bare := strings.TrimSuffix(strings.TrimPrefix(word, "*"), "*")
			l := lexeme{roles: 1 << role, tail: word[0] == '*', begin: strings.HasSuffix(word, "*")}
			bare = strings.ReplaceAll(bare, "*", " ")
			add(bare, l)
			// the automaton folds the case of ASCII letters alone
			if shout := shouted(bare); shout != bare {
				add(shout, l)
			}
		}
	}
	return table
}

// shouted returns a word with its letters that are not ASCII in upper case.
func shouted(word string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x80 && r != 'ß' {
			return unicode.ToUpper(r)
		}
		return r
	}, word)
}

// readCue keeps a word with a role, where it is one and no part of another.
func (t *text) readCue(word *lexeme, from, to int) bool {
	if len(t.cues) == maxCues || !word.begin && beginsWithLetter(t.s[to:]) {
		return false
	}
	whole := !endsInLetter(t.s[:from]) || word.tail && (!isUpper[t.s[from]] || isUpper[t.s[from-1]])
	if whole {
		t.cues = append(t.cues, cue{from, to, word.roles, t.numberAt(to)})
	}
	return whole
}

// qualify makes the word for a code into one for another number where the word
// beside it says so: "error code", "Bestellnummer", "código de barras".
func (t *text) qualify() {
	for i := range t.cues {
		if q := &t.cues[i]; q.roles == 1<<numbers && q.number == q.to+1 && t.numbersThing(q.from) {
			q.roles = 1 << counts
		}
	}
	for i := 1; i < len(t.cues); i++ {
		q, next := &t.cues[i-1], &t.cues[i]
		if next.from < q.to || next.from > q.to+codeLink {
			continue
		}
		switch between := t.s[q.to:next.from]; {
		case (between == "" || between == " ") && q.roles&(1<<counts|1<<trades) != 0 && q.roles&(1<<opens|1<<admits) == 0 && next.roles&(1<<names|1<<numbers) != 0:
			next.roles = 1 << counts
		case next.roles&(1<<counts) != 0 && q.roles&(1<<names|1<<numbers) != 0 && links[between]:
			q.roles = 1 << counts
		}
	}
}

// numbersThing reports whether a noun stands before the word "number" at i, so
// that what follows is the number of that: "thing number 4711", and not "enter
// the number 4711".
func (t *text) numbersThing(i int) bool {
	start := max(0, i-thingBytes)
	before := strings.TrimSuffix(t.s[start:i], " ")
	at := len(before)
	for at > 0 && (isLower[before[at-1]] || isUpper[before[at-1]] || before[at-1] >= 0x80) {
		at--
	}
	word := strings.ToLower(before[at:])
	return (at > 0 || start == 0) && len(before) < i-start && word != "" && !pointers[word]
}

// thingBytes is the length of the longest noun that is read before "number".
const thingBytes = 32

// pointers stand before the word "number" and name nothing that it is of.
var pointers = wordsOf(`the this that following your my our a an new with use enter type say is and or
	die diese der dieser folgende folgenden ihre deine eine neue mit und oder lautet
	le ce la cette votre ton un avec et ou suivant nouveau est
	el este la esta su tu un con y o siguiente nuevo es`)

// wordsOf is the set of the words of a text.
func wordsOf(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// codeLink is the length of the longest of links.
const codeLink = 11

// links stand between a word for a code and what the code is of.
var links = map[string]bool{" ": true, " de ": true, " à ": true, " du ": true, " de la ": true, " del ": true, " of ": true, " of your ": true, " de su ": true, " de tu ": true, " de votre ": true, " de ta ": true, " Ihrer ": true, " der ": true, " des ": true, " d'": true, " d’": true}

// numberAt returns where a number begins that only signs divide from i, or 0.
func (t *text) numberAt(i int) int {
	for end := min(len(t.s), i+6); i < end; i++ {
		if isDigit[t.s[i]] {
			return i
		}
		if strings.IndexByte(" :.#-", t.s[i]) < 0 {
			return 0
		}
	}
	return 0
}

func endsInLetter(s string) bool {
	if s == "" || s[len(s)-1] < 0x80 {
		return s != "" && isAlnum[s[len(s)-1]]
	}
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r)
}

func beginsWithLetter(s string) bool {
	if s == "" || s[0] < 0x80 {
		return s != "" && isAlnum[s[0]]
	}
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}
