//go:build linux

package session_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/internal/testutil/privatebus"
	"github.com/subconsciousd/subconsciousd/presence"
	"github.com/subconsciousd/subconsciousd/presence/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	login       = "org.freedesktop.login1"
	userPath    = dbus.ObjectPath("/org/freedesktop/login1/user/_1000")
	sessionPath = dbus.ObjectPath("/org/freedesktop/login1/session/_32")
)

// fakeLogin answers as systemd-logind does.
type fakeLogin struct {
	mu      sync.Mutex
	display any
	session map[string]any
	hang    chan struct{}
}

// display is what User.Display holds.
type display struct {
	ID   string
	Path dbus.ObjectPath
}

func startLogin(t *testing.T, bus *privatebus.Bus) *fakeLogin {
	t.Helper()
	fake := &fakeLogin{display: display{"2", sessionPath}, session: map[string]any{"Type": "wayland", "State": "active",
		"LockedHint": false, "IdleHint": false, "IdleSinceHint": uint64(0)}}
	conn := bus.Connect()
	if err := conn.Export(fake, "/org/freedesktop/login1", login+".Manager"); err != nil {
		t.Fatal(err)
	}
	if err := conn.ExportSubtree(fake, "/org/freedesktop/login1", "org.freedesktop.DBus.Properties"); err != nil {
		t.Fatal(err)
	}
	bus.Own(conn, login)
	return fake
}

// set changes properties of the session, two values each.
func (f *fakeLogin) set(pairs ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := 0; i < len(pairs); i += 2 {
		f.session[pairs[i].(string)] = pairs[i+1]
	}
}

// GetUser is logind's method.
func (f *fakeLogin) GetUser(uid uint32) (dbus.ObjectPath, *dbus.Error) {
	f.mu.Lock()
	hang := f.hang
	f.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if uid != 1000 {
		return "", &dbus.Error{Name: login + ".NoSuchUser", Body: []any{"User ID is not logged in or lingering"}}
	}
	return userPath, nil
}

// GetAll is the method of org.freedesktop.DBus.Properties.
func (f *fakeLogin) GetAll(message dbus.Message, iface string) (map[string]dbus.Variant, *dbus.Error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path, _ := message.Headers[dbus.FieldPath].Value().(dbus.ObjectPath)
	values := map[string]dbus.Variant{}
	switch {
	case path == userPath && iface == login+".User":
		if f.display != nil {
			values["Display"] = dbus.MakeVariant(f.display)
		}
	case path == sessionPath && iface == login+".Session":
		for name, value := range f.session {
			values[name] = dbus.MakeVariant(value)
		}
	default:
		return nil, &dbus.Error{Name: "org.freedesktop.DBus.Error.UnknownObject"}
	}
	return values, nil
}

var at = time.Date(2026, 8, 3, 10, 0, 0, 0, time.UTC)

