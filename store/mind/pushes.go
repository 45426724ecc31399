package mind

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Push is one time that the person's attention was taken. It is kept for 40
// days.
type Push struct {
	At   time.Time
	Kind string
	// Key is PushKey of what can still be kept back; else "".
	Key string
}

// Kinds of pushes.
const (
	PushIncident = "incident"
	PushUrgent   = "urgent"    // an incident for which the caps keep a place
	PushStranger = "stranger " // and the domain of somebody whom the person does not know
	PushRing     = "ring"      // at a time that the person set
	PushDigest   = "digest"
	PushNotice   = "notice"
)

// PushKey names the push of one incident at one tick.
func PushKey(tick int64, incident subconscious.IncidentID) string {
	return strconv.FormatInt(tick, 10) + "/" + string(incident)
}

// RefundPush takes the push of an incident at a tick back, inside the
// transaction tx of another: the person was not told after all. It reports
// whether there was one; a second time there is none.
func (s *Store) RefundPush(ctx context.Context, tx *store.Tx, tick int64, incident subconscious.IncidentID) (bool, error) {
	n, err := tx.Run(ctx, "DELETE FROM mind_pushes WHERE key = ?", PushKey(tick, incident))
	return n > 0, wrap("take back the push of "+string(incident), err)
}

const keepPushes = 40 * 24 * time.Hour

var pushTable = table[Push]{
	name:    "mind_pushes",
	columns: "at, zone, kind, key",
	places: func(p *Push) []any {
		return []any{store.Time(&p.At), store.Zone(&p.At), &p.Kind, store.Optional(&p.Key)}
	},
	check: func(p *Push) error {
		if p.At.IsZero() || p.Kind == "" {
			return errors.New("a push has no time or no kind")
		}
		return nil
	},
}

// Pushes returns those since that time, oldest first.
func (s *Store) Pushes(ctx context.Context, since time.Time) ([]Push, error) {
	return pushTable.find(ctx, s, "pushes", "WHERE at >= ? ORDER BY at, id", since.UnixNano())
}

// Digests are when the last digests were due.
type Digests struct {
	Daily, Weekly time.Time
}

const (
	metaDaily  = "digest_daily"
	metaWeekly = "digest_weekly"
)

// Digests returns when the last daily and weekly digests were due; zero for
// never.
func (s *Store) Digests(ctx context.Context) (daily, weekly time.Time, err error) {
	for key, into := range map[string]*time.Time{metaDaily: &daily, metaWeekly: &weekly} {
		text, ok, err := s.Meta(ctx, key)
		if err == nil && ok {
			*into, err = time.Parse(time.RFC3339Nano, text)
		}
		if err != nil {
			return time.Time{}, time.Time{}, fmt.Errorf("mind: digests: %w", err)
		}
	}
	return daily, weekly, nil
}

// putDigests notes the digests that were due; a zero time leaves what is
// noted.
func putDigests(ctx context.Context, tx *store.Tx, digests Digests) error {
	for key, due := range map[string]time.Time{metaDaily: digests.Daily, metaWeekly: digests.Weekly} {
		if due.IsZero() {
			continue
		}
		if err := putMeta(ctx, tx, key, due.Format(time.RFC3339Nano)); err != nil {
			return err
		}
	}
	return nil
}
