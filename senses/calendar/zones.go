package calendar

import (
	_ "embed"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // zones exist on every machine

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// windowsZones maps the names that Windows, Outlook and Exchange give to time
// zones onto IANA names, one pair a line. The pairs are those of the Unicode
// CLDR, windowsZones, territory 001, release 48.
//
//go:embed windows_zones.txt
var windowsZones string

// parseWindowsZones returns the table by lower-case Windows name.
func parseWindowsZones() map[string]string {
	table := make(map[string]string, 150)
	for line := range strings.Lines(windowsZones) {
		if name, zone, found := strings.Cut(strings.TrimSpace(line), "="); found {
			table[strings.ToLower(name)] = zone
		}
	}
	return table
}

// maxZones bounds how many zone names of one file are looked up, and how many
// definitions are kept.
const maxZones = 500

// zones finds the locations that a file names: by IANA name, by the names that
// Windows uses, by the file's own definition.
type zones struct {
	windows     map[string]string
	definitions map[string]*component
	found       map[string]*time.Location
	around      window
	budget      *budget
	// problems are sentences about names that nothing explains, whose times
	// are read as the mind's own, and about definitions that are wrong.
	problems []string
}

func newZones(around window, budget *budget) *zones {
	return &zones{
		windows:     parseWindowsZones(),
		definitions: map[string]*component{},
		found:       map[string]*time.Location{},
		around:      around,
		budget:      budget,
	}
}

// define keeps a VTIMEZONE for when its name is asked for.
func (z *zones) define(zone *component) {
	id, found := zone.read().get("TZID")
	if !found || len(z.definitions) >= maxZones {
		return
	}
	if name := zoneName(id.value); z.definitions[name] == nil {
		z.definitions[name] = zone
	}
}

// find returns the location of a TZID, nil for none and for an unknown one.
func (z *zones) find(id string) *time.Location {
	name := zoneName(id)
	if name == "" {
		return nil
	}
	if zone, known := z.found[name]; known {
		return zone
	}
	if len(z.found) >= 2*maxZones {
		return nil
	}
	zone := z.search(name)
	z.found[name] = zone
	if zone == nil {
		z.problem(name, "is unknown and read as local time")
	}
	return zone
}

func (z *zones) search(name string) *time.Location {
	if zone := z.named(name); zone != nil {
		return zone
	}
	definition := z.definitions[name]
	if definition == nil {
		return nil
	}
	if location, found := definition.read().get("X-LIC-LOCATION"); found {
		if zone := z.named(zoneName(location.value)); zone != nil {
			return zone
		}
	}
	shown, _, _ := strings.Cut(name, "#") // see keeper.zone
	zone, err := definedZone(shown, definition, z.around, z.budget)
	if err != nil && zone != nil {
		z.problem(name, err.Error()+"; times in it may be wrong")
	}
	return zone
}

func (z *zones) problem(name, text string) {
	name, _, _ = strings.Cut(name, "#")
	z.problems = append(z.problems, fmt.Sprintf("the time zone %q %s", clip(subconscious.Printable(name), 64), text))
}

// named returns the location of a name that is known everywhere.
func (z *zones) named(name string) *time.Location {
	switch strings.ToUpper(name) {
	case "UTC", "GMT", "Z", "ETC/UTC", "ETC/GMT":
		return time.UTC
	}
	if iana, known := z.windows[strings.ToLower(name)]; known {
		name = iana
	}
	// Some programs put a path of their own before the IANA name:
	// "/example.org/Tzfile/Europe/Berlin".
	for rest := name; rest != ""; {
		if zone := loadZone(rest); zone != nil {
			return zone
		}
		_, rest, _ = strings.Cut(rest, "/")
		if !strings.Contains(rest, "/") {
			break
		}
	}
	return nil
}

// loadZone looks a name up in the zone database. Names that mean this machine,
// or a file of it, are no names.
func loadZone(name string) *time.Location {
	if name == "" || name == "Local" || len(name) > 64 || strings.ContainsAny(name, ".\\ ") || name[0] == '/' {
		return nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return zone
}

// zoneName cleans a TZID of the quotes and spaces that some programs write.
func zoneName(id string) string {
	return strings.Trim(subconscious.Head(id, 255), "\"' \t")
}
