package days

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/health"
)

// readings say how each reading of the machine is written, and where health
// shows it.
var readings = map[string]struct {
	named     bool    // of a mount or a sensor
	unit      string  // at the end of its number
	low, high float64 // bounds
	// of is the default of what the value is a share of, in bytes or cores; 0 where it
	// is no share.
	of   float64
	show func(m *machine, r *health.Reading, g *gauge, value float64)
}{
	"disk": {named: true, unit: "%", high: 100, of: 500e9, show: func(m *machine, r *health.Reading, g *gauge, value float64) {
		disk := health.Disk{Path: g.name, Used: uint64(g.of) - g.left(value), Available: g.left(value)}
		if inodes := m.find("inodes", g.name); inodes != nil {
			disk.InodesTotal, disk.InodesUsed = usualInodes, uint64(usualInodes*inodes.value(m.now(), m.seed)/100)
		}
		r.Disks = append(r.Disks, disk)
	}},
	"inodes": {named: true, unit: "%", high: 100, show: func(*machine, *health.Reading, *gauge, float64) {}}, // with its disk
	"memory": {unit: "%", high: 100, of: 16e9, show: func(_ *machine, r *health.Reading, g *gauge, value float64) {
		r.Memory = &health.Memory{Total: uint64(g.of), Available: g.left(value)}
	}},
	"swap": {unit: "%", high: 100, of: 4e9, show: func(_ *machine, r *health.Reading, g *gauge, value float64) {
		r.Swap = &health.Memory{Total: uint64(g.of), Available: g.left(value)}
	}},
	"load": {high: 1000, of: usualCores, show: func(_ *machine, r *health.Reading, g *gauge, value float64) {
		r.Load = &health.Load{Load15: value, Cores: int(g.of)}
	}},
	"temperature": {named: true, unit: "C", low: -40, high: 150, show: func(_ *machine, r *health.Reading, g *gauge, value float64) {
		r.Temperatures = append(r.Temperatures, health.Temperature{Sensor: g.name, Celsius: value})
	}},
	"battery": {unit: "%", high: 100, show: func(_ *machine, r *health.Reading, g *gauge, value float64) {
		r.Battery = &health.Battery{Percent: value, Discharging: g.charge == "discharging"}
	}},
}

const (
	usualCores  = 4
	usualInodes = 10_000_000
)

// how says what a reading does.
type how string

const (
	is      how = "is"
	goesTo  how = "to"
	wanders how = "wander"
	gone    how = "gone"
)

// reading is a line about a reading.
type reading struct {
	how how
	// value is what it is, or goes to by then; low and high are between which
	// it wanders.
	value, low, high float64
	by               time.Time
	of               float64 // bytes or cores; 0: as before
	charge           string  // charging, discharging; "": as before
}

// aReading reads what follows the name of a reading.
func aReading(w *words, d *deed) {
	shape, r := readings[d.verb], &d.reading
	if shape.named {
		d.path = w.take("the name")
		if d.verb != "temperature" && (!strings.HasPrefix(d.path, "/") || len(d.path) > 200) {
			w.fail("%q is not a mount such as /srv", clip(d.path))
		}
	}
	value := func() float64 { return w.number("the value", shape.unit, shape.low, shape.high) }
	switch {
	case w.is("gone"):
		if r.how = gone; d.verb != "disk" {
			w.fail("only a disk can be gone")
		}
	case w.is("to"):
		r.how, r.value = goesTo, value()
		if !w.is("by") {
			w.fail("write by when: `to 90%% by 15:00`")
		}
		r.by = w.dateTime(false)
	case w.is("wander"):
		if r.how, r.low, r.high = wanders, value(), value(); r.low >= r.high {
			w.fail("it wanders from the lower value to the higher one")
		}
	default:
		r.how, r.value = is, value()
	}
	switch {
	case d.verb == "load" && w.is("of"):
		r.of = math.Trunc(w.number("the number of cores", "", 1, 1024))
	case shape.of > 0 && w.is("of"):
		r.of = w.bytes()
	case d.verb == "battery" && w.more():
		r.charge = w.oneOf("the charge", "charging", "discharging")
	}
}

func aClock(w *words, d *deed) {
	d.reading.how = is
	if w.oneOf("the clock", "ok", "off") == "off" {
		d.reading.value = w.number("the offset in seconds", "", -1e6, 1e6)
	}
}

// ofReading checks that a reading goes to its value later than now, and that a disk
// that is taken away was there.
func ofReading(c *checker, e event) error {
	d := e.deed
	if d.reading.how == gone && !c.seen["disk "+d.path] {
		return fmt.Errorf("there is no disk %s that could go", d.path)
	}
	if d.reading.how == goesTo && (!d.reading.by.After(e.at) || d.reading.by.Sub(e.at) > maxDays*24*time.Hour) {
		return errors.New("it goes there by a time that is not later")
	}
	c.seen[d.verb+" "+d.path] = true
	return nil
}

// causes are those of a unit that failed, as health has them.
var causes = map[string]string{
	"exit": "exit-code", "signal": "signal", "timeout": "timeout", "oom": "oom-kill", "watchdog": "watchdog", "start-limit": "start-limit-hit",
}

