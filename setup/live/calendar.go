package live

import (
	"context"

	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/calendar/caldav"
	"github.com/subconsciousd/subconsciousd/senses/calendar/google/access"
	"github.com/subconsciousd/subconsciousd/setup"
)

// Calendar tries a calendar on a server: no event of an account is read. stateDir
// is where the sign-in of a Google account is.
func Calendar(ctx context.Context, c calendar.Config, stateDir string, env func(string) (string, bool)) (p caldav.Probed) {
	if c.Google == "" {
		return caldav.Probe(ctx, c, caldav.Options{Env: env})
	}
	p.Detail, p.Problem, p.Next, p.Missing = access.New(c, access.Options{SignIn: setup.CalendarSignIn(c, stateDir, env)}).Probe(ctx)
	return p
}
