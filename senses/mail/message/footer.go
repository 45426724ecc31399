package message

import (
	"slices"
	"strings"
)

// withoutFooter drops what lists and companies append: from the rule on that they
// draw above it.
func withoutFooter(lines []string) []string {
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if len(l) < 10 || len(l) > 120 {
			continue
		}
		if rule(l) && footerFollows(lines[i+1:]) || beginsWithOne(strings.ToLower(l), phrases("begins a footer")...) { // with a rule above it, or without
			return lines[:i]
		}
	}
	return lines
}

// rule tells a line drawn of one or two characters, as lists draw it.
func rule(l string) bool {
	return len(strings.Trim(l, "_")) == 0 || len(strings.Trim(l, "-=~*>")) == 0 ||
		strings.HasPrefix(l, "-----") && strings.Contains(l, "Sponsor")
}

// footerFollows tells whether the next lines speak of a list, or advertise, and
// not much follows.
func footerFollows(lines []string) bool {
	const most, mostBehind = 8, 25
	full := 0
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			if full++; full > mostBehind {
				return false
			}
		}
	}
	if full == 0 {
		return true
	}
	return slices.ContainsFunc(lines[:min(len(lines), most)], func(l string) bool { return hasOne(strings.ToLower(l), phrases("footer")...) })
}

// withoutSmallPrint drops small print: warnings of the receiver's own company,
// disclaimers, and how to be taken off a list.
func withoutSmallPrint(lines []string) []string {
	lines = withoutWarnings(lines)
	kept := make([]string, 0, len(lines))
	for i := 0; i < len(lines); {
		end := i
		for end < len(lines) && strings.TrimSpace(lines[end]) != "" {
			end++
		}
		if end == i {
			kept = append(kept, lines[i])
			i++
			continue
		}
		// What is first is never all small print.
		if len(kept) == 0 || !disclaims(lines[i:end]) {
			kept = append(kept, withoutUnsubscribe(lines[i:end], len(kept) > 0)...)
		}
		i = end
	}
	return kept
}

// withoutWarnings drops lines of warning and of advice, with the lines that their
// sentences go on in.
func withoutWarnings(lines []string) []string {
	const longest = 500
	kept := make([]string, 0, len(lines))
	within := false
	for _, l := range lines {
		switch {
		case strings.TrimSpace(l) == "":
			within = false
		case within, len(l) <= longest && warns(strings.ToLower(l)):
			within = !strings.ContainsAny(l[len(l)-1:], ".!])*")
			continue
		}
		kept = append(kept, l)
	}
	return kept
}

func warns(l string) bool {
	const shortest = 20
	return len(l) >= shortest && hasOne(l, phrases("warning")...)
}

// disclaims tells a paragraph that is a disclaimer.
func disclaims(lines []string) bool {
	const least, most = 100, 4 << 10
	size := 0
	for _, l := range lines {
		size += len(l) + 1
	}
	if size < least || size > most {
		return false
	}
	text := strings.ToLower(strings.Join(lines, " "))
	points := 0
	for _, said := range phrases("disclaimer") {
		if strings.Contains(text, said) {
			points++
		}
	}
	return points >= 2
}

const longestLeaving = 250

// withoutUnsubscribe drops the lines that tell how to be taken off a list. A person
// who asks how to is heard: such lines have a link or an address, or are little
// more than a word, and do not begin the text.
func withoutUnsubscribe(lines []string, behindOthers bool) []string {
	kept := lines[:0:0]
	for _, l := range lines {
		// In a long line there is more than that.
		if behindOthers && len(l) <= longestLeaving && unsubscribes(l) {
			continue
		}
		kept = append(kept, l)
	}
	return kept
}

// unsubscribes tells a line that says how to be taken off a list.
func unsubscribes(l string) bool {
	const longest = 600
	if len(l) > longest {
		return false
	}
	l = strings.ToLower(l)
	for _, said := range phrases("unsubscribe") {
		if strings.Contains(l, said) {
			return leadsSomewhere(l) || len(l) <= len(said)+12
		}
	}
	return strings.HasPrefix(l, "http") && strings.Contains(l, "/listinfo/") && !strings.Contains(l, " ") ||
		strings.Contains(l, "remove") && leadsSomewhere(l) && hasOne(l, "our list", "mailing", "this list", "our database", "future email", "future mail", "further email")
}

func leadsSomewhere(l string) bool {
	return hasOne(l, "://", "@", "click", "klick", "clic", "www.", "reply", "subject")
}

// tellsHowToLeave tells of lines without quotations that say, and not at their
// very beginning, how its reader is taken off a list, or that they asked
// to be on it.
func tellsHowToLeave(lines []string) bool {
	behind := false
	for _, l := range lines {
		if behind && (unsubscribes(l) || hasOne(strings.ToLower(l), phrases("sent to many")...)) {
			return true
		}
		behind = behind || strings.TrimSpace(l) != ""
	}
	return false
}
