package calendar

import (
	"context"
	"strings"
	"unicode"
)

// Source is where the events of a Sense come from if not from a file: an account
// on a server, with any number of calendars. It keeps nothing that matters: what
// was committed comes back in Kept. An error of Look makes the sense blind; it
// says what is wrong and, behind a semicolon, what to do. What Look does not get
// done before the deadline of its context it leaves for the next tick. A Source
// may be a senses.Stopper.
type Source interface {
	Look(ctx context.Context, kept Kept) (Found, error)
}

// Kept is what the last Look that was committed left.
type Kept struct {
	// Tokens are those of the collections, by their names.
	Tokens map[string]string
	// Has reports whether an item is kept in that version. It is for one
	// goroutine at a time.
	Has func(collection, item, version string) bool
}

// Found is what one Look found.
type Found struct {
	// Collections are all that there are: what is not among them any more is gone
	// with its events. One that could not be looked at has its old token alone.
	Collections []Collection
	// Left are the names of those that are there and that the configuration does not
	// name: of one that it did nothing is forgotten for a while.
	Left []string
	// Owner are further addresses of the person.
	Owner []string
	// Degraded and Starting are those of a senses.Batch.
	Degraded string
	Starting bool
}

// Collection is one calendar, and what changed in it since its token.
type Collection struct {
	Name  string // the same for as long as it is there; it is not shown
	Token string // opaque; comes back in Kept
	// Changed are items that are new or of another version.
	Changed []Item
	// Removed are the names of items that are gone.
	Removed []string
	// Full: those in Changed, and those whose names are in Same, are all that
	// there are. What could not be fetched yet is in Same, and the token the old
	// one.
	Full bool
	Same []string
}

// Item is what a collection has under one name: an event, a series, or all that
// belongs to one UID. The changed occurrences of a series may be items of their own,
// of the same UID.
type Item struct {
	Name, Version string
	// Problem is why there is no Data; it follows "an event".
	Problem string
	// Of is the name of the series that a changed occurrence belongs to: it is gone
	// with that.
	Of string
	// Data is an iCalendar object, as the server sent it or as Text makes it. No
	// more of it is kept than the sense reads, without secrets.
	Data []byte
}

// Text makes iCalendar text (RFC 5545) of what a server says in other forms. The
// zero value is an empty calendar.
type Text struct{ bytes []byte }

// Begin and End enclose a component, mostly a VEVENT.
func (t *Text) Begin(component string) { t.Put("BEGIN", component) }

// End ends the component that was begun.
func (t *Text) End(component string) { t.Put("END", component) }

// Put writes a property that is no text, such as a date or a rule, as the format
// has it. Parameters are pairs of name and value: "TZID", "Europe/Berlin".
func (t *Text) Put(name, value string, parameters ...string) {
	t.bytes = append(t.bytes, name...)
	for i := 0; i+1 < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			t.bytes = append(t.bytes, ";"+parameters[i]+`="`+strings.ReplaceAll(oneLine(parameters[i+1]), `"`, "'")+`"`...)
		}
	}
	t.bytes = append(t.bytes, ":"+oneLine(value)+"\n"...)
}

var textEscapes = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\n", `\n`)

// Say writes a property that is text; an empty one is left out.
func (t *Text) Say(name, text string) {
	if text != "" {
		t.Put(name, textEscapes.Replace(text))
	}
}

// Calendar is the whole object.
func (t *Text) Calendar() []byte {
	return append(append([]byte("BEGIN:VCALENDAR\n"), t.bytes...), "END:VCALENDAR\n"...)
}

// oneLine has no control characters, so that nothing can end a line.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}
