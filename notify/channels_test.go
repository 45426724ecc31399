package notify_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/store"
)

// notifier is a function that sends.
type notifier func(context.Context, notify.Message) (notify.Receipt, error)

func (n notifier) Send(ctx context.Context, m notify.Message) (notify.Receipt, error) {
	return n(ctx, m)
}

func (b box) status(t testing.TB, id string) notify.ChannelStatus {
	t.Helper()
	list, err := b.Statuses(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.ID == id {
			return s
		}
	}
	t.Fatalf("no channel %s in %+v", id, list)
	return notify.ChannelStatus{}
}

// A channel that hangs, and one whose driver does not even heed its context,
// hold up no other one.
func TestHangingChannelsHoldUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hangs, works notifytest.Recorder
		release := hangs.Hold()
		defer release()
		let := make(chan struct{})
		deaf := 0
		b := running(t, notify.Options{Channels: []notify.Channel{channel("hangs", &hangs), channel("works", &works),
			channel("deaf", notifier(func(context.Context, notify.Message) (notify.Receipt, error) {
				deaf++
				<-let
				return notify.Receipt{}, nil
			}))}})
		b.post(t, incident("a"), incident("b"))
		synctest.Wait()
		if n := len(works.Messages()); n != 2 {
			t.Fatalf("%d messages arrived", n)
		}
		time.Sleep(16 * time.Second)
		if d := b.recent(t)[0]; d.Channel != "hangs" || d.State != notify.StateUnknown || d.Error == "" {
			t.Errorf("after the deadline: %+v", d)
		}
		time.Sleep(5 * time.Minute)
		// A call at a time: the deaf driver still has the first one.
		states := map[notify.State]int{}
		for _, d := range b.recent(t) {
			if d.Channel == "deaf" {
				states[d.State]++
			}
		}
		if deaf != 1 || states[notify.StateUnknown] != 1 || states[notify.StatePending] != 1 {
			t.Errorf("%d calls, %v", deaf, states)
		}
		if s := b.status(t, "deaf"); s.State != notify.ChannelFailing || s.Waiting != 1 || s.Error == "" || s.Next == "" {
			t.Errorf("%+v", s)
		}
		close(let)
		synctest.Wait()
		if s := b.status(t, "deaf"); deaf != 2 || s.State != notify.ChannelOK || s.Last.IsZero() {
			t.Errorf("%d calls, %+v", deaf, s)
		}
	})
}

func TestDriverThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", notifier(func(context.Context, notify.Message) (notify.Receipt, error) {
			if calls++; calls == 1 {
				panic("secret")
			}
			return notify.Receipt{}, nil
		}))}})
		b.post(t, incident("a"), incident("b"))
		synctest.Wait()
		if list := b.recent(t); list[0].State != notify.StateUnknown || list[1].State != notify.StateSent {
			t.Errorf("%+v", list)
		}
	})
}

// A channel that is down is left alone for longer and longer, and says so;
// what waited arrives when it is back.
func TestResting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		r.Fail(unavailable())
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &r)}})
		if s := b.status(t, "phone"); s.State != notify.ChannelOK || !s.Answers || !s.Last.IsZero() {
			t.Errorf("at first: %+v", s)
		}
		for n := range 20 {
			b.post(t, incident(fmt.Sprint(n)))
		}
		synctest.Wait()
		s := b.status(t, "phone")
		if s.State != notify.ChannelResting || !s.Until.Equal(time.Now().Add(30*time.Second)) || s.Error != "nobody answers" || s.Next == "" || s.Waiting != 20 {
			t.Errorf("down: %+v", s)
		}
		if n := len(r.Attempts()); n != 3 {
			t.Errorf("%d attempts at once", n)
		}
		time.Sleep(time.Hour)
		if n := len(r.Attempts()); n > 20 {
			t.Errorf("%d attempts in an hour", n)
		}
		r.Fail(nil)
		time.Sleep(6 * time.Minute)
		if s := b.status(t, "phone"); s.State != notify.ChannelOK || s.Waiting != 0 || s.Error != "" || len(r.Messages()) != 20 {
			t.Errorf("back: %+v", s)
		}
	})
}

// A message that its channel cannot take now holds up no other one.
func TestOnePoisonedMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", notifier(func(ctx context.Context, m notify.Message) (notify.Receipt, error) {
			if m.Title == "poison" {
				return notify.Receipt{}, unavailable()
			}
			return r.Send(ctx, m)
		}))}})
		p := incident("poison")
		p.Title, p.Urgent = "poison", true
		b.post(t, p)
		for n := range 5 {
			b.post(t, incident(fmt.Sprint(n)))
		}
		time.Sleep(time.Second)
		if n := len(r.Messages()); n != 5 {
			t.Errorf("%d messages arrived", n)
		}
	})
}

