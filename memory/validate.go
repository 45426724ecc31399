package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// World is asked for what a record cites that is not in files: an observation, an
// address or a message.
type World interface {
	// Stands says how it stands now, and why, without a word of its content. An
	// error says that it cannot be told.
	Stands(ctx context.Context, cited Citation) (Validity, string, error)
}

// Found is what came of a look at one thing that a record cites.
type Found struct {
	Citation Citation `json:"citation"`
	Validity Validity `json:"validity"`
	// Says is why, in a sentence without a word of what is cited.
	Says string `json:"says"`
	// Lines are where they stand now, if elsewhere.
	Lines string `json:"lines,omitempty"`
}

// look is one look at the world, for one record or several.
type look struct {
	*Store
	git     time.Duration // that git may still take
	commits map[string]Found
}

// gitTime is how long git may take for all that is looked at in one call, unless
// Options say otherwise.
const gitTime = 20 * time.Millisecond

func (s *Store) look() *look {
	return &look{s, cmp.Or(s.options.Git, gitTime), map[string]Found{}}
}

// Validate looks at everything that a record cites and came from, keeps what came of
// it, and returns the record as it is then. What changed costs half of its confidence
// for as long as it does. An error wraps ErrNotFound.
func (s *Store) Validate(ctx context.Context, id string) (Record, []Found, error) {
	return s.look().validate(ctx, id, "validation")
}

// refresh looks at what records cite that are about to be put before somebody.
func (l *look) refresh(ctx context.Context, hits []Hit) error {
	for i := range hits {
		now, _, err := l.validate(ctx, hits[i].ID, "validation")
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		} else if err == nil {
			hits[i].Record = now
		}
	}
	return nil
}

// ValidateOldest looks at the active records outside quarantine that cite something, those
// that were looked at longest ago first, as Validate does, and returns them as they are then.
func (s *Store) ValidateOldest(ctx context.Context, limit int) ([]Record, error) {
	all, err := store.All(ctx, s.db, (*Hit).columns, "SELECT "+recordColumns+` FROM memory_records r WHERE status = 'active' AND lane <> 'quarantine'
		AND (citations NOT IN ('[]', 'null') OR origin <> 'null') ORDER BY checked, n LIMIT ?`, limit)
	if err == nil {
		err = s.look().refresh(ctx, all)
	}
	if err != nil {
		return nil, fmt.Errorf("memory: validate: %w", err)
	}
	records := make([]Record, len(all))
	for i := range all {
		records[i] = all[i].Record
	}
	return records, nil
}

// Doubt says in words why a record is not to be taken for true; "" where nothing is
// known against it.
func (r Record) Doubt() string {
	switch r.Validity {
	case Changed:
		return "its source has changed since"
	case Missing:
		return "its source is gone"
	}
	return ""
}

func (l *look) validate(ctx context.Context, id, by string) (Record, []Found, error) {
	old, err := byID(ctx, l.db, id)
	if err != nil {
		return Record{}, nil, fmt.Errorf("memory: validate %s: %w", subconscious.Clip(id, MaxName), err)
	}
	next, found := l.around(ctx, old)
	if settled := len(found) == 0 || next.Validity == old.Validity && slices.Equal(next.Citations, old.Citations) && next.Checked.Sub(old.Checked) < lookKept; settled {
		return old.Record, found, nil
	}
	err = l.db.Write(ctx, func(tx *store.Tx) error {
		now, err := byID(ctx, tx, id)
		if err != nil || now.Version != old.Version {
			next = now
			return err
		}
		next.SeenCount, next.LastSeen, next.Used, next.LastUsed = now.SeenCount, now.LastSeen, now.Used, now.LastUsed
		if next.Doubt() != now.Doubt() {
			if err := l.change(ctx, tx, &act{at: next.Checked, by: by}, checked+saysAll(found, next.Validity), now, next); err != nil {
				return err
			}
			next, err = byID(ctx, tx, id)
			return err
		}
		// That nothing speaks against it is no change of it.
		return tx.Exec(ctx, "UPDATE memory_records SET validity = ?, checked = ?, citations = ? WHERE n = ?", next.Validity, store.Time(&next.Checked), store.JSON(next.Citations), now.n)
	})
	if errors.Is(err, ErrNotFound) {
		return Record{}, nil, fmt.Errorf("memory: validate %s: %w", subconscious.Clip(id, MaxName), err)
	} else if err != nil && ctx.Err() == nil {
		l.options.Logger.Warn("what came of a look at a memory's source is not kept", "memory", id, "error", err)
	}
	return next.Record, found, nil
}

// lookKept is how long it is not written down again that nothing changed.
const lookKept = time.Hour

// checked begins what is said of a change by a look; it is not undone with the last
// change that somebody made.
const checked = "checked: "

// around looks at all that a record cites, and returns it as it is then.
func (l *look) around(ctx context.Context, r row) (row, []Found) {
	var all []Found
	cited := slices.Clone(r.Citations)
	for i := range cited {
		all = append(all, l.at(ctx, r.Record, &cited[i]))
	}
	if o := r.Origin; o != nil && o.Hash != "" && filepath.IsAbs(o.Path) && r.Lane != Quarantine {
		from := Citation{File: o.Path, Lines: o.Lines, Hash: o.Hash}
		all = append(all, l.file(ctx, filepath.Dir(o.Path), filepath.Base(o.Path), &from))
	}
	worst := Unknown
	for _, f := range all {
		if slices.Index(badness, f.Validity) > slices.Index(badness, worst) {
			worst = f.Validity
		}
	}
	if worst == Unknown && r.Doubt() != "" {
		worst = r.Validity // what could not be looked at takes no doubt away
	}
	r.Citations = cited
	r.seen(worst, l.now())
	return r, all
}

// seen notes what came of a look. What has changed has half of its confidence.
func (r *Record) seen(validity Validity, at time.Time) {
	if validity == Changed && r.Validity != Changed {
		r.Confidence /= 2
	} else if validity != Changed && r.Validity == Changed {
		r.Confidence = min(2*r.Confidence, 1)
	}
	r.Validity, r.Checked = validity, at
}

// badness orders what may come of a look: the worst counts.
var badness = []Validity{Unknown, Holds, Missing, Changed}

func saysAll(all []Found, of Validity) string {
	var says []string
	for _, f := range all {
		if f.Validity == of {
			says = append(says, f.Citation.String()+": "+f.Says)
		}
	}
	return subconscious.Clip(strings.Join(says, "; "), MaxPath)
}

// at looks at one citation.
func (l *look) at(ctx context.Context, r Record, c *Citation) Found {
	if root, name, ok := r.within(c.File); ok {
		return l.file(ctx, root, name, c)
	} else if c.File != "" || l.options.World == nil {
		return Found{*c, Unknown, "it is in no folder that is looked into", ""}
	}
	validity, says, err := l.options.World.Stands(ctx, *c)
	if err != nil {
		return Found{*c, Unknown, "it cannot be looked up now", ""}
	}
	return Found{*c, validity, says, ""}
}
