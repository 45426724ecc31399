package days

import (
	"errors"
	"fmt"
	"net/mail"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/subconsciousd/subconsciousd/eval/mails"
)

// The bounds of a day's mail; docs/days.md says them too.
const (
	maxDayMails   = 500
	maxDayClutter = 500
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

// dayMail is a mail of the file, by whose name the timeline and other mails
// speak of it. Of one that comes again and again it is each.
type dayMail struct {
	name   string
	folder string // where it is at the start; "" of one that comes or is sent later
	line   int
	mail   mails.Message
	// times is how often it comes or is sent.
	times int
}

// dayClutter is how much of what means nothing comes in.
type dayClutter struct {
	aDay    int
	without []string
}

// hasMail reports whether the person has a mailbox.
func (d *Day) hasMail() bool { return len(d.mails)+d.clutter.aDay+len(d.posts) > 0 }

// person is whom mails are to that say nothing else.
func (d *Day) person() *mail.Address { return &mail.Address{Address: d.addresses[0]} }

// mail returns the one of that name, nil for none.
func (d *Day) mail(name string) *dayMail {
	for _, l := range d.mails {
		if l.name == name {
			return l
		}
	}
	return nil
}

// id is the Message-ID of a mail the nth time that it comes.
func (l *dayMail) id(n int) string {
	if n > 1 {
		return l.name + "." + strconv.Itoa(n) + "@days.example.net"
	}
	return l.name + "@days.example.net"
}

var dayMailName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}\.eml$`)

// mailName takes the name of a mail out of its path.
func mailName(name string) (string, bool) {
	return strings.TrimSuffix(path.Base(name), ".eml"), dayMailName.MatchString(path.Base(name))
}

// mailSection reads a mail that is there at the start.
func (p *dayParser) mailSection(s daySection, folder string) {
	name, ok := mailName(s.name)
	if !ok || strings.Count(s.name, "/") != 1 {
		p.fail(s.line, "the section %s is none of mail/NAME.eml and sent/NAME.eml, with lower-case letters, digits and -", clip(s.name))
		return
	}
	p.addMail(name, folder, s.line, s.text)
}

// addMail reads a mail and makes its name known.
func (p *dayParser) addMail(name, folder string, line int, text string) *dayMail {
	if before := p.day.mail(name); before != nil {
		p.fail(line, "there is a mail %s already, at line %d", name, before.line)
		return nil
	}
	if len(p.day.mails) == maxDayMails {
		p.fail(line, "there are more than %d mails", maxDayMails)
		return nil
	}
	mail, err := mails.Parse(text, p.day.zone)
	if wrong := (mails.Mistake{}); errors.As(err, &wrong) {
		p.fail(line+wrong.Line, "%s", wrong.Text)
	}
	l := &dayMail{name: name, folder: folder, line: line, mail: mail}
	if folder != "" {
		l.times = 1
	}
	switch {
	case err != nil:
	case folder == "" && mail.Status != "":
		p.fail(line, "the mail %s has a Status; that is for what is there at the start", name)
	case folder == folderSent && len(mail.To) == 0:
		p.fail(line, "the mail %s that the person sent has no To", name)
	case folder == folderInbox && mail.From == nil:
		p.fail(line, "the mail %s has no From", name)
	case folder != "" && mail.Date.After(p.day.start):
		p.fail(line, "the mail %s is of %s, which is after the start", name, mail.Date.Format("2006-01-02 15:04"))
	}
	p.day.mails = append(p.day.mails, l)
	return l
}

// The verbs of mail.
const (
	verbMail    = "mail"
	verbSend    = "send"
	verbRead    = "read"
	verbArchive = "archive"
	verbTrash   = "trash"
)

// mailVerb reads what happens in the mailbox.
func (p *dayParser) mailVerb(w *dayWords, d *dayDeed) {
	if d.verb != verbMail && d.verb != verbSend {
		d.word = w.take("the name of the mail")
		if w.ok && p.day.mail(d.word) == nil && !p.comes(d.word) {
			w.fail("there is no mail %q", clip(d.word))
		}
		return
	}
	if !w.is("from") {
		w.fail("write `%s from later/NAME.eml`", d.verb)
	}
	section := w.peek()
	d.text = w.later()
	name, ok := mailName(section)
	if w.ok && !ok {
		w.fail("%q is not later/NAME.eml, with lower-case letters, digits and -", clip(section))
	}
	if !w.ok {
		return
	}
	l := p.day.mail(name)
	if l == nil {
		l = p.addMail(name, "", p.later[strings.TrimPrefix(section, "later/")].line, d.text)
	}
	switch d.word = name; {
	case l == nil:
		w.ok = false
	case l.folder != "":
		w.fail("there is a mail %s already, at line %d", name, l.line)
	case d.verb == verbMail && l.mail.From == nil:
		w.fail("the mail %s has no From", name)
	case d.verb == verbSend && len(l.mail.To) == 0:
		w.fail("the mail %s that the person sends has no To", name)
	}
}

// comes reports whether a mail of that name comes later; that it is there by
// then is checked when everything is known.
func (p *dayParser) comes(name string) bool {
	for section := range p.later {
		if found, ok := mailName(section); ok && found == name {
			return true
		}
	}
	return false
}

// clutterLine reads N [without KIND, KIND].
func (p *dayParser) clutterLine(line dayLine) {
	if line.text == "" {
		return
	}
	count, without, _ := strings.Cut(line.text, " without ")
	n, err := strconv.Atoi(strings.TrimSpace(count))
	if err != nil || n < 0 || n > maxDayClutter {
		p.fail(line.n, "clutter is %q; write how many mails a day, to %d, as in 90, or 90 without builds, lists", clip(line.text), maxDayClutter)
		return
	}
	p.day.clutter = dayClutter{n, p.list(dayLine{line.n, without})}
	for _, kind := range p.day.clutter.without {
		if !slices.Contains(mails.Kinds(), kind) {
			p.fail(line.n, "there is no clutter of the kind %q; there are %s", clip(kind), strings.Join(mails.Kinds(), ", "))
		}
	}
}

// mails goes through the mail of a day without delivering it.
func (c *dayChecker) mails() {
	d := c.p.day
	if d.hasMail() && len(d.addresses) == 0 {
		c.p.fail(1, "there is mail, and no addresses in the header that it could be to")
	}
	for _, l := range d.mails {
		if l.folder == "" {
			continue
		}
		c.box[l.name] = l.folder
		c.seen[aboutMail+" "+l.name] = true
	}
	for _, l := range d.mails {
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

// mail goes through one event of the mailbox.
func (c *dayChecker) mail(d dayDeed) error {
	l := c.p.day.mail(d.word)
	switch where := c.box[d.word]; d.verb {
	case verbMail, verbSend:
		for _, name := range l.mail.Names() {
			if c.box[name] == "" {
				return fmt.Errorf("the mail %s answers %s, which is not there then", l.name, name)
			}
		}
		c.box[d.word] = folderInbox
		if d.verb == verbSend {
			c.box[d.word] = folderSent
		}
		c.seen[aboutMail+" "+d.word] = true
		l.times++
	case verbRead, verbArchive, verbTrash:
		if where != folderInbox {
			return fmt.Errorf("the mail %s is not in the inbox then", d.word)
		}
		c.box[d.word] = map[string]string{verbRead: folderInbox, verbArchive: folderArchive, verbTrash: folderTrash}[d.verb]
	}
	return nil
}

// threadOf are the mails of the thread that one is in, itself among them.
func (d *Day) threadOf(name string) []*dayMail {
	in := map[string]bool{name: true}
	for grown := true; grown; {
		grown = false
		for _, l := range d.mails {
			joined := in[l.name] || slices.ContainsFunc(l.mail.Names(), func(other string) bool { return in[other] })
			if !joined {
				continue
			}
			for _, other := range append(l.mail.Names(), l.name) {
				grown = grown || !in[other]
				in[other] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(d.mails), func(l *dayMail) bool { return !in[l.name] })
}

// ofMail fills in what a label is about that names a mail: it and its thread.
func (t *dayAbout) ofMail(d *Day) {
	for _, l := range d.threadOf(t.name) {
		for n := range l.times {
			id := "mid:" + l.id(n+1)
			t.exact = append(t.exact, "mail:"+id, "thread:"+id)
			t.prefixes = append(t.prefixes, "mail:"+id+"#")
		}
	}
}
