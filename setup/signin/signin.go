// Package signin signs the person in to mail accounts and Google's calendars by the
// browser, and says which accounts are signed in.
//
// It stores what internal/oauth keeps, below the state folder. The daemon may run
// meanwhile: what is kept counts from its next collect on. The command auth calls it.
package signin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/setup/live"
)

// The states of an account.
const (
	SignedIn  = "signed in"
	SignedOut = "not signed in"
	Broken    = "broken"
	Password  = "password"
)

// Account is how one account is signed in to.
type Account struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"` // as in auth KIND ID: mail or google
	User  string `json:"user"`
	Host  string `json:"host"`
	State string `json:"state"`
	// Provider is that of its oauth; "" where a password is used.
	Provider string    `json:"provider,omitempty"`
	SignedIn time.Time `json:"signed_in,omitzero"`
	// Expiry is when the sign-in ends; zero where it is renewed by itself.
	Expiry time.Time `json:"expiry,omitzero"`
	Detail string    `json:"detail,omitempty"`
	Next   string    `json:"next,omitempty"`
}

// Place is where accounts are configured, and their sign-ins kept.
type Place struct {
	Config *setup.Config
	// StateDir is the folder of the mind, absolute.
	StateDir string
	// Env looks variables up; Now is the clock.
	Env func(string) (string, bool)
	Now func() time.Time
}

// The kinds of accounts.
const (
	Mail   = "mail"
	Google = "google"
)

// source is an account as it is configured.
type source struct {
	id, kind, user, host string
	password             string         // where it is
	oauth                *oauth.Options // nil where there is a password
	try                  func(context.Context) (detail, problem, next string, locked bool)
}

func (p Place) sources() (all []source) {
	for _, c := range p.Config.Senses.Mail {
		s := source{id: c.ID, kind: Mail, user: c.User, host: c.Host, password: c.Password.String(), try: func(ctx context.Context) (detail, problem, next string, locked bool) {
			m := live.Mail(ctx, c, p.StateDir, p.Env, nil)
			return m.Detail, m.Problem, m.Next, m.Locked
		}}
		if c.OAuth != nil {
			options := setup.MailSignIn(c, p.StateDir, p.Env)
			s.oauth = &options
		}
		all = append(all, s)
	}
	for _, c := range p.Config.Senses.Calendar {
		if c.Google != "" {
			options := setup.CalendarSignIn(c, p.StateDir, p.Env)
			all = append(all, source{id: c.ID, kind: Google, user: c.Google, host: "Google Calendar", oauth: &options, try: func(ctx context.Context) (detail, problem, next string, locked bool) {
				seen := live.Calendar(ctx, c, p.StateDir, p.Env)
				return seen.Detail, seen.Problem, seen.Next, false
			}})
		}
	}
	for _, s := range all {
		if s.oauth != nil {
			s.oauth.Now = p.Now
		}
	}
	return all
}

// Accounts are all mail accounts and those of Google's calendars, as far as files
// tell: nobody is asked.
func Accounts(p Place) []Account {
	all := []Account{}
	for _, s := range p.sources() {
		all = append(all, s.account())
	}
	return all
}

func (s source) account() Account {
	a := Account{ID: s.id, Kind: s.kind, User: s.user, Host: s.host, State: Password}
	if s.oauth == nil {
		a.Detail = s.password
		return a
	}
	a.Provider = s.oauth.Config.Provider
	state, err := oauth.Kept(*s.oauth)
	again, signIn := errors.AsType[*oauth.SignInAgain](err)
	switch {
	case signIn:
		a.State, a.Detail, a.Next = SignedOut, again.Why, "run: "+again.Command
	case err != nil:
		a.State = Broken
		a.Detail, a.Next, _ = strings.Cut(err.Error(), "; ")
	default:
		a.State, a.SignedIn = SignedIn, state.SignedIn
		if !state.Renewable {
			a.Expiry = state.Expiry
		}
	}
	return a
}

// UnknownError says that there is no such account, or none that is signed in to
// by the browser.
type UnknownError struct{ Text, Next string }

func (u *UnknownError) Error() string { return u.Text }

// find is the account of a kind with that id, which has an oauth.
func (p Place) find(kind, id string) (source, error) {
	var ids []string
	for _, s := range p.sources() {
		switch {
		case s.kind != kind:
		case s.id == id && s.oauth != nil:
			return s, nil
		case s.id == id:
			return s, &UnknownError{fmt.Sprintf("the account %s is signed in to with a password, which is in %s", id, s.password),
				"to sign in by the browser, give it an oauth in the place of the password"}
		case s.oauth != nil:
			ids = append(ids, s.id)
		}
	}
	next := "there are: " + strings.Join(ids, ", ")
	if len(ids) == 0 {
		next = fmt.Sprintf("add one with an oauth to senses.%s, as config.example.yaml shows", senseOf(kind))
	}
	return source{}, &UnknownError{fmt.Sprintf("there is no %s account %s that is signed in to by the browser", kind, id), next}
}

// senseOf is the sense that an account is of.
func senseOf(kind string) string {
	if kind == Google {
		return "calendar"
	}
	return mail.Name
}

