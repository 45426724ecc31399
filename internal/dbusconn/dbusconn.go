// Package dbusconn connects to the buses of D-Bus: the machine's, and that of the
// person's session.
//
// It stores nothing. The sense of the machine's health, the channel to the desktop
// and the reader of the session call it.
package dbusconn

import (
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/godbus/dbus/v5"
)

// System is the address of the machine's bus: what is configured, of the
// environment, or usual. Only sockets are used: other kinds of address start programs.
func System(configured string) string {
	return socket(configured, os.Getenv("DBUS_SYSTEM_BUS_ADDRESS"), "/run/dbus/system_bus_socket")
}

// Session is in the same way that of the bus of the person's session.
func Session(configured string) string {
	return socket(configured, os.Getenv("DBUS_SESSION_BUS_ADDRESS"), os.Getenv("XDG_RUNTIME_DIR")+"/bus")
}

func socket(configured, environment, path string) string {
	for _, address := range []string{configured, environment} {
		if strings.HasPrefix(address, "unix:") {
			return address
		}
	}
	return "unix:path=" + path
}

// Open opens a connection of its own, which ctx ends, with whatever hangs on it.
func Open(ctx context.Context, address string) (*dbus.Conn, error) {
	// EXTERNAL is the one way in that reads no file of the person's home.
	return dbus.Connect(address, dbus.WithContext(ctx), dbus.WithAuth(dbus.AuthExternal(strconv.Itoa(os.Getuid()))))
}

// As returns a variant's value, or the zero value where it is of another type.
func As[T any](v dbus.Variant) T {
	value, _ := v.Value().(T)
	return value
}
