package health_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const gb = 1_000_000_000

var start = time.Date(2026, 11, 21, 14, 0, 0, 0, time.UTC)

// machine is a sense over a made-up machine, with the cursor that the ledger
// would keep and what stands in each scope.
type machine struct {
	t        *testing.T
	config   health.Config
	fixture  *health.Fixture
	sense    *health.Sense
	at       time.Time
	cursor   []byte
	written  int
	stands   map[string][]subconscious.Observation
	degraded string
}

func newMachine(t *testing.T) *machine {
	m := &machine{t: t, config: health.DefaultConfig(), fixture: &health.Fixture{}, at: start, stands: map[string][]subconscious.Observation{}}
	m.restart()
	return m
}

// restart opens the sense anew, as after a restart of the daemon.
func (m *machine) restart() {
	m.t.Helper()
	sense, err := health.New(m.config, health.Options{Reader: m.fixture})
	if err != nil {
		m.t.Fatal(err)
	}
	m.sense = sense
}

// collect collects, and returns all that stands by ID.
func (m *machine) collect() map[string]subconscious.Observation {
	m.t.Helper()
	batch, err := m.sense.Collect(m.t.Context(), m.at, m.cursor)
	if err != nil {
		m.t.Fatal(err)
	}
	if len(batch.Changes) > 0 {
		m.t.Errorf("health reports changes itself: %v", batch.Changes)
	}
	m.adopt(batch)
	all := map[string]subconscious.Observation{}
	for _, items := range m.stands {
		for _, o := range items {
			all[o.ID] = o
		}
	}
	return all
}

func (m *machine) adopt(batch senses.Batch) {
	m.t.Helper()
	seen := map[string]bool{}
	for _, set := range batch.Sets {
		if seen[set.Scope] {
			m.t.Errorf("the scope %s is there twice", set.Scope)
		}
		seen[set.Scope] = true
		m.stands[set.Scope] = set.Items
		for _, o := range set.Items {
			if o.Trust != subconscious.Machine || o.Sense != "health" || o.Title == "" || o.Fingerprint == "" || !o.At.Equal(m.at) {
				m.t.Errorf("incomplete observation: %+v", o)
			}
		}
	}
	if batch.Cursor != nil {
		m.cursor, m.written = batch.Cursor, m.written+1
	}
	m.degraded = batch.Degraded
	m.at = m.at.Add(5 * time.Minute)
}

// disk puts the machine's only disk at so many of 100 GB.
func (m *machine) disk(used float64) {
	m.fixture.Reading.Disks = []health.Disk{{Path: "/var", Used: uint64(used * gb), Available: uint64((100 - used) * gb)}}
}

// describe returns what stands as "severity title".
func describe(observations map[string]subconscious.Observation) []string {
	var lines []string
	for _, o := range observations {
		lines = append(lines, fmt.Sprintf("%d %s", o.Severity, o.Title))
	}
	slices.Sort(lines)
	return lines
}

