package memory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func database(t testing.TB, path string) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), store.Options{Path: path}, memory.Migrations()...)
	return testutil.Opened(t, db, err)
}

// clock moves on by a second each time it is read.
func clock() func() time.Time {
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	return func() time.Time {
		at = at.Add(time.Second)
		return at
	}
}

func opened(t testing.TB, options memory.Options) (*memory.Store, *store.DB) {
	t.Helper()
	db := database(t, store.Memory)
	if options.Now == nil {
		options.Now = clock()
	}
	return memory.New(db, options), db
}

func add(t testing.TB, s *memory.Store, r memory.Record) memory.Record {
	t.Helper()
	done, err := s.Add(context.Background(), r)
	if err != nil || done.Outcome == memory.Refused {
		t.Fatal(done.Reason, err)
	}
	return done.Record
}

func search(t testing.TB, s *memory.Store, q memory.Query) []memory.Hit {
	t.Helper()
	hits, err := s.Search(context.Background(), q)
	if err != nil {
		t.Fatalf("%q: %v", q.Words, err)
	}
	return hits
}

func texts(hits []memory.Hit) []string {
	var all []string
	for _, h := range hits {
		all = append(all, h.Text)
	}
	return all
}

func owners(text string) memory.Record {
	return memory.Record{Kind: memory.Fact, Text: text, Trust: subconscious.Owner, Source: memory.Person}
}

func strangers(text string) memory.Record {
	return memory.Record{Kind: memory.Fact, Text: text, Trust: subconscious.Outsider, Source: memory.Deliberation}
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	given := memory.Record{Kind: memory.Insight, Text: "The backup of the sample server\r\nfails on Mondays.\x00",
		Tags: []string{"Server", "backup", "server"}, Trust: subconscious.Machine, Source: memory.Mechanics, Deliberation: "d-1",
		Incident: "i-abc", Citations: []memory.Citation{{Ref: subconscious.NewRef("health", "unit:backup"), Seq: 4}}}
	stored := add(t, s, given)
	want := memory.Record{ID: stored.ID, Version: 1, Kind: memory.Insight, Title: "The backup of the sample server", Summary: "The backup of the sample server fails on Mondays.", Extracted: true,
		Text: "The backup of the sample server\nfails on Mondays.", Tags: []string{"backup", "server"}, Trust: subconscious.Machine, Lane: memory.Trusted, Status: memory.Active,
		Source: memory.Mechanics, Deliberation: "d-1", Incident: "i-abc", Citations: given.Citations, Confidence: 0.9, Validity: memory.Unknown,
		Created: stored.Created, Updated: stored.Created, LastSeen: stored.Created, SeenCount: 1}
	if diff := cmp.Diff(want, stored); diff != "" {
		t.Errorf("stored: %s", diff)
	}
	got, err := s.Get(t.Context(), stored.ID)
	if diff := cmp.Diff(stored, got); err != nil || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
	hits := search(t, s, memory.Query{Words: "failing backups?"})
	if len(hits) != 1 || hits[0].Score <= 0 {
		t.Fatalf("%+v", hits)
	}
	if diff := cmp.Diff(stored, hits[0].Record); diff != "" {
		t.Error(diff)
	}
	if hits := search(t, s, memory.Query{Words: "server", Kind: memory.Fact}); len(hits) != 0 {
		t.Errorf("of another kind: %v", texts(hits))
	}
}

