package days

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// dayTree is the files of a day as they come to be, by path.
type dayTree map[string]string

// apply does what a deed does to files, or says why it can not.
func (t dayTree) apply(d dayDeed) error {
	text, there := t[d.path]
	switch d.verb {
	case verbWrite, verbAppend:
		return t.put(d, text, there)
	case verbReplace:
		before, after, ok := strings.Cut(text, d.old)
		if !ok || d.old == "" {
			return fmt.Errorf("%s does not have %q then", d.path, clip(d.old))
		}
		t[d.path] = before + d.text + after
	case verbDelete, verbMove:
		return t.move(d)
	case verbEvent, verbCancel:
		if !there {
			return fmt.Errorf("there is no calendar %s at the start", d.path)
		}
		changed, err := applyICS(text, d)
		if err != nil {
			return err
		}
		t[d.path] = changed
	}
	return nil
}

// put writes or appends.
func (t dayTree) put(d dayDeed, text string, there bool) error {
	if !isDayCalendar(d.path) {
		if err := t.blocked(d.path); err != nil {
			return err
		}
		if d.verb == verbAppend {
			d.text = text + d.text
		}
		t[d.path] = d.text
		return nil
	}
	if !there || d.verb == verbAppend {
		return fmt.Errorf("calendars are there from the start, and written whole or changed with event and cancel: %s", d.path)
	}
	c, err := parseICS(d.text)
	if err == nil {
		t[d.path] = c.text()
	}
	return err
}

// move takes a file or a folder away, or to another place.
func (t dayTree) move(d dayDeed) error {
	if isDayCalendar(d.path) || isDayCalendar(d.to) {
		return errors.New("a calendar stays where it is")
	}
	if d.verb == verbMove && strings.HasPrefix(d.to+"/", d.path+"/") {
		return fmt.Errorf("%s cannot be moved into itself", d.path)
	}
	moved := map[string]string{}
	for name, text := range t {
		if rest, ok := strings.CutPrefix(name, d.path); ok && (rest == "" || rest[0] == '/') {
			moved[d.to+rest] = text
			delete(t, name)
		}
	}
	if len(moved) == 0 {
		return fmt.Errorf("%s is not there then", d.path)
	}
	if d.verb == verbDelete {
		return nil
	}
	if _, taken := t[d.to]; taken {
		return fmt.Errorf("%s is there already", d.to)
	}
	if err := t.blocked(d.to); err != nil {
		return err
	}
	for name, text := range moved {
		t[name] = text
	}
	return nil
}

// blocked says why there can be no file of that name: it is a folder, or a
// folder of it is a file.
func (t dayTree) blocked(path string) error {
	for name := range t {
		if strings.HasPrefix(name, path+"/") {
			return fmt.Errorf("%s is a folder then", path)
		}
		if strings.HasPrefix(path, name+"/") {
			return fmt.Errorf("%s is a file then", name)
		}
	}
	return nil
}

// dayChecker goes through a day without playing it.
type dayChecker struct {
	p      *dayParser
	tree   dayTree
	seen   map[string]bool // files that ever were, units, mounts, sensors, UIDs
	failed map[string]bool
	asleep bool
	// box is where the last mail of each name is.
	box map[string]string
}

// check refuses what can not happen, and labels that can never be met.
func (p *dayParser) check() {
	c := &dayChecker{p: p, tree: dayTree{}, seen: map[string]bool{"disk /": true}, failed: map[string]bool{}, box: map[string]string{}}
	for _, f := range p.day.files {
		if err := c.tree.blocked(f.path); err != nil {
			p.fail(f.line, "%s: %v", f.path, err)
		}
		c.tree[f.path] = f.text
		if isDayCalendar(f.path) {
			events, err := parseICS(f.text)
			if err != nil {
				p.fail(f.line, "%s: %v", f.path, err)
			}
			c.tree[f.path] = events.text()
			c.events(f.text)
		}
		c.saw(f.path)
	}
	for _, d := range p.day.machine {
		c.seen[d.verb+" "+d.path] = true
	}
	c.mails()
	for _, e := range p.day.timeline {
		if err := c.happens(e); err != nil {
			p.fail(e.line, "%s: %v", e.at.Format("15:04"), err)
		}
	}
	for i := range p.day.labels {
		for n := range p.day.labels[i].about {
			t := &p.day.labels[i].about[n]
			if c.names(*t); t.kind == aboutMail {
				t.ofMail(p.day)
			}
		}
	}
}

