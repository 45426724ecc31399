package prose

import (
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/dates"
)

// Appointments returns the days and times at which a text confirms that its
// reader is expected, in order and at most 8: "your appointment is on Tue 3 March at
// 10:30", "Abflug: 03.03.2026 10:30". What is offered, asked, moved away or called
// off is none, nor are hours of business. Dates are counted from now, which is when
// the text was written.
func (t *Text) Appointments() []Limit { return t.limits(appointmentOf) }

func appointmentOf(in *sentence, now time.Time) (dates.Match, bool) {
	s, words := in.Text, in.split()
	if !strings.ContainsAny(s, "0123456789") || Shouts(s) || strings.HasSuffix(s, "?") {
		return dates.Match{}, false
	}
	if !expected.has(words) || unsettled.has(words) || conditional(words) || anyOf(words, calledOff) && !movedTo.has(words) {
		return dates.Match{}, false
	}
	for _, m := range in.dates(now) {
		if m.Day && !m.DateOnly && !repeats(s, m) && !beginning.Has(wordBeforeDate(s, m)) && !beginning.Has(firstOf(m)) {
			return m, true
		}
	}
	return dates.Match{}, false
}

func firstOf(m dates.Match) string { return text(split(m.Text), 0) }

// beginning words lead to a time from which on, or until when, something is.
var beginning = SetOf(`since after by until till before seit ab nach bis vor depuis après avant jusqu desde después hasta antes`)

var (
	// expected are the words by which a confirmation of a day and time is known.
	expected = phrases("appointment.expected")
	// unsettled says that nothing is fixed yet, or of nobody in particular.
	unsettled = phrases("unsettled")
	// movedTo, with the day it was moved to, still stands.
	movedTo = phrases("movedTo")
)
