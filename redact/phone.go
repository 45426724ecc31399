package redact

import "strings"

const (
	phoneLeast  = 7  // digits
	phoneMost   = 15 // ITU-T E.164
	phoneGroups = 8
	// phoneContext is how far before a number a word like "phone" counts.
	phoneContext = 24
)

// phoneWords begin the words that announce a number which would not be one by
// its form.
var phoneWords = beginningsIn("phoneWords")

// phone is a candidate: its groups of digits and what stands between them.
type phone struct {
	plus   bool
	groups [phoneGroups]string
	seps   [phoneGroups]string
	n      int
	digits int
}

// findPhones finds phone numbers.
func findPhones(spans []Span, text string, from, to int) []Span {
	for i := from; i < to; {
		c := text[i]
		if !isDigit[c] && c != '+' && c != '(' {
			i++
			continue
		}
		if i > 0 && joinsPhone(text, i) {
			i = extend(text, i+1, to, isDigit)
			continue
		}
		if end := phoneAt(text, i, from, to); end > 0 {
			spans = append(spans, Span{i, end, maskPhone})
			i = end
			continue
		}
		if !isDigit[c] {
			i++ // the digits behind it may be a number without it
			continue
		}
		i = extend(text, i+1, to, isDigit)
	}
	return spans
}

// joinsPhone reports whether what stands before i makes the digits there a part
// of something else.
func joinsPhone(text string, i int) bool {
	c := text[i-1]
	if c == ':' || c == '=' || c == '(' || c == '+' {
		return c == '+' || c == ':' && i > 1 && isDigit[text[i-2]]
	}
	if strings.IndexByte("nrt", c) >= 0 && i > 1 && text[i-2] == '\\' {
		return false // an escape
	}
	return isAlnum[c] || strings.IndexByte("_-./#@$%&*\\~,", c) >= 0
}

// endsPhone reports whether a number may end at end.
func endsPhone(text string, end int) bool {
	if end == len(text) {
		return true
	}
	c := text[end]
	if (c == ',' || c == ':' || c == '.' || c == '-' || c == '/') && end+1 < len(text) && isAlnum[text[end+1]] {
		return false
	}
	return !isAlnum[c] && c != '_' && c != '@' && c != '%' && !strings.HasPrefix(text[end:], "€") && !strings.HasPrefix(text[end:], " €")
}

// phoneSign is the length of a sign that may stand between groups; blank where
// it is white space.
func phoneSign(text string, i int) (width int, blank bool) {
	switch text[i] {
	case ' ', '^':
		return 1, true
	case '-', '.', '/', '(', ')':
		return 1, false
	case 0xc2, 0xe2:
		for _, sign := range [...]string{"\u00a0", "\u2011", "\u2013", "\u202f"} {
			if strings.HasPrefix(text[i:], sign) {
				return len(sign), sign == "\u00a0" || sign == "\u202f"
			}
		}
	}
	return 0, false
}

// skipSigns steps over at most three signs, not two blanks among them side by
// side.
func skipSigns(text string, i, to int) int {
	after := false
	for signs := 0; signs < 3 && i < to; signs++ {
		width, blank := phoneSign(text, i)
		if width == 0 || i+width > to || blank && after {
			break
		}
		after = blank
		i += width
	}
	return i
}

// readPhone reads groups of digits, and where each ends. Those of one number
// have at most phoneMost digits; more are read, for what may be two numbers.
func readPhone(text string, i, to int) (p phone, ends [phoneGroups]int) {
	if text[i] == '+' {
		p.plus = true
		i++
	}
	for p.n < phoneGroups {
		sep := i
		i = skipSigns(text, i, to)
		group := extend(text, i, to, isDigit)
		if group == i || p.n == 0 && i > sep && text[sep:i] != "(" {
			break
		}
		p.seps[p.n], p.groups[p.n], ends[p.n] = text[sep:i], text[i:group], group
		p.n++
		if p.digits += group - i; p.digits > phoneMost {
			break
		}
		i = group
	}
	return p, ends
}

