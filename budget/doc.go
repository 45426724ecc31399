// Package budget keeps hard limits on money, tokens and calls, for a day, a
// month and a thread. What a call may take at worst is debited before it is
// made and settled after it, so that a crash in between leaves the worst case
// spent, and no limit is ever exceeded.
//
// It stores the table budget_charges. The decorator of models calls it around
// every call to a model; status and report read it.
package budget
