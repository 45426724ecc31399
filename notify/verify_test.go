package notify_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/store"
)

// lost is what a message meets that does not arrive, though nobody knows.
func lost() error { return errors.New("broke off") }

func times[T any](n int, of T) (list []T) {
	for range n {
		list = append(list, of)
	}
	return list
}

// What becomes of a message whose sending breaks off, where its channel is
// asked.
func TestVerified(t *testing.T) {
	blind, later := notifytest.Sight{Err: refused()}, notifytest.Sight{Err: unavailable()}
	for _, test := range []struct {
		name     string
		urgent   bool
		outcomes []error
		says     []notifytest.Sight
		state    notify.State
		attempts int
		arrived  int
		repeated bool
	}{
		{"it arrived", true, []error{unknown()}, nil, notify.StateSent, 1, 1, false},
		{"it did not", true, []error{lost()}, nil, notify.StateSent, 2, 1, false},
		{"it did not, and is not urgent", false, []error{lost()}, nil, notify.StateSent, 2, 1, false},
		{"it did not ten times, and then did", true, append(times(10, lost()), unknown()), nil, notify.StateSent, 11, 1, false},
		{"it never does", true, times(40, lost()), nil, notify.StateFailed, 16, 0, false},
		{"nobody can tell", true, []error{unknown()}, []notifytest.Sight{blind}, notify.StateSent, 2, 2, true},
		{"nobody can tell, and it is not urgent", false, []error{unknown()}, []notifytest.Sight{blind}, notify.StateUnknown, 1, 1, false},
		{"nobody can tell twice", true, []error{unknown(), unknown()}, []notifytest.Sight{blind, blind}, notify.StateUnknown, 2, 2, true},
		{"it cannot be asked for a while, and arrived", true, []error{unknown()}, times(3, later), notify.StateSent, 1, 1, false},
		{"it cannot be asked for a while, and did not", true, []error{lost()}, times(3, later), notify.StateSent, 2, 1, false},
		{"it cannot be asked", true, []error{unknown()}, times(9, later), notify.StateSent, 2, 2, true},
		{"the first is in doubt, the second arrived", true, []error{unknown(), unknown()}, []notifytest.Sight{blind}, notify.StateSent, 2, 2, true},
		{"the first was in doubt, and none arrived", true, []error{lost(), lost()}, []notifytest.Sight{blind}, notify.StateSent, 3, 1, false},
		{"the driver says yes in an error", true, []error{lost()}, []notifytest.Sight{{Arrived: true, Err: refused()}}, notify.StateSent, 2, 1, true},
		{"refused after a doubt", true, []error{lost(), refused()}, nil, notify.StateFailed, 2, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var w notifytest.Witness
				w.Script(test.outcomes...)
				w.Say(test.says...)
				b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &w)}})
				p := incident("a")
				p.Urgent = test.urgent
				since := time.Now()
				b.post(t, p)
				time.Sleep(5 * time.Hour)
				d := b.only(t)
				if d.State != test.state || d.Attempts != test.attempts || d.Repeated != test.repeated || len(w.Messages()) != test.arrived {
					t.Errorf("%+v, arrived %d", d, len(w.Messages()))
				}
				if (d.State != notify.StateSent) != (d.Error != "") || (d.Error != "") != (d.Next != "") {
					t.Errorf("the error is %q, %q", d.Error, d.Next)
				}
				for n, m := range w.Messages() {
					if n > 0 && !m.Repeated || m.Repeated && !test.repeated || m.Repeated != strings.HasSuffix(m.Title, " (possibly repeated)") {
						t.Errorf("message %d is %+v", n, m)
					}
				}
				asked, from := w.Asked()
				for n := range asked {
					if asked[n].Sequence != w.Attempts()[0].Sequence || !from[n].Equal(since) {
						t.Errorf("it is asked for %+v since %s", asked[n], from[n])
					}
				}
			})
		})
	}
}

