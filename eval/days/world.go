package days

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/presence"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// dayWorld is a day as it comes to be: folders with real files, a made-up
// machine, and a mind that looks at it.
type dayWorld struct {
	*harness.World
	day     *Day
	tree    dayTree
	machine *dayMachine
	mailbox *dayMailbox // nil where there is no mail
	asleep  bool

	// presence, and since when, is written between ticks alone.
	presence   string
	since      time.Time
	commanding time.Time
}

// openDay makes the world and starts the mind in it. It is closed whatever open
// returns.
func openDay(ctx context.Context, d *Day, preset string) (w *dayWorld, err error) {
	w = &dayWorld{day: d, tree: dayTree{}, presence: presenceUnknown}
	if w.World, err = harness.Open("day", d.start); err != nil {
		return w, err
	}
	w.machine = newDayMachine(d, w.Now)
	c := w.Config
	c.QuietHours, c.Models.Preset = d.quiet, preset
	c.Senses.Files = []files.Config{{ID: "files", Path: w.Path("files")}}
	c.Senses.Notes = []notes.Config{{ID: "notes", Path: w.Path("notes")}}
	if err := w.Folders("notes", "files"); err != nil {
		return w, err
	}
	for _, f := range d.files {
		w.tree[f.path] = f.text
		if name, ok := strings.CutSuffix(f.path, ".ics"); ok && isDayCalendar(f.path) {
			events, err := parseICS(f.text)
			if err != nil {
				return w, err
			}
			w.tree[f.path] = events.text()
			c.Senses.Calendar = append(c.Senses.Calendar, calendar.Config{ID: name, ICS: w.Path(f.path), Addresses: slices.Clone(d.addresses)})
		}
		if err := w.save(f.path, f.modified); err != nil {
			return w, fmt.Errorf("write what is there at the start: %w", err)
		}
	}
	if d.hasMail() {
		if w.mailbox, err = openMailbox(w.World, d); err != nil {
			return w, err
		}
	}
	return w, w.begin(ctx)
}

// begin starts a mind over the world.
func (w *dayWorld) begin(ctx context.Context) error {
	options := daemon.Options{Version: "days", Unwatched: true, Env: os.LookupEnv, Health: w.machine, Signals: w.signals, Channels: harness.Channel(w.Phone)}
	if w.mailbox != nil {
		options.DialMail = w.mailbox.dial
	}
	return w.Start(ctx, options)
}

// away is what stands behind the name of a folder or a calendar that cannot be
// read.
const away = ".away"

// place is the name of a file as it is now.
func (w *dayWorld) place(path string) string {
	first, rest, _ := strings.Cut(path, "/")
	if _, err := os.Lstat(w.Path(first)); err != nil {
		if _, err := os.Lstat(w.Path(first + away)); err == nil {
			return strings.TrimSuffix(first+away+"/"+rest, "/")
		}
	}
	return path
}

// save writes a file as the tree has it.
func (w *dayWorld) save(path string, at time.Time) error {
	return w.Write(w.place(path), w.tree[path], at)
}

// happens has one event happen.
func (w *dayWorld) happens(ctx context.Context, e dayEvent) error {
	d := e.deed
	switch d.verb {
	case verbWrite, verbReplace, verbEvent, verbCancel, verbAppend, verbDelete, verbMove:
		return w.edit(d, e.at)
	case verbMail, verbSend, verbRead, verbArchive, verbTrash:
		return w.mailbox.happens(d, e.at)
	case verbTell:
		w.commanding = e.at
		return w.command(ctx, subconscious.Command{Kind: subconscious.CommandNote, Text: d.text, At: e.at})
	case verbPresence:
		if d.word == presenceCommand {
			w.commanding = e.at
		} else if w.presence != d.word {
			w.presence, w.since = d.word, e.at
		}
	case verbFail, verbMend:
		return w.fault(d.path, d.verb == verbFail)
	case verbSleep, verbWake:
		w.asleep = d.verb == verbSleep
	case verbRestart:
		if err := w.Mind.Stop(ctx); err != nil {
			return err
		}
		return w.begin(ctx)
	default:
		w.machine.apply(d, e.at)
	}
	return nil
}

// edit changes files.
func (w *dayWorld) edit(d dayDeed, at time.Time) error {
	if err := w.tree.apply(d); err != nil {
		return err
	}
	switch d.verb {
	case verbDelete:
		return os.RemoveAll(w.Path(w.place(d.path)))
	case verbMove:
		to := w.Path(w.place(d.to))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		return os.Rename(w.Path(w.place(d.path)), to)
	case verbAppend:
		path := w.Path(w.place(d.path))
		if file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err == nil {
			_, err = file.WriteString(d.text)
			return errors.Join(err, file.Close(), os.Chtimes(path, at, at))
		}
	}
	return w.save(d.path, at)
}

// fault lets a sense or the phone fail, or be well again.
func (w *dayWorld) fault(what string, failing bool) error {
	switch what {
	case "health":
		w.machine.setBlind(failing)
		return nil
	case "mail":
		w.mailbox.fail(failing)
		return nil
	case "phone":
		w.Phone.Fail(failing)
		return nil
	}
	from, to := w.Path(what), w.Path(what+away)
	if !failing {
		from, to = to, from
	}
	return os.Rename(from, to)
}

func (w *dayWorld) command(ctx context.Context, command subconscious.Command) error {
	command.By = "person"
	_, err := w.Mind.Command(ctx, command)
	return err
}

// signals are what the machine would show of the person.
func (w *dayWorld) signals(at time.Time) presence.Signals {
	s := presence.Signals{At: at, CommandUsed: w.commanding}
	switch w.presence {
	case presenceActive:
		s.Session = presence.Session{Known: true}
	case presenceIdle:
		// Hands are off for a moment, again and again.
		s.Session = presence.Session{Known: true, IdleSince: at.Add(-presence.IdleAfter - time.Minute)}
	case presenceLocked:
		s.Session = presence.Session{Known: true, Locked: true, LockedSince: w.since}
	}
	return s
}
