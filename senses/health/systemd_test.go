package health

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/internal/testutil/privatebus"
)

// fakeSystemd answers as systemd does, over a bus of its own.
type fakeSystemd struct {
	mu     sync.Mutex
	units  []listed
	values map[string]any // by path, interface and property
	hang   chan struct{}
	calls  []string
}

// add puts a unit there with properties of its kind and of "Unit".
func (f *fakeSystemd) add(name, state string, properties map[string]any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := dbus.ObjectPath(fmt.Sprintf("/org/freedesktop/systemd1/unit/u%d", len(f.units)))
	f.units = append(f.units, listed{Name: name, Description: "Sample " + name, Load: "loaded", Active: state, Sub: "x", Path: path, JobPath: "/"})
	for key, value := range properties {
		f.values[string(path)+" "+systemdName+"."+key] = value
	}
}

// ListUnitsByPatterns is systemd's method.
func (f *fakeSystemd) ListUnitsByPatterns(states, patterns []string) ([]listed, *dbus.Error) {
	f.mu.Lock()
	hang := f.hang
	f.mu.Unlock()
	if hang != nil {
		<-hang
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, strings.Join(states, ",")+" "+strings.Join(patterns, ","))
	found := []listed{}
	for _, u := range f.units {
		matches := len(patterns) == 0
		for _, p := range patterns {
			matched, err := filepath.Match(p, u.Name)
			matches = matches || err == nil && matched
		}
		if matches && slices.Contains(states, u.Active) {
			found = append(found, u)
		}
	}
	return found, nil
}

// Get is the method of org.freedesktop.DBus.Properties.
func (f *fakeSystemd) Get(message dbus.Message, iface, property string) (dbus.Variant, *dbus.Error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path, _ := message.Headers[dbus.FieldPath].Value().(dbus.ObjectPath)
	value, there := f.values[string(path)+" "+iface+"."+property]
	if !there {
		return dbus.Variant{}, &dbus.Error{Name: "org.freedesktop.DBus.Error.UnknownProperty", Body: []any{property}}
	}
	return dbus.MakeVariant(value), nil
}

func startSystemd(t *testing.T, bus *privatebus.Bus) *fakeSystemd {
	t.Helper()
	fake := &fakeSystemd{values: map[string]any{}}
	conn := bus.Connect()
	if err := conn.Export(fake, "/org/freedesktop/systemd1", systemdManager); err != nil {
		t.Fatal(err)
	}
	if err := conn.ExportSubtree(fake, "/org/freedesktop/systemd1/unit", "org.freedesktop.DBus.Properties"); err != nil {
		t.Fatal(err)
	}
	bus.Own(conn, systemdName)
	return fake
}

func TestSystemd(t *testing.T) {
	bus := privatebus.Start(t)
	fake := startSystemd(t, bus)
	failedAt := time.Date(2026, 11, 21, 8, 30, 0, 0, time.UTC)
	fake.add("backup.service", "failed", map[string]any{"Service.Result": "exit-code", "Service.ExecMainStatus": int32(3),
		"Service.StatusText": "cannot write /srv/x: No space left on device", "Unit.StateChangeTimestamp": uint64(failedAt.UnixMicro())})
	fake.add("mnt.mount", "failed", map[string]any{"Mount.Result": "exit-code"})
	fake.add("odd.service", "failed", map[string]any{"Service.Result": int32(5), "Service.ExecMainStatus": "three"})
	fake.add("app.service", "activating", map[string]any{"Service.NRestarts": uint32(17)})
	fake.add("chrony.service", "active", map[string]any{"Service.NRestarts": uint32(0)})
	fake.add("old.service", "inactive", map[string]any{"Service.NRestarts": uint32(9)})
	for i := range 200 { // more than are asked at a time
		fake.add(fmt.Sprintf("many%d.service", i), "active", map[string]any{"Service.NRestarts": uint32(i)})
	}
	s := NewSystem(SystemOptions{Paths: []string{"/"}, Units: true, Clock: true, SystemBus: bus.Address, UserBus: "unix:path=/nowhere"})
	r, err := s.Read(t.Context())
	if err != nil || len(r.Failed) > 0 {
		t.Fatalf("error %v, failed %v", err, r.Failed)
	}
	want := []Unit{
		{Name: "backup.service", Description: "Sample backup.service", Result: "exit-code", ExitCode: 3, Status: "cannot write /srv/x: No space left on device", Since: failedAt},
		{Name: "mnt.mount", Description: "Sample mnt.mount", Result: "exit-code"},
		{Name: "odd.service", Description: "Sample odd.service"},
	}
	if diff := cmp.Diff(want, r.Units, cmp.Comparer(time.Time.Equal)); diff != "" {
		t.Errorf("units (-want +got):\n%s", diff)
	}
	if len(r.Services) != 202 || r.Services[0] != (Service{Name: "app.service", Restarts: 17}) || r.Services[201].Restarts != 199 {
		t.Errorf("%d services, first %+v", len(r.Services), r.Services[0])
	}
	if r.Clock != nil && !r.Clock.Kept {
		t.Error("a time service runs, and the clock is not said to be kept")
	}
	if diff := cmp.Diff([]string{"failed ", "active,activating,deactivating,reloading *.service"}, fake.calls); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
}

