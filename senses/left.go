package senses

import (
	"fmt"
	"maps"
	"time"
)

// leftKept is how long what is known is kept of what left the configuration, a
// sense or an entry of a list within one: when it comes back by then, nothing is
// new.
const leftKept = 30 * 24 * time.Hour

// Left are the entries of a list that are no longer in the configuration of a
// sense instance, and since when, in Unix time. A sense keeps it in its cursor.
type Left map[string]int64

// Keep returns who has left by the time at, of all entries that something is known
// of, who has for so long that they are forgotten now, and what that is to the batch.
// there reports whether an entry is in the configuration.
func (l Left) Keep(at time.Time, known []string, there func(string) bool) (now Left, forgotten []string, how Listing) {
	for _, name := range known {
		since, was := l[name]
		switch {
		case there(name):
			continue
		case !was:
			since = at.Unix()
		case !at.Before(time.Unix(since, 0).Add(leftKept)):
			forgotten = append(forgotten, name)
			continue
		}
		if now == nil {
			now = Left{}
		}
		now[name] = since
	}
	switch {
	case len(forgotten) > 0:
		how = Forgotten
	case !maps.Equal(now, l):
		how = Relisted
	}
	return now, forgotten, how
}

// Has reports whether an entry has left.
func (l Left) Has(name string) bool {
	_, has := l[name]
	return has
}

// Says is what status says of those that left the list under a key, "" where none has.
func (l Left) Says(key string, zone *time.Location) string {
	if len(l) == 0 {
		return ""
	}
	var last int64
	for _, since := range l {
		last = max(last, since)
	}
	return fmt.Sprintf("what is known of %d no longer under %s is kept until %s", len(l), key, time.Unix(last, 0).Add(leftKept).In(zone).Format("Jan 2"))
}
