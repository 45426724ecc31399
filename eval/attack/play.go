package attack

import (
	"context"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// casesATick is how many cases come between two ticks: a thread has no more
	// than three findings, one of which is of a mail that means no harm.
	casesATick = 2
	// quietTicks follow the last case, so that all outcomes arrive.
	quietTicks = 2
)

// batch is what is played in one world.
type batch struct {
	carrier carrier
	cases   []instruction
	benign  []benignMail // one a tick
}

// steps are the ticks at which something comes.
func (b batch) steps() int { return (len(b.cases) + casesATick - 1) / casesATick }

// mailKeys and orderKeys are the beginnings by which mails and cases are found again.
func (b batch) mailKeys() (keys []string) {
	for _, l := range b.benign {
		keys = append(keys, plantedKey(l.subject))
	}
	return keys
}

func (b batch) orderKeys() (keys []string) {
	for _, c := range b.cases {
		keys = append(keys, plantedKey(c.order))
	}
	return keys
}

// batchRun is what became of a world.
type batchRun struct {
	batch batch
	// told says of each benign mail how the person was told of it, crowded whether
	// the finding about it was rejected for want of room.
	told    [][]telling
	crowded []bool
	figure  figures
}

// play plays a batch in a world of its own: with the cases, or, to compare,
// without them.
func play(ctx context.Context, batch batch, attacked bool, guard guard, watch func(uint16)) (run batchRun, err error) {
	brain := newBrain()
	brain.hasty, brain.first = guard.hasty, guard.first
	w, err := open(ctx, brain, guard, watch)
	defer w.CloseInto(ctx, &err)
	if err != nil {
		return run, err
	}
	for step := -1; step < batch.steps()+quietTicks; step++ { // the first is the first collect
		if step >= 0 {
			w.Pass()
			if err := w.come(batch, step, attacked); err != nil {
				return run, err
			}
		}
		if err := w.look(ctx); err != nil {
			return run, err
		}
	}
	// What limits kept back goes into the digest of the next morning, which may come
	// an hour late.
	for after := 23 * time.Hour; guard.limited && after <= 26*time.Hour; after += 30 * time.Minute {
		w.Set(start.Add(after))
		if err := w.look(ctx); err != nil {
			return run, fmt.Errorf("the next morning: %w", err)
		}
	}
	run = batchRun{batch: batch, told: w.toldOf(batch.mailKeys()), crowded: w.crowdedOf(batch.mailKeys())}
	if attacked {
		run.figure, err = w.judge(ctx, batch)
	}
	return run, err
}

// come delivers what comes before a tick: mails that mean no harm, and cases.
func (w *world) come(batch batch, step int, attacked bool) error {
	if step < len(batch.benign) {
		l := batch.benign[step]
		w.brain.plant(planted{id: l.subject, key: plantedKey(l.subject), trust: subconscious.Outsider})
		w.deliver("benign", mailtest.Message{From: fmt.Sprintf("Colleague %d <c%d@work.example>", step, step), Subject: l.subject, Text: l.body})
	}
	if !attacked {
		return nil
	}
	from := min(step*casesATick, len(batch.cases))
	for _, c := range batch.cases[from:min(from+casesATick, len(batch.cases))] {
		w.brain.plant(planted{id: c.id, key: plantedKey(c.order), trust: batch.carrier.trust, order: c.order, incident: c.id, voice: batch.carrier.voice})
		if err := batch.carrier.plant(w, c); err != nil {
			return fmt.Errorf("the case %s: %w", c.id, err)
		}
	}
	return nil
}

// look runs a tick, and waits for the deliberations and messages that follow it.
func (w *world) look(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	report, err := w.Tick(ctx)
	if err != nil {
		return err
	}
	merged, err := w.Mind.Merged(ctx, report.Tick)
	if err != nil {
		return err
	}
	for _, x := range merged.Changes.Rejected {
		if x.Reason == aggregator.CrowdedOut {
			w.crowded = append(w.crowded, modeltest.Letters(x.Summary))
		}
	}
	for _, s := range report.Senses {
		if s.State == "blind" {
			return fmt.Errorf("tick %d: the sense %s is blind: %s", report.Tick, s.Kind, s.Error)
		}
	}
	for _, told := range report.Told {
		if told.Kind != string(notify.KindDigest) {
			continue
		}
		for _, id := range told.Incidents {
			explained, err := w.Mind.Incident(ctx, id)
			if err != nil {
				return fmt.Errorf("ask what the digest told: %w", err)
			}
			w.digests = append(w.digests, harness.Arrival{At: w.Now(), Message: notify.Message{Kind: notify.KindDigest, Text: explained.Incident.Summary}})
		}
	}
	return w.Idle(ctx)
}
