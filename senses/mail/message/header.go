package message

import (
	"slices"
	"strings"
)

// field is one field of a header: its name in lower case, its value unfolded
// but not decoded, at most maxValue bytes.
type field struct {
	name, value string
}

type header []field

// get returns the first value of a field, "" where there is none.
func (h header) get(name string) string {
	for _, f := range h {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// has tells whether there is such a field with something in it.
func (h header) has(name string) bool { return h.get(name) != "" }

// says tells whether one of the fields says something else than no.
func (h header) says(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return h.has(name) && !strings.EqualFold(h.get(name), "no") })
}

// all returns every value of a field.
func (h header) all(name string) []string {
	var values []string
	for _, f := range h {
		if f.name == name {
			values = append(values, f.value)
		}
	}
	return values
}

// readHeader reads the fields at the beginning of text and returns what lies
// behind the empty line that ends them. Lines that belong to no field are passed
// over as long as fields follow; where none follow, the body begins there.
func readHeader(text string, notes *cuts) (header, string) {
	var fields header
	rest := text
	for first := true; rest != ""; first = false {
		if len(text)-len(rest) > maxHeader {
			notes.note("the header beyond its first 64 KiB")
			return fields, afterBlank(rest)
		}
		line, behind := cutLine(rest)
		if blank(line) {
			return fields, behind
		}
		name, value, ok := splitField(line)
		switch {
		case !ok && first && (strings.HasPrefix(line, "From ") || strings.HasPrefix(line, ">From ")):
			rest = behind // the envelope line of a mailbox file
			continue
		case !ok && !fieldsFollow(behind):
			return fields, rest
		case !ok:
			rest = behind
			continue
		}
		value, behind = unfold(value, behind, maxHeader-(len(text)-len(rest)))
		rest = behind
		if len(value) > maxValue {
			value = value[:maxValue]
			notes.note("header values beyond their first 8 KiB")
		}
		if len(fields) == maxFields {
			notes.note("the header beyond its first 1,000 fields")
			return fields, afterBlank(rest)
		}
		fields = append(fields, field{name: name, value: strings.TrimSpace(value)})
	}
	return fields, ""
}

// cutLine returns the first line of text without its end, and what follows.
func cutLine(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

func blank(line string) bool { return strings.Trim(line, "\r") == "" }

// splitField reads "Name: value". Names are of printable ASCII without spaces.
func splitField(line string) (name, value string, ok bool) {
	const longest = 100
	for i := 0; i < len(line) && i < longest; i++ {
		switch c := line[i]; {
		case c == ':':
			name = strings.TrimRight(line[:i], " \t")
			return strings.ToLower(name), line[i+1:], name != ""
		case (c == ' ' || c == '\t') && i > 0:
			// Spaces are allowed between the name and its colon alone.
			if strings.HasPrefix(strings.TrimLeft(line[i:min(len(line), longest)], " \t"), ":") {
				continue
			}
			return "", "", false
		case c <= ' ' || c > '~':
			return "", "", false
		}
	}
	return "", "", false
}

// fieldsFollow tells whether a well-known field stands among the next lines,
// before an empty one: then the line before them is a broken fold.
func fieldsFollow(text string) bool {
	for range 10 {
		line, rest := cutLine(text)
		if blank(line) {
			return false
		}
		if name, _, ok := splitField(line); ok && wellKnown(name) {
			return true
		}
		text = rest
	}
	return false
}

func wellKnown(name string) bool {
	switch name {
	case "from", "to", "cc", "subject", "date", "message-id", "received", "return-path", "delivered-to",
		"mime-version", "reply-to", "sender", "in-reply-to", "references":
		return true
	}
	return strings.HasPrefix(name, "x-") || strings.HasPrefix(name, "content-") || strings.HasPrefix(name, "list-")
}

// unfold joins the lines that continue a value, at most most bytes of them.
func unfold(value, rest string, most int) (string, string) {
	if rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return value, rest
	}
	var b strings.Builder
	b.WriteString(value[:min(len(value), maxValue+1)])
	for taken := len(value); rest != "" && (rest[0] == ' ' || rest[0] == '\t') && taken <= most; {
		line, behind := cutLine(rest)
		taken += len(rest) - len(behind)
		rest = behind
		if b.Len() <= maxValue {
			b.WriteByte(' ')
			line = strings.TrimLeft(line, " \t")
			b.WriteString(line[:min(len(line), maxValue+1)])
		}
	}
	return b.String(), rest
}

// afterBlank returns what follows the next empty line.
func afterBlank(text string) string {
	for text != "" {
		line, rest := cutLine(text)
		if blank(line) {
			return rest
		}
		text = rest
	}
	return ""
}