// A service that says for how long it wants to be left alone is.
func TestAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		r.Script(&notify.Error{Trouble: notify.Unavailable, Text: "too many messages", Next: "Wait", After: 40 * time.Minute})
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &r)}})
		b.post(t, incident("a"))
		time.Sleep(20 * time.Minute)
		b.post(t, incident("b"))
		time.Sleep(20*time.Minute - time.Second)
		if n := len(r.Attempts()); n != 1 || b.status(t, "phone").State != notify.ChannelResting {
			t.Fatalf("%d attempts", n)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := len(r.Messages()); n != 2 {
			t.Errorf("%d messages", n)
		}
	})
}

// A clock that is set back makes nobody wait for the time that it was.
func TestClockSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		var ahead atomic.Int64
		ahead.Store(int64(90 * 24 * time.Hour))
		now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		r.Script(unavailable(), unavailable(), unavailable())
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &r)}, Now: now})
		p := incident("a")
		p.At = now()
		b.post(t, p)
		time.Sleep(12 * time.Second)
		ahead.Store(0)
		time.Sleep(2 * time.Minute)
		if n := len(r.Messages()); n != 1 {
			t.Errorf("%d messages arrived", n)
		}
	})
}

func (b box) force(t testing.TB, query string, args ...any) {
	t.Helper()
	if err := b.db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.ExecContext(t.Context(), query, args...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// What a process that was killed was sending may have arrived.
func TestRestart(t *testing.T) {
	for _, test := range []struct {
		urgent, repeated bool
		state            notify.State
		sent             int
	}{
		{false, false, notify.StateUnknown, 0},
		{true, false, notify.StateSent, 1},
		{true, true, notify.StateUnknown, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			var r notifytest.Recorder
			options := notify.Options{DB: database(t, store.Memory), Channels: []notify.Channel{channel("phone", &r)}}
			b := opened(t, options)
			p := incident("a")
			p.Urgent = test.urgent
			b.post(t, p)
			b.force(t, "UPDATE notify_outbox SET state = 'sending', attempts = 1, repeated = ?", test.repeated)
			again := running(t, options)
			synctest.Wait()
			d := again.only(t)
			if d.State != test.state || len(r.Messages()) != test.sent || d.Repeated != test.urgent {
				t.Errorf("%+v: %+v", test, d)
			}
			for _, m := range r.Messages() {
				if !m.Repeated || m.Title != "The backup failed (possibly repeated)" {
					t.Errorf("%+v", m)
				}
			}
		})
	}
}

// A channel that failed before the start is not well because nothing was sent
// since.
func TestStatusAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		r.Script(nil, refused())
		options := notify.Options{DB: database(t, store.Memory), Channels: []notify.Channel{channel("phone", &r)}}
		for _, want := range []notify.ChannelState{notify.ChannelOK, notify.ChannelFailing, notify.ChannelOK} {
			b := opened(t, options)
			if err := b.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.post(t, incident(time.Now().String()))
			synctest.Wait()
			stop(t, b.Outbox)
			time.Sleep(time.Second)
			again := opened(t, options)
			if err := again.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			if s := again.status(t, "phone"); s.State != want || (s.Error != "") != (want == notify.ChannelFailing) {
				t.Errorf("%+v, want %s", s, want)
			}
			stop(t, again.Outbox)
		}
	})
}

// What waits for a channel that left the configuration is sent where it comes back
// in time, and else has failed when its time is over.
func TestChannelThatIsGone(t *testing.T) {
	for _, away := range []time.Duration{time.Hour, 25 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			channels := []notify.Channel{channel("phone", &notifytest.Recorder{})}
			options := notify.Options{DB: database(t, store.Memory), Channels: channels}
			opened(t, options).post(t, incident("a"))
			options.Channels = nil
			without := opened(t, options)
			if err := without.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(away)
			synctest.Wait()
			if d := without.only(t); away < 24*time.Hour && d.State != notify.StatePending || away > 24*time.Hour && (d.State != notify.StateFailed || d.Error == "" || d.Next == "") {
				t.Errorf("after %s: %+v", away, d)
			}
			stop(t, without.Outbox)
			options.Channels = channels
			again := running(t, options)
			synctest.Wait()
			if d := again.only(t); (d.State == notify.StateSent) != (away < 24*time.Hour) {
				t.Errorf("back after %s: %+v", away, d)
			}
		})
	}
}

