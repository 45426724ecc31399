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

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/eval/mails"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Push is one thing that the person was told: a single message, an item of a
// digest, or a notice of the daemon about itself.
type Push struct {
	At   time.Time `json:"at"`
	Tick int       `json:"tick"` // slots since the start
	Kind string    `json:"kind"` // incident, digest, notice
	// Words are what the person reads.
	Words    string                  `json:"words"`
	Priority int                     `json:"priority,omitempty"`
	Incident subconscious.IncidentID `json:"incident,omitempty"`
	// Why is the rule, the thread and the gate's reason.
	Why string `json:"why,omitempty"`
	// Keys are of what it rests on.
	Keys []string `json:"keys"`
}

// Played is what became of a day.
type Played struct {
	day *day
	counts
	Pushes []Push
	// Cleared are the alarms that were taken back, and when.
	Cleared []string
	took    time.Duration
	// decided are the gate's decisions, each verdict and reason of an incident
	// once.
	decided []decision
	// phone is what the phone showed, where somebody looked at it.
	phone []Shown
	// shown says when the oracle was shown a needle first; nil without it.
	shown map[*label]time.Time
	// unanswered are answers to pushes that never came.
	unanswered []string
}

// decision is a decision with the keys of what it is about.
type decision struct {
	api.Decision
	keys []string
}

// Player plays one day as it comes to be: folders with real files, a made-up
// machine, and a mind that looks at it.
type Player struct {
	*harness.World
	Played  Played
	day     *day
	tree    tree
	machine *machine
	mailbox *mailbox // nil where there is no mail
	feeds   map[string]*harness.Feed
	ring    *ring // nil where nobody looks at the phone
	asleep  bool
	// listeners are told what the threads are about to think of.
	listeners []func(subconscious.Snapshot)
	faulty    bool // the phone was
	// deliberates: models may tell something after a tick.
	deliberates bool

	// presence and since change between ticks only.
	presence   string
	since      time.Time
	commanding time.Time

	next    int // of the timeline
	taken   int // arrivals that were looked at
	waiting []api.ToldMessage
	last    map[subconscious.IncidentID]decision
	seen    map[string]bool
	// ask explains an incident.
	ask func(ctx context.Context, id subconscious.IncidentID) (api.IncidentExplanation, error)
	// After, if set, is told of each tick.
	After func(ctx context.Context, report api.TickReport) error
}

// OpenInbox makes a world in which nothing happens but that mail comes to a
// person in UTC, by rules alone. The player is closed whatever it returns.
func OpenInbox(ctx context.Context, path string, addresses []string, start, end time.Time, posts []mails.Posted) (*Player, error) {
	quiet := escalate.DefaultRules().Quiet
	return open(ctx, &day{path: path, name: "corpus", zone: time.UTC, start: start, end: end, addresses: addresses, quiet: quiet, posts: posts}, models.PresetReflex)
}

// Play plays the whole day.
func (p *Player) Play(ctx context.Context) error {
	began := time.Now()
	for at := p.day.start; at.Before(p.day.end); at = at.Add(harness.Slot) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: ended at %s: %w", p.day.path, at.Format(time.DateTime), err)
		}
		tick, kind := at, subconscious.Scheduled
		if remind := p.Mind.Reminds(); remind.After(p.Now()) && remind.Before(at) { // the slot follows
			tick, kind, at = remind, subconscious.Early, at.Add(-harness.Slot)
		}
		if err := p.slot(ctx, tick, kind); err != nil {
			return fmt.Errorf("%s: at %s: %w", p.day.path, tick.Format(time.DateTime), err)
		}
	}
	p.Played.took = time.Since(began)
	if p.ring != nil {
		p.Played.phone = p.ring.shown
	}
	return p.tally(ctx)
}

// playDay plays a day through a whole daemon.
func playDay(ctx context.Context, d *day, preset string, listeners ...func(subconscious.Snapshot)) (played *Played, err error) {
	p, err := open(ctx, d, preset, listeners...)
	defer p.CloseInto(ctx, &err)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.path, err)
	}
	return &p.Played, p.Play(ctx)
}

// tally adds up what models were asked, by threads and by whom else.
func (p *Player) tally(ctx context.Context) (err error) {
	p.Played.TokensBy = map[string]int{}
	number := func(text string) (n int) {
		var wrong error
		n, wrong = strconv.Atoi(text)
		err = errors.Join(err, wrong)
		return n
	}
	const query = "SELECT role, count(*) || ' ' || sum(input + output) || ' ' || sum(cost) FROM mind_model_calls GROUP BY role"
	read := p.Rows(ctx, query, func(role, sums string) {
		parts := strings.Fields(sums)
		p.Played.Calls += number(parts[0])
		p.Played.TokensBy[role] = number(parts[1])
		p.Played.Tokens += number(parts[1])
		p.Played.Cost += float64(number(parts[2])) / 1e9
	})
	return errors.Join(read, err)
}

// slot has everything happen up to a time, and the mind look at it.
func (p *Player) slot(ctx context.Context, at time.Time, kind subconscious.TickKind) error {
	for ; p.next < len(p.day.timeline) && !p.day.timeline[p.next].at.After(at); p.next++ {
		e := p.day.timeline[p.next]
		p.Set(e.at)
		if err := verbs[e.deed.verb].do(p, ctx, e); err != nil {
			return fmt.Errorf("line %d: %w", e.line, err)
		}
	}
	p.Set(at)
	if p.mailbox != nil {
		p.mailbox.until(at)
	}
	if p.asleep {
		return nil
	}
	report, err := p.TickAs(ctx, kind)
	if err != nil {
		return err
	}
	p.Played.Ticks++
	if p.After != nil {
		if err := p.After(ctx, report); err != nil {
			return err
		}
	}
	for _, d := range report.Decisions {
		p.decide(d)
	}
	p.waiting = append(p.waiting, report.Told...)
	return p.receive(ctx)
}

