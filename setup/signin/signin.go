// Package signin signs the person in to mail accounts by the browser, and says
// which accounts are signed in.
//
// It stores what internal/oauth keeps, below the state folder. The daemon may run
// meanwhile: what is kept counts from its next collect on. The command auth calls it.
package signin

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// Accounts are all mail accounts, as far as files tell: nobody is asked.
func Accounts(p Place) []Account {
	all := make([]Account, 0, len(p.Config.Senses.Mail))
	for _, c := range p.Config.Senses.Mail {
		all = append(all, p.account(c))
	}
	return all
}

func (p Place) account(c mail.Config) Account {
	a := Account{ID: c.ID, User: c.User, Host: c.Host, State: Password}
	if c.OAuth == nil {
		a.Detail = c.Password.String()
		return a
	}
	a.Provider = c.OAuth.Provider
	state, err := oauth.Kept(p.options(c))
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

func (p Place) options(c mail.Config) oauth.Options {
	o := setup.MailSignIn(c, p.StateDir, p.Env)
	o.Now = p.Now
	return o
}

// UnknownError says that there is no such account, or none that is signed in to
// by the browser.
type UnknownError struct{ Text, Next string }

func (u *UnknownError) Error() string { return u.Text }

// find is the account with that id, which has an oauth.
func (p Place) find(id string) (mail.Config, error) {
	var ids []string
	for _, c := range p.Config.Senses.Mail {
		switch {
		case c.ID == id && c.OAuth != nil:
			return c, nil
		case c.ID == id:
			return c, &UnknownError{fmt.Sprintf("the account %s is signed in to with a password, which is in %s", id, c.Password),
				"to sign in by the browser, give it an oauth in the place of the password"}
		case c.OAuth != nil:
			ids = append(ids, c.ID)
		}
	}
	next := "there are: " + strings.Join(ids, ", ")
	if len(ids) == 0 {
		next = "add one with an oauth to senses.mail, as config.example.yaml shows"
	}
	return mail.Config{}, &UnknownError{fmt.Sprintf("there is no mail account %s that is signed in to by the browser", id), next}
}

// Forget removes the sign-in of an account; was is false where there was none. An
// account that is not configured any more can be forgotten too.
func Forget(ctx context.Context, p Place, id string) (was bool, err error) {
	path := oauth.Path(p.StateDir, mail.Name, id)
	known := slices.ContainsFunc(p.Config.Senses.Mail, func(c mail.Config) bool { return c.ID == id && c.OAuth != nil })
	if !setup.IsID(id) {
		return false, &UnknownError{fmt.Sprintf("%q cannot be the id of an account", id), "see which there are: subconsciousctl auth status"}
	}
	if was, err = oauth.Forget(ctx, path); err != nil || was || known {
		return was, err
	}
	_, err = p.find(id)
	return false, err
}

// Person is who signs in.
type Person interface {
	Say(text string)
	Text(ctx context.Context, question, preset string) (string, error)
}

// Request says how to sign in.
type Request struct {
	ID string
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
	// Checked: the mail server was asked; it said Detail, or Problem and Next.
	Checked bool   `json:"checked"`
	Detail  string `json:"detail,omitempty"`
	Problem string `json:"problem,omitempty"`
	Next    string `json:"next,omitempty"`
}

// Run signs in to one account.
func Run(ctx context.Context, p Place, request Request, person Person) (Outcome, error) {
	c, err := p.find(request.ID)
	if err != nil {
		return Outcome{}, err
	}
	flow, err := oauth.Begin(p.options(c), oauth.Request{Account: c.User, Listen: !request.Paste, Port: request.Port})
	if err != nil {
		return Outcome{}, err
	}
	if request.Paste {
		err = paste(ctx, flow, c, person)
	} else {
		err = wait(ctx, flow, c, request, person)
	}
	if err = errors.Join(err, flow.Close()); err != nil {
		return Outcome{}, err
	}
	person.Say(fmt.Sprintf("✓ Signed in to %s as a client of %s; it is kept in %s, which you alone can read.", c.ID, c.OAuth.Provider, p.options(c).Path))
	outcome := Outcome{Account: p.account(c)}
	if request.Unchecked {
		return outcome, nil
	}
	m := live.Mail(ctx, c, p.StateDir, p.Env, nil)
	if err := ctx.Err(); err != nil {
		return outcome, err
	}
	outcome.Checked, outcome.Detail, outcome.Problem, outcome.Next = true, m.Detail, m.Problem, m.Next
	switch {
	case m.Problem == "":
		person.Say("✓ " + m.Detail + ".")
	case m.Locked:
		outcome.Next = fmt.Sprintf("look that you signed in as %s, and that the provider lets programs read mail over IMAP; then again: subconsciousctl auth mail %s", c.User, c.ID)
		person.Say("✗ " + m.Problem + "\n  → " + outcome.Next)
	default:
		person.Say("✗ " + m.Problem + "\n  → " + m.Next)
	}
	return outcome, nil
}

// wait sends the person to the browser and waits for it.
func wait(ctx context.Context, flow *oauth.Flow, c mail.Config, request Request, person Person) error {
	opened := request.Open != nil && request.Open(flow.URL()) == nil
	if opened {
		person.Say(fmt.Sprintf("A browser opens; sign in there as %s. If it does not, open:\n  %s", c.User, flow.URL()))
	} else {
		person.Say(fmt.Sprintf("Open this in a browser on this machine, and sign in as %s:\n  %s", c.User, flow.URL()))
	}
	if request.Remote || !opened {
		port := flow.Redirect()[strings.LastIndexByte(flow.Redirect(), ':')+1:]
		person.Say(fmt.Sprintf("If the browser is on another machine: leave with Ctrl-C and run\n  subconsciousctl auth mail %s --paste\nor let it find this one, there:\n  ssh -L %s:127.0.0.1:%s THIS-MACHINE", c.ID, port, port))
	}
	person.Say("Waiting, for 5 minutes at most. Ctrl-C leaves.")
	_, err := flow.Wait(ctx)
	return err
}

// pastes is how often an address may be pasted that is not the one.
const pastes = 5

// paste takes the address at which the browser ended.
func paste(ctx context.Context, flow *oauth.Flow, c mail.Config, person Person) error {
	person.Say(fmt.Sprintf("Open this in any browser, and sign in as %s:\n  %s", c.User, flow.URL()))
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