// aUnit reads `NAME failed [CAUSE] ["status"]`, `NAME ok`, `NAME restarted`. The
// cause goes to old, its number to value.
func aUnit(w *words, d *deed) {
	d.path = w.take("the unit")
	if strings.TrimPrefix(d.path, "user/") == "" || strings.Count(d.path, "/") > 1 || len(d.path) > 200 {
		w.fail("%q is not a unit such as backup.service or user/sync.service", clip(d.path))
	}
	if d.word = w.oneOf("the state", "failed", "ok", "restarted"); d.word != "failed" {
		return
	}
	d.old, d.reading.value = "exit", 1
	if w.more() && !w.list[0].quoted {
		d.old = w.oneOf("the cause", slices.Sorted(maps.Keys(causes))...)
		d.reading.value = 0
		if d.old == "exit" || d.old == "signal" {
			d.reading.value = w.number("its number", "", 1, 255)
		}
	}
	if w.more() {
		d.text = w.text("the status")
	}
}

// ofUnit checks that a unit that is well again had a fault before.
func ofUnit(c *checker, e event) error {
	if e.deed.word == "ok" && !c.seen["unit "+e.deed.path] {
		return fmt.Errorf("nothing happened to the unit %s that could be well again", e.deed.path)
	}
	c.seen["unit "+e.deed.path] = true
	return nil
}

// machine is a made-up machine at a made-up time.
type machine struct {
	now  func() time.Time
	seed string

	mu       sync.Mutex
	gauges   []*gauge
	failed   []health.Unit
	services []health.Service
	offset   float64
	blind    bool
}

var _ health.Reader = (*machine)(nil)

// gauge is one reading, as the line says that is in force since then.
type gauge struct {
	verb, name string
	since      time.Time
	first      float64 // what it was then
	line       reading
	of         float64
	charge     string
}

func newMachine(d *day, now func() time.Time) *machine {
	m := &machine{now: now, seed: d.name}
	usual := []deed{
		{verb: "disk", path: "/", reading: reading{how: is, value: 45}}, {verb: "memory", reading: reading{how: is, value: 40}},
		{verb: "load", reading: reading{how: is, value: 0.5}},
	}
	for _, line := range append(usual, d.machine...) {
		m.apply(line, d.start)
	}
	return m
}

// apply does what a line about the machine says.
func (m *machine) apply(d deed, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case d.verb == "unit":
		m.unit(d, at)
	case d.verb == "clock":
		m.offset = d.reading.value
	case d.reading.how == gone:
		m.gauges = slices.DeleteFunc(m.gauges, func(g *gauge) bool { return g.name == d.path && (g.verb == "disk" || g.verb == "inodes") })
	default:
		m.gauge(d, at)
	}
}

func (m *machine) gauge(d deed, at time.Time) {
	g := m.find(d.verb, d.path)
	if g == nil {
		g = &gauge{verb: d.verb, name: d.path, of: readings[d.verb].of, charge: "charging", line: d.reading, since: at, first: d.reading.value}
		m.gauges = append(m.gauges, g)
	}
	g.first = g.value(at, m.seed)
	g.line, g.since, g.of, g.charge = d.reading, at, cmp.Or(d.reading.of, g.of), cmp.Or(d.reading.charge, g.charge)
}

func (m *machine) find(verb, name string) *gauge {
	if n := slices.IndexFunc(m.gauges, func(g *gauge) bool { return g.verb == verb && g.name == name }); n >= 0 {
		return m.gauges[n]
	}
	return nil
}

// left is what is free of the whole.
func (g *gauge) left(value float64) uint64 { return uint64(g.of * (100 - value) / 100) }

// value is what the gauge shows at a time.
func (g *gauge) value(at time.Time, seed string) float64 {
	r := g.line
	switch r.how {
	case goesTo:
		share := float64(at.Sub(g.since)) / float64(r.by.Sub(g.since))
		return g.first + (r.value-g.first)*min(max(share, 0), 1)
	case wanders:
		// Two waves of different lengths, whose phases depend on the file and the
		// gauge.
		h := fnv.New32a()
		h.Write([]byte(seed + " " + g.verb + " " + g.name))
		phase := float64(h.Sum32()%1000) / 1000 * 2 * math.Pi
		minutes := at.Sub(g.since).Minutes()
		wave := 0.3*math.Sin(2*math.Pi*minutes/97+phase) + 0.2*math.Sin(2*math.Pi*minutes/31+2*phase)
		return r.low + (r.high-r.low)*(0.5+wave)
	}
	return r.value
}

func (m *machine) unit(d deed, at time.Time) {
	name, user := strings.CutPrefix(d.path, "user/")
	if d.word == "restarted" {
		n := slices.IndexFunc(m.services, func(s health.Service) bool { return s.Name == name && s.User == user })
		if n < 0 {
			n = len(m.services)
			m.services = append(m.services, health.Service{Name: name, User: user})
		}
		m.services[n].Restarts++
		return
	}
	m.failed = slices.DeleteFunc(m.failed, func(u health.Unit) bool { return u.Name == name && u.User == user })
	if d.word == "failed" {
		m.failed = append(m.failed, health.Unit{
			Name: name, User: user, Result: causes[d.old], ExitCode: int(d.reading.value), Status: d.text, Since: at,
		})
	}
}

func (m *machine) setBlind(blind bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.blind = blind
}

// Read implements health.Reader.
func (m *machine) Read(ctx context.Context) (health.Reading, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blind {
		return health.Reading{}, errors.New("the machine does not answer")
	}
	r := health.Reading{Units: slices.Clone(m.failed), Services: slices.Clone(m.services), Clock: &health.Clock{Kept: true, Synchronised: true, Offset: m.offset}}
	for _, g := range m.gauges {
		readings[g.verb].show(m, &r, g, g.value(m.now(), m.seed))
	}
	return r, ctx.Err()
}
