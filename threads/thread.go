// Package threads runs the threads of thought: who is asked at a tick, in
// parallel, each under its own deadline, none able to harm another.
//
// It stores nothing. The daemon calls it once a tick.
package threads

import (
	"context"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Thread is one way of looking at what is new.
type Thread interface {
	Name() subconscious.ThreadName
	// Mode is "reflex" or "model".
	Mode() string
	// Think returns what the thread noticed in snapshot.Fields[Name()]. An
	// error means that the thread failed, which is not to have found nothing.
	Think(ctx context.Context, snapshot subconscious.Snapshot) (subconscious.Thought, error)
}
