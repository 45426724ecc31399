package apitest

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// at is when the samples were taken; nothing changes it.
var at = time.Date(2026, 3, 14, 14, 5, 30, 0, time.UTC)

// At returns the time at which the samples were taken.
func At() time.Time { return at }

func ago(d time.Duration) time.Time { return at.Add(-d) }

//go:embed samples
var samples embed.FS

// sample is one of the samples, as it travels.
func sample[T any](name string) (value T) {
	text, err := samples.ReadFile("samples/" + name + ".json")
	var sent bytes.Buffer
	if err = errors.Join(err, json.Compact(&sent, text)); err == nil {
		err = json.Unmarshal(sent.Bytes(), &value)
	}
	if err != nil {
		panic(fmt.Errorf("apitest: the sample %s: %w", name, err))
	}
	return value
}

// Busy returns a mind with something on every list, and with what is needed to
// explain two of its entries.
func Busy() *Mind {
	return &Mind{Now: sample[api.Status]("status"), Reports: sample[[]api.TickReport]("reports"), Replayed: sample[[]api.Replay]("replays"),
		Reasons: sample[map[subconscious.EntryID]api.Explanation]("explanations")}
}

// Empty returns a mind before its first tick, without a sense.
func Empty() *Mind {
	return &Mind{Now: api.Status{
		Version: "v0.1.0",
		Mind:    api.MindStatus{StateDir: "/home/sample/.local/state/subconscious", PID: 4242, Started: ago(2 * time.Second)},
		Tick:    api.TickStatus{Next: at.Add(4 * time.Minute), Schedule: "*/5 * * * *"},
	}}
}

// Degraded returns a mind with a blind sense, a failed thread, a failed tick and
// notices.
func Degraded() *Mind {
	m := Busy()
	m.Now, m.Unwell = sample[api.Status]("degraded"), fmt.Errorf("the calendar home is blind")
	return m
}

// Paused returns a mind that is paused for an hour more, with a command that
// waits.
func Paused() *Mind {
	m := Busy()
	m.Now.Mind.Paused, m.Now.Mind.PausedUntil = true, at.Add(time.Hour)
	m.Now.Pending = []subconscious.Command{
		{ID: 1, At: ago(time.Minute), Kind: subconscious.CommandClose, Entry: "w-backup-a2c", By: "person"},
	}
	return m
}

// Thinking returns a mind whose threads think with models: one of them rests
// after failures, another thinks in the place of one, and a limit is reached.
func Thinking() *Mind {
	m := Busy()
	m.Now.Models, m.Now.Threads = sample[[]api.ModelStatus]("models"), sample[[]api.ThreadStatus]("threads")
	m.Now.Budget, m.Reports[0].Threads = sample[api.BudgetStatus]("budget"), sample[[]api.ThreadReport]("thinking_report")
	m.Tests, m.Prompts = sample[[]api.ModelTest]("model_tests"), sample[map[string]api.RenderedPrompt]("prompts")
	m.Sum = sample[api.Report]("sum")
	return m
}

// Telling returns a mind that tells the person: incidents in each state, three
// channels of which one fails, a meeting that holds things back, and what was
// learnt from answers.
func Telling() *Mind {
	m := Thinking()
	m.Box, m.Sent = sample[api.Inbox]("inbox"), sample[[]api.Delivery]("sent")
	m.Now.Waiting, m.Now.Presence = []api.InboxIncident{m.Box.Incidents[0], m.Box.Incidents[2]}, m.Box.Presence
	m.Now.Incidents = api.IncidentCounts{Open: 4, Held: 2}
	m.Now.Budget.NotificationsToday = 3
	m.Now.Channels = sample[[]api.ChannelStatus]("channels")
	story := sample[api.IncidentExplanation]("story")
	m.Stories = map[subconscious.IncidentID]api.IncidentExplanation{"i-backup-1a0": story}
	m.Traced, m.Learnt = sample[api.Trace]("trace"), sample[api.Calibration]("calibration")
	m.Sum.Told, m.Sum.Again, m.Sum.Digested, m.Sum.Digests = 5, 1, 2, 1
	m.Sum.Useful, m.Sum.NotUseful, m.Sum.Dismissed, m.Sum.Ignored, m.Sum.Missed = 3, 1, 1, 0, 1
	m.Sum.Decisions, m.Sum.Undelivered = map[string]int{"escalate": 4, "digest": 2, "duplicate": 17, "presence": 2, "low_confidence": 3}, 1
	m.Reports[0].Decisions = story.Decisions[1:]
	return m
}

// SampleHash is the hash of the proposal that waits in Deliberating.
const SampleHash = "9b1f6c1d0e4a7c52b3d8f0a1c2e3d4f5a6b7c8d9e0f1a2b3c4d5e6f708192a3b"

