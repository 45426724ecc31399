package reflex

import (
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// location returns the zone that an event is given in, where the clock there
// is known.
func (s *scene) location(o subconscious.Observation) (*time.Location, bool) {
	id := o.Attrs["zone"]
	if id == "" || id == "Local" || len(id) > 64 {
		return nil, false
	}
	zone, known := s.zones[id]
	if !known {
		// An unknown name is nil: nothing can be said of its clock.
		zone, _ = time.LoadLocation(id)
		s.zones[id] = zone
	}
	return zone, zone != nil
}

// aheadOf is by how much the clock here is ahead of that in zone.
func (s *scene) aheadOf(zone *time.Location, t time.Time) time.Duration {
	return time.Duration(offset(t.In(s.zone))-offset(t.In(zone))) * time.Second
}

// city is what people call a zone: "New York".
func city(zone *time.Location) *part {
	id := zone.String()
	return prose(strings.ReplaceAll(id[strings.LastIndexByte(id, '/')+1:], "_", " "))
}

func otherZone(s *scene, o subconscious.Observation) noticed {
	zone, known := s.location(o)
	if !known || !attended(o) || recurs(o) || o.Due.Sub(s.at) > 24*time.Hour || o.Due.Before(s.at) || s.aheadOf(zone, o.Due) == 0 {
		return noticed{}
	}
	there := o.Due.In(zone)
	layout := clockLayout
	if there.Format(time.DateOnly) != o.Due.In(s.zone).Format(time.DateOnly) {
		layout = "Mon " + clockLayout
	}
	return notice(subconscious.KindRisk, 4,
		say("%s, %s here, is %s in %s", prose(s.eventName(o)), s.when(o.Due), there.Format(layout), city(zone)), o).until(o.Due)
}

func zoneOver(s *scene, o subconscious.Observation) bool {
	zone, known := s.location(o)
	return !known || !attended(o) || s.aheadOf(zone, o.Due) == 0
}

// clockChange finds the first occurrence of a series after the clocks changed
// there and not here, or here and not there.
func clockChange(s *scene, o subconscious.Observation) noticed {
	zone, known := s.location(o)
	if !known || !recurs(o) || !attended(o) || o.Attrs["moved_from"] != "" || o.Due.Sub(s.at) > 72*time.Hour || o.Due.Before(s.at) {
		return noticed{}
	}
	interval, ok := s.interval(o)
	if !ok || interval > 32*24*time.Hour {
		interval = 7 * 24 * time.Hour
	}
	before := o.Due.Add(-interval)
	shift := s.aheadOf(zone, o.Due) - s.aheadOf(zone, before)
	if shift == 0 {
		return noticed{}
	}
	where := "here"
	if offset(o.Due.In(zone)) != offset(before.In(zone)) {
		where = "in " + city(zone).String()
	}
	importance := 5
	if o.Due.Sub(s.at) <= 24*time.Hour {
		importance = 6
	}
	return notice(subconscious.KindRisk, importance, say("%s, %s, is %s here than before: the clocks changed %s",
		prose(s.eventName(o)), s.appointment(o), shifted(shift), where), o).until(o.Due).tell("its time here is not the usual one")
}

func offset(t time.Time) int {
	_, seconds := t.Zone()
	return seconds
}

// shifted says "an hour earlier" or "30 minutes later".
func shifted(by time.Duration) string {
	direction := "later"
	if by < 0 {
		by, direction = -by, "earlier"
	}
	switch {
	case by == time.Hour:
		return "an hour " + direction
	case by%time.Hour == 0:
		return plural(int(by/time.Hour), "hour") + " " + direction
	}
	return plural(int(by/time.Minute), "minute") + " " + direction
}
