package deliberate

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
)

// maxUnpacked bounds what is read of a body, in bytes.
const maxUnpacked = 1 << 20

// pack returns a value as compressed JSON, and the size of the JSON.
func pack(value any) (body []byte, size int, err error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, 0, err
	}
	var out bytes.Buffer
	packer, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		return nil, 0, err
	}
	if _, err := packer.Write(raw); err != nil {
		return nil, 0, err
	}
	if err := packer.Close(); err != nil {
		return nil, 0, err
	}
	return out.Bytes(), len(raw), nil
}

// unpack reads what pack wrote.
func unpack(body []byte, into any) error {
	raw, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(body)), maxUnpacked))
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	return nil
}
