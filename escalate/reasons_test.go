package escalate_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

const fileKey = subconscious.IncidentKey("files:file:a")

// plainInput is one new request that nothing speaks against.
func plainInput() escalate.Input {
	o := subconscious.Observation{ID: "file:a", Sense: "files", Kind: "file", Change: subconscious.Appeared, Seq: 5, At: noon,
		Severity: subconscious.Notable, Attrs: map[string]string{}}
	ref := o.Ref()
	return escalate.Input{
		At: noon, Tick: 7, Rules: escalate.DefaultRules(), Kind: subconscious.Scheduled,
		Asked: []subconscious.Request{{Incident: fileKey, Asked: subconscious.Asked{
			Tick: 7, At: noon, Entry: "w-a-1", Thread: subconscious.Watcher, Kind: subconscious.KindObservation, Source: "files",
			Summary: "work/.env was saved", Importance: 7, Reason: "it looks like a secret", Evidence: []subconscious.Citation{{Ref: ref, Seq: 5}},
		}}},
		Incidents: []subconscious.Incident{{Key: fileKey, Summary: "work/.env was saved", Recorded: map[subconscious.Ref][]int64{ref: {5}},
			Changes: 1, Severity: subconscious.Notable}},
		Evidence: []subconscious.Evidence{{Ref: ref, Latest: o, Standing: true}},
	}
}

// telling is the life of the input's incident, begun where it has none.
func telling(in *escalate.Input) *subconscious.Telling {
	if in.Incidents[0].Telling == nil {
		in.Incidents[0].Telling = &subconscious.Telling{ID: "i-env-1", State: subconscious.TellingTold, Since: noon.Add(-10 * time.Hour), Asked: in.Asked[0].Asked}
	}
	return in.Incidents[0].Telling
}

func toldBefore(in *escalate.Input, ago time.Duration, severity subconscious.Severity) {
	t := telling(in)
	t.Told = append(t.Told, subconscious.Told{Tick: 1, At: noon.Add(-ago), Severity: severity, Changes: map[subconscious.Ref]int64{in.Asked[0].Evidence[0].Ref: 4}})
	t.Times++
}

// causes make each reason apply to plainInput, one without regard to the others.
var causes = map[escalate.Reason]func(*escalate.Input){
	escalate.NoEvidence: func(in *escalate.Input) { in.Evidence = nil },
	escalate.Expired: func(in *escalate.Input) {
		in.Asked[0].At, in.Asked[0].Due = noon.Add(-time.Hour), noon.Add(-time.Minute)
	},
	escalate.Dismissed: func(in *escalate.Input) {
		in.Incidents[0].Closed = &subconscious.Closure{At: noon.Add(-time.Hour), Severity: subconscious.Notable}
	},
	escalate.Snoozed: func(in *escalate.Input) {
		t := telling(in)
		t.State, t.Waits, t.Held, t.Until = subconscious.TellingSnoozed, true, string(escalate.Snoozed), noon.Add(time.Hour).In(time.FixedZone("", 60*60)) // as it is read back
	},
	escalate.Duplicate:     func(in *escalate.Input) { toldBefore(in, 10*time.Hour, subconscious.Notable) },
	escalate.LowConfidence: func(in *escalate.Input) { in.Asked[0].Importance = 2 },
	escalate.Cooldown: func(in *escalate.Input) {
		toldBefore(in, 5*time.Minute, subconscious.Notable)
		telling(in).Told[0].Status = "tentative"
		if len(in.Evidence) > 0 {
			in.Evidence[0].Latest.Attrs = map[string]string{"status": "confirmed"}
		}
	},
	escalate.QuietHours: func(in *escalate.Input) { in.Rules.Quiet = escalate.Hours{From: "11:30", To: "13:00"} },
	escalate.Presence: func(in *escalate.Input) {
		in.Presence = subconscious.Presence{State: subconscious.PresenceEngaged, Since: noon.Add(-time.Minute)}
	},
	escalate.BudgetAttention: func(in *escalate.Input) { in.Spent = escalate.Spent{Today: 3, LastHour: 3} },
	escalate.Digest:          func(in *escalate.Input) { in.Asked[0].Kind = subconscious.KindIdea },
	escalate.Escalate:        func(*escalate.Input) {},
	escalate.Backlog: func(in *escalate.Input) { // of the night
		in.Rules.Quiet = escalate.Hours{From: "11:30", To: "13:00"}
		t := telling(in)
		if t.Held == "" {
			t.State, t.Waits, t.Held, t.HeldSince = subconscious.TellingOpen, true, string(escalate.Backlog), noon.Add(-time.Hour)
		}
	},
	escalate.Strangers: func(in *escalate.Input) {
		in.Spent.Strangers = []string{"acme.example"}
		in.Asked[0].Importance = max(in.Asked[0].Importance, 7)
		if len(in.Evidence) > 0 {
			in.Evidence[0].Latest.Trust, in.Evidence[0].Latest.Sense = subconscious.Outsider, "mail"
			in.Evidence[0].Latest.Attrs = map[string]string{"from": "new@acme.example", "domain": "acme.example", "status": "confirmed"}
		}
	},
}