// decide keeps a decision of the gate, which explains pushes and missed needles.
func (p *Player) decide(d api.Decision) {
	decision := decision{d, partsOf(p.plain(string(d.Incident)))}
	if last := p.last[d.ID]; last.Verdict != "tell" || last.Tick != d.Tick {
		p.last[d.ID] = decision // of a tick the one that told
	}
	if key := string(d.Incident) + " " + string(d.Verdict) + " " + string(d.Reason); !p.seen[key] {
		p.seen[key] = true
		p.Played.decided = append(p.Played.decided, decision)
	}
}

// receive waits until what was told has arrived, and keeps it. Messages may still be
// on their way where the phone has failed before.
func (p *Player) receive(ctx context.Context) error {
	if err := p.Idle(ctx); err != nil {
		return err
	}
	for _, a := range p.Phone.Since(p.taken) {
		p.taken++
		if err := p.arrive(ctx, a); err != nil {
			return err
		}
	}
	if len(p.waiting) > 0 && !p.faulty {
		return fmt.Errorf("the message %q never arrived", p.waiting[0].Title)
	}
	return nil
}

// arrive turns a message into pushes.
func (p *Player) arrive(ctx context.Context, a harness.Arrival) error {
	n := slices.IndexFunc(p.waiting, func(m api.ToldMessage) bool {
		return m.Kind == string(a.Kind) && (a.Kind != notify.KindIncident && a.Kind != notify.KindClear || slices.Contains(m.Incidents, a.Incident))
	})
	told := api.ToldMessage{Kind: string(a.Kind), Incidents: []subconscious.IncidentID{a.Incident}}
	switch {
	case n >= 0:
		told = p.waiting[n]
		p.waiting = slices.Delete(p.waiting, n, n+1)
	case !p.deliberates || a.Incident == "":
		return fmt.Errorf("the message %q arrived, and no tick told it", a.Title)
	}
	if a.Kind == notify.KindClear { // it takes the place of a message, and asks for nothing
		p.Played.Cleared = append(p.Played.Cleared, a.At.In(p.day.zone).Format("15:04 ")+a.Title)
		return nil
	}
	p.Played.Messages++
	if a.Kind == notify.KindDigest {
		p.Played.Digests++
	}
	push := Push{At: a.At, Tick: int(a.At.Sub(p.day.start) / harness.Slot), Kind: told.Kind, Priority: a.Priority, Words: p.plain(strings.TrimSpace(a.Title + "\n" + a.Text)), Keys: []string{}}
	if len(told.Incidents) == 0 {
		p.Played.Pushes = append(p.Played.Pushes, push)
	}
	for _, id := range told.Incidents {
		item := push
		if err := p.explain(ctx, id, &item); err != nil {
			return err
		}
		p.Played.Pushes = append(p.Played.Pushes, item)
	}
	return nil
}

// explain fills in what an incident is about.
func (p *Player) explain(ctx context.Context, id subconscious.IncidentID, push *Push) error {
	explanation, err := p.ask(ctx, id)
	if err != nil {
		return fmt.Errorf("ask why %s was told: %w", id, err)
	}
	push.Incident, push.Keys = id, partsOf(p.plain(string(explanation.Record.Key)))
	for _, o := range explanation.Observations {
		push.Keys = append(push.Keys, p.plain(o.Observation.Sense+":"+o.Observation.ID))
	}
	slices.Sort(push.Keys)
	push.Keys = slices.Compact(push.Keys)
	if push.Kind == string(notify.KindDigest) {
		push.Words = explanation.Incident.Summary
	}
	if d, ok := p.last[id]; ok {
		push.Why = d.why()
	}
	return nil
}

func (d decision) why() string {
	return strings.TrimSpace(fmt.Sprintf("%s/%s importance %d confidence %.2f: %s %s %s (%s)", d.Thread, d.Rule, d.Importance, d.Confidence, d.Verdict, d.Reason, d.Again, d.Detail))
}

// plain writes a key as the file of the day does: without the folder in which
// it is played.
func (p *Player) plain(key string) string { return strings.ReplaceAll(key, p.Dir+"/", "") }

// partsOf are the parts of a key: two of a pair, that of a pattern.
func partsOf(key string) []string {
	if of, ok := strings.CutPrefix(key, "pattern:"); ok {
		return partsOf(of)
	}
	pair, ok := strings.CutPrefix(key, "pair:")
	if !ok {
		return []string{key}
	}
	var parts []string
	for half := range strings.SplitSeq(pair, " & ") {
		parts = append(parts, partsOf(strings.ReplaceAll(half, "&&", "&"))...)
	}
	return parts
}

// covers reports whether a push is of a label, whatever the time.
func (l *label) covers(push Push) bool {
	about := len(l.about) == 0
	for _, t := range l.about {
		about = about || slices.ContainsFunc(push.Keys, t.covers) || t.kind == "sense" && push.names(t.name)
	}
	return about && matchAll(l.match, push.Words)
}

func matchAll(all []*regexp.Regexp, words string) bool {
	return !slices.ContainsFunc(all, func(r *regexp.Regexp) bool { return !r.MatchString(words) })
}

// names reports whether a notice names a sense.
func (push Push) names(sense string) bool {
	if push.Kind != string(notify.KindNotice) {
		return false
	}
	word := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(strings.TrimSuffix(sense, ".ics")) + `\b`)
	return word.MatchString(push.Words)
}
