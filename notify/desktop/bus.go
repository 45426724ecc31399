package desktop

import (
	"context"
	"errors"
	"fmt"
	"html"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/subconsciousd/subconsciousd/internal/dbusconn"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	service = "org.freedesktop.Notifications"
	object  = dbus.ObjectPath("/org/freedesktop/Notifications")
	// answer stands before the token in the key of a button, so that other
	// programs' buttons are known by its absence.
	answer = "answer:"
	// maxShown is how many notifications are remembered to be replaced.
	maxShown = 64
	// maxToken bounds what is handed on as a token.
	maxToken = 4 << 10
	// unsure is what to do about a message that may have arrived.
	unsure = "look whether it is there; if this happens often, restart what shows notifications"
	// maxButtons is what a message has at most.
	maxButtons = 3
)

// bus shows notifications over the session bus.
type bus struct {
	address string
	now     func() time.Time

	mu sync.Mutex
	// conn is that of Listen, nil while nobody listens.
	conn *dbus.Conn
	// owner is the program that shows them. Its numbers are worth nothing to
	// another, or to itself after a restart: the next could be another
	// program's notification.
	owner string
	// shown are the numbers of notifications that may still be seen, by sequence.
	shown map[string]uint32
}

var (
	_ notify.Notifier = (*bus)(nil)
	_ notify.Listener = (*bus)(nil)
)

// connect opens a connection of its own to the session bus.
func (b *bus) connect(ctx context.Context) (*dbus.Conn, error) {
	// The context lasts as long as the connection, but connecting has less time.
	ctx, cancel := context.WithCancel(ctx)
	slow := time.AfterFunc(timeout, cancel)
	conn, err := dbusconn.Open(ctx, dbusconn.Session(b.address))
	slow.Stop()
	if err != nil {
		over := ctx.Err() != nil
		cancel()
		if over {
			return nil, late(notify.Unavailable, err)
		}
		return nil, &notify.Error{Trouble: notify.Unavailable, Err: fmt.Errorf("connect to the session bus: %w", err),
			Text: "there is no session bus, over which a desktop shows notifications",
			Next: "log in to the desktop and run the daemon as your own user's service (subconsciousctl service install); on a machine without a desktop, take this channel out"}
	}
	context.AfterFunc(conn.Context(), cancel)
	return conn, nil
}

// Send shows a notification. It has buttons while somebody listens for them and
// where the desktop has them; one of the same sequence replaces the last.
func (b *bus) Send(ctx context.Context, message notify.Message) (notify.Receipt, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	b.mu.Lock()
	conn := b.conn
	b.mu.Unlock()
	heard := conn != nil
	if !heard {
		var err error
		if conn, err = b.connect(ctx); err != nil {
			return notify.Receipt{}, err
		}
		defer conn.Close()
	}
	remote := conn.Object(service, object)
	var able []string
	// This starts the desktop's program where it does not run yet.
	if err := remote.CallWithContext(ctx, service+".GetCapabilities", 0).Store(&able); err != nil {
		return notify.Receipt{}, b.trouble(ctx, err, false)
	}
	owner, err := ownerOf(ctx, conn)
	if err != nil {
		return notify.Receipt{}, b.trouble(ctx, err, false)
	}
	summary, body := render(message, able)
	actions := []string{}
	if heard && slices.Contains(able, "actions") {
		for _, button := range message.Buttons[:min(len(message.Buttons), maxButtons)] {
			actions = append(actions, answer+button.Token, subconscious.Clip(subconscious.Line(button.Label), 60))
		}
	}
	urgency := byte(1)
	if message.Urgent {
		urgency = 2
	}
	hints := map[string]dbus.Variant{"urgency": dbus.MakeVariant(urgency)}
	var id uint32
	err = remote.CallWithContext(ctx, service+".Notify", 0, application, b.replaces(owner, message.Sequence), "",
		summary, body, actions, hints, int32(-1)).Store(&id)
	if err != nil {
		return notify.Receipt{}, b.trouble(ctx, err, true)
	}
	b.remember(owner, message.Sequence, id)
	return notify.Receipt{ID: strconv.FormatUint(uint64(id), 10), At: b.now()}, nil
}

