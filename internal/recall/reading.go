package recall

import "sync/atomic"

// Reading is how far the rows of a table are in an index: they are read in once, a few at
// a time beside everything else, and it follows each commit from the start. All but Whole
// and All are called with no other transaction between, as store.Tx.After does.
type Reading struct {
	read  int64 // what is behind this row is still to come
	whole atomic.Bool
}

// Whole reports whether all is in, so that the index answers.
func (r *Reading) Whole() bool { return r.whole.Load() }

// Covers reports whether a row that changes has to be changed in the index, too: it is
// not still to come.
func (r *Reading) Covers(row int64) bool { return row <= r.read || r.whole.Load() }

// atOnce is how many rows are read in while no other transaction can write.
const atOnce = 500

// All reads in until nothing is left. One step takes at most most rows behind one, in
// their order, in a transaction that writes, and says after it which it took last and how
// many they were.
func (r *Reading) All(step func(behind int64, most int, took func(last int64, rows int)) error) error {
	for !r.Whole() {
		if err := step(r.read, atOnce, func(last int64, rows int) {
			r.read = max(r.read, last)
			r.whole.Store(rows < atOnce)
		}); err != nil {
			return err
		}
	}
	return nil
}
