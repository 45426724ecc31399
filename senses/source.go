package senses

import "strings"

// SenseID names one configured instance of a sense.
type SenseID struct {
	Sense string // the sense's name: "files"
	ID    string // the instance: "work"
}

// String returns "files/work", or the name alone where there is no instance.
func (s SenseID) String() string {
	if s.ID == "" {
		return s.Sense
	}
	return s.Sense + "/" + s.ID
}

func compareSources(a, b SenseID) int {
	if c := strings.Compare(a.Sense, b.Sense); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// Collected is what one sense instance brought to a tick.
type Collected struct {
	Sense string
	ID    string
	// Batch is cleaned. It counts for nothing where Health.State is Blind.
	Batch  Batch
	Health Health
}
