package senses

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// DefaultDeadline is how long one collect of one sense may take.
const DefaultDeadline = 20 * time.Second

// CollectorOptions say what to collect from.
type CollectorOptions struct {
	// Senses, each of which has a name and an id that no other one has.
	Senses []Sense
	// Deadline of one collect of one sense, 0 for DefaultDeadline; Deadlines are
	// those of single instances.
	Deadline  time.Duration
	Deadlines map[SenseID]time.Duration
	// Redact replaces secrets in whatever a sense reports; nil replaces none.
	Redact func(string) string
	// Random returns a number in [0, 1) for the jitter of backoffs; nil is the
	// default source. It must be safe for concurrent use.
	Random func() float64
	// Logger is told of panics and hanging senses; nil discards it.
	Logger *slog.Logger
}

func (o *CollectorOptions) validate() error {
	seen := map[SenseID]bool{}
	for i, sense := range o.Senses {
		if sense == nil {
			return fmt.Errorf("sense %d is nil", i)
		}
		id := SenseID{sense.Name(), sense.ID()}
		if id.Sense == "" || id.Sense == Person || seen[id] {
			return fmt.Errorf("sense %d: the name %q and id %q are taken or empty", i, id.Sense, id.ID)
		}
		seen[id] = true
	}
	if o.Deadline < 0 {
		return fmt.Errorf("the deadline of a collect is %v", o.Deadline)
	}
	o.Deadline = cmp.Or(o.Deadline, DefaultDeadline)
	if o.Random == nil {
		o.Random = rand.Float64
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return nil
}

// Collector looks through all senses at once, never for longer than their
// deadlines, and knows the health of each.
type Collector struct {
	runners []*runner
	hints   chan struct{}

	// life ends when the collector stops.
	life    context.Context
	end     context.CancelFunc
	forward sync.WaitGroup
	stop    sync.Once
	stopped chan struct{}
	stopErr error
}

// NewCollector starts to listen to the hints of the senses. Stop ends that, and
// the senses.
func NewCollector(options CollectorOptions) (*Collector, error) {
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("collect from senses: %w", err)
	}
	c := &Collector{hints: make(chan struct{}, 1), stopped: make(chan struct{})}
	c.life, c.end = context.WithCancel(context.Background())
	for _, sense := range options.Senses {
		id := SenseID{sense.Name(), sense.ID()}
		deadline := options.Deadline
		if d := options.Deadlines[id]; d > 0 {
			deadline = d
		}
		c.runners = append(c.runners, &runner{
			id: id, sense: sense, deadline: deadline, clean: Cleaner{Redact: options.Redact},
			logger: options.Logger.With("sense", id.String()), random: options.Random,
			health: Health{ID: id.ID, Kind: id.Sense, State: Starting},
		})
		if hinter, ok := sense.(Hinter); ok {
			c.forward.Go(func() { c.pass(hinter.Hints()) })
		}
	}
	return c, nil
}

// IDs returns the sense instances in the order in which they were given.
func (c *Collector) IDs() []SenseID {
	ids := make([]SenseID, len(c.runners))
	for i, r := range c.runners {
		ids[i] = r.id
	}
	return ids
}

// Retry lets the next Collect ask every sense, also those that it would leave
// alone for a while because they failed.
func (c *Collector) Retry() {
	for _, r := range c.runners {
		r.retry()
	}
}

// Collect looks through all senses at the time at and returns what each of them
// brought, in the order in which they were given. cursor returns the cursor
// that was last committed. It returns when every sense has answered or met its
// deadline, and at once when ctx ends; a sense that has not answered by then is
// blind, its answer is thrown away when it comes, and it is not asked again
// before.
func (c *Collector) Collect(ctx context.Context, at time.Time, cursor func(sense, id string) []byte) []Collected {
	collected := make([]Collected, len(c.runners))
	var all sync.WaitGroup
	for i, r := range c.runners {
		all.Go(func() { collected[i] = r.ask(ctx, c.life, at, cursor) })
	}
	all.Wait()
	return collected
}

// Health returns how each sense was when it was last looked through, in the
// order in which they were given. One whose next try is due at the time at keeps
// its health until then.
func (c *Collector) Health(at time.Time) []Health {
	list := make([]Health, len(c.runners))
	for i, r := range c.runners {
		list[i] = r.healthAt(at)
	}
	return list
}

// Hints is readable when a sense has asked for an early tick since it was last
// read.
func (c *Collector) Hints() <-chan struct{} { return c.hints }

// pass hands on the hints of one sense. Any number of them are one until
// somebody reads it.
func (c *Collector) pass(hints <-chan struct{}) {
	for {
		select {
		case <-c.life.Done():
			return
		case _, ok := <-hints:
			if !ok {
				return
			}
			select {
			case c.hints <- struct{}{}:
			default:
			}
		}
	}
}

// Stop cancels what still runs, ends the senses, and waits for all of it until
// ctx ends. Called again it waits for the same end.
func (c *Collector) Stop(ctx context.Context) error {
	c.stop.Do(func() {
		c.end()
		go func() {
			defer close(c.stopped)
			c.stopErr = c.stopAll(ctx)
		}()
	})
	select {
	case <-c.stopped:
		return c.stopErr
	case <-ctx.Done():
	}
	// Those that keep to ctx say at this moment what held them up.
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	select {
	case <-c.stopped:
		return c.stopErr
	case <-timer.C:
		return fmt.Errorf("stop the senses: %w", ctx.Err())
	}
}

// stopGrace is how long Stop waits for reasons after its time is over.
const stopGrace = 200 * time.Millisecond

func (c *Collector) stopAll(ctx context.Context) error {
	errs := make([]error, len(c.runners))
	var all sync.WaitGroup
	for i, r := range c.runners {
		all.Go(func() { errs[i] = r.end(ctx) })
	}
	all.Wait()
	c.forward.Wait()
	return errors.Join(errs...)
}
