package screen

import (
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Nobody is said to have been told by rule who was told nothing, and why is said
// once.
func TestToldByRule(t *testing.T) {
	at := apitest.At()
	for name, c := range map[string]struct {
		d     api.Deliberation
		told  bool
		words string // how often the reason stands there
	}{
		"told":                  {api.Deliberation{Outcome: subconscious.OutcomeTold, Template: true, Problem: "no answer came"}, true, "no answer came"},
		"put off":               {api.Deliberation{Outcome: subconscious.OutcomeSnoozed, Until: at.Add(time.Hour), Reason: "quiet hours have begun", Problem: "quiet hours have begun"}, false, "quiet hours have begun"},
		"put off, as it was":    {api.Deliberation{Outcome: subconscious.OutcomeSnoozed, Template: true, Reason: "quiet hours have begun", Problem: "quiet hours have begun"}, false, "quiet hours have begun"},
		"too late":              {api.Deliberation{Outcome: subconscious.OutcomeDismissed, Template: true, Reason: "it came too late"}, false, "it came too late"},
		"put off with no model": {api.Deliberation{Outcome: subconscious.OutcomeSnoozed, Reason: "quiet hours have begun", Problem: "no answer came"}, false, "No answer came"},
	} {
		c.d.ID, c.d.At = "d-1", at
		text := Draw(View{At: at, Zone: time.UTC, Width: 100}, "Incident", api.IncidentExplanation{Deliberations: []api.Deliberation{c.d}}, Shown{All: true})
		if strings.Contains(strings.ToLower(text), "told by rule") != c.told || strings.Count(text, c.words) != 1 || strings.Contains(text, "no model was asked") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
