package days

import (
	"context"
	"errors"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/health"
)

// The machine of a day without a section health, and what it falls back on.
const (
	usualDisk   = 500e9
	usualMemory = 16e9
	usualSwap   = 4e9
	usualCores  = 4
	usualInodes = 10_000_000
)

// dayMachine is a made-up machine at a made-up time.
type dayMachine struct {
	now  func() time.Time
	seed string

	mu       sync.Mutex
	gauges   map[string]*dayGauge // by verb and name
	order    []string
	failed   []health.Unit
	services []health.Service
	offset   float64
	blind    bool
}

var _ health.Reader = (*dayMachine)(nil)

// dayGauge is one reading: a line that holds since then.
type dayGauge struct {
	verb, name string
	since      time.Time
	first      float64 // what it was then
	line       dayReading
	total      float64
	charge     string
}

func newDayMachine(d *Day, now func() time.Time) *dayMachine {
	m := &dayMachine{now: now, seed: d.name, gauges: map[string]*dayGauge{}}
	for _, usual := range []dayDeed{
		{verb: readDisk, path: "/", reading: dayReading{how: readingIs, value: 45}},
		{verb: readMemory, reading: dayReading{how: readingIs, value: 40}},
		{verb: readLoad, reading: dayReading{how: readingIs, value: 0.5}},
	} {
		m.apply(usual, d.start)
	}
	for _, deed := range d.machine {
		m.apply(deed, d.start)
	}
	return m
}

// apply does what a line about the machine says.
func (m *dayMachine) apply(d dayDeed, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch d.verb {
	case verbUnit:
		m.unit(d, at)
	case verbClock:
		m.offset = d.reading.value
	default:
		m.gauge(d, at)
	}
}

func (m *dayMachine) gauge(d dayDeed, at time.Time) {
	key := d.verb + " " + d.path
	if d.reading.how == readingGone {
		for _, gone := range []string{key, readInodes + " " + d.path} {
			delete(m.gauges, gone)
			m.order = slices.DeleteFunc(m.order, func(k string) bool { return k == gone })
		}
		return
	}
	g := m.gauges[key]
	if g == nil {
		usual := map[string]float64{readDisk: usualDisk, readMemory: usualMemory, readSwap: usualSwap, readLoad: usualCores}
		g = &dayGauge{verb: d.verb, name: d.path, total: usual[d.verb], charge: "charging", line: d.reading, since: at, first: d.reading.value}
		m.gauges[key], m.order = g, append(m.order, key)
	} else {
		g.first = g.value(at, m.seed)
	}
	g.line, g.since = d.reading, at
	if d.reading.total > 0 {
		g.total = d.reading.total
	}
	if d.reading.charge != "" {
		g.charge = d.reading.charge
	}
}

// value is what the gauge shows at a time.
func (g *dayGauge) value(at time.Time, seed string) float64 {
	r := g.line
	switch r.how {
	case readingTo:
		share := float64(at.Sub(g.since)) / float64(r.by.Sub(g.since))
		return g.first + (r.value-g.first)*min(max(share, 0), 1)
	case readingWander:
		// Two waves of no common length, whose phases are the file's and the
		// gauge's own.
		h := fnv.New32a()
		h.Write([]byte(seed + " " + g.verb + " " + g.name))
		phase := float64(h.Sum32()%1000) / 1000 * 2 * math.Pi
		minutes := at.Sub(g.since).Minutes()
		wave := 0.3*math.Sin(2*math.Pi*minutes/97+phase) + 0.2*math.Sin(2*math.Pi*minutes/31+2*phase)
		return r.low + (r.high-r.low)*(0.5+wave)
	}
	return r.value
}

var unitResults = map[string]string{
	"exit": "exit-code", "signal": "signal", "timeout": "timeout", "oom": "oom-kill", "watchdog": "watchdog", "start-limit": "start-limit-hit",
}

func (m *dayMachine) unit(d dayDeed, at time.Time) {
	name, user := strings.CutPrefix(d.path, "user/")
	if d.word == "restarted" {
		for i := range m.services {
			if m.services[i].Name == name && m.services[i].User == user {
				m.services[i].Restarts++
				return
			}
		}
		m.services = append(m.services, health.Service{Name: name, User: user, Restarts: 1})
		return
	}
	m.failed = slices.DeleteFunc(m.failed, func(u health.Unit) bool { return u.Name == name && u.User == user })
	if d.word == "failed" {
		m.failed = append(m.failed, health.Unit{
			Name: name, User: user, Result: unitResults[d.old], ExitCode: int(d.reading.value), Status: d.text, Since: at,
		})
	}
}

func (m *dayMachine) setBlind(blind bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.blind = blind
}

// Read implements health.Reader.
func (m *dayMachine) Read(ctx context.Context) (health.Reading, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blind {
		return health.Reading{}, errors.New("the machine does not answer")
	}
	at, r := m.now(), health.Reading{Units: slices.Clone(m.failed), Services: slices.Clone(m.services)}
	r.Clock = &health.Clock{Kept: true, Synchronised: true, Offset: m.offset}
	for _, key := range m.order {
		g := m.gauges[key]
		value := g.value(at, m.seed)
		left := func() uint64 { return uint64(g.total * (100 - value) / 100) }
		switch g.verb {
		case readDisk:
			disk := health.Disk{Path: g.name, Used: uint64(g.total) - left(), Available: left()}
			if inodes := m.gauges[readInodes+" "+g.name]; inodes != nil {
				disk.InodesTotal, disk.InodesUsed = usualInodes, uint64(usualInodes*inodes.value(at, m.seed)/100)
			}
			r.Disks = append(r.Disks, disk)
		case readMemory:
			r.Memory = &health.Memory{Total: uint64(g.total), Available: left()}
		case readSwap:
			r.Swap = &health.Memory{Total: uint64(g.total), Available: left()}
		case readLoad:
			r.Load = &health.Load{Load15: value, Cores: int(g.total)}
		case readTemperature:
			r.Temperatures = append(r.Temperatures, health.Temperature{Sensor: g.name, Celsius: value})
		case readBattery:
			r.Battery = &health.Battery{Percent: value, Discharging: g.charge == "discharging"}
		}
	}
	return r, ctx.Err()
}
