package threads

import (
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Personal reports whether a mail was written by somebody to the person, or is
// what the person wrote: not junk, not by a machine, and not to a list or to
// many, unless it answers what the person asked.
func Personal(o subconscious.Observation) bool {
	if o.Sense != "mail" || o.Attrs["junk"] == "true" {
		return false
	}
	return OwnMail(o) || o.Attrs["automated"] != "true" && (!ToMany(o) || o.Attrs["awaited"] == "true")
}

// OwnMail reports whether it is what the person wrote in a mail: a promise, or a
// question.
func OwnMail(o subconscious.Observation) bool {
	return o.Sense == "mail" && (o.Kind == "promise" || o.Kind == "awaiting")
}

// ToMany reports whether a mail was sent to a list or in bulk.
func ToMany(o subconscious.Observation) bool {
	return o.Attrs["list"] != "" || o.Attrs["bulk"] == "true"
}

// MailOf reports whether a mail lies in a thread's field. Junk lies in none, nor
// that a letter was read. The watcher looks at all others, for a score drops
// nothing; the rest does not look at mere letters to many. The person's own promises
// and questions are the librarian's, but that a question is over concerns the
// watcher too (which a thread that was never shown it sees as momentary); what
// machines write is nothing to write or to muse about, unless something is to be
// done.
func MailOf(thread subconscious.ThreadName, o subconscious.Observation) bool {
	letter := o.Kind == "mail"
	if o.Attrs["junk"] == "true" || letter && o.Change == subconscious.Gone {
		return false
	}
	switch thread {
	case subconscious.Librarian:
		return Personal(o) || !letter && !ToMany(o)
	case subconscious.Dreamer:
		return Personal(o)
	case subconscious.Watcher:
		return !OwnMail(o) || o.Kind == "awaiting" && !o.Stands()
	}
	return !letter || Personal(o) || !ToMany(o)
}

// clutter reports whether it is a mere letter to many. Rules score it, and no model
// is shown it: a hundred newsletters a day are no reason to think.
func clutter(o subconscious.Observation) bool {
	return o.Sense == "mail" && o.Kind == "mail" && !Personal(o) && ToMany(o)
}

// QuietDays is after how many working days the person is reminded of what nobody
// has answered, and of what they promised without a date.
const QuietDays = 3

// Written is when a mail was written, as the server has it, and never later than
// when it was seen.
func Written(o subconscious.Observation) time.Time {
	received, err := time.Parse(time.RFC3339, o.Attrs["received"])
	if err != nil || received.After(o.At) || received.Year() < 1970 {
		return o.At
	}
	return received
}

// WorkingDays counts the days from Monday to Friday after the day of from, up
// to that of to, both in the location of to. It counts no further than 366 days.
func WorkingDays(from, to time.Time) int {
	year, month, day := from.In(to.Location()).Date()
	at := time.Date(year, month, day, 12, 0, 0, 0, time.UTC)
	year, month, day = to.Date()
	last := time.Date(year, month, day, 12, 0, 0, 0, time.UTC)
	days := 0
	for i := 0; i < 366 && at.Before(last); i++ {
		at = at.AddDate(0, 0, 1)
		if weekday := at.Weekday(); weekday != time.Saturday && weekday != time.Sunday {
			days++
		}
	}
	return days
}

// mailLooked bounds how many standing mails are looked at for those that have
// waited.
const mailSifted = 5000

// waiting are the person's questions that nobody has answered for QuietDays, and
// what they promised without a date as long ago: those that the librarian was
// never shown, the oldest first, a few at a time.
func waiting(at time.Time, world subconscious.World, mine func(subconscious.Observation) bool) []subconscious.Observation {
	var found []subconscious.Observation
	looked := 0
	world.Of("mail", func(o subconscious.Observation) bool {
		if looked++; OwnMail(o) && undated(o) && WorkingDays(Written(o), at) >= QuietDays && mine(o) {
			found = oldest(append(found, o), Written)
		}
		return looked < mailSifted
	})
	return found
}
