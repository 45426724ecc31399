package notify

import (
	"context"
	"embed"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// row is a delivery as it is stored.
type row struct {
	Delivery
	Sequence string
	Priority int
	Outline  string
	Link     string
	Answers  []Answer
	Receipt  string
	Tried    time.Time // when it was sent for the first time
	Doubted  time.Time // since when its channel is asked whether it arrived
	Missed   int       // how often it said that it did not
}

const rowColumns = `channel, kind, incident, at, state, sent, attempts, repeated, urgent, title, text, expires, error, next, due, sequence, link, answers, receipt, tried, doubted, missed, proposal, priority, outline`

// columns are where rowColumns are read to, and written from.
func (r *row) columns() []any {
	return []any{&r.Channel, &r.Kind, &r.Incident, store.Time(&r.At), &r.State, store.Time(&r.Sent), &r.Attempts, &r.Repeated, &r.Urgent,
		&r.Title, &r.Text, store.Time(&r.Expires), &r.Error, &r.Next, store.Time(&r.Due), &r.Sequence, &r.Link, store.JSON(&r.Answers),
		&r.Receipt, store.Time(&r.Tried), store.Time(&r.Doubted), &r.Missed, &r.Proposal, &r.Priority, &r.Outline}
}

func (r *row) found() []any { return append(r.columns(), &r.ID) }

const rowQuery = "SELECT " + rowColumns + ", id FROM notify_outbox "

// find returns the rows that match the rest of a query.
func find(ctx context.Context, from store.Source, rest string, args ...any) ([]row, error) {
	return store.All(ctx, from, (*row).found, rowQuery+rest, args...)
}

// findOne returns the first such row; ok is false where there is none.
func findOne(ctx context.Context, from store.Source, rest string, args ...any) (r row, ok bool, err error) {
	return store.One(ctx, from, (*row).found, rowQuery+rest, args...)
}

// put stores what changes of a row.
func (r row) put(ctx context.Context, tx *store.Tx, now time.Time) error {
	return tx.Exec(ctx, `UPDATE notify_outbox SET state = ?, due = ?, changed = ?, attempts = ?, repeated = ?, sent = ?, receipt = ?,
		error = ?, next = ?, tried = ?, doubted = ?, missed = ? WHERE id = ?`, r.State, store.Time(&r.Due), now.UnixNano(), r.Attempts, r.Repeated, store.Time(&r.Sent),
		cut(plain(r.Receipt), maxWords), r.Error, r.Next, store.Time(&r.Tried), store.Time(&r.Doubted), r.Missed, r.ID)
}

// recover takes up what an earlier process left: what it was sending may have
// arrived, which is asked for or unknown. What waits for a channel that is not there any
// more may see it come back, until its time is over; see sweep.
func (o *Outbox) recover(ctx context.Context) error {
	return o.DB.Write(ctx, func(tx *store.Tx) error {
		open, err := find(ctx, tx, "WHERE state IN ('pending', 'sending')")
		if err != nil {
			return err
		}
		now := o.Now()
		for _, r := range open {
			w := o.worker(r.Channel)
			verifies := w != nil && w.channel.verifier() != nil
			if r.State == StatePending || verifies && !r.Doubted.IsZero() {
				continue
			}
			r = r.interrupted(now, verifies)
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

// worker returns that of a channel, or nil.
func (o *Outbox) worker(channel string) *worker {
	for _, w := range o.workers {
		if w.channel.ID == channel {
			return w
		}
	}
	return nil
}

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations returns the steps that make the tables of this package. Times are
// nanoseconds since 1970, 0 for none.
func Migrations() []store.Migration { return store.Migrations("notify", migrations) }
