package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

var (
	_ api.Teller     = (*Daemon)(nil)
	_ api.Calibrator = (*Daemon)(nil)
)

// waitingShown is how many incidents that wait status shows.
const waitingShown = 20

// Inbox implements api.Teller.
func (d *Daemon) Inbox(ctx context.Context, query api.InboxQuery) (api.Inbox, error) {
	d.use()
	incidents, before, err := d.mind.Inbox(ctx, mind.InboxQuery{All: query.All, Before: query.Before, Limit: query.Limit})
	if err != nil {
		return api.Inbox{}, answer(err)
	}
	inbox := api.Inbox{Incidents: []api.InboxIncident{}, Before: before, Presence: d.lastPresence(), Channels: len(d.outbox.Channels)}
	for _, incident := range incidents {
		shown, err := d.inboxIncident(ctx, incident)
		if err != nil {
			return api.Inbox{}, err
		}
		inbox.Incidents = append(inbox.Incidents, shown)
	}
	rules, now := d.options.Config.Gate(), d.now()
	if until, quiet := d.quiet(now); quiet {
		inbox.QuietUntil = until
	}
	if due, ok := escalate.NextDigest(rules, now); ok {
		inbox.NextDigest = due
	}
	return inbox, nil
}

// inboxIncident is an incident as the person sees it, with its last message's
// deliveries.
func (d *Daemon) inboxIncident(ctx context.Context, incident subconscious.Incident) (api.InboxIncident, error) {
	shown := toldIncident(d.ledger.View(), incident)
	if shown.Outcome != "" {
		for _, r := range d.currentState().History {
			if r.Incident == incident.Key && r.Deliberation != "" {
				shown.OutcomeReason = r.Reason
			}
		}
	}
	proposed, err := d.actions.Proposals(ctx, actions.Query{Incident: shown.ID, Pending: true, Limit: 1})
	if err != nil {
		return api.InboxIncident{}, fmt.Errorf("read the proposals: %w", err)
	}
	if len(proposed) > 0 && d.actions.Problem(proposed[0]) == nil {
		shown.Proposal = proposed[0].ID
	}
	deliveries, err := d.outbox.Deliveries(ctx, shown.ID)
	if err != nil {
		return api.InboxIncident{}, fmt.Errorf("read what was sent: %w", err)
	}
	if len(deliveries) > 0 {
		last := deliveries[len(deliveries)-1].At
		for _, x := range deliveries {
			if x.At.Equal(last) {
				shown.Delivery = append(shown.Delivery, apiDelivery(x))
			}
		}
	}
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
		if _, stands := view.Get(ref); stands {
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

func apiDelivery(x notify.Delivery) api.Delivery {
	return api.Delivery{
		ID: x.ID, Channel: x.Channel, Kind: string(x.Kind), At: x.At, State: string(x.State), Sent: x.Sent, Attempts: x.Attempts,
		Repeated: x.Repeated, Title: x.Title, Text: x.Text, Error: x.Error, Next: x.Next,
	}
}

// waiting are the incidents that wait to be told, the most important first.
func (d *Daemon) waiting(ctx context.Context) ([]api.InboxIncident, error) {
	live, err := d.mind.LiveIncidents(ctx, liveIncidents)
	if err != nil {
		return nil, fmt.Errorf("read what waits: %w", err)
	}
	waiting := []api.InboxIncident{}
	for _, incident := range live {
		if incident.Telling.Waits {
			waiting = append(waiting, toldIncident(d.ledger.View(), incident))
		}
	}
	slices.SortStableFunc(waiting, func(a, b api.InboxIncident) int { return b.Importance - a.Importance })
	return waiting[:min(len(waiting), waitingShown)], nil
}

// addTelling adds to a status what was told and waits to be.
func (d *Daemon) addTelling(ctx context.Context, status *api.Status) (err error) {
	if status.Incidents.Open, status.Incidents.Held, err = d.mind.IncidentCounts(ctx); err != nil {
		return fmt.Errorf("count the incidents: %w", err)
	}
	if status.Waiting, err = d.waiting(ctx); err != nil {
		return err
	}
	now := d.now()
	spent, err := attention(ctx, d.mind, now)
	if err != nil {
		return fmt.Errorf("read how often the person was told: %w", err)
	}
	status.Budget.NotificationsToday = spent.Today
	today := attentionLimit("notifications_per_day", spent.Today, d.options.Config.Budget.NotificationsPerDay)
	if today.Limit > 0 {
		today.Until = time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, now.Location())
	}
	status.Budget.Limits = append(status.Budget.Limits, today,
		attentionLimit("escalations_per_hour", spent.LastHour, d.options.Config.Budget.EscalationsPerHour))
	status.Channels, err = d.Channels(ctx)
	return err
}

// attentionLimit shows a limit of the person's attention.
func attentionLimit(name string, used, most int) api.LimitStatus {
	return api.LimitStatus{Name: name, Used: float64(used), Limit: float64(most), Exhausted: used >= most}
}

// decisionsShown bounds an explanation.
const decisionsShown = 50

// Incident implements api.Teller.
func (d *Daemon) Incident(ctx context.Context, id subconscious.IncidentID) (api.IncidentExplanation, error) {
	d.use()
	incident, ok, err := d.mind.IncidentByID(ctx, id)
	if err != nil {
		return api.IncidentExplanation{}, answer(err)
	}
	if !ok {
		return api.IncidentExplanation{}, unknownIncident(id)
	}
	out := api.IncidentExplanation{Record: incident, Entries: d.entriesOf(incident)}
	if out.Incident, err = d.inboxIncident(ctx, incident); err != nil {
		return api.IncidentExplanation{}, err
	}
	if out.Observations, err = d.observations(ctx, subconscious.Entry{Evidence: heldBy(incident)}, incident); err != nil {
		return api.IncidentExplanation{}, err
	}
	rows, err := d.mind.Decisions(ctx, id, decisionsShown)
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
	deliveries, err := d.outbox.Deliveries(ctx, id)
	if err != nil {
		return api.IncidentExplanation{}, fmt.Errorf("read what was sent: %w", err)
	}
	for _, x := range deliveries {
		out.Deliveries = append(out.Deliveries, apiDelivery(x))
	}
	scores, err := d.mind.Scores(ctx)
	if err != nil {
		return api.IncidentExplanation{}, fmt.Errorf("read what was learnt: %w", err)
	}
	if out.Deliberations, err = d.deliberationsOf(ctx, id); err != nil {
		return api.IncidentExplanation{}, err
	}
	asked, critical := incident.Telling.Asked, false
	if len(out.Decisions) > 0 {
		critical = out.Decisions[len(out.Decisions)-1].Critical
	}
	out.Confidence = escalate.Explain(asked, scoreOf(scores, asked), critical, d.options.Config.Gate())
	return out, nil
}

func unknownIncident(id subconscious.IncidentID) error {
	return api.Errorf(api.CodeNotFound, "see `subconsciousctl inbox --all` for those there are", "there is no incident %s, nor was there one lately", id)
}

// entriesOf are the live entries of an incident, and the one that asked last.
func (d *Daemon) entriesOf(incident subconscious.Incident) []subconscious.EntryID {
	state := d.currentState()
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

// Calibration implements api.Calibrator.
func (d *Daemon) Calibration(ctx context.Context) (api.Calibration, error) {
	scores, err := d.mind.Scores(ctx)
	if err != nil {
		return api.Calibration{}, answer(err)
	}
	rules := d.options.Config.Gate()
	out := api.Calibration{Scores: []api.ScoreStatus{}, PushFrom: rules.PushFrom, DigestFrom: rules.DigestFrom}
	for _, score := range scores {
		out.Scores = append(out.Scores, api.ScoreStatus{Score: score, Weight: escalate.Weight(score), Needs: escalate.Needs(score, rules.PushFrom)})
	}
	return out, nil
}

// ResetCalibration implements api.Calibrator.
func (d *Daemon) ResetCalibration(ctx context.Context, request api.CalibrationRequest) (api.Calibration, error) {
	giveBack, err := d.take(ctx) // a tick that runs would write back what it learnt before
	if err != nil {
		return api.Calibration{}, err
	}
	defer giveBack()
	if _, err := d.mind.ResetScores(ctx, request.Thread, request.Source, request.Kind); err != nil {
		return api.Calibration{}, answer(err)
	}
	return d.Calibration(ctx)
}

// named fills in the key of the incident that a command names by its id, or by
// an entry of it.
func (d *Daemon) named(ctx context.Context, command *subconscious.Command) error {
	switch {
	case command.IncidentID != "":
		incident, ok, err := d.mind.IncidentByID(ctx, command.IncidentID)
		if err != nil {
			return answer(err)
		}
		if !ok {
			return unknownIncident(command.IncidentID)
		}
		command.Incident = incident.Key
	case command.Entry != "":
		entry, ok, err := d.mind.LastEntry(ctx, command.Entry)
		if err != nil {
			return answer(err)
		}
		if !ok {
			return d.unknownEntry(command.Entry)
		}
		command.Incident = entry.Incident
	}
	return nil
}

// scoreOf is the score of a request's sort.
func scoreOf(scores []subconscious.Score, asked subconscious.Asked) subconscious.Score {
	for _, score := range scores {
		if score.Thread == asked.Thread && score.Source == asked.Source && score.Kind == asked.Kind {
			return score
		}
	}
	return subconscious.Score{Thread: asked.Thread, Source: asked.Source, Kind: asked.Kind}
}