// clock is set by hand.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func TestSession(t *testing.T) {
	bus := privatebus.Start(t)
	fake := startLogin(t, bus)
	clock := &clock{at}
	reader := session.New(session.Options{Bus: bus.Address, User: "1000", Now: clock.Now})
	idle := at.Add(-5 * time.Minute)
	steps := []struct {
		name string
		set  []any
		want presence.Session
	}{
		{"at work", nil, presence.Session{Known: true}},
		{"idle", []any{"IdleHint", true, "IdleSinceHint", uint64(idle.UnixMicro())}, presence.Session{Known: true, IdleSince: idle}},
		{"locked", []any{"LockedHint", true}, presence.Session{Known: true, Locked: true, LockedSince: at.Add(2 * time.Minute), IdleSince: idle}},
		{"locked still, idle no more", []any{"IdleHint", false}, presence.Session{Known: true, Locked: true, LockedSince: at.Add(2 * time.Minute)}},
		{"unlocked", []any{"LockedHint", false}, presence.Session{Known: true}},
		{"another one in front", []any{"State", "online"}, presence.Session{Known: true, Locked: true, LockedSince: at.Add(5 * time.Minute)}},
		{"in front again", []any{"State", "active"}, presence.Session{Known: true}},
		{"X11", []any{"Type", "x11"}, presence.Session{Known: true}},
		{"idle, nobody knows since when", []any{"IdleHint", true, "IdleSinceHint", uint64(0)}, presence.Session{Known: true}},
		{"idle beyond all time", []any{"IdleSinceHint", ^uint64(0)}, presence.Session{Known: true}},
		{"other types", []any{"IdleSinceHint", "then", "IdleHint", "yes", "LockedHint", int32(1)}, presence.Session{Known: true}},
		{"a terminal", []any{"Type", "tty"}, presence.Session{}},
		{"no type", []any{"Type", int32(3)}, presence.Session{}},
		{"about to end", []any{"Type", "x11", "State", "closing"}, presence.Session{}},
	}
	for i, step := range steps {
		clock.now = at.Add(time.Duration(i) * time.Minute)
		fake.set(step.set...)
		if diff := cmp.Diff(step.want, reader.Session(t.Context()), cmp.Comparer(time.Time.Equal)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

// TestNoSession: whoever has no graphical session is not known.
func TestNoSession(t *testing.T) {
	bus := privatebus.Start(t)
	fake := startLogin(t, bus)
	for name, shown := range map[string]any{
		"none": display{"", "/"}, "missing": nil, "of another type": "2", "gone since": display{"9", "/org/freedesktop/login1/session/_39"},
	} {
		fake.mu.Lock()
		fake.display = shown
		fake.mu.Unlock()
		if got := session.New(session.Options{Bus: bus.Address, User: "1000"}).Session(t.Context()); got != (presence.Session{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for _, user := range []string{"1001", "somebody", "-1"} {
		if got := session.New(session.Options{Bus: bus.Address, User: user}).Session(t.Context()); got != (presence.Session{}) {
			t.Errorf("user %s: %+v", user, got)
		}
	}
}

// TestBusComesAndGoes: a bus without logind, one that ends and one that starts
// anew are met at the next question; that it was locked is not forgotten meanwhile.
func TestBusComesAndGoes(t *testing.T) {
	bus := privatebus.Start(t)
	var log bytes.Buffer
	clock := &clock{at}
	reader := session.New(session.Options{Bus: bus.Address, User: "1000", Now: clock.Now,
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	ask := func(when string, want presence.Session) {
		t.Helper()
		if diff := cmp.Diff(want, reader.Session(t.Context()), cmp.Comparer(time.Time.Equal)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	ask("without logind", presence.Session{})
	ask("without logind", presence.Session{})
	if lines := strings.Count(log.String(), "\n"); lines != 1 || !strings.Contains(log.String(), "level=DEBUG") {
		t.Errorf("said %d times: %s", lines, log.String())
	}
	startLogin(t, bus).set("LockedHint", true)
	locked := presence.Session{Known: true, Locked: true, LockedSince: at}
	ask("with it", locked)
	bus.Stop()
	clock.now = at.Add(time.Hour)
	ask("without a bus", presence.Session{})
	bus.Restart()
	startLogin(t, bus).set("LockedHint", true)
	ask("with another bus", locked)
}

// TestNobodyAnswers: a bus or a logind that says nothing holds nobody up.
func TestNobodyAnswers(t *testing.T) {
	t.Run("the bus", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "s")
		listener, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		var held []net.Conn
		accepted := make(chan struct{})
		go func() {
			defer close(accepted)
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				held = append(held, conn)
			}
		}()
		if got := session.New(session.Options{Bus: "unix:path=" + path, User: "1000"}).Session(t.Context()); got != (presence.Session{}) {
			t.Errorf("got %+v", got)
		}
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
		<-accepted
		for _, conn := range held {
			_ = conn.Close()
		}
	})
	t.Run("logind", func(t *testing.T) {
		bus := privatebus.Start(t)
		fake := startLogin(t, bus)
		hang := make(chan struct{})
		defer close(hang)
		fake.mu.Lock()
		fake.hang = hang
		fake.mu.Unlock()
		if got := session.New(session.Options{Bus: bus.Address, User: "1000"}).Session(t.Context()); got != (presence.Session{}) {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("no time", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("over"))
		if got := session.New(session.Options{Bus: "unix:path=/nowhere"}).Session(ctx); got != (presence.Session{}) {
			t.Errorf("got %+v", got)
		}
	})
}

// TestNoPrograms: an address that would start a program is not used.
func TestNoPrograms(t *testing.T) {
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", "unixexec:path=/bin/false")
	if got := session.New(session.Options{Bus: "autolaunch:"}).Session(t.Context()); got.Known && got.Locked {
		t.Errorf("got %+v", got)
	}
}
