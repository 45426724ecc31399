package days

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// timeline reads what happens, line by line. Repeated lines become one event
// for each time, and all of it is put in order.
func (p *dayParser) timeline(s daySection) {
	date, last := p.day.start, p.day.start
	for _, line := range s.lines() {
		text := strings.TrimSpace(line.text)
		if dayDate.MatchString(text) {
			next, err := time.ParseInLocation(time.DateOnly, text, p.day.zone)
			switch {
			case err != nil:
				p.fail(line.n, "there is no date %s", text)
			case next.Before(date):
				p.fail(line.n, "%s comes after %s", text, date.Format(time.DateOnly))
			case !next.Before(p.day.end):
				p.fail(line.n, "%s is after the end; set end in the header", text)
			default:
				date, last = next, maxTime(next, last)
			}
			continue
		}
		events := p.eventsOf(line, date)
		if len(events) == 0 {
			continue
		}
		if events[0].at.Before(last) {
			p.fail(line.n, "%s is earlier than the line before", events[0].at.Format("15:04"))
		}
		last = events[0].at
		if len(p.day.timeline)+len(events) > maxDayEvents {
			p.fail(line.n, "more than %d things happen", maxDayEvents)
			return
		}
		p.day.timeline = append(p.day.timeline, events...)
	}
	slices.SortStableFunc(p.day.timeline, func(a, b dayEvent) int { return a.at.Compare(b.at) })
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

var dayRange = regexp.MustCompile(`^(\d\d:\d\d)-(\d\d:\d\d)/(\S+)$`)

// eventsOf reads one line of the timeline.
func (p *dayParser) eventsOf(line dayLine, date time.Time) (events []dayEvent) {
	w := p.words(line)
	w.date = date
	first := w.take("a time")
	var times []time.Time
	if parts := dayRange.FindStringSubmatch(first); parts != nil && w.ok {
		times = w.times(date, parts[1], parts[2], parts[3])
	} else if w.ok {
		times = []time.Time{w.clock(date, first)}
	}
	deed := p.verb(w, w.take("what happens"))
	if w.done(); !w.ok {
		return nil
	}
	if len(times) > 1 && deed.reading.how == readingTo {
		p.fail(line.n, "a reading that goes somewhere does so once")
		return nil
	}
	for n, at := range times {
		events = append(events, dayEvent{at: at, line: line.n, deed: deed.filled(n+1, at)})
	}
	return events
}

// times are those from the first to the last, a step apart.
func (w *dayWords) times(date time.Time, from, to, every string) (times []time.Time) {
	first, last := w.clock(date, from), w.clock(date, to)
	step, err := time.ParseDuration(every)
	switch {
	case !w.ok:
		return nil
	case err != nil || step < time.Minute || step%time.Minute != 0:
		w.fail("the step is %q; write it like 20m or 1h30m", clip(every))
	case !first.Before(last):
		w.fail("%s is not before %s", from, to)
	}
	for at := first; w.ok && !at.After(last); at = at.Add(step) {
		times = append(times, at)
	}
	return times
}

// filled puts the count and the time into paths and texts.
func (d dayDeed) filled(n int, at time.Time) dayDeed {
	fill := strings.NewReplacer("{n}", strconv.Itoa(n), "{time}", at.Format("15-04"))
	d.path, d.to, d.text, d.old = fill.Replace(d.path), fill.Replace(d.to), fill.Replace(d.text), fill.Replace(d.old)
	return d
}

// The verbs of the timeline, but for those of health.
const (
	verbWrite    = "write"
	verbAppend   = "append"
	verbReplace  = "replace"
	verbDelete   = "delete"
	verbMove     = "move"
	verbEvent    = "event"
	verbCancel   = "cancel"
	verbPresence = "presence"
	verbTell     = "tell"
	verbAck      = "ack"
	verbDismiss  = "dismiss"
	verbSnooze   = "snooze"
	verbFail     = "fail"
	verbMend     = "mend"
	verbSleep    = "sleep"
	verbWake     = "wake"
	verbRestart  = "restart"
)

// verb reads what follows a time.
func (p *dayParser) verb(w *dayWords, verb string) dayDeed {
	d := dayDeed{verb: verb}
	switch verb {
	case verbWrite, verbAppend:
		d.path, d.text = w.path(), w.content()
	case verbReplace:
		d.path, d.old, d.text = w.path(), w.text("what is replaced"), w.text("what takes its place")
	case verbDelete:
		d.path = w.path()
	case verbMove:
		d.path, d.to = w.path(), w.path()
	case verbEvent:
		d.path = w.calendar()
		if !w.is("from") {
			w.fail("write `event %s from later/NAME`", clip(d.path))
		}
		d.text = w.later()
	case verbCancel:
		d.path, d.text = w.calendar(), w.take("the UID")
	case verbTell:
		d.text = w.text("what is told")
	case verbPresence:
		d.word = w.oneOf("the presence", presenceStates...)
	case verbAck, verbDismiss, verbSnooze:
		p.answer(w, &d)
	case verbFail, verbMend:
		d.path = w.faulty()
	case verbSleep, verbWake, verbRestart:
	case verbMail, verbSend, verbRead, verbArchive, verbTrash:
		p.mailVerb(w, &d)
	default:
		return p.healthVerb(w, verb)
	}
	return d
}

const (
	presenceActive  = "active"
	presenceIdle    = "idle"
	presenceLocked  = "locked"
	presenceUnknown = "unknown"
	presenceCommand = "command"
)

var presenceStates = []string{presenceActive, presenceIdle, presenceLocked, presenceUnknown, presenceCommand}

// answer reads what the person says of a push.
func (p *dayParser) answer(w *dayWords, d *dayDeed) {
	d.label = w.take("the label")
	switch d.verb {
	case verbAck:
		d.word = w.oneOf("the answer", "useful", "not_useful")
	case verbDismiss:
		d.forever = w.is("forever")
	case verbSnooze:
		span, err := time.ParseDuration(w.take("how long"))
		if w.ok && (err != nil || span < time.Minute || span > 30*24*time.Hour) {
			w.fail("write how long to snooze like 45m or 2h")
		}
		d.span = span
	}
}

// faulty takes what can fail: a sense or the phone.
func (w *dayWords) faulty() string {
	name := w.take("what fails")
	switch {
	case !w.ok || isDayCalendar(name) || slices.Contains([]string{"health", "files", "notes", "mail", "phone"}, name):
	case name == "model":
		w.fail("models that fail are reserved: days have none")
	default:
		w.fail("%q can not fail; health, files, notes, mail, NAME.ics and phone can", clip(name))
	}
	return name
}

// oneOf takes one of some words.
func (w *dayWords) oneOf(what string, words ...string) string {
	word := w.take(what)
	if w.ok && !slices.Contains(words, word) {
		w.fail("%s is %q; it is one of %s", what, clip(word), strings.Join(words, ", "))
	}
	return word
}
