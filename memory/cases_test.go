package memory_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestLabelledCases writes the second of two statements behind the first, by what
// somebody who knew no rule says that it is: the same again (preserve), something beside
// it (extend), a change (revise), or what cannot be true with it (contradict). The rules
// were made on tune alone.
func TestLabelledCases(t *testing.T) {
	for _, set := range []string{"tune", "hold"} {
		came := map[string]map[memory.Outcome]int{}
		s, _ := opened(t, memory.Options{})
		if err := s.Rank(t.Context()); err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(testutil.Read(t, filepath.Join("testdata", "cases-"+set+".jsonl"))) {
			var c struct{ ID, Kind, First, Second string }
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatal(err)
			}
			of := memory.About{Project: c.ID}
			first, again := owners(c.First), owners(c.Second)
			first.About, again.About = of, of
			add(t, s, first)
			second, err := s.Add(t.Context(), again)
			if err != nil {
				t.Fatal(err)
			}
			if came[c.Kind] == nil {
				came[c.Kind] = map[memory.Outcome]int{}
			}
			came[c.Kind][second.Outcome]++
			came[c.Kind]["all"]++
		}
		t.Log(set, came)
		same, doubt := came["preserve"], came["revise"][memory.Conflict]+came["contradict"][memory.Conflict]
		if known := same[memory.Seen] + same[memory.Conflict]; known*100 < 95*same["all"] {
			t.Errorf("%s: of %d that say the same again, %d are known for it", set, same["all"], known)
		}
		if all := came["revise"]["all"] + came["contradict"]["all"]; doubt*100 < 90*all {
			t.Errorf("%s: of %d that cannot hold both, %d are in conflict", set, all, doubt)
		}
		// What was reached: so many that only extend are in doubt.
		if most := map[string]int{"tune": 22, "hold": 3}[set]; came["extend"][memory.Conflict] > most {
			t.Errorf("%s: %d that extend are in doubt; it was %d", set, came["extend"][memory.Conflict], most)
		}
		for _, kind := range []string{"extend", "revise", "contradict"} {
			if came[kind][memory.Seen] > 0 {
				t.Errorf("%s: %d of %s were taken for the same", set, came[kind][memory.Seen], kind)
			}
		}
	}
}

// TestSameWordsElsewhere: the same words in another order may say something else, and what
// corrects what was recalled is no echo of it.
func TestSameWordsElsewhere(t *testing.T) {
	for first, second := range map[string]string{
		"The sample key lies on the kitchen mat":                "The sample key lies under the kitchen mat",
		"Call the sample workshop before 9":                     "Call the sample workshop after 9",
		"Anna Muster lends Ben Beispiel 20 euros":               "Ben Beispiel lends Anna Muster 20 euros",
		"The sample project uses pnpm instead of npm":           "The sample project uses npm instead of pnpm",
		"The night train goes from Rome to Paris":               "The night train goes from Paris to Rome",
		"Worker 1 counted crate 3 in the sample hall":           "Worker 3 counted crate 1 in the sample hall",
		"The sample server listens on port 8443 behind the VPN": "The sample server listens on port 8444 behind the VPN",
		"The sample van is not to be parked in the back yard":   "The sample van is to be parked in the back yard",
	} {
		s, _ := opened(t, memory.Options{})
		if err := s.Rank(t.Context()); err != nil {
			t.Fatal(err)
		}
		add(t, s, owners(first))
		if again, err := s.Add(t.Context(), owners(second)); err != nil || again.Outcome != memory.Conflict {
			t.Errorf("%q is %s, %v", second, again.Outcome, err)
		}
		if again, err := s.Add(t.Context(), owners(strings.ToUpper(first)+" !")); err != nil || again.Outcome != memory.Seen {
			t.Errorf("%q again is %s, %v", first, again.Outcome, err)
		}
		of := memory.About{Agent: "coder", Session: "s-1"}
		said := func(text string) memory.Record {
			return memory.Record{Text: text, Trust: subconscious.Agent, Source: memory.Agent, About: of}
		}
		add(t, s, said(first))
		search(t, s, memory.Query{Words: first, Lane: memory.Agents, Into: "s-1"})
		if again, err := s.Add(t.Context(), said(second)); err != nil || again.Outcome == memory.Refused {
			t.Errorf("%q is refused: %s, %v", second, again.Reason, err)
		}
		if again, err := s.Add(t.Context(), said(strings.ToUpper(first[:1])+first[1:]+" .")); err != nil || again.Reason != memory.Echo {
			t.Errorf("%q is %s, %v", first, again.Outcome, err)
		}
	}
}

// TestStopsThatSay: a stop before a word belongs to it, and so do signs.
func TestStopsThatSay(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	for _, text := range []string{"Settings stand in .env", "Settings stand in env", "Set the sample to 1", "Set the sample to -1", "The sample costs 40 €", "The sample costs 40 $", "Written in C", "Written in C++"} {
		if kept, err := s.Add(t.Context(), owners(text)); err != nil || kept.Outcome == memory.Seen {
			t.Errorf("%q is %s, %v", text, kept.Outcome, err)
		}
	}
}

