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
	hash     []byte
	document []byte
}

// Record returns the record of a tick; ok is false where there is none (any
// more).
func (s *Store) Record(ctx context.Context, tick int64) (record Record, ok bool, err error) {
	err = s.db.Read(ctx, func(tx *store.Tx) error {
		found, err := getRow(ctx, tx, tick)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		record, ok = found.Record, err == nil
		return err
	})
	if err != nil {
		return Record{}, false, fmt.Errorf("mind: record of tick %d: %w", tick, err)
	}
	return record, ok, nil
}

// Records returns at most limit records, newest first, of the ticks before the
// given one; 0 begins with the newest.
func (s *Store) Records(ctx context.Context, before int64, limit int) ([]Record, error) {
	if before <= 0 {
		before = 1<<63 - 1
	}
	var records []Record
	err := s.db.Read(ctx, func(tx *store.Tx) error {
		ticks, err := store.All(ctx, tx, store.Value[int64], "SELECT tick FROM mind_ticks WHERE tick < ? ORDER BY tick DESC LIMIT ?", before, limit)
		if err != nil {
			return err
		}
		for _, tick := range ticks {
			found, err := getRow(ctx, tx, tick)
			if err != nil {
				return err
			}
			records = append(records, found.Record)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("mind: records before tick %d: %w", before, err)
	}
	return records, nil
}

// getRow reads and unpacks a row, with the row it is packed against.
func getRow(ctx context.Context, tx *store.Tx, tick int64) (row, error) {
	packed, base, err := getPacked(ctx, tx, tick)
	if err != nil {
		return row{}, err
	}
	if !base.Valid {
		return transform(packed, row{}, unpack)
	}
	packedAgainst, none, err := getPacked(ctx, tx, base.Int64)
	if err != nil {
		return row{}, fmt.Errorf("tick %d, against which it is packed: %w", base.Int64, err)
	}
	if none.Valid {
		return row{}, fmt.Errorf("tick %d, against which it is packed, is packed against another", base.Int64)
	}
	against, err := transform(packedAgainst, row{}, unpack)
	if err != nil {
		return row{}, err
	}
	return transform(packed, against, unpack)
}

// getPacked reads a row as it is stored.
func getPacked(ctx context.Context, tx *store.Tx, tick int64) (packed row, base sql.NullInt64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT tick, at, zone, kind, base, hash, document, inputs, report FROM mind_ticks WHERE tick = ?", tick).
		Scan(&packed.Tick, store.Time(&packed.At), store.Zone(&packed.At), &packed.Kind, &base, &packed.hash, &packed.document, &packed.Inputs, &packed.Report)
	return packed, base, err
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
func putRecord(ctx context.Context, tx *store.Tx, p *packer, record Record, last time.Time, document []byte) error {
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
	packed, base, err := packRow(ctx, tx, p, r)
	if err != nil {
		return err
	}
	at, zone := columns(record.At)
	lastTick := sql.NullString{String: last.Format(time.RFC3339Nano)}
	lastTick.Valid = lastTick.String != moment(at, zone).Format(time.RFC3339Nano)
	_, err = tx.ExecContext(ctx, `INSERT INTO mind_ticks (tick, at, zone, last_tick, kind, base, hash, document, inputs, report)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		record.Tick, at, zone, lastTick, string(record.Kind), base, packed.hash, packed.document, packed.Inputs, packed.Report)
	return err
}

// packRow packs against the newest row that stands on its own, or on its own
// where there is none, where it is too far back, or where little is gained.
func packRow(ctx context.Context, tx *store.Tx, p *packer, r row) (packed row, base sql.NullInt64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT coalesce(base, tick) FROM mind_ticks WHERE tick < ? ORDER BY tick DESC LIMIT 1", r.Tick).Scan(&base)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return row{}, base, err
	}
	if base.Valid && r.Tick-base.Int64 < rebase {
		against, err := getRow(ctx, tx, base.Int64)
		if err != nil {
			return row{}, base, err
		}
		if packed, err = transform(r, against, p.pack); err != nil {
			return row{}, base, err
		}
		if packed.size() < r.size()/16 {
			return packed, base, nil
		}
	}
	alone, err := transform(r, row{}, p.pack)
	if err != nil || packed.size() == 0 || alone.size() < 2*packed.size() {
		return alone, sql.NullInt64{}, err
	}
	return packed, base, nil
}
