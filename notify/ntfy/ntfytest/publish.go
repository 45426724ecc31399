package ntfytest

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxMessage = 4096           // bytes
	maxJSON    = 2 * maxMessage // of a whole document
	maxButtons = 3
)

// publish takes a message: as JSON where the path names no topic, else as a
// body with headers.
func (s *Server) publish(w http.ResponseWriter, r *http.Request, topic string) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxJSON+1))
	if err != nil {
		cut(w)
		return
	}
	var m Message
	var refused *refusal
	if topic == "" {
		m, refused = fromJSON(body)
	} else {
		m, refused = fromHeaders(r, topic, body)
	}
	if refused == nil {
		refused = s.may(r, m.Topic, true)
	}
	if refused == nil {
		refused = m.check()
	}
	if refused != nil {
		refused.write(w)
		return
	}
	fault := s.fault(Publish, m.Topic)
	if slices.Contains([]Fault{"", CutAfter, HangAfter, Late, Silent, Short}, fault) {
		m = s.keep(m)
	}
	if fault == CutLate {
		s.mu.Lock()
		s.late = append(s.late, m)
		s.mu.Unlock()
		defer s.lag() // when the connection is broken
	}
	if s.spoil(w, r, fault) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(m)
}

// fromJSON reads a message as one document.
func fromJSON(body []byte) (Message, *refusal) {
	if len(body) > maxJSON {
		return Message{}, &tooLarge
	}
	var m Message
	if json.Unmarshal(body, &m) != nil {
		return Message{}, &noJSON
	}
	if !topics.MatchString(m.Topic) {
		return Message{}, &noTopic
	}
	return Message{Topic: m.Topic, Sequence: m.Sequence, Title: m.Title, Message: m.Message, Priority: m.Priority, Tags: m.Tags,
		Click: m.Click, Actions: m.Actions}, nil
}

// fromHeaders reads a message whose text is the body.
func fromHeaders(r *http.Request, topic string, body []byte) (Message, *refusal) {
	header := func(names ...string) string {
		for _, name := range names {
			if value := r.Header.Get(name); value != "" {
				text, err := new(mime.WordDecoder).DecodeHeader(strings.TrimSpace(value))
				if err != nil {
					return value
				}
				return text
			}
		}
		for _, name := range names {
			if value := r.URL.Query().Get(strings.ToLower(name)); value != "" {
				return value
			}
		}
		return ""
	}
	m := Message{Topic: topic, Message: strings.TrimRight(string(body), "\n"), Title: header("X-Title", "Title", "t"),
		Click: header("X-Click", "Click"), Sequence: header("X-Sequence-ID", "Sequence-ID", "SID")}
	for tag := range strings.SplitSeq(header("X-Tags", "Tags", "Tag", "ta"), ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			m.Tags = append(m.Tags, tag)
		}
	}
	var ok bool
	if m.Priority, ok = priority(header("X-Priority", "Priority", "Prio", "p")); !ok {
		return Message{}, &noPriority
	}
	var refused *refusal
	m.Actions, refused = parseActions(header("X-Actions", "Actions", "Action"))
	return m, refused
}

// priority reads a number or a name; none is 0.
func priority(text string) (int, bool) {
	switch strings.ToLower(text) {
	case "":
		return 0, true
	case "1", "min":
		return 1, true
	case "2", "low":
		return 2, true
	case "3", "default":
		return 3, true
	case "4", "high":
		return 4, true
	case "5", "max", "urgent":
		return 5, true
	}
	return 0, false
}

// parseActions reads buttons as a list of JSON, or as "http, Label, URL,
// body=…, clear=true; …".
func parseActions(text string) ([]Action, *refusal) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	if strings.HasPrefix(text, "[") {
		var all []Action
		if json.Unmarshal([]byte(text), &all) != nil {
			return nil, actions("JSON error")
		}
		return all, nil
	}
	var all []Action
	for part := range strings.SplitSeq(text, ";") {
		var a Action
		for i, field := range strings.Split(part, ",") {
			field = strings.TrimSpace(field)
			key, value, named := strings.Cut(field, "=")
			if i < 3 && (!named || i == 2) {
				key, value = [...]string{"action", "label", "url"}[i], field
			}
			if !a.set(strings.TrimSpace(key), strings.Trim(strings.TrimSpace(value), `"'`)) {
				return nil, actions("key " + strconv.Quote(key) + " unknown")
			}
		}
		all = append(all, a)
	}
	return all, nil
}

func (a *Action) set(key, value string) bool {
	switch header, isHeader := strings.CutPrefix(key, "headers."); {
	case isHeader:
		if a.Headers == nil {
			a.Headers = map[string]string{}
		}
		a.Headers[header] = value
	case key == "action":
		a.Action = value
	case key == "label":
		a.Label = value
	case key == "url":
		a.URL = value
	case key == "method":
		a.Method = value
	case key == "body":
		a.Body = value
	case key == "clear":
		clear, err := strconv.ParseBool(value)
		a.Clear = clear
		return err == nil
	default:
		return false
	}
	return true
}

// check refuses what cannot be taken, and fills in what is left out.
func (m *Message) check() *refusal {
	switch {
	case m.Priority < 0 || m.Priority > 5:
		return &noPriority
	case len(m.Message) > maxMessage || !utf8.ValidString(m.Message):
		return &noFiles
	case len(m.Actions) > maxButtons:
		return actions("too many actions, only 3 allowed")
	case m.Sequence != "" && !topics.MatchString(m.Sequence):
		return &noSequence
	}
	if m.Message == "" {
		m.Message = "triggered"
	}
	for i := range m.Actions {
		if err := m.Actions[i].check(); err != nil {
			return actions(err.Error())
		}
	}
	return nil
}

func (a *Action) check() error {
	at, err := url.Parse(a.URL)
	switch {
	case !slices.Contains([]string{"view", "http", "broadcast"}, a.Action):
		return errors.New("action '" + a.Action + "' unknown")
	case a.Label == "":
		return errors.New("parameter 'label' is required")
	case a.Action != "broadcast" && (err != nil || at.Scheme == ""):
		return errors.New("parameter 'url' is required for action '" + a.Action + "'")
	case a.Action == "http" && a.Body != "" && (a.Method == http.MethodGet || a.Method == http.MethodHead):
		return errors.New("parameter 'body' cannot be set if method is " + a.Method)
	}
	a.ID = name()
	return nil
}

// lag is slow.
func (s *Server) lag() {
	timer := time.NewTimer(s.options.Late)
	defer timer.Stop()
	select {
	case <-timer.C:
		s.Release()
	case <-s.ctx.Done():
	}
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
		if m.Sequence != "" && k.Topic == m.Topic && k.Sequence == m.Sequence {
			k.replaced = true
		}
	}
	s.number++
	s.messages = append(s.messages, &kept{Message: m, number: s.number})
	s.messages = slices.Delete(s.messages, 0, max(0, len(s.messages)-maxKept))
	if oldest := s.messages[0]; oldest.Expires < now.Unix() && !s.options.Uncached {
		s.messages = slices.DeleteFunc(s.messages, func(k *kept) bool { return time.Unix(k.Expires, 0).Before(now) })
	}
	s.announce()
	s.mu.Unlock()
	s.options.Seen(m)
	return m
}
