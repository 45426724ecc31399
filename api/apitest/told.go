package apitest

import (
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Telling returns a mind that tells the person: incidents in each state, three
// channels of which one fails, a meeting that holds things back, and what was
// learnt from answers.
func Telling() *Mind {
	m := Thinking()
	meeting := at.Add(55 * time.Minute).Truncate(time.Minute)
	m.Box = api.Inbox{Channels: 1,
		Incidents: boxed(meeting), NextDigest: time.Date(2026, 3, 15, 8, 30, 0, 0, time.UTC),
		Presence: subconscious.Presence{State: subconscious.PresenceBusy, Since: ago(5 * time.Minute), Until: meeting, Why: "in “Planning with the suppliers” until 15:00"},
	}
	m.Now.Waiting, m.Now.Presence = []api.InboxIncident{m.Box.Incidents[0], m.Box.Incidents[2]}, m.Box.Presence
	m.Now.Incidents = api.IncidentCounts{Open: 4, Held: 2}
	m.Now.Budget.NotificationsToday = 3
	m.Now.Channels = []api.ChannelStatus{
		{ID: "phone", Kind: "ntfy", Content: "full", State: "ok", Answers: true, Last: ago(65 * time.Minute)},
		{ID: "family", Kind: "shoutrrr", Content: "title", State: "failing", Last: ago(26 * time.Hour), Waiting: 1,
			Error: "the service answered 401: the token is not taken", Next: "put a token that is into the variable FAMILY_URL"},
		{ID: "screen", Kind: "desktop", Content: "full", State: "ok", Last: ago(65 * time.Minute)},
	}
	m.Sent = []api.Delivery{
		{ID: 31, Channel: "phone", Kind: "test", At: at, State: "sent", Sent: at.Add(time.Second), Attempts: 1, Title: "This is a test"},
		{ID: 32, Channel: "family", Kind: "test", At: at, State: "failed", Attempts: 1, Title: "This is a test",
			Error: "the service answered 401: the token is not taken", Next: "put a token that is into the variable FAMILY_URL"},
		{ID: 33, Channel: "screen", Kind: "test", At: at, State: "sent", Sent: at.Add(time.Second), Attempts: 1, Title: "This is a test"},
	}
	m.Stories = map[subconscious.IncidentID]api.IncidentExplanation{"i-backup-1a0": story(m.Box.Incidents[1])}
	m.Traced, m.Learnt = traced(), learnt()
	m.Sum.Told, m.Sum.Again, m.Sum.Digested, m.Sum.Digests = 5, 1, 2, 1
	m.Sum.Useful, m.Sum.NotUseful, m.Sum.Dismissed, m.Sum.Ignored, m.Sum.Missed = 3, 1, 1, 0, 1
	m.Sum.Decisions, m.Sum.Undelivered = map[string]int{"escalate": 4, "digest": 2, "duplicate": 17, "presence": 2, "low_confidence": 3}, 1
	m.Reports[0].Decisions = story(m.Box.Incidents[1]).Decisions[1:]
	return m
}

func boxed(meeting time.Time) []api.InboxIncident {
	return []api.InboxIncident{
		{ID: "i-invoice-1b2", State: subconscious.TellingOpen, Since: ago(150 * time.Second), Summary: "Due Sat 14 Mar 18:00: pay the invoice of the fair",
			Reason: "it is due today", Thread: subconscious.Oracle, Kind: subconscious.KindDeadline, Importance: 7, Severity: subconscious.Notable,
			Due: at.Add(235 * time.Minute).Truncate(time.Minute), Standing: true, Waits: true, Held: "presence", Until: meeting},
		{ID: "i-backup-1a0", State: subconscious.TellingTold, Since: ago(65 * time.Minute), Summary: "backup.service failed for the fourth time today",
			Reason: "it failed each time it was started", Thread: subconscious.Watcher, Kind: subconscious.KindAnomaly, Importance: 8, Severity: subconscious.Warning,
			Standing: true, Told: ago(65 * time.Minute), Times: 1, Delivery: backupDeliveries()},
		{ID: "i-fair-19c", State: subconscious.TellingOpen, Since: ago(2 * time.Hour), Summary: "The note about the fair and the invoice folder speak of the same booking",
			Reason: "they have never been seen together", Thread: subconscious.Dreamer, Kind: subconscious.KindConnection, Importance: 5,
			Standing: true, Waits: true, Held: "digest", Until: time.Date(2026, 3, 15, 8, 30, 0, 0, time.UTC)},
		{ID: "i-disk-0f3", State: subconscious.TellingSnoozed, Since: ago(3 * time.Hour), Summary: "/var is 96 % full and will be full in about 4 hours",
			Reason: "it fills by 1 % an hour", Thread: subconscious.Watcher, Kind: subconscious.KindAnomaly, Importance: 9, Severity: subconscious.Critical,
			Standing: true, Until: at.Add(3 * time.Hour), Told: ago(4 * time.Hour), Times: 2, Remind: at.Add(3 * time.Hour)},
		{ID: "i-swap-0a1", State: subconscious.TellingResolved, Since: ago(5 * time.Hour), Summary: "Swap was in heavy use", Reason: "the machine slows down",
			Thread: subconscious.Watcher, Kind: subconscious.KindAnomaly, Importance: 6, Told: ago(7 * time.Hour), Times: 1, Feedback: subconscious.Useful},
		{ID: "i-offer-09d", State: subconscious.TellingDismissed, Since: ago(28 * time.Hour), Summary: "The offer of the printers ends on Monday", Reason: "it ends soon",
			Thread: subconscious.Oracle, Kind: subconscious.KindDeadline, Importance: 6, Told: ago(29 * time.Hour), Times: 1, Feedback: subconscious.Dismissed},
	}
}

func backupDeliveries() []api.Delivery {
	title, text := "backup.service failed for the fourth time today", "It failed each time it was started. See: journalctl -u backup.service"
	return []api.Delivery{
		{ID: 27, Channel: "phone", Kind: "incident", At: ago(65 * time.Minute), State: "sent", Sent: ago(65*time.Minute - time.Second), Attempts: 1, Title: title, Text: text},
		{ID: 28, Channel: "family", Kind: "incident", At: ago(65 * time.Minute), State: "failed", Attempts: 3, Title: title,
			Error: "the service answered 401: the token is not taken", Next: "put a token that is into the variable FAMILY_URL"},
		{ID: 29, Channel: "screen", Kind: "incident", At: ago(65 * time.Minute), State: "sent", Sent: ago(65 * time.Minute), Attempts: 1, Title: title, Text: text},
	}
}

func story(incident api.InboxIncident) api.IncidentExplanation {
	because := "it failed each time it was started"
	decision := func(tick int64, before time.Duration, verdict, reason, detail string) api.Decision {
		return api.Decision{Incident: "health:unit:backup.service", ID: incident.ID, Entry: "w-backup-a2c", Thread: subconscious.Watcher, Rule: "failed_unit",
			Summary: incident.Summary, Tick: tick, At: ago(before), Verdict: verdict, Reason: reason, Detail: detail, Because: because, Confidence: 0.78, Importance: 8}
	}
	held := decision(100, 143*time.Minute, "hold", "presence", "in “Standup” until 13:00")
	held.Until = ago(65 * time.Minute)
	told := decision(115, 65*time.Minute, "tell", "escalate", "the meeting is over")
	told.Message = incident.Delivery[0].Title + "\n" + incident.Delivery[0].Text
	return api.IncidentExplanation{
		Incident: incident, Entries: []subconscious.EntryID{"w-backup-a2c"}, Deliveries: incident.Delivery,
		Decisions: []api.Decision{held, told}, Deliberations: []api.Deliberation{},
		Record:       subconscious.Incident{Key: "health:unit:backup.service", Links: []string{"health:unit:backup.service"}, Severity: subconscious.Warning, Changes: 4},
		Observations: explanations()["w-backup-a2c"].Observations,
		Confidence:   "importance 8 is 0.80; anomalies of health from the watcher were useful 3 times of 4, which makes 0.78",
	}
}

func traced() api.Trace {
	return api.Trace{
		Candidates: explanations()["w-backup-a2c"].Observations[:1],
		Steps: []api.TraceStep{
			{Stage: "sense", At: ago(143 * time.Minute), Tick: 100, Who: "health", OK: true, Text: "it was seen at tick 100"},
			{Stage: "thread", At: ago(143 * time.Minute), Tick: 100, Who: "watcher", OK: true, Text: "it was shown to the watcher"},
			{Stage: "finding", At: ago(143 * time.Minute), Tick: 100, Who: "failed_unit", OK: true, Text: "the watcher spoke of it with importance 8"},
			{Stage: "gate", At: ago(143 * time.Minute), Tick: 100, Who: "presence", Text: "it was held for 78 minutes, in “Standup” until 13:00"},
		},
		Verdict:  "It was told 78 minutes late, because of a meeting",
		Proposal: "Add unit to escalation.critical, or set escalation.hold_busy to less than 3h", Incident: "i-backup-1a0", Missed: true,
	}
}

func learnt() api.Calibration {
	return api.Calibration{PushFrom: 0.6, DigestFrom: 0.4, Scores: []api.ScoreStatus{
		{Score: subconscious.Score{Thread: subconscious.Watcher, Source: "health", Kind: subconscious.KindAnomaly, Useful: 3, NotUseful: 1, Updated: ago(5 * time.Hour)}, Weight: 0.97, Needs: 7},
		{Score: subconscious.Score{Thread: subconscious.Oracle, Source: "calendar", Kind: subconscious.KindDeadline, Dismissed: 2, Ignored: 3, Updated: ago(28 * time.Hour)}, Weight: 0.61, Needs: 10},
	}}
}
