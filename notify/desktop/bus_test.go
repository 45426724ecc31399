package desktop_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/internal/testutil/privatebus"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/desktop"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	service = "org.freedesktop.Notifications"
	object  = dbus.ObjectPath("/org/freedesktop/Notifications")
)

// full is what GNOME and KDE say they can do, more or less.
var full = []string{"actions", "body", "body-hyperlinks", "body-markup", "icon-static", "persistence"}

// note is a notification as the desktop was asked for it.
type note struct {
	ID, Replaces           uint32
	App, Icon, Title, Body string
	Actions                []string
	Urgency                byte
	Timeout                int32
}

// fakeDesktop shows notifications over a bus.
type fakeDesktop struct {
	t    *testing.T
	conn *dbus.Conn

	mu      sync.Mutex
	able    []string
	notes   []note
	last    uint32
	refuse  string // the error that it answers with
	hang    chan struct{}
	entered chan struct{} // gets a value as the first calls begin to hang
	calls   int
	cuts    bool // it ends instead of answering
}

func startDesktop(t *testing.T, bus *privatebus.Bus) *fakeDesktop {
	t.Helper()
	fake := &fakeDesktop{t: t, conn: bus.Connect(), able: full, entered: make(chan struct{}, 8)}
	if err := fake.conn.Export(fake, object, service); err != nil {
		t.Fatal(err)
	}
	bus.Own(fake.conn, service)
	return fake
}

// GetCapabilities is the desktop's method.
func (f *fakeDesktop) GetCapabilities() ([]string, *dbus.Error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.able, nil
}

// Notify is the desktop's method.
func (f *fakeDesktop) Notify(app string, replaces uint32, icon, title, body string, actions []string,
	hints map[string]dbus.Variant, timeout int32) (uint32, *dbus.Error) {
	f.mu.Lock()
	f.calls++
	hang, refuse, cuts := f.hang, f.refuse, f.cuts
	f.mu.Unlock()
	if hang != nil {
		select {
		case f.entered <- struct{}{}:
		default:
		}
		<-hang
	}
	if cuts {
		_ = f.conn.Close() // it is closed once more with the test
	}
	if refuse != "" {
		return 0, &dbus.Error{Name: refuse, Body: []any{"no"}}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	id := replaces
	if id == 0 {
		f.last++
		id = f.last
	}
	urgency, _ := hints["urgency"].Value().(byte)
	f.notes = append(f.notes, note{ID: id, Replaces: replaces, App: app, Icon: icon, Title: title, Body: body, Actions: actions,
		Urgency: urgency, Timeout: timeout})
	return id, nil
}

func (f *fakeDesktop) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *fakeDesktop) latest() note {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.notes) == 0 {
		f.t.Fatal("nothing was shown")
	}
	return f.notes[len(f.notes)-1]
}

func (f *fakeDesktop) emit(member string, values ...any) {
	f.t.Helper()
	if err := f.conn.Emit(object, service+"."+member, values...); err != nil {
		f.t.Error(err)
	}
}

// message is one with buttons.
func message(sequence string) notify.Message {
	return notify.Message{Sequence: sequence, Kind: notify.KindIncident, Title: "Backup failed", Text: "backup.service <3 times> & more\nOpen the log",
		Link: "https://mind.example/i/1?a=1&b=2", Buttons: []notify.Button{
			{Label: "Useful", Answer: notify.AnswerUseful, Token: "tok-useful"},
			{Label: "Not now", Answer: notify.AnswerNotNow, Token: "tok-later"},
			{Label: "Dismiss", Answer: notify.AnswerDismiss, Token: "tok-away"},
		}}
}

// listening runs Listen until the test ends.
type listening struct {
	t      *testing.T
	tokens chan string
	status chan error
}

func listen(t *testing.T, channel notify.Notifier) *listening {
	t.Helper()
	l := &listening{t: t, tokens: make(chan string, 64), status: make(chan error, 64)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- channel.(notify.Listener).Listen(ctx, func(_ context.Context, token string) { l.tokens <- token },
			func(err error) { l.status <- err })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Listen ended with %v", err)
		}
	})
	return l
}

// well waits until it is said that it fares well.
func (l *listening) well() {
	l.t.Helper()
	l.until(func(err error) bool { return err == nil })
}

