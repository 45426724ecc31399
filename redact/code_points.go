package redact

import "strings"

// enough points make a code.
const enough = 2

// speaks are the roles of the words of which one at least stands by a code.
const speaks = 1<<names | 1<<opens | 1<<admits | 1<<commands | 1<<cautions

// isCode reports whether more speaks for a code than for another number.
func (t *text) isCode(c codeToken, w *window) bool {
	w.move(t, c)
	return !t.isCounted(c) && t.points(c, w) >= enough
}

// points counts what speaks for a code and, below zero, against it. Each sign has
// the weight that tells most lines of testdata and of ordinary mail right.
func (t *text) points(c codeToken, w *window) (sum int) {
	said, near, beside := w.roles(t, c)
	if said&speaks == 0 && near&(1<<names|1<<cautions) == 0 {
		return 0
	}
	s, p := t.s[c.Start:c.End], t.placeOf(c, w, beside)
	named, figures := said&(1<<names) != 0, c.figures == c.length
	add := func(points int, is bool) {
		if is {
			sum += points
		}
	}
	// What is said in its sentence, and around that.
	add(3, named)
	add(1, !named && near&(1<<names|1<<cautions) != 0)
	add(2, said&(1<<opens) != 0)
	add(1, said&(1<<admits) != 0)
	add(1, said&(1<<commands) != 0)
	add(2, said&(1<<cautions) != 0)
	add(-3, said&(1<<counts) != 0)
	add(-3, said&(1<<trades) != 0)
	add(-2, near&(1<<counts|1<<trades) != 0)
	add(-2, strings.ContainsAny(t.s[w.from:w.to], "{}\\")) // a program
	// How it stands there.
	add(1, p.alone || p.first)
	add(1, p.tied)
	add(-3, p.numbers)
	add(-1, p.behindWord)
	add(-2, p.aheadOfWord)
	// How it looks.
	add(2, c.parts > 1 && !(figures && isReference(s)) || figures && c.figures >= 6)
	add(3, strings.IndexByte("#*", s[len(s)-1]) >= 0) // for a keypad
	add(-1, c.smalls > 0)
	add(-3, figures && isTime(s))
	add(-3, c.isVoucher(s))
	add(-2, !named && isModel(s))
	return sum
}

// place is how a code stands in its sentence.
type place struct {
	alone, first            bool // on a line of its own; at the beginning
	tied                    bool // behind "is", "enter" or a colon
	numbers                 bool // behind what it is the number of: "invoice 4711"
	behindWord, aheadOfWord bool // beside other words
}

func (t *text) placeOf(c codeToken, w *window, beside uint16) (p place) {
	before := strings.TrimRight(t.s[max(w.from, c.Start-48):c.Start], " \t\r\n\"'*„“«»[<>")
	word, sign := lastWord(before)
	if articles.get().has(word) && strings.TrimSpace(sign) == "" { // "es el"
		word, sign = lastWord(before[:len(before)-len(sign)-len(word)])
	}
	sign = strings.TrimSpace(sign)
	p.alone, p.first = t.ownLine(c), strings.Trim(before, " (#") == ""
	p.aheadOfWord = goesOnWithWord(t.s[c.End:min(w.to, c.End+32)])
	if word == "" || sign != "" && sign != "'" {
		p.tied = strings.ContainsAny(sign, ":：=") || strings.HasSuffix(sign, "-") || strings.HasSuffix(sign, "–") || strings.HasSuffix(sign, "—")
		p.numbers = strings.HasSuffix(before, "#") && t.s[c.Start-1] == '#'
	} else {
		p.tied, p.numbers = ties.get().has(word), leadOf.get().has(word)
		if numbers.get().has(word) {
			pointer, _ := lastWord(strings.TrimSuffix(before, word))
			p.tied, p.numbers = articles.get().has(pointer), !articles.get().has(pointer)
		}
		p.behindWord = !p.tied && !p.numbers && beside&(1<<names|1<<commands|1<<opens) == 0
	}
	if beside&(1<<names|1<<commands) != 0 {
		p.tied, p.numbers = true, false
	}
	return p
}

// goesOnWithWord reports whether a word follows that a number in front of it
// would count.
func goesOnWithWord(after string) bool {
	return len(after) > 1 && after[0] == ' ' && beginsWithLetter(after[1:]) && !leadOn.get().hasFolded(firstWord(after[1:]))
}

// isCounted reports whether what stands beside c makes it an amount, a date, a
// telephone number, or the number of something.
func (t *text) isCounted(c codeToken) bool {
	said := t.s[max(0, c.Start-24):c.Start]
	before := strings.ToLower(strings.TrimRight(said, " \t\"'(:"))
	after := strings.TrimLeft(head(t.s[c.End:], 24), " ")
	if strings.HasSuffix(said, "…") || numberSigns.get().ends(before) && t.at(c.Start-1) != '*' {
		return true
	}
	if c.figures < c.length {
		return false
	}
	if numberUnits.get().of(after) || units.get().hasFolded(firstWord(after)) {
		return true
	}
	word, rest := lastWord(before)
	telephone := telephones.get().has(word) && rest == "" && !strings.Contains(said, "\n")
	return telephone || c.figures == 4 && months.get().has(word)
}
