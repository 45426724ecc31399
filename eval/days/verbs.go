package days

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// verb is a word for what can happen: how what follows it is read, why it can
// not be then, and what it does.
type verb struct {
	reads []argument
	check func(*checker, event) error
	do    func(*Player, context.Context, event) error
}

// argument reads one thing that follows a verb.
type argument func(*words, *deed)

// verbs are all of them; docs/days.md says what they mean.
var verbs = map[string]verb{
	"write":    edit(tree.write, (*Player).save, aPath, aContent),
	"append":   edit(tree.append, (*Player).extend, aPath, aContent),
	"replace":  edit(tree.replace, (*Player).save, aPath, anOld, aNew),
	"delete":   edit(tree.delete, (*Player).remove, aPath),
	"move":     edit(tree.move, (*Player).rename, aPath, aGoal),
	"event":    edit(tree.event, (*Player).save, aCalendar, events),
	"cancel":   edit(tree.cancel, (*Player).save, aCalendar, aUID),
	"mail":     comes(folderInbox),
	"send":     comes(folderSent),
	"read":     goes(folderInbox),
	"archive":  goes(folderArchive),
	"trash":    goes(folderTrash),
	"ack":      {[]argument{aLabel, aFeedback}, toLabel, (*Player).answer},
	"dismiss":  {[]argument{aLabel, forever}, toLabel, (*Player).answer},
	"snooze":   {[]argument{aLabel, aSpan}, toLabel, (*Player).answer},
	"tell":     {[]argument{aSaying}, isTold, (*Player).tell},
	"presence": {[]argument{aPresence}, always, (*Player).appear},
	"fail":     fault(true),
	"mend":     fault(false),
	"sleep":    sleep(true),
	"wake":     sleep(false),
	"restart":  {nil, always, (*Player).restart},
	"unit":     {[]argument{aUnit}, ofUnit, (*Player).shows},
	"publish":  publish(),
	"report":   report(),
	"withdraw": withdraw(),
	"clock":    {[]argument{aClock}, ofReading, (*Player).shows},
	"disk":     gauges, "inodes": gauges, "memory": gauges, "swap": gauges, "load": gauges, "temperature": gauges, "battery": gauges,
}

var gauges = verb{[]argument{aReading}, ofReading, (*Player).shows}

// deed reads a verb and what follows it.
func (w *words) deed() deed {
	d := deed{verb: w.take("what happens")}
	v, known := verbs[d.verb]
	if !known {
		w.fail("%q is nothing that can happen here", clip(d.verb))
	}
	for _, read := range v.reads {
		read(w, &d)
	}
	w.done()
	return d
}

// edit is a change of files: of those of the tree, then of those on disk.
func edit(change func(tree, deed) error, save func(*Player, event) error, reads ...argument) verb {
	return verb{reads, func(c *checker, e event) error {
		if e.deed.to != "" {
			c.saw(e.deed.to)
		}
		c.saw(e.deed.path)
		c.events(e.deed.text)
		return change(c.tree, e.deed)
	}, func(p *Player, _ context.Context, e event) error {
		if err := change(p.tree, e.deed); err != nil {
			return err
		}
		return save(p, e)
	}}
}

func aPath(w *words, d *deed) { d.path = w.path() }
func aGoal(w *words, d *deed) { d.to = w.path() }
func anOld(w *words, d *deed) { d.old = w.text("what is replaced") }
func aNew(w *words, d *deed)  { d.text = w.text("what takes its place") }
func aUID(w *words, d *deed)  { d.text = w.take("the UID") }

// path takes the path of a note, a file or a calendar.
func (w *words) path() string {
	name := w.take("a path")
	if err := checkPath(name); err != nil {
		w.fail("%v", err)
	}
	return name
}

// aContent is a text in quotes, or `from later/NAME`.
func aContent(w *words, d *deed) {
	if w.is("from") {
		d.text = w.later().text
	} else {
		d.text = w.text("the text, or `from later/NAME`,")
	}
}

func aCalendar(w *words, d *deed) {
	if d.path = w.take("the calendar"); !isCalendar(d.path) {
		w.fail("%q is not a calendar NAME.ics", clip(d.path))
	}
}

func events(w *words, d *deed) {
	if !w.is("from") {
		w.fail("write `event %s from later/NAME`", clip(d.path))
	}
	d.text = w.later().text
}

func aLabel(w *words, d *deed) {
	d.label, d.command.Kind = w.take("the label"), subconscious.CommandKind(d.verb)
}

func aFeedback(w *words, d *deed) {
	d.command.Feedback = subconscious.Feedback(w.oneOf("the answer", "useful", "not_useful"))
}

func forever(w *words, d *deed) { d.command.Forever = w.is("forever") }

func aSpan(w *words, d *deed) {
	var err error
	if d.span, err = time.ParseDuration(w.take("how long")); err != nil || d.span < time.Minute || d.span > 30*24*time.Hour {
		w.fail("write how long to snooze like 45m or 2h")
	}
}

