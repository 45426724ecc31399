package notify_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("NOTIFY_TEST_CHILD"); dir != "" {
		os.Exit(runChild(dir))
	}
	goleak.VerifyTestMain(m)
}

func database(t testing.TB, path string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Path: path}, notify.Migrations()...)
	return testutil.Opened(t, db, err)
}

// noJitter makes waits whole.
func noJitter(time.Duration) time.Duration { return 0 }

// channel is a full one with buttons.
func channel(id string, n notify.Notifier) notify.Channel {
	return notify.Channel{ID: id, Kind: "recorder", Content: notify.ContentFull, Buttons: true, Notifier: n}
}

// box is a running outbox and its database.
type box struct {
	*notify.Outbox
	db *store.DB
}

// running starts an outbox, which stops with the test.
func running(t testing.TB, options notify.Options) box {
	t.Helper()
	b := started(t, options)
	t.Cleanup(func() { stop(t, b.Outbox) })
	return b
}

// started starts an outbox that its test stops.
func started(t testing.TB, options notify.Options) box {
	t.Helper()
	b := opened(t, options)
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

func opened(t testing.TB, options notify.Options) box {
	t.Helper()
	if options.DB == nil {
		options.DB = database(t, store.Memory)
	}
	if options.Jitter == nil {
		options.Jitter = noJitter
	}
	if options.Answered == nil {
		options.Answered = func(context.Context, *store.Tx, notify.Reply) error { return nil }
	}
	o, err := notify.NewOutbox(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return box{o, options.DB}
}

func stop(t testing.TB, o *notify.Outbox) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := o.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// incident is a post about one.
func incident(key string) notify.Post {
	return notify.Post{Key: key, At: time.Now(), Kind: notify.KindIncident, Incident: "i-backup-1a0", Title: "The backup failed",
		Text: "The disk is full.", Answers: []notify.Answer{notify.AnswerUseful, notify.AnswerNotNow, notify.AnswerDismiss}}
}

// post puts messages into the outbox and wakes it.
func (b box) post(t testing.TB, posts ...notify.Post) {
	t.Helper()
	b.put(t, posts...)
	b.Wake()
}

// put leaves it asleep.
func (b box) put(t testing.TB, posts ...notify.Post) {
	t.Helper()
	if err := b.db.Write(t.Context(), func(tx *store.Tx) error {
		for _, p := range posts {
			if err := b.Post(t.Context(), tx, p); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// refuses wants a message not to be taken.
func (b box) refuses(t testing.TB, name string, p notify.Post) {
	t.Helper()
	if err := b.db.Write(t.Context(), func(tx *store.Tx) error { return b.Post(t.Context(), tx, p) }); err == nil {
		t.Errorf("%s: it was taken", name)
	}
}

func (b box) recent(t testing.TB) []notify.Delivery {
	t.Helper()
	list, err := b.Recent(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// only returns the one delivery that there is.
func (b box) only(t testing.TB) notify.Delivery {
	t.Helper()
	list := b.recent(t)
	if len(list) != 1 {
		t.Fatalf("there are %d deliveries: %+v", len(list), list)
	}
	return list[0]
}

func refused() error {
	return &notify.Error{Trouble: notify.Refused, Text: "the topic is not there", Next: "Make the topic"}
}
func unavailable() error {
	return &notify.Error{Trouble: notify.Unavailable, Text: "nobody answers", Next: "Check the network"}
}
func unknown() error {
	return &notify.Error{Trouble: notify.Unknown, Text: "the connection broke", Next: "Look on the phone"}
}

func TestDelivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var full, title, none notifytest.Recorder
		b := running(t, notify.Options{Channels: []notify.Channel{
			channel("phone", &full),
			{ID: "far", Content: notify.ContentTitle, Notifier: &title},
			{ID: "screen", Content: notify.ContentNone, Notifier: &none}}})
		p := incident("tick 7")
		p.Urgent, p.Link = true, "http://127.0.0.1:7766/i"
		b.post(t, p)
		synctest.Wait()
		b.post(t, p) // the same decision once more
		synctest.Wait()
		words := map[string]string{}
		for id, r := range map[string]*notifytest.Recorder{"phone": &full, "far": &title, "screen": &none} {
			list := r.Messages()
			if len(list) != 1 {
				t.Fatalf("%s got %+v", id, list)
			}
			m := list[0]
			words[id] = m.Title + "|" + m.Text
			if !m.Urgent || (m.Link == p.Link) != (id == "phone") || m.Sequence == "" || m.Repeated || (len(m.Buttons) == 3) != (id == "phone") {
				t.Errorf("%s got %+v", id, m)
			}
		}
		want := map[string]string{"phone": "The backup failed|The disk is full.", "far": "The backup failed|", "screen": "There is something to look at|i-backup-1a0"}
		if diff := cmp.Diff(want, words); diff != "" {
			t.Error(diff)
		}
		list, err := b.Deliveries(t.Context(), "i-backup-1a0")
		if err != nil || len(list) != 3 {
			t.Fatalf("%+v, %v", list, err)
		}
		for _, d := range list {
			if d.State != notify.StateSent || d.Attempts != 1 || d.Sent.IsZero() || d.Title != p.Title || d.Text != p.Text || d.Error != "" {
				t.Errorf("%+v", d)
			}
		}
	})
}

func TestPostIsPartOfTheTransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &r)}})
		failed := errors.New("the tick failed")
		err := b.db.Write(t.Context(), func(tx *store.Tx) error { return errors.Join(b.Post(t.Context(), tx, incident("a")), failed) })
		if !errors.Is(err, failed) {
			t.Fatal(err)
		}
		b.Wake()
		synctest.Wait()
		if len(r.Attempts()) != 0 || len(b.recent(t)) != 0 {
			t.Errorf("%+v", r.Attempts())
		}
	})
}