func (c *dayChecker) saw(path string) {
	sort := aboutFile
	if strings.HasPrefix(path, "notes/") {
		sort = aboutNote
	}
	c.seen[sort+" "+path] = true
	for at, r := range path {
		if r == '/' {
			c.seen[sort+" "+path[:at+1]] = true
		}
	}
}

func (c *dayChecker) events(text string) {
	if events, err := parseICS(text); err == nil {
		for _, e := range events.events {
			c.seen["event "+e.uid] = true
		}
	}
}

// happens goes through one event.
func (c *dayChecker) happens(e dayEvent) error {
	d := e.deed
	switch d.verb {
	case verbWrite, verbAppend, verbReplace, verbDelete, verbMove, verbEvent, verbCancel:
		if d.to != "" {
			c.saw(d.to)
		}
		c.saw(d.path)
		c.events(d.text)
		return c.tree.apply(d)
	case verbAck, verbDismiss, verbSnooze:
		if _, ok := c.p.day.label(d.label); !ok {
			return fmt.Errorf("there is no label %q to answer", clip(d.label))
		}
	case verbMail, verbSend, verbRead, verbArchive, verbTrash:
		return c.mail(d)
	case verbFail, verbMend:
		return c.fault(d)
	case verbSleep, verbWake:
		if c.asleep == (d.verb == verbSleep) {
			return fmt.Errorf("the machine is in that state already: %s", d.verb)
		}
		c.asleep = d.verb == verbSleep
	case verbUnit:
		if d.word == "ok" && !c.seen["unit "+d.path] {
			return fmt.Errorf("nothing happened to the unit %s that could be well again", d.path)
		}
		c.seen["unit "+d.path] = true
	case verbTell:
		c.seen[aboutTold+" "] = true
	default:
		return c.reads(e)
	}
	return nil
}

func (c *dayChecker) fault(d dayDeed) error {
	if _, ok := c.tree[d.path]; isDayCalendar(d.path) && !ok {
		return fmt.Errorf("there is no calendar %s", d.path)
	}
	if d.path == verbMail && !c.p.day.hasMail() {
		return errors.New("there is no mail that could fail")
	}
	if c.failed[d.path] == (d.verb == verbFail) {
		return fmt.Errorf("%s is in that state already", d.path)
	}
	c.failed[d.path] = d.verb == verbFail
	c.seen[aboutSense+" "+d.path] = true
	return nil
}

func (c *dayChecker) reads(e dayEvent) error {
	d := e.deed
	if d.reading.how == readingGone && !c.seen["disk "+d.path] {
		return fmt.Errorf("there is no disk %s that could go", d.path)
	}
	if d.reading.how == readingTo && (!d.reading.by.After(e.at) || d.reading.by.Sub(e.at) > maxDayDays*24*time.Hour) {
		return errors.New("it goes there by a time that is not later")
	}
	c.seen[d.verb+" "+d.path] = true
	return nil
}

// names complains about a label that is about nothing in the file.
func (c *dayChecker) names(t dayAbout) {
	shape, reading := dayReadings[t.kind]
	if c.seen[t.kind+" "+t.name] || t.kind == verbClock || reading && !shape.named {
		return
	}
	c.p.fail(t.line, "nothing in the file is %s %s", t.kind, clip(t.name))
}
