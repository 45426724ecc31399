package eval

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// dayPush is one thing that the person was told: a single message, an item of a
// digest, or a notice of the daemon about itself.
type dayPush struct {
	At   time.Time `json:"at"`
	Tick int       `json:"tick"` // slots since the start
	Kind string    `json:"kind"` // incident, digest, notice
	// Words are what the person reads.
	Words    string                  `json:"words"`
	Incident subconscious.IncidentID `json:"incident,omitempty"`
	// Why is the rule, the thread and the gate's reason.
	Why string `json:"why,omitempty"`
	// Keys are of what it rests on.
	Keys []string `json:"keys"`
}

// dayPlayed is what became of a day.
type dayPlayed struct {
	day      *day
	pushes   []dayPush
	messages int // a digest is one
	ticks    int
	calls    int
	tokens   int
	cost     float64
	took     time.Duration
	// decided are the gate's decisions, each verdict and reason of an incident
	// once.
	decided []dayDecision
	// unanswered are answers to pushes that never came.
	unanswered []string
}

// dayDecision is a decision with the keys of what it is about.
type dayDecision struct {
	api.Decision
	keys []string
}

// dayPlayer plays one day.
type dayPlayer struct {
	*dayWorld
	played  *dayPlayed
	next    int // of the timeline
	taken   int // arrivals that were looked at
	faulty  bool
	waiting []api.ToldMessage
	last    map[subconscious.IncidentID]dayDecision
	seen    map[string]bool
	// ask explains an incident.
	ask func(ctx context.Context, id subconscious.IncidentID) (api.IncidentExplanation, error)
	// after, if set, is told of each tick.
	after func(ctx context.Context, report api.TickReport) error
}

// playDay plays a day through a whole daemon.
func playDay(ctx context.Context, d *day, preset string) (played *dayPlayed, err error) {
	began := time.Now()
	world, err := openDay(ctx, d, preset)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.path, err)
	}
	defer func() {
		if closed := world.close(ctx); err == nil {
			err = closed
		}
	}()
	p := newDayPlayer(world)
	for at := d.start; at.Before(d.end); at = at.Add(daySlot) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%s: ended at %s: %w", d.path, at.Format(time.DateTime), err)
		}
		if err := p.slot(ctx, at); err != nil {
			return nil, fmt.Errorf("%s: at %s: %w", d.path, at.Format(time.DateTime), err)
		}
	}
	p.played.took = time.Since(began)
	return p.played, nil
}

func newDayPlayer(world *dayWorld) *dayPlayer {
	p := &dayPlayer{dayWorld: world, played: &dayPlayed{day: world.day}, last: map[subconscious.IncidentID]dayDecision{}, seen: map[string]bool{}}
	p.ask = func(ctx context.Context, id subconscious.IncidentID) (api.IncidentExplanation, error) {
		return p.mind.Incident(ctx, id) // of the mind that runs now: it may be started anew
	}
	return p
}

// slot has everything happen up to a time, and the mind look at it.
func (p *dayPlayer) slot(ctx context.Context, at time.Time) error {
	for ; p.next < len(p.day.timeline) && !p.day.timeline[p.next].at.After(at); p.next++ {
		e := p.day.timeline[p.next]
		p.clock.Store(e.at.UnixNano())
		if err := p.event(ctx, e); err != nil {
			return fmt.Errorf("line %d: %w", e.line, err)
		}
	}
	p.clock.Store(at.UnixNano())
	if p.mailbox != nil {
		p.mailbox.until(at)
	}
	if p.asleep {
		return nil
	}
	report, err := p.tick(ctx)
	if err != nil {
		return err
	}
	p.played.ticks++
	if p.after != nil {
		if err := p.after(ctx, report); err != nil {
			return err
		}
	}
	for _, t := range report.Threads {
		p.played.calls, p.played.tokens, p.played.cost = p.played.calls+t.Calls, p.played.tokens+t.Tokens, p.played.cost+t.Cost
	}
	for _, d := range report.Decisions {
		p.decide(d)
	}
	p.waiting = append(p.waiting, report.Told...)
	return p.receive(ctx)
}