// TestFirstReason checks each reason alone, and that of any two that apply the
// earlier is given.
func TestFirstReason(t *testing.T) {
	if len(causes) != len(escalate.Reasons()) {
		t.Fatalf("%d causes of %d reasons", len(causes), len(escalate.Reasons()))
	}
	for i, first := range escalate.Reasons() {
		for _, second := range escalate.Reasons()[i:] {
			if first == escalate.Duplicate && second == escalate.Cooldown {
				continue // told long ago with nothing changed, and told a moment ago with something
			}
			in := plainInput()
			if second != first {
				causes[second](&in)
			}
			causes[first](&in)
			if in.Incidents[0].Telling != nil {
				telling(&in).Asked = in.Asked[0].Asked
			}
			out := escalate.Decide(in)
			i := slices.IndexFunc(out.Decisions, func(d escalate.Decision) bool { return !strings.Contains(d.Detail, "speaks for it") })
			if i < 0 || out.Decisions[i].Reason != first {
				t.Errorf("%s and %s: %s", first, second, asJSON(out.Decisions))
				continue
			}
			if d := out.Decisions[i]; d.Detail == "" || d.Verdict == "" {
				t.Errorf("%s: %s does not say why", first, asJSON(d))
			} else if !d.Until.IsZero() && d.Until.Location() != in.At.Location() {
				t.Errorf("%s: until %s, by another clock than that of now", first, d.Until)
			}
		}
	}
}

