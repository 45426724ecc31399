package eval

import (
	"math"
	"slices"
	"time"
)

// dayVerdict is what a push was.
type dayVerdict struct {
	dayPush
	// Label is the name of the label that it belongs to, "" for none; Is its
	// kind, noise for none.
	Label string  `json:"label,omitempty"`
	Is    dayKind `json:"is"`
	// Repeat: the label was told before, and nothing allows it again.
	Repeat bool `json:"repeat,omitempty"`
	// Late: the needle ought to have been told before.
	Late bool `json:"late,omitempty"`
}

// dayMiss is a needle that was not told by its time.
type dayMiss struct {
	Label   string    `json:"label"`
	By      time.Time `json:"by"`
	Because string    `json:"because"`
	// Told is when it was told too late, zero for never.
	Told time.Time `json:"told,omitzero"`
	// Decided is what the gate decided of what the label is about.
	Decided []string `json:"decided"`
}

// dayFigures are those of one day.
type dayFigures struct {
	Name  string `json:"name"`
	Set   string `json:"set"`
	Title string `json:"title"`
	Days  int    `json:"days"`
	// Needles, and those told by their time.
	Needles int `json:"needles"`
	Told    int `json:"told"`
	// Pushes are single messages and items of digests; Right those of a needle
	// or worth; Items and ItemsRight those of digests among them.
	Pushes     int `json:"pushes"`
	Right      int `json:"right"`
	Items      int `json:"digest_items"`
	ItemsRight int `json:"digest_items_right"`
	Repeats    int `json:"repeats"`
	Traps      int `json:"traps"`
	Sprung     int `json:"traps_told"`
	// Messages count a digest as one.
	Messages int          `json:"messages"`
	Quiet    bool         `json:"quiet"`
	Delays   []int        `json:"delays_in_ticks"`
	Ticks    int          `json:"ticks"`
	Calls    int          `json:"calls"`
	Tokens   int          `json:"tokens"`
	Cost     float64      `json:"cost"` // US dollars
	TickMS   float64      `json:"tick_ms"`
	Verdicts []dayVerdict `json:"verdicts"`
	Missed   []dayMiss    `json:"missed"`
	// Unanswered are answers to what was never told.
	Unanswered []string `json:"unanswered,omitempty"`
}

// dayTold is what is known of a label while pushes are judged in order.
type dayTold struct {
	pushed, listed bool // alone, in a digest
	again          int  // how many of its `again` are used up
	first          time.Time
}

// judgeDay says of each push what it was, and counts.
func judgeDay(p *dayPlayed) dayFigures {
	d := p.day
	f := dayFigures{
		Name: d.name, Set: d.set, Title: d.title, Days: d.days(), Messages: p.messages, Quiet: d.quietDay(), Ticks: p.ticks,
		Calls: p.calls, Tokens: p.tokens, Cost: p.cost, Delays: []int{}, Verdicts: []dayVerdict{}, Missed: []dayMiss{}, Unanswered: p.unanswered,
	}
	if p.ticks > 0 {
		f.TickMS = math.Round(float64(p.took.Microseconds())/float64(p.ticks)/10) / 100
	}
	told, sprung := map[string]*dayTold{}, map[string]bool{}
	for i := range d.labels {
		told[d.labels[i].name] = &dayTold{}
	}
	for _, push := range p.pushes {
		v := d.judge(push, told)
		f.count(v)
		if v.Is == dayTrap {
			sprung[v.Label] = true
		}
	}
	f.Sprung = len(sprung)
	for i := range d.labels {
		l := &d.labels[i]
		switch l.kind {
		case dayTrap:
			f.Traps++
		case dayNeedle:
			f.needle(p, l, told[l.name].first)
		}
	}
	return f
}

// withoutCases are the figures alone: who tunes rules must not see what became
// of the days that they are measured on.
func (f dayFigures) withoutCases() dayFigures {
	f.Verdicts, f.Missed, f.Unanswered = []dayVerdict{}, []dayMiss{}, nil
	return f
}

// count adds one push.
func (f *dayFigures) count(v dayVerdict) {
	f.Verdicts = append(f.Verdicts, v)
	right := v.Is == dayNeedle || v.Is == dayWorth
	f.Pushes++
	if right {
		f.Right++
	}
	if v.Kind == pushDigest {
		f.Items++
		if right {
			f.ItemsRight++
		}
	}
	if v.Repeat {
		f.Repeats++
	}
}

const pushDigest = "digest"

// needle counts whether one was told by its time, and how soon.
func (f *dayFigures) needle(p *dayPlayed, l *dayLabel, first time.Time) {
	f.Needles++
	if first.IsZero() || first.After(l.by) {
		f.Missed = append(f.Missed, dayMiss{Label: l.name, By: l.by, Because: l.because, Told: first, Decided: p.decisionsOn(l)})
		return
	}
	f.Told++
	if !l.since.IsZero() {
		f.Delays = append(f.Delays, max(0, int(first.Sub(firstTick(p.day, maxTime(l.since, l.from)))/daySlot)))
	}
}

