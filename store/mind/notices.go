package mind

import (
	"context"
	"errors"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Notice is what the daemon has to say about itself until it is resolved, and
// NoticeKey its identity.
type (
	Notice    = subconscious.Notice
	NoticeKey = subconscious.NoticeKey
)

// maxNotices bounds how many are open: more than a person would read.
const maxNotices = 200

// RaiseNotice records a notice. One that is already open keeps its time, and
// is told again by nobody: raised is false for it. Its words are brought up to
// date. Over 200 open ones nothing is recorded and raised is false.
func (s *Store) RaiseNotice(ctx context.Context, notice Notice) (raised bool, err error) {
	err = s.write(ctx, "raise notice "+notice.Code, func(tx *store.Tx) (err error) {
		raised, err = raise(ctx, tx, notice)
		return err
	})
	return raised && err == nil, err
}

// ResolveNotice ends a notice; resolved is false where none was open.
func (s *Store) ResolveNotice(ctx context.Context, key NoticeKey) (resolved bool, err error) {
	err = s.write(ctx, "resolve notice "+key.Code, func(tx *store.Tx) (err error) {
		resolved, err = resolve(ctx, tx, key)
		return err
	})
	return resolved && err == nil, err
}

// Notices returns the open ones, oldest first.
func (s *Store) Notices(ctx context.Context) ([]Notice, error) { return s.notices(ctx, "") }

// UntoldNotices returns the open ones that the person was not told of, oldest
// first. One that ends and begins again is a new one.
func (s *Store) UntoldNotices(ctx context.Context) ([]Notice, error) {
	return s.notices(ctx, "WHERE told = 0")
}

func (s *Store) notices(ctx context.Context, where string) ([]Notice, error) {
	return all(ctx, s, "notices", func(n *Notice) []any {
		return []any{&n.Code, &n.Key, store.Time(&n.At), store.Zone(&n.At), &n.Text, &n.Next}
	}, "SELECT code, key, at, zone, text, next FROM mind_notices "+where+" ORDER BY at, code, key")
}

// putNotices first notes what was told, so that one that ends and begins again
// with this tick is untold.
func putNotices(ctx context.Context, tx *store.Tx, c Commit) error {
	for _, key := range c.ToldNotices {
		if err := tx.Exec(ctx, "UPDATE mind_notices SET told = 1 WHERE code = ? AND key = ?", key.Code, key.Key); err != nil {
			return err
		}
	}
	for _, key := range c.Resolve {
		if _, err := resolve(ctx, tx, key); err != nil {
			return err
		}
	}
	for _, notice := range c.Raise {
		if _, err := raise(ctx, tx, notice); err != nil {
			return err
		}
	}
	return nil
}

func raise(ctx context.Context, tx *store.Tx, notice Notice) (raised bool, err error) {
	if notice.Code == "" || notice.At.IsZero() {
		return false, errors.New("a notice has no code or no time")
	}
	known, err := tx.Run(ctx, "UPDATE mind_notices SET text = ?, next = ? WHERE code = ? AND key = ?",
		notice.Text, notice.Next, notice.Code, notice.Key)
	if err != nil || known > 0 {
		return false, err
	}
	added, err := tx.Run(ctx, `INSERT INTO mind_notices (code, key, at, zone, text, next)
		SELECT ?, ?, ?, ?, ?, ? WHERE (SELECT count(*) FROM mind_notices) < ?`,
		notice.Code, notice.Key, store.Time(&notice.At), store.Zone(&notice.At), notice.Text, notice.Next, maxNotices)
	return added > 0, err
}

func resolve(ctx context.Context, tx *store.Tx, key NoticeKey) (bool, error) {
	removed, err := tx.Run(ctx, "DELETE FROM mind_notices WHERE code = ? AND key = ?", key.Code, key.Key)
	return removed > 0, err
}
