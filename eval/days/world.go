package days

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/presence"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// newPlayer is a player whose mind does not run yet.
func newPlayer(w *harness.World, d *day) *Player {
	p := &Player{World: w, Played: Played{day: d}, day: d, tree: tree{}, feeds: map[string]*harness.Feed{}, last: map[subconscious.IncidentID]decision{}, seen: map[string]bool{}}
	p.ask = func(ctx context.Context, id subconscious.IncidentID) (api.IncidentExplanation, error) {
		return p.Mind.Incident(ctx, id) // of the mind that runs now: it may be started anew
	}
	return p
}

// open makes the world of a day and starts the mind in it. The player is closed
// whatever open returns.
func open(ctx context.Context, d *day, preset string, listeners ...func(subconscious.Snapshot)) (*Player, error) {
	w, err := harness.Open("day", d.start)
	p := newPlayer(w, d)
	p.listeners = listeners
	if err != nil {
		return p, err
	}
	p.machine = newMachine(d, p.Now)
	c := p.Config
	c.QuietHours, p.deliberates = d.quiet, preset != models.PresetReflex
	if preset != oracleModel {
		c.Models.Preset = preset
	} else if err := p.consult(); err != nil {
		return p, err
	}
	if d.triage != nil {
		c.Budget.CallsPerDay, c.Budget.TokensPerDay = -1, -1
		if _, err := p.Model(modeltest.Options{Script: d.triage}, models.Price{}, models.RoleTriage); err != nil {
			return p, err
		}
	}
	c.Senses.Files = []files.Config{{ID: "files", Path: p.Path("files")}}
	c.Senses.Notes = []notes.Config{{ID: "notes", Path: p.Path("notes")}}
	if err := p.Folders("notes", "files"); err != nil {
		return p, err
	}
	for _, f := range d.files {
		p.tree[f.path] = f.text
		if isCalendar(f.path) {
			c.Senses.Calendar = append(c.Senses.Calendar, calendar.Config{ID: strings.TrimSuffix(f.path, ".ics"), ICS: p.Path(f.path), Addresses: slices.Clone(d.addresses)})
		}
		if err := p.save(event{at: f.modified, deed: deed{path: f.path}}); err != nil {
			return p, fmt.Errorf("write what is there at the start: %w", err)
		}
	}
	for _, f := range d.feeds {
		p.feeds[f.ID] = p.Feed()
		f.URL = p.feeds[f.ID].URL
		c.Senses.Feeds = append(c.Senses.Feeds, f)
	}
	for _, e := range d.commands {
		e.Command = []string{"cat", p.Path(e.ID + reports)}
		c.Senses.Exec = append(c.Senses.Exec, e)
		if err := p.prints(e.ID, d.start); err != nil {
			return p, fmt.Errorf("write what is there at the start: %w", err)
		}
	}
	if d.phone {
		if err := p.openRing(); err != nil {
			return p, err
		}
	}
	if d.hasMail() {
		if p.mailbox, err = openMailbox(p.World, d); err != nil {
			return p, err
		}
	}
	return p, p.begin(ctx)
}

// begin starts a mind over the world.
func (p *Player) begin(ctx context.Context) error {
	options := daemon.Options{Version: "days", Unwatched: true, CredulousTriage: p.day.credulous, Env: os.LookupEnv, Health: p.machine, Signals: p.signals, Channels: harness.Channel(p.Phone), OnSnapshot: p.hear}
	if p.ring != nil {
		options.Channels = harness.Channel(p.ring)
		options.Channels[0].Buttons = true
	}
	if p.mailbox != nil {
		options.DialMail = p.mailbox.dial
	}
	return p.Start(ctx, options)
}

// hear tells the listeners what the threads are about to think of.
func (p *Player) hear(snapshot subconscious.Snapshot) {
	for _, listen := range p.listeners {
		listen(snapshot)
	}
}

func (p *Player) restart(ctx context.Context, _ event) error {
	if err := p.Mind.Stop(ctx); err != nil {
		return err
	}
	return p.begin(ctx)
}