// judge finds the label that a push belongs to: one that is wanted then, those
// not told before first; else a trap, else noise.
func (d *day) judge(push dayPush, told map[string]*dayTold) dayVerdict {
	var mine *dayLabel
	for i := range d.labels {
		l := &d.labels[i]
		if !l.wanted() || push.At.Before(l.from) || push.At.After(l.until) || !l.covers(push) {
			continue
		}
		if t := told[l.name]; !t.pushed && !t.listed {
			mine = l
			break
		} else if mine == nil {
			mine = l
		}
	}
	if mine != nil {
		t := told[mine.name]
		v := dayVerdict{dayPush: push, Label: mine.name, Is: mine.kind, Repeat: t.repeated(mine, push)}
		if t.first.IsZero() {
			t.first = push.At
			v.Late = mine.kind == dayNeedle && push.At.After(mine.by)
		}
		return v
	}
	for _, kind := range []dayKind{dayTrap, dayNoise} {
		for i := range d.labels {
			if l := &d.labels[i]; l.kind == kind && l.covers(push) {
				return dayVerdict{dayPush: push, Label: l.name, Is: kind}
			}
		}
	}
	return dayVerdict{dayPush: push, Is: dayNoise}
}

// repeated notes that a label is told, and reports whether that is once too
// often.
func (t *dayTold) repeated(l *dayLabel, push dayPush) bool {
	before := t.pushed
	if push.Kind == pushDigest {
		before = before || t.listed
		t.listed = true
	} else {
		t.pushed = true
	}
	if !before {
		return false
	}
	if t.again < len(l.again) && !push.At.Before(l.again[t.again].from) {
		t.again++
		return false
	}
	return true
}

// decisionsOn are what the gate decided of what a label is about, in words.
func (p *dayPlayed) decisionsOn(l *dayLabel) []string {
	all := []string{}
	for _, d := range p.decided {
		if l.covers(dayPush{Keys: d.keys, Words: d.Summary + "\n" + d.Message}) {
			all = append(all, d.At.In(p.day.zone).Format("02 15:04 ")+d.Summary+": "+d.why())
		}
	}
	return all
}

// daysFigures are those of all days of a set.
type daysFigures struct {
	Set        string   `json:"set"`
	Scripts    int      `json:"scripts"`
	Days       int      `json:"days"`
	Needles    int      `json:"needles"`
	Told       int      `json:"told"`
	Recall     *float64 `json:"recall"` // null without needles
	Pushes     int      `json:"pushes"`
	Right      int      `json:"right"`
	Precision  *float64 `json:"precision"` // null without pushes
	Items      int      `json:"digest_items"`
	ItemsRight int      `json:"digest_items_right"`
	Delays     int      `json:"delays"`
	Median     *int     `json:"delay_median"` // ticks, null without any
	P90        *int     `json:"delay_p90"`
	Repeats    int      `json:"repeats"`
	Traps      int      `json:"traps"`
	Sprung     int      `json:"traps_told"`
	PushesADay float64  `json:"pushes_a_day"`
	Quiet      int      `json:"quiet_days"`
	Silent     int      `json:"quiet_days_silent"`
	Calls      int      `json:"calls"`
	Tokens     int      `json:"tokens"`
	Cost       float64  `json:"cost"` // US dollars
	Ticks      int      `json:"ticks"`
	TickMS     float64  `json:"tick_ms"`
	// Missed says which reaches were missed, in words.
	Missed []string `json:"missed"`
}

// sumDays adds up the days of a set.
func sumDays(set string, days []dayFigures) daysFigures {
	s := daysFigures{Set: set, Missed: []string{}}
	var delays []int
	messages, took := 0, 0.0
	for _, f := range days {
		if f.Set != set {
			continue
		}
		s.Scripts++
		s.Days += f.Days
		s.Needles, s.Told = s.Needles+f.Needles, s.Told+f.Told
		s.Pushes, s.Right = s.Pushes+f.Pushes, s.Right+f.Right
		s.Items, s.ItemsRight = s.Items+f.Items, s.ItemsRight+f.ItemsRight
		s.Repeats, s.Traps, s.Sprung = s.Repeats+f.Repeats, s.Traps+f.Traps, s.Sprung+f.Sprung
		s.Calls, s.Tokens, s.Cost = s.Calls+f.Calls, s.Tokens+f.Tokens, s.Cost+f.Cost
		s.Ticks += f.Ticks
		took += f.TickMS * float64(f.Ticks)
		messages += f.Messages
		delays = append(delays, f.Delays...)
		if f.Quiet {
			s.Quiet++
			if f.Pushes == 0 {
				s.Silent++
			}
		}
	}
	s.Recall, s.Precision = shareOf(s.Told, s.Needles), shareOf(s.Right, s.Pushes)
	slices.Sort(delays)
	s.Delays, s.Median, s.P90 = len(delays), rank(delays, 50), rank(delays, 90)
	if s.Days > 0 {
		s.PushesADay = math.Round(100*float64(messages)/float64(s.Days)) / 100
	}
	if s.Ticks > 0 {
		s.TickMS = math.Round(100*took/float64(s.Ticks)) / 100
	}
	for _, reach := range s.reaches() {
		if !reach.met {
			s.Missed = append(s.Missed, reach.words)
		}
	}
	return s
}

// shareOf is a share to three places, nil of nothing.
func shareOf(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	share := math.Round(1000*float64(part)/float64(whole)) / 1000
	return &share
}

// rank is the value at that per cent of a sorted list, by the nearest rank; nil
// of nothing.
func rank(sorted []int, percent int) *int {
	if len(sorted) == 0 {
		return nil
	}
	return &sorted[(len(sorted)*percent+99)/100-1]
}
