// Package stdout is a channel that prints messages, one a line, for who runs
// the daemon in a terminal or reads its log.
//
// It stores nothing. The daemon makes it from the configuration.
package stdout