// A message is looked for at once and after a wait, which grows each time that
// it was lost. A channel that rests is not asked either.
func TestVerifiedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w notifytest.Witness
		w.Script(times(3, lost())...)
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &w)}, Lateness: time.Second})
		start := time.Now()
		b.post(t, incident("a"))
		for _, step := range []struct {
			at              time.Duration
			attempts, asked int
		}{{500 * time.Millisecond, 1, 1}, {1500 * time.Millisecond, 2, 3}, {3500 * time.Millisecond, 3, 4},
			{time.Minute, 4, 5}} { // it rests after the third
			time.Sleep(time.Until(start.Add(step.at)))
			synctest.Wait()
			asked, _ := w.Asked()
			if len(w.Attempts()) != step.attempts || len(asked) != step.asked {
				t.Errorf("after %s there were %d attempts and %d questions, want %+v", step.at, len(w.Attempts()), len(asked), step)
			}
		}
		if d := b.only(t); d.State != notify.StateSent || d.Repeated {
			t.Errorf("%+v", d)
		}
	})
}

// slow is a service that has a message a while after its connection broke.
type slow struct {
	late    time.Duration
	sent    map[string]time.Time
	attempt int
}

func (s *slow) Send(_ context.Context, m notify.Message) (notify.Receipt, error) {
	s.attempt++
	if _, ok := s.sent[m.Sequence]; !ok {
		s.sent[m.Sequence] = time.Now()
		return notify.Receipt{}, lost()
	}
	return notify.Receipt{}, nil
}

func (s *slow) Arrived(_ context.Context, m notify.Message, _ time.Time) (bool, error) {
	at, ok := s.sent[m.Sequence]
	return ok && time.Since(at) >= s.late, nil
}

// A service that has it only a while later is given that while, in the same
// process and by the next, whose clock may be another.
func TestVerifiedLate(t *testing.T) {
	for _, test := range []struct {
		late     time.Duration
		attempts int
	}{{0, 1}, {time.Second, 1}, {9 * time.Second, 1}, {11 * time.Second, 2}} {
		for _, restart := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				s := &slow{late: test.late, sent: map[string]time.Time{}}
				options := notify.Options{DB: database(t, store.Memory), Channels: []notify.Channel{channel("phone", s)}}
				b := started(t, options)
				b.post(t, incident("a"))
				synctest.Wait()
				if restart {
					stop(t, b.Outbox)
					b = started(t, options)
				}
				time.Sleep(time.Minute)
				if d := b.only(t); d.State != notify.StateSent || d.Repeated || s.attempt != test.attempts {
					t.Errorf("%+v: %+v, sent %d times", test, d, s.attempt)
				}
				stop(t, b.Outbox)
			})
		}
	}
}

// What a process that was killed was sending is looked for, once its clock says
// that the service had its time, and however often it is killed meanwhile.
func TestVerifiedAfterARestart(t *testing.T) {
	for _, urgent := range []bool{false, true} {
		for _, arrived := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				var w notifytest.Witness
				options := notify.Options{DB: database(t, store.Memory), Channels: []notify.Channel{channel("phone", &w)}}
				p := incident("a")
				p.Urgent = urgent
				b := opened(t, options)
				b.post(t, p)
				b.force(t, "UPDATE notify_outbox SET state = 'sending', attempts = 1")
				w.Say(times(2, notifytest.Sight{Arrived: false})...)
				w.Say(notifytest.Sight{Arrived: arrived})
				for range 5 {
					b = started(t, options)
					time.Sleep(3 * time.Second)
					stop(t, b.Outbox)
				}
				d := b.only(t)
				if d.State != notify.StateSent || d.Repeated || len(w.Messages()) != 1 || w.Messages()[0].Repeated {
					t.Errorf("urgent %t, arrived %t: %+v, %+v", urgent, arrived, d, w.Messages())
				}
			})
		}
	}
}