func (l *listening) until(enough func(error) bool) {
	l.t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		select {
		case err := <-l.status:
			if enough(err) {
				return
			}
		case <-deadline:
			l.t.Fatal("the listener did not say so within 30 s")
		}
	}
}

func (l *listening) token(want string) {
	l.t.Helper()
	select {
	case got := <-l.tokens:
		if got != want {
			l.t.Errorf("token %q, want %q", got, want)
		}
	case <-time.After(30 * time.Second):
		l.t.Fatalf("no token within 30 s, want %q", want)
	}
}

func send(t *testing.T, channel notify.Notifier, m notify.Message) notify.Receipt {
	t.Helper()
	receipt, err := channel.Send(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return receipt
}

// trouble checks that err is a *notify.Error that says something.
func trouble(t *testing.T, err error, want notify.Trouble, words string) {
	t.Helper()
	failure, ok := errors.AsType[*notify.Error](err)
	if !ok || failure.Trouble != want || !strings.Contains(failure.Text+" "+failure.Next, words) {
		t.Errorf("got %#v, want %s with %q", err, want, words)
	}
}

func TestSend(t *testing.T) {
	bus := privatebus.Start(t)
	fake := startDesktop(t, bus)
	at := time.Date(2026, 8, 3, 10, 0, 0, 0, time.UTC)
	channel := desktop.New(desktop.Config{}, desktop.Options{Bus: bus.Address, System: "linux", Now: func() time.Time { return at }})
	if _, ok := channel.(notify.Listener); !ok {
		t.Error("it has no buttons")
	}
	escaped := "backup.service &lt;3 times&gt; &amp; more\nOpen the log"
	keys := []string{"answer:tok-useful", "Useful", "answer:tok-later", "Not now", "answer:tok-away", "Dismiss"}
	const link = "\n" + `<a href="https://mind.example/i/1?a=1&amp;b=2">Open</a>`

	// While nobody listens, no button is shown: nobody would hear it.
	if got := send(t, channel, message("1")); got != (notify.Receipt{ID: "1", At: at}) {
		t.Errorf("receipt %+v", got)
	}
	check := func(when string, want note) {
		t.Helper()
		want.App, want.Timeout = "subconscious", -1
		if diff := cmp.Diff(want, fake.latest()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	check("without a listener", note{ID: 1, Title: "Backup failed", Body: escaped + link, Urgency: 1, Actions: []string{}})

	listen(t, channel).well()
	urgent := message("1")
	urgent.Urgent = true
	send(t, channel, urgent)
	check("urgent, the same sequence", note{ID: 1, Replaces: 1, Title: "Backup failed", Body: escaped + link, Urgency: 2, Actions: keys})
	send(t, channel, message("2"))
	check("another sequence", note{ID: 2, Title: "Backup failed", Body: escaped + link, Urgency: 1, Actions: keys})

	fake.set(func() { fake.able = []string{"body"} })
	send(t, channel, message("3"))
	check("no buttons, no markup", note{ID: 3, Title: "Backup failed", Body: "backup.service <3 times> & more\nOpen the log\nhttps://mind.example/i/1?a=1&b=2", Urgency: 1, Actions: []string{}})
	fake.set(func() { fake.able = []string{"body", "body-markup"} })
	send(t, channel, message("4"))
	check("no links", note{ID: 4, Title: "Backup failed", Body: escaped + "\nhttps://mind.example/i/1?a=1&amp;b=2", Urgency: 1, Actions: []string{}})
	fake.set(func() { fake.able = nil })
	send(t, channel, message("5"))
	check("nothing", note{ID: 5, Title: "Backup failed: backup.service <3 times> & more Open the log", Urgency: 1, Actions: []string{}})
	fake.set(func() { fake.able = full })
	send(t, channel, notify.Message{Sequence: "6", Title: "Only this", Link: "javascript:alert(1)"})
	check("a title alone, and a link to nothing of the web", note{ID: 6, Title: "Only this", Urgency: 1, Actions: []string{}})
}

// TestHostileWords: what a bus would hang up on is taken out, and what is long
// is cut.
func TestHostileWords(t *testing.T) {
	bus := privatebus.Start(t)
	fake := startDesktop(t, bus)
	channel := desktop.New(desktop.Config{}, desktop.Options{Bus: bus.Address, System: "linux"})
	listen(t, channel).well()
	send(t, channel, notify.Message{Title: "a\x00b\xff\u202e\nc", Text: "<a href='x'>\x00\x1b[1m" + strings.Repeat("界", 10_000),
		Buttons: []notify.Button{{Label: "x\x00" + strings.Repeat("y", 10_000), Token: "1"}, {Label: "2", Token: "2"}, {Label: "3", Token: "3"}, {Label: "4", Token: "4"}}})
	got := fake.latest()
	if got.Title != "ab c" || !strings.HasPrefix(got.Body, "&lt;a href=&#39;x&#39;&gt;[1m界") || len(got.Body) > 1_100 || len(got.Actions) != 6 || len(got.Actions[1]) > 63 {
		t.Errorf("title %q, %d bytes of body, %d actions: %.80q", got.Title, len(got.Body), len(got.Actions), got.Body)
	}
	send(t, channel, notify.Message{Title: "still there"})
}

func TestAnswers(t *testing.T) {
	bus := privatebus.Start(t)
	fake := startDesktop(t, bus)
	channel := desktop.New(desktop.Config{}, desktop.Options{Bus: bus.Address, System: "linux"})
	answers := listen(t, channel)
	answers.well()
	send(t, channel, message("1"))
	note := fake.latest()

	// Others' notifications, broken signals and other programs are passed over.
	fake.emit("ActionInvoked", note.ID, "default")
	fake.emit("ActionInvoked", uint32(77), "open")
	fake.emit("ActionInvoked", note.ID)
	fake.emit("ActionInvoked", "1", "answer:of-another-type")
	fake.emit("ActionInvoked", note.ID, "answer:")
	fake.emit("ActionInvoked", note.ID, "answer:"+strings.Repeat("x", 5_000))
	stranger := bus.Connect()
	if err := stranger.Emit(object, service+".ActionInvoked", note.ID, "answer:from-a-stranger"); err != nil {
		t.Fatal(err)
	}
	// The bus keeps the order of two senders once the first was answered.
	if err := stranger.BusObject().Call("org.freedesktop.DBus.GetId", 0).Err; err != nil {
		t.Fatal(err)
	}
	fake.emit("ActionInvoked", note.ID, note.Actions[2])
	fake.emit("ActionInvoked", note.ID, note.Actions[0])
	answers.token("tok-later")
	answers.token("tok-useful")

	// A closed notification is not replaced.
	fake.emit("NotificationClosed", note.ID, uint32(2))
	fake.emit("ActionInvoked", note.ID, "answer:closed")
	answers.token("closed")
	send(t, channel, message("1"))
	if got := fake.latest(); got.Replaces != 0 || got.ID == note.ID {
		t.Errorf("it replaces %d", got.Replaces)
	}
}

// TestDesktopRestarts: another program's numbers are worth nothing to the next.
func TestDesktopRestarts(t *testing.T) {
	bus := privatebus.Start(t)
	first := startDesktop(t, bus)
	channel := desktop.New(desktop.Config{}, desktop.Options{Bus: bus.Address, System: "linux"})
	answers := listen(t, channel)
	answers.well()
	send(t, channel, message("1"))
	if _, err := first.conn.ReleaseName(service); err != nil {
		t.Fatal(err)
	}
	_, err := channel.Send(t.Context(), message("1"))
	trouble(t, err, notify.Unavailable, "no program on the session bus shows notifications")
	second := startDesktop(t, bus)
	send(t, channel, message("1"))
	if got := second.latest(); got.Replaces != 0 {
		t.Errorf("it replaces %d, which is another's", got.Replaces)
	}
	first.emit("ActionInvoked", uint32(1), "answer:from-the-first")
	if err := first.conn.BusObject().Call("org.freedesktop.DBus.GetId", 0).Err; err != nil {
		t.Fatal(err)
	}
	second.emit("ActionInvoked", uint32(1), "answer:tok-useful")
	answers.token("tok-useful")
}

// TestListenBeforeTheDesktop: it may come after the daemon.
func TestListenBeforeTheDesktop(t *testing.T) {
	bus := privatebus.Start(t)
	channel := desktop.New(desktop.Config{}, desktop.Options{Bus: bus.Address, System: "linux"})
	answers := listen(t, channel)
	answers.well()
	fake := startDesktop(t, bus)
	send(t, channel, message("1"))
	fake.emit("ActionInvoked", uint32(1), fake.latest().Actions[4])
	answers.token("tok-away")
}

// TestBusRestarts: the listener connects again by itself.
func TestBusRestarts(t *testing.T) {
	bus := privatebus.Start(t)
	startDesktop(t, bus)
	channel := desktop.New(desktop.Config{}, desktop.Options{Bus: bus.Address, System: "linux"})
	answers := listen(t, channel)
	answers.well()
	bus.Stop()
	answers.until(func(err error) bool {
		failure, ok := errors.AsType[*notify.Error](err)
		return ok && failure.Trouble == notify.Unavailable && failure.Next != ""
	})
	_, err := channel.Send(t.Context(), message("1"))
	trouble(t, err, notify.Unavailable, "")
	bus.Restart()
	answers.well()
	fake := startDesktop(t, bus)
	send(t, channel, message("1"))
	fake.emit("ActionInvoked", uint32(1), fake.latest().Actions[0])
	answers.token("tok-useful")
}

func TestRefusals(t *testing.T) {
	bus := privatebus.Start(t)
	channel := desktop.New(desktop.Config{}, desktop.Options{Bus: bus.Address, System: "linux"})
	_, err := channel.Send(t.Context(), message("1"))
	trouble(t, err, notify.Unavailable, "log in to the desktop")
	fake := startDesktop(t, bus)
	for name, want := range map[string]notify.Trouble{
		"org.freedesktop.DBus.Error.AccessDenied":                            notify.Refused,
		"org.freedesktop.DBus.Error.InvalidArgs":                             notify.Refused,
		"org.freedesktop.DBus.Error.NoReply":                                 notify.Unknown,
		"org.freedesktop.DBus.Error.LimitsExceeded":                          notify.Unavailable,
		"org.freedesktop.Notifications.Error.ExcessNotificationGeneration":   notify.Unavailable,
		"org.example." + strings.Repeat("Very", 50) + "LongNameOfAnErrorXyz": notify.Unavailable,
	} {
		fake.set(func() { fake.refuse = name })
		_, err := channel.Send(t.Context(), message("1"))
		trouble(t, err, want, "")
		if len(err.Error()) > 200 {
			t.Errorf("%d bytes: %v", len(err.Error()), err)
		}
	}
}

// TestNoBus: without a desktop it is said what to do.
func TestNoBus(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unixexec:path=/bin/false") // would start a program
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	channel := desktop.New(desktop.Config{}, desktop.Options{System: "linux"})
	_, err := channel.Send(t.Context(), message("1"))
	trouble(t, err, notify.Unavailable, "take this channel out")
	listen(t, channel).until(func(err error) bool {
		failure, ok := errors.AsType[*notify.Error](err)
		return ok && strings.Contains(failure.Text, "there is no session bus")
	})
}

// TestNobodyAnswers: once it was asked for, a notification may be there.
func TestNobodyAnswers(t *testing.T) {
	bus := privatebus.Start(t)
	fake := startDesktop(t, bus)
	hang := make(chan struct{})
	fake.set(func() { fake.hang = hang })
	channel := desktop.New(desktop.Config{}, desktop.Options{Bus: bus.Address, System: "linux"})
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() {
		_, err := channel.Send(ctx, message("1"))
		result <- err
	}()
	<-fake.entered
	cancel()
	trouble(t, <-result, notify.Unknown, "did not say")
	close(hang)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := channel.Send(over, message("2"))
	trouble(t, err, notify.Unavailable, "")
}

// TestManyAtOnce: messages may be sent at the same time, and what is remembered
// of them is bounded.
func TestManyAtOnce(t *testing.T) {
	bus := privatebus.Start(t)
	fake := startDesktop(t, bus)
	channel := desktop.New(desktop.Config{}, desktop.Options{Bus: bus.Address, System: "linux"})
	listen(t, channel).well()
	var senders sync.WaitGroup
	for i := range 20 { // a bus has 128 questions open at a time
		senders.Go(func() {
			for j := range 10 {
				if _, err := channel.Send(t.Context(), message(fmt.Sprint(i, "-", j))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	senders.Wait()
	var ids []uint32
	fake.set(func() {
		for _, note := range fake.notes {
			ids = append(ids, note.ID)
		}
	})
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 200 {
		t.Errorf("%d notifications", len(ids))
	}
}
