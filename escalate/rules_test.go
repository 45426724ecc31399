package escalate_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestValidateNamesEachKey(t *testing.T) {
	if err := escalate.DefaultRules().Validate(); err != nil {
		t.Fatal(err)
	}
	wrong := escalate.Rules{
		Quiet: escalate.Hours{From: "24:00", To: "08:00"}, NotificationsPerDay: -1, EscalationsPerHour: 1001, NoticesPerDay: -1,
		Cooldown: -time.Second, PushFrom: math.NaN(), DigestFrom: 1.5, Digest: escalate.DigestTimes{Daily: "8:30", Weekly: "sunday 18:00"},
		Critical: []string{"disk", "disk", "mail"}, HoldEngaged: 25 * time.Hour, HoldBusy: -1, NoticeAfter: 200 * time.Hour,
	}
	err := wrong.Validate()
	if err == nil {
		t.Fatal("all of it was taken")
	}
	for _, key := range []string{"quiet_hours: from", "notifications_per_day", "escalations_per_hour", "notices_per_day", "cooldown", "push_from", "digest_from",
		"digest.daily", "digest.weekly", "critical[1]", "critical[2]", "hold_engaged", "hold_busy", "notice_after"} {
		if !strings.Contains(err.Error(), key+":") {
			t.Errorf("%s is not named in\n%v", key, err)
		}
	}
	for _, hours := range []escalate.Hours{{}, {From: "08:00", To: "08:00"}, {From: "00:00", To: "23:59"}} {
		if err := hours.Validate(); err != nil {
			t.Errorf("%v: %v", hours, err)
		}
	}
	for _, hours := range []escalate.Hours{{From: "23:00"}, {To: "08:00"}, {From: "23:60", To: "08:00"}, {From: "-1:00", To: "08:00"}, {From: "+1:00", To: "08:00"}} {
		if hours.Validate() == nil {
			t.Errorf("%v was taken", hours)
		}
	}
	rules := escalate.DefaultRules()
	if rules.PushFrom = 0.3; rules.Validate() == nil {
		t.Error("a digest that needs more than a push was taken")
	}
}