// TestCorrected corrects a fact ten times, of a topic that holds one value.
func TestCorrected(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	if err := s.Rank(t.Context()); err != nil {
		t.Fatal(err)
	}
	beside := []memory.Record{add(t, s, owners("The sample project has its database in room 7")), add(t, s, owners("The engine of the sample van is a diesel"))}
	var last memory.Record
	for i := range 11 {
		r := owners(fmt.Sprintf("The database of the sample project runs on engine %d", i))
		r.Topic = "project/db.engine"
		last = add(t, s, r)
	}
	if hits := search(t, s, memory.Query{Words: "which engine does the database run on?"}); len(hits) == 0 || hits[0].ID != last.ID || strings.Contains(fmt.Sprint(texts(hits)), "engine 9") {
		t.Errorf("%v", texts(hits))
	}
	held, err := s.Timeline(t.Context(), "project/db.engine", time.Time{})
	if err != nil || len(held) != 11 || held[10].ID != last.ID || held[0].Status != memory.Superseded || held[9].SupersededBy != last.ID {
		t.Errorf("%d, %v", len(held), err)
	}
	for _, r := range beside {
		if now, err := s.Get(t.Context(), r.ID); err != nil || now.Status != memory.Active {
			t.Errorf("%+v, %v", now, err)
		}
	}
	if chain, err := s.Provenance(t.Context(), last.ID); err != nil || len(chain.RestsOn) != 10 {
		t.Errorf("%d, %v", len(chain.RestsOn), err)
	}
}

// TestRomeParisRome: what held, then not, then again is three records.
func TestRomeParisRome(t *testing.T) {
	s, db := opened(t, memory.Options{})
	if err := s.Rank(t.Context()); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, city := range []string{"Rome", "Paris", "Rome"} {
		r := owners("Anna Muster lives in " + city)
		r.Topic = "anna.home"
		ids[add(t, s, r).ID] = true
	}
	held, err := s.Timeline(t.Context(), "anna.home", time.Time{})
	if err != nil || len(ids) != 3 || len(held) != 3 || held[0].Text != held[2].Text || held[1].Status != memory.Superseded {
		t.Errorf("%d ids, %+v, %v", len(ids), held, err)
	}
	if hits := search(t, s, memory.Query{Words: "Anna lives"}); len(hits) != 1 || !strings.HasSuffix(hits[0].Text, "Rome") {
		t.Errorf("%v", texts(hits))
	}
	// The last correction is taken back, and the undoing, too.
	back, err := s.Undo(t.Context(), held[2].ID, "person")
	if err != nil || back.Status != memory.Archived {
		t.Fatalf("%+v, %v", back, err)
	}
	if hits := search(t, s, memory.Query{Words: "Anna lives"}); len(hits) != 1 || !strings.HasSuffix(hits[0].Text, "Paris") {
		t.Errorf("%v", texts(hits))
	}
	if _, err := s.Undo(t.Context(), held[2].ID, "person"); err != nil {
		t.Fatal(err)
	}
	if hits := search(t, s, memory.Query{Words: "Anna lives"}); len(hits) != 1 || !strings.HasSuffix(hits[0].Text, "Rome") {
		t.Errorf("%v", texts(hits))
	}
	checkIndexes(t, db)
}

// TestMonthOfJunk is an agent that writes down whatever it recalls, asks, and praises: what
// is kept does not grow after the first day.
func TestMonthOfJunk(t *testing.T) {
	at := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)
	s, _ := opened(t, memory.Options{Now: func() time.Time { at = at.Add(time.Second); return at }})
	if err := s.Rank(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, fact := range []string{"The sample backup runs at four", "Invoices of the sample shop are due in 14 days", "The staging server is called sample.example.com"} {
		add(t, s, owners(fact))
		own := owners(fact + ", as the build says")
		own.Trust, own.Source, own.About = subconscious.Agent, memory.Agent, memory.About{Agent: "builder"}
		add(t, s, own)
	}
	kept := func() int {
		count, err := s.Count(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return count.Active + count.Agents + count.Quarantined + count.Superseded + count.Archived
	}
	var first int
	refused := map[memory.Reason]int{}
	for day := range 30 {
		at = time.Date(2026, 11, 1+day, 9, 0, 0, 0, time.UTC)
		session := fmt.Sprint("session-", day)
		write := func(text string) {
			done, err := s.Add(t.Context(), memory.Record{Text: text, Trust: subconscious.Agent, Source: memory.Agent, About: memory.About{Agent: "builder", Session: session}})
			if err != nil {
				t.Fatal(err)
			}
			refused[done.Reason]++
		}
		for _, words := range []string{"backup", "invoices", "staging server"} {
			for _, lane := range []memory.Lane{memory.Trusted, memory.Agents} {
				for _, hit := range search(t, s, memory.Query{Words: words, Lane: lane, Into: session}) {
					write(hit.Text)
					write(strings.ToUpper(hit.Text) + "!")
				}
			}
			write("What about the " + words + "?")
			write("Is there a " + words + "? When was the last one?")
		}
		write("The memory is a great help, and this assistant remembers everything")
		write("and so on, as it is")
		write("<!-- subconsciousd memory m-abcdefghij --> The sample backup runs at four")
		if day == 0 {
			first = kept()
		}
	}
	if now := kept(); now != first {
		t.Errorf("%d are kept on the first day, %d after a month", first, now)
	}
	for reason, least := range map[memory.Reason]int{memory.Echo: 300, memory.Question: 150, memory.Self: 30, memory.Empty: 30, memory.Marked: 30} {
		if refused[reason] < least {
			t.Errorf("%d are refused as %s", refused[reason], reason)
		}
	}
}
