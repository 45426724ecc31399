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

// columns returns the two columns of a time.
func columns(t time.Time) (nanoseconds int64, zone int) {
	_, zone = t.Zone()
	return t.UnixNano(), zone
}

// nanoseconds is the column of t, or of at where t is not set.
func nanoseconds(t, at time.Time) int64 {
	if t.IsZero() {
		return at.UnixNano()
	}
	return t.UnixNano()
}

// moment is the time of two columns.
func moment(nanoseconds int64, zone int) time.Time {
	t := time.Unix(0, nanoseconds).UTC()
	if zone == 0 {
		return t
	}
	return t.In(time.FixedZone("", zone))
}

// all returns the rows of a query; what it is says the error.
func all[T any](ctx context.Context, s *Store, what string, columns func(*T) []any, query string, args ...any) ([]T, error) {
	found, err := store.All(ctx, s.db, columns, query, args...)
	if err != nil {
		return nil, fmt.Errorf("mind: %s: %w", what, err)
	}
	return found, nil
}

// one returns the first row of a query, as all does.
func one[T any](ctx context.Context, s *Store, what string, columns func(*T) []any, query string, args ...any) (found T, ok bool, err error) {
	if found, ok, err = store.One(ctx, s.db, columns, query, args...); err != nil {
		return found, false, fmt.Errorf("mind: %s: %w", what, err)
	}
	return found, ok, nil
}