// Stop waits for what is being sent; when it may wait no longer, that is
// broken off and may have arrived.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, patient := range []bool{true, false} {
			var r notifytest.Recorder
			release := r.Hold()
			b := opened(t, notify.Options{Channels: []notify.Channel{channel("phone", &r)}})
			if err := b.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.post(t, incident("a"), incident("b"))
			synctest.Wait()
			want, wait := notify.StateUnknown, time.Second
			if patient {
				want, wait = notify.StateSent, time.Minute
				time.AfterFunc(5*time.Second, release)
			}
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			if err := b.Stop(ctx); err != nil {
				t.Error(err)
			}
			cancel()
			if list := b.recent(t); list[0].State != want || list[1].State != notify.StatePending {
				t.Errorf("%+v", list)
			}
			if err := b.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			if err := b.Start(t.Context()); err == nil {
				t.Error("started again")
			}
			release()
		}
	})
}

func TestNoStartNoStop(t *testing.T) {
	b := opened(t, notify.Options{})
	if _, err := b.Test(t.Context(), ""); err == nil {
		t.Error("tested though nothing runs")
	}
	if err := b.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestTest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var phone, screen notifytest.Recorder
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &phone), channel("screen", &screen)}})
		list, err := b.Test(t.Context(), "")
		if err != nil || len(list) != 2 || list[0].State != notify.StateSent || list[1].State != notify.StateSent || list[0].Kind != notify.KindTest {
			t.Fatalf("%+v, %v", list, err)
		}
		if m := phone.Messages()[0]; len(m.Buttons) != 3 || m.Buttons[0].Label != "Done" || m.Buttons[1].Label != "Not now" || m.Buttons[2].Label != "Dismiss" {
			t.Errorf("%+v", m)
		}
		phone.Fail(refused())
		if list, err = b.Test(t.Context(), "phone"); err != nil || len(list) != 1 || list[0].State != notify.StateFailed || list[0].Next != "Make the topic" {
			t.Errorf("%+v, %v", list, err)
		}
		// A test asks a channel that rests, too.
		phone.Fail(&notify.Error{Trouble: notify.Unavailable, Text: "nobody answers", Next: "Wait", After: time.Hour})
		for range 2 {
			if list, err = b.Test(t.Context(), "phone"); err != nil || list[0].State != notify.StatePending || list[0].Error != "nobody answers" {
				t.Errorf("%+v, %v", list, err)
			}
		}
		phone.Fail(nil)
		if list, err = b.Test(t.Context(), "phone"); err != nil || list[0].State != notify.StateSent || b.status(t, "phone").State != notify.ChannelOK {
			t.Errorf("%+v, %v", list, err)
		}
		if _, err = b.Test(t.Context(), "watch"); err == nil {
			t.Error("a channel that is not there was tested")
		}
		release := phone.Hold()
		defer release()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if list, err = b.Test(ctx, "phone"); err != nil || list[0].State != notify.StateSending {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

// What is over is kept for 30 days.
func TestSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &r)}})
		b.post(t, incident("a"))
		synctest.Wait()
		b.force(t, `WITH RECURSIVE more (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM more WHERE n < 599)
			INSERT INTO notify_outbox (key, channel, sequence, kind, incident, at, title, text, urgent, expires, link, answers, state, due, changed,
				attempts, repeated, sent, receipt, error, next)
			SELECT key || n, channel, sequence, kind, incident, at, title, text, urgent, expires, link, answers, state, due, changed,
				attempts, repeated, sent, receipt, error, next FROM notify_outbox, more`)
		if err := b.Take(t.Context(), r.Messages()[0].Buttons[0].Token); err != nil {
			t.Fatal(err)
		}
		count := func() (rows, answers int) {
			if err := b.db.Read(t.Context(), func(tx *store.Tx) error {
				return tx.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM notify_outbox), (SELECT count(*) FROM notify_answers)").Scan(&rows, &answers)
			}); err != nil {
				t.Fatal(err)
			}
			return rows, answers
		}
		time.Sleep(8 * 24 * time.Hour)
		if rows, answers := count(); rows != 600 || answers != 0 {
			t.Errorf("%d rows and %d answers after eight days", rows, answers)
		}
		time.Sleep(21 * 24 * time.Hour)
		b.post(t, incident("new"))
		time.Sleep(2 * 24 * time.Hour)
		if rows, _ := count(); rows != 1 {
			t.Errorf("%d rows after 31 days", rows)
		}
	})
}
