package notify

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/wake"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// maxListed bounds a list of deliveries.
const maxListed = 500

// Deliveries returns what became of the messages about an incident, oldest
// first, at most 500: the newest of them.
func (o *Outbox) Deliveries(ctx context.Context, incident subconscious.IncidentID) ([]Delivery, error) {
	return o.list(ctx, "WHERE incident = ? AND incident <> '' AND kind <> 'answered' ORDER BY id DESC LIMIT ?", incident, maxListed)
}

// Recent returns the last deliveries, oldest first. The limit is 1 to 500.
func (o *Outbox) Recent(ctx context.Context, limit int) ([]Delivery, error) {
	return o.list(ctx, "ORDER BY id DESC LIMIT ?", min(max(limit, 1), maxListed))
}

func (o *Outbox) list(ctx context.Context, rest string, args ...any) ([]Delivery, error) {
	rows, err := find(ctx, o.DB, rest, args...)
	if err != nil {
		return nil, fmt.Errorf("notify: deliveries: %w", err)
	}
	list := make([]Delivery, 0, len(rows))
	for _, r := range slices.Backward(rows) {
		list = append(list, r.Delivery)
	}
	return list, nil
}

// Undelivered counts what did not arrive for certain since then, and all that
// waits.
func (o *Outbox) Undelivered(ctx context.Context, since time.Time) (Undelivered, error) {
	u, _, err := store.One(ctx, o.DB, func(u *Undelivered) []any { return []any{&u.Waiting, &u.Unknown, &u.Failed, &u.Expired} },
		`SELECT count(*) FILTER (WHERE state IN ('pending', 'sending')), count(*) FILTER (WHERE state = 'unknown'),
			count(*) FILTER (WHERE state = 'failed'), count(*) FILTER (WHERE state = 'expired')
			FROM notify_outbox WHERE kind <> 'answered' AND (changed >= ? OR state IN ('pending', 'sending'))`, store.Time(&since))
	if err != nil {
		return Undelivered{}, fmt.Errorf("notify: undelivered: %w", err)
	}
	return u, nil
}

// Statuses returns how the channels fare, in the order of Options.
func (o *Outbox) Statuses(ctx context.Context) ([]ChannelStatus, error) {
	list := []ChannelStatus{}
	now := o.Now()
	err := o.DB.Read(ctx, func(tx *store.Tx) error {
		for _, w := range o.workers {
			s := w.status(now)
			var since time.Time
			var refused int
			if err := tx.QueryRowContext(ctx, `SELECT (SELECT coalesce(max(sent), 0) FROM notify_outbox WHERE channel = ?1),
				(SELECT coalesce(max(at), 0) FROM notify_answers WHERE channel = ?1),
				(SELECT count(*) FROM notify_outbox WHERE channel = ?1 AND state IN ('pending', 'sending')),
				(SELECT coalesce(sum(strange), 0) FROM notify_replies WHERE channel = ?1), (SELECT coalesce(sum(since), 0) FROM notify_replies WHERE channel = ?1)`,
				s.ID).Scan(store.Time(&s.Last), store.Time(&s.Answered), &s.Waiting, &refused, store.Time(&since)); err != nil {
				return err
			}
			if s.Refused += refused; !since.IsZero() {
				s.RefusedSince = since
			}
			list = append(list, s)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("notify: statuses: %w", err)
	}
	return list, nil
}

// status is what is known without the database.
func (w *worker) status(now time.Time) ChannelStatus {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := ChannelStatus{ID: w.channel.ID, Kind: w.channel.Kind, Content: w.channel.Content, State: w.health.state(now),
		Refused: w.refused, RefusedSince: w.refusedSince}
	if s.State == ChannelResting {
		s.Until = w.health.until
	}
	if w.health.err != nil {
		s.Error, s.Next = w.health.err.Text, w.health.err.Next
	}
	if _, ok := w.channel.Notifier.(Listener); ok && w.o.takesAnswers(w.channel) {
		s.Answers, s.AnswersError = w.answersErr == "", w.answersErr
	}
	return s
}

const (
	// testFor is how long a test message is of use.
	testFor = time.Minute
	// testLook is how often it is looked what became of it.
	testLook = 20 * time.Millisecond
)

// Test posts a test message with all buttons over one channel, or over all
// where channel is "", and waits until each is sent, has failed once or ctx is
// done; the deliveries say which.
func (o *Outbox) Test(ctx context.Context, channel string) ([]Delivery, error) {
	deliveries, err := o.test(ctx, channel)
	if err != nil {
		return nil, fmt.Errorf("notify: test: %w", err)
	}
	return deliveries, nil
}

func (o *Outbox) test(ctx context.Context, channel string) ([]Delivery, error) {
	o.mu.Lock()
	runs := o.started && !o.ended
	o.mu.Unlock()
	if !runs {
		return nil, errors.New("nothing is delivered now: the outbox does not run")
	}
	now := o.Now()
	p := Post{Key: "test/" + rand.Text(), At: now, Kind: KindTest, Title: "subconsciousd can reach you here",
		Text: "This is a test. Press a button to try the way back.", Expires: now.Add(testFor), Answers: []Answer{AnswerUseful, AnswerNotNow, AnswerDismiss}}
	if channel != "" {
		if o.worker(channel) == nil {
			return nil, fmt.Errorf("there is no channel %.80q", channel)
		}
		p.Channels = []string{channel}
	}
	if err := o.DB.Write(ctx, func(tx *store.Tx) error { return o.Post(ctx, tx, p) }); err != nil {
		return nil, err
	}
	o.Wake()
	for {
		list, err := o.list(context.WithoutCancel(ctx), "WHERE key = ? ORDER BY id DESC", p.Key)
		if err != nil || ctx.Err() != nil || !slices.ContainsFunc(list, isUntried) {
			return list, err
		}
		wake.Pause(ctx, testLook)
	}
}

func isUntried(d Delivery) bool {
	return d.State == StateSending || d.State == StatePending && d.Error == ""
}
