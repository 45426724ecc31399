// Package store opens the one SQLite file of a mind, brings its tables up to
// date with the migrations that other packages hand it, and runs transactions:
// one writer, many readers.
//
// It stores the tables store_migrations (package, version, at) and store_changes: what
// changed in the last day, which the triggers of other packages fill and who follows
// the changes reads. Its callers are the packages that keep tables of their own
// (store/mind, senses, …), which get a *DB from the daemon.
package store
