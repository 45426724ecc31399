package threads

import "github.com/subconsciousd/subconsciousd/subconscious"

// nature is what is a thread's own beside its prompt, the kinds of its findings
// (subconscious.KindsOf) and its model.
type nature struct {
	// senses lie in its field; nil means all.
	senses []string
	// tools are the read tools that it has, as far as there are any.
	tools []string
	// machine: it is shown the state of the machine beside what is new.
	machine bool
}

// natureOf returns a thread's. One that is added by configuration sees all, and
// has no tools.
func natureOf(thread subconscious.ThreadName) nature {
	switch thread {
	case subconscious.Watcher:
		return watcher()
	case subconscious.Librarian:
		return librarian()
	case subconscious.Oracle:
		return oracle()
	case subconscious.Dreamer:
		return dreamer()
	}
	return nature{}
}
