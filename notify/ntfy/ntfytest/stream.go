package ntfytest

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// subscription is what a subscriber asks for.
type subscription struct {
	topic string
	from  int64 // seconds since 1970
	next  int   // the message that is looked at next
	old   int   // the messages that there were when it asked
}

// subscribe streams the messages of a topic, those kept first.
func (s *Server) subscribe(w http.ResponseWriter, r *http.Request) {
	topic, poll, use := r.PathValue("topic"), r.URL.Query().Get("poll") == "1", Stream
	if poll {
		use = Poll
	}
	if refused := s.may(r, topic, false); refused != nil {
		refused.write(w)
		return
	}
	asked, ok := s.subscription(topic, r.URL.Query().Get("since"))
	if !ok {
		noSince.write(w)
		return
	}
	fault := s.fault(use)
	if spoil(w, r, fault) {
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson; charset=utf-8")
	if poll {
		_, _ = s.send(w, &asked)
		return
	}
	s.count(topic, 1)
	defer s.count(topic, -1)
	s.stream(w, r, asked, fault)
}

// stream sends messages as they come until nobody reads them any more.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, asked subscription, fault Fault) {
	s.mu.Lock()
	breaks := s.breaks
	s.mu.Unlock()
	ticker := time.NewTicker(s.options.Keepalive)
	defer ticker.Stop()
	sign := func(event string) error {
		return json.NewEncoder(w).Encode(Message{ID: name(), Time: s.options.Now().Unix(), Event: event, Topic: asked.topic})
	}
	if fault != Silent && sign("open") != nil {
		return
	}
	for {
		changed, err := (<-chan struct{})(nil), error(nil)
		if fault != Silent {
			changed, err = s.send(w, &asked)
		}
		if err != nil || http.NewResponseController(w).Flush() != nil || fault == Short {
			return
		}
		select {
		case <-changed:
		case <-ticker.C:
			if fault != Silent && sign("keepalive") != nil {
				return
			}
		case <-breaks:
			cut(w)
			return
		case <-r.Context().Done():
			return
		}
	}
}

// count counts streams.
func (s *Server) count(topic string, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams[topic] += by
	s.announce()
}

// send writes the messages that are asked for and not sent yet. What it returns is
// closed when there may be more.
func (s *Server) send(w http.ResponseWriter, asked *subscription) (<-chan struct{}, error) {
	s.mu.Lock()
	var due []Message
	for ; asked.next < len(s.messages); asked.next++ {
		k := s.messages[asked.next]
		if k.Topic == asked.topic && (asked.next >= asked.old || !s.options.Uncached && !k.replaced && k.Time >= asked.from) {
			due = append(due, k.Message)
		}
	}
	changed := s.changed
	s.mu.Unlock()
	for _, m := range due {
		if err := json.NewEncoder(w).Encode(m); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// subscription reads since=: all, an id or a span of time.
func (s *Server) subscription(topic, since string) (asked subscription, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked = subscription{topic: topic, old: len(s.messages)}
	span, err := time.ParseDuration(since)
	switch {
	case since == "all":
	case err == nil:
		asked.from = s.options.Now().Add(-span).Unix()
	case len(since) == len(name()):
		asked.next = 1 + slices.IndexFunc(s.messages, func(k *kept) bool { return k.ID == since })
	default:
		return asked, false
	}
	return asked, true
}
