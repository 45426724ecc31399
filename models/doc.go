// Package models asks models: one interface over all providers, and the
// decorators that every call passes, from the outside in: record, redact (for
// remote models), budget, breaker, retry, timeout. Stack puts them together,
// Fallbacks stands before the stacks of a role, and Converse holds a
// conversation over it: tools, and an answer of the right shape.
//
// Config, Vendors, Presets and Resolve say which model each role has; Prices
// what it costs.
//
// It stores nothing by itself. Drivers live in folders of their own;
// models/roster puts driver and decorators together for each role.
package models