// Forget removes the sign-in of an account; was is false where there was none. An
// account that is not configured any more can be forgotten too.
func Forget(ctx context.Context, p Place, kind, id string) (was bool, err error) {
	if !setup.IsID(id) {
		return false, &UnknownError{fmt.Sprintf("%q cannot be the id of an account", id), "see which there are: subconsciousctl auth status"}
	}
	if was, err = oauth.Forget(ctx, oauth.Path(p.StateDir, senseOf(kind), id)); err != nil || was {
		return was, err
	}
	_, err = p.find(kind, id)
	return false, err
}

// Person is who signs in.
type Person interface {
	Say(text string)
	Text(ctx context.Context, question, preset string) (string, error)
}

// Request says how to sign in.
type Request struct {
	Kind, ID string
	// Open opens an address in a browser; nil, or an error: there is none.
	Open func(address string) error
	// Paste takes the address at which the browser ended from the person.
	Paste bool
	// Remote: the person seems to be at another machine.
	Remote bool
	// Port to wait at; 0 is any.
	Port int
	// Unchecked does not sign in to the account afterwards.
	Unchecked bool
}

// Outcome is what came of it.
type Outcome struct {
	Account Account `json:"account"`
	// Checked: the server was asked; it said Detail, or Problem and Next.
	Checked bool   `json:"checked"`
	Detail  string `json:"detail,omitempty"`
	Problem string `json:"problem,omitempty"`
	Next    string `json:"next,omitempty"`
}

// Run signs in to one account.
func Run(ctx context.Context, p Place, request Request, person Person) (Outcome, error) {
	s, err := p.find(request.Kind, request.ID)
	if err != nil {
		return Outcome{}, err
	}
	flow, err := oauth.Begin(*s.oauth, oauth.Request{Account: s.user, Listen: !request.Paste, Port: request.Port})
	if err != nil {
		return Outcome{}, err
	}
	if request.Paste {
		err = paste(ctx, flow, s, person)
	} else {
		err = wait(ctx, flow, s, request, person)
	}
	if err = errors.Join(err, flow.Close()); err != nil {
		return Outcome{}, err
	}
	person.Say(fmt.Sprintf("✓ Signed in to %s as a client of %s; it is kept in %s, which you alone can read.", s.id, s.oauth.Config.Provider, s.oauth.Path))
	if s.kind == Google {
		person.Say("While the consent screen of your client is in Testing, Google ends the sign-in after 7 days: publish it (In production) in the Google Cloud console, under Audience.")
	}
	outcome := Outcome{Account: s.account()}
	if request.Unchecked {
		return outcome, nil
	}
	detail, problem, next, locked := s.try(ctx)
	if err := ctx.Err(); err != nil {
		return outcome, err
	}
	if locked {
		next = fmt.Sprintf("look that you signed in as %s, and that the provider lets programs read mail over IMAP; then again: %s", s.user, s.oauth.Command)
	}
	outcome.Checked, outcome.Detail, outcome.Problem, outcome.Next = true, detail, problem, next
	if problem == "" {
		person.Say("✓ " + detail + ".")
	} else {
		person.Say("✗ " + problem + "\n  → " + next)
	}
	return outcome, nil
}

// wait sends the person to the browser and waits for it.
func wait(ctx context.Context, flow *oauth.Flow, s source, request Request, person Person) error {
	opened := request.Open != nil && request.Open(flow.URL()) == nil
	if opened {
		person.Say(fmt.Sprintf("A browser opens; sign in there as %s. If it does not, open:\n  %s", s.user, flow.URL()))
	} else {
		person.Say(fmt.Sprintf("Open this in a browser on this machine, and sign in as %s:\n  %s", s.user, flow.URL()))
	}
	if request.Remote || !opened {
		port := flow.Redirect()[strings.LastIndexByte(flow.Redirect(), ':')+1:]
		person.Say(fmt.Sprintf("If the browser is on another machine: leave with Ctrl-C and run\n  %s --paste\nor let it find this one, there:\n  ssh -L %s:127.0.0.1:%s THIS-MACHINE", s.oauth.Command, port, port))
	}
	person.Say("Waiting, for 5 minutes at most. Ctrl-C leaves.")
	_, err := flow.Wait(ctx)
	return err
}

// pastes is how often an address may be pasted that is not the one.
const pastes = 5

// paste takes the address at which the browser ended.
func paste(ctx context.Context, flow *oauth.Flow, s source, person Person) error {
	person.Say(fmt.Sprintf("Open this in any browser, and sign in as %s:\n  %s", s.user, flow.URL()))
	person.Say(fmt.Sprintf("It ends at a page that cannot be shown, whose address begins with %s. Copy that whole address from the browser. It is good once, for a few minutes.", flow.Redirect()))
	for n := 1; ; n++ {
		address, err := person.Text(ctx, "The address at which the browser ended", "")
		if err != nil {
			return err
		}
		if address == "" {
			return context.Canceled
		}
		_, err = flow.Paste(ctx, address)
		if !errors.Is(err, oauth.ErrNotTheAddress) || n == pastes {
			return err
		}
		person.Say("✗ " + err.Error())
	}
}