// TestOneReason checks what changes a reason, case by case.
func TestOneReason(t *testing.T) {
	evidence := func(change func(*subconscious.Evidence)) func(*escalate.Input) {
		return func(in *escalate.Input) { change(&in.Evidence[0]) }
	}
	disk := func(severity subconscious.Severity) func(*escalate.Input) {
		return func(in *escalate.Input) {
			in.Evidence[0].Latest.Kind, in.Evidence[0].Latest.Severity = "disk", severity
		}
	}
	event := func(partstat string, in15 bool) func(*escalate.Input) {
		return func(in *escalate.Input) {
			due := noon.Add(time.Hour)
			if in15 {
				due = noon.Add(10 * time.Minute)
			}
			in.Evidence[0].Latest.Kind, in.Evidence[0].Latest.Due = "event", due
			in.Evidence[0].Latest.Attrs = map[string]string{"partstat": partstat}
			in.Asked[0].Kind, in.Asked[0].Due = subconscious.KindPreparation, due
		}
	}
	waits := func(reason escalate.Reason, since time.Duration) func(*escalate.Input) {
		return func(in *escalate.Input) {
			t := telling(in)
			t.State, t.Waits, t.Held, t.HeldSince = subconscious.TellingOpen, true, string(reason), noon.Add(-since)
			in.Asked = nil
		}
	}
	urgent := func(in *escalate.Input) { in.Asked[0].Importance = 8 }
	full := func(in *escalate.Input) { in.Spent = escalate.Spent{Today: 3, LastHour: 3, UrgentLastHour: 3} }
	bell := func(in *escalate.Input) {
		in.Asked[0].Kind, in.Asked[0].Due, in.Asked[0].Importance, in.Evidence[0].Latest.Trust = subconscious.KindDeadline, noon, 8, subconscious.Owner
	}
	within := func(attrs map[string]string) func(*escalate.Input) { // of a mail
		return func(in *escalate.Input) {
			in.Spent.LastHour, in.Asked[0].Due, in.Evidence[0].Latest.Trust, in.Evidence[0].Latest.Attrs = 2, noon.Add(time.Hour), subconscious.Outsider, attrs
		}
	}
	busy := func(until time.Duration) func(*escalate.Input) {
		return func(in *escalate.Input) {
			in.Presence = subconscious.Presence{State: subconscious.PresenceBusy, Until: noon.Add(until), Why: "in “Standup”"}
		}
	}
	type cause = func(*escalate.Input)
	for _, c := range []struct {
		name    string
		causes  []cause
		verdict escalate.Verdict
		reason  escalate.Reason
		detail  string
	}{
		{"unknown incident", []cause{func(in *escalate.Input) { in.Incidents = nil }}, escalate.Drop, escalate.NoEvidence, "the incident that it is about is not known"},
		{"gone", []cause{evidence(func(e *subconscious.Evidence) { e.Standing, e.Gone = false, true })}, escalate.Drop, escalate.NoEvidence, "it is over"},
		{"waits and gone", []cause{waits(escalate.Digest, time.Hour), evidence(func(e *subconscious.Evidence) { e.Standing, e.Gone = false, true })}, escalate.Drop, escalate.NoEvidence, "it is over"},
		{"momentary", []cause{evidence(func(e *subconscious.Evidence) { e.Standing = false })}, escalate.Tell, escalate.Escalate, ""},
		{"overdue when asked", []cause{func(in *escalate.Input) {
			in.Asked[0].Due, in.Asked[0].Kind = noon.Add(-2*time.Hour), subconscious.KindDeadline
		}}, escalate.Tell, escalate.Escalate, ""},
		{"an event that has begun when asked", []cause{func(in *escalate.Input) {
			in.Asked[0].Due, in.Asked[0].Kind = noon.Add(-time.Minute), subconscious.KindEvent
		}}, escalate.Drop, escalate.Expired, ""},
		{"the hour at which a disk was thought to be full", []cause{disk(subconscious.Warning), func(in *escalate.Input) {
			in.Asked[0].Due, in.Asked[0].At = noon.Add(-time.Minute), noon.Add(-time.Hour)
		}}, escalate.Tell, escalate.Escalate, ""},
		{"waits for too long", []cause{waits(escalate.BudgetAttention, 9*24*time.Hour)}, escalate.Drop, escalate.Expired, ""},
		{"for good", []cause{func(in *escalate.Input) {
			in.Incidents[0].Closed = &subconscious.Closure{At: noon.Add(-time.Hour), Forever: true}
		}}, escalate.Drop, escalate.Dismissed, "dismissed for good at 11:00"},
		{"snoozed and worse", []cause{causes[escalate.Snoozed], func(in *escalate.Input) { toldBefore(in, 2*time.Hour, subconscious.Plain) }}, escalate.Tell, escalate.Escalate, ""},
		{"better", []cause{func(in *escalate.Input) { toldBefore(in, 2*time.Hour, subconscious.Warning) }}, escalate.Drop, escalate.Duplicate, "told at 10:00, and it has got better since"},
		{"low confidence by answers", []cause{func(in *escalate.Input) {
			in.Asked[0].Importance = 6
			in.Scores = []subconscious.Score{{Thread: subconscious.Watcher, Source: "files", Kind: subconscious.KindObservation, Dismissed: 40}}
		}}, escalate.Drop, escalate.LowConfidence, "0.36 sure that it is worth telling, and a digest needs 0.37"},
		{"scored by habits, whatever the answers", []cause{func(in *escalate.Input) {
			in.Asked[0].Importance, in.Asked[0].Scored = 7, true
			in.Scores = []subconscious.Score{{Thread: subconscious.Watcher, Source: "files", Kind: subconscious.KindObservation, Dismissed: 40}}
		}}, escalate.Tell, escalate.Escalate, ""},
		{"important whatever the answers", []cause{func(in *escalate.Input) {
			in.Asked[0].Importance = 9
			in.Scores = []subconscious.Score{{Thread: subconscious.Watcher, Source: "files", Kind: subconscious.KindObservation, Dismissed: 40}}
		}}, escalate.Tell, escalate.Escalate, ""},
		{"critical at night", []cause{disk(subconscious.Critical), causes[escalate.QuietHours], causes[escalate.Presence]}, escalate.Tell, escalate.Escalate, "critical"},
		{"critical and cooling down", []cause{disk(subconscious.Critical), func(in *escalate.Input) {
			toldBefore(in, 5*time.Minute, subconscious.Critical)
			telling(in).State = subconscious.TellingReopened
		}}, escalate.Hold, escalate.Cooldown, ""},
		{"critical, cooling down and worse", []cause{disk(subconscious.Critical), func(in *escalate.Input) { toldBefore(in, 5*time.Minute, subconscious.Warning) }}, escalate.Tell, escalate.Escalate, ""},
		{"much to do at night", []cause{disk(subconscious.Critical), causes[escalate.QuietHours], func(in *escalate.Input) { in.Evidence[0].Latest.Kind = "load" }}, escalate.Hold, escalate.QuietHours, ""},
		{"critical of a class that is not listed", []cause{disk(subconscious.Critical), causes[escalate.QuietHours], func(in *escalate.Input) { in.Rules.Critical = []string{"event"} }}, escalate.Hold, escalate.QuietHours, ""},
		{"a warning at night", []cause{disk(subconscious.Warning), causes[escalate.QuietHours]}, escalate.Hold, escalate.QuietHours, "quiet hours until 13:00"},
		{"an own event at night", []cause{event("", true), causes[escalate.QuietHours]}, escalate.Tell, escalate.Escalate, ""},
		{"an accepted event at night", []cause{event("accepted", true), causes[escalate.QuietHours]}, escalate.Tell, escalate.Escalate, ""},
		{"an invitation at night", []cause{event("needs-action", true), causes[escalate.QuietHours]}, escalate.Hold, escalate.QuietHours, ""},
		{"an event at night, an hour ahead", []cause{event("", false), causes[escalate.QuietHours]}, escalate.Hold, escalate.QuietHours, ""},
		{"a deadline at night, if listed", []cause{causes[escalate.QuietHours], func(in *escalate.Input) {
			in.Rules.Critical = []string{"deadline"}
			in.Asked[0].Kind, in.Asked[0].Due = subconscious.KindDeadline, noon.Add(90*time.Minute)
		}}, escalate.Tell, escalate.Escalate, "critical"},
		{"busy until its end", []cause{busy(20 * time.Minute)}, escalate.Hold, escalate.Presence, "in “Standup”; it waits until 12:20 at most"},
		{"busy for longer than a hold", []cause{busy(9 * time.Hour)}, escalate.Hold, escalate.Presence, "in “Standup”; it waits until 12:30 at most"},
		{"of great importance, while busy", []cause{busy(9 * time.Hour), urgent}, escalate.Tell, escalate.Escalate, ""},
		{"due before the hold ends", []cause{busy(20 * time.Minute), func(in *escalate.Input) {
			in.Asked[0].Due = noon.Add(15 * time.Minute)
		}}, escalate.Tell, escalate.Escalate, ""},
		{"a warning while engaged", []cause{causes[escalate.Presence], disk(subconscious.Warning)}, escalate.Tell, escalate.Escalate, ""},
		{"engaged for longer than a hold", []cause{waits(escalate.Presence, 30*time.Minute), func(in *escalate.Input) {
			in.Presence.State = subconscious.PresenceEngaged
		}}, escalate.Tell, escalate.Escalate, ""},
		{"looking", []cause{func(in *escalate.Input) { in.Presence.State = subconscious.PresenceLooking }}, escalate.Tell, escalate.Escalate, ""},
		{"away", []cause{func(in *escalate.Input) { in.Presence.State = subconscious.PresenceAway }}, escalate.Tell, escalate.Escalate, ""},
		{"the reserve of the day", []cause{func(in *escalate.Input) { in.Spent.Today = 11 }}, escalate.Hold, escalate.BudgetAttention, "told 11 times today; the last of 12 is kept for what is critical"},
		{"the reserve, for what is critical", []cause{disk(subconscious.Critical), func(in *escalate.Input) { in.Spent = escalate.Spent{Today: 11, LastHour: 9} }}, escalate.Tell, escalate.Escalate, "critical"},
		{"the kept place of the day", []cause{func(in *escalate.Input) { in.Spent.Today = 7 }}, escalate.Hold, escalate.BudgetAttention, "told 7 times today; what is left is kept for what is urgent or critical"},
		{"… for what is urgent", []cause{urgent, func(in *escalate.Input) { in.Spent.Today = 10 }}, escalate.Tell, escalate.Escalate, ""},
		{"the kept place of the hour", []cause{func(in *escalate.Input) { in.Spent.LastHour = 2 }}, escalate.Hold, escalate.BudgetAttention, "told 2 times within the hour; what is left of it is kept for what is urgent"},
		{"… for what is urgent", []cause{urgent, func(in *escalate.Input) { in.Spent.LastHour = 2 }}, escalate.Tell, escalate.Escalate, ""},
		{"… for what the person has to do within the hour", []cause{func(in *escalate.Input) {
			in.Spent.LastHour, in.Asked[0].Due, in.Evidence[0].Latest.Trust = 2, noon.Add(time.Hour), subconscious.Owner
		}}, escalate.Tell, escalate.Escalate, ""},
		{"… or says who is known to them", []cause{within(map[string]string{"known": "3"})}, escalate.Tell, escalate.Escalate, ""},
		{"… and not for what a stranger says is due then", []cause{within(nil)}, escalate.Hold, escalate.BudgetAttention, ""},
		{"… or who pretends to be known", []cause{within(map[string]string{"known": "3", "forged": "true"})}, escalate.Hold, escalate.BudgetAttention, ""},
		{"… taken by what was", []cause{func(in *escalate.Input) { in.Spent = escalate.Spent{LastHour: 2, UrgentLastHour: 1} }}, escalate.Tell, escalate.Escalate, ""},
		{"an hour that has one place keeps none", []cause{func(in *escalate.Input) { in.Rules.EscalationsPerHour = 1 }}, escalate.Tell, escalate.Escalate, ""},
		{"… and has no second", []cause{urgent, func(in *escalate.Input) { in.Rules.EscalationsPerHour, in.Spent.LastHour = 1, 1 }}, escalate.Hold, escalate.BudgetAttention, ""},
		{"a full hour, for a time that the person wrote down", []cause{full, bell}, escalate.Tell, escalate.Escalate, ""},
		{"… which take no place of others, nor others theirs", []cause{full, bell, func(in *escalate.Input) { in.Spent.Today = 12 }}, escalate.Tell, escalate.Escalate, ""},
		{"… which no program sets", []cause{full, bell, func(in *escalate.Input) { in.Evidence[0].Latest.Sense = "post" }}, escalate.Hold, escalate.BudgetAttention, ""},
		{"… of which there are enough today", []cause{full, bell, func(in *escalate.Input) { in.Spent.Today, in.Spent.Rings = 9, 12 }}, escalate.Hold, escalate.BudgetAttention, ""},
		{"… by night", []cause{full, bell, causes[escalate.QuietHours]}, escalate.Hold, escalate.QuietHours, ""},
		{"… or that somebody else wrote", []cause{full, bell, evidence(func(e *subconscious.Evidence) { e.Latest.Trust = subconscious.Outsider })}, escalate.Hold, escalate.BudgetAttention, ""},
		{"… a minute before it", []cause{full, bell, func(in *escalate.Input) { in.Asked[0].Due = noon.Add(time.Minute) }}, escalate.Hold, escalate.BudgetAttention, ""},
		{"… where the person asked to be reminded", []cause{full, func(in *escalate.Input) { telling(in).Remind = noon }}, escalate.Tell, escalate.Escalate, ""},
		{"… which is no time of a deliberation's", []cause{full, func(in *escalate.Input) {
			toldBefore(in, 2*time.Hour, subconscious.Notable)
			telling(in).Told[0].Outcome, telling(in).Remind = subconscious.OutcomeSnoozed, noon
		}}, escalate.Hold, escalate.BudgetAttention, ""},
		{"nothing left", []cause{disk(subconscious.Critical), func(in *escalate.Input) { in.Spent.Today = 12 }}, escalate.Hold, escalate.BudgetAttention, ""},
		{"no digest", []cause{causes[escalate.Digest], func(in *escalate.Input) { in.Rules.Digest = escalate.DigestTimes{} }}, escalate.Drop, escalate.Digest, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := plainInput()
			for _, cause := range c.causes {
				cause(&in)
			}
			out := escalate.Decide(in)
			d := out.Decisions[0]
			if d.Verdict != c.verdict || d.Reason != c.reason || c.detail != "" && d.Detail != c.detail {
				t.Errorf("got %s %s: %s", d.Verdict, d.Reason, d.Detail)
			}
		})
	}
}

