package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// clockwork is a schedule in a bubble, whose wall clock can be set. What it
// ticks is noted in words: kind and wall clock.
type clockwork struct {
	*schedule
	t      *testing.T
	zone   *time.Location
	wall   time.Time // at began
	began  time.Time
	hints  chan struct{}
	remind time.Time     // what the ticks say
	takes  time.Duration // how long a tick takes
	mu     sync.Mutex
	offset time.Duration
	ticks  []string
	at     []time.Time
	inside int
	fail   error
}

func newClockwork(t *testing.T, spec, zone, wall string) *clockwork {
	t.Helper()
	location := testutil.Zone(t, zone)
	at, err := time.ParseInLocation("2006-01-02 15:04:05", wall, location)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := setup.ParseSchedule(spec)
	if err != nil {
		t.Fatal(err)
	}
	c := &clockwork{t: t, zone: location, wall: at, began: time.Now(), hints: make(chan struct{}, 1)}
	c.schedule = &schedule{scheduleOptions: scheduleOptions{
		Early: earlyEvery,
		Slots: newSlots(parsed), Now: c.now, Tick: c.tick, Hints: c.hints, Reminds: c.reminds, Logger: slog.New(slog.DiscardHandler),
	}}
	return c
}

func (c *clockwork) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wall.Add(time.Since(c.began) + c.offset)
}

func (c *clockwork) tick(ctx context.Context, kind subconscious.TickKind) error {
	now := c.now()
	c.mu.Lock()
	c.inside++
	if c.inside > 1 {
		c.t.Errorf("two ticks at once at %v", now)
	}
	c.ticks, c.at = append(c.ticks, fmt.Sprintf("%s %s", kind, now.Format("15:04:05"))), append(c.at, now)
	takes := c.takes
	c.mu.Unlock()
	time.Sleep(takes)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inside--
	return c.fail
}

func (c *clockwork) reminds() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.remind
}

func (c *clockwork) reminded(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remind = at
}

// shift sets the wall clock, as suspend and people do: timers do not notice.
func (c *clockwork) shift(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
}

// pass lets time pass, and returns what was ticked meanwhile.
func (c *clockwork) pass(d time.Duration) string {
	time.Sleep(d)
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	said := strings.Join(c.ticks, ", ")
	c.ticks = nil
	return said
}

func (c *clockwork) want(d time.Duration, want string) {
	c.t.Helper()
	if got := c.pass(d); got != want {
		c.t.Fatalf("ticked %q, want %q", got, want)
	}
}

// within runs do in a bubble with a schedule that is stopped at the end.
func within(t *testing.T, spec, zone, wall string, do func(c *clockwork)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := newClockwork(t, spec, zone, wall)
		defer func() {
			if err := c.stop(t.Context()); err != nil {
				t.Error(err)
			}
			if got := c.pass(time.Hour); got != "" {
				t.Errorf("after the stop it ticked %q", got)
			}
		}()
		do(c)
		c.pass(0)
	})
}

func TestScheduledAtTheSlots(t *testing.T) {
	within(t, "*/5 * * * *", "Europe/Berlin", "2026-11-23 12:02:10", func(c *clockwork) {
		c.start()
		c.want(time.Minute, "early 12:02:10")
		c.want(13*time.Minute, "scheduled 12:05:00, scheduled 12:10:00, scheduled 12:15:00")
		if got := c.next().Format("15:04:05"); got != "12:20:00" {
			c.t.Fatalf("the next tick is at %s", got)
		}
	})
}

func TestFirstTickAfterAStart(t *testing.T) {
	for _, c := range []struct{ last, want string }{
		{"", "early 12:02:10"},
		{"12:00:00", "early 12:02:10"},
		{"12:01:30", "early 12:02:10"},
		{"11:59:00", "catch-up 12:02:10"},
		{"03:00:00", "catch-up 12:02:10"},
		{"17:00:00", "early 12:02:10"}, // the clock was set back meanwhile
	} {
		within(t, "*/5 * * * *", "Europe/Berlin", "2026-11-23 12:02:10", func(w *clockwork) {
			if c.last != "" {
				last, err := time.ParseInLocation("2006-01-02 15:04:05", "2026-11-23 "+c.last, w.zone)
				if err != nil {
					w.t.Fatal(err)
				}
				w.Last = last
			}
			w.start()
			w.want(time.Minute, c.want)
			w.want(2*time.Minute, "scheduled 12:05:00")
		})
	}
}

