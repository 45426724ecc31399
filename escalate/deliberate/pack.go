package deliberate

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

const (
	// maxUnpacked bounds what is read of a body, in bytes.
	maxUnpacked = 1 << 20
	// deflatesFrom is how many bytes are worth compressing.
	deflatesFrom = 512
)

// The first byte of a body says how the JSON behind it is written.
const (
	plainBody    = 0
	deflatedBody = 1
)

// packer writes bodies. A deflater takes most of a megabyte, so one serves many
// of them.
type packer struct{ deflaters sync.Pool }

// pack returns a value as JSON, compressed where that is worth it, and the size
// of the JSON.
func (p *packer) pack(value any) (body []byte, size int, err error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, 0, err
	}
	if len(raw) < deflatesFrom {
		return append([]byte{plainBody}, raw...), len(raw), nil
	}
	var out bytes.Buffer
	out.WriteByte(deflatedBody)
	deflater, ok := p.deflaters.Get().(*flate.Writer)
	if ok {
		deflater.Reset(&out)
	} else if deflater, err = flate.NewWriter(&out, flate.BestSpeed); err != nil {
		return nil, 0, err
	}
	_, err = deflater.Write(raw)
	if err = errors.Join(err, deflater.Close()); err != nil {
		return nil, 0, err
	}
	p.deflaters.Put(deflater)
	return out.Bytes(), len(raw), nil
}

// errUnreadable is wrapped by errors of a record that is damaged, or was written by
// another version.
var errUnreadable = errors.New("the record cannot be read")

// unpack reads what pack wrote.
func unpack(body []byte, into any) (err error) {
	if len(body) == 0 {
		return fmt.Errorf("%w: there is nothing", errUnreadable)
	}
	raw := body[1:]
	switch body[0] {
	case plainBody:
	case deflatedBody:
		if raw, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(raw)), maxUnpacked)); err != nil {
			return fmt.Errorf("%w: %w", errUnreadable, err)
		}
	default:
		return fmt.Errorf("%w: it is written in the unknown form %d", errUnreadable, body[0])
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	return nil
}
