package dbusconn

import "testing"

// TestOnlySockets: an address of another kind would start a program.
func TestOnlySockets(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "autolaunch:")
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", "/run/user/1")
	if address := Session("unixexec:path=/bin/true"); address != "unix:path=/run/user/1/bus" {
		t.Errorf("address %q", address)
	}
	if address := System("unixexec:path=/bin/true"); address != "unix:path=/run/dbus/system_bus_socket" {
		t.Errorf("address %q", address)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/a")
	if address := Session(""); address != "unix:path=/a" {
		t.Errorf("address %q", address)
	}
	if address := Session("unix:path=/b"); address != "unix:path=/b" {
		t.Errorf("address %q", address)
	}
}
