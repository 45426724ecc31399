package mail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/message"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// passedMessages is how many messages of a folder Passed looks at, the newest.
const passedMessages = 300

// ownFolders hold what the person wrote or threw away, or all of the others again.
var ownFolders = []imap.MailboxAttr{imap.MailboxAttrSent, imap.MailboxAttrDrafts, imap.MailboxAttrTrash, imap.MailboxAttrAll, imap.MailboxAttrNoSelect}

// Passed returns the headers of what arrived since then, in folders that are looked
// at and in others. It may be called while a Collect goes on.
func (s *Sense) Passed(ctx context.Context, since time.Time) (all []senses.Found, err error) {
	err = s.account.Do(ctx, func(session *account.Session) error {
		all = nil
		folders, err := session.Folders(ctx)
		for _, f := range folders {
			own := slices.ContainsFunc(f.Attrs, func(a imap.MailboxAttr) bool { return slices.Contains(ownFolders, a) })
			if err != nil || own {
				continue
			}
			if err = s.passedIn(ctx, session, f.Name, since, func(found senses.Found) { all = append(all, found) }); err != nil && !ends(ctx, err) {
				err = nil // it was refused, or is gone since
			}
		}
		return err
	})
	return all, err
}

func (s *Sense) passedIn(ctx context.Context, session *account.Session, folder string, since time.Time, add func(senses.Found)) error {
	if _, err := session.Examine(ctx, folder); err != nil {
		return err
	}
	uids, err := session.Since(ctx, since, passedMessages)
	if err != nil {
		return err
	}
	return session.Headers(ctx, uids, func(raw account.Raw) error {
		if m, err := message.Parse(raw.Body); err == nil && !raw.Flags.Draft && !s.mine[m.From.Addr] {
			add(s.passed(m, folder, raw.Received))
		}
		return nil
	})
}

// passed is a message with the reason for which it was not reported, if it was not.
func (s *Sense) passed(m message.Message, folder string, received time.Time) senses.Found {
	title, _, _ := redacted(m.Subject, "")
	f := senses.Found{Why: "it was there before the account was first looked at, and asks nothing of you", Observation: subconscious.Observation{
		ID: prefix + m.ID, Sense: Name, Instance: s.config.ID, Kind: kindMail, At: received, Trust: subconscious.Outsider,
		Title: titled(senderOf(m.From), title), Attrs: map[string]string{"from": bounded(m.From.Addr)}}}
	if _, _, err := s.find(f.Observation.ID); !slices.Contains(s.folders, folderKey(folder)) {
		f.Why = fmt.Sprintf("it lies in the folder %q, which is not looked at", folder)
	} else if errors.Is(err, ErrUnknown) {
		f.Why = "it has not been looked at yet, or is older than look_back"
	}
	return f
}
