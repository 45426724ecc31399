package screen

import (
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestGivenIsNotTold: what the gate gave to a deliberation is let through, in
// the report of the tick and in why, whether its record says so or the
// deliberation does.
func TestGivenIsNotTold(t *testing.T) {
	view := View{At: apitest.At(), Zone: time.UTC, Width: 100}
	given := api.Decision{ID: "i-disk-0f3", Tick: 7, Summary: "The disk fills up", Message: "The disk fills up",
		Ruling: api.Ruling{Verdict: "tell", Reason: "escalate", Detail: "it can wait no longer", Deliberate: true}}
	old := given
	old.Deliberate = false
	explained := api.IncidentExplanation{Incident: api.InboxIncident{ID: "i-disk-0f3", State: subconscious.TellingDismissed, Outcome: subconscious.OutcomeDismissed},
		Decisions: []api.Decision{old}, Deliberations: []api.Deliberation{{ID: "d-1", Tick: 7, Outcome: subconscious.OutcomeDismissed}},
		Record: subconscious.Incident{Telling: &subconscious.Telling{Asked: subconscious.Asked{Remark: "\x1b[2Jthe build stops tonight"}}}}
	screens := map[string]string{
		"tick": Draw(view, "Tick", api.TickReport{Tick: 7, Published: true, Decisions: []api.Decision{given}}),
		"why":  Draw(view, "Incident", explained, Shown{}),
	}
	for name, got := range screens {
		if strings.Contains(got, "✓ told") || strings.Contains(got, " told     ") || !strings.Contains(got, "let through") || !strings.Contains(got, "given to a deliberation") {
			t.Errorf("%s: it says that the person was told:\n%s", name, got)
		}
	}
	if got := screens["why"]; !strings.Contains(got, "The model's words: “[2Jthe build stops tonight”") || !strings.Contains(got, "kept back since") || !strings.Contains(got, "Where no model answers, you are told:") {
		t.Errorf("why: it does not say what became of it:\n%s", got)
	}
	if got := Draw(view, "Tick", api.TickReport{Tick: 7, Decisions: []api.Decision{old}}); !strings.Contains(got, "✓ told") {
		t.Errorf("what was told by rules:\n%s", got)
	}
}

// TestToldLately is what the person heard; what was kept back stands apart, and
// what is deliberated on is neither.
func TestToldLately(t *testing.T) {
	record := func(summary, outcome, reason string) subconscious.EscalationRecord {
		return subconscious.EscalationRecord{At: apitest.At(), Summary: summary, Outcome: outcome, Reason: reason}
	}
	shown := Draw(View{At: apitest.At(), Zone: time.UTC, Width: 100}, "Status", api.Status{Subconscious: subconscious.Document{EscalationHistory: []subconscious.EscalationRecord{
		record("one", "told", ""), record("two", "snoozed", "it is early"), record("three", "deliberating", ""),
		record("four", "told in the digest", ""), record("five", "dismissed", "it is noise"), record("six", "proposed", ""),
	}}})
	told, kept, found := strings.Cut(shown, "Not told lately")
	for _, words := range []string{"one (told)", "four (told in the digest)", "six (proposed)"} {
		if !strings.Contains(told, words) {
			t.Errorf("%q is not among what was told:\n%s", words, told)
		}
	}
	for _, words := range []string{"two (a deliberation put it off: it is early)", "five (a deliberation kept it back: it is noise)"} {
		if !found || !strings.Contains(kept, words) {
			t.Errorf("%q is not among what was kept back:\n%s", words, kept)
		}
	}
	if strings.Contains(shown, "three") {
		t.Errorf("what is deliberated on is neither:\n%s", shown)
	}
}

// TestWhoPutItOff: what a deliberation put off is not said to be the person's
// request, on any screen.
func TestWhoPutItOff(t *testing.T) {
	at := apitest.At()
	view := View{At: at, Zone: time.UTC, Width: 100}
	i := api.InboxIncident{ID: "i-disk-0f3", State: subconscious.TellingSnoozed, Waits: true, Held: "snoozed", Until: at.Add(3 * time.Hour),
		Outcome: subconscious.OutcomeSnoozed, OutcomeReason: "quiet hours have begun", Summary: "The disk fills up"}
	telling := &subconscious.Telling{ID: i.ID, State: i.State, Waits: true, Held: "snoozed", Until: i.Until,
		Told: []subconscious.Told{{At: at, Outcome: subconscious.OutcomeSnoozed}}}
	for name, got := range map[string]string{
		"inbox":            Draw(view, "Inbox", api.Inbox{Incidents: []api.InboxIncident{i}}, api.InboxQuery{}),
		"why":              Draw(view, "Incident", api.IncidentExplanation{Incident: i}, Shown{}),
		"why of its entry": Draw(view, "Telling", ofTelling(*telling)),
		"status":           string(open(view, "held short").phrase("held short", i)),
	} {
		if strings.Contains(got, "you want to hear of it later") || strings.Contains(got, "You were told") || !strings.Contains(got, "a deliberation put it off") {
			t.Errorf("%s: it does not say who put it off:\n%s", name, got)
		}
		if wants := name == "inbox" || name == "why"; wants != strings.Contains(got, "quiet hours have begun") || strings.Contains(got, "made  ") {
			t.Errorf("%s: it does not say why, once:\n%s", name, got)
		}
	}
	i.Outcome = "" // the person answered since
	if got := string(open(view, "held short").phrase("held short", i)); !strings.HasPrefix(got, "you want to hear of it later") {
		t.Errorf("the person's own request: %q", got)
	}
}
