package calendar

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"

	"github.com/emersion/go-ical"
)

// decoder hands components to the library one at a time.
type decoder struct {
	source bytes.Reader
	// buffer is large enough for the library to use it as it is.
	buffer *bufio.Reader
}

func newDecoder() *decoder {
	d := &decoder{}
	d.buffer = bufio.NewReaderSize(&d.source, 8<<10)
	return d
}

// decode parses one component. A panic of the library is an error.
func (d *decoder) decode(raw rawComponent) (component *ical.Component, err error) {
	defer func() {
		if recover() != nil {
			component, err = nil, errors.New("cannot be read")
		}
	}()
	d.source.Reset(raw.text)
	d.buffer.Reset(&d.source)
	calendar, err := ical.NewDecoder(d.buffer).Decode()
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	for _, child := range calendar.Children {
		if child.Name == raw.name {
			return child, nil
		}
	}
	return nil, errors.New("cannot be read")
}
