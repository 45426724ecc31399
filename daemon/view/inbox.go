package view

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads/score"
)

// waitingShown is how many incidents that wait status shows.
const waitingShown = 20

// Inbox implements api.Mind.
func (v *Reader) Inbox(ctx context.Context, query api.InboxQuery) (api.Inbox, error) {
	v.use()
	incidents, before, err := v.in.Mind.Inbox(ctx, mind.InboxQuery{All: query.All, Before: query.Before, Limit: query.Limit})
	if err != nil {
		return api.Inbox{}, Answer(err)
	}
	inbox := api.Inbox{Incidents: []api.InboxIncident{}, Before: before, Presence: v.in.Board.Now().Presence, Channels: len(v.in.Outbox.Channels)}
	for _, incident := range incidents {
		shown, err := v.inboxIncident(ctx, incident)
		if err != nil {
			return api.Inbox{}, err
		}
		inbox.Incidents = append(inbox.Incidents, shown)
	}
	rules, now := v.in.Config.Gate(), v.in.Now()
	if until, quiet := escalate.QuietUntil(rules, now); quiet {
		inbox.QuietUntil = until
	}
	if due, ok := escalate.NextDigest(rules, now); ok {
		inbox.NextDigest = due
	}
	return inbox, nil
}

// inboxIncident is an incident as the person sees it, with its last message's
// deliveries.
func (v *Reader) inboxIncident(ctx context.Context, incident subconscious.Incident) (api.InboxIncident, error) {
	shown := toldIncident(v.in.Ledger.View(), incident)
	if shown.Outcome != "" {
		for _, r := range v.state().History {
			if r.Incident == incident.Key && r.Deliberation != "" {
				shown.OutcomeReason = r.Reason
			}
		}
	}
	proposed, err := v.in.Actions.Proposals(ctx, actions.Query{Incident: shown.ID, Pending: true, Limit: 1})
	if err != nil {
		return api.InboxIncident{}, fmt.Errorf("read what is proposed: %w", err)
	}
	if len(proposed) > 0 && v.in.Actions.Problem(proposed[0]) == nil {
		shown.Proposal = proposed[0].ID
	}
	deliveries, err := v.in.Outbox.Deliveries(ctx, shown.ID)
	if err != nil {
		return api.InboxIncident{}, fmt.Errorf("read what was sent: %w", err)
	}
	var last time.Time
	for _, x := range deliveries {
		last = x.At
	}
	shown.Delivery = slices.DeleteFunc(deliveries, func(x notify.Delivery) bool {
		return !x.At.Equal(last)
	})
	return shown, nil
}

// toldIncident is what is remembered of an incident, as it travels.
func toldIncident(view *senses.View, incident subconscious.Incident) api.InboxIncident {
	t := incident.Telling
	if t == nil {
		return api.InboxIncident{Summary: incident.Summary, Delivery: []api.Delivery{}}
	}
	shown := api.InboxIncident{
		ID: t.ID, State: t.State, Since: t.Since, Summary: t.Asked.Summary, Reason: t.Asked.Reason, Thread: t.Asked.Thread, Kind: t.Asked.Kind,
		Importance: t.Asked.Importance, Severity: incident.Severity, Due: t.Asked.Due, Waits: t.Waits, Held: t.Held, Until: t.Until,
		Times: t.Times, Feedback: t.Feedback, Remind: t.Remind, Deliberating: t.Deliberating(), Delivery: []api.Delivery{},
	}
	for ref := range incident.Recorded {
		if _, stands := view.Get(ref); stands && !incident.Over {
			shown.Standing = true
		}
	}
	if last, heard := t.Heard(); heard {
		shown.Told = last.At
	}
	if n := len(t.Told); n > 0 && t.Told[n-1].Outcome != subconscious.OutcomePending {
		shown.Outcome = t.Told[n-1].Outcome
	}
	return shown
}

// needs are what needs the person, counted here alone.
type needs struct {
	told     []api.InboxIncident // that wait to be told, the most important first
	proposed []actions.Proposal  // that wait for the person's word, newest first
	counts   api.IncidentCounts
}

