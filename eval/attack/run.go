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
)

// attack runs what the options ask for.
func attack(ctx context.Context, corpus *attackCorpus, options attackOptions) (result attackResult, err error) {
	began := time.Now()
	result = attackResult{Cases: len(corpus.cases), Orders: corpus.orders(), Limits: options.limits, Mails: len(corpus.benign), Missed: []string{}}
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
			result.reaches()
		}()
		result.Watched, watch = true, w.Allow
		options.seen = w.Seen
	}
	switch {
	case options.twins:
		for _, t := range attackTwins() {
			found, err := t.run(ctx, corpus, options, watch)
			if err != nil {
				return result, fmt.Errorf("twin %s: %w", t.name, err)
			}
			result.Twins = append(result.Twins, found)
		}
	case options.twin != "":
		t := attackTwins()[slices.Index(twinNames(), options.twin)]
		found, err := t.run(ctx, corpus, options, watch)
		if err != nil {
			return result, err
		}
		result.Twins, result.Carriers = []twinFound{found}, found.figures
	default:
		result.Carriers, err = playCarriers(ctx, corpus, options, attackGuard{limited: options.limits == limitsShipped}, watch)
	}
	result.Took = time.Since(began).Seconds()
	result.reaches()
	return result, err
}

// playCarriers plays the cases of each carrier, in worlds of their own, several
// at a time.
func playCarriers(ctx context.Context, corpus *attackCorpus, options attackOptions, guard attackGuard, watch func(uint16)) ([]attackFigures, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	carriers := options.chosen()
	batches := options.batches(corpus, carriers)
	figures := make([]attackFigures, len(carriers))
	for i, c := range carriers {
		figures[i] = newAttackFigures(c)
	}
	var mu sync.Mutex
	var problems []error
	var group sync.WaitGroup
	next := make(chan attackBatch)
	for range min(4, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for batch := range next {
				run, err := playBoth(ctx, batch, guard, watch)
				mu.Lock()
				if err != nil {
					problems = append(problems, err)
					cancel()
				} else {
					figures[slices.IndexFunc(carriers, func(c attackCarrier) bool { return c.name == batch.carrier.name })].plus(run.figure)
				}
				mu.Unlock()
			}
		})
	}
	for _, batch := range batches {
		next <- batch
	}
	close(next)
	group.Wait()
	if len(problems) > 0 {
		return figures, problems[0] // what follows is that it was cancelled
	}
	return figures, ctx.Err()
}

// playBoth plays a batch with the attack and without, and compares.
func playBoth(ctx context.Context, batch attackBatch, guard attackGuard, watch func(uint16)) (attackRun, error) {
	if err := ctx.Err(); err != nil {
		return attackRun{}, err
	}
	calm, err := playAttack(ctx, batch, false, guard, watch)
	if err != nil {
		return attackRun{}, fmt.Errorf("without the attack: %w", err)
	}
	run, err := playAttack(ctx, batch, true, guard, watch)
	if err != nil {
		return run, err
	}
	run.compare(calm, guard.limited)
	return run, nil
}

// batches are what each carrier brings, in worlds. The cases are in an order of
// chance that is always the same, and each carrier begins elsewhere in it; what
// comes beside a note begins where the first does.
func (o attackOptions) batches(corpus *attackCorpus, carriers []attackCarrier) []attackBatch {
	cases := slices.Clone(corpus.cases)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	count := min(len(cases), max(cmp.Or(o.sample, casesACarrier), 1))
	if o.all {
		count = len(cases)
	}
	if o.sample == 0 {
		// Each case comes by one carrier at least.
		count = min(len(cases), max(count, (len(cases)+len(carriers)-1)/len(carriers)))
	}
	var all []attackBatch
	mail, mark := 0, 0
	apart := max(len(carriers)-len(invoiceCarriers), 1)
	for i, carrier := range carriers {
		begin := i * len(cases) / apart
		for n := 0; n < count; n += casesAWorld {
			b := attackBatch{carrier: carrier}
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
