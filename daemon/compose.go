package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/conversation"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// openSenses opens the senses that the configuration names, and the collector
// over them.
func (d *Daemon) openSenses(context.Context) error {
	if err := d.openWatcher(); err != nil {
		return err
	}
	all, err := d.senses()
	if err == nil {
		d.collector, err = senses.NewCollector(senses.CollectorOptions{Senses: all, Redact: redact.Text, Logger: d.options.Logger})
	}
	if err != nil {
		return errors.Join(err, stopAll(all))
	}
	d.later("stop the senses", d.collector.Stop)
	ids := make([]senses.SenseID, 0, len(all))
	for _, s := range all {
		ids = append(ids, senses.SenseID{Sense: s.Name(), ID: s.ID()})
	}
	return d.ledger.Configure(ids, d.runner.Names()...)
}

func (d *Daemon) openWatcher() error {
	if d.options.Unwatched {
		return nil
	}
	watcher, err := watch.New(watch.Options{Logger: d.options.Logger})
	if err != nil {
		return err
	}
	d.watcher = watcher
	d.later("stop the file watcher", func(context.Context) error { return watcher.Close() })
	return nil
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

// senses makes the senses that the configuration names, and with an error those
// that were made before it. The state folder is excluded from every one of them.
func (d *Daemon) senses() ([]senses.Sense, error) {
	config, ours := d.options.Config, []string{d.options.Config.StateDir}
	if real, err := filepath.EvalSymlinks(d.options.Config.StateDir); err == nil && real != ours[0] {
		ours = append(ours, real)
	}
	logger, within := d.options.Logger, d.folders()
	var all []senses.Sense
	add := func(kind, id string, s senses.Sense, err error) error {
		if err != nil {
			return fmt.Errorf("open sense %s %s: %w", kind, id, err)
		}
		all = append(all, s)
		return nil
	}
	if config.Senses.Health.Enabled {
		s, err := health.New(config.Senses.Health, health.Options{Reader: d.options.Health, Logger: logger})
		if err := add("health", "", s, err); err != nil {
			return all, err
		}
	}
	looking := folder.Options{Watcher: d.watcher, Rows: d.ledger, Exclude: ours, Within: within, Logger: logger}
	wait := files.DefaultWait
	if d.options.Patient {
		wait = senses.DefaultDeadline * 9 / 10
	}
	for _, c := range config.Senses.Files {
		s, err := files.New(c, files.Options{Options: looking, Wait: wait})
		if err := add("files", c.ID, s, err); err != nil {
			return all, err
		}
	}
	for _, c := range config.Senses.Notes {
		s, err := notes.New(c, looking)
		if err := add("notes", c.ID, s, err); err != nil {
			return all, err
		}
	}
	for _, c := range config.Senses.Calendar {
		s, err := calendar.New(c, calendar.Options{Watcher: d.watcher, Rows: d.ledger, Exclude: ours, Logger: logger, Zone: d.zoneOrUTC})
		if err := add("calendar", c.ID, s, err); err != nil {
			return all, err
		}
	}
	if err := d.mailSenses(add); err != nil {
		return all, err
	}
	if err := add(conversation.Name, conversation.LogID, conversation.NewLog(heardLog{d.chat}, looking), nil); err != nil {
		return all, err
	}
	for _, c := range config.Senses.Conversation {
		s, err := conversation.New(c, looking)
		if err := add(conversation.Name, c.ID, s, err); err != nil {
			return all, err
		}
	}
	if d.options.Senses != nil {
		further, err := d.options.Senses(d.ledger)
		if err != nil {
			return all, err
		}
		all = append(all, further...)
	}
	return all, nil
}

// folders are those that the configuration names, with whose word they are.
func (d *Daemon) folders() []senses.Folder {
	var all []senses.Folder
	for _, c := range d.options.Config.Senses.Files {
		all = append(all, senses.Folder{Path: c.Path, Trust: cmp.Or(c.Trust, subconscious.Outsider)})
	}
	for _, c := range d.options.Config.Senses.Notes {
		all = append(all, senses.Folder{Path: c.Path, Trust: cmp.Or(c.Trust, subconscious.Owner)})
	}
	for _, c := range d.options.Config.Senses.Conversation {
		all = append(all, senses.Folder{Path: c.Path, Trust: cmp.Or(c.Trust, subconscious.Agent)})
	}
	return all
}
