package source

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store"
)

// PostName is the name of the sense of what is handed in.
const PostName = "post"

const (
	// maxWaiting is how many reports of a source wait for a tick.
	maxWaiting = 5000
	// counted is how long a report is kept to be counted.
	counted = time.Hour
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations returns the steps that make the tables of this package. Times are
// unix nanoseconds.
func Migrations() []store.Migration { return store.Migrations("senses/source", migrations) }

var (
	// ErrUnknown: there is no such source.
	ErrUnknown = errors.New("no source of that name is configured")
	// ErrToken: the token is none of the source's, or there is no such source.
	ErrToken = errors.New("the token does not open this source")
	// ErrLimit: it handed in as much as it may.
	ErrLimit = errors.New("this source handed in as much as it may for now")
)

// Door takes in what sources hand in.
type Door struct {
	DB *store.DB
	// Sources are those that may.
	Sources []Config
	Now     func() time.Time
}

func (d *Door) source(id string) (Config, bool) {
	i := slices.IndexFunc(d.Sources, func(c Config) bool { return c.ID == id })
	if i < 0 {
		return Config{}, false
	}
	return d.Sources[i], true
}

// SetToken makes a new token for a source and returns it; the one before opens
// nothing any more. With revoke there is none then. Its hash is all that is kept.
func (d *Door) SetToken(ctx context.Context, id string, revoke bool) (token string, err error) {
	if _, ok := d.source(id); !ok {
		return "", ErrUnknown
	}
	if revoke {
		return "", d.DB.Exec(ctx, "DELETE FROM source_tokens WHERE source = ?", id)
	}
	token = "source-" + rand.Text()
	sum := sha256.Sum256([]byte(token))
	return token, d.DB.Exec(ctx, "INSERT OR REPLACE INTO source_tokens (source, hash) VALUES (?, ?)", id, sum[:])
}

// Take is Keep for who has the token of the source; else it is ErrToken.
func (d *Door) Take(ctx context.Context, id, token string, body []byte) error {
	_, known := d.source(id)
	hash, _, err := store.One(ctx, d.DB, store.Value[[]byte], "SELECT hash FROM source_tokens WHERE source = ?", id)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256([]byte(token)); subtle.ConstantTimeCompare(sum[:], hash) != 1 || !known {
		return ErrToken
	}
	return d.Keep(ctx, id, body)
}

// Keep keeps a report of a source for the next tick, whoever hands it in. The error
// is ErrUnknown, ErrLimit, a *store.Error, or says what is wrong with the report.
func (d *Door) Keep(ctx context.Context, id string, body []byte) error {
	c, known := d.source(id)
	if !known {
		return ErrUnknown
	}
	r, err := c.Parse(body)
	if err != nil {
		return err
	}
	return d.DB.Write(ctx, func(tx *store.Tx) error {
		at := d.Now()
		lately, _, err := store.One(ctx, tx, store.Value[int], "SELECT count(*) FROM source_reports WHERE source = ? AND at > ?", id, at.Add(-counted).UnixNano())
		if err != nil {
			return err
		}
		all, _, err := store.One(ctx, tx, store.Value[int], "SELECT count(*) FROM source_reports WHERE source = ?", id)
		if err == nil && (lately >= cmp.Or(c.PerHour, perHour) || all >= maxWaiting) {
			err = ErrLimit
		}
		if err == nil {
			_, err = tx.Insert(ctx, "source_reports", "source, at, body", id, at.UnixNano(), store.JSON(r))
		}
		return err
	})
}

// Post is the sense of one source that hands in.
type Post struct {
	config Config
	door   *Door
}

var _ senses.Sense = (*Post)(nil)

// NewPost returns the sense of a source of the door.
func NewPost(c Config, door *Door) (*Post, error) { return &Post{c, door}, c.Validate() }

// Name returns "post".
func (s *Post) Name() string { return PostName }

// ID returns the configured instance.
func (s *Post) ID() string { return s.config.ID }

// handed is a row of source_reports.
type handed struct {
	number, at int64
	report     Report
}

// Collect takes what was handed in since.
func (s *Post) Collect(ctx context.Context, at time.Time, cursor []byte) (batch senses.Batch, err error) {
	fail := func(err error) (senses.Batch, error) {
		return senses.Batch{}, fmt.Errorf("post %s: read what was handed in: %w", s.config.ID, err)
	}
	m := remembered(cursor)
	rows, err := store.All(ctx, s.door.DB, func(h *handed) []any { return []any{&h.number, &h.at, store.JSON(&h.report)} },
		"SELECT number, at, body FROM source_reports WHERE source = ? ORDER BY number", s.config.ID)
	if err != nil {
		return fail(err)
	}
	if over := at.Add(-counted).UnixNano(); len(rows) > 0 && rows[0].number <= m.Last && rows[0].at <= over {
		if err := s.door.DB.Exec(ctx, "DELETE FROM source_reports WHERE source = ? AND number <= ? AND at <= ?", s.config.ID, m.Last, over); err != nil {
			return fail(err)
		}
	}
	_, open, err := store.One(ctx, s.door.DB, store.Value[int], "SELECT 1 FROM source_tokens WHERE source = ?", s.config.ID)
	if err != nil {
		return fail(err)
	}
	if !open {
		batch.Aside = "it has no token, so that nobody can hand anything in; make one: subconsciousctl sources token " + s.config.ID
	}
	var reports []Report
	for _, h := range rows {
		if h.number > m.Last {
			h.report.ID = cmp.Or(h.report.ID, fmt.Sprint("#", h.number))
			reports, m.Last = append(reports, h.report), h.number
		}
	}
	if len(reports) == 0 {
		return batch, nil
	}
	m.take(s.config, at, 0, false, reports, &batch)
	batch.Cursor, err = m.cursor(false, &batch)
	return batch, err
}
