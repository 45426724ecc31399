// Package threads runs the threads of thought: who is asked at a tick, in
// parallel, each under its own deadline, none able to harm another.
//
// It also has the read tools, of threads and of deliberations, which say whose
// words they show.
//
// It stores nothing. The daemon calls it once a tick, and for the tools of each
// deliberation.
package threads

import (
	"context"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Thread is one way of looking at what is new.
type Thread interface {
	Name() subconscious.ThreadName
	// Mode is "reflex" or "model".
	Mode() string
	// Think returns what the thread noticed in snapshot.Fields[Name()]. An
	// error means that the thread failed, which is not to have found nothing.
	Think(ctx context.Context, snapshot subconscious.Snapshot) (Answer, error)
}

// The modes of thinking.
const (
	Reflex = "reflex"
	Model  = "model"
)

// Answer is what a thread brought back from one tick.
type Answer struct {
	Thought subconscious.Thought
	// Mode is how it thought this time; empty means its usual mode. A thread
	// with a model falls back to Reflex where the model cannot be had.
	Mode string
	// Reason says in plain words why it thought otherwise than usual: reflex
	// for a model, or a listed fallback for the model of the role.
	Reason string
	// Model is "PROVIDER/MODEL", whoever answered; empty for reflex.
	Model string
	// Shown is what it was shown beside what is new and wider: what stands,
	// and what its tools returned.
	Shown []subconscious.Ref
	// Unshown are those of what is new and wider that found no room in the
	// prompt: they stay new, and may not be cited.
	Unshown []subconscious.Ref
	// Calls counts requests to models, those that failed included; Tokens what
	// they took in and gave out, Cached those of them that a provider had kept.
	Calls, Tokens, Cached int
	// Cost of the calls, whether they helped or not.
	Cost budget.Money
	// Failures are calls that failed, in plain words, also where another model
	// or reflex helped.
	Failures []string
}

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
	case subconscious.Watcher: // what just happened
		return nature{senses: []string{"mail", "health", "calendar", "files", "person", "exec", "post", "feeds"},
			tools: []string{readMailTool, listEventsTool, readFileTool, healthTool}, machine: true}
	case subconscious.Librarian: // what was written and said, and what came before
		return nature{senses: []string{"notes", "conversation", "person", "mail", "health"},
			tools: []string{searchNotesTool, readFileTool, searchMemoryTool, searchAgentsTool, getMemoryTool, searchConversationsTool}}
	case subconscious.Oracle: // whatever has a date ahead; the notes it searches as it does the memory
		return nature{tools: []string{listEventsTool, searchNotesTool, readMailTool, searchMemoryTool}}
	case subconscious.Dreamer: // all of it, sideways
		return nature{tools: []string{searchNotesTool, searchMemoryTool}}
	}
	return nature{}
}
