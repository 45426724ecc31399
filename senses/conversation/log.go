package conversation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// page is how many messages are asked of the log at once.
	page = 500
	// justSaid is how long before the very first collect a message of the log may
	// have been written to be new: whoever writes to a mind that is just being
	// set up is heard.
	justSaid = time.Hour
)

// LogSense looks at the mind's own log of conversations.
type LogSense struct {
	log     Log
	options Options

	// commits hand out talks, nil where nothing is open any more; talks are those
	// that were committed.
	commits senses.Commits[map[string]*talk]
	talks   map[string]*talk
}

var _ senses.Sense = (*LogSense)(nil)

// logCursor is what is committed beside the rows.
type logCursor struct {
	Version int   `json:"v"`
	Last    int64 `json:"last"`
	// Begun: the first collect is over. Until then what was said before Since, in
	// seconds, is old.
	Begun bool  `json:"begun"`
	Since int64 `json:"since,omitempty"`
}

// NewLog returns the sense of the mind's own log.
func NewLog(log Log, options Options) *LogSense {
	options.Logger = cmp.Or(options.Logger, slog.New(slog.DiscardHandler))
	return &LogSense{log: log, options: options, talks: map[string]*talk{}}
}

// Name returns "conversation".
func (s *LogSense) Name() string { return Name }

// ID returns "chat".
func (s *LogSense) ID() string { return LogID }

// Collect looks at what was said since.
func (s *LogSense) Collect(ctx context.Context, at time.Time, given []byte) (senses.Batch, error) {
	c, err := s.conclude(ctx, given)
	if err != nil {
		return senses.Batch{}, err
	}
	if c.Version == 0 {
		if c.Since = at.Unix(); given == nil {
			c.Since = at.Add(-justSaid).Unix()
		}
	}
	l := logCollect{
		sense: s, old: !c.Begun, since: time.Unix(c.Since, 0), talks: map[string]*talk{}, last: c.Last,
		hearing: hearing{instance: LogID, at: at, person: subconscious.Owner, agent: subconscious.Agent},
	}
	limited, cancel := folder.Budget(ctx)
	defer cancel()
	complete, err := l.read(limited)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return senses.Batch{}, fmt.Errorf("conversation %s: read the log: %w", LogID, err)
	}
	batch := senses.Batch{Changes: l.hearing.finish()}
	next := logCursor{Version: 1, Last: l.last, Begun: c.Begun || complete}
	if !next.Begun {
		next.Since = c.Since
	}
	batch.Starting = !next.Begun
	if next == c && len(given) > 0 {
		return batch, nil
	}
	return s.hand(&l, batch, next), nil
}

// hand makes the batch of what a collect found.
func (s *LogSense) hand(l *logCollect, batch senses.Batch, next logCursor) senses.Batch {
	for name, t := range s.talks { // what ended by itself meanwhile
		if l.talks[name] == nil {
			l.talks[name] = &talk{name: t.name, link: t.link, Open: slices.Clone(t.Open)}
		}
	}
	talks := map[string]*talk{}
	for _, name := range slices.Sorted(maps.Keys(l.talks)) {
		t := l.talks[name]
		t.expire(l.hearing.at)
		before := s.talks[name]
		switch {
		case len(t.Open) > 0:
			if before != nil && slices.EqualFunc(before.Open, t.Open, func(a, b open) bool { return a.Key == b.Key && a.Until == b.Until }) {
				continue
			}
			value, _ := json.Marshal(t.Open) // of plain values, which cannot fail
			talks[name] = t
			batch.Rows = append(batch.Rows, senses.Row{Key: name, Value: value})
		case before != nil:
			talks[name] = nil
			batch.Rows = append(batch.Rows, senses.Row{Key: name})
		}
	}
	stamp, _ := json.Marshal(next)
	batch.Cursor = s.commits.Hand(stamp, talks)
	return batch
}

// conclude finds out what became of the last batch, and where to go on.
func (s *LogSense) conclude(ctx context.Context, given []byte) (logCursor, error) {
	anew := s.commits.Conclude(given, func(talks map[string]*talk) {
		for name, t := range talks {
			if t == nil {
				delete(s.talks, name)
			} else {
				s.talks[name] = t
			}
		}
	}, func(map[string]*talk) {})
	var c logCursor
	if given != nil {
		if err := json.Unmarshal(given, &c); err != nil || c.Version != 1 {
			s.options.Logger.Warn("the cursor of the conversations cannot be read; looking at them for the first time", "error", err)
			c = logCursor{}
		}
	}
	if anew {
		if err := s.load(ctx); err != nil {
			return c, err
		}
		s.commits.Begin(given)
	}
	return c, nil
}

// load reads back what is open.
func (s *LogSense) load(ctx context.Context) error {
	s.talks = map[string]*talk{}
	if s.options.Rows == nil {
		return nil
	}
	err := s.options.Rows.Rows(ctx, Name, LogID, func(name string, value []byte) bool {
		t := logTalk(name)
		if err := json.Unmarshal(value, &t.Open); err != nil {
			s.options.Logger.Warn("a row of the conversations cannot be read; what was open in it ends by time", "error", err)
			t.Open = nil
		}
		s.talks[name] = t
		return ctx.Err() == nil
	})
	if err = errors.Join(err, ctx.Err()); err != nil {
		return fmt.Errorf("conversation %s: read back what is open: %w", LogID, err)
	}
	return nil
}

func logTalk(name string) *talk { return &talk{name: name, link: "conversation:" + name} }

// logCollect is one Collect as it goes on.
type logCollect struct {
	sense   *LogSense
	hearing hearing
	// old: it is the first collect, and what was said before since is old.
	old   bool
	since time.Time
	last  int64
	talks map[string]*talk // that messages came for
}

// read goes through the log to its end, or as far as there is time.
func (l *logCollect) read(ctx context.Context) (complete bool, err error) {
	for ctx.Err() == nil && !l.hearing.full() {
		messages, err := l.sense.log.After(ctx, l.last, page)
		if err != nil {
			if ctx.Err() != nil {
				return false, nil
			}
			return false, err
		}
		for _, m := range messages {
			if l.hearing.full() {
				return false, nil
			}
			if m.ID <= l.last {
				return false, fmt.Errorf("message %d came after message %d: the log is out of order", m.ID, l.last)
			}
			l.last = m.ID
			l.message(m)
		}
		if len(messages) < page {
			return true, nil
		}
	}
	return false, nil
}

func (l *logCollect) message(m Message) {
	name := cmp.Or(subconscious.Head(m.Conversation, 200), "-")
	t := l.talks[name]
	if t == nil {
		t = logTalk(name)
		if known := l.sense.talks[name]; known != nil {
			t.Open = slices.Clone(known.Open)
		}
		l.talks[name] = t
	}
	when := m.At
	if when.IsZero() || when.After(l.hearing.at) {
		when = l.hearing.at
	}
	l.hearing.hear(t, heard{author: m.Author, name: m.Name, key: strconv.FormatInt(m.ID, 10), when: when, text: m.Text, alien: m.Author == Person && !m.Own, old: l.old && when.Before(l.since)})
}
