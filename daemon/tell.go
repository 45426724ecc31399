package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// message is one message of a tick, with the incidents that it tells of.
type message struct {
	notify.Post
	incidents []subconscious.IncidentID
}

// usefulFor is how long a message is tried to be sent at most: whatever is due
// in centuries, as a model or a calendar may say, nobody waits for it.
const usefulFor = 30 * 24 * time.Hour

// messages are what a tick gives to the channels. Their keys say which decision
// they belong to, so that none can be given twice.
func messages(tick int64, at time.Time, outcome escalate.Decided) []message {
	var all []message
	add := func(key string, kind notify.Kind, m escalate.Message, incidents ...subconscious.IncidentID) *notify.Post {
		if latest := at.Add(usefulFor); m.Expires.After(latest) {
			m.Expires = latest
		}
		all = append(all, message{notify.Post{
			Key: fmt.Sprintf("%d/%s", tick, key), At: at, Kind: kind, Title: m.Title, Text: m.Text, Outline: m.Outline, Priority: m.Priority,
			Urgent: m.Urgent, Expires: m.Expires,
		}, incidents})
		return &all[len(all)-1].Post
	}
	for _, clear := range outcome.Clears {
		p := add("clear/"+string(clear.ID), notify.KindClear, clear.Message, clear.ID)
		p.Incident, p.Priority = clear.ID, notify.ForTheRecord
	}
	for _, decision := range outcome.Decisions {
		if decision.Verdict != escalate.Tell || decision.Message == nil || decision.Deliberate {
			continue
		}
		p := add(string(decision.ID), notify.KindIncident, *decision.Message, decision.ID)
		p.Incident, p.Answers = decision.ID, answersOf(*decision.Message)
	}
	for _, digest := range outcome.Digests {
		add("digest/"+digestName(digest), notify.KindDigest, digest.Message, digest.Incidents...)
	}
	if outcome.Notices != nil {
		add("notices", notify.KindNotice, outcome.Notices.Message)
	}
	return all
}

// answersOf are the buttons of a message; of one that was written before they were
// chosen, those that fit all.
func answersOf(m escalate.Message) []notify.Answer {
	if len(m.Buttons) == 0 {
		return []notify.Answer{notify.AnswerUseful, notify.AnswerNotNow, notify.AnswerDismiss}
	}
	var all []notify.Answer
	for _, name := range m.Buttons {
		all = append(all, notify.Answer(name))
	}
	return all
}

func digestName(digest escalate.DigestIssue) string {
	if digest.Weekly {
		return "weekly"
	}
	return "daily"
}

// pushes are what of a tick takes attention. What is deliberated on counts as
// told, until it is known not to be.
func pushes(tick int64, at time.Time, outcome escalate.Decided) []mind.Push {
	var all []mind.Push
	for _, decision := range outcome.Decisions {
		if decision.Verdict != escalate.Tell || decision.Message == nil {
			continue
		}
		p := mind.Push{At: at, Kind: mind.PushIncident}
		if decision.Urgent {
			p.Kind = mind.PushUrgent
		}
		if decision.Stranger != "" {
			p.Kind = mind.PushStranger + decision.Stranger
		}
		if decision.Rings {
			p.Kind = mind.PushRing
		}
		if decision.Deliberate {
			p.Key = mind.PushKey(tick, decision.ID)
		}
		all = append(all, p)
	}
	for range outcome.Digests {
		all = append(all, mind.Push{At: at, Kind: mind.PushDigest})
	}
	if outcome.Notices != nil {
		all = append(all, mind.Push{At: at, Kind: mind.PushNotice})
	}
	return all
}

// apiDecision is a decision as it travels.
func apiDecision(d escalate.Decision, tick int64, at time.Time) api.Decision {
	out := api.Decision{
		Incident: d.Incident, ID: d.ID, Entry: d.Asked.Entry, Thread: d.Asked.Thread, Rule: d.Asked.Rule, Summary: d.Asked.Summary,
		Tick: tick, At: at, Ruling: d.Ruling, Because: d.Asked.Reason, Importance: d.Asked.Importance,
	}
	if d.Message != nil {
		out.Message = d.Message.Title
		if d.Message.Text != "" {
			out.Message += "\n" + d.Message.Text
		}
	}
	return out
}

// newDecisions are those of a tick that are worth a record.
func newDecisions(tick int64, at time.Time, outcome escalate.Decided) []api.Decision {
	all := []api.Decision{}
	for _, decision := range outcome.Decisions {
		if decision.New {
			all = append(all, apiDecision(decision, tick, at))
		}
	}
	return all
}