// toLabel: there is a label whose push can be answered.
func toLabel(c *checker, e event) error {
	if c.p.day.label(e.deed.label) == nil {
		return fmt.Errorf("there is no label %q to answer", clip(e.deed.label))
	}
	return nil
}

func aSaying(w *words, d *deed) {
	d.command = subconscious.Command{Kind: subconscious.CommandNote, Text: w.text("what is told")}
}

func aPresence(w *words, d *deed) {
	d.word = w.oneOf("the presence", "active", "idle", "locked", "unknown", "command")
}

func always(*checker, event) error { return nil }

func isTold(c *checker, _ event) error {
	c.seen["told "] = true
	return nil
}

// fault is of a sense or of the phone, which fails or is well again.
func fault(failing bool) verb {
	return verb{[]argument{aFault}, func(c *checker, e event) error {
		what := e.deed.path
		if _, there := c.tree[what]; isCalendar(what) && !there {
			return fmt.Errorf("there is no calendar %s", what)
		}
		if what == "mail" && !c.p.day.hasMail() {
			return errors.New("there is no mail that could fail")
		}
		c.seen["sense "+what] = true
		return c.turn(what, failing)
	}, func(p *Player, _ context.Context, e event) error { return p.fault(e.deed.path, failing) }}
}

func aFault(w *words, d *deed) {
	switch d.path = w.take("what fails"); {
	case d.path == "model":
		w.fail("models that fail are reserved: days have none")
	case !isCalendar(d.path) && !slices.Contains(faults, d.path) && !w.p.day.hasSource(d.path):
		w.fail("%q can not fail; health, files, notes, mail, NAME.ics, a source and phone can", clip(d.path))
	}
}

func sleep(asleep bool) verb {
	return verb{nil, func(c *checker, _ event) error { return c.turn("the machine", asleep) },
		func(p *Player, _ context.Context, _ event) error { p.asleep = asleep; return nil }}
}

// timeline reads what happens, line by line. Repeated lines become one event
// for each time, and all of it is put in order.
func (p *parser) timeline(s section) {
	date, last := p.day.start, p.day.start
	for _, l := range s.lines() {
		if text := strings.TrimSpace(l.text); dateAlone.MatchString(text) {
			next, err := time.ParseInLocation(time.DateOnly, text, p.day.zone)
			switch {
			case err != nil:
				p.fail(l.n, "there is no date %s", text)
			case next.Before(date):
				p.fail(l.n, "%s comes after %s", text, date.Format(time.DateOnly))
			case !next.Before(p.day.end):
				p.fail(l.n, "%s is after the end; set end in the header", text)
			default:
				date, last = next, later(next, last)
			}
			continue
		}
		all := p.eventsOf(l, date)
		if len(all) == 0 {
			continue
		}
		if all[0].at.Before(last) {
			p.fail(l.n, "%s is earlier than the line before", all[0].at.Format("15:04"))
		}
		last = all[0].at
		if len(p.day.timeline)+len(all) > maxEvents {
			p.fail(l.n, "more than %d things happen", maxEvents)
			return
		}
		p.day.timeline = append(p.day.timeline, all...)
	}
	slices.SortStableFunc(p.day.timeline, func(a, b event) int { return a.at.Compare(b.at) })
}

// later is the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

var repeated = regexp.MustCompile(`^(\d\d:\d\d)-(\d\d:\d\d)/(\S+)$`)

// eventsOf reads one line of the timeline.
func (p *parser) eventsOf(l line, date time.Time) (all []event) {
	w := p.words(l)
	w.date = date
	first, times := w.take("a time"), []time.Time(nil)
	if parts := repeated.FindStringSubmatch(first); parts != nil {
		times = w.times(date, parts[1], parts[2], parts[3])
	} else {
		times = append(times, w.clock(date, first))
	}
	d := w.deed()
	if len(times) > 1 && d.reading.how == goesTo {
		w.fail("a reading that goes somewhere does so once")
	}
	for n := 0; w.ok && n < len(times); n++ {
		fill, one := strings.NewReplacer("{n}", strconv.Itoa(n+1), "{time}", times[n].Format("15-04")), d
		for _, field := range []*string{&one.path, &one.to, &one.text, &one.old} {
			*field = fill.Replace(*field)
		}
		all = append(all, event{times[n], l.n, one})
	}
	return all
}

// times are those from the first to the last, a step apart.
func (w *words) times(date time.Time, from, to, every string) (times []time.Time) {
	first, last := w.clock(date, from), w.clock(date, to)
	step, err := time.ParseDuration(every)
	if err != nil || step < time.Minute || step%time.Minute != 0 {
		w.fail("the step is %q; write it like 20m or 1h30m", clip(every))
	}
	if !first.Before(last) {
		w.fail("%s is not before %s", from, to)
	}
	for at := first; w.ok && !at.After(last); at = at.Add(step) {
		times = append(times, at)
	}
	return times
}
