package senses

import "slices"

// Commits follows what became of the batches that a sense handed out, each with
// a P to be taken over when its cursor comes back, and not before.
type Commits[P any] struct {
	committed, handed []byte
	started           bool
	pending           *P
}

// Conclude finds out what became of the last batch: the cursor given is the one
// that was committed. It reports whether that is none that this sense knows of:
// at the start, or with another ledger than before. Then what was committed has
// to be read back, and Begin be called.
func (c *Commits[P]) Conclude(given []byte, commit, takeBack func(P)) (anew bool) {
	if p := c.pending; p != nil {
		c.pending = nil
		if string(given) == string(c.handed) {
			c.committed = c.handed
			commit(*p)
		} else {
			takeBack(*p)
		}
	}
	c.started = c.started && string(given) == string(c.committed)
	return !c.started
}

// Begin goes on from the cursor that was committed.
func (c *Commits[P]) Begin(given []byte) { c.started, c.committed = true, slices.Clone(given) }

// Hand notes what is handed out with a cursor, and returns the cursor.
func (c *Commits[P]) Hand(cursor []byte, p P) []byte {
	c.handed, c.pending = slices.Clone(cursor), &p
	return cursor
}

// Committed is the last cursor that was committed; nil before the first.
func (c *Commits[P]) Committed() []byte { return c.committed }

// Pending is what was handed out and is not known to be committed, nil for none.
func (c *Commits[P]) Pending() *P { return c.pending }

// Started reports whether what was committed is known.
func (c *Commits[P]) Started() bool { return c.started }
