package deliberate

import (
	"context"

	"github.com/subconsciousd/subconsciousd/store"
)

// Decode is for the tests of what a model writes for a tool.
func Decode(arguments string, into any) error { return decode(arguments, into) }

// Endings are how names of files end that are left alone.
var Endings = endings

// ErrUnknown is the error of Record for an id that no escalation has.
var ErrUnknown = errUnknown

// Record returns an escalation by its id, or why it cannot be read.
func (w *Worker) Record(ctx context.Context, id string) (r Record, err error) {
	err = w.DB.Read(ctx, func(tx *store.Tx) error {
		found, err := w.find(ctx, tx, id)
		r = found.Record
		return err
	})
	return r, err
}
