package days

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// oracleModel is the preset in which every role has a model that knows the labels.
const oracleModel = "oracle"

// oracle is that model: it asks that what a needle is about be told, and finds
// nothing else. What it does not reach was never shown to it, or not let through.
type oracle struct {
	p *Player

	mu   sync.Mutex
	now  subconscious.Snapshot
	seen map[subconscious.Ref]subconscious.Observation
	// asked are the kinds of findings, with needles and the changes that they rest on,
	// for which it asked that they be told: each thread asks once.
	asked map[string]bool
}

// consult gives every role to an oracle. It runs out of nothing, so that its tokens
// are what the days take.
func (p *Player) consult() error {
	o := &oracle{p: p, seen: map[subconscious.Ref]subconscious.Observation{}, asked: map[string]bool{}}
	p.Played.shown = map[*label]time.Time{}
	p.listeners = append(p.listeners, o.look)
	c := &p.Config.Budget
	c.CallsPerDay, c.TokensPerDay, c.MoneyPerDay, c.MoneyPerMonth = -1, -1, -1, -1
	_, err := p.Model(modeltest.Options{Script: o.answer}, models.Price{}, harness.Roles(models.RoleDeliberation, models.RoleChat)...)
	return err
}

// look remembers what the threads may be shown.
func (o *oracle) look(snapshot subconscious.Snapshot) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.now = snapshot
	for _, field := range snapshot.Fields {
		for _, seen := range slices.Concat(field.New, field.Wider, field.Standing) {
			o.seen[seen.Ref()] = seen
		}
	}
}

// answer is what it says to a thread, or in a deliberation.
func (o *oracle) answer(r modeltest.Request) modeltest.Reply {
	o.mu.Lock()
	defer o.mu.Unlock()
	shown := o.needles(r)
	if r.Wields() {
		tool, arguments := "dismiss", map[string]string{"reason": "No label wants it."}
		if len(shown) > 0 {
			tool, arguments = "notify_person", map[string]string{"text": shown[0].words, "reason": shown[0].because}
		}
		data, _ := json.Marshal(arguments) // texts alone
		return modeltest.Reply{Calls: []models.ToolCall{{ID: fmt.Sprintf("call_%d", r.Number), Name: tool, Arguments: data}}}
	}
	if verdicts := modeltest.Verdicts(r, o.verdict); verdicts != "" {
		return modeltest.Reply{Text: verdicts}
	}
	var t modeltest.Thought
	kinds := slices.DeleteFunc(r.Kinds(), func(kind string) bool { return kind == string(subconscious.KindIdea) }) // which nobody is told at once
	for _, s := range shown {
		if len(kinds) == 0 || len(t.Findings) == mostFindings || o.asked[kinds[0]+s.name+s.citation] {
			continue
		}
		f := modeltest.Finding{Kind: kinds[0], Summary: s.words, Importance: 9, Evidence: []string{s.citation}}
		if _, quiet := o.p.day.quiet.Until(o.now.At); o.now.At.Before(s.from) && !quiet { // it waits for its time
			due := s.by.Format(time.RFC3339)
			f.Due = &due
		} else {
			f.Escalate, f.EscalateReason, o.asked[kinds[0]+s.name+s.citation] = true, &s.because, true
		}
		t.Findings = append(t.Findings, f)
	}
	return modeltest.Reply{Thought: &t}
}

// verdict judges a mail that triage shows: a needle is to be told by its time.
func (o *oracle) verdict(shown string) modeltest.Verdict {
	for _, seen := range o.seen {
		if seen.Sense != "mail" || !strings.Contains(shown, modeltest.Letters(seen.Title)) {
			continue
		}
		if needles := o.wanted(seen, true); len(needles) > 0 {
			by := needles[0].by.Format(time.RFC3339)
			return modeltest.Verdict{Act: "do", Loss: 3, ForMe: true, By: by, Why: "a label wants it"}
		}
	}
	return modeltest.Verdict{Act: "none", Why: "no label wants it"}
}

// mostFindings is how many findings a thread may have.
const mostFindings = 3

// sighting is a needle that a request shows, by one of its observations.
type sighting struct {
	*label
	citation, words string
}

// needles are those that a request shows while it helps to tell them, the soonest
// first.
func (o *oracle) needles(r modeltest.Request) (all []sighting) {
	for _, c := range r.Observed() {
		seen, ok := o.seen[c.Ref]
		if !ok {
			continue
		}
		for _, l := range o.wanted(seen, false) {
			if !slices.ContainsFunc(all, func(s sighting) bool { return s.label == l }) {
				words := o.p.plain(seen.Title + "\n" + seen.Text)
				all = append(all, sighting{l, c.String(), l.quote(words, seen.Title)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b sighting) int { return a.by.Compare(b.by) })
	return all
}

// wanted are the needles that what is shown is about while it helps to tell them; early
// ones are those of which there is nothing to see yet.
func (o *oracle) wanted(seen subconscious.Observation, early bool) (all []*label) {
	keys := append(partsOf(o.p.plain(string(seen.Key()))), o.p.plain(seen.Sense+":"+seen.ID))
	push := Push{Keys: keys, Words: o.p.plain(seen.Title + "\n" + seen.Text)}
	for _, l := range o.p.day.labels {
		if l.kind != needle || !early && o.now.At.Before(l.since) || o.now.At.After(l.until) || !l.covers(push) {
			continue
		}
		if o.p.Played.shown[l].IsZero() && !o.now.At.After(l.by) {
			o.p.Played.shown[l] = o.now.At
		}
		all = append(all, l)
	}
	return all
}

// quote is what a push has to say, in the words of what was seen.
func (l *label) quote(words, title string) string {
	var parts []string
	for _, r := range slices.Concat(l.match, l.says) {
		if part := strings.Join(strings.Fields(r.FindString(words)), " "); part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return subconscious.Head(strings.Join(append(parts, title), ", "), 135)
}
