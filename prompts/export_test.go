package prompts

// OpenCredulous leaves the guard of what others wrote out, for its twin.
func OpenCredulous(dir string) (*Set, error) { return open(dir, func(string) error { return nil }) }
