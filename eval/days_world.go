package eval

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/presence"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// dayWorld is a day as it comes to be: folders with real files, a made-up
// machine, clock and phone, and a mind that looks at it.
type dayWorld struct {
	day     *day
	preset  string
	dir     string
	clock   atomic.Int64 // Unix nanoseconds
	tree    dayTree
	machine *dayMachine
	phone   *dayPhone
	mailbox *dayMailbox // nil where there is no mail
	mind    *daemon.Daemon
	asleep  bool

	// presence, and since when, is written between ticks alone.
	presence   string
	since      time.Time
	commanding time.Time
}

// openDay makes the world in a temporary folder and starts the mind in it. It
// is closed whatever open returns.
func openDay(ctx context.Context, d *day, preset string) (w *dayWorld, err error) {
	w = &dayWorld{day: d, preset: preset, tree: dayTree{}, presence: presenceUnknown}
	w.clock.Store(d.start.UnixNano())
	w.machine, w.phone = newDayMachine(d, w.now), &dayPhone{now: w.now}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close(ctx))
		}
	}()
	if err := w.makeFolder(); err != nil {
		return w, fmt.Errorf("make a folder to play in: %w", err)
	}
	for _, folder := range []string{"notes", "files", "state"} {
		if err := os.Mkdir(filepath.Join(w.dir, folder), 0o700); err != nil {
			return w, err
		}
	}
	for _, f := range d.files {
		w.tree[f.path] = f.text
		if isDayCalendar(f.path) {
			events, err := parseICS(f.text)
			if err != nil {
				return w, err
			}
			w.tree[f.path] = events.text()
		}
		if err := w.save(f.path, f.modified); err != nil {
			return w, fmt.Errorf("write what is there at the start: %w", err)
		}
	}
	if w.mailbox, err = openMailbox(d, w.now); err != nil {
		return w, err
	}
	return w, w.begin(ctx)
}

// makeFolder makes the folder of the day. Its name is always as long, since
// messages that name a path are cut where they are too long.
func (w *dayWorld) makeFolder() error {
	root, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return err
	}
	dir := filepath.Join(root, fmt.Sprintf("day-%016x", rand.Uint64()))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	w.dir = dir
	return nil
}

// now is the clock of the mind.
func (w *dayWorld) now() time.Time { return time.Unix(0, w.clock.Load()).In(w.day.zone) }

// begin starts a mind over the world.
func (w *dayWorld) begin(ctx context.Context) error {
	config := w.config()
	options := daemon.Options{
		Config: config, Version: "days", Unscheduled: true, NoSocket: true, Patient: true, Unwatched: true,
		Now: w.now, Env: os.LookupEnv, Health: w.machine, Signals: w.signals,
		Channels: []notify.Channel{{ID: "phone", Kind: "recorder", Content: notify.ContentFull, Buttons: false, Notifier: w.phone}},
	}
	if w.mailbox != nil {
		account, err := w.mailbox.config(w.dir)
		if err != nil {
			return err
		}
		config.Senses.Mail, options.DialMail = []mail.Config{account}, w.mailbox.dial
	}
	mind, err := daemon.New(options)
	if err != nil {
		return err
	}
	w.mind = mind
	return w.mind.Start(ctx)
}

// config is what the person of a day would have: defaults, and their folders.
func (w *dayWorld) config() *setup.Config {
	config := setup.Default()
	config.StateDir, config.Timezone = filepath.Join(w.dir, "state"), w.day.zone.String()
	config.QuietHours, config.Models.Preset = w.day.quiet, w.preset
	config.Senses.Files = []files.Config{{ID: "files", Path: filepath.Join(w.dir, "files")}}
	config.Senses.Notes = []notes.Config{{ID: "notes", Path: filepath.Join(w.dir, "notes")}}
	for _, f := range w.day.files {
		if name, ok := strings.CutSuffix(f.path, ".ics"); ok && isDayCalendar(f.path) {
			config.Senses.Calendar = append(config.Senses.Calendar, calendar.Config{
				ID: name, ICS: filepath.Join(w.dir, f.path), Addresses: slices.Clone(w.day.addresses),
			})
		}
	}
	return config
}

// close stops the mind and removes the folder.
func (w *dayWorld) close(ctx context.Context) error {
	var problems []error
	if w.mind != nil {
		problems = append(problems, w.mind.Stop(context.WithoutCancel(ctx)))
	}
	if w.mailbox != nil {
		problems = append(problems, w.mailbox.close(context.WithoutCancel(ctx)))
	}
	if w.dir != "" {
		problems = append(problems, os.RemoveAll(w.dir))
	}
	return errors.Join(problems...)
}

// away is what stands behind the name of a folder or a calendar that cannot be
// read.
const away = ".away"

// place is where a file is now.
func (w *dayWorld) place(path string) string {
	first, rest, _ := strings.Cut(path, "/")
	if _, err := os.Lstat(filepath.Join(w.dir, first)); err != nil {
		if _, err := os.Lstat(filepath.Join(w.dir, first+away)); err == nil {
			first += away
		}
	}
	return filepath.Join(w.dir, first, filepath.FromSlash(rest))
}

// save writes a file as the tree has it, as editors do: it takes the name when
// it is whole.
func (w *dayWorld) save(path string, at time.Time) error {
	place, draft := w.place(path), filepath.Join(w.dir, "draft")
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(draft, []byte(w.tree[path]), 0o600); err != nil {
		return err
	}
	if err := os.Chtimes(draft, at, at); err != nil {
		return err
	}
	return os.Rename(draft, place)
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
		if err := w.mind.Stop(ctx); err != nil {
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
		return os.RemoveAll(w.place(d.path))
	case verbMove:
		to := w.place(d.to)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		return os.Rename(w.place(d.path), to)
	case verbAppend:
		if file, err := os.OpenFile(w.place(d.path), os.O_WRONLY|os.O_APPEND, 0); err == nil {
			_, err = file.WriteString(d.text)
			return errors.Join(err, file.Close(), os.Chtimes(w.place(d.path), at, at))
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
		w.phone.fail(failing)
		return nil
	}
	from, to := filepath.Join(w.dir, what), filepath.Join(w.dir, what+away)
	if !failing {
		from, to = to, from
	}
	return os.Rename(from, to)
}

func (w *dayWorld) command(ctx context.Context, command subconscious.Command) error {
	command.By = "person"
	_, err := w.mind.Command(ctx, command)
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

// tick runs the scheduled tick of now, and waits for its messages.
func (w *dayWorld) tick(ctx context.Context) (api.TickReport, error) {
	report, err := w.mind.TickAs(ctx, subconscious.Scheduled)
	if err != nil {
		return report, fmt.Errorf("tick: %w", err)
	}
	if !report.Published {
		return report, fmt.Errorf("tick %d was not published: %s", report.Tick, report.Error)
	}
	return report, nil
}