// TestTwoRequests checks that the most important of two requests for one incident
// speaks, and that the other names it.
func TestTwoRequests(t *testing.T) {
	in := plainInput()
	other := in.Asked[0]
	other.Thread, other.Importance, other.Summary = subconscious.Librarian, 8, "The secret in work/.env is in the open"
	in.Asked = append(in.Asked, other)
	out := escalate.Decide(in)
	if len(out.Decisions) != 2 || out.Decisions[0].Asked.Importance != 8 || out.Decisions[0].Verdict != escalate.Tell {
		t.Fatalf("got %s", asJSON(out.Decisions))
	}
	want := "said better in the same tick by the librarian: The secret in work/.env is in the open"
	if d := out.Decisions[1]; d.Reason != escalate.Duplicate || d.Detail != want {
		t.Errorf("got %s: %s", d.Reason, d.Detail)
	}
}

// Nothing is held past its use: what is due before the next digest, or where there
// is none, is told two hours before, not in quiet hours; or let go where it is not
// worth a message of its own.
func TestNoDigestComesInTime(t *testing.T) {
	at := func(hours, minutes time.Duration) time.Time { return noon.Add(hours*time.Hour + minutes*time.Minute) }
	for _, c := range []struct {
		name       string
		due        time.Time
		importance int
		none       bool // there is no digest at all
		verdict    escalate.Verdict
		until      time.Time
	}{
		{"within two hours", at(1, 0), 6, false, escalate.Tell, time.Time{}},
		{"… not worth a message", at(1, 0), 5, false, escalate.Drop, time.Time{}},
		{"this afternoon", at(6, 0), 6, false, escalate.Hold, at(4, 0)},
		{"… not worth a message", at(6, 0), 5, false, escalate.Drop, time.Time{}},
		{"late in the evening", at(10, 30), 6, false, escalate.Hold, at(8, 30)},
		{"in quiet hours", at(11, 30), 6, false, escalate.Hold, at(9, 0)},
		{"at their end", at(20, 0), 6, false, escalate.Hold, at(9, 0)},
		{"early in the morning", at(18, 0), 6, false, escalate.Hold, at(9, 0)},
		{"between them and the digest", at(20, 15), 6, false, escalate.Hold, at(20, 0)},
		{"after the digest", at(48, 0), 5, false, escalate.Hold, at(20, 30)},
		{"no digest, within two hours", at(1, 0), 6, true, escalate.Tell, time.Time{}},
		{"no digest", at(48, 0), 6, true, escalate.Hold, at(46, 0)},
		{"no digest, not worth a message", at(48, 0), 5, true, escalate.Drop, time.Time{}},
	} {
		in := plainInput()
		if c.none {
			in.Rules.Digest = escalate.DigestTimes{}
		}
		in.Rules.Digest.Afternoon = ""
		in.Asked[0].Importance, in.Asked[0].Due = c.importance, c.due.In(time.FixedZone("", -9*60*60)) // the hours are the person's all the same
		if d := escalate.Decide(in).Decisions[0]; d.Verdict != c.verdict || !d.Until.Equal(c.until) {
			t.Errorf("%s: %s %s until %s: %s", c.name, d.Verdict, d.Reason, d.Until, d.Detail)
		}
	}
}