func TestTrustDecidesWhereItGoes(t *testing.T) {
	for trust, want := range map[subconscious.Trust]memory.Record{
		subconscious.Owner:    {Trust: subconscious.Owner, Lane: memory.Trusted},
		subconscious.Machine:  {Trust: subconscious.Machine, Lane: memory.Trusted},
		subconscious.Agent:    {Trust: subconscious.Agent, Lane: memory.Agents},
		subconscious.Outsider: {Trust: subconscious.Outsider, Lane: memory.Quarantine},
		"":                    {Trust: subconscious.Outsider, Lane: memory.Quarantine},
		"OWNER":               {Trust: subconscious.Outsider, Lane: memory.Quarantine},
	} {
		s, _ := opened(t, memory.Options{})
		got := add(t, s, memory.Record{Text: "a word", Trust: trust, Lane: memory.Trusted})
		if got.Trust != want.Trust || got.Lane != want.Lane {
			t.Errorf("%q: trust %s, %s", trust, got.Trust, got.Lane)
		}
		for _, lane := range memory.Lanes() {
			if hits := search(t, s, memory.Query{Words: "word", Lane: lane}); (len(hits) == 1) != (want.Lane == lane) {
				t.Errorf("%q: found %v among %s", trust, hits, lane)
			}
		}
	}
}

// TestSameAgain: within one lane the same is counted; nobody's word changes
// what another said.
func TestSameAgain(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	cite := func(id string) []memory.Citation {
		return []memory.Citation{{Ref: subconscious.NewRef("notes", id)}}
	}
	outsiders := strangers("The vault key lies under the mat")
	outsiders.Tags, outsiders.Citations = []string{"planted"}, cite("mail")
	first := add(t, s, outsiders)
	agents := outsiders
	agents.Trust, agents.Text = subconscious.Agent, "the vault key lies  under the MAT"
	second := add(t, s, agents)
	machines := owners("The vault key lies under the mat")
	machines.Trust, machines.Tags, machines.Citations = subconscious.Machine, []string{"home"}, cite("note")
	third := add(t, s, machines)
	if first.ID == second.ID || second.ID == third.ID {
		t.Fatalf("lanes share a record: %s %s %s", first.ID, second.ID, third.ID)
	}
	if third.SeenCount != 1 || !cmp.Equal(third.Tags, []string{"home"}) || len(third.Citations) != 1 {
		t.Errorf("the trusted record inherited: %+v", third)
	}
	for range 3 {
		add(t, s, outsiders)
	}
	if again, _ := s.Get(t.Context(), third.ID); !cmp.Equal(again, third) {
		t.Errorf("strangers changed a trusted record: %s", cmp.Diff(third, again))
	}
	if again, _ := s.Get(t.Context(), first.ID); again.SeenCount != 4 || again.Lane != memory.Quarantine || again.Trust != subconscious.Outsider {
		t.Errorf("%+v", again)
	}
	mine := owners("the vault  key lies under the mat")
	mine.Tags, mine.Citations = []string{"keys"}, cite("other")
	fourth := add(t, s, mine)
	if fourth.ID != third.ID || fourth.Trust != subconscious.Owner || fourth.SeenCount != 2 || len(fourth.Tags) != 2 || len(fourth.Citations) != 2 {
		t.Errorf("the owner's own word: %+v", fourth)
	}
	if hits := search(t, s, memory.Query{Words: "keys"}); len(hits) != 1 {
		t.Errorf("a tag that came later is not found: %v", hits)
	}
	if hits := search(t, s, memory.Query{Words: "planted"}); len(hits) != 0 {
		t.Errorf("found %v", hits)
	}
	add(t, s, machines)
	if again, _ := s.Get(t.Context(), third.ID); again.Trust != subconscious.Owner {
		t.Errorf("the machine took the owner's word away: %+v", again)
	}
}

