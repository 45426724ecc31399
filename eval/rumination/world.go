package rumination

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// start is a Monday morning.
var start = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

// ahead is how far in the future every date still lies at the last tick. A date that
// comes near would be a change.
const ahead = 12 * 24 * time.Hour

// standstill is a mind over a world in which nothing changes: real files, a real
// database, a model that is asked over HTTP.
type standstill struct {
	*harness.World
	server *modeltest.Server
}

// openStandstill makes the world and starts the mind in it. It is closed
// whatever open returns. All threads think with one model, and money is no limit:
// the provider is remote, as far as the mind knows, and free.
func openStandstill(ctx context.Context, o *options, gate string) (w standstill, err error) {
	if w.World, err = harness.Open("rumination", start); err != nil {
		return w, err
	}
	if err := w.furnish(start.Add(time.Duration(o.ticks) * harness.Slot)); err != nil {
		return w, fmt.Errorf("write what the mind is to look at: %w", err)
	}
	if w.server, err = w.Model(modeltest.Options{Script: modeltest.Ruminator(o.seed), Seed: o.seed}, models.Price{}, harness.Roles()...); err != nil {
		return w, err
	}
	c := w.Config
	c.Threads.Gate = gate
	c.Senses.Files = []files.Config{{ID: "work", Path: w.Path("files"), Trust: subconscious.Owner}}
	c.Senses.Notes = []notes.Config{{ID: "notes", Path: w.Path("notes"), Trust: subconscious.Owner}}
	c.Senses.Calendar = []calendar.Config{{ID: "home", ICS: w.Path("home.ics"), Trust: subconscious.Owner}}
	c.Budget.MoneyPerDay, c.Budget.MoneyPerMonth, c.Budget.CallsPerDay, c.Budget.TokensPerDay = -1, -1, -1, -1
	if gate == threads.Always {
		// Without this the daily allowance for calls with nothing new would be used up
		// soon, and the model would not be asked at every tick.
		c.Budget.ExplorationCallsPerDay = -1
	}
	return w, w.Start(ctx, daemon.Options{Version: "rumination", Health: tired})
}

// furnish writes files, promises and a calendar. Nothing of it is due before
// the last tick at end.
func (w standstill) furnish(end time.Time) error {
	later := func(days int) time.Time { return end.Add(ahead).AddDate(0, 0, days) }
	for name, text := range map[string]string{
		"files/report.md":  "Draft of the yearly report.\n",
		"files/budget.csv": "item,amount\nrent,900\n",
		"notes/plans.md": "- [ ] renew the passport by " + later(1).Format(time.DateOnly) + "\n" +
			"- [ ] sort the photographs of the summer\n- [ ] I will send Anna the contract\n",
		"notes/house.md": "- [ ] call the plumber about the boiler\n- [ ] TODO repair the garden gate\n",
		"home.ics": strings.Join([]string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//example.org//rumination//EN",
			event(1, later(3), "Wedding of Anna and Ben"), event(2, later(5), "Dentist"), "END:VCALENDAR", ""}, "\r\n"),
	} {
		if err := w.Write(name, text, start.AddDate(0, 0, -10)); err != nil {
			return err
		}
	}
	return nil
}

// event is one of an hour.
func event(n int, at time.Time, what string) string {
	const utc = "20060102T150405Z"
	return strings.Join([]string{"BEGIN:VEVENT", fmt.Sprintf("UID:%d@example.org", n), "DTSTAMP:20261101T000000Z",
		"DTSTART:" + at.Format(utc), "DTEND:" + at.Add(time.Hour).Format(utc), "SUMMARY:" + what, "END:VEVENT"}, "\r\n")
}

// tired is a machine with two full disks and a failed unit.
var tired = harness.Machine{
	Disks: []health.Disk{
		{Path: "/srv", Used: 91 << 30, Available: 9 << 30},
		{Path: "/home", Used: 97 << 30, Available: 3 << 30},
	},
	Units: []health.Unit{{
		Name: "backup.service", Description: "Nightly backup", Result: "exit-code", ExitCode: 1, Since: start.Add(-6 * time.Hour),
	}},
}