func (v *Reader) needs(ctx context.Context) (n needs, err error) {
	live, err := v.in.Mind.LiveIncidents(ctx, MostLive)
	if err != nil {
		return n, fmt.Errorf("read what waits: %w", err)
	}
	for _, incident := range live {
		if incident.Telling.Waits {
			n.told = append(n.told, toldIncident(v.in.Ledger.View(), incident))
		}
	}
	slices.SortStableFunc(n.told, func(a, b api.InboxIncident) int { return b.Importance - a.Importance })
	if n.proposed, err = v.in.Actions.Proposals(ctx, actions.Query{Pending: true, Limit: mostListed}); err != nil {
		return n, fmt.Errorf("read the proposals: %w", err)
	}
	n.counts.Proposals = len(n.proposed)
	if n.counts.Open, n.counts.Held, err = v.in.Mind.IncidentCounts(ctx); err != nil {
		return n, fmt.Errorf("count what waits: %w", err)
	}
	return n, nil
}

// addTelling adds to a status what was told and waits to be.
func (v *Reader) addTelling(ctx context.Context, status *api.Status) (err error) {
	needs, err := v.needs(ctx)
	if err != nil {
		return err
	}
	status.Incidents, status.Waiting = needs.counts, needs.told[:min(len(needs.told), waitingShown)]
	for _, p := range needs.proposed[:min(len(needs.proposed), proposedShown)] {
		status.Proposed = append(status.Proposed, v.ShownProposal(p))
	}
	now := v.in.Now()
	spent, err := Attention(ctx, v.in.Mind, now)
	if err != nil {
		return fmt.Errorf("read how often the person was told: %w", err)
	}
	status.Budget.NotificationsToday = spent.Today
	today := attentionLimit("notifications_per_day", spent.Today, v.in.Config.Budget.NotificationsPerDay)
	if today.Limit > 0 {
		today.Until = time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, now.Location())
	}
	status.Budget.Limits = append(status.Budget.Limits, today,
		attentionLimit("escalations_per_hour", spent.LastHour, v.in.Config.Budget.EscalationsPerHour))
	status.Channels, err = v.Channels(ctx)
	return err
}

// Channels implements api.Mind.
func (v *Reader) Channels(ctx context.Context) ([]api.ChannelStatus, error) {
	statuses, err := v.in.Outbox.Statuses(ctx)
	return statuses, Answer(err)
}

// attentionLimit shows a limit of the person's attention.
func attentionLimit(name string, used, most int) api.LimitStatus {
	return api.LimitStatus{Name: name, Used: float64(used), Limit: float64(most), Exhausted: used >= most}
}

// decisionsShown bounds an explanation.
const decisionsShown = 50

// Incident implements api.Mind.
func (v *Reader) Incident(ctx context.Context, id subconscious.IncidentID) (api.IncidentExplanation, error) {
	v.use()
	incident, ok, err := v.in.Mind.IncidentByID(ctx, id)
	if err != nil {
		return api.IncidentExplanation{}, Answer(err)
	}
	if !ok {
		return api.IncidentExplanation{}, UnknownIncident(id)
	}
	out := api.IncidentExplanation{Record: incident, Entries: v.entriesOf(incident)}
	if out.Incident, err = v.inboxIncident(ctx, incident); err != nil {
		return api.IncidentExplanation{}, err
	}
	if out.Observations, err = v.observations(ctx, subconscious.Entry{Evidence: heldBy(incident)}, incident); err != nil {
		return api.IncidentExplanation{}, err
	}
	rows, err := v.in.Mind.Decisions(ctx, id, decisionsShown)
	if err != nil {
		return api.IncidentExplanation{}, fmt.Errorf("read the decisions: %w", err)
	}
	for _, row := range rows {
		var decision api.Decision
		if err := json.Unmarshal(row.JSON, &decision); err != nil {
			return api.IncidentExplanation{}, fmt.Errorf("read a decision on %s: %w", id, err)
		}
		out.Decisions = append(out.Decisions, decision)
	}
	deliveries, err := v.in.Outbox.Deliveries(ctx, id)
	if err != nil {
		return api.IncidentExplanation{}, fmt.Errorf("read what was sent: %w", err)
	}
	out.Deliveries = deliveries
	scores, err := v.in.Mind.Scores(ctx)
	if err != nil {
		return api.IncidentExplanation{}, fmt.Errorf("read what was learnt: %w", err)
	}
	if out.Deliberations, err = v.deliberationsOf(ctx, id); err != nil {
		return api.IncidentExplanation{}, err
	}
	asked, critical := incident.Telling.Asked, false
	if len(out.Decisions) > 0 {
		critical = out.Decisions[len(out.Decisions)-1].Critical
	}
	out.Confidence = escalate.Explain(asked, scoreOf(scores, asked), critical, v.in.Config.Gate())
	return out, nil
}

