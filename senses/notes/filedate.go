package notes

import (
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/foreign"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

var nameDate = lazy.Regexp(`(?:^|[^0-9])((?:19|20)\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])(?:$|[^0-9])`)

// baseOf returns the time from which the relative dates of a file count: the
// date in its name, else the date of its front matter, else when it was first
// seen. A day counts from its beginning, unless it is the one of first.
func baseOf(rel string, d foreign.Document, first time.Time) time.Time {
	if m := nameDate().FindStringSubmatch(path.Base(rel)); m != nil {
		if day, err := time.ParseInLocation("20060102", m[1]+m[2]+m[3], first.Location()); err == nil {
			return dayFrom(day, first)
		}
	}
	for _, name := range []string{"date", "created", "datum", "fecha"} {
		value := strings.TrimSpace(d.Fields[name].Value)
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"} {
			if when, err := time.ParseInLocation(layout, value, first.Location()); err == nil {
				return when.In(first.Location())
			}
		}
		if found := dates.Find(value, first); len(found) > 0 && found[0].DateOnly {
			due := found[0].Due
			return dayFrom(time.Date(due.Year(), due.Month(), due.Day(), 0, 0, 0, 0, first.Location()), first)
		}
	}
	return first
}

func dayFrom(day, first time.Time) time.Time {
	if y, m, d := first.Date(); y == day.Year() && m == day.Month() && d == day.Day() {
		return first
	}
	return day
}

var yearNamed = lazy.Regexp(`(?:^|[^\p{L}\d])((?:19|20)\d\d)(?:$|[^\p{L}\d])`)

// yearOf returns the latest year that a name or heading is of, 0 for none.
func yearOf(names ...string) int {
	latest := 0
	for _, name := range names {
		for _, m := range yearNamed().FindAllStringSubmatch(name, 4) {
			year, _ := strconv.Atoi(m[1]) // four digits
			latest = max(latest, year)
		}
	}
	return latest
}
