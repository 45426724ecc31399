package message

import (
	"fmt"
	"slices"
	"strings"
)

// The bounds of Parse. Each is far above what honest mail needs, and together
// they keep the worst message within 200 ms and 32 MB.
const (
	maxMessage  = 256 << 10 // bytes of the whole that are looked at
	maxHeader   = 64 << 10  // bytes of one header
	maxFields   = 1000      // of one header
	maxValue    = 8 << 10   // bytes of a field's value
	maxNesting  = 50        // levels of parts within parts
	maxParts    = 100       // of the whole message
	maxText     = 64 << 10  // bytes of Text
	maxSubject  = 1000      // bytes
	maxName     = 200       // bytes of a person's, a list's or a file's name
	maxAddress  = 320       // bytes: RFC 5321, 4.5.3.1
	maxTo       = 64        // addresses of a field
	maxTrace    = 40        // fields of Received and Authentication-Results
	maxThread   = 32        // identities of References and of In-Reply-To
	maxFiles    = 20        // names of attachments
	maxIdentity = 400       // bytes of a Message-ID or an invitation's UID
)

// cuts gathers what bounds left out, each kind once, in the order met.
type cuts []string

func (c *cuts) note(format string, args ...any) {
	if said := fmt.Sprintf(format, args...); !slices.Contains(*c, said) {
		*c = append(*c, said)
	}
}

// Parse reads a message. raw may end anywhere; what lies beyond its first
// 256 KiB is not looked at. What can be read is read, whatever is wrong with the
// rest; the only error is ErrNoMessage. The result keeps nothing of raw.
//
// The structure is found by this package itself, in one pass over the bytes a
// level: the readers of go-message give up at the first line that is not as it
// should be, and take time in the square of the nesting. Charsets are those of
// go-message.
func Parse(raw []byte) (Message, error) {
	var m Message
	var notes cuts
	if len(raw) >= maxMessage {
		// What is exactly as long as the bound was most likely cut there.
		raw = raw[:maxMessage]
		notes.note("the message beyond its first 256 KiB")
	}
	text := string(raw)
	if !strings.Contains(text, "\n") { // elsewhere a bare CR is just a character
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	header, body := readHeader(text, &notes)
	if len(header) == 0 {
		return Message{}, ErrNoMessage
	}
	m.readEnvelope(header, &notes)
	w := walker{notes: &notes}
	root := w.part(header, body, 0, "text/plain")
	m.readFeatures(header)
	m.readBody(root, &notes)
	m.Cut = notes
	return m, nil
}
