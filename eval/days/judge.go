package days

import (
	"net/mail"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/eval/mails"
	parsed "github.com/subconsciousd/subconsciousd/senses/mail/message"
)

// verdict is what a push was.
type verdict struct {
	Push
	// Label is the name of the label that it belongs to, "" for none; Is its
	// kind, noise for none.
	Label string `json:"label,omitempty"`
	Is    kind   `json:"is"`
	// Repeat: the label was told before, and nothing allows it again.
	Repeat bool `json:"repeat,omitempty"`
	// Quotes: the label says what the words must hold, and whether they do.
	Quotes *bool `json:"quotes,omitempty"`
	// Late: the needle ought to have been told before.
	Late bool `json:"late,omitempty"`
}

// miss is a needle that was not told by its time.
type miss struct {
	Label   string    `json:"label"`
	By      time.Time `json:"by"`
	Because string    `json:"because"`
	// Told is when it was told too late, zero for never.
	Told time.Time `json:"told,omitzero"`
	// How it came to that, as far as is known.
	How string `json:"how,omitempty"`
	// Decided is what the gate decided of what the label is about.
	Decided []string `json:"decided"`
}

// counts are what is counted of a day, and of all days of a set.
type counts struct {
	Days int `json:"days"`
	// Needles, and those told by their time.
	Needles int `json:"needles"`
	Told    int `json:"told"`
	// By are needles by what they are about, and by the language of their day.
	By map[string]share `json:"needles_by"`
	// Held are needles that were asked for, held, and not told by their time; of the
	// others that were not told, an oracle was never shown those Unshown in time.
	Held    int `json:"held_past_use"`
	Unshown int `json:"not_shown,omitempty"`
	// Pushes are single messages and items of digests; Right those of a needle
	// or worth; Items and ItemsRight those of digests among them.
	Pushes     int `json:"pushes"`
	Right      int `json:"right"`
	Items      int `json:"digest_items"`
	ItemsRight int `json:"digest_items_right"`
	Repeats    int `json:"repeats"`
	// Quoting are pushes whose label has a `says`, Quoted those that say it.
	Quoting int `json:"quoting"`
	Quoted  int `json:"quoted"`
	Traps   int `json:"traps"`
	Sprung  int `json:"traps_told"`
	// Messages count a digest as one; Digests are those among them.
	Messages int `json:"messages"`
	Digests  int `json:"digests"`
	Ticks    int `json:"ticks"`
	Calls    int `json:"calls"`
	Tokens   int `json:"tokens"`
	// TokensBy are those of each role.
	TokensBy map[string]int `json:"tokens_by_role,omitempty"`
	Cost     float64        `json:"cost"` // US dollars
}

// share is how many of how many.
type share struct {
	Told int `json:"told"`
	Of   int `json:"of"`
}

// figures are those of one day.
type figures struct {
	Name  string `json:"name"`
	Set   string `json:"set"`
	Title string `json:"title"`
	counts
	Quiet    bool      `json:"quiet"`
	Delays   []int     `json:"delays_in_ticks"`
	TickMS   float64   `json:"tick_ms"`
	Verdicts []verdict `json:"verdicts"`
	Missed   []miss    `json:"missed"`
	// Unanswered are answers to what was never told.
	Unanswered []string `json:"unanswered,omitempty"`
	// Phone is what the phone showed, where that was asked for.
	Phone []Shown `json:"phone,omitempty"`
}

// telling is what is known of a label while pushes are judged in order.
type telling struct {
	pushed, listed bool // alone, in a digest
	again          int  // how many of its `again` are used up
	first          time.Time
}

// judge says of each push what it was, and counts.
func judge(p *Played) figures {
	d := p.day
	f := figures{
		Name: d.name, Set: d.set, Title: d.title, counts: p.counts, Quiet: d.quietDay(),
		Delays: []int{}, Verdicts: []verdict{}, Missed: []miss{}, Unanswered: p.unanswered, Phone: p.phone,
		TickMS: harness.Round(float64(p.took.Microseconds())/1000/float64(max(1, p.Ticks)), 2),
	}
	f.Days, f.By = d.days(), map[string]share{}
	told, sprung := map[*label]*telling{}, map[string]bool{}
	for _, l := range d.labels {
		told[l] = &telling{}
	}
	for _, push := range p.Pushes {
		v := d.judge(push, told)
		f.count(v)
		if v.Is == trap {
			sprung[v.Label] = true
		}
	}
	f.Sprung = len(sprung)
	for _, l := range d.labels {
		switch l.kind {
		case trap:
			f.Traps++
		case needle:
			f.needle(p, l, told[l].first)
		}
	}
	return f
}

// Listed: there is something to say of the day, whatever is asked for.
func (f figures) Listed(verbose bool) bool {
	return len(f.Missed) > 0 || verbose && len(f.Verdicts)+len(f.Unanswered) > 0 || slices.ContainsFunc(f.Verdicts, verdict.Wrong)
}

