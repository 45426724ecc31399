package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

const (
	// ruminationSlot is the time between two ticks.
	ruminationSlot = 5 * time.Minute
	// ahead is how far off what is dated still is when the last tick is over, so
	// that none of it comes near: that would be a change.
	ahead = 12 * 24 * time.Hour
	// The provider, as the configuration names it, and where its key is.
	ruminationProvider = "lab"
	ruminationKey      = "LAB_KEY"
)

// ruminationStart is a Monday morning.
var ruminationStart = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

// standstill is a mind over a world in which nothing changes: real files, a real
// database, a model that is asked over HTTP, and a clock that is moved by hand.
type standstill struct {
	dir    string
	clock  atomic.Int64 // nanoseconds after ruminationStart
	mind   *daemon.Daemon
	server *modeltest.Server
	config *setup.Config
}

// openStandstill makes the world in a temporary folder and starts the mind in
// it. It is closed whatever open returns.
func openStandstill(ctx context.Context, options ruminationOptions, gate string) (w *standstill, err error) {
	w = &standstill{}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close(ctx))
		}
	}()
	if w.dir, err = os.MkdirTemp("", "subconscious-rumination-"); err != nil {
		return w, fmt.Errorf("make a folder to measure in: %w", err)
	}
	if err := w.furnish(ruminationStart.Add(time.Duration(options.ticks) * ruminationSlot)); err != nil {
		return w, fmt.Errorf("write what the mind is to look at: %w", err)
	}
	w.server, err = modeltest.Listen("127.0.0.1:0", modeltest.Options{
		Script: options.script(), Key: modeltest.Key, Seed: options.seed, Keep: 1,
	})
	if err != nil {
		return w, fmt.Errorf("start the model: %w", err)
	}
	w.configure(gate)
	w.mind, err = daemon.New(daemon.Options{
		Config: w.config, Version: "rumination", Unscheduled: true, NoSocket: true, Patient: true,
		Now: w.now, Health: tired{},
		Env: func(name string) (string, bool) { return modeltest.Key, name == ruminationKey },
	})
	if err != nil {
		return w, err
	}
	return w, w.mind.Start(ctx)
}

// now is the wall clock of the mind, and pass has it go on.
func (w *standstill) now() time.Time { return ruminationStart.Add(time.Duration(w.clock.Load())) }

func (w *standstill) pass(slot time.Duration) { w.clock.Add(int64(slot)) }

// close stops the mind and the model, and removes the folder.
func (w *standstill) close(ctx context.Context) error {
	var problems []error
	if w.mind != nil {
		problems = append(problems, w.mind.Stop(context.WithoutCancel(ctx)))
	}
	if w.server != nil {
		w.server.Close()
	}
	if w.dir != "" {
		problems = append(problems, os.RemoveAll(w.dir))
	}
	return errors.Join(problems...)
}

// configure has all threads think with one model, and money be no limit: the
// provider is remote, as far as the mind knows, and free.
func (w *standstill) configure(gate string) {
	config := setup.Default()
	config.StateDir, config.Timezone = filepath.Join(w.dir, "state"), "UTC"
	config.Threads.Gate = gate
	config.Senses.Files = []files.Config{{ID: "work", Path: filepath.Join(w.dir, "files"), Trust: subconscious.Owner}}
	config.Senses.Notes = []notes.Config{{ID: "notes", Path: filepath.Join(w.dir, "notes"), Trust: subconscious.Owner}}
	config.Senses.Calendar = []calendar.Config{{ID: "home", ICS: filepath.Join(w.dir, "home.ics"), Trust: subconscious.Owner}}
	config.Models.Providers = []models.Provider{{
		ID: ruminationProvider, Kind: modeltest.OpenAI, BaseURL: w.server.BaseURL(modeltest.OpenAI), KeyEnv: ruminationKey,
	}}
	for _, name := range subconscious.Threads() {
		config.Models.Roles = append(config.Models.Roles, models.Role{ID: string(name), Provider: ruminationProvider, Model: modeltest.Model})
	}
	config.Models.Prices = []models.Price{{Provider: ruminationProvider, Model: modeltest.Model}}
	config.Budget.MoneyPerDay, config.Budget.MoneyPerMonth = -1, -1
	config.Budget.CallsPerDay, config.Budget.TokensPerDay = -1, -1
	if gate == threads.Always {
		// Else the allowance for asking about nothing new would keep the model
		// from speaking at every tick.
		config.Budget.ExplorationCallsPerDay = -1
	}
	w.config = config
}

// furnish writes files, promises and a calendar. Nothing of it is due before
// the last tick at end.
func (w *standstill) furnish(end time.Time) error {
	later := func(days int) time.Time { return end.Add(ahead).AddDate(0, 0, days) }
	for name, text := range map[string]string{
		"files/report.md":  "Draft of the yearly report.\n",
		"files/budget.csv": "item,amount\nrent,900\n",
		"notes/plans.md": "- [ ] renew the passport by " + later(1).Format(time.DateOnly) + "\n" +
			"- [ ] sort the photographs of the summer\n- [ ] I will send Anna the contract\n",
		"notes/house.md": "- [ ] call the plumber about the boiler\n- [ ] TODO repair the garden gate\n",
		"home.ics":       eventsAt(later(3), "Wedding of Anna and Ben", later(5), "Dentist"),
	} {
		path := filepath.Join(w.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
		before := ruminationStart.AddDate(0, 0, -10)
		if err := os.Chtimes(path, before, before); err != nil {
			return err
		}
	}
	return os.Mkdir(filepath.Join(w.dir, "state"), 0o700)
}

// eventsAt is a calendar with two events of an hour.
func eventsAt(first time.Time, what string, second time.Time, other string) string {
	lines := []string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//example.org//rumination//EN"}
	for i, e := range []struct {
		at   time.Time
		what string
	}{{first, what}, {second, other}} {
		const utc = "20060102T150405Z"
		lines = append(lines, "BEGIN:VEVENT", fmt.Sprintf("UID:%d@example.org", i+1), "DTSTAMP:20261101T000000Z",
			"DTSTART:"+e.at.Format(utc), "DTEND:"+e.at.Add(time.Hour).Format(utc), "SUMMARY:"+e.what, "END:VEVENT")
	}
	return strings.Join(append(lines, "END:VCALENDAR", ""), "\r\n")
}

// tired is a machine with two full disks and a failed unit, for ever.
type tired struct{}

var _ health.Reader = tired{}

// Read implements health.Reader.
func (tired) Read(ctx context.Context) (health.Reading, error) {
	return health.Reading{
		Disks: []health.Disk{
			{Path: "/srv", Used: 91 << 30, Available: 9 << 30},
			{Path: "/home", Used: 97 << 30, Available: 3 << 30},
		},
		Units: []health.Unit{{
			Name: "backup.service", Description: "Nightly backup", Result: "exit-code", ExitCode: 1, Since: ruminationStart.Add(-6 * time.Hour),
		}},
	}, ctx.Err()
}
