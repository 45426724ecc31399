package senses

import (
	"strings"
	"unicode"

	"github.com/subconsciousd/subconsciousd/subconscious"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// templateTokens are marks by which chat templates of models separate turns.
// Text from outside must not carry them.
var templateTokens = lazy.Regexp(`(?i)` + strings.Join([]string{
	`<\|[^|<>\n]{0,64}\|>`, // <|im_start|>, <|eot_id|>
	`<｜[^｜<>\n]{0,64}｜>`,   // the full-width form
	`\[/?(?:INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\]`,
	`<</?SYS>>`,
	`</?(?:s|bos|eos|pad|unk|sop|eop|think|thinking|tool_call|tool_response|tool_use|function_calls|system|start_of_turn|end_of_turn)>`,
	`\[gMASK\]`,
}, "|"))

// speakers are the names that plain-text templates write at the start of a
// line, before a colon.
var speakers = [...]string{"human", "assistant", "system", "user"}

// stripTurns takes the speaker's name off the start of every line.
func stripTurns(text string) string {
	if !strings.Contains(text, ":") {
		return text
	}
	var kept strings.Builder
	for line := range strings.Lines(text) {
		kept.WriteString(line[turnMark(line):])
	}
	return kept.String()
}

// turnMark returns how long the speaker's name at the start of line is, with
// what stands around it, and 0 where there is none.
func turnMark(line string) int {
	rest := strings.TrimLeft(line, " \t#*")
	for _, speaker := range speakers {
		if len(rest) <= len(speaker) || !strings.EqualFold(rest[:len(speaker)], speaker) {
			continue
		}
		after := strings.TrimLeft(rest[len(speaker):], " \t*")
		if strings.HasPrefix(after, ":") {
			return len(line) - len(strings.TrimLeft(after[1:], " \t*"))
		}
	}
	return 0
}

// maxStrips bounds how often what remains is looked through again: taking a
// token out can join the halves of another.
const maxStrips = 8

// stripTemplates takes the tokens of chat templates out of text.
func stripTemplates(text string) string {
	for range maxStrips {
		next := text
		if strings.ContainsAny(text, "<[") {
			next = templateTokens().ReplaceAllString(text, "")
		}
		next = stripTurns(next)
		if next == text {
			return text
		}
		text = next
	}
	// Nested on purpose: no bracket is left over that could form a new token.
	text = strings.NewReplacer("<", " ", ">", " ", "[", " ", "]", " ", "|", " ", "｜", " ", ":", " ").Replace(text)
	return text
}

// printableLines is subconscious.Printable for text of several lines: line
// breaks and tabs stay.
func printableLines(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			return '\n'
		}
		return subconscious.PrintableRune(r)
	}, text)
}

// cut shortens text to at most limit bytes, at the end of a character, with
// "…" in place of what is missing.
func cut(text string, limit int) (short string, was bool) {
	if len(text) <= limit {
		return text, false
	}
	const more = "…"
	short = subconscious.Head(text, limit-len(more))
	return strings.TrimRightFunc(short, unicode.IsSpace) + more, true
}
