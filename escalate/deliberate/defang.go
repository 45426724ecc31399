package deliberate

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/internal/unseen"
)

// Defang makes one line of plain text out of a text, in which no address can be
// followed: https://a.b becomes hxxps://a[.]b, and a bare domain, a mail address
// or anything else that begins like an address is broken in the same manner. So
// is a name with an @ before it, which chats make a link to whoever bears it.
// Numbers, those of telephones too, times, names of files that end as no domain
// does, and the ends of sentences stay as they are. What cannot be seen is left
// out. Defang(Defang(text)) is Defang(text).
func Defang(text string) string {
	text = oneLine(text)
	if !strings.ContainsAny(text, ".:@\\。｡") {
		return text
	}
	return dotless(schemeless(text))
}

// lookalike are characters that programs read as one of those that addresses are
// made of.
var lookalike = strings.NewReplacer(
	"．", ".", "․", ".", "﹒", ".",
	"：", ":", "﹕", ":", "︓", ":", "∶", ":", "꞉", ":",
	"／", "/", "⁄", "/", "∕", "/", "⧸", "/",
	"＠", "@", "﹫", "@", "＼", `\`, "﹨", `\`, "∖", `\`)

// oneLine is a text on one line, without what cannot be seen.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case r == utf8.RuneError, !unicode.IsPrint(r), unseen.Is(r):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(lookalike.Replace(text)), " ")
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '-' || r == '_'
}

// schemeless breaks whatever comes before a colon and is read as the beginning
// of an address, each @ with something behind it, and the two strokes of a share.
func schemeless(text string) string {
	var out []rune
	runes := []rune(text)
	begun := 0 // where the word began that a colon ends
	for i, r := range runes {
		next := rune(' ')
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		switch {
		case r == '\\' && next == '\\':
			continue
		case r == ':' && next != ' ' && slices.ContainsFunc(runes[begun:i], unicode.IsLetter):
			name, sign := colon(runes[begun:i], runes[i+1:])
			out = append(append(out[:len(out)-(i-begun)], name...), sign...)
		case r == '@' && next != ' ' && !(next == ']' && i > 0 && runes[i-1] == '['):
			out = append(out, []rune("[@]")...)
		default:
			out = append(out, r)
		}
		if !isWord(r) && r != '+' && r != '.' {
			begun = i + 1
		}
	}
	return string(out)
}

// colon is what a word and the colon behind it become, before rest: a scheme that
// has another name gets it.
func colon(word, rest []rune) (name, sign []rune) {
	broken, whole := []rune("[:]"), []rune(":")
	lower := strings.ToLower(string(word))
	switch {
	case lower == "redacted" && mark().MatchString(string(rest)), stamp().MatchString(string(word)) && isClock(rest):
		return word, whole
	case len(rest) < 2 || rest[0] != '/' || rest[1] != '/':
		return word, broken
	case lower == "http":
		return []rune("hxxp"), whole
	case lower == "https":
		return []rune("hxxps"), whole
	case lower == "hxxp" || lower == "hxxps":
		return word, whole
	}
	return word, broken
}

// stamp is a time in RFC 3339, as far as its first colon, and isClock reports
// whether the minutes follow. No address begins so.
var stamp = lazy.Regexp(`^\d{4}-\d{2}-\d{2}T\d{2}$`)

func isClock(rest []rune) bool {
	return len(rest) >= 2 && isDigit(rest[0]) && isDigit(rest[1]) && (len(rest) == 2 || !isWord(rest[2]) || rest[2] == 'Z')
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// mark is what "[redacted:password]" goes on with behind its colon.
var mark = lazy.Regexp(`^[a-z-]+\]`)

// parted puts a blank behind ideographic full stops, which end sentences and part
// the names of hosts, so that no name goes on behind one.
var parted = strings.NewReplacer("。", "。 ", "｡", "｡ ")

// dotless breaks the dots of each run of characters that could be the name of a
// host or its number.
func dotless(text string) string {
	pieces := strings.Fields(parted.Replace(text))
	for i, piece := range pieces {
		pieces[i] = brokenDots([]rune(piece))
	}
	return strings.Join(pieces, " ")
}

// brokenDots breaks the dots within a piece of text without white space, as far
// as it could be an address.
func brokenDots(piece []rune) string {
	all := isHost(piece)
	var out strings.Builder
	for i, r := range piece {
		if r == '.' && i+1 < len(piece) && all && (isWord(piece[i+1]) || piece[i+1] == '%') {
			out.WriteString("[.]")
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// endings are how names of files and units end, and that of a document which was
// set aside, and no domain does.
var endings = strings.Fields(`json jsonl pdf txt csv tsv log yaml yml toml xml html htm doc docx xls xlsx ppt pptx odt ods odp png jpg jpeg gif svg
	webp ics eml vcf db sqlite conf cfg ini bak tmp tar gz iso service timer socket mount rejected`)

// isHost reports whether a dot in it that is not the first character of a name
// is followed by what could be the end of a domain, two characters and more of
// which the first is a letter, or whether four numbers are in it, or a www, or
// what was the beginning of an address.
func isHost(piece []rune) bool {
	text := string(piece)
	if strings.HasPrefix(strings.ToLower(text), "www") || strings.Contains(text, "://") || strings.Contains(text, "[:]") || strings.Contains(text, "[@]") {
		return true
	}
	numbers := 0
	labels := strings.Split(text, ".")
	for i, word := range labels[1:] {
		if end := strings.IndexFunc(word, func(r rune) bool { return !isWord(r) }); end >= 0 {
			word = word[:end]
		}
		name, _, _ := strings.Cut(strings.ToLower(word), "-")
		first, _ := utf8.DecodeRuneInString(word)
		begins := labels[i] == "" || strings.HasSuffix(labels[i], "/")
		switch {
		case utf8.RuneCountInString(word) >= 2 && !unicode.IsNumber(first) && !begins && !slices.Contains(endings, name):
			return true
		case unicode.IsNumber(first):
			numbers++
		}
	}
	return numbers >= 3
}