// count adds one push.
func (f *figures) count(v verdict) {
	f.Verdicts = append(f.Verdicts, v)
	right := v.Is == needle || v.Is == worth
	f.Pushes++
	if right {
		f.Right++
	}
	if v.Kind == "digest" {
		f.Items++
		if right {
			f.ItemsRight++
		}
	}
	if v.Repeat {
		f.Repeats++
	}
	if v.Quotes != nil {
		f.Quoting++
		if *v.Quotes {
			f.Quoted++
		}
	}
}

// needle counts whether one was told by its time, and how soon.
func (f *figures) needle(p *Played, l *label, first time.Time) {
	f.Needles++
	inTime := !first.IsZero() && !first.After(l.by)
	for _, by := range []string{p.day.matter(l), "in " + p.day.languages[0]} {
		sum := f.By[by]
		if sum.Of++; inTime {
			sum.Told++
		}
		f.By[by] = sum
	}
	if !inTime {
		how := ""
		switch {
		case p.held(l):
			f.Held++
			how = "held"
		case p.shown != nil && p.shown[l].IsZero():
			f.Unshown++
			how = "not shown"
		case p.shown != nil:
			how = "shown at " + p.shown[l].Format("02 15:04")
		}
		f.Missed = append(f.Missed, miss{Label: l.name, By: l.by, Because: l.because, Told: first, How: how, Decided: p.decisionsOn(l)})
		return
	}
	f.Told++
	if !l.since.IsZero() {
		f.Delays = append(f.Delays, max(0, int(first.Sub(firstTick(p.day, later(l.since, l.from)))/harness.Slot)))
	}
}

// judge finds the label that a push belongs to: one that is wanted then, those
// not told before first; else a trap, else noise.
func (d *day) judge(push Push, told map[*label]*telling) verdict {
	mine := slices.DeleteFunc(slices.Clone(d.labels), func(l *label) bool {
		return !l.wanted() || push.At.Before(l.from) || push.At.After(l.until) || !l.covers(push)
	})
	if len(mine) > 0 {
		l := mine[max(0, slices.IndexFunc(mine, func(l *label) bool { return told[l].first.IsZero() }))]
		t := told[l]
		v := verdict{Push: push, Label: l.name, Is: l.kind, Repeat: t.repeated(l, push)}
		if len(l.says) > 0 {
			quotes := matchAll(l.says, push.Words)
			v.Quotes = &quotes
		}
		if t.first.IsZero() {
			t.first = push.At
			v.Late = l.kind == needle && push.At.After(l.by)
		}
		return v
	}
	for _, kind := range []kind{trap, noise} {
		if n := slices.IndexFunc(d.labels, func(l *label) bool { return l.kind == kind && l.covers(push) }); n >= 0 {
			return verdict{Push: push, Label: d.labels[n].name, Is: kind}
		}
	}
	return verdict{Push: push, Is: noise}
}

