package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// role is what a word says of a number that stands near it.
type role uint8

const (
	// names: it is the word for something that opens.
	names role = iota
	// opens: it is what a code opens, or what is done with one.
	opens
	// admits: it is what signing in and confirming are called.
	admits
	// commands: it tells the reader to enter or to say something.
	commands
	// cautions: it is how such messages end.
	cautions
	// counts: it is what other numbers are called, or what they count.
	counts
	// trades: it is what advertising, programs and papers speak of.
	trades
	// passwords: it is the word for something like a password; of codes it says
	// nothing.
	passwords
	roles
)

// roleLists are the lists of words by role. A star at either end of a word stands for
// the rest of it.
var roleLists = [roles]string{"names", "opens", "admits", "commands", "cautions", "counts", "trades", "passwords"}

// Words right before and behind a code; codes.txt says what each list is.
var (
	numberSigns = finder("numberSigns")
	numberUnits = beginningsIn("numberUnits")
	units       = setOfWords("units")
	telephones  = setOfWords("telephones")
	months      = setOfWords("months")
	articles    = setOfWords("articles")
	verbs       = setOfWords("verbs")
	ties        = setOfWords("verbs", "ties")
	numbers     = setOfWords("numbers")
	leadOf      = setOfWords("leadOf")
	leadOn      = setOfWords("leadOn")
	standards   = beginningsIn("standards")
	sizes       = setOfWords("sizes")
	codeLinks   = setOfWords("codeLinks")
)

// cue is a word of the text with its role.
type cue struct {
	from, to int
	roles    uint16
	// number is where the number begins that directly follows, or 0: "order 4711".
	number int
}

// maxCues bounds what is kept of a text that consists of such words.
const maxCues = 50_000

// lexeme is what is known of a word: whether it may be the end or the beginning
// of a longer one.
type lexeme struct {
	roles       uint16
	tail, begin bool
}

// withCues adds the words of roleLists to a table of anchors, so that one pass
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
	for role, name := range roleLists {
		for _, word := range list(name) {
			bare := strings.TrimSuffix(strings.TrimPrefix(word, "*"), "*")
			l := lexeme{roles: 1 << role, tail: word[0] == '*', begin: strings.HasSuffix(word, "*")}
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
// beside it says so: "error code", "código de barras".
func (t *text) qualify() {
	const other = 1<<counts | 1<<trades
	for i := 1; i < len(t.cues); i++ {
		q, next := &t.cues[i-1], &t.cues[i]
		if next.from < q.to || next.from > q.to+codeLink {
			continue
		}
		switch between := t.s[q.to:next.from]; {
		case (between == "" || between == " ") && q.roles&other != 0 && q.roles&(1<<opens|1<<admits) == 0 && next.roles&(1<<names) != 0:
			next.roles = 1 << counts
		case next.roles&(1<<counts) != 0 && q.roles&(1<<names) != 0 && codeLinks.get().has(between):
			q.roles = 1 << counts
		}
	}
}

// codeLink is the length of the longest of codeLinks.
const codeLink = 11

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

// lastWord returns the last word of s in lower case, and what follows it.
func lastWord(s string) (word, rest string) {
	end := len(s)
	for end > 0 && !endsInLetter(s[:end]) {
		_, size := utf8.DecodeLastRuneInString(s[:end])
		end -= size
	}
	from := end
	for from > 0 && (endsInLetter(s[:from]) || s[from-1] == '\'') {
		_, size := utf8.DecodeLastRuneInString(s[:from])
		from -= size
	}
	return strings.ToLower(s[from:end]), s[end:]
}

// firstWord returns the word that s begins with.
func firstWord(s string) string {
	end := 0
	for end < len(s) && beginsWithLetter(s[end:]) {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return s[:end]
}
