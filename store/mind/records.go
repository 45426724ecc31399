package mind

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Record is what is kept of one tick, for 30 days: all that replaying it needs
// and what it reported, both as JSON of at most 4 MiB. They are stored packed.
type Record struct {
	Tick   int64
	At     time.Time
	Kind   subconscious.TickKind
	Inputs []byte
	Report []byte
}

// maxDocument bounds the published document, and what is read in its place.
const maxDocument = 1 << 20

// rebase is how many ticks may be packed against one: their rows are small,
// but each needs that one to be read.
const rebase = 24

// row is a row of mind_ticks, unpacked.
type row struct {
	Record
	base     sql.NullInt64
	hash     []byte
	document []byte
}

const rowColumns = "tick, at, zone, kind, base, hash, document, inputs, report"

func (r *row) columns() []any {
	return []any{&r.Tick, store.Time(&r.At), store.Zone(&r.At), &r.Kind, &r.base, &r.hash, &r.document, &r.Inputs, &r.Report}
}

// Record returns the record of a tick; ok is false where there is none (any
// more).
func (s *Store) Record(ctx context.Context, tick int64) (record Record, ok bool, err error) {
	found, ok, err := s.row(ctx, "record", tick)
	return found.Record, ok, err
}

// Document returns the document that was committed for a tick, kept as long as
// its record; ok is false where there is none (any more).
func (s *Store) Document(ctx context.Context, tick int64) (doc []byte, ok bool, err error) {
	found, _, err := s.row(ctx, "document", tick)
	return found.document, found.document != nil, err
}

func (s *Store) row(ctx context.Context, what string, tick int64) (found row, ok bool, err error) {
	err = s.read(ctx, fmt.Sprintf("%s of tick %d", what, tick), func(tx *store.Tx) (err error) {
		found, ok, err = getRow(ctx, tx, tick)
		return err
	})
	return found, ok, err
}

// Records returns at most limit records, newest first, of the ticks before the
// given one; 0 begins with the newest.
func (s *Store) Records(ctx context.Context, before int64, limit int) (records []Record, err error) {
	if before <= 0 {
		before = 1<<63 - 1
	}
	err = s.read(ctx, fmt.Sprintf("records before tick %d", before), func(tx *store.Tx) error {
		ticks, err := store.All(ctx, tx, store.Value[int64], "SELECT tick FROM mind_ticks WHERE tick < ? ORDER BY tick DESC LIMIT ?", before, limit)
		for _, tick := range ticks {
			found, _, err := getRow(ctx, tx, tick)
			if err != nil {
				return err
			}
			records = append(records, found.Record)
		}
		return err
	})
	return records, err
}

// TicksSince are the numbers of the ticks on record since then, the oldest first.
func (s *Store) TicksSince(ctx context.Context, since time.Time) ([]int64, error) {
	return all(ctx, s, "ticks since "+since.Format(time.RFC3339), store.Value[int64], "SELECT tick FROM mind_ticks WHERE at >= ? ORDER BY tick", since.UnixNano())
}

// getRow reads and unpacks a row, with the row it is packed against.
func getRow(ctx context.Context, tx *store.Tx, tick int64) (r row, ok bool, err error) {
	packed, ok, err := getPacked(ctx, tx, tick)
	if err != nil || !ok {
		return row{}, false, err
	}
	var against row
	if packed.base.Valid {
		base, there, err := getPacked(ctx, tx, packed.base.Int64)
		if err == nil && (!there || base.base.Valid) {
			err = errors.New("it is not there, or packed against another")
		}
		if err == nil {
			against, err = transform(base, row{}, store.Unpack)
		}
		if err != nil {
			return row{}, false, fmt.Errorf("tick %d, against which it is packed: %w", packed.base.Int64, err)
		}
	}
	r, err = transform(packed, against, store.Unpack)
	return r, err == nil, err
}

// getPacked reads a row as it is stored.
func getPacked(ctx context.Context, tx *store.Tx, tick int64) (packed row, ok bool, err error) {
	return store.One(ctx, tx, (*row).columns, "SELECT "+rowColumns+" FROM mind_ticks WHERE tick = ?", tick)
}

// transform packs or unpacks the columns of r with those of dictionary.
func transform(r, dictionary row, do func(value, dictionary []byte) ([]byte, error)) (row, error) {
	var err error
	for _, column := range []struct {
		value      *[]byte
		dictionary []byte
	}{{&r.document, dictionary.document}, {&r.Inputs, dictionary.Inputs}, {&r.Report, dictionary.Report}} {
		if *column.value, err = do(*column.value, column.dictionary); err != nil {
			return row{}, fmt.Errorf("tick %d: %w", r.Tick, err)
		}
	}
	return r, nil
}

func (r row) size() int { return len(r.document) + len(r.Inputs) + len(r.Report) }

// putRecord adds the row of a tick, packed against an earlier one where that
// makes it much smaller.
func putRecord(ctx context.Context, tx *store.Tx, p *store.Packer, record Record, last time.Time, document []byte) error {
	if record.At.IsZero() || record.Kind == "" {
		return errors.New("the record has no time or no kind")
	}
	if len(document) > maxDocument {
		return fmt.Errorf("the document has %d bytes, more than %d", len(document), maxDocument)
	}
	r := row{Record: record, document: document}
	if document != nil {
		sum := sha256.Sum256(document)
		r.hash = sum[:]
	}
	packed, err := packRow(ctx, tx, p, r)
	if err != nil {
		return err
	}
	lastTick := last.Format(time.RFC3339Nano)
	if lastTick == record.At.Format(time.RFC3339Nano) {
		lastTick = ""
	}
	_, err = tx.Insert(ctx, "mind_ticks", rowColumns+", last_tick", append(packed.columns(), store.Optional(&lastTick))...)
	return err
}

// packRow packs against the newest row that stands on its own, or on its own
// where there is none, where it is too far back, or where little is gained.
func packRow(ctx context.Context, tx *store.Tx, p *store.Packer, r row) (packed row, err error) {
	base, ok, err := store.One(ctx, tx, store.Value[int64], "SELECT coalesce(base, tick) FROM mind_ticks WHERE tick < ? ORDER BY tick DESC LIMIT 1", r.Tick)
	if err != nil {
		return row{}, err
	}
	if ok && r.Tick-base < rebase {
		against, _, err := getRow(ctx, tx, base)
		if err == nil {
			packed, err = transform(r, against, p.Pack)
		}
		if err != nil {
			return row{}, err
		}
		packed.base = sql.NullInt64{Int64: base, Valid: true}
		if packed.size() < r.size()/16 {
			return packed, nil
		}
	}
	alone, err := transform(r, row{}, p.Pack)
	if err != nil || packed.size() == 0 || alone.size() < 2*packed.size() {
		return alone, err
	}
	return packed, nil
}
