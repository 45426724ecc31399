package days

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/subconsciousd/subconsciousd/eval/mails"
)

// The bounds of a day's mail; docs/days.md says them too.
const (
	maxClutter = 500
	// clutterBefore is for how many days before the first clutter is there.
	clutterBefore = 3
)

// The folders of a day's mailbox.
const (
	folderInbox   = "INBOX"
	folderSent    = "Sent"
	folderArchive = "Archive"
	folderTrash   = "Trash"
)

// message is a mail of the file, to which the timeline and other mails refer by its
// name. One message stands for all copies of a mail that comes several times.
type message struct {
	name   string
	folder string // where it is at the start; "" of one that comes or is sent later
	line   int
	mail   mails.Message
	// times is how often it comes or is sent.
	times int
}

// clutter says how much mail without meaning comes in.
type clutter struct {
	aDay    int
	without []string
}

// hasMail reports whether the person has a mailbox.
func (d *day) hasMail() bool { return len(d.mails)+d.clutter.aDay+len(d.posts) > 0 }

// mail returns the one of that name, nil for none.
func (d *day) mail(name string) *message {
	if n := slices.IndexFunc(d.mails, func(l *message) bool { return l.name == name }); n >= 0 {
		return d.mails[n]
	}
	return nil
}

// id is the Message-ID of a mail the nth time that it comes.
func (l *message) id(n int) string {
	if n > 1 {
		return l.name + "." + strconv.Itoa(n) + "@days.example.net"
	}
	return l.name + "@days.example.net"
}

var mailPath = regexp.MustCompile(`^(?:mail|sent|later)/([a-z0-9][a-z0-9-]{0,63})\.eml$`)

// addMail reads a mail and makes its name known; folder is where it is at the
// start, "" where it comes later. It returns nil where it can not be.
func (p *parser) addMail(s section, folder string) *message {
	name := mailPath.FindStringSubmatch(s.name)
	if name == nil {
		p.fail(s.line, "the section %s is none of mail/NAME.eml, sent/NAME.eml and later/NAME.eml, with lower-case letters, digits and -", clip(s.name))
		return nil
	}
	switch before := p.day.mail(name[1]); {
	case before != nil && before.line == s.line:
		return before
	case before != nil:
		p.fail(s.line, "there is a mail %s already, at line %d", before.name, before.line)
		return nil
	}
	mail, err := mails.Parse(s.text, p.day.zone)
	l := &message{name: name[1], folder: folder, line: s.line, mail: mail}
	wrong := mails.Mistake{}
	switch {
	case errors.As(err, &wrong):
		p.fail(s.line+wrong.Line, "%s", wrong.Text)
	case folder == "" && mail.Status != "":
		p.fail(s.line, "the mail %s has a Status; that is for what is there at the start", l.name)
	case folder != "" && mail.Date.After(p.day.start):
		p.fail(s.line, "the mail %s is of %s, which is after the start", l.name, mail.Date.Format("2006-01-02 15:04"))
	case folder != "":
		l.times = 1
		if err := l.lacks(folder, "sent"); err != nil {
			p.fail(s.line, "%v", err)
		}
	}
	p.day.mails = append(p.day.mails, l)
	return l
}

// lacks says what a mail of that folder needs and does not have.
func (l *message) lacks(folder, sent string) error {
	switch {
	case folder == folderSent && len(l.mail.To) == 0:
		return fmt.Errorf("the mail %s that the person %s has no To", l.name, sent)
	case folder == folderInbox && l.mail.From == "":
		return fmt.Errorf("the mail %s has no From", l.name)
	}
	return nil
}

// comes is a mail that comes, or that the person sends.
func comes(folder string) verb {
	return verb{[]argument{func(w *words, d *deed) {
		if !w.is("from") {
			w.fail("write `%s from later/NAME.eml`", d.verb)
		}
		s := w.later()
		if !w.ok {
			return
		}
		l := w.p.addMail(s, "")
		if w.ok = l != nil; !w.ok {
			return
		}
		d.word, d.text = l.name, s.text
		if err := l.lacks(folder, "sends"); err != nil {
			w.fail("%v", err)
		}
	}}, func(c *checker, e event) error {
		l := c.p.day.mail(e.deed.word)
		for _, name := range l.mail.Names() {
			if c.box[name] == "" {
				return fmt.Errorf("the mail %s answers %s, which is not there then", l.name, name)
			}
		}
		c.box[l.name], c.seen["mail "+l.name] = folder, true
		l.times++
		return nil
	}, func(p *Player, _ context.Context, e event) error { return p.mailbox.comes(e, folder) }}
}

// goes is what the person does with a mail in the inbox: it is read, and in that
// folder from then on.
func goes(folder string) verb {
	return verb{[]argument{func(w *words, d *deed) {
		d.word = w.take("the name of the mail")
		if _, comes := w.p.later[d.word+".eml"]; w.p.day.mail(d.word) == nil && !comes {
			w.fail("there is no mail %q", clip(d.word))
		}
	}}, func(c *checker, e event) error {
		if c.box[e.deed.word] != folderInbox {
			return fmt.Errorf("the mail %s is not in the inbox then", e.deed.word)
		}
		c.box[e.deed.word] = folder
		return nil
	}, func(p *Player, _ context.Context, e event) error {
		p.mailbox.goes(e.deed.word, folder)
		return nil
	}}
}

// clutterLine reads N [without KIND, KIND].
func (p *parser) clutterLine(l line) {
	if l.text == "" {
		return
	}
	count, without, _ := strings.Cut(l.text, " without ")
	n, err := strconv.Atoi(strings.TrimSpace(count))
	if err != nil || n < 0 || n > maxClutter {
		p.fail(l.n, "clutter is %q; write how many mails a day, to %d, as in 90, or 90 without builds, lists", clip(l.text), maxClutter)
	}
	p.day.clutter = clutter{n, list(without)}
	for _, kind := range p.day.clutter.without {
		if !slices.Contains(mails.Kinds(), kind) {
			p.fail(l.n, "there is no clutter of the kind %q; there are %s", clip(kind), strings.Join(mails.Kinds(), ", "))
		}
	}
}

// mails goes through the mail of a day without delivering it.
func (c *checker) mails() {
	d := c.p.day
	if d.hasMail() && len(d.addresses) == 0 {
		c.p.fail(1, "there is mail, and no addresses in the header that it could be to")
	}
	for _, l := range d.mails {
		if l.folder != "" {
			c.box[l.name], c.seen["mail "+l.name] = l.folder, true
		}
		for _, name := range l.mail.Names() {
			switch other := d.mail(name); {
			case other == nil || other == l:
				c.p.fail(l.line, "the mail %s answers %q, which is no other mail", l.name, clip(name))
			case l.folder != "" && (other.folder == "" || other.line > l.line):
				c.p.fail(l.line, "the mail %s answers %s, which comes later, or stands after it in the file", l.name, name)
			}
		}
	}
}

// thread are the identities of the mails of the thread that one is in, its own
// among them.
func (d *day) thread(name string) (ids []string) {
	in := map[string]bool{name: true}
	for grown := -1; grown < len(in); {
		grown = len(in)
		for _, l := range d.mails {
			if names := append(l.mail.Names(), l.name); slices.ContainsFunc(names, func(name string) bool { return in[name] }) {
				for _, name := range names {
					in[name] = true
				}
			}
		}
	}
	for _, l := range d.mails {
		for n := range l.times {
			if in[l.name] {
				ids = append(ids, "mid:"+l.id(n+1))
			}
		}
	}
	return ids
}
