//go:build linux

package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/subconsciousd/subconsciousd/internal/dbusconn"
	"github.com/subconsciousd/subconsciousd/presence"
)

const (
	login        = "org.freedesktop.login1"
	loginPath    = dbus.ObjectPath("/org/freedesktop/login1")
	loginManager = login + ".Manager"
	loginUser    = login + ".User"
	loginSession = login + ".Session"
)

var errNoSession = errors.New("the person has no graphical session here")

// ask asks logind over a connection of its own. The context ends what hangs.
func (r *Reader) ask(ctx context.Context) (presence.Session, error) {
	conn, err := dbusconn.Open(ctx, dbusconn.System(r.options.Bus))
	if err != nil {
		return presence.Session{}, fmt.Errorf("connect to the bus: %w", err)
	}
	defer conn.Close()
	path, err := r.graphical(ctx, conn)
	if err != nil {
		return presence.Session{}, err
	}
	values, err := properties(ctx, conn, path, loginSession)
	if err != nil {
		return presence.Session{}, fmt.Errorf("read the session: %w", err)
	}
	return read(values)
}

// graphical finds the person's graphical session.
func (r *Reader) graphical(ctx context.Context, conn *dbus.Conn) (dbus.ObjectPath, error) {
	number := r.options.User
	if number == "" {
		number = strconv.Itoa(os.Getuid())
	}
	uid, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return "", fmt.Errorf("the user %q is no number", number)
	}
	var user dbus.ObjectPath
	err = conn.Object(login, loginPath).CallWithContext(ctx, loginManager+".GetUser", dbus.FlagNoAutoStart, uint32(uid)).Store(&user)
	if err != nil {
		return "", fmt.Errorf("ask logind for the user: %w", err)
	}
	values, err := properties(ctx, conn, user, loginUser)
	if err != nil {
		return "", fmt.Errorf("read the user: %w", err)
	}
	// Display is a structure of a name and a path, "" and "/" for none.
	display := dbusconn.As[[]any](values["Display"])
	if len(display) != 2 {
		return "", errNoSession
	}
	if path, _ := display[1].(dbus.ObjectPath); len(path) > 1 && path.IsValid() {
		return path, nil
	}
	return "", errNoSession
}

func properties(ctx context.Context, conn *dbus.Conn, path dbus.ObjectPath, iface string) (map[string]dbus.Variant, error) {
	var values map[string]dbus.Variant
	err := conn.Object(login, path).CallWithContext(ctx, "org.freedesktop.DBus.Properties.GetAll", dbus.FlagNoAutoStart, iface).Store(&values)
	return values, err
}

// read reads the properties of a session. Those that are missing, or of another
// type than logind's, say nothing.
func read(values map[string]dbus.Variant) (presence.Session, error) {
	switch dbusconn.As[string](values["Type"]) {
	case "x11", "wayland", "mir":
	default:
		return presence.Session{}, errNoSession
	}
	state := dbusconn.As[string](values["State"])
	if state == "closing" {
		return presence.Session{}, errNoSession
	}
	// "online" is logged in, and not in front.
	s := presence.Session{Locked: dbusconn.As[bool](values["LockedHint"]) || state == "online"}
	// The hint is in microseconds of the wall clock; what is beyond an int64 is
	// no time.
	since := dbusconn.As[uint64](values["IdleSinceHint"])
	if dbusconn.As[bool](values["IdleHint"]) && since > 0 && since < 1<<62 {
		s.IdleSince = time.UnixMicro(int64(since))
	}
	return s, nil
}
