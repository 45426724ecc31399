// Package store opens the one SQLite file of a mind, brings its tables up to
// date with the migrations that other packages hand it, and runs transactions:
// one writer, many readers.
//
// It stores the table store_migrations (package, version, at). Its callers are
// the packages that keep tables of their own (store/mind, senses, …), which
// get a *DB from the daemon.
package store
