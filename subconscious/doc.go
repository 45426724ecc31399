// Package subconscious holds the state of a mind and the vocabulary that every
// other package shares: observations, evidence, snapshots, thoughts, incidents
// and the document that is published as subconscious.json.
//
// It imports the standard library alone and does no I/O. Mind state (State) is
// stored by store/mind, changed by aggregator.Merge and by nothing else, and
// projected onto the published document by Project.
package subconscious
