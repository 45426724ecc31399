// Package roster has the model of each role ready to be asked: it fetches keys,
// makes drivers, puts the decorators of package models around them, and knows
// how all of them do.
//
// It stores nothing. The daemon opens one from the configuration and hands its
// roles to threads, deliberation and chat; models, doctor and init ask it for
// statuses and live checks.
package roster
