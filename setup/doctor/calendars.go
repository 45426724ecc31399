package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// calendars reads each calendar that is a file, and asks for each that is on a server,
// as the daemon does.
func (e *examination) calendars(ctx context.Context) {
	for i, seen := range asked(e.Config.Senses.Calendar, func(c calendar.Config) caldav.Probed {
		if !c.Remote() {
			return local(c)
		}
		return live.Calendar(ctx, c, e.StateDir, e.Env)
	}) {
		e.calendar(e.Config.Senses.Calendar[i], seen)
	}
}

// local reads a calendar that is a file. That there is none is said of the folders.
func local(c calendar.Config) (p caldav.Probed) {
	events, problem, err := calendar.Probe(c)
	switch err = cmp.Or(err, problem); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		p.Problem, p.Next, _ = strings.Cut(err.Error(), "; ")
		p.Next = cmp.Or(p.Next, "export it again, or correct ics")
	default:
		p.Detail = fmt.Sprint("the file is there; events: ", events)
	}
	return p
}

// calendar says what was seen of one.
func (e *examination) calendar(c calendar.Config, p caldav.Probed) {
	e.say(c.ID,
		row{p.Detail != "", OK, p.Detail, ""},
		row{p.Problem != "" && c.Remote() && e.senses("calendar", c.ID), OK, "the daemon, which runs, reads it; from here: " + p.Problem, ""},
		row{p.Problem != "", Broken, p.Problem, p.Next})
	e.say(c.ID+" calendars", row{len(p.Missing) > 0, Degraded, "there is no " + strings.Join(p.Missing, ", "), "correct calendars, or leave it out for all"})
	if c.Google != "" {
		e.signIn(c.ID, setup.CalendarSignIn(c, e.StateDir, e.Env))
	}
	e.say(c.ID+" certificate", row{!p.Expires.IsZero() && p.Expires.Before(e.Now().Add(renewal)), Degraded,
		"the server's certificate ends on " + p.Expires.In(e.zone()).Format("Mon 2 Jan 15:04"), "whoever runs the server has to renew it"})
}
