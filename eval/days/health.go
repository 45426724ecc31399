package days

import (
	"slices"
	"strings"
	"time"
)

// The verbs of health that are no readings.
const (
	verbUnit  = "unit"
	verbClock = "clock"
)

// The readings.
const (
	readDisk        = "disk"
	readInodes      = "inodes"
	readMemory      = "memory"
	readSwap        = "swap"
	readLoad        = "load"
	readTemperature = "temperature"
	readBattery     = "battery"
)

// dayReadings says how each reading is written.
var dayReadings = map[string]struct {
	named     bool    // of a mount or a sensor
	unit      string  // at the end of its number
	low, high float64 // bounds
	sized     bool    // has a whole, in bytes
}{
	readDisk:        {named: true, unit: "%", high: 100, sized: true},
	readInodes:      {named: true, unit: "%", high: 100},
	readMemory:      {unit: "%", high: 100, sized: true},
	readSwap:        {unit: "%", high: 100, sized: true},
	readLoad:        {high: 1000},
	readTemperature: {named: true, unit: "C", low: -40, high: 150},
	readBattery:     {unit: "%", high: 100},
}

// readingHow says what a reading does.
type readingHow string

const (
	readingNone   readingHow = ""
	readingIs     readingHow = "is"
	readingTo     readingHow = "to"
	readingWander readingHow = "wander"
	readingGone   readingHow = "gone"
)

// dayReading is a line about a reading.
type dayReading struct {
	how readingHow
	// value is what it is, or goes to by then; low and high are between which
	// it wanders.
	value, low, high float64
	by               time.Time
	total            float64 // bytes or cores; 0: as before
	charge           string  // charging, discharging; "": as before
}

// healthVerb reads a line about the machine.
func (p *dayParser) healthVerb(w *dayWords, verb string) dayDeed {
	d := dayDeed{verb: verb}
	shape, ok := dayReadings[verb]
	switch {
	case verb == verbUnit:
		p.unit(w, &d)
	case verb == verbClock:
		d.reading.how = readingIs
		if w.oneOf("the clock", "ok", "off") == "off" {
			d.reading.value = w.number("the offset in seconds", "", -1e6, 1e6)
		}
	case !ok:
		w.fail("%q is nothing that can happen here", clip(verb))
	default:
		if shape.named {
			d.path = w.take("the name")
			if w.ok && verb != readTemperature && (!strings.HasPrefix(d.path, "/") || len(d.path) > 200) {
				w.fail("%q is not a mount such as /srv", clip(d.path))
			}
		}
		p.reading(w, &d)
	}
	return d
}

func (p *dayParser) reading(w *dayWords, d *dayDeed) {
	shape, r := dayReadings[d.verb], &d.reading
	value := func() float64 { return w.number("the value", shape.unit, shape.low, shape.high) }
	switch {
	case w.is("gone"):
		r.how = readingGone
		if d.verb != readDisk {
			w.fail("only a disk can be gone")
		}
	case w.is("to"):
		r.how, r.value = readingTo, value()
		if !w.is("by") {
			w.fail("write by when: `to 90%% by 15:00`")
		}
		r.by = w.dateTime(false)
	case w.is("wander"):
		r.how, r.low, r.high = readingWander, value(), value()
		if w.ok && r.low >= r.high {
			w.fail("it wanders from the lower value to the higher one")
		}
	default:
		r.how, r.value = readingIs, value()
	}
	switch {
	case shape.sized && w.is("of"):
		r.total = w.bytes()
	case d.verb == readLoad && w.is("of"):
		r.total = float64(int(w.number("the number of cores", "", 1, 1024)))
	case d.verb == readBattery && len(w.list) > 0:
		r.charge = w.oneOf("the charge", "charging", "discharging")
	}
}

var dayCauses = []string{"exit", "signal", "timeout", "oom", "watchdog", "start-limit"}

// unit reads `NAME failed [CAUSE] ["status"]`, `NAME ok`, `NAME restarted`. The
// cause goes to old, its number to value.
func (p *dayParser) unit(w *dayWords, d *dayDeed) {
	d.path = w.take("the unit")
	if w.ok && (strings.TrimPrefix(d.path, "user/") == "" || strings.Count(d.path, "/") > 1 || len(d.path) > 200) {
		w.fail("%q is not a unit such as backup.service or user/sync.service", clip(d.path))
	}
	d.word = w.oneOf("the state", "failed", "ok", "restarted")
	if d.word != "failed" {
		return
	}
	d.old, d.reading.value = "exit", 1
	if len(w.list) > 0 && !w.list[0].quoted {
		d.old = w.take("the cause")
		if w.ok && !slices.Contains(dayCauses, d.old) {
			w.fail("the cause is %q; it is one of %s", clip(d.old), strings.Join(dayCauses, ", "))
		}
		d.reading.value = 0
		if d.old == "exit" || d.old == "signal" {
			d.reading.value = w.number("its number", "", 1, 255)
		}
	}
	if len(w.list) > 0 {
		d.text = w.text("the status")
	}
}
