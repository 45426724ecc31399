package setup

// Variables are the names of the environment variables that Load reads as
// overrides.
func Variables() (names []string) {
	root().walk("", func(_ string, f field) {
		if f.env != "" {
			names = append(names, f.env)
		}
	})
	return names
}
