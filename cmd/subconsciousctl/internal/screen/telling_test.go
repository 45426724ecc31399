package screen

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// tellingScreens draws every screen about telling, by name.
func tellingScreens(view View, m *apitest.Mind) map[string]string {
	story := m.Stories["i-backup-1a0"]
	result := api.CommandResult{Pending: true, Command: subconscious.Command{Kind: subconscious.CommandSnooze, IncidentID: story.Incident.ID, Until: view.At.Add(time.Hour)}}
	why := api.Explanation{Entry: subconscious.Entry{Summary: story.Incident.Summary},
		Incident: subconscious.Incident{Telling: &subconscious.Telling{ID: story.Incident.ID, State: story.Incident.State, Waits: true, Held: story.Incident.Held}}}
	return map[string]string{
		"inbox": Draw(view, "Inbox", m.Box, api.InboxQuery{All: true}), "incident": Draw(view, "Incident", story, Shown{All: true}), "missed": Draw(view, "Missed", m.Traced, api.MissedRequest{}),
		"calibration": Draw(view, "Calibration", m.Learnt), "forgot": Draw(view, "Forgot", Forgotten{Forgot: m.Learnt.Scores}), "channels": Draw(view, "Channels", m.Now.Channels),
		"tests": Draw(view, "NotifyTests", m.Sent), "status": Draw(view, "Status", m.Now), "report": Draw(view, "Report", m.Sum), "tick": Draw(view, "Tick", m.Reports[0]),
		"answer": Draw(view, "Answer", result), "why": Draw(view, "Why", why, Shown{}),
	}
}

// TestNoMessageMovesTheCursor draws what is told with hostile text in every
// place, as TestNothingMovesTheCursor does.
func TestNoMessageMovesTheCursor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		view := View{At: apitest.At(), Zone: time.UTC, Width: rapid.IntRange(40, 120).Draw(t, "width"), Home: "/home/sample"}
		m := apitest.Telling()
		m.Reports[0].Told = []api.ToldMessage{{Urgent: true}}
		story := m.Stories["i-backup-1a0"]
		story.Record.Telling = &subconscious.Telling{}
		for _, value := range []any{&m.Now, &m.Box, &story, &m.Traced, &m.Learnt, &m.Sent, &m.Sum, &m.Reports} {
			hostile(reflect.ValueOf(value).Elem(), text)
		}
		m.Stories["i-backup-1a0"] = story
		for name, got := range tellingScreens(view, m) {
			mustFit(t, view, name, got)
		}
		// What is to be copied is not wrapped.
		pushed := Draw(view, "Push", Pushed{At: view.At, Topic: text, Title: text, Text: text, Tags: []string{text}, Click: text, Buttons: []Button{{Label: text, Press: text}}})
		for _, got := range []string{pushed, Draw(view, "ReadyChannel", struct{ URL, Config string }{text, text})} {
			mustBePrintable(t, "a stand-in", got)
		}
	})
}

// TestPushIsWhole: a stand-in shows what a phone would make of a message.
func TestPushIsWhole(t *testing.T) {
	got := Draw(View{At: apitest.At(), Zone: time.UTC, Width: 100}, "Push", Pushed{At: apitest.At(), Topic: "mind", Title: "Cake out", Text: "In 15 minutes.",
		Priority: 4, Tags: []string{"bell"}, Click: "message:%3C1@home%3E"})
	for _, want := range []string{"Cake out priority 4 bell", "In 15 minutes.", "a tap opens: message:%3C1@home%3E"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in it:\n%s", want, got)
		}
	}
}

// TestColourSaysNothingOfTelling takes the colours away again.
func TestColourSaysNothingOfTelling(t *testing.T) {
	sameInColour(t, tellingScreens, apitest.Telling())
}

// TestReasonsOfTheGate: each has words of its own, and none is shown by its
// name.
func TestReasonsOfTheGate(t *testing.T) {
	reasons := []string{"no_evidence", "expired", "dismissed", "snoozed", "duplicate", "low_confidence", "cooldown", "quiet_hours", "presence", "budget_attention", "digest", "escalate"}
	seen := map[string]string{}
	for _, reason := range reasons {
		for _, said := range []string{string(words("gate", reason)), string(words("gate in sum", reason))} {
			if said == "" || strings.Contains(said, "_") || seen[said] != "" {
				t.Errorf("%s: %q, as of %q", reason, said, seen[said])
			}
			seen[said] = reason
		}
	}
	if got := words("gate", "some_other"); got != "some other" {
		t.Errorf("one that is not known: %q", got)
	}
}

