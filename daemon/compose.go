package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/calendar/caldav"
	"github.com/subconsciousd/subconsciousd/senses/calendar/google"
	"github.com/subconsciousd/subconsciousd/senses/calendar/google/access"
	"github.com/subconsciousd/subconsciousd/senses/conversation"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/senses/source"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// openSenses opens the senses that the configuration names, and the collector
// over them.
func (d *Daemon) openSenses(context.Context) (err error) {
	if !d.options.Unwatched {
		watcher, err := watch.New(watch.Options{Logger: d.options.Logger})
		if err != nil {
			return err
		}
		d.watcher = watcher
		d.later("stop the file watcher", func(context.Context) error { return watcher.Close() })
	}
	opened := opening{zoned: d.zoned, door: d.door, ledger: d.ledger, watcher: d.watcher}
	opened.open(d.chat, d.memory)
	if err = opened.err; err == nil {
		d.collector, err = senses.NewCollector(senses.CollectorOptions{Senses: opened.all, Redact: redact.Text, Logger: d.options.Logger})
	}
	if err != nil {
		return errors.Join(err, stopAll(opened.all))
	}
	d.later("stop the senses", d.collector.Stop)
	ids := make([]senses.SenseID, 0, len(opened.all))
	for _, s := range opened.all {
		ids = append(ids, senses.SenseID{Sense: s.Name(), ID: s.ID()})
		if account, ok := s.(*mail.Sense); ok {
			d.accounts = append(d.accounts, account)
		}
	}
	slices.SortFunc(d.accounts, func(a, b *mail.Sense) int { return strings.Compare(a.ID(), b.ID()) })
	return d.ledger.Configure(ids, append(d.runner.Names(), d.runner.Beside()...)...)
}

// stopAll ends senses that no collector owns.
func stopAll(all []senses.Sense) error {
	ctx, cancel := context.WithTimeout(context.Background(), stepWithin)
	defer cancel()
	var problems []error
	for _, s := range all {
		if stopper, ok := s.(senses.Stopper); ok {
			problems = append(problems, stopper.Stop(ctx))
		}
	}
	return errors.Join(problems...)
}

// opening opens senses: all holds those that could be, err says why the first
// could not that cannot.
type opening struct {
	zoned
	ledger  *senses.Ledger
	watcher *watch.Watcher
	door    *source.Door
	all     []senses.Sense
	err     error
}

func (o *opening) add(kind, id string, s senses.Sense, err error) {
	switch {
	case err == nil:
		o.all = append(o.all, s)
	case o.err == nil:
		o.err = fmt.Errorf("open sense %s %s: %w", kind, id, err)
	}
}

// open opens the senses that the configuration names. The state folder is
// excluded from every one of them.
func (o *opening) open(log *chat.Log, kept *memory.Store) {
	config, ours := o.options.Config.Senses, []string{o.options.Config.StateDir}
	if real, err := filepath.EvalSymlinks(ours[0]); err == nil && real != ours[0] {
		ours = append(ours, real)
	}
	logger := o.options.Logger
	if config.Health.Enabled {
		s, err := health.New(config.Health, health.Options{Reader: o.options.Health, Logger: logger})
		o.add("health", "", s, err)
	}
	looking := folder.Options{Watcher: o.watcher, Rows: o.ledger, Exclude: ours, Within: folders(config), Logger: logger}
	wait := files.DefaultWait
	if o.options.Patient {
		wait = senses.DefaultDeadline * 9 / 10
	}
	for _, c := range config.Files {
		s, err := files.New(c, files.Options{Options: looking, Wait: wait})
		o.add("files", c.ID, s, err)
	}
	for _, c := range config.Notes {
		s, err := notes.New(c, looking)
		o.add("notes", c.ID, s, err)
	}
	for _, c := range config.Calendar {
		options := calendar.Options{Watcher: o.watcher, Rows: o.ledger, Exclude: ours, Logger: logger, Zone: o.zoneOrUTC}
		var err error
		if c.Google != "" {
			signIn := setup.CalendarSignIn(c, o.options.Config.StateDir, o.options.Env)
			signIn.Log = logger
			options.Source, err = google.Open(c, access.Options{SignIn: signIn, Transport: o.options.Google})
		} else if c.Remote() {
			options.Source, err = caldav.Open(c, caldav.Options{Env: o.options.Env})
		}
		var s *calendar.Sense
		if err == nil {
			s, err = calendar.New(c, options)
		}
		o.add("calendar", c.ID, s, err)
	}
	for _, c := range config.Mail {
		s, err := o.mail(c)
		o.add(mail.Name, c.ID, s, err)
	}
	o.add(conversation.Name, conversation.LogID, recollected{conversation.NewLog(heardLog{log}, looking), kept}, nil)
	for _, c := range config.Conversation {
		s, err := conversation.New(c, looking)
		o.add(conversation.Name, c.ID, s, err)
	}
	for _, c := range config.Exec {
		s, err := source.NewExec(c, ours)
		o.add(source.ExecName, c.ID, s, err)
	}
	for _, c := range config.Post {
		s, err := source.NewPost(c, o.door)
		o.add(source.PostName, c.ID, s, err)
	}
	for _, c := range config.Feeds {
		s, err := source.NewFeed(c)
		o.add(source.FeedName, c.ID, s, err)
	}
	if o.options.Senses == nil || o.err != nil {
		return
	}
	var further []senses.Sense
	further, o.err = o.options.Senses(o.ledger)
	o.all = append(o.all, further...)
}

// folders are those that the configuration names, with whose word they are.
func folders(config setup.Senses) []folder.Place {
	var all []folder.Place
	for _, c := range config.Files {
		all = append(all, folder.Place{Path: c.Path, Trust: cmp.Or(c.Trust, subconscious.Outsider)})
	}
	for _, c := range config.Notes {
		all = append(all, folder.Place{Path: c.Path, Trust: cmp.Or(c.Trust, subconscious.Owner)})
	}
	for _, c := range config.Conversation {
		all = append(all, folder.Place{Path: c.Path, Trust: cmp.Or(c.Trust, subconscious.Agent)})
	}
	return all
}
