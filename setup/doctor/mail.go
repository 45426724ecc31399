package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/setup/live"
)

// atOnce is how many accounts are looked at at a time.
const atOnce = 4

// mail signs in to each account, as the daemon does, and looks which folders
// there are. Nothing is read or changed there.
func (e *examination) mail(ctx context.Context) {
	accounts := e.Config.Senses.Mail
	for i, seen := range asked(accounts, func(c mail.Config) mail.Probed { return live.Mail(ctx, c, e.StateDir, e.Env, e.DialMail) }) {
		e.account(accounts[i], seen)
	}
}

// asked asks for each of a list, a few at a time, and returns what was seen in
// the order of the list.
func asked[C, P any](all []C, ask func(C) P) []P {
	seen := make([]P, len(all))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, one := range all {
		group.Go(func() error { seen[i] = ask(one); return nil })
	}
	_ = group.Wait() // none of them fails
	return seen
}

// account says what was seen of one.
func (e *examination) account(c mail.Config, m mail.Probed) {
	there := "; its folders are " + few(m.Folders)
	e.say(c.ID,
		row{m.Problem == "", OK, m.Detail, ""},
		row{e.senses(mail.Name, c.ID), OK, "the daemon, which runs, reads it; from here: " + m.Problem, ""},
		row{m.Busy, Degraded, m.Problem, m.Next},
		row{true, Broken, m.Problem, m.Next})
	e.say(c.ID+" folders", row{m.Missing != "", Degraded, m.Missing, "correct folders and sent of the account" + there})
	e.say(c.ID+" sent", row{m.SentUnknown && m.Missing == "", Note,
		"the folder of what you sent was not found, so that promises and answers of yours are not seen", "name it under sent, or write sent: none" + there})
	if c.OAuth != nil {
		e.signIn(c.ID, setup.MailSignIn(c, e.StateDir, e.Env))
	}
}

// few names the first of many.
func few(names []string) string {
	const most = 8
	text := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// senses reports whether a daemon that runs sees an account, which may have its
// password from an environment of its own.
func (e *examination) senses(kind, id string) bool {
	return slices.ContainsFunc(e.status.Senses, func(s api.SenseStatus) bool {
		return s.Kind == kind && (s.ID == id || s.ID == kind+"/"+id) && s.State == "ok"
	})
}

// signInSoon is how long before its end a sign-in is spoken of: some last a week.
const signInSoon = 3 * 24 * time.Hour

// signIn looks at what is kept of a sign-in by the browser.
func (e *examination) signIn(id string, options oauth.Options) {
	name := id + " sign-in"
	options.Now = e.Now
	state, err := oauth.Kept(options)
	if err != nil {
		return // the account has said so
	}
	soon := !state.Ends.IsZero() && state.Ends.Before(e.Now().Add(signInSoon))
	e.say(name,
		row{soon, Degraded, "the provider ends it on " + state.Ends.In(e.zone()).Format("Mon 2 Jan 15:04"), "sign in anew before: " + options.Command + " (docs/calendars.md says how to have it last)"},
		row{!state.Renewable, Note, "the provider gave nothing to renew it with: it ends " + state.Expiry.In(e.zone()).Format("Mon 2 Jan 15:04"), "sign in anew then: " + options.Command},
		row{true, OK, fmt.Sprintf("signed in on %s, renewed by itself", state.SignedIn.In(e.zone()).Format(time.DateOnly)), ""})
}
