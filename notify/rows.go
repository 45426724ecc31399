package notify

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// row is a delivery as it is stored.
type row struct {
	Delivery
	Sequence string
	Quiet    bool
	Link     string
	Answers  []Answer
	Receipt  string
	Tried    time.Time // when it was sent for the first time
	Doubted  time.Time // since when its channel is asked whether it arrived
	Missed   int       // how often it said that it did not
}

const rowColumns = `id, channel, kind, incident, at, state, sent, attempts, repeated, urgent, title, text, expires, error, next, due, sequence, link, answers, receipt, tried, doubted, missed, proposal, quiet`

// scanRow reads rowColumns.
func scanRow(scan func(...any) error) (r row, err error) {
	var at, sent, expires, due, tried, doubted int64
	var answers []byte
	if err := scan(&r.ID, &r.Channel, &r.Kind, &r.Incident, &at, &r.State, &sent, &r.Attempts, &r.Repeated, &r.Urgent, &r.Title, &r.Text,
		&expires, &r.Error, &r.Next, &due, &r.Sequence, &r.Link, &answers, &r.Receipt, &tried, &doubted, &r.Missed, &r.Proposal, &r.Quiet); err != nil {
		return row{}, err
	}
	r.At, r.Sent, r.Expires, r.Due = instant(at), instant(sent), instant(expires), instant(due)
	r.Tried, r.Doubted = instant(tried), instant(doubted)
	return r, json.Unmarshal(answers, &r.Answers)
}

func instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// find returns the rows that match the rest of a query.
func find(ctx context.Context, tx *store.Tx, rest string, args ...any) (found []row, err error) {
	err = tx.Each(ctx, func(rows *sql.Rows) error {
		r, err := scanRow(rows.Scan)
		found = append(found, r)
		return err
	}, "SELECT "+rowColumns+" FROM notify_outbox "+rest, args...)
	return found, err
}

// findOne returns the first such row; ok is false where there is none.
func findOne(ctx context.Context, tx *store.Tx, rest string, args ...any) (r row, ok bool, err error) {
	r, err = scanRow(tx.QueryRowContext(ctx, "SELECT "+rowColumns+" FROM notify_outbox "+rest, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return row{}, false, nil
	}
	return r, err == nil, err
}

// put stores what changes of a row.
func (r row) put(ctx context.Context, tx *store.Tx, now time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE notify_outbox SET state = ?, due = ?, changed = ?, attempts = ?, repeated = ?, sent = ?, receipt = ?,
		error = ?, next = ?, tried = ?, doubted = ?, missed = ? WHERE id = ?`, string(r.State), nanoseconds(r.Due), now.UnixNano(), r.Attempts, r.Repeated, nanoseconds(r.Sent),
		cut(plain(r.Receipt), maxWords), r.Error, r.Next, nanoseconds(r.Tried), nanoseconds(r.Doubted), r.Missed, r.ID)
	return err
}

// changed tells those who wait that a delivery has changed.
func (o *Outbox) changed() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.change != nil {
		close(o.change)
		o.change = nil
	}
}

// nextChange is closed when a delivery changes.
func (o *Outbox) nextChange() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.change == nil {
		o.change = make(chan struct{})
	}
	return o.change
}

// recover takes up what an earlier process left: what it was sending may have
// arrived, which is asked for or unknown, and what waits for a channel that is not there any more never will.
func (o *Outbox) recover(ctx context.Context) error {
	return o.DB.Write(ctx, func(tx *store.Tx) error {
		open, err := find(ctx, tx, "WHERE state IN ('pending', 'sending')")
		if err != nil {
			return err
		}
		now := o.Now()
		for _, r := range open {
			channel := o.channel(r.Channel)
			known := channel != nil
			verifies := known && channel.verifier() != nil
			if known && r.State == StatePending || verifies && !r.Doubted.IsZero() {
				continue
			}
			if r.State == StateSending {
				r = r.interrupted(now, verifies)
			}
			if !known && r.State == StatePending {
				r = r.closed(StateFailed)
				r.Error, r.Next = "its channel is not configured any more", "Nothing is to be done; the inbox has it"
			}
			if err := r.put(ctx, tx, now); err != nil {
				return err
			}
		}
		for _, w := range o.workers {
			if err := w.recover(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// recover remembers that the last message was not taken.
func (w *worker) recover(ctx context.Context, tx *store.Tx) error {
	last, ok, err := findOne(ctx, tx, "WHERE channel = ? AND attempts > 0 ORDER BY changed DESC, id DESC LIMIT 1", w.channel.ID)
	if err != nil || !ok || last.State != StatePending && last.State != StateFailed || last.Repeated {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.health.err = &Error{Trouble: Unavailable, Text: last.Error, Next: last.Next}
	return nil
}

// channel returns the channel of that id, or nil.
func (o *Outbox) channel(id string) *Channel {
	for n := range o.Channels {
		if o.Channels[n].ID == id {
			return &o.Channels[n]
		}
	}
	return nil
}
