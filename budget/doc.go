// Package budget keeps hard limits on money, tokens and calls, for a day, a
// month and a thread. What a call may take at worst is debited before it is
// made and settled after it, so that a crash in between leaves the worst case
// spent, and no limit is ever exceeded.
//
// It stores the tables budget_charges, budget_days, budget_now and
// budget_carried. The decorator of models calls it around every call to a
// model, the daemon flushes it with each tick; status and report read it.
package budget
