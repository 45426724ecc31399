package mail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
)

// probeWithin bounds trying an account.
const probeWithin = 45 * time.Second

// Probed is what trying an account showed.
type Probed struct {
	// Detail is what is so, Problem what is wrong: one of the two is set, and
	// Next beside Problem.
	Detail, Problem, Next string
	// Locked: signing in was refused. Untrusted: the connection to its server
	// cannot be protected. SignIn: the person has to sign in by the browser, or
	// anew. Busy: it mends itself.
	Locked, Untrusted, SignIn, Busy bool
	// Folders are the names of all, in the server's order.
	Folders []string
	// Missing are folders that are configured and not there, or refused, in words.
	Missing string
	// SentUnknown: the folder of what the person sent is looked for and not found.
	SentUnknown bool
}

// Probe signs in to an account once and says what is there. It opens the folders
// for reading alone, reads no message, and signs out.
func Probe(ctx context.Context, c Config, options Options) Probed {
	ctx, done := context.WithTimeoutCause(ctx, probeWithin, fmt.Errorf("%s took longer than %s", c.Host, probeWithin))
	defer done()
	p, err := probe(ctx, c, options)
	if err == nil {
		return p
	}
	problem, next := parted(c, err)
	p = Probed{Problem: problem, Next: next, Locked: errors.Is(err, account.ErrSignIn),
		Untrusted: errors.Is(err, account.ErrSecure), Busy: errors.Is(err, account.ErrBusy)}
	if again, ok := errors.AsType[*oauth.SignInAgain](err); ok {
		p.Problem, p.Next, p.SignIn = again.Why, "run: "+again.Command, true
	} else if c.OAuth != nil && p.Locked {
		p.SignIn = true
	}
	return p
}

func probe(ctx context.Context, c Config, options Options) (p Probed, err error) {
	waits, never := c.Idle == nil || *c.Idle, false
	c.Idle = &never // nobody waits for news
	s, err := New(c, options)
	if err != nil {
		return p, err
	}
	// What was seen is all that matters; the connection ends either way.
	defer func() { _ = s.Stop(ctx) }()
	err = s.account.Do(ctx, func(session *account.Session) (err error) {
		p, err = probed(ctx, session, s.config, waits)
		return err
	})
	return p, err
}

// probed looks at one session.
func probed(ctx context.Context, session *account.Session, c Config, waits bool) (p Probed, err error) {
	folders, err := session.Folders(ctx)
	if err != nil {
		return p, err
	}
	for _, f := range folders {
		p.Folders = append(p.Folders, f.Name)
	}
	seen := []string{counted(len(folders), "folder")}
	var refused, missing []string
	// look opens a folder, and says what is in it; one that need not be there is
	// only missing where it is named.
	look := func(name, whose string, named bool) (found bool, err error) {
		switch opened, err := session.Examine(ctx, name); {
		case ends(ctx, err):
			return false, err
		case err == nil:
			seen = append(seen, fmt.Sprintf("%s with %s%s", name, counted(int(opened.Messages), "message"), whose))
			return true, nil
		case !errors.Is(err, account.ErrFolder):
			refused = append(refused, err.Error())
		case named:
			missing = append(missing, name)
		}
		return false, nil
	}
	for _, name := range c.Folders {
		if _, err := look(name, "", true); err != nil {
			return p, err
		}
	}
	if c.Sent != noSent {
		found := false
		if name := cmp.Or(c.Sent, findSent(folders, c.Folders)); name != "" {
			if found, err = look(name, " of yours", c.Sent != ""); err != nil {
				return p, err
			}
		}
		if p.SentUnknown = !found; p.SentUnknown {
			seen = append(seen, "no folder of what you sent")
		}
	}
	if waits && session.Has(imap.CapIdle) {
		seen = append(seen, "it says when mail comes (IDLE)")
	} else {
		seen = append(seen, "mail is seen at the next tick")
	}
	if session.Has(imap.CapCondStore) {
		seen = append(seen, "and what changed (CONDSTORE)")
	}
	if len(missing) > 0 {
		refused = append(refused, fmt.Sprintf("%s has no folder %s", c.Host, strings.Join(missing, ", ")))
	}
	p.Detail = c.Host + " lets you in: " + strings.Join(seen, ", ")
	p.Missing = strings.Join(refused, "; ")
	return p, nil
}

// parted is what an error says is wrong, and what it says to do, on one line each.
func parted(c Config, err error) (problem, next string) {
	text := strings.Join(strings.Fields(err.Error()), " ")
	for _, before := range []string{"mail account " + c.ID + ": ", "mail " + c.ID + ": ", "mail: "} {
		text = strings.TrimPrefix(text, before)
	}
	// What a server said is quoted, and may have any mark in it.
	if said, advice, ok := strings.Cut(text, `"; `); ok {
		return said + `"`, advice
	}
	if problem, next, ok := strings.Cut(text, "; "); ok {
		if _, why, ok := strings.Cut(next, "? "); ok {
			return problem + ": " + why, "check host and port, and whether this machine is online"
		}
		return problem, next
	}
	switch {
	case strings.HasPrefix(text, "ca_file"):
		return text, "correct ca_file, or leave it out"
	case errors.Is(err, account.ErrSignIn):
		return text, "check how the account is signed in to"
	case errors.Is(err, account.ErrSecure):
		return text, "check host, security and ca_file"
	}
	return text, "check host and port, and whether this machine is online"
}

// counted writes "1 message", "12 messages".
func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
