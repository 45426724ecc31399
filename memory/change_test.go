package memory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestGate: what is not worth keeping is refused, by reason, and the twin of each is kept.
func TestGate(t *testing.T) {
	agents := func(text string) memory.Record {
		return memory.Record{Text: text, Trust: subconscious.Agent, Source: memory.Agent, About: memory.About{Agent: "builder", Session: "s-1"}}
	}
	extracted := func(text string, rests, quote string) memory.Record {
		r := agents(text)
		r.RestsOn, r.Quotes = []string{rests}, []string{quote}
		return r
	}
	cited := agents("The memory is kept in mind.db")
	cited.Citations = []memory.Citation{{File: "/src/sample/store.go", Lines: "10-20"}}
	s, _ := opened(t, memory.Options{})
	add(t, s, agents("The sample build needs four minutes"))
	search(t, s, memory.Query{Words: "sample build", Lane: memory.Agents, Into: "s-1"})
	other := agents("The sample build needs 4 minutes and the sample build is slow")
	elsewhere := agents("the sample build needs FOUR minutes")
	elsewhere.About.Session = "s-2"
	mine := agents("The sample build needs four minutes.")
	mine.Trust, mine.Source = subconscious.Owner, memory.Person
	for name, test := range map[string]struct {
		r    memory.Record
		want memory.Reason
	}{
		"marks alone":             {owners("?! …"), memory.Empty},
		"an agent's small words":  {agents("and so on, as it is"), memory.Empty},
		"the person's":            {owners("to be or not"), ""},
		"a question":              {owners("When is the sample dentist?"), memory.Question},
		"questions":               {agents("Is the sample server up? Who knows?"), memory.Question},
		"a question with answer":  {owners("When is the sample dentist? On Monday."), ""},
		"about the mind":          {agents("The memory is a great help"), memory.Self},
		"about the mind, cited":   {cited, ""},
		"the person of the mind":  {owners("The memory is a great help"), ""},
		"our mark":                {agents("<!-- subconsciousd memory m-aaaaaaaaaa --> The printer is red"), memory.Marked},
		"a block of a prompt":     {agents("«abcde The printer is red abcde»"), memory.Marked},
		"a quotation":             {agents("Elle a dit «oui» pour la sample imprimante"), ""},
		"an echo":                 {agents("The sample build needs four minutes!"), memory.Echo},
		"more than an echo":       {other, ""},
		"an echo elsewhere":       {elsewhere, ""},
		"an echo by the person":   {mine, ""},
		"words that do not stand": {extracted("The lease ends in May", "ends in May", "The lease ends in June"), memory.Unquoted},
		"words that stand":        {extracted("The lease ends in May", "Ends  in May", "the lease ends in\nMay, they said"), ""},
		"no words":                {extracted("The lease ends in May", "", "the lease"), memory.Unquoted},
	} {
		done, err := s.Add(t.Context(), test.r)
		if err != nil || done.Reason != test.want || (done.Outcome == memory.Refused) != (test.want != "") || (done.ID == "") != (test.want != "") {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
	}
}

// TestEditsOfMany: of those who change one record at once, each sees what the others did
// before its change is taken, so that none is lost.
func TestEditsOfMany(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	const writers, each = 8, 40
	r := add(t, s, owners("seen 0 times"))
	var all sync.WaitGroup
	var mu sync.Mutex
	lost := 0
	for range writers {
		all.Go(func() {
			now := r
			for done := 0; done < each; {
				var n int
				_, _ = fmt.Sscanf(now.Text, "seen %d times", &n)
				text := fmt.Sprintf("seen %d times", n+1)
				after, err := s.Edit(context.Background(), r.ID, now.Version, memory.Edit{Text: &text}, "person")
				if now = after; errors.Is(err, memory.ErrVersion) {
					mu.Lock()
					lost++
					mu.Unlock()
					continue
				} else if err != nil {
					t.Error(err)
					return
				}
				done++
			}
		})
	}
	all.Wait()
	if got, err := s.Get(t.Context(), r.ID); err != nil || got.Text != fmt.Sprintf("seen %d times", writers*each) || got.Version != 1+writers*each {
		t.Errorf("%q of version %d, %v", got.Text, got.Version, err)
	}
	t.Logf("%d had to read it again", lost)
	if history, err := s.History(t.Context(), r.ID); err != nil || len(history) != 100 || history[0].Before.Version != writers*each || history[0].By != "person" {
		t.Errorf("%d, %v", len(history), err)
	}
}

func TestConflicts(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	if err := s.Rank(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := add(t, s, owners("The sample office opens at 8 on weekdays"))
	second, err := s.Add(t.Context(), owners("The sample office opens at 9 on weekdays"))
	if err != nil || second.Outcome != memory.Conflict || second.With != first.ID {
		t.Fatalf("%+v, %v", second, err)
	}
	// An agent's word is in conflict with nobody else's.
	rumour := owners("The sample office opens at 10 on weekdays")
	rumour.Trust = subconscious.Agent
	if done, err := s.Add(t.Context(), rumour); err != nil || done.Outcome != memory.Stored {
		t.Errorf("%+v, %v", done, err)
	}
	if pairs, err := s.Conflicts(t.Context(), memory.Trusted, ""); err != nil || len(pairs) != 1 || pairs[0].Older.ID != first.ID || pairs[0].Newer.ID != second.ID {
		t.Errorf("%+v, %v", pairs, err)
	}
	third := owners("The sample office opens at 9:30 on weekdays")
	third.Supersedes = first.ID
	done, err := s.Add(t.Context(), third)
	if err != nil || done.Outcome != memory.Stored || done.Supersedes != first.ID {
		t.Fatalf("%+v, %v", done, err)
	}
	if pairs, err := s.Conflicts(t.Context(), memory.Trusted, ""); err != nil || len(pairs) != 0 {
		t.Errorf("%+v, %v", pairs, err)
	}
	if _, err := s.Add(t.Context(), third); err != nil { // it is there already
		t.Error(err)
	}
	third.Text = "The sample office opens at 9:45 on weekdays"
	if _, err := s.Add(t.Context(), third); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("what is superseded was superseded again: %v", err)
	}
	if id, err := s.Resolve(t.Context(), first.ID[:9]); err != nil || id != first.ID {
		t.Errorf("%s, %v", id, err)
	}
	if _, err := s.Resolve(t.Context(), "m-"); !errors.Is(err, memory.ErrInvalid) {
		t.Error(err)
	}
	for _, nobody := range []string{"", "n", "m-%", strings.Repeat("m", 1000)} {
		if _, err := s.Resolve(t.Context(), nobody); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("%.20q: %v", nobody, err)
		}
	}
}

