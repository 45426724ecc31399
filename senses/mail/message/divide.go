package message

import (
	"slices"
	"strings"
)

// divides tells a line from which on all is somebody else's: a forwarded or an
// original message.
func divides(lines []string) bool {
	l := strings.TrimSpace(lines[0])
	if len(l) < 5 || len(l) > 120 {
		return false
	}
	if strings.HasPrefix(l, "--") || strings.HasPrefix(l, "__") || strings.HasPrefix(l, "==") || strings.HasPrefix(l, "~~") {
		words := strings.ToLower(strings.Trim(l, "-_=~ <>"))
		if slices.ContainsFunc(phrases("separator"), func(said string) bool { return strings.HasPrefix(words, said) && len(words) < len(said)+60 }) {
			return true
		}
		// A rule above the header of the answered message, as Outlook draws it.
		if words == "" {
			next := skipEmpty(lines, 1)
			return next < min(len(lines), 4) && headerBlock(lines[next:], 2)
		}
		return false
	}
	return headerBlock(lines, 3) || beginsWithOne(strings.ToLower(l), phrases("forwarded")...)
}

// headerBlock tells the header of a message within the text: at least want
// fields of mail, the first of them in the first line.
func headerBlock(lines []string, want int) bool {
	const most = 8
	from, found, empty := false, 0, 0
	for n, l := range lines[:min(len(lines), most)] {
		l = strings.TrimLeft(strings.TrimSpace(l), "*")
		if l == "" {
			if empty++; empty > 1 {
				break
			}
			continue
		}
		label, _, ok := strings.Cut(l[:min(len(l), 60)], ":")
		label = strings.ToLower(strings.Trim(label, "* \u00a0"))
		isFrom := ok && slices.Contains(phrases("from"), label)
		if isFrom || ok && slices.Contains(phrases("other label"), label) {
			found++
			from = from || isFrom
		} else if n == 0 {
			return false
		}
	}
	return from && found >= want
}
