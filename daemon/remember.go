package daemon

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/internal/wake"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/threads"
)

// recollection lets threads and deliberations recall what is remembered and what
// was said.
type recollection struct{ *Daemon }

var (
	_ threads.MemoryReader       = recollection{}
	_ threads.ConversationReader = recollection{}
)

// into is the key of a context for the deliberation that something is recalled into.
type into struct{}

// SearchMemory implements threads.MemoryReader.
func (r recollection) SearchMemory(ctx context.Context, words string, agents bool, limit int) ([]threads.Memory, error) {
	q := memory.Query{Words: words, Limit: limit, Into: memory.Threads}
	if agents {
		q.Lane = memory.Agents
	}
	if deliberation, ok := ctx.Value(into{}).(string); ok {
		q.Into = deliberation
	}
	hits, err := r.memory.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	var found []threads.Memory
	for _, hit := range hits {
		found = append(found, threadMemory(hit.Record))
	}
	return found, nil
}

// Memory implements threads.MemoryReader.
func (r recollection) Memory(ctx context.Context, id string) (threads.Memory, error) {
	kept, _, err := r.memory.Validate(ctx, id)
	switch {
	case errors.Is(err, memory.ErrNotFound), err == nil && (kept.Status != memory.Active || kept.Lane != memory.Trusted):
		return threads.Memory{}, threads.ErrNoMemory
	case err != nil:
		return threads.Memory{}, err
	}
	return threadMemory(kept), nil
}

func threadMemory(r memory.Record) threads.Memory {
	return threads.Memory{ID: r.ID, Kind: string(r.Kind), Text: r.Text, Trust: r.Trust, Created: r.Created, Tags: r.Tags, Agent: r.By(), Doubt: r.Doubt()}
}

// saidFound is how many messages a search gives.
const saidFound = 10

// SearchConversations implements threads.ConversationReader.
func (r recollection) SearchConversations(ctx context.Context, words string, days int) ([]threads.Said, error) {
	found, err := r.chat.Search(ctx, chat.Query{Words: words, Since: r.now().AddDate(0, 0, -days), Limit: saidFound})
	if err != nil {
		return nil, err
	}
	// What only stands beside the words would show, and taint with, whoever said it.
	found = slices.DeleteFunc(found, func(f chat.Found) bool { return f.Beside })
	var names []string
	for _, f := range found {
		names = append(names, f.Conversation)
	}
	began, err := r.chat.Began(ctx, names...)
	if err != nil {
		return nil, err
	}
	var said []threads.Said
	for _, f := range found {
		by := began[f.Conversation]
		said = append(said, threads.Said{
			Conversation: f.Conversation, Began: string(by.Author), BeganName: by.Name, Author: string(f.Author), Name: f.Name, Trust: f.Trust, At: f.At, Text: f.Text,
		})
	}
	return said, nil
}

// rank reads memory and conversations in beside everything else, so that they are
// searched well.
func (d *Daemon) rank(ctx context.Context) error {
	ctx, reading := d.beside(ctx, "stop reading memory and conversations in")
	d.read = make(chan struct{})
	reading.Go(func() {
		defer close(d.read)
		for _, rank := range []func(context.Context) error{d.memory.Rank, d.chat.Rank} {
			if err := rank(ctx); err != nil && ctx.Err() == nil {
				d.options.Logger.Error("searched by full text alone", "error", err)
			}
		}
	})
	return nil
}

// beside returns what something runs in beside everything else, until the daemon stops.
func (d *Daemon) beside(ctx context.Context, stop string) (context.Context, *sync.WaitGroup) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	running := &sync.WaitGroup{}
	d.later(stop, func(within context.Context) error {
		cancel()
		if !wake.Joined(within, running) {
			return errors.New("it has not stopped")
		}
		return nil
	})
	return ctx, running
}