// event has one thing happen; answers need to know what was told.
func (p *dayPlayer) event(ctx context.Context, e dayEvent) error {
	d := e.deed
	if d.verb == verbFail && d.path == "phone" {
		p.faulty = true
	}
	if d.verb != verbAck && d.verb != verbDismiss && d.verb != verbSnooze {
		return p.happens(ctx, e)
	}
	label, _ := p.day.label(d.label)
	for _, push := range slices.Backward(p.played.pushes) {
		if push.Incident == "" || !label.covers(push) {
			continue
		}
		command := subconscious.Command{IncidentID: push.Incident, At: e.at}
		switch d.verb {
		case verbAck:
			command.Kind, command.Feedback = subconscious.CommandAck, subconscious.Feedback(d.word)
		case verbDismiss:
			command.Kind, command.Forever = subconscious.CommandDismiss, d.forever
		case verbSnooze:
			command.Kind, command.Until = subconscious.CommandSnooze, e.at.Add(d.span)
		}
		return p.command(ctx, command)
	}
	p.played.unanswered = append(p.played.unanswered, fmt.Sprintf("line %d: nothing was told of %s that could be answered", e.line, d.label))
	return nil
}

// decide keeps a decision for whoever asks why.
func (p *dayPlayer) decide(d api.Decision) {
	decision := dayDecision{d, partsOf(p.plain(string(d.Incident)))}
	if last := p.last[d.ID]; last.Verdict != "tell" || last.Tick != d.Tick {
		p.last[d.ID] = decision // of a tick the one that told
	}
	if key := string(d.Incident) + " " + d.Verdict + " " + d.Reason; !p.seen[key] {
		p.seen[key] = true
		p.played.decided = append(p.played.decided, decision)
	}
}

// arriveWithin is how long messages may take to arrive.
const arriveWithin = 30 * time.Second

// receive waits until what was told has arrived, and keeps it. What a phone that
// failed before did not take may wait for longer.
func (p *dayPlayer) receive(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, arriveWithin)
	defer cancel()
	if err := p.mind.Idle(bounded); err != nil {
		return fmt.Errorf("messages were not sent within %s: %w", arriveWithin, err)
	}
	if len(p.waiting) == 0 {
		return nil
	}
	for _, a := range p.phone.since(p.taken) {
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
func (p *dayPlayer) arrive(ctx context.Context, a arrival) error {
	n := slices.IndexFunc(p.waiting, func(m api.ToldMessage) bool {
		return m.Kind == string(a.Kind) && (a.Kind != notify.KindIncident || slices.Contains(m.Incidents, a.Incident))
	})
	if n < 0 {
		return fmt.Errorf("the message %q arrived, and no tick told it", a.Title)
	}
	told := p.waiting[n]
	p.waiting = slices.Delete(p.waiting, n, n+1)
	p.played.messages++
	push := dayPush{At: a.at, Tick: int(a.at.Sub(p.day.start) / daySlot), Kind: told.Kind, Words: p.plain(strings.TrimSpace(a.Title + "\n" + a.Text)), Keys: []string{}}
	if len(told.Incidents) == 0 {
		p.played.pushes = append(p.played.pushes, push)
	}
	for _, id := range told.Incidents {
		item := push
		if err := p.explain(ctx, id, &item); err != nil {
			return err
		}
		p.played.pushes = append(p.played.pushes, item)
	}
	return nil
}

// explain fills in what an incident is about.
func (p *dayPlayer) explain(ctx context.Context, id subconscious.IncidentID, push *dayPush) error {
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

func (d dayDecision) why() string {
	return strings.TrimSpace(fmt.Sprintf("%s/%s importance %d confidence %.2f: %s %s %s (%s)", d.Thread, d.Rule, d.Importance, d.Confidence, d.Verdict, d.Reason, d.Again, d.Detail))
}

// plain writes a key as the file of the day does: without the folder in which
// it is played.
func (p *dayPlayer) plain(key string) string { return strings.ReplaceAll(key, p.dir+"/", "") }

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
func (l *dayLabel) covers(push dayPush) bool {
	about := len(l.about) == 0
	for _, t := range l.about {
		about = about || slices.ContainsFunc(push.Keys, t.covers) || t.kind == aboutSense && push.names(t.name)
	}
	return about && !slices.ContainsFunc(l.match, func(p dayPattern) bool { return !p.regexp.MatchString(push.Words) })
}

// names reports whether a notice names a sense.
func (push dayPush) names(sense string) bool {
	if push.Kind != string(notify.KindNotice) {
		return false
	}
	word := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(strings.TrimSuffix(sense, ".ics")) + `\b`)
	return word.MatchString(push.Words)
}

// errNoDays is a folder without days.
var errNoDays = errors.New("there is no day NAME.txtar")