// entriesOf are the live entries of an incident, and the one that asked last.
func (v *Reader) entriesOf(incident subconscious.Incident) []subconscious.EntryID {
	state := v.state()
	var ids []subconscious.EntryID
	for _, e := range slices.Concat(state.Entries, state.Parked) {
		if e.Incident == incident.Key {
			ids = append(ids, e.ID)
		}
	}
	if t := incident.Telling; t != nil && t.Asked.Entry != "" && !slices.Contains(ids, t.Asked.Entry) {
		ids = append(ids, t.Asked.Entry)
	}
	return ids
}

// heldBy is what the last request about an incident cited.
func heldBy(incident subconscious.Incident) []subconscious.Held {
	var held []subconscious.Held
	if incident.Telling != nil {
		for _, c := range incident.Telling.Asked.Evidence {
			held = append(held, subconscious.Held{Citation: c})
		}
	}
	return held
}

// Calibration implements api.Mind.
func (v *Reader) Calibration(ctx context.Context) (api.Calibration, error) {
	scores, err := v.in.Mind.Scores(ctx)
	if err != nil {
		return api.Calibration{}, Answer(err)
	}
	rules := v.in.Config.Gate()
	out := api.Calibration{Scores: []api.ScoreStatus{}, PushFrom: rules.PushFrom, DigestFrom: rules.DigestFrom}
	for _, score := range scores {
		out.Scores = append(out.Scores, api.ScoreStatus{Score: score, Weight: escalate.Weight(score), Needs: escalate.Needs(score, rules.PushFrom)})
	}
	habits, err := v.in.Mind.Habits(ctx)
	if err != nil {
		return api.Calibration{}, Answer(err)
	}
	for _, habit := range score.Habits(habits).Named(v.in.Now()) {
		out.Letters = append(out.Letters, api.HabitStatus{Name: habit.Name, Moves: float64(habit.Lean/100) / 100, Acts: (habit.Acts + 50) / 100})
	}
	return out, nil
}

// scoreOf is the score of a request's sort.
func scoreOf(scores []subconscious.Score, asked subconscious.Asked) subconscious.Score {
	for _, score := range scores {
		if !asked.Scored && score.Thread == asked.Thread && score.Source == asked.Source && score.Kind == asked.Kind {
			return score
		}
	}
	return subconscious.Score{Thread: asked.Thread, Source: asked.Source, Kind: asked.Kind}
}

// MostLive bounds how many incidents are looked at that are not over: attention
// is a budget, so that there are far fewer.
const MostLive = 500

// Attention is how often the person was told lately.
func Attention(ctx context.Context, kept *mind.Store, at time.Time) (escalate.Spent, error) {
	pushes, err := kept.Pushes(ctx, at.AddDate(0, 0, -1).Add(-time.Hour))
	if err != nil {
		return escalate.Spent{}, err
	}
	spent := Spent(pushes, at)
	if spent.Daily, spent.Weekly, err = kept.Digests(ctx); err != nil {
		return spent, err
	}
	spent.Restored, err = kept.Restored(ctx)
	return spent, err
}

// Spent is what pushes, in the order of their times, take of the attention of that day.
func Spent(pushes []mind.Push, at time.Time) (spent escalate.Spent) {
	midnight := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location())
	hour := at.Add(-time.Hour)
	tomorrow := midnight.AddDate(0, 0, 1)
	for _, p := range pushes {
		if !p.At.Before(tomorrow) {
			continue // the clock was ahead when it was sent
		}
		switch today := !p.At.Before(midnight); {
		case p.Kind == mind.PushNotice:
			if today {
				spent.Notices++
			}
		case p.Kind == mind.PushRing:
			if today {
				spent.Rings++
			}
		default:
			urgent := 0
			if p.Kind == mind.PushUrgent {
				urgent = 1
			}
			if today {
				spent.Today++
				spent.UrgentToday += urgent
				if domain, is := strings.CutPrefix(p.Kind, mind.PushStranger); is {
					spent.Strangers = append(spent.Strangers, domain)
				}
			}
			if p.At.After(hour) && p.Kind != mind.PushDigest {
				if opens := p.At.Add(time.Hour); spent.LastHour == 0 || opens.Before(spent.Opens) {
					spent.Opens = opens
				}
				spent.LastHour++
				spent.UrgentLastHour += urgent
			}
		}
	}
	return spent
}
