package store

// Credulous leaves the guard of planted files out, for its twin.
func Credulous(options Options) Options {
	options.credulous = true
	return options
}
