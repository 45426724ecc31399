package escalate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func diskIsFull(in *escalate.Input) {
	in.Evidence[0].Latest.Sense, in.Evidence[0].Latest.Kind = "health", "disk"
	in.Evidence[0].Latest.Severity, in.Incidents[0].Severity = subconscious.Critical, subconscious.Critical
}

// TestRestored: what the first look after a restore finds is one message, and of what
// comes later that day only what is critical is told.
func TestRestored(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*escalate.Input)
		reason escalate.Reason
		detail string
		titles string // of digests
	}{
		{"never", func(in *escalate.Input) { in.Spent.Restored = time.Time{} }, escalate.Escalate, "", ""},
		{"its first look", func(in *escalate.Input) { in.First = true }, escalate.Digest, "in the first message", "1 thing since the backup that was restored"},
		{"its first look, a day later", func(in *escalate.Input) {
			in.First, in.Spent.Restored = true, noon.Add(-24*time.Hour)
		}, escalate.Digest, "in the first message", "1 thing since the backup that was restored"},
		{"its first look, by night", func(in *escalate.Input) {
			in.First, in.Rules.Quiet = true, escalate.Hours{From: "11:30", To: "13:00"}
		}, escalate.Backlog, "the mind was restored", ""},
		{"after that night", func(in *escalate.Input) {
			t := telling(in)
			t.State, t.Waits, t.Held, t.HeldSince = subconscious.TellingOpen, true, string(escalate.Backlog), noon.Add(-time.Hour)
		}, escalate.Digest, "in the first message", "1 thing since the backup that was restored"},
		{"its first look, and urgent", func(in *escalate.Input) {
			in.First, in.Evidence[0].Latest.Severity, in.Incidents[0].Severity = true, subconscious.Warning, subconscious.Warning
		}, escalate.Digest, "in the first message", "1 thing since the backup that was restored"},
		{"its first look, and critical", func(in *escalate.Input) {
			in.First = true
			diskIsFull(in)
		}, escalate.Escalate, "", ""},
		{"later that day", func(*escalate.Input) {}, escalate.BudgetAttention, "restored from a backup today", ""},
		{"later that day, and critical", diskIsFull, escalate.Escalate, "", ""},
		{"the day after", func(in *escalate.Input) { in.Spent.Restored = noon.Add(-24 * time.Hour) }, escalate.Escalate, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := plainInput()
			in.Spent.Restored = noon.Add(-time.Hour)
			test.change(&in)
			out := escalate.Decide(in)
			var titles []string
			for _, d := range out.Digests {
				titles = append(titles, d.Message.Title)
			}
			if d := out.Decisions[0]; d.Reason != test.reason || !strings.Contains(d.Detail, test.detail) || strings.Join(titles, ", ") != test.titles {
				t.Errorf("%s: %s (%s), %q", d.Verdict, d.Reason, d.Detail, titles)
			}
		})
	}
}
