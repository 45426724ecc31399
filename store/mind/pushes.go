package mind

import (
	"context"
	"database/sql"
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
	PushUrgent   = "urgent" // an incident for which the caps keep a place
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
	result, err := tx.ExecContext(ctx, "DELETE FROM mind_pushes WHERE key = ?", PushKey(tick, incident))
	if err != nil {
		return false, fmt.Errorf("mind: take back the push of %s: %w", incident, err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

const keepPushes = 40 * 24 * time.Hour

// Pushes returns those since that time, oldest first.
func (s *Store) Pushes(ctx context.Context, since time.Time) ([]Push, error) {
	var pushes []Push
	err := s.db.Read(ctx, func(tx *store.Tx) error {
		return tx.Each(ctx, func(rows *sql.Rows) error {
			var push Push
			var at int64
			var zone int
			if err := rows.Scan(&at, &zone, &push.Kind, &push.Key); err != nil {
				return err
			}
			push.At = moment(at, zone)
			pushes = append(pushes, push)
			return nil
		}, "SELECT at, zone, kind, coalesce(key, '') FROM mind_pushes WHERE at >= ? ORDER BY at, id", since.UnixNano())
	})
	if err != nil {
		return nil, fmt.Errorf("mind: pushes: %w", err)
	}
	return pushes, nil
}

func putPushes(ctx context.Context, tx *store.Tx, pushes []Push) error {
	for _, push := range pushes {
		if push.At.IsZero() || push.Kind == "" {
			return errors.New("a push has no time or no kind")
		}
		at, zone := columns(push.At)
		if _, err := tx.ExecContext(ctx, "INSERT INTO mind_pushes (at, zone, kind, key) VALUES (?, ?, ?, nullif(?, ''))",
			at, zone, push.Kind, push.Key); err != nil {
			return err
		}
	}
	return nil
}

func sweepPushes(ctx context.Context, tx *store.Tx, at time.Time) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM mind_pushes WHERE id IN (SELECT id FROM mind_pushes WHERE at < ? ORDER BY at LIMIT ?)",
		before(at, keepPushes), sweepRows)
	return err
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
	err = s.db.Read(ctx, func(tx *store.Tx) error {
		for _, one := range []struct {
			key  string
			into *time.Time
		}{{metaDaily, &daily}, {metaWeekly, &weekly}} {
			var text string
			err := tx.QueryRowContext(ctx, "SELECT value FROM mind_meta WHERE key = ?", one.key).Scan(&text)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err == nil {
				*one.into, err = time.Parse(time.RFC3339Nano, text)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return time.Time{}, time.Time{}, fmt.Errorf("mind: digests: %w", err)
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
