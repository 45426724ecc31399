// Package privatebus starts a D-Bus daemon of its own for a test, so that
// stand-ins for the services of a desktop can be met over a real bus.
package privatebus

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/godbus/dbus/v5"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// Bus is a bus that ends with its test.
type Bus struct {
	// Address is where it listens: "unix:path=…".
	Address string

	t      testing.TB
	folder string
	end    func()
}

// Start starts a bus. Where there is no dbus-daemon the test is skipped, but
// with CI=true it fails.
func Start(t testing.TB) *Bus {
	t.Helper()
	program, err := exec.LookPath("dbus-daemon")
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal("dbus-daemon is not installed, and CI=true: install the package dbus")
	}
	if err != nil {
		t.Skip("dbus-daemon is not installed: install the package dbus to run this test")
	}
	folder := testutil.Folder(t)
	b := &Bus{Address: "unix:path=" + filepath.Join(folder, "bus"), t: t, folder: folder, end: func() {}}
	t.Cleanup(b.Stop)
	config := filepath.Join(folder, "bus.conf")
	testutil.Write(t, config, `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>`+b.Address+`</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>`)
	b.start(program, config)
	return b
}

// start runs the daemon, and returns when it can be connected to.
func (b *Bus) start(program, config string) {
	b.t.Helper()
	command := exec.Command(program, "--config-file="+config, "--nofork", "--nopidfile", "--print-address=1")
	said := testutil.Started(b.t, command)
	b.end = sync.OnceFunc(func() {
		if err := command.Process.Signal(syscall.SIGTERM); err != nil {
			b.t.Errorf("end the bus: %v", err)
		}
		_ = command.Wait() // the signal is its error
	})
	if !said.Scan() {
		b.t.Fatalf("the bus said no address: %v", said.Err())
	}
}

// Stop ends the bus before its test.
func (b *Bus) Stop() { b.end() }

// Restart ends the bus and starts another at the same address.
func (b *Bus) Restart() {
	b.t.Helper()
	b.Stop()
	program, err := exec.LookPath("dbus-daemon")
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.Remove(strings.TrimPrefix(b.Address, "unix:path=")); err != nil && !os.IsNotExist(err) {
		b.t.Fatal(err)
	}
	b.start(program, filepath.Join(b.folder, "bus.conf"))
}

// Connect returns a connection that ends with the test.
func (b *Bus) Connect() *dbus.Conn {
	b.t.Helper()
	conn, err := dbus.Connect(b.Address)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Own makes the connection the one that answers to a name.
func (b *Bus) Own(conn *dbus.Conn, name string) {
	b.t.Helper()
	if reply, err := conn.RequestName(name, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		b.t.Fatalf("request the name %s: %v, %v", name, reply, err)
	}
}
