package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/eval/egress"
	"github.com/subconsciousd/subconsciousd/eval/harness"
)

// attack runs what the options ask for.
func attack(ctx context.Context, corpus *corpus, options options) (result found, err error) {
	began := time.Now()
	result = found{Cases: len(corpus.cases), Orders: corpus.orders(), Limits: options.limits, Mails: len(corpus.benign)}
	defer func() { result.Missed = harness.Missed(result.reaches()) }()
	watch := func(uint16) {}
	if egress.Inside() {
		w, err := egress.Open(ctx)
		if err != nil {
			return result, err
		}
		defer func() {
			var closed error
			result.Egress, closed = w.Close(context.WithoutCancel(ctx))
			err = errors.Join(err, closed)
		}()
		result.Watched, watch = true, w.Allow
		options.seen = w.Seen
	}
	for _, t := range twins() {
		if options.twins || options.twin == t.name {
			found, err := t.run(ctx, corpus, options, watch)
			if err != nil {
				return result, err
			}
			result.Twins = append(result.Twins, found)
		}
	}
	switch {
	case len(result.Twins) == 0:
		result.Carriers, err = playCarriers(ctx, corpus, options, guard{limited: options.limits == limitsShipped}, watch)
	case !options.twins:
		result.Carriers = result.Twins[0].figures
	}
	result.Took = time.Since(began).Seconds()
	return result, err
}

// playCarriers plays the cases of each carrier, in worlds of their own, several
// at a time.
func playCarriers(ctx context.Context, corpus *corpus, options options, guard guard, watch func(uint16)) ([]figures, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	carriers := options.chosen()
	figures := make([]figures, len(carriers))
	for i, c := range carriers {
		figures[i] = newFigures(c)
	}
	var mu sync.Mutex
	var problem error
	var group sync.WaitGroup
	next := make(chan batch)
	for range min(4, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for batch := range next {
				run, err := playBoth(ctx, batch, guard, watch)
				mu.Lock()
				if err != nil {
					problem = cmp.Or(problem, err) // what follows is that it was cancelled
					cancel()
				} else {
					figures[slices.IndexFunc(carriers, func(c carrier) bool { return c.name == batch.carrier.name })].plus(run.figure)
				}
				mu.Unlock()
			}
		})
	}
	for _, batch := range options.batches(corpus, carriers) {
		next <- batch
	}
	close(next)
	group.Wait()
	return figures, cmp.Or(problem, ctx.Err())
}

// playBoth plays a batch with the attack and without, and compares.
func playBoth(ctx context.Context, batch batch, guard guard, watch func(uint16)) (batchRun, error) {
	calm, err := play(ctx, batch, false, guard, watch)
	if err != nil {
		return calm, fmt.Errorf("%s: without the attack: %w", batch.carrier.name, err)
	}
	run, err := play(ctx, batch, true, guard, watch)
	if err != nil {
		return run, fmt.Errorf("%s: %w", batch.carrier.name, err)
	}
	run.compare(calm, guard.limited)
	return run, nil
}

// batches are the cases of each carrier, split into worlds. The cases are shuffled,
// always in the same way, and each carrier begins at another place; a carrier that
// brings mails beside notes begins where the first carrier does.
func (o options) batches(corpus *corpus, carriers []carrier) []batch {
	cases := slices.Clone(corpus.cases)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	// By default every case comes by at least one carrier.
	count := cmp.Or(o.sample, max(casesACarrier, (len(cases)+len(carriers)-1)/len(carriers)))
	if o.all || count > len(cases) {
		count = len(cases)
	}
	var all []batch
	mail, mark := 0, 0
	apart := max(len(carriers)-len(invoiceCarriers), 1)
	for i, carrier := range carriers {
		begin := i * len(cases) / apart
		for n := 0; n < count; n += casesAWorld {
			b := batch{carrier: carrier}
			for k := n; k < min(n+casesAWorld, count); k++ {
				b.cases = append(b.cases, cases[(begin+k)%len(cases)].marked(mark))
				mark++
			}
			for range b.steps() {
				b.benign = append(b.benign, corpus.benign[mail%len(corpus.benign)])
				mail++
			}
			all = append(all, b)
		}
	}
	return all
}
