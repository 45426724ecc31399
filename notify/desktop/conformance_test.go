package desktop_test

import (
	"context"
	"html"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"

	"github.com/subconsciousd/subconsciousd/internal/testutil/privatebus"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/desktop"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
)

func TestConformance(t *testing.T) {
	notifytest.Run(t, notifytest.Driver{Open: open, Buttons: true, Link: true, Urgent: true,
		Faults: []notifytest.Fault{notifytest.Refuses, notifytest.Down, notifytest.Broken, notifytest.Limits, notifytest.Cuts,
			notifytest.Hangs, notifytest.Garbles}})
}

// desk is a desktop that can fail, and start anew with its bus.
type desk struct {
	t   *testing.T
	bus *privatebus.Bus

	mu    sync.Mutex
	fakes []*fakeDesktop // the last one shows
	end   chan struct{}
}

func open(tb testing.TB) notifytest.Service {
	t := tb.(*testing.T)
	d := &desk{t: t, bus: privatebus.Start(t), end: make(chan struct{})}
	d.start()
	channel := desktop.New(desktop.Config{}, desktop.Options{Bus: d.bus.Address, System: "linux"})
	listen(t, channel).well()
	t.Cleanup(func() { close(d.end) })
	return notifytest.Service{Notifier: channel, Received: d.received, Fail: d.fail, Requests: d.requests, Press: d.press, Break: func() {
		d.bus.Restart()
		d.start()
	}}
}

func (d *desk) start() {
	fake := startDesktop(d.t, d.bus)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fakes = append(d.fakes, fake)
}

func (d *desk) last() *fakeDesktop {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fakes[len(d.fakes)-1]
}

func (d *desk) all() []note {
	d.mu.Lock()
	defer d.mu.Unlock()
	var notes []note
	for _, fake := range d.fakes {
		fake.set(func() { notes = append(notes, fake.notes...) })
	}
	return notes
}

// received reads the notes as a desktop with markup shows them.
func (d *desk) received() []notifytest.Received {
	var seen []notifytest.Received
	for _, n := range d.all() {
		r := notifytest.Received{Title: n.Title, Urgent: n.Urgency == 2}
		body, link, linked := strings.Cut(n.Body, `<a href="`)
		if linked {
			r.Link = html.UnescapeString(strings.TrimSuffix(link, `">Open</a>`))
		}
		r.Text = html.UnescapeString(strings.TrimSuffix(body, "\n"))
		for i := 1; i < len(n.Actions); i += 2 {
			r.Buttons = append(r.Buttons, n.Actions[i])
		}
		seen = append(seen, r)
	}
	return seen
}

func (d *desk) requests() int {
	fake := d.last()
	fake.mu.Lock()
	defer fake.mu.Unlock()
	return fake.calls
}

func (d *desk) press(token string) error {
	return d.last().conn.Emit(object, service+".ActionInvoked", uint32(1), "answer:"+token)
}

// garbling answers with a word where a number belongs.
type garbling struct{}

// GetCapabilities is the desktop's method.
func (garbling) GetCapabilities() ([]string, *dbus.Error) { return full, nil }

// Notify is the desktop's method.
func (garbling) Notify(string, uint32, string, string, string, []string, map[string]dbus.Variant, int32) (string, *dbus.Error) {
	return "shown", nil
}

func (d *desk) fail(fault notifytest.Fault) {
	fake := d.last()
	switch fault {
	case notifytest.Healthy:
		d.bus.Own(fake.conn, service)
	case notifytest.Refuses:
		fake.set(func() { fake.refuse = "org.freedesktop.DBus.Error.AccessDenied" })
	case notifytest.Down:
		if _, err := fake.conn.ReleaseName(service); err != nil {
			d.t.Error(err)
		}
	case notifytest.Broken:
		fake.set(func() { fake.refuse = "org.freedesktop.DBus.Error.Failed" })
	case notifytest.Limits:
		fake.set(func() { fake.refuse = "org.freedesktop.Notifications.Error.ExcessNotificationGeneration" })
	case notifytest.Cuts:
		fake.set(func() { fake.cuts = true })
	case notifytest.Hangs:
		fake.set(func() { fake.hang = d.end })
	case notifytest.Garbles:
		if err := fake.conn.Export(garbling{}, object, service); err != nil {
			d.t.Error(err)
		}
	}
}

// TestTwoListeners: the end of one does not take the other's buttons away.
func TestTwoListeners(t *testing.T) {
	bus := privatebus.Start(t)
	fake := startDesktop(t, bus)
	channel := desktop.New(desktop.Config{}, desktop.Options{Bus: bus.Address, System: "linux"})
	ctx, cancel := context.WithCancel(t.Context())
	up, ended := make(chan struct{}), make(chan error)
	go func() {
		once := sync.OnceFunc(func() { close(up) })
		ended <- channel.(notify.Listener).Listen(ctx, func(context.Context, string) {}, func(error) { once() })
	}()
	<-up
	listen(t, channel).well()
	cancel()
	<-ended
	send(t, channel, message("1"))
	if got := fake.latest(); len(got.Actions) != 6 {
		t.Errorf("actions %q", got.Actions)
	}
}