func TestUserUnits(t *testing.T) {
	bus := privatebus.Start(t)
	fake := startSystemd(t, bus)
	fake.add("sync.service", "failed", map[string]any{"Service.Result": "timeout"})
	s := NewSystem(SystemOptions{Paths: []string{"/"}, Units: true, SystemBus: "unix:path=/nowhere", UserBus: bus.Address})
	r, err := s.Read(t.Context())
	if err != nil || len(r.Failed) > 0 || len(r.Units) != 1 || !r.Units[0].User || r.Units[0].Result != "timeout" {
		t.Errorf("units %+v, failed %v, error %v", r.Units, r.Failed, err)
	}
}

// TestBuses: the machine's systemd is asked on the machine's bus, the person's on that of
// the session, where nothing is configured.
func TestBuses(t *testing.T) {
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/machine")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/person")
	s := NewSystem(SystemOptions{})
	for i, bus := range buses {
		if address := s.address(i); bus.user != (address == "unix:path=/person") || !bus.user && address != "unix:path=/machine" {
			t.Errorf("%s: %q", bus.name, address)
		}
	}
}

// TestBusWithoutSystemd: neither a missing bus nor one without systemd is a
// failure, but the absence of one that answered before is.
func TestBusWithoutSystemd(t *testing.T) {
	bus := privatebus.Start(t)
	s := NewSystem(SystemOptions{Paths: []string{"/"}, Units: true, SystemBus: bus.Address, UserBus: "unix:path=/nowhere"})
	read := func() map[string]string {
		t.Helper()
		r, err := s.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r.Failed
	}
	if failed := read(); len(failed) > 0 {
		t.Errorf("without systemd: %v", failed)
	}
	startSystemd(t, bus)
	if failed := read(); len(failed) > 0 {
		t.Errorf("with systemd: %v", failed)
	}
	bus.Stop()
	if failed := read(); failed["units:system"] != "systemd (system): there is no systemd here" {
		t.Errorf("after the bus ended: %v", failed)
	}
}

func TestSystemdHangs(t *testing.T) {
	bus := privatebus.Start(t)
	fake := startSystemd(t, bus)
	hang := make(chan struct{})
	fake.mu.Lock()
	fake.hang = hang
	fake.mu.Unlock()
	s := NewSystem(SystemOptions{Paths: []string{"/"}, Units: true, SystemBus: bus.Address, UserBus: "unix:path=/nowhere"})
	s.timeout = 100 * time.Millisecond
	r, err := s.Read(t.Context())
	if err != nil || r.Failed["units:system"] != "systemd (system) did not answer" || len(r.Disks) != 1 {
		t.Errorf("disks %v, failed %v, error %v", r.Disks, r.Failed, err)
	}
	close(hang)
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