// TestCalibration checks that answers move the weight in the right direction,
// one by less than a step and by so little that importance 7 is still pushed,
// and all together within its bounds.
func TestCalibration(t *testing.T) {
	from := escalate.DefaultRules().PushFrom
	var none subconscious.Score
	if w := escalate.Weight(none); w != 1 {
		t.Errorf("without an answer the weight is %v", w)
	}
	words := []subconscious.Feedback{subconscious.Useful, subconscious.NotUseful, subconscious.Dismissed, subconscious.Ignored, subconscious.Missed}
	for _, word := range words {
		one := escalate.Learn(none, "", word)
		w := escalate.Weight(one)
		if better := word == subconscious.Useful || word == subconscious.Missed; better != (w > 1) || w == 1 {
			t.Errorf("%s: the weight is %v", word, w)
		}
		if moved := math.Abs(0.7*w - 0.7); moved >= 0.1 || 0.7*w < from {
			t.Errorf("one %s moves importance 7 by %v", word, moved)
		}
		if back := escalate.Learn(one, word, ""); back != none {
			t.Errorf("taking %s back leaves %+v", word, back)
		}
		if again := escalate.Learn(one, word, word); again != one {
			t.Errorf("saying %s twice counts twice", word)
		}
		many := none
		for range 10000 {
			many = escalate.Learn(many, "", word)
		}
		if w := escalate.Weight(many); w < 0.6 || w > 1.25 {
			t.Errorf("many %s: the weight is %v", word, w)
		}
	}
	bad := subconscious.Score{Dismissed: 1000, NotUseful: -5, Ignored: math.MinInt}
	for name, c := range map[string]struct {
		score subconscious.Score
		from  float64
		needs int
	}{"none": {none, 0.6, 6}, "bad": {bad, 0.6, 9}, "good": {subconscious.Score{Useful: 1000}, 0.6, 5}, "never": {none, 1.1, 11}} {
		if n := escalate.Needs(c.score, c.from); n != c.needs {
			t.Errorf("%s: needs %d, not %d", name, n, c.needs)
		}
	}
	text := escalate.Explain(subconscious.Asked{Importance: 7, Kind: subconscious.KindAnomaly}, subconscious.Score{Useful: 2, Ignored: 1}, false, escalate.DefaultRules())
	if want := "importance 7 of 10, times 1.03 for how the answers to such things were (2 useful, 1 unanswered), is 0.72: enough to be pushed"; text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	text = escalate.Explain(subconscious.Asked{Importance: 7, Scored: true}, subconscious.Score{}, false, escalate.DefaultRules())
	if want := "importance 7 of 10, which counts what you do with such letters, is 0.70: enough to be pushed"; text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestLookups(t *testing.T) {
	pair := subconscious.PairKey("notes:a & b", "health:disk:/&x")
	requests := []subconscious.Request{{Incident: pair}, {Incident: subconscious.PatternKey("health:unit:u")}}
	keys := escalate.Lookups(requests, []subconscious.Command{{Incident: "mail:z"}, {Entry: "w-a-1"}})
	want := []subconscious.IncidentKey{"health:disk:/&x", "health:unit:u", "mail:z", "notes:a & b", pair, "pattern:health:unit:u"}
	if len(keys) != len(want) {
		t.Fatalf("got %q", keys)
	}
	for i := range want {
		if keys[i] != want[i] {
			t.Errorf("got %q, want %q", keys[i], want[i])
		}
	}
}

func TestRemember(t *testing.T) {
	state := subconscious.State{History: make([]subconscious.EscalationRecord, 9, 20)}
	out := escalate.Decided{History: []subconscious.EscalationRecord{{Summary: "a"}, {Summary: "b"}}}
	next := escalate.Remember(state, out)
	if len(next.History) != 10 || next.History[9].Summary != "b" || len(state.History) != 9 || state.History[:10][9].Summary != "" {
		t.Errorf("got %+v", next.History)
	}
}

// TestRememberOutcomes: what a deliberation came to stands in the place of its
// beginning, once; where that is forgotten, nothing is added.
func TestRememberOutcomes(t *testing.T) {
	began := subconscious.EscalationRecord{At: noon, Incident: "mail:a", Summary: "a mail", Reason: "it asks", Outcome: "deliberating"}
	other, told := began, began
	other.At, told.Outcome = noon.Add(time.Minute), "told"
	state := subconscious.State{History: []subconscious.EscalationRecord{told, began, began, other}}
	ended := subconscious.EscalationRecord{At: noon.In(time.FixedZone("", 3600)), Incident: "mail:a", Summary: "another", Reason: "It can wait.", Outcome: "dismissed",
		Deliberation: "d-1", Cost: 7, Cited: []string{"mail:abcdefghij@4"}}
	next := escalate.Remember(state, escalate.Decided{Concluded: []subconscious.EscalationRecord{ended, {At: noon, Incident: "mail:b", Outcome: "told"}}})
	want := ended
	want.At, want.Summary = began.At, "a mail"
	if got, want := asJSON(next.History), asJSON([]subconscious.EscalationRecord{told, want, began, other}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if state.History[1].Outcome != "deliberating" {
		t.Error("the state that was given is changed")
	}
}

// TestRememberAnswers: the person's last word stands behind what became of an
// escalation, also of one that is being deliberated on; an agent's does not.
func TestRememberAnswers(t *testing.T) {
	in := plainInput()
	toldBefore(&in, time.Hour, subconscious.Notable)
	in.Asked = nil
	state := subconscious.State{History: []subconscious.EscalationRecord{{At: noon, Incident: fileKey, Outcome: "deliberating"}, {Incident: "mail:other", Outcome: "told"}}}
	for _, c := range []struct {
		command subconscious.Command
		want    string
	}{
		{subconscious.Command{Kind: subconscious.CommandAck}, "deliberating; you: acknowledged"},
		{subconscious.Command{Kind: subconscious.CommandAck, Feedback: subconscious.NotUseful}, "deliberating; you: not useful"},
		{subconscious.Command{Kind: subconscious.CommandAck, Feedback: subconscious.Useful, By: "person"}, "deliberating; you: useful"},
		{subconscious.Command{Kind: subconscious.CommandAck, Text: "approved", By: "person"}, "deliberating; you: approved"},
		{subconscious.Command{Kind: subconscious.CommandSnooze, Until: noon.Add(time.Hour)}, "deliberating; you: snoozed until 13:00"},
		{subconscious.Command{Kind: subconscious.CommandDismiss, By: "agent codex"}, "deliberating; you: snoozed until 13:00"},
		{subconscious.Command{Kind: subconscious.CommandDismiss}, "deliberating; you: dismissed"},
	} {
		c.command.Incident = fileKey
		in.Commands = []subconscious.Command{c.command}
		before := asJSON(state)
		next := escalate.Remember(state, escalate.Decide(in))
		if got := next.History[0].Outcome; got != c.want || next.History[1].Outcome != "told" || asJSON(state) != before {
			t.Errorf("%s by %q: %q", c.command.Kind, c.command.By, got)
		}
		state = next
	}
	ended := escalate.Decided{Concluded: []subconscious.EscalationRecord{{At: noon, Incident: fileKey, Outcome: "told"}}}
	if got := escalate.Remember(state, ended).History[0].Outcome; got != "told; you: dismissed" {
		t.Errorf("at the end of the deliberation: %q", got)
	}
}

// TestNextDigest takes whichever comes first, after now.
func TestNextDigest(t *testing.T) {
	rules := escalate.DefaultRules()
	rules.Digest.Weekly = "mon 18:00"
	for at, want := range map[string]string{"12:00": "17:00", "17:00": "18:00", "18:00": "08:30"} {
		clock, _ := time.Parse("15:04", at)
		due, ok := escalate.NextDigest(rules, time.Date(2026, 11, 23, clock.Hour(), 0, 0, 0, time.UTC))
		if !ok || due.Format("15:04") != want {
			t.Errorf("after %s: %s", at, due)
		}
	}
	if due, ok := escalate.NextDigest(escalate.Rules{}, noon); ok || !due.IsZero() {
		t.Errorf("without digests: %s", due)
	}
}
