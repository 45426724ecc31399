package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/bits"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

const (
	// beat is how often the wall clock is read again: timers sleep while
	// the machine does, so a slot that passed meanwhile is noticed at the next
	// beat.
	beat = 30 * time.Second
	// late is how long after its slot a tick still counts as the scheduled one.
	late = 2 * beat
	// earlyEvery is the least time from a tick to an early one, so that a file
	// that is saved all the time does not make the mind think all the time.
	earlyEvery = 5 * time.Second
	// earlyAsking is the same where a tick asks models, which cost.
	earlyAsking = time.Minute
)

// schedule decides when ticks are due. One goroutine does all of it, so that
// ticks of the schedule neither overlap nor pile up: whatever slots passed while
// it was busy, or while the machine slept, make one tick. Which have passed is
// worked out from the wall clock alone.
type schedule struct {
	scheduleOptions
	cancel context.CancelFunc
	ended  chan struct{}
	last   time.Time // up to when slots are taken care of; run's own
	rung   time.Time // the last of Reminds that was taken care of; run's own
}

// scheduleOptions are what a schedule needs.
type scheduleOptions struct {
	Slots slots
	// Now is the wall clock, in the zone of the slots.
	Now func() time.Time
	// Last is the last tick before this start; zero if there was none.
	Last time.Time
	// Jitter is up to how long a scheduled tick is put off.
	Jitter time.Duration
	// Tick runs one tick, and returns at once when ctx is done and it has not
	// begun.
	Tick func(ctx context.Context, kind subconscious.TickKind) error
	// Early is the least time from a tick to an early one.
	Early time.Duration
	// Reminds is when the person is to be reminded next, as the last tick knew.
	Reminds func() time.Time
	// Hints is readable when a sense asks for an early tick, Requests when the
	// person answered something.
	Hints    <-chan struct{}
	Requests <-chan struct{}
	// Alive is told whenever the schedule goes on: after a tick, and at a beat at
	// which none was due; nil tells nobody.
	Alive  func()
	Logger *slog.Logger
}

// newSchedule returns the daemon's schedule, which has not begun.
func (d *Daemon) newSchedule() (*schedule, error) {
	parsed, err := setup.ParseSchedule(d.options.Config.Schedule)
	if err != nil {
		return nil, fmt.Errorf("schedule: %w", err)
	}
	early := earlyEvery
	for _, mode := range d.runner.Modes() {
		if mode == threads.Model {
			early = earlyAsking
		}
	}
	return &schedule{scheduleOptions: scheduleOptions{
		Early: early,
		Slots: newSlots(parsed), Last: d.board.Now().State.LastTick, Jitter: d.options.Config.Jitter, Logger: d.options.Logger,
		Now:     func() time.Time { return d.options.Now().In(d.zoneOrUTC()) },
		Reminds: d.Reminds, Hints: d.collector.Hints(), Requests: d.requests, Alive: d.alive(),
		Tick: func(ctx context.Context, kind subconscious.TickKind) error {
			_, err := d.think(ctx, tickRequest{kind: kind})
			if isPaused(err) {
				d.heart.Wake() // it lives
			}
			return err
		},
	}}, nil
}

// start begins to tick.
func (s *schedule) start() {
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	s.ended = make(chan struct{})
	go s.run(ctx)
}

// run ticks until ctx is done. The first tick is a catch-up where a slot was
// missed, else an early one, so that a restart erases nothing.
func (s *schedule) run(ctx context.Context) {
	defer close(s.ended)
	now := s.Now()
	kind := subconscious.Early
	if s.last = s.Last.In(now.Location()); !s.Last.IsZero() && s.due(now) != "" {
		kind = subconscious.CatchUp
	}
	s.last = now
	s.tick(ctx, kind)
	ticked := time.Now()
	for ctx.Err() == nil {
		if s.Alive != nil {
			s.Alive()
		}
		hints, requests, sleep := s.Hints, s.Requests, s.sleep()
		if rest := s.Early - time.Since(ticked); rest > 0 {
			hints, sleep = nil, min(sleep, rest)
		}
		if rest := earlyEvery - time.Since(ticked); rest > 0 {
			requests, sleep = nil, min(sleep, rest)
		}
		timer := time.NewTimer(sleep)
		select {
		case <-ctx.Done():
		case <-hints:
			s.tick(ctx, subconscious.Early)
			ticked = time.Now()
		case <-requests:
			s.tick(ctx, subconscious.Early)
			ticked = time.Now()
		case <-timer.C:
			if s.wake(ctx) {
				ticked = time.Now()
			}
		}
		timer.Stop()
	}
}

