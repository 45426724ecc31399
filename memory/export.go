package memory

import (
	"context"
	"errors"
	"io"
)

// Imported counts what came of an import.
type Imported struct {
	Stored int `json:"stored"`
	// Seen are there already with the same text.
	Seen int `json:"seen"`
	// Conflicts are there already with another text, which stays.
	Conflicts int `json:"conflicts"`
	Refused   int `json:"refused"`
	// Forgotten were forgotten by the person, and are not brought back.
	Forgotten int `json:"forgotten"`
	// Problems name the lines that were not taken, at most 100 of them, and why.
	Problems []string `json:"problems,omitempty"`
}

// Export writes all records, whatever their lane and status, under our mark: as "md" to
// be read, or as "jsonl", which Import reads back. Another format wraps ErrInvalid.
func (s *Store) Export(ctx context.Context, w io.Writer, format string) error {
	return errors.ErrUnsupported
}

// Import reads what Export wrote as jsonl. What is no export, or one of another version,
// is an error that wraps ErrInvalid; a line that cannot be taken is one of the Problems.
func (s *Store) Import(ctx context.Context, r io.Reader) (Imported, error) {
	return Imported{}, errors.ErrUnsupported
}
