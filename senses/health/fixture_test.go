package health

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// maxFixture bounds a fixture's file, in bytes.
const maxFixture = 1 << 20

// Fixture is a Reader over a made-up machine. With a Path the file is read at each collect, so that it may change;
// without one the Reading is returned as it is.
type Fixture struct {
	Path    string
	Reading Reading
}

var _ Reader = (*Fixture)(nil)

// Read returns the made-up reading.
func (f *Fixture) Read(ctx context.Context) (Reading, error) {
	if err := ctx.Err(); err != nil {
		return Reading{}, err
	}
	if f.Path == "" {
		return f.Reading, nil
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return Reading{}, fmt.Errorf("read the health fixture: %w", err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFixture+1))
	if err != nil {
		return Reading{}, fmt.Errorf("read the health fixture %s: %w", f.Path, err)
	}
	return ParseReading(content)
}

// ParseReading reads one Reading as JSON, of at most 1 MiB. An unknown key is
// an error.
func ParseReading(content []byte) (Reading, error) {
	if len(content) > maxFixture {
		return Reading{}, fmt.Errorf("health reading: larger than %d bytes", maxFixture)
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	var r Reading
	if err := decoder.Decode(&r); err != nil {
		return Reading{}, fmt.Errorf("health reading: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return Reading{}, fmt.Errorf("health reading: something follows the JSON object")
	}
	return r, nil
}