func TestWhatStandsInWords(t *testing.T) {
	failedAt := start.Add(-time.Hour)
	for name, c := range map[string]struct {
		reading health.Reading
		want    []string
	}{
		"all is well": {reading: health.Reading{
			Disks:  []health.Disk{{Path: "/", Used: 10 * gb, Available: 40 * gb, InodesUsed: 10, InodesTotal: 100}},
			Memory: &health.Memory{Total: 16 * gb, Available: 8 * gb}, Swap: &health.Memory{Total: 4 * gb, Available: 4 * gb},
			Load: &health.Load{Load15: 2, Cores: 4}, Temperatures: []health.Temperature{{Sensor: "coretemp", Celsius: 50}},
			Battery: &health.Battery{Percent: 80, Discharging: true}, Clock: &health.Clock{Kept: true, Synchronised: true},
			Services: []health.Service{{Name: "app.service", Restarts: 40}},
		}},
		"disk": {reading: health.Reading{Disks: []health.Disk{{Path: "/", Used: 48_100_000_000, Available: 1_900_000_000}}},
			want: []string{"3 Disk / is 96% full: 1.9 GB left of 50 GB"}},
		"disk nearly": {reading: health.Reading{Disks: []health.Disk{{Path: "/home", Used: 88 * gb, Available: 12 * gb}}},
			want: []string{"2 Disk /home is 88% full: 12 GB left of 100 GB"}},
		"inodes": {reading: health.Reading{Disks: []health.Disk{{Path: "/", Used: 1 * gb, Available: 49 * gb, InodesUsed: 968_000, InodesTotal: 1_000_000}}},
			want: []string{"3 Disk / has room for 32,000 more files: 96% of its inodes are used"}},
		"memory": {reading: health.Reading{Memory: &health.Memory{Total: 16 * gb, Available: 1 * gb}},
			want: []string{"2 Memory is 93% used: 1.0 GB left of 16 GB"}},
		"swap": {reading: health.Reading{Swap: &health.Memory{Total: 4 * gb, Available: 100_000_000}},
			want: []string{"3 Swap is 97% used: 100 MB left of 4.0 GB"}},
		"load": {reading: health.Reading{Load: &health.Load{Load15: 17, Cores: 4}},
			want: []string{"3 The machine is overloaded: 17 processes at a time on 4 cores for a quarter of an hour"}},
		"temperature, the maker's limit, and a sensor that is not there": {reading: health.Reading{Temperatures: []health.Temperature{
			{Sensor: "cpu", Celsius: 91}, {Sensor: "nvme", Celsius: 83, Limit: 82}, {Sensor: "nothing", Celsius: 127.5}}},
			want: []string{"2 Sensor cpu is at 91°C", "3 Sensor nvme is at 83°C"}},
		"battery":             {reading: health.Reading{Battery: &health.Battery{Percent: 7, Discharging: true}}, want: []string{"3 Battery is at 7% and discharging"}},
		"battery on the wire": {reading: health.Reading{Battery: &health.Battery{Percent: 7}}},
		"units": {reading: health.Reading{Units: []health.Unit{
			{Name: "backup.service", Result: "exit-code", ExitCode: 1, Since: failedAt},
			{Name: "sync.service", User: true, Result: "timeout", Since: failedAt},
			{Name: "web.service", Result: "signal", ExitCode: 9, Since: failedAt},
			{Name: "cruncher.service", Result: "oom-kill", Since: failedAt}}},
			want: []string{"2 backup.service failed (exit code 1)", "2 sync.service failed (it took too long)", "2 web.service failed (ended by SIGKILL)",
				"3 cruncher.service failed (the machine ran out of memory)"}},
		"a clock that nobody keeps": {reading: health.Reading{Clock: &health.Clock{}}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.fixture.Reading = c.reading
			if diff := cmp.Diff(c.want, describe(m.collect())); diff != "" {
				t.Errorf("what stands (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDiskFillsAndIsFreed goes through the life of a disk: each step says what
// stands, and whether it is a change.
func TestDiskFillsAndIsFreed(t *testing.T) {
	m := newMachine(t)
	last := ""
	for i, step := range []struct {
		used     float64
		severity subconscious.Severity
		changes  bool
	}{
		{70, 0, false}, {86, 2, true}, {86, 2, false}, {84, 2, false}, {82.5, 2, false}, {96, 3, true}, {93, 3, false}, {91, 2, true}, {81, 0, true}, {84.9, 0, false},
	} {
		m.disk(step.used)
		o := m.collect()["disk:/var"]
		if o.Severity != step.severity || (o.Fingerprint != last) != step.changes {
			t.Errorf("step %d at %g%%: severity %d, fingerprint %q after %q", i, step.used, o.Severity, o.Fingerprint, last)
		}
		last = o.Fingerprint
	}
}

// TestDiskThatWillBeFull stands before its threshold, and says until when.
func TestDiskThatWillBeFull(t *testing.T) {
	m := newMachine(t)
	var o subconscious.Observation
	for i := range 6 {
		m.disk(72 + 0.25*float64(i))
		o = m.collect()["disk:/var"]
		if stands := o.ID != ""; stands != (i == 5) {
			t.Fatalf("reading %d: stands is %t", i, stands)
		}
	}
	if want := "Disk /var fills by 3.0 GB an hour; full at about 23:20"; o.Title != want || o.Severity != subconscious.Notable {
		t.Errorf("%d %q, want 1 %q", o.Severity, o.Title, want)
	}
	want := map[string]string{"band": "trend", "trend": "rising", "used_percent": "73", "free_bytes": "26750000000", "full_at": "2026-11-21T23:20:00Z"}
	if diff := cmp.Diff(want, o.Attrs); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
	if !slices.Equal(o.Links, []string{"disk:/var"}) {
		t.Errorf("links %q", o.Links)
	}
	// It goes on at the same rate: no news, until the next class of hours.
	first := o.Fingerprint
	for i := range 10 {
		m.disk(73.5 + 0.25*float64(i))
		if o = m.collect()["disk:/var"]; o.Fingerprint != first {
			t.Fatalf("reading %d: %q after %q", i, o.Fingerprint, first)
		}
	}
	// A restart forgets none of it.
	m.restart()
	m.disk(76)
	if o = m.collect()["disk:/var"]; o.Fingerprint != first {
		t.Errorf("after a restart: %q after %q", o.Fingerprint, first)
	}
	// It stops.
	for range 14 {
		m.disk(76)
		o = m.collect()["disk:/var"]
	}
	if o.ID != "" {
		t.Errorf("it stands although nothing is written: %s", o.Title)
	}
}

// TestUnchangingMachine: after the first collect nothing changes and the cursor is
// not written again, whatever stands.
func TestUnchangingMachine(t *testing.T) {
	m := newMachine(t)
	m.disk(97)
	m.fixture.Reading.Units = []health.Unit{{Name: "backup.service", Result: "exit-code", ExitCode: 1, Since: start}}
	m.fixture.Reading.Clock = &health.Clock{Kept: true, Synchronised: true}
	first := m.collect()
	for i := range 300 {
		if i%100 == 50 {
			m.restart()
		}
		for id, o := range m.collect() {
			if o.Fingerprint != first[id].Fingerprint || o.Severity != first[id].Severity || !o.Due.Equal(first[id].Due) {
				t.Fatalf("collect %d: %s changed to %q", i, id, o.Fingerprint)
			}
		}
	}
	if m.written != 1 {
		t.Errorf("the cursor was written %d times, want once", m.written)
	}
}

// TestCursorOfTheMovingIsWrittenHourly and stays small.
func TestCursorOfTheMovingIsWrittenHourly(t *testing.T) {
	m := newMachine(t)
	for i := range 12 * 6 {
		m.disk(20 + float64(i)*0.3)
		m.collect()
	}
	if m.written < 5 || m.written > 9 {
		t.Errorf("the cursor was written %d times in 6 hours", m.written)
	}
	if len(m.cursor) > 1024 {
		t.Errorf("the cursor has %d bytes: %s", len(m.cursor), m.cursor)
	}
}

// TestLostCommit: what was collected but not committed is collected again.
func TestLostCommit(t *testing.T) {
	m := newMachine(t)
	m.disk(96)
	lost, err := m.sense.Collect(t.Context(), m.at, m.cursor)
	if err != nil || lost.Cursor == nil {
		t.Fatalf("cursor %q, error %v", lost.Cursor, err)
	}
	m.disk(93)
	if o := m.collect()["disk:/var"]; o.Severity != subconscious.Warning {
		t.Errorf("severity %d: the lost collect is taken for announced", o.Severity)
	}
}

func TestBrokenCursorStartsAfresh(t *testing.T) {
	for _, cursor := range []string{"", "{", `{"v":99}`, `[]`, `{"v":1,"gauges":{"disk:/var":{"band":"strange","course":{"trend":"odd","rate":-1,"fill":"x"}}}}`, `{"v":1,"gauges":{"disk:/var":{"course":{"trend":"rising","fill":"1h"}}}}`} {
		m := newMachine(t)
		m.cursor = []byte(cursor)
		m.disk(96)
		if o := m.collect()["disk:/var"]; o.Severity != subconscious.Critical {
			t.Errorf("cursor %q: severity %d", cursor, o.Severity)
		}
	}
}

// TestPartialFailure: what cannot be read stays as it was, the rest goes on.
func TestPartialFailure(t *testing.T) {
	m := newMachine(t)
	m.fixture.Reading = health.Reading{
		Disks:    []health.Disk{{Path: "/", Used: 96, Available: 4}, {Path: "/mnt", Used: 97, Available: 3}},
		Memory:   &health.Memory{Total: 100, Available: 1},
		Units:    []health.Unit{{Name: "a.service"}, {Name: "b.service", User: true}},
		Services: []health.Service{{Name: "app.service"}},
	}
	all := m.collect()
	if len(all) != 5 {
		t.Fatalf("want 5 observations, got %q", describe(all))
	}
	m.fixture.Reading = health.Reading{
		Disks: []health.Disk{{Path: "/", Used: 50, Available: 50}},
		Failed: map[string]string{"disk:/mnt": "disk /mnt did not answer", "memory": "memory: permission denied",
			"units:system": "systemd (system) did not answer"},
	}
	want := []string{"disk:/mnt", "memory", "unit:a.service"}
	if diff := cmp.Diff(want, ids(m.collect())); diff != "" {
		t.Errorf("what stands (-want +got):\n%s", diff)
	}
	if want := "disk /mnt did not answer; memory: permission denied; systemd (system) did not answer"; m.degraded != want {
		t.Errorf("degraded %q, want %q", m.degraded, want)
	}
	// The bands of what was not read are still known: 93 is within the margin.
	m.restart()
	m.fixture.Reading = health.Reading{Disks: []health.Disk{{Path: "/mnt", Used: 93, Available: 7}}}
	if o := m.collect()["disk:/mnt"]; o.Severity != subconscious.Critical {
		t.Errorf("severity %d after the failure, want 3", o.Severity)
	}
	m.fixture.Reading = health.Reading{}
	if all := m.collect(); len(all) > 0 || m.degraded != "" {
		t.Errorf("stands after all is gone: %q, degraded %q", describe(all), m.degraded)
	}
}

func ids(observations map[string]subconscious.Observation) []string {
	var all []string
	for id := range observations {
		all = append(all, id)
	}
	slices.Sort(all)
	return all
}

func TestBlindReader(t *testing.T) {
	m := newMachine(t)
	m.fixture.Path = t.TempDir() + "/nothing.json"
	if _, err := m.sense.Collect(t.Context(), start, nil); err == nil || !strings.Contains(err.Error(), "nothing.json") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m.fixture.Path = ""
	if _, err := m.sense.Collect(ctx, start, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was cancelled", err)
	}
}

func TestWhatIsSwitchedOffEnds(t *testing.T) {
	m := newMachine(t)
	m.fixture.Reading = health.Reading{Units: []health.Unit{{Name: "a.service"}}}
	if len(m.collect()) != 1 {
		t.Fatal("the unit does not stand")
	}
	m.config.Units, m.config.Clock = false, false
	m.restart()
	if all := m.collect(); len(all) > 0 {
		t.Errorf("stands: %q", describe(all))
	}
}

func TestHostileNames(t *testing.T) {
	m := newMachine(t)
	long := strings.Repeat("ü", 5000)
	m.fixture.Reading = health.Reading{
		Disks:        []health.Disk{{Path: "/" + long, Used: 99, Available: 1}, {Path: "/a\x1b[31m\nb", Used: 99, Available: 1}},
		Temperatures: []health.Temperature{{Sensor: long, Celsius: 99}},
		Units:        []health.Unit{{Name: long, Result: long, Description: long, Status: long}},
		Memory:       &health.Memory{Total: 1, Available: 5},
	}
	for _, o := range m.collect() {
		if len(o.Title) > 300 || len(o.Text) > 1100 || strings.ContainsAny(o.Title+o.Text, "\x1b\n\x00") {
			t.Errorf("%q", o.Title)
		}
	}
}
