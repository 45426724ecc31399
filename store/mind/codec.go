package mind

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

const (
	// maxRaw bounds every packed value before packing and after unpacking.
	maxRaw = 4 << 20
	// window is as far back as deflate reads: more of a dictionary is useless.
	window = 32 << 10
)

// The first byte of a packed value says how it is packed.
const (
	asIs     = 0
	deflated = 1
	// small values are kept as they are.
	small = 128
)

// packer packs values, one after the other; its zero value is ready. The
// deflater in it takes most of a megabyte, so one packer serves a whole tick.
type packer struct {
	out bytes.Buffer
	w   *flate.Writer
}

// pack deflates raw. With a dictionary, which unpack must be given again, what
// both have in common costs next to nothing. Nil stays nil.
func (p *packer) pack(raw, dictionary []byte) ([]byte, error) {
	switch {
	case raw == nil:
		return nil, nil
	case len(raw) > maxRaw:
		return nil, fmt.Errorf("pack: %d bytes are more than %d", len(raw), maxRaw)
	case len(raw) <= small:
		return append([]byte{asIs}, raw...), nil
	}
	start, err := p.begin(tail(dictionary))
	if err == nil {
		_, err = p.w.Write(raw)
	}
	if err == nil {
		err = p.w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return append([]byte{deflated}, p.out.Bytes()[start:]...), nil
}

// begin deflates the dictionary and returns where its output ends, at a whole
// byte. flate.NewWriterDict would be shorter, but what it writes with a short
// dictionary can unpack to the dictionary and the value.
func (p *packer) begin(dictionary []byte) (int, error) {
	p.out.Reset()
	if p.w == nil {
		var err error
		if p.w, err = flate.NewWriter(&p.out, flate.DefaultCompression); err != nil {
			return 0, err
		}
	}
	p.w.Reset(&p.out)
	if len(dictionary) == 0 {
		return 0, nil
	}
	if _, err := p.w.Write(dictionary); err != nil {
		return 0, err
	}
	err := p.w.Flush()
	return p.out.Len(), err
}

// unpack reverses pack.
func unpack(packed, dictionary []byte) ([]byte, error) {
	switch {
	case packed == nil:
		return nil, nil
	case len(packed) > 0 && packed[0] == asIs:
		return append([]byte{}, packed[1:]...), nil
	case len(packed) == 0 || packed[0] != deflated:
		return nil, errors.New("unpack: the value is packed in no known way")
	}
	r := flate.NewReaderDict(bytes.NewReader(packed[1:]), tail(dictionary))
	raw, err := io.ReadAll(io.LimitReader(r, maxRaw+1))
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	if len(raw) > maxRaw {
		return nil, fmt.Errorf("unpack: more than %d bytes", maxRaw)
	}
	return raw, nil
}

func tail(dictionary []byte) []byte {
	return dictionary[max(0, len(dictionary)-window):]
}

// nanoseconds is the column of t, or of at where t is not set.
func nanoseconds(t, at time.Time) int64 {
	if t.IsZero() {
		return at.UnixNano()
	}
	return t.UnixNano()
}

// maxJSON bounds the caller's details of a row.
const maxJSON = 64 << 10

// table is a table whose rows are values of one type.
type table[T any] struct {
	name, columns string
	// places are where in a value its columns are, as Scan takes them.
	places func(*T) []any
	// check refuses what cannot be added, and bounds the rest.
	check func(*T) error
}

func (t table[T]) add(ctx context.Context, tx *store.Tx, values []T) error {
	for _, value := range values {
		if err := t.check(&value); err != nil {
			return err
		}
		if _, err := tx.Insert(ctx, t.name, t.columns, t.places(&value)...); err != nil {
			return err
		}
	}
	return nil
}

// find reads rows; where and in which order says the rest of the query.
func (t table[T]) find(ctx context.Context, s *Store, what, rest string, args ...any) ([]T, error) {
	return all(ctx, s, what, t.places, "SELECT "+t.columns+" FROM "+t.name+" "+rest, args...)
}

// all returns the rows of a query; what it is says the error.
func all[T any](ctx context.Context, s *Store, what string, columns func(*T) []any, query string, args ...any) ([]T, error) {
	found, err := store.All(ctx, s.db, columns, query, args...)
	return found, wrap(what, err)
}

// one returns the first row of a query, as all does.
func one[T any](ctx context.Context, s *Store, what string, columns func(*T) []any, query string, args ...any) (found T, ok bool, err error) {
	found, ok, err = store.One(ctx, s.db, columns, query, args...)
	return found, ok, wrap(what, err)
}

// write runs a transaction; what it is says the error. So does read.
func (s *Store) write(ctx context.Context, what string, do func(*store.Tx) error) error {
	return wrap(what, s.db.Write(ctx, do))
}

func (s *Store) read(ctx context.Context, what string, do func(*store.Tx) error) error {
	return wrap(what, s.db.Read(ctx, do))
}

func wrap(what string, err error) error {
	if err != nil {
		return fmt.Errorf("mind: %s: %w", what, err)
	}
	return nil
}
