package ntfytest

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// Message is a message as a server answers and streams it.
type Message struct {
	ID       string   `json:"id"`
	Time     int64    `json:"time"` // seconds since 1970
	Expires  int64    `json:"expires,omitempty"`
	Event    string   `json:"event"` // message, open, keepalive
	Topic    string   `json:"topic"`
	Sequence string   `json:"sequence_id,omitempty"`
	Title    string   `json:"title,omitempty"`
	Message  string   `json:"message,omitempty"`
	Priority int      `json:"priority,omitempty"` // 1 to 5
	Tags     []string `json:"tags,omitempty"`
	Click    string   `json:"click,omitempty"`
	Actions  []Action `json:"actions,omitempty"`
}

// Action is a button of a message.
type Action struct {
	ID      string            `json:"id"`
	Action  string            `json:"action"` // http; real servers have more
	Label   string            `json:"label"`
	Clear   bool              `json:"clear"`
	URL     string            `json:"url,omitempty"`
	Method  string            `json:"method,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
}

// kept is a message in the memory of the server.
type kept struct {
	Message
	replaced bool // by a later one of its sequence
	cleared  bool // taken off the phone
}

const (
	maxMessage = 4096           // bytes
	maxJSON    = 2 * maxMessage // of a whole document
	maxButtons = 3
	maxKept    = 20_000         // messages, of all topics together
	lifetime   = 12 * time.Hour // of a message, as is said of it
)

var topics = lazy.Regexp(`^[-_A-Za-z0-9]{1,64}$`)

// publish takes a message: as JSON where the path names no topic, else as a body.
func (s *Server) publish(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxJSON+1))
	if err != nil {
		cut(w)
		return
	}
	m, refused := read(r.PathValue("topic"), body)
	if refused == nil {
		refused = s.may(r, m.Topic, true)
	}
	if refused != nil {
		refused.write(w)
		return
	}
	fault := s.fault(Publish)
	switch fault {
	case "", CutAfter, HangAfter, Late, Silent, Short:
		m = s.keep(m)
	case CutLate:
		s.mu.Lock()
		s.late = append(s.late, m)
		s.mu.Unlock()
		time.AfterFunc(s.options.Late, s.Release)
	}
	if !spoil(w, r, fault) {
		answer(w, m)
	}
}

// read reads what is posted, and refuses what a server does.
func read(topic string, body []byte) (Message, *refusal) {
	m := Message{Topic: topic, Message: string(body)}
	switch {
	case len(body) > maxJSON:
		return m, &tooLarge
	case topic == "" && json.Unmarshal(body, &m) != nil:
		return m, &noJSON
	case !topics().MatchString(m.Topic):
		return m, &noTopic
	case m.Priority < 0 || m.Priority > 5:
		return m, &noPriority
	case len(m.Message) > maxMessage || !utf8.ValidString(m.Message):
		return m, &noFiles
	case m.Sequence != "" && !topics().MatchString(m.Sequence):
		return m, &noSequence
	case len(m.Actions) > maxButtons || slices.ContainsFunc(m.Actions, func(a Action) bool {
		at, err := url.Parse(a.URL)
		return a.Action != "http" || a.Label == "" || err != nil || at.Scheme == ""
	}):
		return m, &noActions
	}
	for i := range m.Actions {
		m.Actions[i].ID = name()
	}
	return m, nil
}

// Release keeps at once what CutLate holds back.
func (s *Server) Release() {
	s.mu.Lock()
	late := s.late
	s.late = nil
	s.mu.Unlock()
	for _, m := range late {
		s.keep(m)
	}
}

// keep keeps a message and tells the streams of it.
func (s *Server) keep(m Message) Message {
	now := s.options.Now()
	m.ID, m.Event, m.Time, m.Expires = name(), "message", now.Unix(), now.Add(lifetime).Unix()
	if s.options.Uncached {
		m.Expires = m.Time
	}
	if s.options.Old {
		m.Sequence = ""
	}
	s.mu.Lock()
	for _, k := range s.messages {
		k.replaced = k.replaced || m.Sequence != "" && k.Topic == m.Topic && k.Sequence == m.Sequence
	}
	if len(s.messages) < maxKept {
		s.messages = append(s.messages, &kept{Message: m})
	}
	s.announce()
	s.mu.Unlock()
	s.options.Seen(m)
	return m
}

// name is a new id.
func name() string { return rand.Text()[:12] }
