package days

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/mail"
	"slices"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/eval/mails"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// mailbox is the mailbox of a day, served in this process over real IMAP.
type mailbox struct {
	day    *day
	server *mailtest.Server
	box    *mailtest.Box
	// posts is what comes by itself, in order; next is the first that has not.
	posts []mails.Posted
	next  int
	// places are where the last mail of each name is.
	places map[string]place
	times  map[string]int
}

// place is one message in the mailbox.
type place struct {
	folder string
	uid    imap.UID
	// refs are the identities of its thread up to itself, the oldest first.
	refs []string
}

// openMailbox fills a mailbox with what is there at the start.
func openMailbox(w *harness.World, d *day) (m *mailbox, err error) {
	m = &mailbox{day: d, places: map[string]place{}, times: map[string]int{}, posts: slices.Clone(d.posts)}
	if d.clutter.aDay > 0 {
		clutter, err := mails.NewClutter(d.name, &mail.Address{Address: d.addresses[0]}, d.languages, d.clutter.without)
		if err != nil {
			return nil, err
		}
		for date := d.start.AddDate(0, 0, -clutterBefore); date.Before(d.end); date = date.AddDate(0, 0, 1) {
			posted, err := clutter.Day(date, d.clutter.aDay)
			if err != nil {
				return nil, err
			}
			m.posts = append(m.posts, posted...)
		}
	}
	if m.server, m.box, err = w.Mailbox(d.addresses); err != nil {
		return nil, err
	}
	w.Config.Senses.Mail[0].AuthservID = mails.Server
	evening := d.start.Add(-6 * time.Hour)
	for _, l := range d.mails { // in the order of the file: what one answers stands before it
		if l.folder == "" {
			continue
		}
		mail := l.mail
		if mail.Date.IsZero() {
			mail.Date = evening
		}
		m.put(l, mail, l.folder, mail.Date)
	}
	return m, nil
}

// put delivers a mail into a folder.
func (m *mailbox) put(l *message, mail mails.Message, folder string, at time.Time) {
	m.times[l.name]++
	e := mails.Envelope{ID: l.id(m.times[l.name]), At: at, From: m.day.addresses[0], To: m.day.addresses[0]}
	for _, name := range mail.Names() {
		for _, ref := range m.places[name].refs {
			if !slices.Contains(e.Refs, ref) {
				e.Refs = append(e.Refs, ref)
			}
		}
	}
	if folder != folderSent {
		mail.Auth = cmp.Or(mail.Auth, mails.Passed)
	}
	var flags []imap.Flag
	switch {
	case folder == folderSent || mail.Status == mails.Read || mail.Status == "" && at.Before(m.day.start):
		flags = []imap.Flag{imap.FlagSeen}
	case mail.Status == mails.Answered:
		flags = []imap.Flag{imap.FlagSeen, imap.FlagAnswered}
	}
	uid := m.box.Deliver(folder, mail.Raw(e), at, flags...)
	m.places[l.name] = place{folder, uid, append(e.Refs, e.ID)}
	if folder == folderSent {
		for _, name := range mail.Names() {
			m.mark(name, imap.FlagSeen, imap.FlagAnswered)
		}
	}
}

// mark gives flags to a mail, beside those that it has, wherever it is.
func (m *mailbox) mark(name string, flags ...imap.Flag) {
	if at, ok := m.places[name]; ok && at.folder != folderSent {
		m.box.SetFlags(at.folder, at.uid, append(flags, m.box.Flags(at.folder)[at.uid]...)...)
	}
}

// comes delivers the mail of an event.
func (m *mailbox) comes(e event, folder string) error {
	mail, err := mails.Parse(e.deed.text, m.day.zone)
	if err != nil {
		return fmt.Errorf("the mail %s: %w", e.deed.word, err)
	}
	m.put(m.day.mail(e.deed.word), mail, folder, e.at)
	return nil
}

// goes marks a mail as read, and moves it.
func (m *mailbox) goes(name, folder string) {
	m.mark(name, imap.FlagSeen)
	if at := m.places[name]; at.folder != folder {
		at.uid, at.folder = m.box.Move(at.folder, at.uid, folder), folder
		m.places[name] = at
	}
}

// until delivers what comes by itself up to a time.
func (m *mailbox) until(at time.Time) {
	for ; m.next < len(m.posts) && !m.posts[m.next].At.After(at); m.next++ {
		m.box.Deliver(folderInbox, m.posts[m.next].Raw, m.posts[m.next].At)
	}
}

// fail lets the server take no connections, or lets it be well again.
func (m *mailbox) fail(failing bool) {
	if !failing {
		m.server.Mend()
		return
	}
	m.server.Refuse(mailtest.NoConnection, -1)
	m.server.Drop()
}

// dial connects to the mailbox.
func (m *mailbox) dial(context.Context, string, string) (net.Conn, error) { return m.server.Dial() }
