// Package conformance is the suite that every driver of models must pass: each
// driver's tests run it over a real connection to the scripted servers of
// models/modeltest, with every fault that they know.
//
// It stores nothing, and only tests import it.
package conformance
