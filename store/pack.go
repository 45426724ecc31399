package store

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"sync"
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

// Packer packs values; its zero value is ready, and safe for concurrent use. A
// deflater takes most of a megabyte, so one serves many values.
type Packer struct{ deflaters sync.Pool }

// deflater is a writer and what it writes to.
type deflater struct {
	out bytes.Buffer
	w   *flate.Writer
}

// Pack deflates raw. With a dictionary, which Unpack must be given again, what
// both have in common costs next to nothing. Nil stays nil.
func (p *Packer) Pack(raw, dictionary []byte) ([]byte, error) {
	switch {
	case raw == nil:
		return nil, nil
	case len(raw) > maxRaw:
		return nil, fmt.Errorf("pack: %d bytes are more than %d", len(raw), maxRaw)
	case len(raw) <= small:
		return append([]byte{asIs}, raw...), nil
	}
	d, ok := p.deflaters.Get().(*deflater)
	if !ok {
		d = new(deflater)
	}
	defer p.deflaters.Put(d)
	start, err := d.begin(tail(dictionary))
	if err == nil {
		_, err = d.w.Write(raw)
	}
	if err == nil {
		err = d.w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return append([]byte{deflated}, d.out.Bytes()[start:]...), nil
}

// begin deflates the dictionary and returns where its output ends, at a whole
// byte. flate.NewWriterDict would be shorter, but what it writes with a short
// dictionary can unpack to the dictionary and the value.
func (d *deflater) begin(dictionary []byte) (int, error) {
	d.out.Reset()
	if d.w == nil {
		var err error
		if d.w, err = flate.NewWriter(&d.out, flate.DefaultCompression); err != nil {
			return 0, err
		}
	}
	d.w.Reset(&d.out)
	if len(dictionary) == 0 {
		return 0, nil
	}
	if _, err := d.w.Write(dictionary); err != nil {
		return 0, err
	}
	err := d.w.Flush()
	return d.out.Len(), err
}

// Unpack reverses Pack.
func Unpack(packed, dictionary []byte) ([]byte, error) {
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
