package mail

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

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
	// Tried is what was seen, where Problem is "".
	Tried Tried
	// Missing are folders that are configured and not there, or refused, in words.
	Missing string
}

// Probe signs in to an account as Try does, and says what came of it.
func Probe(ctx context.Context, c Config, options Options) Probed {
	ctx, done := context.WithTimeoutCause(ctx, probeWithin, fmt.Errorf("%s took longer than %s", c.Host, probeWithin))
	defer done()
	tried, err := Try(ctx, c, options)
	if err == nil {
		p := Probed{Tried: tried, Detail: c.Host + " lets you in: " + probeWords(c, tried)}
		if len(tried.Missing) > 0 {
			tried.Refused = append(tried.Refused, fmt.Sprintf("%s has no folder %s", c.Host, strings.Join(tried.Missing, ", ")))
		}
		p.Missing = strings.Join(tried.Refused, "; ")
		return p
	}
	problem, next := parted(c, err)
	p := Probed{Problem: problem, Next: next, Locked: errors.Is(err, account.ErrSignIn),
		Untrusted: errors.Is(err, account.ErrSecure), Busy: errors.Is(err, account.ErrBusy)}
	if again, ok := errors.AsType[*oauth.SignInAgain](err); ok {
		p.Problem, p.Next, p.SignIn = again.Why, "run: "+again.Command, true
	} else if c.OAuth != nil && p.Locked {
		p.SignIn = true
	}
	return p
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

// probeWords say what was seen of an account.
func probeWords(c Config, t Tried) string {
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
