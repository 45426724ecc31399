package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// garble does to a reply what is wrong with a model's words, and leaves it as
// it is under other faults.
func garble(f Fault, r Request, reply Reply) Reply {
	switch f {
	case WrongModel:
		reply.Model = Unasked
	case Empty, NullContent:
		return Reply{}
	case Refusal:
		return Reply{Text: "I cannot help with that.", Stop: "refused"}
	case Truncated:
		text := reply.text()
		return Reply{Text: subconscious.Head(text, len(text)*3/5), Stop: "length", Model: reply.Model}
	case ToolLoop:
		if len(r.Tools) > 0 {
			return Reply{Calls: []models.ToolCall{call(r, r.Tools[0].Name, Instance(r.Tools[0].Parameters))}}
		}
	case UnknownTool:
		return Reply{Calls: []models.ToolCall{call(r, "launch_rocket", `{"at":"once"}`)}}
	case BadArguments:
		name := "read_file"
		if len(r.Tools) > 0 {
			name = r.Tools[0].Name
		}
		return Reply{Calls: []models.ToolCall{call(r, name, `{"path": "/home/`)}}
	default:
		if text, ok := misword(f, r, reply.text()); ok {
			reply.Thought, reply.Text, reply.Calls = nil, text, nil
		}
	}
	return reply
}

func call(r Request, name, arguments string) models.ToolCall {
	return models.ToolCall{ID: fmt.Sprintf("call_%d", r.Number), Name: name, Arguments: json.RawMessage(arguments)}
}

// misword spoils the text of an answer.
func misword(f Fault, r Request, text string) (string, bool) {
	switch f {
	case Prose:
		return "Here is what I found:\n\n" + text + "\n\nTell me if you want {more} of it.", true
	case ThinkBlock:
		return "<think>\nThey want {\"findings\": [...]}. Is there anything? Let me see: [1, 2].\n</think>\n\n" + text, true
	case Fenced:
		return "```json\n" + text + "\n```\n", true
	case TrailingComma:
		return commas(text), true
	case TwoObjects:
		return text + "\n" + Thought{Journal: "This is the other answer."}.JSON(), true
	case SameTwice:
		return text + "\n" + text, true
	case WrongSchema:
		return `{"result":"fine","items":[1,2,3],"findings":"none"}`, true
	case ExtraFields:
		return extend(text), true
	case BadEvidence:
		if r.wantsThought() {
			return invented(r).JSON(), true
		}
	}
	return "", false
}

// commas puts a comma before each bracket that closes.
func commas(text string) string {
	var b strings.Builder
	var before rune
	inString, escaped := false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case !inString && (c == '}' || c == ']') && before != '{' && before != '[':
			b.WriteByte(',')
		}
		b.WriteRune(c)
		before = c
	}
	return b.String()
}

// extend adds fields to an object and to its findings.
func extend(text string) string {
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) != nil {
		return text
	}
	object["confidence"] = 0.9
	object["thread"] = "watcher"
	if findings, ok := object["findings"].([]any); ok {
		for _, f := range findings {
			if finding, ok := f.(map[string]any); ok {
				finding["mood"] = "curious"
			}
		}
	}
	return compact(object)
}

// invented cites what was never shown.
func invented(r Request) Thought {
	finding := func(n int, evidence ...string) Finding {
		return Finding{Kind: kind(r, n), Summary: fmt.Sprintf("Something odd number %d", n+1), Importance: 9, Evidence: evidence, Escalate: true}
	}
	return Thought{Findings: []Finding{
		finding(0, "files:aaaaaaaaaa@999999"), finding(1, "as I said before"), finding(2),
	}}
}
