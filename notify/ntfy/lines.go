package ntfy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

const (
	// maxLine is the longest line that is looked at. No answer of a button has
	// as much; longer ones, of people who found the topic, are passed over.
	maxLine = 16 << 10
	// maxPassed is the longest line that is passed over; longer ones never end.
	maxPassed = 1 << 20
	// maxGarbage is how many lines in a row may be no events.
	maxGarbage = 16
	// maxToken is the longest text that is handed on as a token.
	maxToken = 512 // bytes
)

var (
	errEndless = errors.New("a line that does not end")
	errGarbage = errors.New("what is no stream of events")
)

// event is one line of a stream.
type event struct {
	ID      string `json:"id"`
	Event   string `json:"event"`
	Topic   string `json:"topic"`
	Message string `json:"message"`
	// The rest matters where a message is looked for.
	Time     int64  `json:"time"` // seconds since 1970
	Expires  int64  `json:"expires"`
	Title    string `json:"title"`
	Sequence string `json:"sequence_id"`

	passed bool // a line that is too long to be looked at
}

// Kinds of events that matter here; servers have more.
const (
	eventOpen      = "open"
	eventKeepalive = "keepalive"
	eventMessage   = "message"
)

// parseEvent reads a line; ok is false where it is no event.
func parseEvent(line []byte) (e event, ok bool) {
	if json.Unmarshal(line, &e) != nil || e.Event == "" || len(e.Event) > 40 || len(e.Topic) > 1024 {
		return event{}, false
	}
	if e.Event == eventMessage && !messageID().MatchString(e.ID) {
		return event{}, false
	}
	return e, true
}

// token is what a button sent; ok is false for anything else that is written
// to the topic: it is left to nobody to look at.
func (e event) token() (token string, ok bool) {
	if e.Event != eventMessage || e.Message == "" || len(e.Message) > maxToken {
		return "", false
	}
	strange := strings.ContainsFunc(e.Message, func(r rune) bool { return r <= ' ' || r > '~' })
	return e.Message, !strange
}

// events reads a stream line by line.
type events struct {
	reader  *bufio.Reader
	garbage int // in a row
}

func newEvents(stream io.Reader) *events {
	return &events{reader: bufio.NewReaderSize(stream, maxLine)}
}

// next returns the next event. A line that was cut by the end is none: it comes
// again with the next connection. An event without a kind is a line that was
// passed over.
func (s *events) next() (event, error) {
	line, err := s.reader.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return event{passed: true}, s.pass(len(line))
	}
	if err != nil {
		return event{}, err
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return event{}, nil
	}
	e, ok := parseEvent(line)
	if ok {
		s.garbage = 0
		return e, nil
	}
	if s.garbage++; s.garbage >= maxGarbage {
		return event{}, errGarbage
	}
	return event{}, nil
}

// pass reads to the end of a line of which had bytes were read.
func (s *events) pass(had int) error {
	for had < maxPassed {
		line, err := s.reader.ReadSlice('\n')
		if had += len(line); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
	return errEndless
}
