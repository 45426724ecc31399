package modeltest

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// What a Server of the suite expects, and what drivers under test are given.
const (
	// Key is the key that the suite hands to drivers. It must be found nowhere
	// but in the header it belongs in.
	Key = "modeltest-key-0123456789abcdef"
	// Model is the model that the suite asks.
	Model = "scripted-1"
	// Unasked is the model that answers under the fault wrong-model.
	Unasked = "unasked-9"
)

const (
	// defaultKeep is how many requests are kept, keptBytes how many bytes of
	// their bodies.
	defaultKeep = 4096
	keptBytes   = 128 << 20
	// maxRequest is the largest body that is read.
	maxRequest = 16 << 20
	// defaultPace is the pause between the drops of a slow answer.
	defaultPace = 50 * time.Millisecond
)

// Options configures a Server.
type Options struct {
	// Script answers; nil is Silent.
	Script Script
	// Troubles are what goes wrong; none by default.
	Troubles []Trouble
	// Key is the key that requests must carry; empty asks for none.
	Key string
	// Models are those that there are; others are answered with 404. None
	// means that any model answers.
	Models []string
	// Seed is of what happens by chance.
	Seed uint64
	// Keep is how many of the last requests are kept, 4096 if 0.
	Keep int
	// Pace is the pause between the drops of a slow answer, 50 ms if 0.
	Pace time.Duration
	// Seen, if set, is told of each request once it has been dealt with, by
	// the goroutine that dealt with it.
	Seen func(Record)
}

func (o Options) validate() error {
	for _, t := range o.Troubles {
		if _, ok := AboutFault(t.Fault); !ok {
			return fmt.Errorf("there is no fault %q; there are %s", t.Fault, faultNames())
		}
	}
	if o.Keep < 0 || o.Pace < 0 {
		return fmt.Errorf("keep %d and pace %s must not be negative", o.Keep, o.Pace)
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.Script == nil {
		o.Script = Silent()
	}
	o.Troubles = slices.Clone(o.Troubles)
	o.Keep = cmp.Or(o.Keep, defaultKeep)
	o.Pace = cmp.Or(o.Pace, defaultPace)
	return o
}
