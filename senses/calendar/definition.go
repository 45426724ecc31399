package calendar

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds of one zone definition.
const (
	maxZoneParts   = 64
	maxTransitions = 1_000
)

// transition is when a zone's clocks change, and to what offset.
type transition struct {
	at     int64 // Unix seconds
	offset int   // seconds east of UTC
	dst    bool
}

// definedZone turns a VTIMEZONE into a location that is right around the
// window. With an error it is the zone as far as it can be read, or nil; the
// error ends the sentence "this time zone …".
func definedZone(name string, definition *component, around window, budget *budget) (*time.Location, error) {
	budget.begin()
	var transitions []transition
	var partly error
	first, firstAt, found := 0, time.Time{}, false
	for i, part := range definition.parts {
		if i == maxZoneParts || len(transitions) > maxTransitions {
			break
		}
		properties := part.read()
		from, fromOK := parseOffset(properties.value("TZOFFSETFROM"))
		to, toOK := parseOffset(properties.value("TZOFFSETTO"))
		if !fromOK || !toOK {
			continue
		}
		start, err := parseMoment(properties.value("DTSTART"), nil)
		if err != nil {
			continue
		}
		if !found || start.wall.Before(firstAt) {
			first, firstAt, found = from, start.wall, true
		}
		walls, err := onsets(properties, start, from, around, budget)
		if err != nil {
			partly = err
		}
		for _, wall := range walls {
			transitions = append(transitions, transition{
				at: wall.Unix() - int64(from), offset: to, dst: part.name == "DAYLIGHT",
			})
		}
	}
	if !found {
		return nil, errors.New("has no part that can be read")
	}
	slices.SortStableFunc(transitions, func(a, b transition) int { return cmp.Compare(a.at, b.at) })
	zone, err := time.LoadLocationFromTZData(name, encodeZone(first, transitions))
	if err != nil {
		return nil, errors.New("cannot be worked out")
	}
	return zone, partly
}

// onsets returns when a part of a zone begins, on the clock before it: its
// first time, those around the window, and the last before the window.
func onsets(properties properties, start moment, offset int, around window, budget *budget) ([]time.Time, error) {
	walls := []time.Time{start.wall}
	for _, property := range properties["RDATE"] {
		for value := range strings.SplitSeq(property.value, ",") {
			if m, err := parseMoment(value, nil); err == nil && len(walls) < maxTransitions {
				walls = append(walls, m.wall)
			}
		}
	}
	text, found := properties.get("RRULE")
	if !found {
		return walls, nil
	}
	// DTSTART is read as the clock before the change, so UNTIL in UTC is too.
	start.zone = time.FixedZone("", offset)
	repeats, err := parseRule(text.value, start)
	if err != nil {
		return walls, err
	}
	from, to := around.from.UTC().AddDate(-2, 0, 0), around.to.UTC().AddDate(1, 0, 0)
	if last := repeats.last(); !last.IsZero() && last.Before(from) {
		from, to = last.AddDate(-2, 0, 0), last.AddDate(0, 0, 2)
	}
	err = repeats.walk(start, from, to, budget, func(wall time.Time) bool {
		walls = append(walls, wall)
		return len(walls) < maxTransitions
	})
	return walls, err
}

// parseOffset reads a UTC-OFFSET such as +0530 or -033015.
func parseOffset(text string) (seconds int, ok bool) {
	text = strings.ReplaceAll(strings.TrimSpace(text), ":", "")
	if len(text) != 5 && len(text) != 7 || text[0] != '+' && text[0] != '-' {
		return 0, false
	}
	number, err := strconv.ParseUint(text[1:], 10, 32)
	if err != nil {
		return 0, false
	}
	if len(text) == 5 {
		number *= 100
	}
	hours, minutes, rest := int(number/10000), int(number/100%100), int(number%100)
	if hours > 23 || minutes > 59 || rest > 59 {
		return 0, false
	}
	seconds = hours*3600 + minutes*60 + rest
	if text[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// encodeZone writes the transitions as RFC 8536 zone data, version 2, the form
// that package time reads. Before the first of them the offset is first.
func encodeZone(first int, transitions []transition) []byte {
	type kind struct {
		Offset int32
		DST    bool
	}
	kinds := []kind{{Offset: int32(first)}}
	index := map[kind]int{}
	var times, places []byte
	for _, t := range transitions {
		k := kind{int32(t.offset), t.dst}
		i, known := index[k]
		if !known {
			if len(kinds) > 200 {
				break // a zone with so many offsets is none
			}
			i = len(kinds)
			index[k], kinds = i, append(kinds, k)
		}
		times = binary.BigEndian.AppendUint64(times, uint64(t.at))
		places = append(places, byte(i))
	}
	out := append([]byte("TZif2"), make([]byte, 15+6*4)...) // an empty part of version 1
	out = append(append(out, "TZif2"...), make([]byte, 15+3*4)...)
	for _, n := range []int{len(places), len(kinds), 4} {
		out = binary.BigEndian.AppendUint32(out, uint32(n))
	}
	out = slices.Concat(out, times, places)
	for _, k := range kinds {
		out, _ = binary.Append(out, binary.BigEndian, k) // of a fixed size, which cannot fail
		out = append(out, 0)
	}
	return append(out, "ICS\x00\n\n"...)
}
