// Package memory keeps what lasts: facts, insights and notes that the person,
// the deliberation and the mechanics want to have at hand later.
//
// What rests on the word of a stranger or an agent is quarantined: kept in an
// index of its own, never found by a trusted search, and without any influence
// on what one finds or in which order, until the person confirms it.
//
// It stores the tables memory_records, memory_keys, memory_counts and the
// indexes memory_trusted and memory_apart. The daemon opens it; the
// deliberation, the API and the tick call it.
package memory
