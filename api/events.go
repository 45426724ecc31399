package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Event says what changed, and not how: whoever wants to know asks for it by Of.
type Event struct {
	// ID is higher for what came later, and none is given twice. Words of the stream
	// itself have none, but for EventReset.
	ID   int64     `json:"id,omitempty"`
	At   time.Time `json:"at"`
	Kind EventKind `json:"kind"`
	// Of is the id of what changed, where there are several.
	Of string `json:"of,omitempty"`
	// Next is what to do now, in words of the stream itself.
	Next string `json:"next,omitempty"`
}

// EventKind is the sort of an event.
type EventKind string

// What can change.
const (
	EventTick         EventKind = "tick"         // of: the number of one that was committed
	EventEntry        EventKind = "entry"        // more than that it faded
	EventIncident     EventKind = "incident"     // what was decided, told or answered
	EventProposal     EventKind = "proposal"     // made, approved, rejected, expired
	EventRun          EventKind = "run"          // begun, ended
	EventDeliberation EventKind = "deliberation" // waits, begun, ended
	EventDelivery     EventKind = "delivery"     // of: the channel over which something goes out
	EventMessage      EventKind = "message"      // of: CONVERSATION/NUMBER
	EventMemory       EventKind = "memory"       // kept, changed, forgotten
	EventCommand      EventKind = "command"      // of: the number of one that waits for the next tick
	EventNotice       EventKind = "notice"       // of: the code of one that began or ended
	EventSense        EventKind = "sense"        // of: KIND/ID of one that sees, or is blind
	EventPause        EventKind = "pause"        // begun or ended by the person
)

// What a stream says of itself.
const (
	// EventReset: what came before is not kept any more, so that everything may have
	// changed.
	EventReset EventKind = "reset"
	// EventDropped ends the stream of a listener that is too slow, and EventClosing
	// one that the daemon ends.
	EventDropped EventKind = "dropped"
	EventClosing EventKind = "closing"
)

// EventsQuery says which events are wanted: those from now on, but for what is said
// here.
type EventsQuery struct {
	After int64 `query:"after"` // those that came after the one with this id; Last-Event-ID goes before
	Past  bool  `query:"past"`  // all that are kept: those of a day
	End   bool  `query:"end"`   // end after the newest, in place of waiting for more
}

// EventPage is a part of what changed, as a mind has it. It does not travel.
type EventPage struct {
	Events []Event
	// After is the id after which they come, and Last that of the newest there is.
	After, Last int64
	// Lost: some that were asked for are not kept any more.
	Lost bool
}

// Newest is the id of the newest event, in a question for those after it.
const Newest int64 = -1

const (
	lastEventID = "Last-Event-ID"
	eventStream = "text/event-stream"

	maxListeners = 16
	eventsAtOnce = 100
	// beat is how often a listener hears that the stream is alive.
	beat = 15 * time.Second
	// slow is how long a listener may take to take what is sent at once.
	slow = 2 * time.Second

	again = "connect again with Last-Event-ID, and miss nothing"
)

// events streams what changes.
func (s *Server) events(w http.ResponseWriter, r *http.Request, q EventsQuery) {
	after := cmp.Or(q.After, Newest)
	if q.Past && q.After == 0 {
		after = 0
	}
	if text := r.Header.Get(lastEventID); text != "" {
		var err error
		if after, err = strconv.ParseInt(text, 10, 64); err != nil || after < 0 {
			s.fail(w, r, badRequest("send the id of the last event as it came, or leave it out", "%s: %q is not the id of an event", lastEventID, clip(text)))
			return
		}
	}
	s.follow(w, r, after, q.End, s.options.Mind.Events)
}

// follow streams what comes after an id, as Server-Sent Events: until the client goes
// away or is too slow, the server stops, or, where it shall end, the newest was sent.
func (s *Server) follow(w http.ResponseWriter, r *http.Request, after int64, end bool, page func(ctx context.Context, after int64, limit int) (EventPage, error)) {
	select {
	case s.listeners <- struct{}{}:
		defer func() { <-s.listeners }()
	default:
		s.fail(w, r, Errorf(CodeBusy, "end one of them", "%d listen already", maxListeners))
		return
	}
	if !s.begin(w, r) {
		return
	}
	defer s.running.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ending, cancel)()
	newest, err := page(ctx, Newest, 1)
	out := frames{w: w, control: http.NewResponseController(w)}
	if err = errors.Join(err, out.control.SetReadDeadline(time.Time{})); err != nil {
		s.fail(w, r, err)
		return
	}
	if after == Newest {
		after = newest.Last
	}
	w.Header().Set("Content-Type", eventStream)
	if r.Method == http.MethodHead {
		return
	}
	say := func(kind EventKind, id int64, next string) {
		out.event(Event{ID: id, At: s.options.Now(), Kind: kind, Next: next})
	}
	out.alive(after)
	for {
		began := time.Now()
		if out.send() != nil || end && after >= newest.Last {
			return
		}
		if took := time.Since(began); took > s.slow {
			say(EventDropped, 0, "read faster, or do less with each event; "+again)
			_ = out.send() // it may have gone away
			return
		}
		waiting, done := context.WithTimeout(ctx, s.beat)
		found, err := page(waiting, after, eventsAtOnce)
		done()
		if ctx.Err() != nil || err != nil {
			if err != nil && ctx.Err() == nil {
				s.options.Logger.Error("a stream of events ends", "error", err)
			}
			say(EventClosing, 0, again)
			_ = out.send() // nobody may be there any more
			return
		}
		if after = found.After; found.Lost {
			say(EventReset, after, "look at everything anew: what changed before is not kept any more")
		}
		for _, e := range found.Events {
			out.event(e)
			after = e.ID
		}
		if len(found.Events) == 0 && !found.Lost {
			out.alive(after)
		}
	}
}

// frames writes Server-Sent Events.
type frames struct {
	w       http.ResponseWriter
	control *http.ResponseController
	bytes.Buffer
}

// alive says that nothing happened, and after which event.
func (f *frames) alive(after int64) { fmt.Fprintf(f, ":\nid: %d\n\n", after) }

func (f *frames) event(e Event) {
	data, _ := json.Marshal(e) // it holds texts, a number and a time
	if e.ID > 0 {
		fmt.Fprintf(f, "id: %d\n", e.ID)
	}
	fmt.Fprintf(f, "event: %s\ndata: %s\n\n", e.Kind, data)
}

// send sends what was written. A listener that takes nothing for a while is cut off.
func (f *frames) send() error {
	err := f.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	if err == nil {
		_, err = f.WriteTo(f.w)
	}
	return errors.Join(err, f.control.Flush())
}
