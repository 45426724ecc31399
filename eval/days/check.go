package days

import (
	"fmt"
	"strings"
)

// checker goes through a day without playing it.
type checker struct {
	p    *parser
	tree tree
	seen map[string]bool // files that ever were, units, mounts, sensors, UIDs, by about's kinds
	// down holds what fails, and the machine while it sleeps.
	down map[string]bool
	// box is the folder in which the last mail of each name is.
	box map[string]string
}

// check refuses what can not happen, and labels that can never be met.
func (p *parser) check() {
	c := &checker{p: p, tree: tree{}, seen: map[string]bool{"disk /": true}, down: map[string]bool{}, box: map[string]string{}}
	for i := range p.day.files {
		f := &p.day.files[i]
		err := c.tree.blocked(f.path)
		if c.tree[f.path] = f.text; isCalendar(f.path) {
			err = c.tree.write(deed{path: f.path, text: f.text})
		}
		if err != nil {
			p.fail(f.line, "%s: %v", f.path, err)
		}
		f.text = c.tree[f.path]
		c.events(f.text)
		c.saw(f.path)
	}
	for _, d := range p.day.machine {
		c.seen[d.verb+" "+d.path] = true
	}
	c.mails()
	for _, f := range p.day.feeds {
		c.seen["item "+f.ID+"/"] = true
	}
	for _, e := range p.day.commands {
		c.seen["report "+e.ID+"/"] = true
	}
	for _, e := range p.day.timeline {
		if err := verbs[e.deed.verb].check(c, e); err != nil {
			p.fail(e.line, "%s: %v", e.at.Format("15:04"), err)
		}
	}
	for _, l := range p.day.labels {
		for i := range l.about {
			t := &l.about[i]
			if shape, reading := readings[t.kind]; !c.seen[t.kind+" "+t.name] && t.kind != "clock" && (!reading || shape.named) {
				p.fail(t.line, "nothing in the file is %s %s", t.kind, clip(t.name))
			}
			if t.kind == "mail" {
				for _, id := range p.day.thread(t.name) {
					t.named(abouts[t.kind], id)
				}
			}
		}
	}
}

// saw notes that a file was there, and the folders that it is in.
func (c *checker) saw(path string) {
	kind := "file"
	if strings.HasPrefix(path, "notes/") {
		kind = "note"
	}
	c.seen[kind+" "+path] = true
	for at, r := range path {
		if r == '/' {
			c.seen[kind+" "+path[:at+1]] = true
		}
	}
}

func (c *checker) events(text string) {
	found, _ := parseICS(text) // what is wrong with it is said elsewhere
	for _, e := range found.events {
		c.seen["event "+e.uid] = true
	}
}

// turn notes that something fails or sleeps, or works again.
func (c *checker) turn(what string, down bool) error {
	if c.down[what] == down {
		return fmt.Errorf("%s is in that state already", what)
	}
	c.down[what] = down
	return nil
}
