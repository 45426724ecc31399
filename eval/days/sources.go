package days

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/source"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// reports is appended to the name of a command: the file that it prints. The checker
// keeps the names of the items of a feed as if they were printed there.
const reports = ".reports"

// faults can fail beside sources and calendars, which can not have their names.
var faults = []string{"health", "files", "notes", "mail", "phone"}

// feed and command return the source of that name, nil for none.
func (d *day) feed(name string) *source.FeedConfig {
	if n := slices.IndexFunc(d.feeds, func(c source.FeedConfig) bool { return c.ID == name }); n >= 0 {
		return &d.feeds[n]
	}
	return nil
}

func (d *day) command(name string) *source.ExecConfig {
	if n := slices.IndexFunc(d.commands, func(c source.ExecConfig) bool { return c.ID == name }); n >= 0 {
		return &d.commands[n]
	}
	return nil
}

func (d *day) hasSource(name string) bool { return d.feed(name) != nil || d.command(name) != nil }

// sources reads what feeds and commands there are: the words of their configuration.
// Where they are is the player's to say.
func (p *parser) sources(s section) {
	lines := map[string]int{}
	for _, l := range s.lines() {
		w := p.words(l)
		what := w.oneOf("what it is", "feed", "exec", "kind")
		id := w.take("its name")
		switch {
		case what == "kind":
			if c := p.day.command(id); c != nil {
				w.kind(c)
			} else {
				w.fail("there is no line exec %s before it", clip(id))
			}
			continue
		case !dayName.MatchString(id) || slices.Contains(faults, id):
			w.fail("%q is no name for a source; use lower-case letters, digits and -, and none of %s", clip(id), strings.Join(faults, ", "))
		case p.day.hasSource(id):
			w.fail("there is a source %s already, at line %d", id, lines[id])
		}
		if lines[id] = l.n; what == "feed" {
			w.feed(id)
		} else {
			w.command(id)
		}
	}
	valid := func(id string, err error) {
		if err != nil {
			p.fail(lines[id], "%s: %s", id, strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
	for _, c := range p.day.feeds {
		valid(c.ID, c.Validate())
	}
	for _, c := range p.day.commands {
		valid(c.ID, c.Validate())
	}
}

// feed reads what is said of a feed behind its name.
func (w *words) feed(id string) {
	c := source.FeedConfig{ID: id, URL: "http://feeds.example"}
	for w.more() {
		switch w.oneOf("a word of a feed", "every", "severity") {
		case "every":
			c.Every = w.duration()
		case "severity":
			c.Severity = w.level()
		}
	}
	w.p.day.feeds = append(w.p.day.feeds, c)
}

// command reads what is said of a command behind its name.
func (w *words) command(id string) {
	c := source.ExecConfig{Config: source.Config{ID: id}, Command: []string{"cat"}}
	for w.more() {
		switch w.oneOf("a word of a command", "trust", "complete", "every", "per_hour") {
		case "trust":
			c.Trust = subconscious.Trust(w.oneOf("the trust", "owner", "machine", "agent", "outsider"))
		case "complete":
			c.Complete = true
		case "every":
			c.Every = w.duration()
		case "per_hour":
			c.PerHour = int(w.number("per_hour", "", 1, 3600))
		}
	}
	w.p.day.commands = append(w.p.day.commands, c)
}

// kind reads one kind of what a command reports.
func (w *words) kind(c *source.ExecConfig) {
	k := source.Kind{ID: w.take("the kind")}
	for w.more() {
		switch w.oneOf("a word of a kind", "severity", "stands", "due") {
		case "severity":
			k.Severity = w.level()
		case "stands":
			k.Stands = w.duration()
		case "due":
			k.Due = true
		}
	}
	c.Kinds = append(c.Kinds, k)
}

func (w *words) level() source.Level {
	return source.Level(w.oneOf("the severity", source.Levels...))
}

func (w *words) duration() time.Duration {
	text := w.take("how long")
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		w.fail("%q is no time span; write it like 30m or 6h", clip(text))
	}
	return d
}

// publish is an item that comes into a feed.
func publish() verb {
	return verb{[]argument{anItem, aTitle}, func(c *checker, e event) error {
		feed, id, _ := strings.Cut(e.deed.path, "/")
		c.seen["item "+e.deed.path] = true
		c.tree.print(feed, reportLine(source.Report{ID: id}))
		return nil
	}, func(p *Player, _ context.Context, e event) error {
		feed, id, _ := strings.Cut(e.deed.path, "/")
		title, text, _ := strings.Cut(e.deed.text, "\n")
		p.feeds[feed].Publish(id, html.EscapeString(title), html.EscapeString(text))
		return nil
	}}
}

// anItem is FEED/ID.
func anItem(w *words, d *deed) {
	d.path = w.take("the item")
	if feed, id, _ := strings.Cut(d.path, "/"); id == "" || w.p.day.feed(feed) == nil {
		w.fail("%q is no item FEED/ID of a feed in the section sources", clip(d.path))
	}
}

// aTitle is a title, and a text where there is one, in the next lines.
func aTitle(w *words, d *deed) {
	title := w.text("the title")
	if strings.TrimSpace(title) == "" || strings.Contains(title, "\n") {
		w.fail("the title %q is not one line", clip(title))
	}
	if w.more() {
		aContent(w, d)
	}
	d.text = title + "\n" + d.text
}

// report is what a command prints from now on.
func report() verb {
	return verb{[]argument{aSource, someReports}, func(c *checker, e event) error {
		command := c.p.day.command(e.deed.path)
		for n, line := range linesOf(e.deed.text) {
			r, err := command.Parse([]byte(line))
			if err != nil {
				return fmt.Errorf("report %d: %w", n+1, err)
			}
			c.seen["report "+command.ID+"/"+cmp.Or(r.ID, r.Title)] = true
		}
		return c.tree.report(e.deed)
	}, func(p *Player, _ context.Context, e event) error {
		return errors.Join(p.tree.report(e.deed), p.prints(e.deed.path, e.at))
	}}
}

func aSource(w *words, d *deed) {
	if d.path = w.take("the source"); w.p.day.command(d.path) == nil {
		w.fail("%q is no exec of the section sources", clip(d.path))
	}
}

// someReports are one report in JSON, to the end of the line, which goes to text; or all
// that is printed, from later/NAME, when word is "all".
func someReports(w *words, d *deed) {
	switch {
	case w.is("from"):
		d.word, d.text = "all", w.later().text
	case w.more() && strings.HasPrefix(w.list[0].text, "{"):
		d.text = w.take("the report")
	default:
		w.fail("write `report %s {\"id\": …}`, in JSON to the end of the line, or `report %s from later/NAME`", clip(d.path), clip(d.path))
	}
}

// withdraw takes an item out of a feed, or a report out of what a command prints.
func withdraw() verb {
	return verb{[]argument{func(w *words, d *deed) {
		d.path = w.take("the item or the report")
		if name, id, _ := strings.Cut(d.path, "/"); id == "" || !w.p.day.hasSource(name) {
			w.fail("%q is no SOURCE/ID of a source in the section sources", clip(d.path))
		}
	}}, func(c *checker, e event) error { return c.tree.withdraw(e.deed) }, func(p *Player, _ context.Context, e event) error {
		name, id, _ := strings.Cut(e.deed.path, "/")
		if feed := p.feeds[name]; feed != nil {
			feed.Withdraw(id)
			return nil
		}
		return errors.Join(p.tree.withdraw(e.deed), p.prints(name, e.at))
	}}
}

// prints writes what a command prints from now on.
func (p *Player) prints(name string, at time.Time) error {
	return p.Write(p.place(name+reports), p.tree[name+reports], at)
}

func linesOf(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func reportLine(r source.Report) string {
	line, _ := json.Marshal(r) // of texts
	return string(line)
}

// idOf is what a line of JSON is about.
func idOf(line string) string {
	r := source.Report{}
	_ = json.Unmarshal([]byte(line), &r) // the checker reads it, too
	return cmp.Or(r.ID, r.Title)
}

// report has a command print a line more, or nothing but some lines.
func (t tree) report(d deed) error {
	if d.word == "all" {
		t[d.path+reports] = ""
	}
	for _, line := range linesOf(d.text) {
		t.print(d.path, line)
	}
	return nil
}

// print puts a line behind the others, in the place of one about the same.
func (t tree) print(name, line string) {
	t.unprint(name, idOf(line))
	t[name+reports] += line + "\n"
}

func (t tree) unprint(name, id string) bool {
	all := linesOf(t[name+reports])
	rest := slices.DeleteFunc(slices.Clone(all), func(line string) bool { return idOf(line) == id })
	t[name+reports] = strings.Join(append(rest, ""), "\n")
	return len(rest) < len(all)
}

func (t tree) withdraw(d deed) error {
	name, id, _ := strings.Cut(d.path, "/")
	if !t.unprint(name, id) {
		return fmt.Errorf("%s is not there then", d.path)
	}
	return nil
}
