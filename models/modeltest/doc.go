// Package modeltest stands in for providers of models: servers that speak the
// protocols of OpenAI and Anthropic over real HTTP, answer by a script and fail
// on purpose. The suite that every driver has to pass over them is its folder
// conformance.
//
// It stores nothing. Tests of drivers, of threads and of the daemon use it, and
// so can people: "subconsciousctl models fake" serves it as a dry run that
// needs no key and costs nothing.
package modeltest
