package redact

import "strings"

// stands adds how a code stands in its sentence.
func (t *text) stands(c codeToken, w *window, s *traits) {
	before := strings.TrimRight(t.s[max(w.from, c.Start-48):c.Start], " \t\r\n\"'*„“«»[<>")
	after := t.s[c.End:min(w.to, c.End+32)]
	own := t.ownLine(c)
	s.add(onOwnLine, own)
	s.add(atBeginning, !own && strings.Trim(before, " (#") == "")
	s.add(atEnd, !own && endsThere(after))
	s.add(inBrackets, strings.HasSuffix(before, "(") && strings.HasPrefix(after, ")") || strings.HasSuffix(before, "|"))
	s.add(leadsToWord, leadsOn.ofFolded(strings.TrimLeft(after, "\"'*”“«»)] ")))
	s.add(aheadOfWord, goesOnWithWord(after))
	s.add(boundToPage, t.boundToPage(c))
	behind(before, s)
	numbers, marks := t.tally(w.from, w.to)
	s.add(amongNumbers, numbers > 1+c.parts)
	s.add(inProgram, marks >= 2)
}

// behind adds what the word or the sign in front of a code says.
func behind(before string, s *traits) {
	word, sign := lastWord(before)
	if articles[word] && strings.TrimSpace(sign) == "" { // "es el"
		word, sign = lastWord(before[:len(before)-len(sign)-len(word)])
	}
	sign = strings.TrimSpace(sign)
	s.add(behindOf, strings.HasSuffix(before, "#") && !leadWith[word])
	if sign == "" || sign == "'" {
		command := strings.HasSuffix(before, "key in") || strings.HasSuffix(before, "type in")
		s.add(behindIs, leadIs[word])
		s.add(behindWith, leadWith[word])
		s.add(behindOf, leadOf[word] && !command)
		s.add(behindWord, word != "" && !leadIs[word] && !leadWith[word] && !leadOf[word])
		return
	}
	dash := strings.HasSuffix(sign, "-") || strings.HasSuffix(sign, "–") || strings.HasSuffix(sign, "—")
	s.add(behindColon, dash || strings.ContainsAny(sign, ":："))
}

// endsThere reports whether a sentence, or a part of one, ends before after.
func endsThere(after string) bool {
	if strings.HasPrefix(after, " (") || strings.HasPrefix(after, ")") {
		return true
	}
	bare := strings.TrimLeft(after, " \"'*”“«»)]")
	return bare == "" || strings.IndexByte(".;,\n|", bare[0]) >= 0 || dashAhead.of(bare)
}

// dashAhead begin another part of a sentence.
var dashAhead = newBeginnings("- ", "–", "—")

// goesOnWithWord reports whether a word follows that a number in front of it
// would count.
func goesOnWithWord(after string) bool {
	return len(after) > 1 && after[0] == ' ' && beginsWithLetter(after[1:]) && !inFolded(leadOn, firstWord(after[1:]))
}

// tally counts the numbers of a sentence, and the signs of a program in it.
func (t *text) tally(from, to int) (numbers, marks int) {
	last := byte(' ')
	if from > 0 {
		last = t.s[from-1]
	}
	for i := from; i < to; i++ {
		switch b := t.s[i]; {
		case isDigit[b]:
			if !isAlnum[last] {
				numbers++
			}
		case isProgram[b], (b == '(' || b == '=') && (isAlnum[last] || last == '='):
			marks++
		}
		last = t.s[i]
	}
	return numbers, marks
}

var isProgram = setOf("{}\\")

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
	if strings.HasSuffix(said, "…") || numberSigns.ends(before) && t.at(c.Start-1) != '*' {
		return true
	}
	if c.figures < c.length {
		return false
	}
	if numberUnits.of(after) || inFolded(units, firstWord(after)) {
		return true
	}
	word, rest := lastWord(before)
	telephone := telephones[word] && rest == "" && !strings.Contains(said, "\n")
	return telephone || c.figures == 4 && months[word]
}

// leadsOn lead from a code to the word for it.
var leadsOn = newBeginnings("is ", "ist ", "est ", "es ", "as ", "als ", "comme ", "como ", "- ", "– ", "— ", ": ", ", ", "= ")
