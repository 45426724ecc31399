package models

import (
	"encoding/json"
	"strings"
)

// What a placeholder may look like by the time it comes back. Models change
// brackets, and JSON escapes them: "<mail-1>", `\[mail-1\]`, `\u003cmail-1\u003e`.
const (
	// maskOpeners are bytes with which one may begin, maskClosers such with
	// which one ends, and which it does not have within.
	maskOpeners = "[(<{\\&\xe2\xe3"
	maskClosers = "])>}\n"
	// maskBytes is more than one has.
	maskBytes = 64
)

// restorer puts personal data back into a stream. It holds back the beginning
// of what may be a placeholder until it is whole, or cannot become one.
type restorer struct {
	restore func(string) string
	out     func(string)
	held    string
}

// write takes the next piece of the stream.
func (r *restorer) write(delta string) {
	text := r.held + delta
	cut := safe(text)
	r.held = text[cut:]
	r.emit(text[:cut])
}

// close gives out what is still held back: it was no placeholder.
func (r *restorer) close() {
	text := r.held
	r.held = ""
	r.emit(text)
}

func (r *restorer) emit(text string) {
	if text != "" {
		r.out(r.restore(text))
	}
}

// safe returns how much of text cannot be part of a placeholder of which the
// end is still to come.
func safe(text string) int {
	from := max(0, len(text)-maskBytes)
	from += strings.LastIndexAny(text[from:], maskClosers) + 1
	for i := from; i < len(text); i++ {
		if strings.IndexByte(maskOpeners, text[i]) >= 0 {
			return i
		}
	}
	return len(text)
}

// restoreJSON puts personal data back into an answer that has JSON in it, so
// that what is put into a string is escaped for it.
func restoreJSON(text string, restore func(string) string) string {
	var b strings.Builder
	for {
		start := strings.IndexByte(text, '"')
		end := -1
		if start >= 0 {
			end = stringEnd(text[start:])
		}
		if end < 0 {
			b.WriteString(restore(text))
			return b.String()
		}
		b.WriteString(restore(text[:start]))
		b.WriteString(restoreString(text[start:start+end], restore))
		text = text[start+end:]
	}
}

// restoreString restores within one string of JSON.
func restoreString(quoted string, restore func(string) string) string {
	var plain string
	if err := json.Unmarshal([]byte(quoted), &plain); err != nil {
		return restore(quoted)
	}
	restored := restore(plain)
	if restored == plain {
		return quoted
	}
	text, err := plainJSON(restored)
	if err != nil {
		return restore(quoted)
	}
	return string(text)
}