// Silence alone never keeps back what is of importance 7.
func TestSilenceSilencesNothing(t *testing.T) {
	if w := escalate.Weight(subconscious.Score{Ignored: 1000}); w >= 1 || 0.7*w < escalate.DefaultRules().PushFrom {
		t.Errorf("a thousand silences weigh %v", w)
	}
}

// TestReadMeanwhile: that a mail came is no news to whoever has opened it
// while the word of it waited; what is due by a day still is.
func TestReadMeanwhile(t *testing.T) {
	for name, test := range map[string]struct {
		kind    subconscious.Kind
		seen    string
		waits   bool
		dropped bool
	}{
		"read while it waited":       {subconscious.KindObservation, "true", true, true},
		"not read":                   {subconscious.KindObservation, "", true, false},
		"a deadline in it":           {subconscious.KindDeadline, "true", true, false},
		"asked for this very moment": {subconscious.KindObservation, "true", false, false},
	} {
		in := plainInput()
		in.Asked[0].Kind, in.Asked[0].Source = test.kind, "mail"
		in.Evidence[0].Latest.Attrs = map[string]string{"seen": test.seen}
		if test.waits {
			held := telling(&in)
			held.State, held.Waits, held.Held, held.HeldSince = subconscious.TellingOpen, true, string(escalate.Presence), noon.Add(-5*time.Minute)
			in.Asked = nil
		}
		out := escalate.Decide(in)
		if len(out.Decisions) != 1 || (out.Decisions[0].Detail == "you have read it meanwhile") != test.dropped {
			t.Errorf("%s: %s", name, asJSON(out.Decisions))
		}
	}
}

