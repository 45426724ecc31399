package message

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// withoutSignature drops what stands behind the two dashes that begin a
// signature, and the lines that phones add.
func withoutSignature(lines []string) []string {
	lines = withoutCard(lines)
	// A signature is short (four lines, said RFC 3676); longer ones are met. Two
	// dashes above more than that part a text.
	const mostBehind, mostLoose = 40, 15
	full := 0
	cut := len(lines)
	for i := len(lines) - 1; i >= 0 && full <= mostBehind; i-- {
		l := lines[i]
		if l == "-- " || (strings.TrimSpace(l) == "--" || strings.TrimSpace(l) == "—") && full <= mostLoose {
			cut = i
		}
		if strings.TrimSpace(l) != "" {
			full++
		}
	}
	kept := make([]string, 0, cut)
	for _, l := range lines[:cut] {
		if !phoneLine(l) {
			kept = append(kept, l)
		}
	}
	return kept
}

// withoutCard drops what stands at the end behind a short rule, where it is
// little, holds no sentence, begins with a name and tells how to reach somebody.
func withoutCard(lines []string) []string {
	const most, shortest, longest = 7, 3, 6
	full, contact, above := 0, false, ""
	for i := len(lines) - 1; i > 0 && full <= most; i-- {
		l := strings.TrimSpace(lines[i])
		switch {
		case l == "":
			continue
		case len(l) >= shortest && len(strings.Trim(l, "-_=*~")) == 0:
			if contact && len(l) <= longest && likeName(above) {
				return lines[:i]
			}
			return lines
		case len(l) > 80 || endsSentence(l):
			return lines
		}
		full++
		above = l
		contact = contact || strings.Contains(l, "@") || phoneNumber(l)
	}
	return lines
}

// likeName tells a line of at most four words without figures, of which each
// begins with a capital letter; an address may follow.
func likeName(l string) bool {
	l, _, _ = strings.Cut(l, "<")
	words := strings.Fields(l)
	for _, word := range words {
		if r, _ := utf8.DecodeRuneInString(word); !unicode.IsUpper(r) {
			return false
		}
	}
	return len(words) > 0 && len(words) <= 4 && !strings.ContainsAny(l, "0123456789:")
}

// phoneNumber tells a line with at least 7 digits, and little else but spaces and
// signs between them.
func phoneNumber(l string) bool {
	digits, others := 0, 0
	for _, r := range l {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case !strings.ContainsRune(" +-/().:", r):
			others++
		}
	}
	return digits >= 7 && others <= 10
}

// phoneLine tells the lines that programs on phones put under a message.
func phoneLine(l string) bool {
	l = strings.ToLower(strings.Trim(l, " \t-_*[]()."))
	if len(l) < 8 || len(l) > 140 {
		return false
	}
	for _, said := range phrases("phone line") {
		if strings.HasPrefix(l, said) {
			return phoneWords(l, said)
		}
	}
	return false
}

// phoneWords keeps sentences like "Von meinem Vater weiß ich, dass …" and "Sent
// with the parcel yesterday": the line has to name a device or a program.
func phoneWords(l, said string) bool {
	if strings.HasPrefix(said, "please excuse") || strings.Contains(said, "outlook") || strings.HasPrefix(said, "provenance") {
		return true
	}
	return hasOne(l, phrases("phone")...)
}