// What becomes of a message that meets these troubles, one after the other.
func TestTroubles(t *testing.T) {
	for _, test := range []struct {
		name     string
		urgent   bool
		outcomes []error
		state    notify.State
		attempts int
		arrived  int
		repeated bool
	}{
		{"refused", true, []error{refused()}, notify.StateFailed, 1, 0, false},
		{"unavailable", false, []error{unavailable(), unavailable()}, notify.StateSent, 3, 1, false},
		{"unknown", false, []error{unknown()}, notify.StateUnknown, 1, 1, false},
		{"urgent and unknown", true, []error{unknown()}, notify.StateSent, 2, 2, true},
		{"unknown twice", true, []error{unknown(), unknown()}, notify.StateUnknown, 2, 2, true},
		{"unavailable after unknown", true, []error{unknown(), unavailable(), unavailable()}, notify.StateSent, 4, 2, true},
		{"refused after unknown", true, []error{unknown(), refused()}, notify.StateUnknown, 2, 1, true},
		{"unknown after unavailable", true, []error{unavailable(), unknown()}, notify.StateSent, 3, 2, true},
		{"another error", false, []error{errors.New("https://secret@example.org")}, notify.StateUnknown, 1, 0, false},
		{"another error, urgent", true, []error{errors.New("https://secret@example.org")}, notify.StateSent, 2, 1, true},
		{"no trouble that is known", false, []error{&notify.Error{Trouble: "odd"}}, notify.StateUnknown, 1, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var r notifytest.Recorder
				r.Script(test.outcomes...)
				b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &r)}})
				p := incident("a")
				p.Urgent = test.urgent
				b.post(t, p)
				time.Sleep(time.Hour)
				d := b.only(t)
				if d.State != test.state || d.Attempts != test.attempts || d.Repeated != test.repeated || len(r.Messages()) != test.arrived {
					t.Errorf("%+v, arrived %d", d, len(r.Messages()))
				}
				if strings.Contains(d.Error+d.Next, "secret") || (d.State != notify.StateSent) != (d.Error != "") {
					t.Errorf("the error is %q", d.Error)
				}
				for n, m := range r.Messages() {
					marked := strings.HasSuffix(m.Title, " (possibly repeated)")
					if m.Sequence != r.Messages()[0].Sequence || marked != m.Repeated || n > 0 && !marked {
						t.Errorf("message %d is %+v", n, m)
					}
				}
			})
		})
	}
}

func TestExpiredIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		r.Fail(unavailable())
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &r)}})
		meeting := incident("meeting")
		meeting.Expires = time.Now().Add(10 * time.Minute)
		b.post(t, meeting)
		time.Sleep(9 * time.Minute)
		if d := b.only(t); d.State != notify.StatePending || d.Error != "nobody answers" || d.Next == "" || !d.Due.After(time.Now()) {
			t.Errorf("%+v", d)
		}
		time.Sleep(time.Minute)
		r.Fail(nil)
		synctest.Wait()
		if d := b.only(t); d.State != notify.StateExpired || d.Sent != (time.Time{}) {
			t.Errorf("%+v", d)
		}
		// Over before it was posted.
		late := incident("late")
		late.Expires = time.Now()
		b.post(t, late)
		time.Sleep(time.Hour)
		if list := r.Messages(); len(list) != 0 {
			t.Errorf("sent: %+v", list)
		}
		// Without an end of its own it is tried for a day.
		r.Fail(unavailable())
		b.post(t, incident("day"))
		time.Sleep(24*time.Hour - time.Second)
		if u, err := b.Undelivered(t.Context(), time.Time{}); err != nil || u != (notify.Undelivered{Waiting: 1, Expired: 2}) {
			t.Errorf("%+v, %v", u, err)
		}
		time.Sleep(2 * time.Second)
		if u, err := b.Undelivered(t.Context(), time.Now().Add(-time.Minute)); err != nil || u != (notify.Undelivered{Expired: 1}) {
			t.Errorf("%+v, %v", u, err)
		}
	})
}

func TestUrgentFirstThenOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		b := opened(t, notify.Options{Channels: []notify.Channel{channel("phone", &r)}})
		at := time.Now()
		for n, one := range []struct {
			age    time.Duration
			urgent bool
		}{{3, false}, {1, true}, {5, false}, {2, true}, {4, false}} {
			p := incident(fmt.Sprint(n))
			p.Title, p.Urgent, p.At = fmt.Sprint(int(one.age)), one.urgent, at.Add(-one.age*time.Minute)
			b.post(t, p)
		}
		if u, err := b.Undelivered(t.Context(), at); err != nil || u.Waiting != 5 {
			t.Errorf("%d wait: %v", u.Waiting, err)
		}
		if err := b.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer stop(t, b.Outbox)
		synctest.Wait()
		var order string
		for _, m := range r.Messages() {
			order += m.Title
		}
		if order != "21543" {
			t.Errorf("the order is %s", order)
		}
	})
}

func TestPostsThatCannotBe(t *testing.T) {
	b := opened(t, notify.Options{Channels: []notify.Channel{channel("phone", &notifytest.Recorder{})}})
	for name, change := range map[string]func(*notify.Post){
		"key":        func(p *notify.Post) { p.Key = "" },
		"long key":   func(p *notify.Post) { p.Key = strings.Repeat("x", 257) },
		"time":       func(p *notify.Post) { p.At = time.Time{} },
		"kind":       func(p *notify.Post) { p.Kind = "joke" },
		"incident":   func(p *notify.Post) { p.Incident = "" },
		"title":      func(p *notify.Post) { p.Title = " \n\u202e" },
		"answer":     func(p *notify.Post) { p.Answers = []notify.Answer{"approve"} },
		"twice":      func(p *notify.Post) { p.Answers = []notify.Answer{"useful", "useful"} },
		"answers":    func(p *notify.Post) { p.Answers = append(p.Answers, "useful") },
		"of nothing": func(p *notify.Post) { p.Kind, p.Incident = notify.KindDigest, "" },
		"link":       func(p *notify.Post) { p.Link = "javascript:alert(1)" },
		"file":       func(p *notify.Post) { p.Link = "file:///etc/passwd" },
	} {
		p := incident("a")
		change(&p)
		b.refuses(t, name, p)
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	db := database(t, store.Memory)
	good := channel("phone", &notifytest.Recorder{})
	for name, options := range map[string]notify.Options{
		"no database": {},
		"no id":       {DB: db, Channels: []notify.Channel{channel("", good.Notifier)}},
		"twice":       {DB: db, Channels: []notify.Channel{good, good}},
		"no notifier": {DB: db, Channels: []notify.Channel{channel("phone", nil)}},
		"content":     {DB: db, Channels: []notify.Channel{{ID: "phone", Notifier: good.Notifier}}},
		"deadline":    {DB: db, Deadline: -1},
	} {
		if _, err := notify.NewOutbox(t.Context(), options); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}

func TestChosenChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var phone, screen notifytest.Recorder
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &phone), channel("screen", &screen)}})
		for key, channels := range map[string][]string{"a": {"screen", "gone"}, "b": {}, "c": {"gone"}} {
			p := incident(key)
			p.Channels = channels
			b.post(t, p)
		}
		synctest.Wait()
		if len(phone.Messages()) != 0 || len(screen.Messages()) != 1 {
			t.Errorf("%d, %d", len(phone.Messages()), len(screen.Messages()))
		}
	})
}

// What is said of an incident again, and that it is over, takes the place of what
// was said; what comes at once or is of another stands beside it.
func TestReplaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &r)}})
		for n, one := range []struct {
			incident subconscious.IncidentID
			kind     notify.Kind
			pause    time.Duration
		}{{"i-disk-1", notify.KindIncident, 0}, {"i-disk-1", notify.KindIncident, time.Minute}, {"i-disk-1", notify.KindIncident, time.Hour},
			{"i-unit-2", notify.KindIncident, 0}, {"i-disk-1", notify.KindClear, time.Minute}} {
			time.Sleep(one.pause)
			p := incident(fmt.Sprint(n))
			p.Incident, p.Kind, p.Answers = one.incident, one.kind, nil
			b.post(t, p)
			synctest.Wait()
		}
		var as []int // each message by the first of its sequence
		sent := r.Messages()
		for _, m := range sent {
			as = append(as, slices.IndexFunc(sent, func(x notify.Message) bool { return x.Sequence == m.Sequence }))
		}
		if diff := cmp.Diff([]int{0, 1, 1, 3, 1}, as); diff != "" {
			t.Errorf("what takes whose place (-want +got):\n%s", diff)
		}
	})
}