// TestNearerIsNoNewsAtOnce: who was told of something at noon is not told at one
// that it is within a day by now; that it is within two hours is told.
func TestNearerIsNoNewsAtOnce(t *testing.T) {
	for name, test := range map[string]struct {
		toldAgo, due time.Duration
		band         subconscious.Band
		told         bool
	}{
		"an hour before":         {time.Hour, 23 * time.Hour, subconscious.Band24h, false},
		"the evening before":     {14 * time.Hour, 23 * time.Hour, subconscious.Band24h, true},
		"an hour, and it is due": {time.Hour, 90 * time.Minute, subconscious.Band2h, true},
	} {
		in := plainInput()
		due := noon.Add(test.due)
		in.Asked[0].Kind, in.Asked[0].Due, in.Asked[0].Source = subconscious.KindDeadline, due, "notes"
		in.Evidence[0].Latest.Due = due
		toldBefore(&in, test.toldAgo, subconscious.Notable)
		last := &telling(&in).Told[0]
		last.Due, last.Band = due, subconscious.TimeBand(due, last.At)
		telling(&in).Asked = in.Asked[0].Asked
		out := escalate.Decide(in)
		if got := len(out.Decisions) > 0 && out.Decisions[0].Verdict == escalate.Tell; got != test.told {
			t.Errorf("%s: %s", name, asJSON(out.Decisions))
		}
	}
}