// sleep is how long nothing is due: until the next tick or the next beat.
func (s *schedule) sleep() time.Duration {
	now := s.Now()
	sleep := beat
	if next := s.after(now); !next.IsZero() {
		sleep = min(sleep, next.Sub(now))
	}
	return max(sleep, time.Millisecond)
}

// wake ticks if a slot has passed: one tick, however many have. Where none has, and
// the person is to be reminded now, it is an early one, tried once.
func (s *schedule) wake(ctx context.Context) (ticked bool) {
	now := s.Now()
	kind := s.due(now)
	switch at := s.Reminds(); {
	case kind != "":
		s.last = now
	case at.IsZero() || at.After(now) || at.Equal(s.rung):
		return false
	default:
		kind, s.rung = subconscious.Early, at
	}
	if kind == subconscious.Scheduled && !s.wait(ctx) {
		return false
	}
	s.tick(ctx, kind)
	return true
}

// due says which kind of tick the slots since the last one ask for: "" for
// none, a catch-up where it is too late for a scheduled one.
func (s *schedule) due(now time.Time) subconscious.TickKind {
	if now.Before(s.last.Add(-late)) {
		s.last = now // the clock was set back
		return ""
	}
	first := s.Slots.next(s.last.In(now.Location()))
	if first.IsZero() || first.After(now) {
		return ""
	}
	if second := s.Slots.next(first); now.Sub(first) > late || !second.IsZero() && !second.After(now) {
		return subconscious.CatchUp
	}
	return subconscious.Scheduled
}

// wait waits for a random part of the jitter; false means that the schedule was
// stopped.
func (s *schedule) wait(ctx context.Context) bool {
	if s.Jitter <= 0 {
		return true
	}
	timer := time.NewTimer(rand.N(s.Jitter))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *schedule) tick(ctx context.Context, kind subconscious.TickKind) {
	err := s.Tick(ctx, kind)
	if _, refused := errors.AsType[*api.Error](err); err != nil && ctx.Err() == nil && !refused { // it is paused, or ends
		s.Logger.Error("the tick failed", "kind", string(kind), "error", err)
	}
	debug.FreeOSMemory() // nothing that the tick left over is needed before the next one
}

// next is when the next tick is due; zero while nothing is scheduled.
func (s *schedule) next() time.Time {
	if s == nil {
		return time.Time{}
	}
	return s.after(s.Now())
}

// after is the first slot after t, or the reminder before it.
func (s *schedule) after(t time.Time) time.Time {
	slot := s.Slots.next(t)
	if at := s.Reminds(); at.After(t) && (slot.IsZero() || at.Before(slot)) {
		return at.In(t.Location())
	}
	return slot
}

// stop ends the schedule and waits for the tick that runs.
func (s *schedule) stop(ctx context.Context) error {
	s.cancel()
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("a tick has not ended: %w", ctx.Err())
	}
}

// slots are the times at which ticks are due, in a zone whose clock is put
// forward and back.
//
// What comes several times an hour goes on through both days. What has an hour
// of its own comes once a day: a time that the clock leaps over is due at the
// end of the leap, and one that it shows twice is due the first time. Cron by
// itself would leave out the one and double the other.
type slots struct {
	schedule cron.Schedule
	interval bool
}

func newSlots(schedule cron.Schedule) slots {
	spec, ok := schedule.(*cron.SpecSchedule)
	const star, fields = 1 << 63, 1<<60 - 1 // cron marks "*" with the top bit
	return slots{schedule: schedule, interval: !ok || spec.Hour&star != 0 || bits.OnesCount64(spec.Minute&fields) > 1}
}

// next returns the first slot after t, in the zone of t.
func (s slots) next(t time.Time) time.Time {
	if s.interval {
		return s.schedule.Next(t)
	}
	// Reckoned on a clock that is never put forward or back.
	for shown := clockOf(t); ; {
		if shown = s.schedule.Next(shown); shown.IsZero() {
			return time.Time{}
		}
		if at := firstShown(shown, t.Location()); at.After(t) {
			return at
		}
	}
}

// clockOf is what the clock shows at t, as a time in UTC.
func clockOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// firstShown is when the clock of the zone first shows that time, or when it
// leaps over it.
func firstShown(shown time.Time, zone *time.Location) time.Time {
	at := time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), shown.Second(), 0, zone)
	began, ends := at.ZoneBounds()
	switch clock := clockOf(at); {
	case clock.After(shown):
		return began
	case clock.Before(shown):
		return ends
	case began.IsZero():
		return at
	}
	_, offset := began.Add(-time.Nanosecond).Zone()
	if earlier := shown.Add(-time.Duration(offset) * time.Second); earlier.Before(began) {
		return earlier.In(zone)
	}
	return at
}
