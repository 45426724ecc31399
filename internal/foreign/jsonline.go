package foreign

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"time"
)

// maxWrapped is how many records a message may be wrapped in, and maxParts how
// many parts of one are read.
const (
	maxWrapped = 3
	maxParts   = 1000
)

// record is what the formats of agents have in common. Fields that are not known
// are passed over, and a field of another type counts as missing.
type record struct {
	Type, Role, Sender, From, Author, Speaker json.RawMessage
	Name, Agent                               json.RawMessage
	Message, Payload                          json.RawMessage
	Content, Text, Parts                      json.RawMessage
	ToolCalls                                 json.RawMessage `json:"tool_calls"`
	UUID, ID                                  json.RawMessage
	Timestamp, Time, TS                       json.RawMessage
	CreatedAt                                 json.RawMessage `json:"created_at"`
	CreateTime                                json.RawMessage `json:"create_time"`
	IsMeta, IsSidechain, IsCompactSummary     json.RawMessage
}

// ReadLine reads one line of a transcript in JSON lines, as agents write them:
// with a role or type of user or assistant, and a content that is a text or a
// list of parts. ok is false for a line that is no JSON object or is longer than
// MaxLine. What is no message is said by Nobody.
func ReadLine(line []byte) (said Said, ok bool) {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
	if len(line) > MaxLine || len(line) == 0 || line[0] != '{' {
		return Said{}, false
	}
	var r record
	if json.Unmarshal(line, &r) != nil {
		return Said{}, false
	}
	hidden, known := false, false
	var body content
	for range maxWrapped {
		hidden = hidden || isTrue(r.IsMeta) || isTrue(r.IsSidechain) || isTrue(r.IsCompactSummary)
		if by, name, found := r.speaker(); found {
			said.By, known = by, true
			if name != "" {
				said.Name = name
			}
		}
		said.identify(r)
		for _, raw := range []json.RawMessage{r.Content, r.Text, r.Parts} {
			body.read(raw, 0)
		}
		said.Calls = said.Calls || len(r.ToolCalls) > 0 && r.ToolCalls[0] == '[' && !bytes.Equal(r.ToolCalls, []byte("[]"))
		inner := r.inner()
		if inner == nil {
			break
		}
		if known && inner[0] == '"' {
			body.read(inner, 0)
			break
		}
		r = record{}
		if inner[0] != '{' || json.Unmarshal(inner, &r) != nil {
			break
		}
	}
	if hidden || !known {
		return Said{}, true
	}
	said.Calls = said.Calls || body.calls
	said.finish(body.texts)
	return said, true
}

// finish takes the parts of the text over, without what is not the speaker's own.
func (s *Said) finish(parts []string) {
	var own []string
	for _, part := range parts {
		part = strings.TrimSpace(strings.ToValidUTF8(part, "\uFFFD"))
		if s.By == ThePerson {
			part = ownWords(part)
		}
		if part != "" {
			own = append(own, part)
		}
	}
	text := headOf(strings.Join(own, "\n"), MaxSaid)
	if s.Text = text; s.By == Nobody || text == "" && !s.Calls {
		*s = Said{}
	}
}

// inner is what a record wraps, nil if nothing.
func (r record) inner() json.RawMessage {
	for _, raw := range []json.RawMessage{r.Message, r.Payload} {
		if len(raw) > 0 && (raw[0] == '{' || raw[0] == '"') {
			return raw
		}
	}
	return nil
}

// speaker finds who says it.
func (r record) speaker() (by Speaker, name string, known bool) {
	for _, raw := range []json.RawMessage{r.Role, r.Sender, r.From, r.Author, r.Speaker, r.Type} {
		word := text(raw)
		if word == "" && len(raw) > 0 && raw[0] == '{' {
			var who struct{ Role, Name json.RawMessage }
			if json.Unmarshal(raw, &who) == nil {
				word, name = text(who.Role), text(who.Name)
			}
		}
		if by, known = speakerOf(word); known {
			break
		}
	}
	for _, raw := range []json.RawMessage{r.Name, r.Agent} {
		if name == "" {
			name = text(raw)
		}
	}
	if own, is := speakerOf(name); is && own == TheMind {
		by = TheMind
	}
	return by, headOf(name, maxSpeakerName), known
}

// identify takes over when it was said, and the message's own identity.
func (s *Said) identify(r record) {
	for _, raw := range []json.RawMessage{r.UUID, r.ID} {
		if id := text(raw); id != "" && s.ID == "" {
			s.ID = headOf(id, 128)
		}
	}
	for _, raw := range []json.RawMessage{r.Timestamp, r.CreatedAt, r.CreateTime, r.Time, r.TS} {
		if s.At.IsZero() {
			s.At = moment(raw)
		}
	}
}

func isTrue(raw json.RawMessage) bool { return string(raw) == "true" }

// text returns a JSON string, "" for anything else.
func text(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// moment reads a time: RFC 3339, or seconds or milliseconds since 1970.
func moment(raw json.RawMessage) time.Time {
	var t time.Time
	if s := text(raw); s != "" {
		parsed, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return time.Time{}
		}
		t = parsed
	} else {
		var n float64
		if len(raw) == 0 || json.Unmarshal(raw, &n) != nil || n < 0 || n > 1e13 {
			return time.Time{}
		}
		if n > 1e11 {
			n /= 1000
		}
		whole, part := math.Modf(n)
		t = time.Unix(int64(whole), int64(part*1e9)).UTC()
	}
	if year := t.UTC().Year(); year < 1990 || year > 2100 {
		return time.Time{}
	}
	return t
}

// content is the text of a message, and whether a tool is called in it.
type content struct {
	texts []string
	size  int
	calls bool
}

// read takes in a text, a list of parts, or an object that holds one.
func (c *content) read(raw json.RawMessage, depth int) {
	if len(raw) == 0 || depth > 2 || c.size > MaxSaid {
		return
	}
	switch raw[0] {
	case '"':
		if s := text(raw); s != "" {
			c.size += len(s)
			c.texts = append(c.texts, s)
		}
	case '[':
		var parts []json.RawMessage
		if json.Unmarshal(raw, &parts) != nil {
			return
		}
		for _, part := range parts[:min(len(parts), maxParts)] {
			c.read(part, depth+1)
		}
	case '{':
		var part struct{ Type, Text, Parts json.RawMessage }
		if json.Unmarshal(raw, &part) != nil {
			return
		}
		switch text(part.Type) {
		case "tool_use", "tool_call", "toolCall", "function_call", "server_tool_use":
			c.calls = true
		case "", "text", "input_text", "output_text":
			c.read(part.Text, depth+1)
			c.read(part.Parts, depth+1)
		}
	}
}