func TestWhatAnIncidentWaitsFor(t *testing.T) {
	at := apitest.At()
	for _, test := range []struct {
		name     string
		incident api.InboxIncident
		want     string
	}{
		{"nothing", api.InboxIncident{State: subconscious.TellingTold}, ""},
		{"the next tick", api.InboxIncident{Waits: true, Held: "cooldown"}, "It waits until the next tick: it was told only just now."},
		{"a time that is past", api.InboxIncident{Waits: true, Held: "cooldown", Until: at.Add(-time.Hour)}, "It waits until the next tick: it was told only just now."},
		{"the morning", api.InboxIncident{Waits: true, Held: "quiet_hours", Until: at.Add(18 * time.Hour)}, "It waits until Sun 08:05 (in 18 hours): quiet hours."},
		{"snoozed", api.InboxIncident{State: subconscious.TellingSnoozed, Until: at.Add(3 * time.Hour)}, "It waits until 17:05 (in 3 hours): you want to hear of it later."},
		{"a reminder", api.InboxIncident{State: subconscious.TellingAcknowledged, Remind: at.Add(2 * time.Hour)}, "You are reminded in 2 hours (16:05)."},
	} {
		if got := sentence(string(open(View{At: at, Zone: time.UTC}, "waits").phrase("waits", test.incident))); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestAnswers(t *testing.T) {
	view := View{At: apitest.At(), Zone: time.UTC, Width: 120}
	for _, test := range []struct {
		result api.CommandResult
		want   string
	}{
		{api.CommandResult{Pending: true, Command: subconscious.Command{Kind: subconscious.CommandAck, Entry: "w-disk-a1f"}},
			"w-disk-a1f: heard. You are told again only if it changes in a way that matters. The next tick takes note of it.\n"},
		{api.CommandResult{Command: subconscious.Command{Kind: subconscious.CommandDismiss, IncidentID: "i-disk-0f3", Entry: "w-disk-a1f", Forever: true}},
			"i-disk-0f3: dismissed. You hear no more of it, unless it becomes critical.\n"},
		{api.CommandResult{Done: "snoozed until 17:00", Command: subconscious.Command{Kind: subconscious.CommandSnooze, IncidentID: "i-disk-0f3"}},
			"i-disk-0f3: Snoozed until 17:00.\n"},
		{api.CommandResult{Untold: true, Command: subconscious.Command{Kind: subconscious.CommandAck, IncidentID: "i-disk-0f3", Feedback: subconscious.Useful}},
			"i-disk-0f3: read before it was told, and of use. It waits no more, and you are told only if it changes in a way that\nmatters.\n"},
		{api.CommandResult{Pending: true, Due: apitest.At().Add(time.Hour), Command: subconscious.Command{Kind: subconscious.CommandSnooze, IncidentID: "i-fair-19c", Until: apitest.At().Add(2 * time.Hour)}},
			"i-fair-19c: not now. You hear of it again in 2 hours (16:05), if it still stands. It is due before that, in 1 hour\n" +
				"(15:05): you hear of it late, or not at all where it is over by then. An earlier time: subconsciousctl snooze i-fair-19c\nWHEN. The next tick takes note of it.\n"},
	} {
		if got := Draw(view, "Answer", test.result); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// TestLimitsOfAttention do not have rules think: they have things wait.
func TestLimitsOfAttention(t *testing.T) {
	page := newPage(View{Width: 80, At: apitest.At(), Zone: time.UTC})
	budget := api.BudgetStatus{NotificationsToday: 12, Limits: []api.LimitStatus{{Name: "notifications_per_day", Used: 12, Limit: 12, Exhausted: true}}}
	if got := page.exhausted(budget); len(got) != 1 || got[0] != "the limit of notifications per day is reached (12 of 12): what is not told waits, or goes into the digest" {
		t.Errorf("got %q", got)
	}
	if got := open(page.View, "spent").phrase("spent", budget); got != "$0.00, 0 model calls, 0 tokens, 12 of 12 notifications" {
		t.Errorf("got %q", got)
	}
}