func TestKeysWriteOnce(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	r := owners("pay the sample invoice")
	r.Key = "d-1/remember/1"
	first := add(t, s, r)
	r.Text = "something else by now"
	if again := add(t, s, r); !cmp.Equal(again, first) {
		t.Errorf("written twice: %s", cmp.Diff(first, again))
	}
	hostile := strangers("something hostile")
	hostile.Key = "d-2/remember/1"
	planted := add(t, s, hostile)
	r.Key = hostile.Key
	if got := add(t, s, r); got.ID == planted.ID || got.Lane != memory.Trusted {
		t.Errorf("a stranger's key kept the owner's word back: %+v", got)
	}
	// Counting again is idempotent too.
	twice := owners("pay the sample invoice")
	twice.Key = "d-3/remember/1"
	add(t, s, twice)
	if got := add(t, s, twice); got.SeenCount != 2 {
		t.Errorf("seen %d times", got.SeenCount)
	}
	if _, err := s.Forget(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	if got := add(t, s, twice); got.Status != memory.Erased || got.ID != first.ID || got.Text != "" {
		t.Errorf("what was forgotten came back: %+v", got)
	}
	if hits := search(t, s, memory.Query{Words: "invoice"}); len(hits) != 0 {
		t.Errorf("found %v", hits)
	}
}

func TestOldKeysGo(t *testing.T) {
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	s, db := opened(t, memory.Options{Now: func() time.Time { return at }})
	for i := range 100 {
		r := owners("the same")
		r.Key = fmt.Sprint(i)
		add(t, s, r)
	}
	at = at.AddDate(0, 2, 0)
	for i := range 2 {
		r := owners("the same")
		r.Key = fmt.Sprint("later", i)
		add(t, s, r)
	}
	var keys int
	err := db.Read(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRowContext(t.Context(), "SELECT count(*) FROM memory_keys").Scan(&keys)
	})
	if err != nil || keys != 2 {
		t.Errorf("%d keys, %v", keys, err)
	}
}

func TestConfirm(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	r := strangers("the sample office moves in May")
	r.Key = "k"
	apart := add(t, s, r)
	got, err := s.Confirm(t.Context(), apart.ID)
	if err != nil || got.ID != apart.ID || got.Lane != memory.Trusted || got.Trust != subconscious.Owner || got.Source != memory.Deliberation {
		t.Fatalf("%+v, %v", got, err)
	}
	if again, err := s.Confirm(t.Context(), apart.ID); err != nil || !cmp.Equal(again, got) {
		t.Errorf("%+v, %v", again, err)
	}
	if len(search(t, s, memory.Query{Words: "office"})) != 1 || len(search(t, s, memory.Query{Words: "office", Lane: memory.Quarantine})) != 0 {
		t.Error("it is not found, or still apart")
	}
	if again := add(t, s, r); !cmp.Equal(again, got) {
		t.Errorf("the key does not lead to it: %+v", again)
	}
	// The same said once more by a stranger is a record of its own; confirming
	// that one leaves the one there is.
	r.Key = "other"
	second := add(t, s, r)
	if second.ID == got.ID || second.Lane != memory.Quarantine {
		t.Fatalf("%+v", second)
	}
	merged, err := s.Confirm(t.Context(), second.ID)
	if err != nil || !cmp.Equal(merged, got) {
		t.Errorf("%+v, %v", merged, err)
	}
	if gone, err := s.Get(t.Context(), second.ID); err != nil || gone.Status != memory.Superseded || gone.SupersededBy != got.ID {
		t.Errorf("%+v, %v", gone, err)
	}
	if again := add(t, s, r); again.ID != got.ID {
		t.Errorf("the key of what was merged leads to %+v", again)
	}
	if count, err := s.Count(t.Context()); err != nil || count != (memory.Count{Active: 1, Superseded: 1}) {
		t.Errorf("%+v, %v", count, err)
	}
}

