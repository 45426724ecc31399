package prompts

// OpenCredulous leaves the guard of what others wrote out, for its twin.
func OpenCredulous(dir string) (*Set, error) { return open(dir, func(string) error { return nil }) }

// OneLine makes one line of a text that anybody may have written.
func OneLine(text string) string { return oneLine(text) }
