package desktop

import (
	"context"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/subconsciousd/subconsciousd/internal/wake"
	"github.com/subconsciousd/subconsciousd/notify"
)

// Pauses between two attempts to connect.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// signals is how many signals wait to be read: a desktop with many programs
// closes many notifications at once.
const signals = 256

// Listen holds the connection over which notifications with buttons are shown,
// and hands on what is pressed.
func (b *bus) Listen(ctx context.Context, take func(context.Context, string), status func(error)) error {
	pause := firstPause
	for {
		began, err := b.listen(ctx, take, status)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		status(err)
		if began {
			pause = firstPause
		}
		if wake.Pause(ctx, pause); ctx.Err() != nil {
			return ctx.Err()
		}
		pause = min(2*pause, lastPause)
	}
}

// listen listens over one connection until it breaks. began: it was there.
func (b *bus) listen(ctx context.Context, take func(context.Context, string), status func(error)) (began bool, err error) {
	conn, err := b.connect(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	incoming := make(chan *dbus.Signal, signals)
	conn.Signal(incoming)
	owner, err := b.subscribe(ctx, conn)
	if err != nil {
		return false, err
	}
	b.listening(conn)
	defer b.deaf(conn)
	status(nil)
	for {
		select {
		case <-ctx.Done():
			return true, ctx.Err()
		case <-conn.Context().Done():
			return true, &notify.Error{Trouble: notify.Unavailable, Text: "the connection to the session bus broke", Next: "nothing; it is tried again"}
		case signal, open := <-incoming:
			if !open {
				incoming = nil // the connection is about to say that it broke
				continue
			}
			b.hear(ctx, signal, &owner, take)
		}
	}
}

// subscribe asks for what is pressed and closed, and for who shows
// notifications. It may be that nobody does yet.
func (b *bus) subscribe(ctx context.Context, conn *dbus.Conn) (owner string, err error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	matches := [][]dbus.MatchOption{
		{dbus.WithMatchInterface(service), dbus.WithMatchMember("ActionInvoked"), dbus.WithMatchObjectPath(object)},
		{dbus.WithMatchInterface(service), dbus.WithMatchMember("NotificationClosed"), dbus.WithMatchObjectPath(object)},
		{dbus.WithMatchSender("org.freedesktop.DBus"), dbus.WithMatchInterface("org.freedesktop.DBus"),
			dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, service)},
	}
	for _, match := range matches {
		if err := conn.AddMatchSignalContext(ctx, match...); err != nil {
			return "", b.trouble(ctx, err, false)
		}
	}
	owner, err = ownerOf(ctx, conn)
	if err != nil {
		if refusal := b.trouble(ctx, err, false); refusal.Trouble != notify.Unavailable || ctx.Err() != nil || !conn.Connected() {
			return "", refusal
		}
	}
	return owner, nil
}

func (b *bus) listening(conn *dbus.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conn = conn
}

func (b *bus) deaf(conn *dbus.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn == conn {
		b.conn = nil
	}
}

// hear takes in one signal. Only the program that shows notifications is
// believed: any other can say the same.
func (b *bus) hear(ctx context.Context, signal *dbus.Signal, owner *string, take func(context.Context, string)) {
	if signal.Name == "org.freedesktop.DBus.NameOwnerChanged" {
		if name, _ := at[string](signal, 0); signal.Sender == "org.freedesktop.DBus" && name == service {
			*owner, _ = at[string](signal, 2)
		}
		return
	}
	id, ok := at[uint32](signal, 0)
	if !ok || *owner == "" || signal.Sender != *owner || signal.Path != object {
		return
	}
	switch signal.Name {
	case service + ".NotificationClosed":
		b.forget(id)
	case service + ".ActionInvoked":
		key, _ := at[string](signal, 1)
		token, ours := strings.CutPrefix(key, answer)
		if !ours || token == "" || len(token) > maxToken {
			return
		}
		take(ctx, token)
	}
}

// at returns a value of a signal.
func at[T any](signal *dbus.Signal, i int) (value T, ok bool) {
	if i < len(signal.Body) {
		value, ok = signal.Body[i].(T)
	}
	return value, ok
}
