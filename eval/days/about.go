package days

import (
	"slices"
	"strings"
)

// dayAbout is what a label is about, by the names that the file gives.
type dayAbout struct {
	kind, name string
	line       int
	// exact and prefixes are the observations that are of it, "SENSE:ID", with
	// paths as the file has them. Those of a sense that fails have none.
	exact, prefixes []string
}

const (
	aboutUnit  = "unit"
	aboutEvent = "event"
	aboutFile  = "file"
	aboutNote  = "note"
	aboutTold  = "told"
	aboutSense = "sense"
	aboutMail  = "mail"
)

// about reads what follows `about`.
func (p *dayParser) about(w *dayWords) dayAbout {
	t := dayAbout{kind: w.take("what it is about"), line: w.line}
	shape, reading := dayReadings[t.kind]
	switch {
	case !w.ok || t.kind == aboutTold || t.kind == verbClock || reading && !shape.named:
	case reading || slices.Contains([]string{aboutUnit, aboutEvent, aboutFile, aboutNote, aboutSense, aboutMail}, t.kind):
		t.name = w.take("its name")
	default:
		w.fail("a label can not be about %q; docs/days.md lists about what", clip(t.kind))
	}
	switch t.kind {
	case readDisk, readInodes, readTemperature:
		t.exact = []string{"health:" + t.kind + ":" + t.name}
	case readMemory, readSwap, readLoad, readBattery, verbClock:
		t.exact = []string{"health:" + t.kind}
	case aboutUnit:
		t.exact = []string{"health:unit:" + t.name, "health:restarts:" + t.name}
	case aboutEvent:
		t.exact, t.prefixes = []string{"calendar:" + t.name}, []string{"calendar:" + t.name + "/"}
	case aboutFile:
		if t.exact = []string{"files:" + t.name}; strings.HasSuffix(t.name, "/") {
			t.prefixes = []string{"files:" + t.name}
		}
	case aboutNote:
		t.exact, t.prefixes = []string{"notes:" + t.name}, []string{"notes:" + t.name + "#"}
	case aboutTold:
		t.prefixes = []string{"person:note/"}
	}
	return t
}

func (t dayAbout) covers(key string) bool {
	return slices.Contains(t.exact, key) || slices.ContainsFunc(t.prefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}