// TestAliveOnlyWhileItGoesOn beats while nothing is due, and not while a tick hangs.
func TestAliveOnlyWhileItGoesOn(t *testing.T) {
	within(t, "0 * * * *", "UTC", "2026-11-23 00:00:01", func(c *clockwork) {
		var beats atomic.Int64
		c.Alive = func() { beats.Add(1) }
		c.start()
		c.pass(59 * time.Minute)
		if least := int64(59 * time.Minute / beat); beats.Load() < least {
			t.Errorf("%d beats in an idle hour, want %d or more", beats.Load(), least)
		}
		c.mu.Lock()
		c.takes = 40 * time.Minute
		c.mu.Unlock()
		c.pass(2 * time.Minute)
		before := beats.Load()
		if c.pass(30 * time.Minute); beats.Load() != before {
			t.Errorf("%d beats while a tick hung", beats.Load()-before)
		}
		if c.pass(10 * time.Minute); beats.Load() == before {
			t.Error("no beat once it had ended")
		}
	})
}

func TestJitterIsBounded(t *testing.T) {
	within(t, "*/5 * * * *", "UTC", "2026-11-23 00:00:01", func(c *clockwork) {
		c.Jitter = time.Minute
		c.start()
		c.pass(10*time.Hour + 2*time.Minute)
		different := map[time.Duration]bool{}
		for _, at := range c.at[1:] {
			off := at.Sub(at.Truncate(5 * time.Minute))
			if off >= time.Minute {
				c.t.Fatalf("put off by %v", off)
			}
			different[off] = true
		}
		if len(c.at) != 1+120 || len(different) < 60 {
			c.t.Fatalf("%d ticks, put off in %d ways", len(c.at), len(different))
		}
	})
}

func TestStopEndsTheJitter(t *testing.T) {
	within(t, "*/5 * * * *", "UTC", "2026-11-23 12:04:59", func(c *clockwork) {
		c.Jitter = 1000 * time.Hour // of which it puts off less than a second once in millions
		c.start()
		c.want(2*time.Second, "early 12:04:59")
	})
}

func TestSuspendGivesOneCatchUp(t *testing.T) {
	within(t, "*/5 * * * *", "Europe/Berlin", "2026-11-23 22:02:10", func(c *clockwork) {
		c.start()
		c.want(4*time.Minute, "early 22:02:10, scheduled 22:05:00")
		c.shift(8 * time.Hour)
		got := c.pass(beat)
		if !strings.HasPrefix(got, "catch-up 06:06:") || strings.Count(got, ",") != 0 {
			c.t.Fatalf("ticked %q within %v of waking", got, beat)
		}
		c.want(10*time.Minute, "scheduled 06:10:00, scheduled 06:15:00")
	})
}

func TestClockIsSet(t *testing.T) {
	within(t, "*/5 * * * *", "Europe/Berlin", "2026-11-23 12:02:10", func(c *clockwork) {
		c.start()
		c.want(4*time.Minute, "early 12:02:10, scheduled 12:05:00")
		c.shift(time.Hour)
		if got := c.pass(beat); !strings.HasPrefix(got, "catch-up 13:06:") || strings.Count(got, ",") != 0 {
			c.t.Fatalf("set forward: ticked %q", got)
		}
		c.want(4*time.Minute, "scheduled 13:10:00")
		c.shift(-time.Hour)
		c.want(10*time.Minute, "scheduled 12:15:00, scheduled 12:20:00")
	})
}