// away is appended to the name of a folder or a calendar while it cannot be read.
const away = ".away"

// place is the name of a file as it is now.
func (p *Player) place(path string) string {
	first, rest, _ := strings.Cut(path, "/")
	if _, err := os.Lstat(p.Path(first)); err != nil {
		if _, err := os.Lstat(p.Path(first + away)); err == nil {
			return strings.TrimSuffix(first+away+"/"+rest, "/")
		}
	}
	return path
}

// save writes a file as the tree has it.
func (p *Player) save(e event) error {
	return p.Write(p.place(e.deed.path), p.tree[e.deed.path], e.at)
}

// extend adds to the end of a file, as a log does.
func (p *Player) extend(e event) error {
	path := p.Path(p.place(e.deed.path))
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return p.save(e)
	}
	_, err = file.WriteString(e.deed.text)
	return errors.Join(err, file.Close(), os.Chtimes(path, e.at, e.at))
}

func (p *Player) remove(e event) error { return os.RemoveAll(p.Path(p.place(e.deed.path))) }

func (p *Player) rename(e event) error {
	to := p.Path(p.place(e.deed.to))
	return cmp.Or(os.MkdirAll(filepath.Dir(to), 0o700), os.Rename(p.Path(p.place(e.deed.path)), to))
}

// fault lets a sense or the phone fail, or be well again.
func (p *Player) fault(what string, failing bool) error {
	switch what {
	case "health":
		p.machine.setBlind(failing)
	case "mail":
		p.mailbox.fail(failing)
	case "phone":
		p.faulty = p.faulty || failing
		p.Phone.Fail(failing)
	default:
		if feed := p.feeds[what]; feed != nil {
			feed.Fail(failing)
			return nil
		}
		if p.day.command(what) != nil {
			what += reports
		}
		from, to := p.Path(what), p.Path(what+away)
		if !failing {
			from, to = to, from
		}
		return os.Rename(from, to)
	}
	return nil
}

// shows has the machine show what a line says.
func (p *Player) shows(_ context.Context, e event) error {
	p.machine.apply(e.deed, e.at)
	return nil
}

// tell says something to the daemon at the command line.
func (p *Player) tell(ctx context.Context, e event) error {
	p.commanding = e.at
	return p.command(ctx, e)
}

func (p *Player) command(ctx context.Context, e event) error {
	e.deed.command.At, e.deed.command.By = e.at, "person"
	_, err := p.Mind.Command(ctx, e.deed.command)
	return err
}

// answer says something of the last push that a label covers.
func (p *Player) answer(ctx context.Context, e event) error {
	l, c := p.day.label(e.deed.label), &e.deed.command
	if e.deed.span > 0 {
		c.Until = e.at.Add(e.deed.span)
	}
	for _, push := range slices.Backward(p.Played.Pushes) {
		if push.Incident != "" && l.covers(push) {
			c.IncidentID = push.Incident
			return p.command(ctx, e)
		}
	}
	p.Played.unanswered = append(p.Played.unanswered, fmt.Sprintf("line %d: nothing was told of %s that could be answered", e.line, l.name))
	return nil
}

func (p *Player) appear(_ context.Context, e event) error {
	if e.deed.word == "command" {
		p.commanding = e.at
	} else if p.presence != e.deed.word {
		p.presence, p.since = e.deed.word, e.at
	}
	return nil
}

// signals are what the machine would show of the person.
func (p *Player) signals(at time.Time) presence.Signals {
	s := presence.Signals{At: at, CommandUsed: p.commanding}
	switch p.presence {
	case "active":
		s.Session = presence.Session{Known: true}
	case "idle":
		// The person has just become idle, at whatever time it is asked.
		s.Session = presence.Session{Known: true, IdleSince: at.Add(-presence.IdleAfter - time.Minute)}
	case "locked":
		s.Session = presence.Session{Known: true, Locked: true, LockedSince: p.since}
	}
	return s
}
