package prompts

import (
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Thread is what the prompt of a thread of thought is made of.
type Thread struct {
	// At is in the mind's zone.
	At time.Time
	// State is the whole mind: its entries, what was escalated, and what this
	// thread found in its last ticks.
	State subconscious.State
	// Field is what the thread is shown of the world.
	Field subconscious.Field
	// MaxBytes bounds the part of the moment; 0 means 24 KiB.
	MaxBytes int
}

// Prompt is what a model is told.
type Prompt struct {
	// System is the same at each call, User is of the moment.
	System, User string
	// Hash is of both, in hexadecimal.
	Hash string
	// Shown are the references in it, those that entries name included. Left
	// are those of the new and wider observations that found no room.
	Shown, Left []subconscious.Ref
	// Omitted says in words what was left out of the part of the moment.
	Omitted string
}

// Watcher makes the watcher's prompt.
func (s *Set) Watcher(in Thread) (Prompt, error) { return s.Thread(subconscious.Watcher, in) }

// Librarian makes the librarian's prompt.
func (s *Set) Librarian(in Thread) (Prompt, error) { return s.Thread(subconscious.Librarian, in) }

// Oracle makes the oracle's prompt.
func (s *Set) Oracle(in Thread) (Prompt, error) { return s.Thread(subconscious.Oracle, in) }

// Dreamer makes the dreamer's prompt.
func (s *Set) Dreamer(in Thread) (Prompt, error) { return s.Thread(subconscious.Dreamer, in) }
