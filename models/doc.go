// Package models asks models: one interface over all providers, and the
// decorators that every call passes, from the outside in: record, redact (for
// remote models), budget, breaker, retry, timeout.
//
// It stores nothing by itself. Drivers live in folders of their own;
// models/roster puts driver and decorators together for each role.
package models
