// Package escalate is the gate: it decides, of each wish that the person be
// told, whether that happens now, later or never, with one named reason. It is
// pure: no I/O, no model, no clock. It keeps the life of an incident with the
// person (subconscious.Telling), which nothing else changes, and learns from
// what the person says of it. It stores nothing.
//
// The daemon calls Decide once a tick, after the merge, and commits what comes
// of it in the transaction of the tick.
package escalate
