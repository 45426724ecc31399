package notify_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/store"
)

// replies keeps what was answered.
type replies struct {
	mu   sync.Mutex
	list []notify.Reply
	err  error
}

func (r *replies) answered(_ context.Context, _ *store.Tx, reply notify.Reply) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	r.list = append(r.list, reply)
	return nil
}

func TestAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		var got replies
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &r)}, Answered: got.answered})
		b.post(t, incident("a"))
		synctest.Wait()
		var want []notify.Reply
		for _, button := range r.Messages()[0].Buttons {
			// Pressed twice, it counts once.
			for range 2 {
				if err := r.Press(t.Context(), button.Token); err != nil {
					t.Fatal(err)
				}
			}
			want = append(want, notify.Reply{Answer: button.Answer, Incident: "i-backup-1a0", Channel: "phone", At: time.Now()})
		}
		if diff := cmp.Diff(want, got.list); diff != "" {
			t.Error(diff)
		}
		if s := b.status(t, "phone"); s.Refused != 0 || !s.Answered.Equal(time.Now()) {
			t.Errorf("%+v", s)
		}
		// The answer to a test is nobody's business but the status'.
		time.Sleep(time.Minute)
		if _, err := b.Test(t.Context(), "phone"); err != nil {
			t.Fatal(err)
		}
		if err := r.Press(t.Context(), r.Messages()[1].Buttons[2].Token); err != nil || len(got.list) != 3 || !b.status(t, "phone").Answered.Equal(time.Now()) {
			t.Errorf("%v: %+v", err, got.list)
		}
	})
}

// Where messages take each other's place, an answer is confirmed in that of its
// message, without a sound, and is none of the messages about the incident.
func TestAnswersAreConfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		var got replies
		phone := channel("phone", &r)
		phone.Replaces = true
		b := running(t, notify.Options{Channels: []notify.Channel{phone}, Answered: got.answered})
		b.post(t, incident("a"))
		synctest.Wait()
		asked := r.Messages()[0]
		for range 2 {
			if err := r.Press(t.Context(), asked.Buttons[0].Token); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		all := r.Messages()
		if len(all) != 2 || all[1].Sequence != asked.Sequence || all[1].Priority != notify.ForTheRecord || all[1].Urgent || len(all[1].Buttons) > 0 ||
			all[1].Title != "You answered “Done”" || all[1].Text != asked.Title {
			t.Errorf("%+v", all[1:])
		}
		if told, err := b.Deliveries(t.Context(), asked.Incident); err != nil || len(told) != 1 {
			t.Errorf("%+v, %v", told, err)
		}
	})
}

// tokens returns those of a message that was just sent.
func tokens(t testing.TB, b box, r *notifytest.Recorder, key string) []notify.Button {
	t.Helper()
	before := len(r.Messages())
	b.post(t, incident(key))
	list, err := r.Wait(t.Context(), before+1)
	if err != nil {
		t.Fatal(err)
	}
	return list[before].Buttons
}

func TestBadTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var phone, other notifytest.Recorder
		var got replies
		db := database(t, store.Memory)
		b := running(t, notify.Options{DB: db, Channels: []notify.Channel{channel("phone", &phone), channel("other", &other)}, Answered: got.answered})
		good := tokens(t, b, &phone, "a")[0].Token
		bad := []string{"", "x", good + "A", good[1:], strings.Repeat("A", len(good)), strings.Repeat("A", 1<<20), good[:10] + "\n" + good[11:]}
		raw, err := base64.RawURLEncoding.DecodeString(good)
		if err != nil {
			t.Fatal(err)
		}
		for n := range raw {
			for _, bit := range []byte{1, 128} {
				forged := append([]byte{}, raw...)
				forged[n] ^= bit
				bad = append(bad, base64.RawURLEncoding.EncodeToString(forged))
			}
		}
		for _, token := range bad {
			if err := b.Take(t.Context(), token); !errors.Is(err, notify.ErrToken) {
				t.Errorf("%.100q: %v", token, err)
			}
		}
		// Of another mind, whose key is another one.
		var stranger notifytest.Recorder
		foreign := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &stranger)}})
		if err := b.Take(t.Context(), tokens(t, foreign, &stranger, "a")[0].Token); !errors.Is(err, notify.ErrToken) {
			t.Error(err)
		}
		// Over another channel.
		if err := other.Press(t.Context(), good); err != nil || len(got.list) != 0 {
			t.Errorf("%v: %+v", err, got.list)
		}
		old := tokens(t, b, &phone, "old")
		if err := other.Press(t.Context(), old[0].Token); err != nil || len(got.list) != 0 {
			t.Errorf("%v: %+v", err, got.list)
		}
		if err := b.Take(t.Context(), old[0].Token); err != nil || len(got.list) != 1 {
			t.Errorf("what was refused over another channel has an effect: %v", err)
		}
		// The message is another one, as in a database that was restored.
		for column, value := range map[string]string{"incident": "i-other-1", "channel": "other", "sequence": "00"} {
			token := tokens(t, b, &phone, "of "+column)[1].Token
			b.force(t, "UPDATE notify_outbox SET key = key || '/moved', "+column+" = ? WHERE id = (SELECT max(id) FROM notify_outbox WHERE channel = 'phone')", value)
			if err := b.Take(t.Context(), token); !errors.Is(err, notify.ErrToken) {
				t.Errorf("%s: %v", column, err)
			}
		}
		time.Sleep(7*24*time.Hour - time.Second)
		if err := b.Take(t.Context(), tokens(t, b, &phone, "late")[0].Token); err != nil || len(got.list) != 2 {
			t.Errorf("%v: %+v", err, got.list)
		}
		time.Sleep(time.Second)
		if err := b.Take(t.Context(), old[1].Token); !errors.Is(err, notify.ErrToken) || len(got.list) != 2 {
			t.Errorf("after a week: %v", err)
		}
		// Strange is what this mind has not signed, and nothing of its own.
		for token, want := range map[string]int{old[0].Token: 0, old[1].Token: 0, bad[len(bad)-1]: 1} {
			before := b.status(t, "phone").Refused
			if err := phone.Press(t.Context(), token); err != nil || b.status(t, "phone").Refused != before+want {
				t.Errorf("%v: %d strange answers before, %d after", err, before, b.status(t, "phone").Refused)
			}
		}
	})
}

// An answer that could not be taken can be given again, and a used one cannot
// after a restart.
func TestTokenIsUsedWithItsEffect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		got := replies{err: errors.New("no space")}
		options := notify.Options{DB: database(t, store.Memory), Channels: []notify.Channel{channel("phone", &r)}, Answered: got.answered}
		b := running(t, options)
		token := tokens(t, b, &r, "a")[0].Token
		if err := b.Take(t.Context(), token); !errors.Is(err, got.err) || errors.Is(err, notify.ErrToken) {
			t.Error(err)
		}
		// What comes over the channel is tried again.
		pressed := make(chan error, 1)
		go func() { pressed <- r.Press(t.Context(), token) }()
		synctest.Wait()
		got.mu.Lock()
		got.err = nil
		got.mu.Unlock()
		if err := <-pressed; err != nil || len(got.list) != 1 {
			t.Errorf("%v: %+v", err, got.list)
		}
		if err := opened(t, options).Take(t.Context(), token); !errors.Is(err, notify.ErrToken) || len(got.list) != 1 {
			t.Errorf("after a restart: %v, %+v", err, got.list)
		}
	})
}

func TestTokenAtTheSameTime(t *testing.T) {
	var r notifytest.Recorder
	var got replies
	b := running(t, notify.Options{DB: database(t, t.TempDir()+"/mind.db"), Channels: []notify.Channel{channel("phone", &r)}, Answered: got.answered})
	token := tokens(t, b, &r, "a")[0].Token
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			if err := b.Take(t.Context(), token); err != nil && !errors.Is(err, notify.ErrToken) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if len(got.list) != 1 {
		t.Errorf("it counted %d times", len(got.list))
	}
}

// listener is a channel that answers as it is told.
type listener struct {
	notifytest.Recorder
	listen func(ctx context.Context, status func(error)) error
}

func (l *listener) Listen(ctx context.Context, _ func(context.Context, string), status func(error)) error {
	return l.listen(ctx, status)
}

// A listener that returns or panics is started again, and the status says how
// it fares.
func TestListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		l := &listener{listen: func(ctx context.Context, status func(error)) error {
			switch calls++; calls {
			case 1:
				panic("broken")
			case 2:
				return &notify.Error{Trouble: notify.Refused, Text: "the topic may not be read", Next: "Allow it"}
			}
			status(nil)
			<-ctx.Done()
			return ctx.Err()
		}}
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", l)}})
		var seen []string
		for range 3 {
			synctest.Wait()
			s := b.status(t, "phone")
			seen = append(seen, s.AnswersError)
			if s.Answers != (s.AnswersError == "") {
				t.Errorf("%+v", s)
			}
			time.Sleep(10 * time.Second)
		}
		if diff := cmp.Diff([]string{"answers do not come back over it", "the topic may not be read", ""}, seen); diff != "" {
			t.Error(diff)
		}
	})
}