func TestLeapsGiveNeitherMoreNorFewer(t *testing.T) {
	for _, l := range leaps {
		for _, date := range []string{l.forward, l.back} {
			within(t, "*/5 * * * *", l.zone, date+" 00:00:01", func(c *clockwork) {
				c.start()
				c.pass(6 * time.Hour)
				if len(c.at) != 1+72 {
					c.t.Fatalf("%s %s: %d ticks in 6 hours", l.zone, date, len(c.at))
				}
				for i, at := range c.at[2:] {
					if gap := at.Sub(c.at[i+1]); gap != 5*time.Minute {
						c.t.Fatalf("%s %s: %v after the one before, at %v", l.zone, date, gap, at)
					}
				}
			})
			within(t, "30 2 * * *", l.zone, date+" 00:00:01", func(c *clockwork) {
				c.start()
				c.pass(28 * time.Hour)
				if len(c.at) != 3 { // at the start, and once each day
					c.t.Fatalf("%s %s: ticks at %v", l.zone, date, c.at)
				}
			})
		}
	}
}

func TestLongTickIsNotDoubled(t *testing.T) {
	within(t, "*/5 * * * *", "UTC", "2026-11-23 12:04:00", func(c *clockwork) {
		c.start()
		c.want(30*time.Second, "early 12:04:00")
		c.mu.Lock()
		c.takes = 12 * time.Minute // over the slots 12:10 and 12:15
		c.mu.Unlock()
		c.want(2*time.Minute, "scheduled 12:05:00")
		c.mu.Lock()
		c.takes = 0
		c.mu.Unlock()
		got := c.pass(11 * time.Minute)
		if got != "catch-up 12:17:05" {
			c.t.Fatalf("after a tick of 12 minutes: %q", got)
		}
		c.want(3*time.Minute, "scheduled 12:20:00")
	})
}

// What the person set a time for is not left until the next slot; what nobody gets done
// then, as the mind is paused, is not tried again and again.
func TestWakesForAReminder(t *testing.T) {
	within(t, "*/5 * * * *", "Europe/Berlin", "2026-11-23 12:51:10", func(c *clockwork) {
		c.remind = c.wall.Add(110 * time.Second)
		c.fail = errors.New("a fault")
		c.start()
		if c.pass(0); c.next().Format("15:04:05") != "12:53:00" {
			c.t.Fatalf("the next tick is at %v", c.next())
		}
		c.want(5*time.Minute, "early 12:53:00, scheduled 12:55:00")
		c.reminded(c.now().Add(2 * time.Minute))
		c.shift(150 * time.Second) // asleep meanwhile
		if got := c.pass(beat); !strings.HasPrefix(got, "early 12:5") {
			c.t.Fatalf("ticked %q", got)
		}
		c.reminded(time.Time{})
		c.want(2*time.Minute, "scheduled 13:00:00")
	})
}

func TestHintsAreOneEarlyTickAndNotTooOften(t *testing.T) {
	within(t, "*/5 * * * *", "UTC", "2026-11-23 12:01:00", func(c *clockwork) {
		c.start()
		c.want(10*time.Second, "early 12:01:00")
		hint := func() {
			select {
			case c.hints <- struct{}{}:
			default:
			}
		}
		hint()
		hint()
		c.want(time.Second, "early 12:01:10")
		hint()
		c.want(earlyEvery, "early 12:01:15")
		c.pass(time.Minute)
		for range 3000 { // something saves a file all the time
			hint()
			time.Sleep(10 * time.Millisecond)
		}
		if got := strings.Count(c.pass(0), "early"); got > 7 {
			c.t.Fatalf("%d early ticks in half a minute", got)
		}
	})
}

func TestPausedAndFailingTicksGoOn(t *testing.T) {
	within(t, "*/5 * * * *", "UTC", "2026-11-23 12:04:00", func(c *clockwork) {
		c.fail = errors.New("a fault")
		c.start()
		c.want(10*time.Minute, "early 12:04:00, scheduled 12:05:00, scheduled 12:10:00")
	})
}
