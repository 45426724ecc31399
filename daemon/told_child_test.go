package daemon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/setup"
)

// book is a channel that writes each message into a file, which is on the disk
// before it says that it took it. A message begins with a line of its own, since
// a life may have ended in the middle of the one before.
type book string

func (b book) Send(_ context.Context, m notify.Message) (notify.Receipt, error) {
	line, err := json.Marshal(m)
	if err != nil {
		return notify.Receipt{}, err
	}
	file, err := os.OpenFile(string(b), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return notify.Receipt{}, err
	}
	defer file.Close()
	if _, err := file.Write(slices.Concat([]byte{'\n'}, line, []byte{'\n'})); err != nil {
		return notify.Receipt{}, err
	}
	return notify.Receipt{}, file.Sync()
}

// openBook is a book that can be asked what is in it.
type openBook struct{ book }

// Arrived looks for the words as well: another message of the incident has its
// sequence.
func (b openBook) Arrived(_ context.Context, m notify.Message, _ time.Time) (bool, error) {
	arrived, err := b.read()
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(arrived, func(there notify.Message) bool {
		return there.Sequence == m.Sequence && there.Title == m.Title && there.Text == m.Text
	}), nil
}

// read returns what is in the book, as far as it is whole: a life may have
// ended while it wrote a line.
func (b book) read() (arrived []notify.Message, err error) {
	data, err := os.ReadFile(string(b))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for line := range bytes.Lines(data) {
		var m notify.Message
		if json.Unmarshal(line, &m) == nil {
			arrived = append(arrived, m)
		}
	}
	return arrived, nil
}

// troubled is a machine on which unit after unit runs out of memory: as many as
// a file has bytes. The last ones have failed, earlier ones run again.
type troubled string

// failing is how many units have failed at a time.
const failing = 3

func (f troubled) Read(context.Context) (health.Reading, error) {
	stat, err := os.Stat(string(f))
	if err != nil {
		return health.Reading{}, err
	}
	var reading health.Reading
	for n := max(0, int(stat.Size())-failing); n < int(stat.Size()); n++ {
		reading.Units = append(reading.Units, health.Unit{Name: fmt.Sprintf("unit-%d.service", n), Result: "oom-kill", Since: start})
	}
	return reading, nil
}

// worse lets one more unit fail.
func (f troubled) worse() error {
	file, err := os.OpenFile(string(f), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Write([]byte("x"))
	return err
}

const (
	// childLife is the number of a life.
	childLife = "DAEMON_TEST_LIFE"
	// childPhone is what it tells over: closedBook, anOpenBook, or the address
	// of an ntfy server.
	childPhone = "DAEMON_TEST_PHONE"
	closedBook = "closed"
	anOpenBook = "open"
)

// tellingOptions are those of a mind that tells of each unit, in a life of that
// number, over such a phone.
func tellingOptions(dir string, life int, phone string) (daemon.Options, error) {
	config := configOf(dir)
	config.Senses = setup.Senses{Health: config.Senses.Health}
	config.QuietHours.To = config.QuietHours.From
	config.Budget.NotificationsPerDay, config.Budget.EscalationsPerHour = 200, 200
	now := func() time.Time { return time.Now().Add(time.Duration(life) * 30 * time.Minute) } // so that no day's cap is reached, and nothing expires
	over, err := telling(dir, phone, now)
	return daemon.Options{
		Now:    now,
		Config: config, Unscheduled: true, Health: troubled(filepath.Join(dir, "units")),
		Channels: []notify.Channel{{ID: "book", Kind: "book", Content: notify.ContentFull, Notifier: over}},
	}, err
}

// telling is what a mind tells over.
func telling(dir, phone string, now func() time.Time) (notify.Notifier, error) {
	b := book(filepath.Join(dir, "book"))
	switch phone {
	case closedBook:
		return b, nil
	case anOpenBook:
		return openBook{b}, nil
	}
	return ntfy.New(ntfy.Config{URL: phone, Topic: "alerts"}, ntfy.Options{Now: now, ReplyTopic: "re-0123456789abcdef0123456789abcdef"})
}

// childTells lets unit after unit fail, and tells of it, until it is killed.
func childTells(dir string) error {
	life, err := strconv.Atoi(os.Getenv(childLife))
	if err != nil {
		return err
	}
	options, err := tellingOptions(dir, life, os.Getenv(childPhone))
	if err != nil {
		return err
	}
	return lives(options, func(_ context.Context, _ *daemon.Daemon, i int) error {
		begin(i)
		return options.Health.(troubled).worse()
	})
}
