package senses

import "fmt"

// Faults gathers what is wrong with a configuration, each error beginning with the key.
type Faults []error

// Add adds a fault.
func (f *Faults) Add(format string, args ...any) { *f = append(*f, fmt.Errorf(format, args...)) }

// Where adds a fault where there is one.
func (f *Faults) Where(is bool, format string, args ...any) {
	if is {
		f.Add(format, args...)
	}
}
