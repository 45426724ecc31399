package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// mail makes the sense of one account. Its password or token is looked up
// whenever it signs in, so that one that is put right counts at the next tick.
func (o *opening) mail(c mail.Config) (*mail.Sense, error) {
	options := mail.Options{Rows: o.ledger, Logger: o.options.Logger, Zone: o.zoneOrUTC, Dial: o.options.DialMail}
	if c.OAuth != nil {
		signIn := setup.MailSignIn(c, o.options.Config.StateDir, o.options.Env)
		signIn.Log = o.options.Logger
		tokens := oauth.New(signIn)
		options.Token, options.Refused = tokens.Token, tokens.Reject
	} else {
		options.Password = func(context.Context) (secret.Value, error) { return c.Password.Resolve(o.options.Env) }
	}
	return mail.New(c, options)
}

// passed is what all accounts have before them and did not report. What cannot be
// asked is said beside the rest.
func (d *Daemon) passed(ctx context.Context, since time.Time) (all []senses.Found, failed error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for _, s := range d.accounts {
		more, err := s.Passed(ctx, since)
		all, failed = append(all, more...), errors.Join(failed, err)
	}
	return all, failed
}

// mailbox lets tools read the mail of all accounts that are looked at.
type mailbox struct {
	ledger   *senses.Ledger
	accounts *[]*mail.Sense // in order of their ids; opened after the tools
	wall     func() time.Time
}

var _ threads.MailReader = mailbox{}

// Mail implements threads.MailReader. Which account a message is in shows when
// one of them knows it.
func (m mailbox) Mail(ctx context.Context, ref subconscious.Ref) (threads.Mail, error) {
	var problems []error
	for _, s := range *m.accounts {
		reading, err := s.Read(ctx, string(ref))
		switch {
		case err == nil:
			return mailOf(ref, reading), nil
		case !errors.Is(err, mail.ErrUnknown):
			problems = append(problems, fmt.Errorf("read from %s: %w", s.ID(), err))
		}
	}
	if len(problems) > 0 {
		return threads.Mail{}, errors.Join(problems...)
	}
	return threads.Mail{}, threads.ErrNoMail
}

func mailOf(ref subconscious.Ref, r mail.Reading) threads.Mail {
	m := threads.Mail{
		Ref: ref, From: r.From, To: append(slices.Clone(r.To), r.Cc...), Subject: r.Subject, Received: r.Received,
		Text: r.Text, Cut: len(r.Cut) > 0, Attachments: r.Attachments,
	}
	for _, other := range r.Thread {
		m.Thread = append(m.Thread, threads.Mail{
			Ref: subconscious.NewRef(mail.Name, other.ID), From: other.From, Subject: other.Subject, Received: other.Received,
		})
	}
	return m
}

// How much of what was seen is searched for mail: other senses' share the words.
const (
	mailFound  = 10
	mailSifted = 200
)

// SearchMail implements threads.MailReader. It looks at what the ledger keeps of
// mail, which is the beginning of each text, and asks no server. What it keeps of
// an account that is not looked at any more is not shown.
func (m mailbox) SearchMail(ctx context.Context, words string, days int) ([]threads.Mail, error) {
	found, err := m.ledger.Search(ctx, words, m.wall().AddDate(0, 0, -days), mailSifted)
	if err != nil {
		return nil, err
	}
	var mails []threads.Mail
	for _, f := range found {
		o := f.Observation
		if o.Sense != mail.Name || !m.reads(o.Instance) || len(mails) == mailFound {
			continue
		}
		mails = append(mails, threads.Mail{
			Ref: o.Ref(), From: strings.TrimSpace(o.Attrs["from_name"] + " <" + o.Attrs["from"] + ">"),
			Subject: o.Title, Received: received(o), Text: o.Text, Cut: true,
		})
	}
	return mails, nil
}

// reads reports whether an account is looked at.
func (m mailbox) reads(id string) bool {
	return slices.ContainsFunc(*m.accounts, func(s *mail.Sense) bool { return s.ID() == id })
}

// received is when the server took a message in, or else when it was seen.
func received(o subconscious.Observation) time.Time {
	at, err := time.Parse(time.RFC3339, o.Attrs["received"])
	if err != nil {
		return o.At
	}
	return at
}
