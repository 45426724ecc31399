package memory_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// fortnight lives two weeks with a memory, and returns what was done in each night, and
// what is in it then.
func fortnight(t *testing.T) (nights []string, health memory.Health) {
	t.Helper()
	ctx, at := context.Background(), time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	s, _ := opened(t, memory.Options{Now: func() time.Time { at = at.Add(time.Second); return at }, Git: time.Minute})
	texts := map[string]string{}
	remember := func(r memory.Record, times int) memory.Record {
		t.Helper()
		var done memory.Record
		for range times {
			done = add(t, s, r)
		}
		texts[done.ID] = done.Title
		return done
	}
	// Written while the memory was still being read in, and not compared then.
	remember(owners("The sample server listens on port 8080."), 1)
	remember(owners("The sample server listens on port 9090."), 1)
	for i := range 30 {
		remember(strangers(fmt.Sprint("Rumour ", i, " of example.com")), 1)
	}
	pinned := strangers("A rumour that is kept at example.com")
	pinned.Pinned = true
	remember(pinned, 1)
	at = at.AddDate(0, 0, 85)
	remember(strangers("Rumour 29 of example.com"), 1) // said again
	if done, err := s.Add(ctx, memory.Record{Text: "Who knows?", Trust: subconscious.Agent, Source: memory.Agent}); err != nil || done.Reason != memory.Question {
		t.Errorf("%+v, %v", done, err)
	}
	check(t, s.Rank(ctx))
	for i, word := range strings.Fields("alder bank cedar door elm frost glass hinge ivy juniper kettle lamp maple needle oak") {
		remember(owners(word+strings.Repeat(" "+word+"s", i%3)), 1)
	}
	insight := memory.Record{Kind: memory.Insight, Text: "Backups of the sample fail on Mondays", Trust: subconscious.Machine, Source: memory.Mechanics}
	backups := remember(insight, 2)
	other := insight
	other.Text = "Letters of the sample bank come on Fridays"
	letters := remember(other, 3)
	note := owners("Water the plants in the sample kitchen")
	note.Kind = memory.Note
	remember(note, 5)
	agents := cites("", memory.Citation{URL: "https://example.com"})
	agents.Kind = memory.Insight
	question := "What does the sample page say?"
	asks, err := s.Edit(ctx, remember(agents, 5).ID, 0, memory.Edit{Text: &question}, "person")
	check(t, err)
	folder := t.TempDir()
	write(t, folder, ".git/HEAD", "")
	write(t, folder, "sample.go", poem)
	used := cites(folder, memory.Citation{File: "sample.go", Lines: "3-5"})
	used.Text = "Retries are three in the sample project"
	source := remember(used, 1)
	search(t, s, memory.Query{Words: "retries project", Lane: memory.Agents, Into: "s-1"})

	for day := range 14 {
		at = at.AddDate(0, 0, 1)
		switch day {
		case 2:
			remember(insight, 1)
		case 4:
			if _, err := s.Undo(ctx, letters.ID, "person"); err != nil {
				t.Fatal(err)
			}
		case 3:
			write(t, folder, "sample.go", strings.ReplaceAll(poem, "30", "60"))
		}
		before, err := s.Count(ctx)
		check(t, err)
		done, err := s.Consolidate(ctx, at)
		check(t, err)
		if again, err := s.Consolidate(ctx, at.Add(time.Hour)); err != nil || !again.At.Equal(done.At) {
			t.Errorf("it was put in order again: %+v, %v", again, err)
		}
		changed := 0
		night := fmt.Sprintf("%d:", day)
		for _, d := range done.Done {
			if d.What != "checked" {
				changed++
			}
			if d.What == "archived" {
				continue // there are many
			}
			night += fmt.Sprintf(" %s %q %q %s;", d.What, texts[d.ID], texts[d.With], d.Why)
		}
		if most := (before.Active + before.Agents + before.Quarantined) / 10; changed > most {
			t.Errorf("%d of a tenth of %d were changed", changed, most)
		}
		nights = append(nights, fmt.Sprintf("%s %d changed, %d proposed, %d checked, %d compared, junk %v", night, changed, len(done.Proposed), done.Checked, done.Compared, done.Junk))
	}
	for id, want := range map[string]memory.Kind{backups.ID: memory.Pattern, letters.ID: memory.Insight} {
		if r, err := s.Get(ctx, id); err != nil || r.Kind != want {
			t.Errorf("%+v, %v", r, err)
		}
	}
	history, err := s.History(ctx, backups.ID)
	if err != nil || len(history) != 2 || history[0].By != "consolidation" || history[0].What != "promoted: seen 3 times" {
		t.Errorf("%v, %v", history, err)
	}
	left, err := s.List(ctx, memory.Query{Lane: memory.Quarantine})
	if err != nil || len(left) != 2 || !left[1].Pinned && !left[0].Pinned {
		t.Errorf("%+v, %v", left, err)
	}
	health, err = s.Health(ctx)
	check(t, err)
	if diff := cmp.Diff([]string{"subconsciousctl memory conflicts", "subconsciousctl memory validate " + source.ID, "subconsciousctl memory archive " + asks.ID}, health.Do); diff != "" {
		t.Error(diff)
	}
	return nights, health
}

// TestFortnight: what is done by night has its reason, is a tenth at most, is not done
// again when it was taken back, and comes out the same.
func TestFortnight(t *testing.T) {
	nights, health := fortnight(t)
	const junk = ", 22 compared, junk map[question:1]"
	want := []string{
		`0: promoted "Letters of the sample bank come on Fridays" "" seen 3 times; linked "The sample server listens on port 9090." "The sample server listens on port 8080." one of them may be wrong; 2 changed, 1 proposed, 0 checked`,
		`1: 0 changed, 1 proposed, 0 checked`,
		`2: promoted "Backups of the sample fail on Mondays" "" seen 3 times; 1 changed, 1 proposed, 0 checked`,
		`3: 0 changed, 1 proposed, 0 checked`,
		`4: 5 changed, 20 proposed, 0 checked`,
		`5: 4 changed, 20 proposed, 0 checked`,
		`6: checked "Retries are three in the sample project" "" sample.go:3-5: the lines were changed or deleted; 4 changed, 17 proposed, 1 checked`,
		`7: 4 changed, 13 proposed, 0 checked`,
		`8: 3 changed, 10 proposed, 0 checked`,
		`9: 3 changed, 7 proposed, 0 checked`,
		`10: 3 changed, 4 proposed, 0 checked`,
		`11: 2 changed, 2 proposed, 0 checked`,
		`12: 1 changed, 1 proposed, 0 checked`,
		`13: 0 changed, 1 proposed, 0 checked`,
	}
	for i := range want {
		want[i] += junk
	}
	if diff := cmp.Diff(want, nights); diff != "" {
		t.Error(diff)
	}
	health.Do, health.Doubted, health.Last, health.Oldest, health.Refused[0].Last = nil, nil, memory.Consolidated{}, time.Time{}, time.Time{}
	if diff := cmp.Diff(memory.Health{Records: []memory.Tally{{memory.Trusted, memory.Active, 20}, {memory.Quarantine, memory.Active, 2}, {memory.Quarantine, memory.Archived, 29}, {memory.Agents, memory.Active, 2}},
		Refused: []memory.Refusal{{Reason: memory.Question, Times: 1}}, Conflicts: 1, Changed: 1, Unchecked: 1, Ranked: true}, health); diff != "" {
		t.Error(diff)
	}
	again, _ := fortnight(t)
	if diff := cmp.Diff(nights, again); diff != "" {
		t.Errorf("it comes out otherwise: %s", diff)
	}
}
