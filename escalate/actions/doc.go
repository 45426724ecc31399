// Package actions runs the programs that the person has configured by name, and
// nothing else: an argument vector, never a shell line, with typed parameters.
// What the policy lets through runs at once; what it does not is a proposal,
// which the person approves with its exact arguments. A proposal expires and
// works once, and a change of the configuration makes it void.
//
// A run is recorded before its program starts. After a crash nobody knows what
// became of it: it is unknown, and is never repeated.
//
// It stores the tables actions_proposals and actions_runs. The deliberation
// proposes and executes through the daemon, the API approves, rejects and
// undoes, and the tick sweeps.
package actions
