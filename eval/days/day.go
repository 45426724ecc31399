package days

import (
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/eval/mails"
)

// The bounds of a day's file; docs/days.md says them too.
const (
	maxDayBytes    = 1 << 20
	maxDayDays     = 14
	maxDayEvents   = 20_000
	maxDayLabels   = 200
	maxDayICS      = 4
	maxDayProblems = 20
	maxDayFiles    = 1000 // of a folder
)

// day is one script of a person's life, of one day or several.
type Day struct {
	path, name string
	title, who string
	set        string // daySetTune, daySetHold
	tags       []string
	languages  []string
	addresses  []string
	zone       *time.Location
	// start is the first midnight, end the one after the last day.
	start, end time.Time
	quiet      escalate.Hours
	files      []dayFile
	// machine is what health shows at the start.
	machine  []dayDeed
	timeline []dayEvent
	labels   []dayLabel
	// mails are those that the file has; clutter is made.
	mails   []*dayMail
	clutter dayClutter
	// posts are further messages, in the order in which they come: no file has
	// them, but suites that deliver mail of their own.
	posts []mails.Posted
}

const (
	daySetTune = "tune"
	daySetHold = "hold"
)

// dayFile is a note, a file or a calendar that is there at the start.
type dayFile struct {
	path, text string
	modified   time.Time
	line       int
}

// dayEvent is one thing that happens.
type dayEvent struct {
	at   time.Time
	line int
	deed dayDeed
}

// dayDeed says what happens. Which fields count depends on the verb.
type dayDeed struct {
	verb string
	// path is of a file, a calendar, a mount, a unit, or names a sensor; to is
	// where it is moved.
	path, to string
	// text is content, or what is said; old is what it takes the place of.
	text, old string
	reading   dayReading
	// label is whom an answer is about, word what the answer is, a state, or the
	// name of a mail.
	label, word string
	forever     bool
	span        time.Duration
}

// days is how many days it has.
func (d *Day) days() int {
	n := 0
	for at := d.start; at.Before(d.end); at = at.AddDate(0, 0, 1) {
		n++
	}
	return n
}

// quietDay: there is nothing to be told.
func (d *Day) quietDay() bool {
	for _, l := range d.labels {
		if l.wanted() {
			return false
		}
	}
	return true
}

// label returns the one of that name.
func (d *Day) label(name string) (*dayLabel, bool) {
	for i := range d.labels {
		if d.labels[i].name == name {
			return &d.labels[i], true
		}
	}
	return nil, false
}

// dayKind is what a label says of a push.
type dayKind string

const (
	dayNeedle dayKind = "needle"
	dayWorth  dayKind = "worth"
	dayNoise  dayKind = "noise"
	dayTrap   dayKind = "trap"
)

// dayLabel says of one thing whether the person wants to be told, and why.
type dayLabel struct {
	kind dayKind
	name string
	line int
	// since is when there was something to see, zero where that means nothing.
	since, from, by, until time.Time
	about                  []dayAbout
	match                  []dayPattern
	again                  []dayAgain
	because                string
}

func (l *dayLabel) wanted() bool { return l.kind == dayNeedle || l.kind == dayWorth }

// dayAgain lets a label be told once more.
type dayAgain struct {
	from    time.Time
	because string
	line    int
}

// dayProblem is what is wrong with a day, with its place.
type dayProblem struct {
	path string
	line int
	text string
}

func (p dayProblem) Error() string { return fmt.Sprintf("%s:%d: %s", p.path, p.line, p.text) }