// Deliberating returns a mind that deliberates: an escalation under way, proposals in
// each state, runs, conversations and memories.
func Deliberating() *Mind {
	m := Telling()
	m.Proposed, m.Ran = sample[[]api.Proposal]("proposals"), sample[[]api.ActionRun]("runs")
	m.Talks, m.Said = sample[[]api.Conversation]("conversations"), sample[[]api.Message]("messages")
	m.Memories = sample[[]api.MemoryRecord]("memories")
	done := []memory.Done{{ID: "m-1f", What: "promoted", Why: "seen 3 times", With: "m-1d"}}
	m.Fit = api.MemoryHealth{Records: []memory.Tally{{Lane: memory.Trusted, Status: memory.Active, Records: 4100}}, Refused: []memory.Refusal{{Reason: memory.Question, Times: 2, Last: at}},
		Conflicts: 1, Duplicates: 2, Changed: 1, Missing: 2, Unused: 3, Unchecked: 1, Oldest: ago(48 * time.Hour), Last: memory.Consolidated{At: at, Done: done, Proposed: done}, Do: []string{"subconsciousctl memory conflicts"}}
	m.Now.Incidents.Proposals = 1
	p := m.Proposed[0]
	m.Now.Proposed = []api.Proposal{p}
	m.Now.Deliberating = sample[[]api.DeliberatingStatus]("deliberating")
	m.Box.Incidents[0].Deliberating, m.Box.Incidents[0].Waits, m.Box.Incidents[0].Held = true, false, ""
	m.Box.Incidents[0].State, m.Box.Incidents[0].Until = subconscious.TellingTold, time.Time{}
	m.Box.Incidents[1].Outcome, m.Box.Incidents[1].OutcomeReason = subconscious.OutcomeProposed, "a restart would do what you did the last three times"
	m.Box.Incidents[1].Proposal = p.ID
	m.Box.Incidents[3].Outcome, m.Box.Incidents[3].OutcomeReason = subconscious.OutcomeSnoozed, "the cleaning of the night comes first"
	m.Now.Waiting = m.Now.Waiting[1:]
	m.Now.Incidents.Held = 1
	backup := m.Stories["i-backup-1a0"]
	backup.Incident = m.Box.Incidents[1]
	backup.Deliberations = sample[[]api.Deliberation]("deliberations")
	m.Stories["i-backup-1a0"] = backup
	return m
}

// hostile moves a cursor, turns the direction of writing, and hides what
// follows.
const hostile = "\x1b[2J\x1b[1;1Happroved\r\u009b31m\u202egnorw\u200b\x00\x07 --yes\x1b]8;;https://evil.example\x07link"

// Hostile returns a mind in whose every text stands what a terminal would obey.
func Hostile() *Mind {
	m := Deliberating()
	p := &m.Proposed[0]
	p.Action, p.Description, p.Reason, p.Folder, p.Why = "restart"+hostile, hostile, hostile, "/home/"+hostile, hostile
	p.Argv = []string{"/usr/bin/env", "", "two words", "a\nb", hostile, "plain"}
	p.Arguments, _ = json.Marshal(map[string]string{"text": hostile}) // a map of strings is always JSON
	p.Trusts, p.Clause, p.Problem, p.ID = []subconscious.Trust{hostile}, hostile, hostile, "p-4f2a"
	m.Now.Proposed[0].Action, m.Now.Proposed[0].Reason, m.Now.Deliberating[0].Summary = hostile, hostile, hostile
	for i := range m.Ran {
		m.Ran[i].Action, m.Ran[i].Output, m.Ran[i].Problem, m.Ran[i].Argv = hostile, hostile+"\n"+hostile, hostile, []string{hostile, "x"}
	}
	for i := range m.Talks {
		m.Talks[i].Title, m.Talks[i].Last = hostile, hostile
	}
	for i := range m.Said {
		m.Said[i].Text, m.Said[i].Name = hostile+"\n"+hostile, hostile
	}
	for i := range m.Memories {
		r := &m.Memories[i]
		r.Text, r.About.Agent, r.Source, r.Kind, r.Tags = hostile+"\n"+hostile, hostile, hostile, hostile, []string{hostile}
	}
	story := m.Stories["i-backup-1a0"]
	for i := range story.Deliberations {
		d := &story.Deliberations[i]
		d.Reason, d.Model, d.Problem, d.Taint = hostile, hostile, hostile, []subconscious.Trust{hostile}
		d.Prompt = api.DeliberationPrompt{System: hostile, User: hostile + "\n" + hostile}
		for k := range d.Rounds {
			d.Rounds[k].Answer, d.Rounds[k].Problem = hostile, hostile
			for c := range d.Rounds[k].Calls {
				call := &d.Rounds[k].Calls[c]
				call.Tool, call.Arguments, call.Result, call.Shown = hostile, hostile, hostile, []subconscious.Trust{hostile}
				call.Judgement = &escalate.Judgement{Permission: hostile, Clause: hostile, Why: hostile}
			}
		}
	}
	m.Box.Incidents[1].OutcomeReason, m.Box.Incidents[1].Proposal = hostile, hostile
	return m
}
