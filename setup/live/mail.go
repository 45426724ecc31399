package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/setup"
)

// mailWithin bounds looking at a mail account.
const mailWithin = 45 * time.Second

// Dial opens connections; nil is the usual one.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Mailbox is what looking at a mail account found.
type Mailbox struct {
	notify.Probed
	// Untrusted: the connection to its server cannot be protected. SignIn: the
	// person has to sign in by the browser, or anew. Busy: it mends itself.
	Untrusted, SignIn, Busy bool
	// Tried is what was seen, where Problem is "".
	Tried mail.Tried
	// Missing are folders that are configured and not there, or refused, in words.
	Missing string
}

// Mail signs in to a mail account, looks which folders there are, and leaves.
// Nothing is read or changed. stateDir is where the sign-in of one with an oauth
// is.
func Mail(ctx context.Context, c mail.Config, stateDir string, env func(string) (string, bool), dial Dial) Mailbox {
	ctx, done := context.WithTimeoutCause(ctx, mailWithin, fmt.Errorf("%s took longer than %s", c.Host, mailWithin))
	defer done()
	options := mail.Options{Dial: dial, Token: func(context.Context) (string, error) { return "", errors.New("the account has no oauth") },
		Password: func(context.Context) (secret.Value, error) { return setup.MailPassword(c).Resolve(env) }}
	if c.OAuth != nil {
		options.Token = oauth.New(setup.MailSignIn(c, stateDir, env)).Token
	}
	tried, err := mail.Try(ctx, c, options)
	if err == nil {
		m := Mailbox{Tried: tried, Probed: notify.Probed{Detail: c.Host + " lets you in: " + mailWords(c, tried)}}
		if len(tried.Missing) > 0 {
			tried.Refused = append(tried.Refused, fmt.Sprintf("%s has no folder %s", c.Host, strings.Join(tried.Missing, ", ")))
		}
		m.Missing = strings.Join(tried.Refused, "; ")
		return m
	}
	problem, next := parted(c, err)
	m := Mailbox{Probed: notify.Probed{Problem: problem, Next: next, Locked: errors.Is(err, account.ErrSignIn)},
		Untrusted: errors.Is(err, account.ErrSecure), Busy: errors.Is(err, account.ErrBusy)}
	if again, ok := errors.AsType[*oauth.SignInAgain](err); ok {
		m.Problem, m.Next, m.SignIn = again.Why, "run: "+again.Command, true
	} else if c.OAuth != nil && m.Locked {
		m.SignIn = true
	}
	return m
}

// parted is what an error says is wrong, and what it says to do, on one line each.
func parted(c mail.Config, err error) (problem, next string) {
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

// mailWords say what was seen of an account.
func mailWords(c mail.Config, t mail.Tried) string {
	parts := []string{counted(len(t.Folders), "folder")}
	for _, f := range t.Watched {
		parts = append(parts, fmt.Sprintf("%s with %s", f.Name, counted(int(f.Messages), "message")))
	}
	switch {
	case t.Sent.Name != "":
		parts = append(parts, fmt.Sprintf("%s with %s of yours", t.Sent.Name, counted(int(t.Sent.Messages), "message")))
	case t.SentWanted:
		parts = append(parts, "no folder of what you sent")
	}
	if t.Idle && (c.Idle == nil || *c.Idle) {
		parts = append(parts, "it says when mail comes (IDLE)")
	} else {
		parts = append(parts, "mail is seen at the next tick")
	}
	if t.CondStore {
		parts = append(parts, "and what changed (CONDSTORE)")
	}
	return strings.Join(parts, ", ")
}

// counted writes "1 message", "12 messages".
func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
