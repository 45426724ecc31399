// Package notifytest has the suite that every channel must pass, and Recorder,
// a channel that keeps what it is sent for the tests of others.
//
// It stores nothing, and only tests import it.
package notifytest
