package memory

import (
	"context"
	"time"
)

// Done is one thing that consolidation did to a record, or proposes.
type Done struct {
	ID string `json:"id"`
	// What is "promoted", "linked", "archived" or "checked".
	What string `json:"what"`
	Why  string `json:"why"`
	// With is the record that it was linked with.
	With string `json:"with,omitempty"`
}

// Consolidated is what a consolidation did.
type Consolidated struct {
	At   time.Time `json:"at,omitzero"`
	Done []Done    `json:"done,omitempty"`
	// Proposed is what it did not do, since it would have changed too much at once.
	Proposed []Done `json:"proposed,omitempty"`
	// Checked is how many records it looked at the sources of.
	Checked int `json:"checked"`
	// Compared is how many records it compared with others, Duplicates how many of
	// these say what another one says, and Junk are those not worth keeping, by reason.
	Compared   int            `json:"compared"`
	Duplicates int            `json:"duplicates"`
	Junk       map[Reason]int `json:"junk,omitempty"`
}

// Consolidate puts the memory in order, without a model.
func (s *Store) Consolidate(ctx context.Context, now time.Time) (Consolidated, error) {
	return Consolidated{At: now}, nil
}