// TestOfOthers: what an agent once said and the person confirmed is corrected as the
// person's own, and to forget an agent's copy leaves the person's.
func TestOfOthers(t *testing.T) {
	s, db := opened(t, memory.Options{})
	agents := func(text, topic string) memory.Record {
		return memory.Record{Text: text, Topic: topic, Trust: subconscious.Agent, Source: memory.Agent, About: memory.About{Agent: "builder"}}
	}
	rome := add(t, s, agents("Anna Muster lives in Rome", "home.city"))
	if _, err := s.Confirm(t.Context(), rome.ID); err != nil {
		t.Fatal(err)
	}
	berlin := owners("Anna Muster lives in Berlin")
	berlin.Topic = "home.city"
	if now := add(t, s, berlin); now.Supersedes != rome.ID {
		t.Errorf("%+v", now)
	}
	paris := add(t, s, agents("Anna Muster lives in Paris", "home.city"))
	if now, err := s.Confirm(t.Context(), paris.ID); err != nil || now.Supersedes == "" {
		t.Errorf("%+v, %v", now, err)
	}
	oslo, topic := add(t, s, owners("Anna Muster lives in Oslo")), "home.city"
	if _, err := s.Edit(t.Context(), oslo.ID, 0, memory.Edit{Topic: &topic}, "person"); err != nil {
		t.Error(err)
	}
	if held, err := s.List(t.Context(), memory.Query{Topic: topic}); err != nil || len(held) != 1 || held[0].ID != oslo.ID {
		t.Errorf("%+v, %v", held, err)
	}
	// The same word for word is one record, whoever said it first.
	theirs := add(t, s, agents("The sample key is red", ""))
	if kept := add(t, s, owners("The sample key is red")); kept.ID == theirs.ID {
		t.Error("the person's word is the agent's")
	} else if now, err := s.Confirm(t.Context(), theirs.ID); err != nil || now.ID != kept.ID {
		t.Errorf("%+v, %v", now, err)
	}
	lock := add(t, s, agents("The sample lock is green", ""))
	if _, err := s.Confirm(t.Context(), lock.ID); err != nil {
		t.Fatal(err)
	}
	if now := add(t, s, owners("The sample lock is green")); now.ID != lock.ID {
		t.Errorf("it is there twice: %+v", now)
	}
	// What another one holds by now is not taken back beside it.
	if _, err := s.Undo(t.Context(), rome.ID, "person"); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("two hold one topic: %v", err)
	}
	named := owners("Anna Muster lives in Lima")
	named.Topic, named.Supersedes = topic, rome.ID
	if done, err := s.Add(t.Context(), named); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("another one was superseded than was named: %+v, %v", done, err)
	}
	mine := add(t, s, owners("The sample safe is behind the picture in the hall"))
	copied := add(t, s, agents("The sample safe is behind the picture in the hall", ""))
	if _, err := s.Forget(t.Context(), copied.ID); err != nil {
		t.Fatal(err)
	}
	if now, err := s.Get(t.Context(), mine.ID); err != nil || now.Status != memory.Active {
		t.Errorf("%+v, %v", now, err)
	}
	// What says the same is there again: it cannot be made active beside it.
	first := add(t, s, owners("The sample door is red"))
	if _, err := s.Archive(t.Context(), first.ID, "person"); err != nil {
		t.Fatal(err)
	}
	second := add(t, s, owners("The sample door is blue"))
	red := "The sample door is red"
	if _, err := s.Edit(t.Context(), second.ID, 0, memory.Edit{Text: &red}, "person"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Undo(t.Context(), first.ID, "person"); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("two that are active say the same: %v", err)
	}
	checkIndexes(t, db)
}

