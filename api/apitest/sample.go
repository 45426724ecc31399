package apitest

import (
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// at is when the samples were taken; nothing changes it.
var at = time.Date(2026, 3, 14, 14, 5, 30, 0, time.UTC)

// At returns the time at which the samples were taken.
func At() time.Time { return at }

func ago(d time.Duration) time.Time { return at.Add(-d) }

// Busy returns a mind with something on every list, and with what is needed to
// explain two of its entries.
func Busy() *Mind {
	status := api.Status{
		Version:      "v0.1.0",
		Mind:         api.MindStatus{StateDir: "/home/sample/.local/state/subconscious", PID: 4242, Started: ago(200 * time.Minute)},
		Tick:         api.TickStatus{Count: 128, Last: ago(150 * time.Second), Next: at.Add(150 * time.Second), Schedule: "*/5 * * * *"},
		Subconscious: document(),
		Incidents:    api.IncidentCounts{Open: 7},
		Parked: []subconscious.Entry{{ID: "o-invoice-a30", List: subconscious.ActiveThreads, Kind: subconscious.KindDeadline,
			Summary: "Due Fri 27 Mar: pay the invoice of the fair", Importance: 4, Due: at.Add(13 * 24 * time.Hour)}},
		Rejected: map[string]int{"repeat": 41, "below_importance": 3, "crowded_out": 1},
		Senses: []api.SenseStatus{
			{ID: "health", Kind: "health", State: "ok", Since: ago(200 * time.Minute), Standing: 3},
			{ID: "work", Kind: "files", State: "ok", Since: ago(200 * time.Minute)},
			{ID: "notes", Kind: "notes", State: "ok", Since: ago(200 * time.Minute), Standing: 12},
			{ID: "home", Kind: "calendar", State: "ok", Since: ago(200 * time.Minute), Standing: 31},
		},
		Threads: []api.ThreadStatus{
			{Name: "watcher", Mode: "reflex", State: "ok", Last: ago(150 * time.Second)},
			{Name: "librarian", Mode: "reflex", State: "skipped", Reason: "nothing new in its field", NoveltyPressure: 4, Last: ago(20 * time.Minute)},
			{Name: "oracle", Mode: "reflex", State: "ok", Last: ago(150 * time.Second), FocusHint: "the trip to the fair in March"},
			{Name: "dreamer", Mode: "reflex", State: "skipped", Reason: "nothing new in its field", NoveltyPressure: 10, Last: ago(50 * time.Minute)},
		},
	}
	return &Mind{Now: status, Reports: reports(), Reasons: explanations()}
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
	m.Now.Tick.Error = "cannot write mind.db: no space left on device"
	m.Now.Senses[3] = api.SenseStatus{ID: "home", Kind: "calendar", State: "blind", Since: ago(12 * time.Hour), Standing: 31,
		Error: "cannot read /home/sample/home.ics: no such file", Next: at.Add(10 * time.Minute)}
	m.Now.Senses[1].State, m.Now.Senses[1].Since = "degraded", ago(time.Hour)
	m.Now.Senses[1].Error = "out of watches: looking at the folders each tick instead"
	m.Now.Threads[2] = api.ThreadStatus{Name: "oracle", Mode: "reflex", State: "failed", Reason: "it did not end within its deadline",
		Since: ago(10 * time.Minute), Last: ago(15 * time.Minute), Pending: 14, Overflow: 2}
	m.Now.Notices = []api.Notice{
		{NoticeKey: subconscious.NoticeKey{Code: "sense_blind"}, At: ago(12 * time.Hour), Text: "the calendar home has been blind since 02:05",
			Next: "check the path of senses.calendar home in the configuration"},
	}
	m.Now.Incidents = api.IncidentCounts{Open: 7, Held: 2, Proposals: 1}
	m.Unwell = fmt.Errorf("the calendar home is blind")
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

func document() subconscious.Document {
	entry := func(id subconscious.EntryID, strength int, kind subconscious.Kind, summary string, seen time.Duration, refs ...string) subconscious.DocumentEntry {
		return subconscious.DocumentEntry{ID: id, Summary: summary, Strength: strength, Kind: kind,
			Created: ago(seen + time.Hour), LastSeen: ago(seen), Evidence: refs}
	}
	disk := entry("w-disk-a1f", 4, subconscious.KindAnomaly, "/var is 96 % full and will be full in about 4 hours", 150*time.Second, "health:abcdefghij", "health:bcdefghijk")
	clash := entry("o-meeting-a2b", 3, subconscious.KindRisk,
		"Planning with the suppliers and the call with the landlord clash at 16:00 on Saturday, and the second is an hour's travel away", 150*time.Second, "calendar:cdefghijkl", "calendar:defghijklm")
	clash.Due = at.Add(115 * time.Minute)
	backup := entry("w-backup-a2c", 6, subconscious.KindAnomaly, "backup.service failed for the fourth time today", 150*time.Second, "health:efghijklmn")
	over := entry("w-swap-9x2", 1, subconscious.KindObservation, "Swap was in heavy use", 30*time.Minute, "health:fghijklmno")
	over.Over = true
	return subconscious.Document{
		Version: 1, TickCount: 128, LastTick: ago(150 * time.Second),
		ActiveThreads: []subconscious.DocumentEntry{backup, disk, clash, over},
		Patterns:      []subconscious.DocumentEntry{entry("l-backup-7aa", 2, subconscious.KindPattern, "The backup fails on Saturdays", 3*time.Hour, "health:efghijklmn")},
		Hunches: []subconscious.DocumentEntry{entry("d-fair-8b1", 2, subconscious.KindConnection,
			"The note about the fair and the invoice folder speak of the same booking", 10*time.Minute, "notes:ghijklmnop", "files:hijklmnopq")},
	}
}

func reports() []api.TickReport {
	report := func(n int64, before time.Duration) api.TickReport {
		return api.TickReport{Tick: n, At: ago(before), Kind: subconscious.Scheduled, ElapsedMS: 11.6, Published: true,
			Senses:  []api.SenseReport{{ID: "health", Kind: "health", State: "ok"}},
			Threads: []api.ThreadReport{{Name: "watcher", Mode: "reflex"}, {Name: "oracle", Mode: "skipped", Reason: "nothing new in its field"}}}
	}
	first := report(128, 150*time.Second)
	first.Kind = subconscious.Manual
	first.Senses = append(first.Senses, api.SenseReport{ID: "work", Kind: "files", State: "ok", Changes: 3})
	first.Threads[0] = api.ThreadReport{Name: "watcher", Mode: "reflex", Shown: 4, Findings: 2, Rejected: map[string]int{"repeat": 1}}
	first.Changes = []api.EntryChange{
		{Entry: "w-backup-a2c", What: "reinforced", List: subconscious.ActiveThreads, Summary: "backup.service failed for the fourth time today", From: 5, To: 6, Why: "it happened again"},
		{Entry: "w-swap-9x2", What: "faded", List: subconscious.ActiveThreads, Summary: "Swap was in heavy use", From: 2, To: 1, Why: "all of it is over"},
	}
	first.Decisions = []api.Decision{{Incident: "health:unit:backup.service", Entry: "w-backup-a2c", Thread: subconscious.Watcher,
		Summary: "backup.service failed for the fourth time today", Verdict: "recorded", Reason: "nothing tells anybody yet"}}
	blind := report(126, 750*time.Second)
	blind.Kind = subconscious.CatchUp
	blind.Senses[0].State, blind.Senses[0].Error = "blind", "cannot read /proc"
	failed := report(125, 26*time.Hour)
	failed.Error, failed.Published = "cannot write mind.db: no space left on device", false
	return []api.TickReport{first, report(127, 450*time.Second), blind, failed}
}

func explanations() map[subconscious.EntryID]api.Explanation {
	backup := api.Explanation{
		Place: "listed",
		Entry: subconscious.Entry{ID: "w-backup-a2c", List: subconscious.ActiveThreads, Kind: subconscious.KindAnomaly,
			Summary: "backup.service failed for the fourth time today", Strength: 6, Importance: 8, Sources: []subconscious.ThreadName{"watcher"},
			Rule: "failed_unit", Incident: "health:unit:backup.service",
			Evidence: []subconscious.Held{{Citation: subconscious.Citation{Ref: "health:efghijklmn", Seq: 90}, Standing: true, Severity: subconscious.Warning}}},
		Incident: subconscious.Incident{Key: "health:unit:backup.service", Severity: subconscious.Warning},
		Observations: []api.CitedObservation{
			{Citation: "health:efghijklmn@90", Standing: true, Observation: subconscious.Observation{ID: "unit:backup.service", Sense: "health", Instance: "health",
				Kind: "unit", Change: subconscious.Changed, Seq: 90, At: ago(150 * time.Second), Title: "The unit backup.service failed",
				Text: "Result exit-code, status 1. It was started 4 times and failed each time.", Trust: subconscious.Machine}},
			{Citation: "health:efghijklmn@12", Missing: true},
		},
	}
	step := func(tick int64, before time.Duration, what aggregator.What, from, to int, why string) {
		backup.Steps = append(backup.Steps, api.Step{Tick: tick, At: ago(before), Change: api.EntryChange{Entry: "w-backup-a2c", What: what,
			List: subconscious.ActiveThreads, Summary: backup.Entry.Summary, From: from, To: to, Why: why}})
	}
	step(100, 143*time.Minute, "added", 0, 3, "importance 8")
	backup.Steps[0].Thread, backup.Steps[0].Rule = "watcher", "failed_unit"
	for n := int64(101); n < 125; n++ {
		step(n, time.Duration(128-n)*5*time.Minute, "held", 3, 3, "it still stands")
	}
	for n := int64(126); n <= 128; n++ {
		step(n, time.Duration(128-n)*5*time.Minute+150*time.Second, "reinforced", int(n-123), int(n-122), "it happened again")
	}
	swap := api.Explanation{
		Place: "listed",
		Entry: subconscious.Entry{ID: "w-swap-9x2", List: subconscious.ActiveThreads, Kind: subconscious.KindObservation, Summary: "Swap was in heavy use",
			Strength: 1, Importance: 5, Over: true, Incident: "health:swap", Evidence: []subconscious.Held{{Citation: subconscious.Citation{Ref: "health:fghijklmno", Seq: 70}}}},
		Incident: subconscious.Incident{Key: "health:swap"},
	}
	return map[subconscious.EntryID]api.Explanation{"w-backup-a2c": backup, "w-swap-9x2": swap}
}
