package models

import "strings"

// eachPlaceholder applies change to whatever looks like a placeholder.
func eachPlaceholder(text string, change func(string) string) string {
	var b strings.Builder
	for {
		start := strings.IndexByte(text, maskOpen)
		if start < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:start])
		text = text[start:]
		end := placeholderEnd(text)
		if end <= 0 {
			b.WriteByte(text[0])
			text = text[1:]
			continue
		}
		b.WriteString(change(text[:end]))
		text = text[end:]
	}
}

// placeholderEnd returns the length of the placeholder that text, which starts
// with maskOpen, may begin with; 0 where it cannot become one, and -1 where more
// text is needed to know.
func placeholderEnd(text string) int {
	for i := 1; i < len(text) && i < maskBytes; i++ {
		switch text[i] {
		case maskClose:
			return i + 1
		case maskOpen:
			return 0
		}
	}
	if len(text) >= maskBytes {
		return 0
	}
	return -1
}

// restorer puts personal data back into a stream. It holds back the beginning
// of a placeholder until it is whole, or cannot become one.
type restorer struct {
	restore func(string) string
	out     func(string)
	held    string
}

func newRestorer(restore func(string) string, out func(string)) *restorer {
	return &restorer{restore: restore, out: out}
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

// safe returns how much of text cannot be part of a placeholder that is not
// whole. Only the last maskOpen can begin one.
func safe(text string) int {
	last := strings.LastIndexByte(text, maskOpen)
	if last >= 0 && placeholderEnd(text[last:]) < 0 {
		return last
	}
	return len(text)
}