// TestSupersededByWhatIsThere: what another memory says already takes the place of one, too,
// and what held is not written anew.
func TestSupersededByWhatIsThere(t *testing.T) {
	s, db := opened(t, memory.Options{})
	eco, comfort := add(t, s, owners("The sample heater is set to eco")), add(t, s, owners("The sample heater runs in comfort mode"))
	again := owners(comfort.Text)
	again.Supersedes = eco.ID
	if now := add(t, s, again); now.ID != comfort.ID {
		t.Errorf("%+v", now)
	}
	if old, err := s.Get(t.Context(), eco.ID); err != nil || old.Status != memory.Superseded || old.SupersededBy != comfort.ID {
		t.Errorf("%+v, %v", old, err)
	}
	text := "The sample heater is off"
	if _, err := s.Edit(t.Context(), eco.ID, 0, memory.Edit{Text: &text}, "person"); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("%v", err)
	}
	checkIndexes(t, db)
}

// TestOneHolder: whatever comes back holds its topic alone, and what cannot be taken back any
// more says so.
func TestOneHolder(t *testing.T) {
	s, db := opened(t, memory.Options{})
	lives := func(city string) memory.Record {
		r := owners("Anna Muster lives in " + city)
		r.Topic = "anna.home"
		return r
	}
	undone := func(id string, want error) {
		t.Helper()
		if _, err := s.Undo(t.Context(), id, "person"); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	rome := add(t, s, lives("Rome"))
	undone(rome.ID, nil)
	paris := add(t, s, lives("Paris"))
	add(t, s, lives("Rome"))
	if held, err := s.List(t.Context(), memory.Query{Topic: "anna.home"}); err != nil || len(held) != 1 || held[0].ID != rome.ID {
		t.Errorf("%+v, %v", held, err)
	}
	undone(paris.ID, nil) // Rome took its place, which is taken back
	// What was said again meanwhile stands once.
	lamp, text := add(t, s, owners("The sample lamp is green")), "The sample lamp is blue"
	if _, err := s.Edit(t.Context(), lamp.ID, 0, memory.Edit{Text: &text}, "person"); err != nil {
		t.Fatal(err)
	}
	add(t, s, owners("The sample lamp is green"))
	undone(lamp.ID, memory.ErrInvalid)
	// Of three that took each other's place the first does not hold beside the last.
	first := add(t, s, owners("The sample door is red"))
	for _, text := range []string{"The sample door is grey", "The sample door is white"} {
		next := owners(text)
		all, err := s.List(t.Context(), memory.Query{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		next.Supersedes = all[0].ID
		add(t, s, next)
	}
	undone(first.ID, memory.ErrInvalid)
	checkIndexes(t, db)
}
