package health_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestUnitsThatFailAgain(t *testing.T) {
	m := newMachine(t)
	unit := health.Unit{Name: "backup.service", Result: "exit-code", ExitCode: 1, Since: start}
	collect := func() string {
		m.fixture.Reading.Units = []health.Unit{unit}
		return m.collect()["unit:backup.service"].Fingerprint
	}
	first := collect()
	unit.Since = start.Add(40 * time.Minute)
	if again := collect(); again != first {
		t.Errorf("failing again within the hour is news: %q", again)
	}
	unit.Since = start.Add(24 * time.Hour)
	next := collect()
	if next == first {
		t.Error("failing again the next day is no news")
	}
	unit.ExitCode = 2
	if other := collect(); other == next {
		t.Error("another exit code is no news")
	}
}

func TestUnitLinks(t *testing.T) {
	for status, want := range map[string][]string{
		"cannot write /var/lib/db/1: No space left on device": {"unit:db.service", "disk:/var"},
		"write '/srv/x': no space left on device":             {"unit:db.service", "disk:/"},
		"cannot write /var/lib/db/1: Permission denied":       {"unit:db.service"},
		"No space left on device":                             {"unit:db.service"},
		"/various/things: No space left on device":            {"unit:db.service", "disk:/"},
	} {
		m := newMachine(t)
		m.fixture.Reading = health.Reading{
			Disks: []health.Disk{{Path: "/", Used: 1, Available: 9}, {Path: "/var", Used: 1, Available: 9}},
			Units: []health.Unit{{Name: "db.service", Result: "exit-code", ExitCode: 1, Status: status}},
		}
		if diff := cmp.Diff(want, m.collect()["unit:db.service"].Links); diff != "" {
			t.Errorf("%s: links (-want +got):\n%s", status, diff)
		}
	}
}

func TestUnitsAreBounded(t *testing.T) {
	m := newMachine(t)
	for i := range 150 {
		m.fixture.Reading.Units = append(m.fixture.Reading.Units, health.Unit{Name: fmt.Sprintf("u%d.service", i)})
	}
	if n := len(m.collect()); n != 100 || m.degraded != "50 more failed system units are not listed" {
		t.Errorf("%d units, degraded %q", n, m.degraded)
	}
}

func TestRestartLoop(t *testing.T) {
	m := newMachine(t)
	restarts := func(n uint32) subconscious.Observation {
		m.t.Helper()
		m.fixture.Reading.Services = []health.Service{{Name: "app.service", Restarts: n}, {Name: "calm.service", Restarts: 7}}
		all := m.collect()
		if o, stands := all["restarts:calm.service"]; stands {
			t.Errorf("a calm service stands: %s", o.Title)
		}
		return all["restarts:app.service"]
	}
	for _, n := range []uint32{50, 51, 52} {
		if o := restarts(n); o.ID != "" {
			t.Fatalf("after %d: %s", n, o.Title)
		}
	}
	o := restarts(53)
	if want := "app.service keeps crashing: restarted 3 times in 30 minutes"; o.Title != want || o.Severity != subconscious.Warning {
		t.Errorf("%d %q, want 2 %q", o.Severity, o.Title, want)
	}
	first := o.Fingerprint
	m.restart()
	if o = restarts(54); o.Fingerprint != first {
		t.Errorf("after a restart of the daemon: %q after %q", o.Fingerprint, first)
	}
	if o = restarts(80); o.Severity != subconscious.Critical {
		t.Errorf("severity %d of 26 restarts in 5 minutes", o.Severity)
	}
	for range 6 { // 30 minutes without one
		if o = restarts(80); o.ID == "" {
			t.Fatal("it ended within the window")
		}
	}
	if o = restarts(80); o.ID != "" {
		t.Errorf("it stands after the window: %s", o.Title)
	}
	if o = restarts(0); o.ID != "" {
		t.Errorf("it stands after a start by hand: %s", o.Title)
	}
}

func TestSlowRestartsAreNoLoop(t *testing.T) {
	m := newMachine(t)
	for i := range 60 { // one in 20 minutes
		m.fixture.Reading.Services = []health.Service{{Name: "app.service", Restarts: uint32(i / 4)}}
		if all := m.collect(); len(all) > 0 {
			t.Fatalf("collect %d: %q", i, describe(all))
		}
	}
}

func TestClock(t *testing.T) {
	m := newMachine(t)
	clock := func(c health.Clock) string {
		m.fixture.Reading.Clock = &c
		return m.collect()["clock"].Title
	}
	for i := range 6 { // half an hour of grace
		if title := clock(health.Clock{Kept: true}); title != "" {
			t.Fatalf("collect %d: %s", i, title)
		}
	}
	if title := clock(health.Clock{Kept: true}); title != "The clock is not synchronised, although a time service runs" {
		t.Errorf("after the grace: %q", title)
	}
	if title := clock(health.Clock{Kept: true, Synchronised: true, Offset: -0.1}); title != "The clock is off by 0.10 seconds" {
		t.Errorf("within the margin: %q", title)
	}
	if title := clock(health.Clock{Kept: true, Synchronised: true, Offset: 0.06}); title != "" {
		t.Errorf("in step: %q", title)
	}
	if title := clock(health.Clock{Kept: true, Synchronised: true, Offset: 0.1}); title != "" {
		t.Errorf("below the limit: %q", title)
	}
}
