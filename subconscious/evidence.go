package subconscious

import "time"

// Evidence is all that the mechanics know of an observation, cited or held.
type Evidence struct {
	Ref Ref `json:"ref"`
	// Latest is the observation as it was last recorded, the changes of this tick
	// included. Its text is left out.
	Latest Observation `json:"latest"`
	// Standing: it stands now. Gone: it stood, and its last change was Gone.
	// Neither: momentary, or taken out of the configuration.
	Standing bool `json:"standing,omitempty"`
	Gone     bool `json:"gone,omitempty"`
	// Occurrences are its last recorded changes, oldest first, at most 8, the
	// latest included.
	Occurrences []Occurrence `json:"occurrences,omitempty"`
	// ShownTo are the threads that were shown it this tick, NewTo those of
	// them that had not been shown it since its last change.
	ShownTo []ThreadName `json:"shown_to,omitempty"`
	NewTo   []ThreadName `json:"new_to,omitempty"`
}

// World is what stands, read through its indexes. A World is immutable; the
// ledger makes one for each tick.
type World interface {
	// Get returns the standing observation with that reference.
	Get(ref Ref) (Observation, bool)
	// Due calls yield for the standing observations due in [from, to), in order of
	// their due times, until it returns false.
	Due(from, to time.Time, yield func(Observation) bool)
	// Of calls yield for the standing observations of one sense ("health"), in
	// order of reference, until it returns false.
	Of(sense string, yield func(Observation) bool)
	// Sharing returns up to limit standing observations that carry the link or the
	// term (see Terms), in order of reference. Terms are asked for as
	// "term:word". The count is of all that carry it.
	Sharing(key string, limit int) (observations []Observation, count int)
}
