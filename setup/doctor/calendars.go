package doctor

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/calendar/caldav"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/setup/live"
)

// renewal is how long before its end a certificate is spoken of: those who renew
// by themselves do so a month before.
const renewal = 14 * 24 * time.Hour

// calendars asks for each calendar that is on a server, as the daemon does.
func (e *examination) calendars(ctx context.Context) {
	remote := slices.DeleteFunc(slices.Clone(e.Config.Senses.Calendar), func(c calendar.Config) bool { return !c.Remote() })
	for i, seen := range asked(remote, func(c calendar.Config) caldav.Probed { return live.Calendar(ctx, c, e.StateDir, e.Env) }) {
		e.calendar(remote[i], seen)
	}
}

// calendar says what was seen of one.
func (e *examination) calendar(c calendar.Config, p caldav.Probed) {
	e.say(c.ID,
		row{p.Problem == "", OK, p.Detail, ""},
		row{e.senses("calendar", c.ID), OK, "the daemon, which runs, reads it; from here: " + p.Problem, ""},
		row{true, Broken, p.Problem, p.Next})
	e.say(c.ID+" calendars", row{len(p.Missing) > 0, Degraded, "there is no " + strings.Join(p.Missing, ", "), "correct calendars, or leave it out for all"})
	if c.Google != "" {
		e.signIn(c.ID, setup.CalendarSignIn(c, e.StateDir, e.Env))
	}
	e.say(c.ID+" certificate", row{!p.Expires.IsZero() && p.Expires.Before(e.Now().Add(renewal)), Degraded,
		"the server's certificate ends on " + p.Expires.In(e.zone()).Format("Mon 2 Jan 15:04"), "whoever runs the server has to renew it"})
}
