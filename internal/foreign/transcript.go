package foreign

import (
	"bytes"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// style is how a transcript marks who speaks. The first mark of a file decides:
// a message that quotes another transcript in another style is one message.
type style struct {
	heading int  // the level, 0 for none
	bold    bool // **User:**
}

// ReadTranscript reads a transcript in markdown or plain text, in which each
// message begins with a heading or a label that names who speaks: "## User",
// "**Assistant:**", "User: …". What stands before the first is left out. At most
// MaxBytes and MaxMessages are read. Text without such a mark is no transcript.
func ReadTranscript(data []byte) []Said {
	data = bytes.TrimPrefix(data[:min(len(data), MaxBytes)], []byte("\xef\xbb\xbf"))
	r := transcript{}
	for line := range strings.Lines(string(bytes.ToValidUTF8(data, []byte("\uFFFD")))) {
		if !r.line(strings.TrimRight(line, " \t\r\n")) {
			break
		}
	}
	r.flush()
	return r.all
}

// transcript is one as it is read.
type transcript struct {
	all   []Said
	style *style
	// open is the message that goes on, nil before the first; text is its own.
	open  *Said
	text  strings.Builder
	fence string // that is open, "" for none
}

// line takes in the next one. It returns false when there are enough.
func (r *transcript) line(line string) bool {
	if r.fenced(line) {
		r.add(line)
		return true
	}
	mark, name, rest, ok := markOf(line)
	if ok && r.style != nil && *r.style != mark {
		ok = false
	}
	by, known := speakerOf(name)
	if !ok || !known {
		r.add(line)
		return true
	}
	r.style = &mark
	r.flush()
	if len(r.all) >= MaxMessages {
		return false
	}
	r.open = &Said{By: by, At: momentIn(rest)}
	if folded := strings.ToLower(name); by == AnAgent && !plainOf[folded] {
		r.open.Name = strings.TrimSuffix(name, " said")
	}
	if mark.heading == 0 {
		r.add(strings.TrimSpace(rest))
	}
	return true
}

// fenced reports whether a line lies in fenced code, or begins or ends it.
func (r *transcript) fenced(line string) bool {
	trimmed := strings.TrimLeft(line, " ")
	if r.fence != "" {
		if strings.HasPrefix(trimmed, r.fence) && strings.Trim(trimmed, r.fence[:1]) == "" {
			r.fence = ""
		}
		return true
	}
	for _, mark := range []string{"`", "~"} {
		if length := len(trimmed) - len(strings.TrimLeft(trimmed, mark)); length >= 3 && len(line)-len(trimmed) < 4 {
			r.fence = strings.Repeat(mark, length)
			return true
		}
	}
	return false
}

func (r *transcript) add(line string) {
	if r.open == nil || r.text.Len() > MaxSaid {
		return
	}
	r.text.WriteString(line)
	r.text.WriteByte('\n')
}

// flush ends the message that is open.
func (r *transcript) flush() {
	if r.open == nil {
		return
	}
	said := *r.open
	said.finish([]string{r.text.String()})
	if r.text.Reset(); said.By != Nobody {
		r.all = append(r.all, said)
	}
	r.open = nil
	r.fence = ""
}

// markOf reads a line that may name who speaks.
func markOf(line string) (mark style, name, rest string, ok bool) {
	if len(line) > 0 && line[0] == '#' {
		title := strings.TrimLeft(line, "#")
		if mark.heading = len(line) - len(title); mark.heading > 6 || !strings.HasPrefix(title, " ") {
			return mark, "", "", false
		}
		title = strings.TrimSpace(strings.ReplaceAll(title, "**", ""))
		end := strings.IndexAny(title, ":(–—|")
		if end < 0 {
			end = len(title)
		}
		return mark, nameIn(title[:end]), title[end:], true
	}
	for _, bold := range []string{"**", "__"} {
		if inner, found := strings.CutPrefix(line, bold); found {
			inner, rest, found = strings.Cut(inner, bold)
			mark.bold = true
			name, colon := strings.CutSuffix(strings.TrimSpace(inner), ":")
			rest, after := strings.CutPrefix(strings.TrimSpace(rest), ":")
			return mark, nameIn(name), rest, found && (colon || after || rest == "")
		}
	}
	name, rest, ok = strings.Cut(line, ":")
	if ok = ok && !vague[strings.ToLower(name)] && (rest == "" || rest[0] == ' '); !ok {
		return mark, "", "", false
	}
	return mark, name, rest, true
}

// vague are names that begin many a line that is no label.
var vague = map[string]bool{"model": true, "bot": true, "person": true, "owner": true, "mind": true, "cursor": true, "function": true, "tool": true}

// nameIn takes signs off a name: "👤 User".
func nameIn(name string) string {
	return strings.TrimFunc(name, func(r rune) bool { return r >= utf8.RuneSelf || r == ' ' || r == '_' || r == '*' })
}

var zoned = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)`)

// momentIn finds the time that stands behind a name.
func momentIn(rest string) time.Time {
	t, err := time.Parse(time.RFC3339, zoned.FindString(headOf(rest, 200)))
	if year := t.UTC().Year(); err != nil || year < 1990 || year > 2100 {
		return time.Time{}
	}
	return t
}
