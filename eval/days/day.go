package days

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/eval/mails"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/senses/source"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The bounds of a day's file; docs/days.md says them too.
const (
	maxBytes    = 1 << 20
	maxDays     = 14
	maxEvents   = 20_000
	maxProblems = 20
	maxFiles    = 1000 // of a folder
)

// day is one script of a person's life, of one day or several.
type day struct {
	path, name string
	title      string
	set        string // setTune, setHold
	languages  []string
	addresses  []string
	zone       *time.Location
	// start is the first midnight, end the one after the last day.
	start, end time.Time
	quiet      escalate.Hours
	files      []file
	// feeds and commands are sources of the person's own. Where they are is not said.
	feeds    []source.FeedConfig
	commands []source.ExecConfig
	// machine is what health shows at the start.
	machine  []deed
	timeline []event
	labels   []*label
	// mails are those that the file has; clutter is made.
	mails   []*message
	clutter clutter
	// posts are messages that another suite delivers, in the order in which they
	// come. No file of a day has any.
	posts []mails.Posted
	// phone: messages go through a server of ntfy, and what the phone shows is kept.
	phone bool
	// triage judges mails; nil: nobody does. Where it is credulous, by what others
	// wrote beside.
	triage    modeltest.Script
	credulous bool
}

const (
	setTune = "tune"
	setHold = "hold"
)

// file is a note, a file or a calendar that is there at the start.
type file struct {
	path, text string
	modified   time.Time
	line       int
}

// event is one thing that happens.
type event struct {
	at   time.Time
	line int
	deed deed
}

// deed says what happens. Which fields count depends on the verb.
type deed struct {
	verb string
	// path is of a file, a calendar, a mount, a unit, or names a sensor; to is
	// where it is moved.
	path, to string
	// text is content, or what is said; old is what it takes the place of.
	text, old string
	reading   reading
	// label names the label that an answer is about; word is a state or the name of a
	// mail.
	label, word string
	// command is what the person says, span for how long.
	command subconscious.Command
	span    time.Duration
}

// days is how many days it has, one of which may have an hour less or more.
func (d *day) days() int { return int(d.end.Sub(d.start).Hours()+12) / 24 }

// quietDay: there is nothing to be told.
func (d *day) quietDay() bool {
	return !slices.ContainsFunc(d.labels, (*label).wanted)
}

// label returns the label of that name, nil where there is none.
func (d *day) label(name string) *label {
	if n := slices.IndexFunc(d.labels, func(l *label) bool { return l.name == name }); n >= 0 {
		return d.labels[n]
	}
	return nil
}

// kind is what a label says of a push.
type kind string

const (
	needle kind = "needle"
	worth  kind = "worth"
	noise  kind = "noise"
	trap   kind = "trap"
)

// label says of one thing whether the person wants to be told, and why.
type label struct {
	kind kind
	name string
	line int
	// since is when there was something to see; zero where the delay is not measured.
	since, from, by, until time.Time
	about                  []about
	match                  []*regexp.Regexp
	// says is what the words of the push must quote to be of use by themselves.
	says    []*regexp.Regexp
	again   []again
	because string
}

func (l *label) wanted() bool { return l.kind == needle || l.kind == worth }

// again lets a label be told once more.
type again struct {
	from time.Time
	line int
}

// problem is what is wrong with a day, with its place.
type problem struct {
	path string
	line int
	text string
}

func (p problem) Error() string { return fmt.Sprintf("%s:%d: %s", p.path, p.line, p.text) }
