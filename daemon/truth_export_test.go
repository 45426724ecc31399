package daemon

import (
	"context"

	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/threads"
)

// Remembered is the memory, and Talk where it is talked.
func (d *Daemon) Remembered() *memory.Store { return d.memory }
func (d *Daemon) Talk() *chat.Log           { return d.chat }

// Recall is how threads and deliberations recall.
func (d *Daemon) Recall(ctx context.Context, words string) ([]threads.Memory, error) {
	return recollection{d}.SearchMemory(ctx, words, false, 10)
}