func TestArchive(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	r := add(t, s, owners("an old habit"))
	got, err := s.Archive(t.Context(), r.ID, "person")
	if err != nil || got.Status != memory.Archived || len(search(t, s, memory.Query{Words: "habit"})) != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	if again := add(t, s, owners("an old habit")); again.ID != r.ID || again.Status != memory.Active {
		t.Errorf("%+v", again)
	}
	if len(search(t, s, memory.Query{Words: "habit"})) != 1 {
		t.Error("it did not come back")
	}
	if _, err := s.Archive(t.Context(), r.ID, "person"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Confirm(t.Context(), r.ID); err != nil || got.Status != memory.Active {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestList(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	var ids []string
	for i := range 7 {
		ids = append([]string{add(t, s, owners(fmt.Sprint("fact ", i))).ID}, ids...)
		add(t, s, strangers(fmt.Sprint("rumour ", i)))
	}
	var got []string
	for q := (memory.Query{Limit: 3}); ; {
		page, err := s.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, r := range page {
			got = append(got, r.ID)
		}
		q.Before = page[len(page)-1].ID
	}
	if diff := cmp.Diff(ids, got); diff != "" {
		t.Error(diff)
	}
	if apart, err := s.List(t.Context(), memory.Query{Lane: memory.Quarantine, Kind: memory.Fact}); err != nil || len(apart) != 7 {
		t.Errorf("%d, %v", len(apart), err)
	}
	for _, q := range []memory.Query{{Limit: -1}, {Limit: 101}, {Lane: "all"}} {
		if _, err := s.List(t.Context(), q); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%+v: %v", q, err)
		}
		if _, err := s.Search(t.Context(), q); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if _, err := s.List(t.Context(), memory.Query{Before: "m-nobody"}); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

func TestRefused(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	many := func(n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprint(i))
		}
		return all
	}
	for name, r := range map[string]memory.Record{
		"no text":           {},
		"nothing but blank": {Text: " \n\t\x00\xff"},
		"long":              {Text: strings.Repeat("a", memory.MaxText+1)},
		"a megabyte":        {Text: strings.Repeat("word ", 200_000)},
		"kind":              {Text: "a", Kind: "secret"},
		"tags":              {Text: "a", Tags: many(17)},
		"a long tag":        {Text: "a", Tags: []string{strings.Repeat("b", 41)}},
		"citation":          {Text: "a", Citations: []memory.Citation{{Ref: "nothing"}}},
		"citations":         {Text: "a", Citations: make([]memory.Citation, 9)},
		"agent":             {Text: "a", About: memory.About{Agent: strings.Repeat("b", 65)}},
		"before 1970":       {Text: "a", Said: time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC)},
		"after 2100":        {Text: "a", Said: time.Date(2101, 1, 1, 0, 0, 0, 0, time.UTC)},
		"two citations":     {Text: "a", Citations: []memory.Citation{{File: "a", URL: "b"}}},
	} {
		if got, err := s.Add(t.Context(), r); !errors.Is(err, memory.ErrInvalid) || len(err.Error()) > 300 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for name, err := range map[string]error{
		"get":     second(s.Get(t.Context(), "m-1")),
		"confirm": second(s.Confirm(t.Context(), "m-1")),
		"archive": second(s.Archive(t.Context(), "m-1", "person")),
		"forget":  second(s.Forget(t.Context(), strings.Repeat("x", 10_000))),
	} {
		if !errors.Is(err, memory.ErrNotFound) || len(err.Error()) > 200 || strings.Contains(err.Error(), "store:") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if count, err := s.Count(t.Context()); err != nil || count != (memory.Count{}) {
		t.Errorf("%+v, %v", count, err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestRanked: what full text finds is found once the records are read in, too: by words
// that say little, and by tags behind the longest text.
func TestRanked(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	long := owners(strings.Repeat("boiler ", memory.MaxText/7))
	long.Tags = []string{"zeppelin"}
	records := map[string]memory.Record{"zeppelin": add(t, s, long), "will": add(t, s, owners("Will likes cheese")), "to be": add(t, s, owners("to be or not"))}
	if err := s.Rank(t.Context()); err != nil {
		t.Fatal(err)
	}
	records["handwerkern"] = add(t, s, owners("Die Handwerker kommen am Montag mit dem neuen Kessel"))
	for words, want := range records {
		hits, err := s.Search(t.Context(), memory.Query{Words: words})
		if err != nil || len(hits) == 0 || hits[0].ID != want.ID {
			t.Errorf("%s: %v, %v", words, hits, err)
		}
	}
}