// A doubt outlasts the use of a message: it is looked for once more, and not
// sent again.
func TestVerifiedTooLate(t *testing.T) {
	for _, arrived := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var w notifytest.Witness
			w.Script(lost())
			w.Say(notifytest.Sight{}, notifytest.Sight{Arrived: arrived})
			b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &w)}})
			p := incident("a")
			p.Expires = time.Now().Add(4 * time.Second)
			b.post(t, p)
			time.Sleep(time.Hour)
			want := notify.StateExpired
			if arrived {
				want = notify.StateSent
			}
			if d := b.only(t); d.State != want || len(w.Attempts()) != 1 {
				t.Errorf("arrived %t: %+v", arrived, d)
			}
		})
	}
}

// A clock that is set back while a message is in doubt puts off nothing.
func TestVerifiedClockSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w notifytest.Witness
		w.Script(lost())
		var back atomic.Int64
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &w)}, Now: func() time.Time { return time.Now().Add(-time.Duration(back.Load())) }})
		b.post(t, incident("a"))
		synctest.Wait()
		back.Store(int64(3 * time.Hour))
		time.Sleep(2 * time.Minute)
		if d := b.only(t); d.State != notify.StateSent || d.Repeated {
			t.Errorf("%+v", d)
		}
	})
}

// hanging is a channel that takes each message and breaks off, and does not
// answer when it is asked.
type hanging struct {
	notifytest.Recorder
	deaf bool // not even when its time is over
	end  chan struct{}
}

func (h *hanging) Arrived(ctx context.Context, _ notify.Message, _ time.Time) (bool, error) {
	if h.deaf {
		<-h.end
	}
	<-ctx.Done()
	return false, ctx.Err()
}

// endsUnknown wants nobody to know within a minute whether the message came.
func (b box) endsUnknown(t *testing.T) {
	t.Helper()
	time.Sleep(time.Minute)
	if d := b.only(t); d.State != notify.StateUnknown {
		t.Errorf("%+v", d)
	}
}

// A channel that does not answer holds up nothing for long, and not the end.
func TestVerifierThatHangs(t *testing.T) {
	for _, deaf := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := &hanging{deaf: deaf, end: make(chan struct{})}
			h.Script(unknown())
			options := notify.Options{DB: database(t, store.Memory), Channels: []notify.Channel{channel("phone", h)}}
			b := started(t, options)
			b.post(t, incident("a"))
			synctest.Wait()
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := b.Stop(ctx); (err != nil) != deaf || time.Since(began) > 5*time.Second {
				t.Errorf("stopped after %s: %v", time.Since(began), err)
			}
			close(h.end)
			b = running(t, options)
			b.endsUnknown(t)
		})
	}
}

// A driver that panics when it is asked cannot tell.
func TestVerifierThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", panics{})}})
		b.post(t, incident("a"))
		b.endsUnknown(t)
	})
}

type panics struct{}

func (panics) Send(context.Context, notify.Message) (notify.Receipt, error) {
	return notify.Receipt{}, lost()
}
func (panics) Arrived(context.Context, notify.Message, time.Time) (bool, error) { panic("no") }

// seeing is a fate that can be asked.
type seeing struct{ *fate }

func (s seeing) Arrived(_ context.Context, m notify.Message, _ time.Time) (bool, error) {
	return len(s.arrived[m.Sequence]) > 0, nil
}

// Where the channel can be asked, each message arrives once, without a mark, or
// the outbox says that it did not; nothing stays unknown.
func TestVerifiedStatesAreTrue(t *testing.T) {
	property(t, func(f *fate) notify.Notifier { return seeing{f} }, func(f *fate, p notify.Post, d notify.Delivery) error {
		came, last := 0, time.Time{}
		for n, m := range f.sent {
			if m.Repeated || strings.HasSuffix(m.Title, "(possibly repeated)") {
				return errors.New("one is marked")
			}
			if m.Title == p.Title {
				came, last = len(f.arrived[m.Sequence]), f.when[n]
			}
		}
		switch {
		case came > 1, (d.State == notify.StateSent) != (came == 1):
			return fmt.Errorf("it arrived %d times", came)
		case d.State != notify.StateSent && d.State != notify.StateExpired && d.State != notify.StateFailed:
			return errors.New("it has not ended")
		case !d.Expires.After(last):
			return fmt.Errorf("it was sent at %s", last)
		}
		return nil
	})
}
