package ntfytest

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// subscription is what a subscriber asks for.
type subscription struct {
	topics []string
	poll   bool
	after  int64 // of the numbers of messages
	none   bool  // nothing that is kept
	from   int64 // seconds since 1970
	number int64 // the last message when it asked
}

var messageID = regexp.MustCompile(`^[-_A-Za-z0-9]{12}$`)

// subscribe streams the messages of topics, those kept first.
func (s *Server) subscribe(w http.ResponseWriter, r *http.Request, names []string) {
	use := Stream
	poll := boolean(r, "poll", "po")
	if poll {
		use = Poll
	}
	for _, topic := range names {
		if !topics.MatchString(topic) {
			noPage.write(w)
			return
		}
		if refused := s.may(r, topic, false); refused != nil {
			refused.write(w)
			return
		}
	}
	asked, ok := s.subscription(r, names, poll)
	if !ok {
		noSince.write(w)
		return
	}
	fault := s.fault(use, names[0])
	if s.spoil(w, r, fault) {
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson; charset=utf-8")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	if poll {
		_, _ = s.send(w, asked)
		return
	}
	s.stream(w, r, asked, fault)
}

// stream sends messages as they come until nobody reads them any more.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, asked subscription, fault Fault) {
	s.count(asked.topics, 1)
	defer s.count(asked.topics, -1)
	s.mu.Lock()
	breaks := s.breaks
	s.mu.Unlock()
	flush := http.NewResponseController(w).Flush
	if fault == Silent {
		_ = flush()
		select {
		case <-breaks:
			cut(w)
		case <-r.Context().Done():
		case <-s.ctx.Done():
		}
		return
	}
	ticker := time.NewTicker(s.options.Keepalive)
	defer ticker.Stop()
	if s.sign(w, "open", asked.topics) != nil {
		return
	}
	for {
		changed := s.change()
		var err error
		if asked, err = s.send(w, asked); err != nil || flush() != nil || fault == Short {
			return
		}
		select {
		case <-changed:
		case <-breaks:
			cut(w)
			return
		case <-ticker.C:
			if s.sign(w, "keepalive", asked.topics) != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// count counts streams.
func (s *Server) count(names []string, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, topic := range names {
		s.streams[topic] += by
	}
	s.announce()
}

// sign writes a line that is no message.
func (s *Server) sign(w http.ResponseWriter, event string, names []string) error {
	return json.NewEncoder(w).Encode(Message{ID: name(), Time: s.options.Now().Unix(), Event: event, Topic: strings.Join(names, ",")})
}

// send writes the messages that are asked for and not sent yet.
func (s *Server) send(w http.ResponseWriter, asked subscription) (subscription, error) {
	s.mu.Lock()
	var due []Message
	for _, k := range s.messages {
		old := k.number <= asked.number
		if !slices.Contains(asked.topics, k.Topic) || k.number <= asked.after || old && (asked.none || s.options.Uncached || k.replaced || k.Time < asked.from) {
			continue
		}
		due = append(due, k.Message)
	}
	asked.after = max(asked.after, s.number)
	s.mu.Unlock()
	for _, m := range due {
		if err := json.NewEncoder(w).Encode(m); err != nil {
			return asked, err
		}
	}
	return asked, nil
}

// subscription reads since=: all, none, latest, an id, a time or a span of time.
func (s *Server) subscription(r *http.Request, names []string, poll bool) (subscription, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := subscription{topics: names, poll: poll, number: s.number}
	var since string
	for _, name := range []string{"since", "si"} {
		if since == "" {
			since = r.URL.Query().Get(name)
		}
	}
	seconds, err := strconv.ParseInt(since, 10, 64)
	span, spanErr := time.ParseDuration(since)
	switch {
	case since == "" && !poll, since == "none":
		asked.none = true
	case since == "" || since == "all":
	case since == "latest":
		for _, k := range s.messages {
			if slices.Contains(names, k.Topic) {
				asked.after = k.number - 1
			}
		}
	case messageID.MatchString(since):
		for _, k := range s.messages {
			if k.ID == since {
				asked.after = k.number
			}
		}
	case err == nil:
		asked.from = seconds
	case spanErr == nil:
		asked.from = s.options.Now().Add(-span).Unix()
	default:
		return subscription{}, false
	}
	return asked, true
}

func boolean(r *http.Request, names ...string) bool {
	for _, name := range names {
		if yes, err := strconv.ParseBool(r.URL.Query().Get(name)); err == nil && yes {
			return true
		}
		if yes, err := strconv.ParseBool(r.Header.Get("X-" + name)); err == nil && yes {
			return true
		}
	}
	return false
}