// phoneAt returns where the number ends that begins at i; 0 where none does.
func phoneAt(text string, i, from, to int) int {
	p, ends := readPhone(text, i, to)
	if p.n == 0 {
		return 0
	}
	if p.digits <= phoneMost {
		if end := ends[p.n-1]; p.digits >= phoneLeast && p.plausible(text, i, from) && endsPhone(text, end) {
			return end
		}
		return 0
	}
	// Two numbers side by side: the second begins with a zero.
	for p.n > 1 {
		p.n--
		next := p.groups[p.n]
		p.digits -= len(next)
		if p.digits < phoneLeast || p.digits > phoneMost || next[0] != '0' && !p.plus {
			continue
		}
		if p.plausible(text, i, from) {
			return ends[p.n-1]
		}
	}
	return 0
}

// plausible reports whether the groups are those of a phone number.
func (p *phone) plausible(text string, start, base int) bool {
	first := p.groups[0]
	if p.isDate() || p.isAddress() || p.isOneDigit() {
		return false
	}
	bracket := p.seps[0] == "("
	switch {
	case p.plus:
		return first[0] != '0' && len(first) <= phoneMost
	case p.announced(text, start, base):
		return !p.isDecimal()
	case p.isDecimal() || p.isHours() || len(first) == 1 && !bracket && p.n > 1 && !p.isNorthAmerican(1):
		return false
	case bracket:
		return p.n > 1 && strings.HasPrefix(p.seps[1], ")")
	case p.isNorthAmerican(0), first == "1" && p.isNorthAmerican(1):
		return true
	case first[0] != '0':
		return false
	case p.n == 1:
		return p.digits >= 9 && (first[1] != '0' || p.digits >= 11 && first[2] != '0')
	}
	return p.digits >= 8 && (p.longest() > 2 || p.n == 5 && p.digits == 10)
}

// isOneDigit: 000 000 000.
func (p *phone) isOneDigit() bool {
	return strings.Trim(strings.Join(p.groups[:p.n], ""), p.groups[0][:1]) == ""
}

func (p *phone) longest() int {
	most := 0
	for _, group := range p.groups[:p.n] {
		most = max(most, len(group))
	}
	return most
}

// isNorthAmerican: 212-555-0123, from the group at on.
func (p *phone) isNorthAmerican(at int) bool {
	if p.n != at+3 || len(p.groups[at]) != 3 || len(p.groups[at+1]) != 3 || len(p.groups[at+2]) != 4 {
		return false
	}
	return p.groups[at][0] >= '2' && p.groups[at+1][0] >= '2' && p.seps[at+2] != "/"
}

// isDate: three groups of a day, or more behind them.
func (p *phone) isDate() bool {
	if p.plus || p.n < 3 || p.seps[1] != p.seps[2] {
		return false
	}
	a, b, c := len(p.groups[0]), len(p.groups[1]), len(p.groups[2])
	switch {
	case a <= 2 && b <= 2 && c == 4:
		return p.groups[2][0] == '1' || p.groups[2][0] == '2'
	case a == 4 && b <= 2 && c <= 2:
		return true
	}
	return a <= 2 && b <= 2 && c == 2 && p.n == 3
}

// isAddress: four groups between dots, as IP addresses and versions have.
func (p *phone) isAddress() bool {
	return !p.plus && p.n == 4 && p.longest() <= 3 && p.seps[1] == "." && p.seps[2] == "." && p.seps[3] == "."
}

// isDecimal: 0.5, 048.137154.
func (p *phone) isDecimal() bool {
	return !p.plus && p.seps[1] == "." && (p.n == 2 || p.groups[0] == "0")
}

// isHours: 0900-1700.
func (p *phone) isHours() bool {
	return p.n == 2 && len(p.groups[0]) == 4 && len(p.groups[1]) == 4 && p.groups[0] <= "2400" && p.groups[1] <= "2400" && p.groups[0][2] < '6' && p.groups[1][2] < '6'
}

// announced reports whether a word like "phone" stands before the number.
func (p *phone) announced(text string, start, base int) bool {
	before := text[max(base, start-phoneContext):start]
	if stop := strings.LastIndexAny(before, "\n;,!?"); stop >= 0 {
		before = before[stop+1:]
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(before), func(r rune) bool { return !isWordRune(r) }) {
		if phoneWords.get().of(word) {
			return true
		}
	}
	return strings.ContainsAny(before, "☎📞📱")
}

// foldPhone returns the digits of a number, with "+" for a leading "00".
func foldPhone(s string) string {
	folded := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, s)
	if s[0] == '+' {
		return "+" + folded
	}
	if rest, ok := strings.CutPrefix(folded, "00"); ok {
		return "+" + rest
	}
	return folded
}
