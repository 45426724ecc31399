package foreign

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxLine is how long a line of a transcript may be, in bytes.
	MaxLine = 1 << 20
	// MaxSaid is how much of one message is read, in bytes.
	MaxSaid = 64 << 10
	// MaxMessages is how many messages of a markdown transcript are read.
	MaxMessages = 10_000
	// maxSpeakerName bounds the name of a speaker, in bytes.
	maxSpeakerName = 64
)

// Speaker is who said something in a transcript.
type Speaker string

const (
	// Nobody: a tool, instructions, a result, or no message at all.
	Nobody    Speaker = ""
	ThePerson Speaker = "person"
	AnAgent   Speaker = "agent"
	// TheMind is this daemon.
	TheMind Speaker = "mind"
)

// Said is one message of a transcript, as whoever wrote the file gives it.
type Said struct {
	By Speaker
	// Name is the agent's, where it is given.
	Name string
	// ID is the message's own identity, "" where it has none.
	ID string
	// At is when it was said, zero where that is not given.
	At time.Time
	// Text is what was said, at most MaxSaid bytes, without what clients put
	// into the person's words.
	Text string
	// Calls: the speaker goes on by itself, with a tool.
	Calls bool
}

// speakers are the names by which transcripts call who says something.
var speakers = map[string]Speaker{
	"user": ThePerson, "human": ThePerson, "person": ThePerson, "owner": ThePerson, "me": ThePerson, "you": ThePerson,
	"assistant": AnAgent, "agent": AnAgent, "ai": AnAgent, "bot": AnAgent, "model": AnAgent, "llm": AnAgent, "claude": AnAgent,
	"chatgpt": AnAgent, "gpt": AnAgent, "gemini": AnAgent, "copilot": AnAgent, "codex": AnAgent, "aider": AnAgent, "cursor": AnAgent,
	"mind": TheMind, "subconscious": TheMind, "subconsciousd": TheMind, "deliberation": TheMind,
	"system": Nobody, "tool": Nobody, "function": Nobody, "developer": Nobody, "thinking": Nobody, "reasoning": Nobody,
}

// plainOf are names of roles, which say nothing of who an agent is.
var plainOf = map[string]bool{"assistant": true, "agent": true, "ai": true, "bot": true, "model": true, "llm": true}

// speakerOf reads a name. known is false for one that names nobody here.
func speakerOf(name string) (by Speaker, known bool) {
	if len(name) > maxSpeakerName {
		return Nobody, false
	}
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) == 2 && words[1] == "said" {
		words = words[:1]
	}
	if len(words) != 1 {
		return Nobody, false
	}
	by, known = speakers[words[0]]
	return by, known
}

// maxInserted is how many insertions are taken out of one message.
const maxInserted = 64

// ownWords leaves out what clients put into a part of the person's message:
// blocks in tags of their own ("<system-reminder>…"), and parts that are nothing
// else. A block ends with the last tag that closes it, for what is inserted can be
// another's, and have such a tag within.
func ownWords(text string) string {
	for _, whole := range []string{"# AGENTS.md instructions", "[Request interrupted", "Caveat: The messages below"} {
		if strings.HasPrefix(text, whole) {
			return ""
		}
	}
	var kept strings.Builder
	for range maxInserted {
		start, tag := insertion(text)
		if start < 0 {
			break
		}
		kept.WriteString(text[:start])
		text = text[start:]
		closing := "</" + tag + ">"
		end := strings.LastIndex(text, closing)
		if end < 0 {
			text = ""
			break
		}
		text = text[end+len(closing):]
	}
	kept.WriteString(text)
	return strings.TrimSpace(kept.String())
}

// insertion finds the first tag at the head of a line whose name has a hyphen
// or an underscore, as no tag of HTML has.
func insertion(text string) (start int, tag string) {
	for from := 0; from < len(text); {
		line := text[from:]
		if end := strings.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		head := strings.TrimLeft(line, " \t")
		if name, _, found := strings.Cut(strings.TrimPrefix(head, "<"), ">"); found && head[0] == '<' && isInserted(name) {
			return from + len(line) - len(head), name
		}
		from += len(line)
	}
	return -1, ""
}

func isInserted(name string) bool {
	return len(name) <= maxSpeakerName && strings.ContainsAny(name, "-_") && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-_") == ""
}

// headOf returns at most the first limit bytes, at a character.
func headOf(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