// repeated notes that a label is told, and reports whether that is once too
// often.
func (t *telling) repeated(l *label, push Push) bool {
	before := t.pushed
	if push.Kind == "digest" {
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
func (p *Played) decisionsOn(l *label) []string {
	all := []string{}
	for _, d := range p.decided {
		if l.covers(d.push()) {
			all = append(all, d.At.In(p.day.zone).Format("02 15:04 ")+d.Summary+": "+d.why())
		}
	}
	return all
}

// held reports whether the gate ever held what a label is about.
func (p *Played) held(l *label) bool {
	return slices.ContainsFunc(p.decided, func(d decision) bool {
		return d.Verdict == escalate.Hold && l.covers(d.push())
	})
}

func (d decision) push() Push { return Push{Keys: d.keys, Words: d.Summary + "\n" + d.Message} }

// matter is what a needle is about, in words: of letters, who wrote it.
func (d *day) matter(l *label) string {
	if len(l.about) == 0 {
		return "other"
	}
	switch a := l.about[0]; a.kind {
	case "mail":
		return d.mail(a.name).writer(d)
	case "event":
		return "calendar"
	case "note", "told":
		return "notes"
	case "file":
		return "files"
	}
	return "machine"
}

// writer is who wrote a letter: somebody whom the person wrote to before, a
// machine, or a stranger.
func (m *message) writer(d *day) string {
	if m.mail.From == "" {
		return "own letters"
	}
	from := addressOf(m.mail.From)
	for _, sent := range d.mails {
		if sent.folder == folderSent && slices.ContainsFunc(sent.mail.To, func(to string) bool { return addressOf(to) == from }) {
			return "letters of known people"
		}
	}
	read, _ := parsed.Parse(m.mail.Raw(mails.Envelope{ID: m.id(1), At: d.start, To: d.addresses[0]}))
	if read.Automated || read.Bulk || read.List != "" {
		return "automatic letters"
	}
	return "letters of strangers"
}

// addressOf is an address without its name.
func addressOf(text string) string {
	if one, err := mail.ParseAddress(text); err == nil {
		return strings.ToLower(one.Address)
	}
	return text
}

// setFigures are those of all days of a set.
type setFigures struct {
	Set     string `json:"set"`
	Scripts int    `json:"scripts"`
	counts
	Recall    *float64 `json:"recall"`       // null without needles
	Precision *float64 `json:"precision"`    // null without pushes
	Delays    int      `json:"delays"`       // ticks
	Median    *int     `json:"delay_median"` // null without any
	P90       *int     `json:"delay_p90"`
	// SinglePrecision is of messages that tell one thing, ItemPrecision of items of
	// digests; both are null without any.
	SinglePrecision *float64 `json:"precision_of_single_pushes"`
	ItemPrecision   *float64 `json:"precision_of_digest_items"`
	PushesADay      float64  `json:"pushes_a_day"`
	SinglesADay     float64  `json:"single_pushes_a_day"`
	DigestsADay     float64  `json:"digests_a_day"`
	TrapsADay       float64  `json:"traps_told_a_day"`
	RepeatsADay     float64  `json:"repeats_a_day"`
	Quiet           int      `json:"quiet_days"`
	Silent          int      `json:"quiet_days_silent"`
	TickMS          float64  `json:"tick_ms"`
	// Ceiling is the share of needles that an oracle told, or the gate held; Lost are
	// those that it was shown, and that were neither.
	Ceiling    *float64       `json:"ceiling,omitempty"`
	Lost       int            `json:"shown_and_lost,omitempty"`
	TokensADay map[string]int `json:"tokens_a_day,omitempty"` // of each role, and of all
	// Missed says which reaches were missed, in words.
	Missed []string `json:"missed"`
}

// sum adds up the days of a set.
func sum(set string, days []figures) setFigures {
	s := setFigures{Set: set, counts: counts{By: map[string]share{}, TokensBy: map[string]int{}}}
	var delays []int
	took := 0.0
	for _, f := range days {
		if f.Set != set {
			continue
		}
		s.Scripts++
		harness.Add(&s.counts, f.counts)
		took += f.TickMS * float64(f.Ticks)
		delays = append(delays, f.Delays...)
		if f.Quiet {
			s.Quiet++
			if f.Pushes == 0 {
				s.Silent++
			}
		}
	}
	slices.Sort(delays)
	s.Delays, s.Median, s.P90 = len(delays), rank(delays, 50), rank(delays, 90)
	aDay := func(n int) float64 { return harness.Round(harness.Share(n, s.Days), 2) }
	s.Recall, s.Precision = shareOf(s.Told, s.Needles), shareOf(s.Right, s.Pushes)
	s.SinglePrecision, s.ItemPrecision = shareOf(s.Right-s.ItemsRight, s.Pushes-s.Items), shareOf(s.ItemsRight, s.Items)
	s.PushesADay, s.SinglesADay, s.DigestsADay = aDay(s.Messages), aDay(s.Messages-s.Digests), aDay(s.Digests)
	s.TrapsADay, s.RepeatsADay = aDay(s.Sprung), aDay(s.Repeats)
	s.TickMS = harness.Round(took/float64(max(1, s.Ticks)), 2)
	if s.Tokens > 0 {
		s.TokensADay = map[string]int{"all": s.Tokens / max(1, s.Days)}
		for role, n := range s.TokensBy {
			s.TokensADay[role] = n / max(1, s.Days)
		}
	}
	s.Missed = harness.Missed(s.reaches())
	return s
}

// What is to be reached, with rules alone as with any model.
const (
	recallReach    = 0.85
	precisionReach = 0.8
	delayReach     = 1
	singlesReach   = 4 // a day
	digestsReach   = 2
)

func (s setFigures) reaches() []harness.Reach {
	return []harness.Reach{
		harness.Want(s.Recall == nil || *s.Recall >= recallReach, "recall of needles is at least %.2f: %d of %d were told in time", recallReach, s.Told, s.Needles),
		harness.Want(s.Precision == nil || *s.Precision >= precisionReach, "precision of pushes is at least %.2f: %d of %d were wanted", precisionReach, s.Right, s.Pushes),
		harness.Want(s.Median == nil || *s.Median <= delayReach, "the median delay is at most %d tick", delayReach),
		harness.Want(s.Repeats == 0, "nothing is told twice: %d pushes are repeats", s.Repeats),
		harness.Want(s.Sprung == 0, "no trap is told: %d of %d are", s.Sprung, s.Traps),
		harness.Want(s.SinglesADay <= singlesReach && s.DigestsADay <= digestsReach,
			"at most %d single pushes and %d digests a day: there were %v and %v", singlesReach, digestsReach, s.SinglesADay, s.DigestsADay),
		harness.Want(s.Silent == s.Quiet, "quiet days are silent: %d of %d are", s.Silent, s.Quiet),
	}
}

// shareOf is a share to three places, nil of nothing.
func shareOf(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	share := harness.Round(float64(part)/float64(whole), 3)
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

// Wrong: the person would not have wanted it so.
func (v verdict) Wrong() bool {
	return !(v.Is == needle || v.Is == worth) || v.Repeat || v.Late
}

// String says what a push was.
func (v verdict) String() string {
	text := string(v.Is)
	if v.Label != "" {
		text += " " + v.Label
	}
	if v.Repeat {
		text = "repeat of " + text
	}
	if v.Late {
		text = "late " + text
	}
	return text
}