// render puts a message into what the desktop can show.
func render(message notify.Message, able []string) (summary, body string) {
	summary, body = words(message)
	if !slices.Contains(able, "body") {
		if body != "" {
			summary += ": " + strings.ReplaceAll(body, "\n", " ")
		}
		return summary, ""
	}
	link := subconscious.Line(message.Link)
	if len(link) > maxLink || !strings.HasPrefix(link, "http://") && !strings.HasPrefix(link, "https://") {
		link = ""
	}
	if slices.Contains(able, "body-markup") {
		body, link = html.EscapeString(body), html.EscapeString(link)
		if link != "" && slices.Contains(able, "body-hyperlinks") {
			link = `<a href="` + link + `">Open</a>`
		}
	}
	return summary, strings.Trim(body+"\n"+link, "\n")
}

func ownerOf(ctx context.Context, conn *dbus.Conn) (string, error) {
	var owner string
	err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetNameOwner", 0, service).Store(&owner)
	return owner, err
}

// replaces returns the number of the notification that this one replaces, 0 for
// none.
func (b *bus) replaces(owner, sequence string) uint32 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.owner != owner {
		return 0
	}
	return b.shown[sequence]
}

func (b *bus) remember(owner, sequence string, id uint32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.shown[sequence]; b.shown == nil || b.owner != owner || !known && len(b.shown) >= maxShown {
		b.owner, b.shown = owner, map[string]uint32{}
	}
	maps.DeleteFunc(b.shown, func(_ string, other uint32) bool { return other == id })
	if sequence != "" {
		b.shown[sequence] = id
	}
}

func (b *bus) forget(id uint32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.shown, func(_ string, other uint32) bool { return other == id })
}

// trouble puts a failed call into words. asked: the notification itself was
// asked for, so that it may be there.
func (b *bus) trouble(ctx context.Context, err error, asked bool) *notify.Error {
	refusal, refused := errors.AsType[dbus.Error](err)
	switch {
	case refused:
		return refusalOf(refusal)
	case asked:
		return &notify.Error{Trouble: notify.Unknown, Err: err, Text: "the desktop did not say whether it shows the notification", Next: unsure}
	case ctx.Err() != nil:
		return late(notify.Unavailable, err)
	default:
		return &notify.Error{Trouble: notify.Unavailable, Err: err, Text: "the connection to the session bus broke", Next: "nothing; it is tried again"}
	}
}

// refusalOf reads an answer of the bus or of the desktop.
func refusalOf(refusal dbus.Error) *notify.Error {
	name := strings.TrimPrefix(refusal.Name, "org.freedesktop.DBus.Error.")
	e := &notify.Error{Err: refusal, Trouble: notify.Unavailable}
	switch {
	case name == "ServiceUnknown" || name == "NameHasNoOwner" || strings.HasPrefix(name, "Spawn."):
		e.Text = "no program on the session bus shows notifications"
		e.Next = "log in to the desktop; a window manager alone needs one, such as dunst or mako"
	case name == "NoReply" || name == "Timeout" || name == "TimedOut" || name == "Disconnected":
		e.Trouble = notify.Unknown
		e.Text, e.Next = "the desktop did not say whether it shows the notification", unsure
	case name == "InvalidArgs" || name == "InvalidSignature" || name == "UnknownMethod" || name == "UnknownInterface" ||
		name == "UnknownObject" || name == "AccessDenied":
		e.Trouble = notify.Refused
		e.Text = "the desktop refuses notifications of ours (" + subconscious.Clip(subconscious.Line(name), 60) + ")"
		e.Next = "look whether the service may use the session bus, and what shows notifications there"
	default:
		e.After = time.Minute // too many, most of the time
		e.Text = "the desktop did not take the notification (" + subconscious.Clip(subconscious.Line(name), 60) + ")"
		e.Next = "nothing; it is tried again"
	}
	return e
}
