package message

import "strings"

// written returns of lines without quotations what their writer wrote: without
// signature and small print. It reads each line a bounded number of times.
func written(lines []string) string {
	lines = withoutSignature(lines)
	lines = withoutFooter(lines)
	lines = withoutSmallPrint(lines)
	for len(lines) > 0 && endsInRule(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return joinLines(lines)
}

// endsInRule tells the lines that nothing is left behind of.
func endsInRule(l string) bool {
	return len(strings.Trim(l, " \t-_=*~")) == 0
}

// joinLines puts the lines together with at most one empty line between them.
func joinLines(lines []string) string {
	var out strings.Builder
	empty := false
	for _, l := range lines {
		if strings.TrimSpace(l) == "" {
			empty = true
			continue
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
			if empty {
				out.WriteByte('\n')
			}
		}
		empty = false
		out.WriteString(l)
	}
	return out.String()
}

// withoutQuotes drops quoted lines with what introduces them, and what stands
// behind a line that says that all that follows is somebody else's.
func withoutQuotes(lines []string) []string {
	kept := make([]string, 0, len(lines))
	mark := "" // of quotation, other than ">", as an introduction showed it
	for i := 0; i < len(lines); {
		switch l := lines[i]; {
		case quoted(l):
			i = behindQuote(lines, i)
			continue
		case mark != "" && strings.HasPrefix(l, mark):
			i++
			continue
		}
		if n := introduces(lines[i:]); n > 0 {
			next := skipEmpty(lines, i+n)
			if next < len(lines) && quoted(lines[next]) {
				i = next
				continue
			}
			if other := otherMark(lines[next:]); other != "" {
				mark, i = other, next
				continue
			}
			// Nothing marks the quotation: it is all that follows.
			if certain(lines[i:], n) {
				return kept
			}
		}
		if divides(lines[i:]) {
			next := behindHeader(lines, i)
			if next == len(lines) || !quoted(lines[next]) {
				return kept
			}
			i = next
			continue
		}
		if i+1 < len(lines) && names(lines[i]) && quoted(lines[skipEmpty(lines[:len(lines)-1], i+1)]) {
			i++
			continue
		}
		kept = append(kept, lines[i])
		i++
	}
	return kept
}

// otherMark returns what the first lines begin with, where that is a mark that
// some programs quote with instead of ">", as "| " or "--]".
func otherMark(lines []string) string {
	const longest = 3
	if len(lines) == 0 {
		return ""
	}
	end := 0
	for end < len(lines[0]) && end < longest && strings.IndexByte("|#:=+}]%>-~!$", lines[0][end]) >= 0 {
		end++
	}
	mark := lines[0][:end]
	if mark == "" || strings.Trim(mark, "-") == "" {
		return ""
	}
	if len(lines) > 1 && strings.TrimSpace(lines[1]) != "" && !strings.HasPrefix(lines[1], mark) {
		return ""
	}
	return mark
}

// names tells a line that only names who is quoted behind it: "[Jane Doe]".
func names(l string) bool {
	const longest = 60
	l = strings.TrimSpace(l)
	return len(l) > 2 && len(l) < longest && l[0] == '[' && strings.IndexByte(l, ']') == len(l)-1
}

// behindHeader returns the first full line behind the header of a message within
// the text, which begins at i or behind a line that says that it follows.
func behindHeader(lines []string, i int) int {
	const most = 15
	start := i
	if strings.HasPrefix(strings.TrimSpace(lines[i]), "-") || !headerBlock(lines[i:], 3) {
		start = skipEmpty(lines, i+1)
	}
	for i = start; i < len(lines) && i < start+most && strings.TrimSpace(lines[i]) != "" && !quoted(lines[i]); i++ {
	}
	return skipEmpty(lines, i)
}

// behindQuote returns the first line behind the quotation that begins at i. A
// short line between two quoted ones that continues the first is one that the
// writer's program wrapped without a mark.
func behindQuote(lines []string, i int) int {
	for i < len(lines) && quoted(lines[i]) {
		i++
	}
	if i > 0 && i+1 < len(lines) && len(lines[i-1]) >= 60 && quoted(lines[i+1]) && strings.TrimSpace(lines[i]) != "" &&
		len(lines[i]) <= 25 && !endsSentence(lines[i-1]) {
		return i + 1
	}
	return i
}

func endsSentence(l string) bool {
	return l != "" && strings.ContainsRune(".!?:;", rune(l[len(l)-1]))
}

// quoted tells the lines that begin with a mark of quotation: ">", or the
// initials of somebody and ">".
func quoted(l string) bool {
	const longest = 5
	l = strings.TrimLeft(l, " \t")
	for i := 0; i < len(l) && i < longest; i++ {
		switch c := l[i]; {
		case c == '>':
			return i == 0 || i >= 2 || len(l) > 2 && l[2] == ' '
		case c >= 'A' && c <= 'Z':
		default:
			return i == 0 && strings.HasPrefix(l, "| ") && strings.HasPrefix(strings.TrimLeft(l[1:], " "), "|")
		}
	}
	return false
}

func skipEmpty(lines []string, i int) int {
	for i < len(lines) && strings.TrimSpace(lines[i]) == "" {
		i++
	}
	return i
}

// introduces tells how many lines at the beginning say who wrote what is quoted
// behind them; 0 where they say no such thing.
func introduces(lines []string) int {
	const mostLines, shortest, longest = 3, 4, 300
	if len(lines[0]) < shortest {
		return 0
	}
	joined := ""
	for n := 0; n < len(lines) && n < mostLines; n++ {
		l := strings.TrimSpace(lines[n])
		if l == "" || len(joined)+len(l) > longest || n > 0 && quoted(lines[n]) {
			return 0
		}
		if n > 0 {
			joined += " "
		}
		joined += l
		if attribution(joined) {
			return n + 1
		}
		if n == 0 && !beginsAttribution(joined) {
			// What takes more than one line begins as such lines do.
			return 0
		}
	}
	return 0
}

// attribution tells a line like "On Monday, Jane wrote:".
func attribution(l string) bool {
	end := strings.TrimRight(l, " ")
	if !strings.HasSuffix(end, ":") {
		return false
	}
	words := strings.ToLower(strings.TrimRight(strings.TrimSuffix(end, ":"), " \u00a0"))
	for _, verb := range phrases("attribution") {
		if strings.HasSuffix(words, " "+verb) || words == verb {
			return true
		}
	}
	// "Am 5. Mai schrieb Jana Beispiel:"
	for _, verb := range [...]string{" schrieb ", " schreibt ", " wrote ", " écrivit ", " spake ", " escribió ", " a écrit ", " écrit "} {
		if i := strings.Index(words, verb); i >= 0 && (beginsAttribution(l) || strings.Contains(words[i:], "@") || len(words)-i < 60) {
			return true
		}
	}
	return false
}

// beginsAttribution tells how such lines begin where they take more than one.
func beginsAttribution(l string) bool {
	lower := strings.ToLower(l[:min(len(l), 300)])
	return hasOne(lower, " wrote", "schrieb ") || strings.Contains(lower, "<") && strings.Contains(lower, "@") || beginsWithOne(lower, phrases("begins an attribution")...)
}

// certain tells whether an introduction is one even though nothing quoted follows:
// it has an address, or begins as one and has a date or a time.
func certain(lines []string, n int) bool {
	joined := strings.Join(lines[:n], " ")
	return strings.Contains(joined, "@") || hasDate(joined) && beginsAttribution(joined) && skipEmpty(lines, n) < len(lines)
}

// hasDate tells of figures like 17:03, 20.11 and 2026.
func hasDate(l string) bool {
	figures := 0
	for i := 0; i < len(l); i++ {
		switch c := l[i]; {
		case c >= '0' && c <= '9':
			figures++
			if figures == 4 && (l[i-3] == '1' || l[i-3] == '2') {
				return true
			}
		case (c == ':' || c == '.' || c == '/' || c == '-') && figures > 0 && i+1 < len(l) && l[i+1] >= '0' && l[i+1] <= '9':
			return true
		default:
			figures = 0
		}
	}
	return false
}