// decisionRows are the records of decisions.
func decisionRows(decisions []api.Decision) ([]mind.Decision, error) {
	var rows []mind.Decision
	for _, x := range decisions {
		body, err := json.Marshal(x)
		if err != nil {
			return nil, fmt.Errorf("record the decision on %s: %w", x.ID, err)
		}
		rows = append(rows, mind.Decision{
			Tick: x.Tick, At: x.At, Incident: x.Incident, ID: x.ID, Entry: x.Entry, Thread: x.Thread,
			Verdict: string(x.Verdict), Reason: string(x.Reason), JSON: body,
		})
	}
	return rows, nil
}

// toldMessages are the messages of a tick for its report.
func toldMessages(outcome escalate.Decided) []api.ToldMessage {
	all := []api.ToldMessage{}
	for _, m := range messages(0, time.Time{}, outcome) {
		all = append(all, api.ToldMessage{
			Kind: string(m.Kind), Incidents: append([]subconscious.IncidentID{}, m.incidents...), Title: m.Title, Text: m.Text, Urgent: m.Urgent,
		})
	}
	return all
}

// hand gives the messages of a tick to the outbox, and what is to be deliberated
// on to the worker, in the tick's transaction.
func hand(ctx context.Context, tx *store.Tx, outbox *notify.Outbox, worker *deliberate.Worker, report api.TickReport, done decided, openers []opener) error {
	plain := plainIncidents(done)
	for _, p := range messages(report.Tick, report.At, done.outcome) {
		if slices.ContainsFunc(p.incidents, func(id subconscious.IncidentID) bool { return !plain[id] }) || p.Kind == notify.KindNotice {
			p.Title, p.Text, p.Outline = harmless(p.Title), harmless(p.Text), harmless(p.Outline)
		}
		if p.Kind == notify.KindIncident {
			p.Link = linkOf(done, p.Incident, openers)
		}
		if err := outbox.Post(ctx, tx, p.Post); err != nil {
			return fmt.Errorf("give a message to the channels: %w", err)
		}
	}
	return entrust(ctx, tx, worker, report, done, plain, openers)
}

// opener knows at which address what a sense saw is opened; "" for nowhere.
type opener interface {
	Opens(seen subconscious.Observation) string
}

// openers are the senses of the configuration that know addresses.
func openers(c setup.Senses) (all []opener) {
	for _, account := range c.Mail {
		all = append(all, account)
	}
	for _, file := range c.Calendar {
		all = append(all, file)
	}
	return all
}

// linkOf opens what a decision cites: the first of it that has an address.
func linkOf(done decided, id subconscious.IncidentID, openers []opener) string {
	at := slices.IndexFunc(done.outcome.Decisions, func(d escalate.Decision) bool { return d.ID == id })
	for _, c := range done.outcome.Decisions[at].Asked.Evidence {
		for _, e := range done.gate.Evidence {
			for _, o := range openers {
				if link := o.Opens(e.Latest); e.Ref == c.Ref && link != "" {
					return link
				}
			}
		}
	}
	return ""
}

// plainIncidents are those of which rules wrote, of nothing but what the person
// and the machine say.
func plainIncidents(done decided) map[subconscious.IncidentID]bool {
	trust := map[subconscious.Ref]subconscious.Trust{}
	for _, e := range done.gate.Evidence {
		trust[e.Ref] = e.Latest.Trust
	}
	plain := map[subconscious.IncidentID]bool{}
	for _, decision := range done.outcome.Decisions {
		if subconscious.ByModel(decision.Asked.Rule) || len(decision.Asked.Evidence) == 0 {
			continue
		}
		plain[decision.ID] = !slices.ContainsFunc(decision.Asked.Evidence, func(c subconscious.Citation) bool {
			return trust[c.Ref].Rank() > subconscious.Machine.Rank()
		})
	}
	return plain
}

// harmless is a text in which no address can be followed, line by line.
func harmless(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = deliberate.Defang(lines[i])
	}
	return strings.Join(lines, "\n")
}

// toldNotices are the keys of the notices that are told now.
func toldNotices(outcome escalate.Decided) []mind.NoticeKey {
	if outcome.Notices == nil {
		return nil
	}
	var keys []mind.NoticeKey
	for _, n := range outcome.Notices.Notices {
		keys = append(keys, n.NoticeKey)
	}
	return keys
}
