package senses

import (
	"cmp"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Person is the name of the built-in sense: what the person tells the daemon
// by command.
const Person = "person"

// noteStands is how long a note stands that names no date; noteRings how long
// after its date one does that names one, so that it can be told at that time.
const (
	noteStands = 7 * 24 * time.Hour
	noteRings  = time.Hour
)

// Note is one line that the person wrote by command.
type Note struct {
	// ID is unique, even for notes with the same words.
	ID   string
	At   time.Time
	Text string
	// Trust is whose word it is; empty is the person's.
	Trust subconscious.Trust
	// Due is the date that the text names, zero where it names none. The note
	// stands for an hour from then on.
	Due time.Time
	// DateText are the words of the text that name it.
	DateText string
}

// Notes returns what the sense "person" brings to a tick: the notes as
// observations, standing until an hour after their date or for 7 days.
// The attribute date_text has the words that name the date.
func Notes(at time.Time, notes []Note, clean Cleaner) Collected {
	source := SenseID{Sense: Person}
	var batch Batch
	for _, note := range notes {
		until := note.At.Add(noteStands)
		if !note.Due.IsZero() {
			until = note.Due.Add(noteRings)
		}
		var attrs map[string]string
		if note.DateText != "" {
			attrs = map[string]string{"date_text": note.DateText}
		}
		batch.Changes = append(batch.Changes, subconscious.Observation{
			ID: note.ID, Kind: "note", Change: subconscious.Appeared, At: note.At,
			Title: note.Text, Text: note.Text, Due: note.Due, Until: until, Trust: cmp.Or(note.Trust, subconscious.Owner), Attrs: attrs,
		})
	}
	cleaned, lost := clean.Batch(at, source, batch)
	return Collected{Sense: source.Sense, ID: source.ID, Batch: cleaned,
		Health: Health{ID: source.ID, Kind: Person, State: OK, Since: at, Error: lost.String()}}
}
