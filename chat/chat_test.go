package chat_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func database(t testing.TB, path string) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), store.Options{Path: path}, chat.Migrations()...)
	return testutil.Opened(t, db, err)
}

var start = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// clock moves on by a second each time it is read.
func clock() func() time.Time {
	at := start
	return func() time.Time {
		at = at.Add(time.Second)
		return at
	}
}

func opened(t testing.TB, options chat.Options) (*chat.Log, *store.DB) {
	t.Helper()
	db := database(t, store.Memory)
	if options.Now == nil {
		options.Now = clock()
	}
	return chat.New(db, options), db
}

func add(t testing.TB, l *chat.Log, m chat.Message) chat.Message {
	t.Helper()
	posted, err := l.Add(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return posted
}

func says(conversation, text string) chat.Message {
	return chat.Message{Conversation: conversation, Author: chat.Person, Text: text}
}

func ids(messages []chat.Message) (all []int64) {
	for _, m := range messages {
		all = append(all, m.ID)
	}
	return all
}

func TestWhatIsSaidIsReadBack(t *testing.T) {
	l, _ := opened(t, chat.Options{})
	first := add(t, l, chat.Message{Author: chat.Person, Name: "ignored", Text: "What of the sample invoice?\r\nIt is due\x00 Friday."})
	if !strings.HasPrefix(first.Conversation, "c-") {
		t.Fatalf("%+v", first)
	}
	second := add(t, l, chat.Message{Conversation: first.Conversation, Author: chat.Agent, Name: "Bookkeeper", Text: "Paid.", Trust: subconscious.Owner})
	third := add(t, l, chat.Message{Conversation: first.Conversation, Author: chat.Mind, Text: "Noted.", Deliberation: "d-1", Proposal: "p-1"})
	want := []chat.Message{
		{ID: third.ID, Conversation: first.Conversation, At: third.At, Author: chat.Mind, Name: "deliberation", Trust: subconscious.Outsider,
			Text: "Noted.", Deliberation: "d-1", Proposal: "p-1"},
		{ID: second.ID, Conversation: first.Conversation, At: second.At, Author: chat.Agent, Name: "bookkeeper", Trust: subconscious.Agent, Text: "Paid."},
		{ID: first.ID, Conversation: first.Conversation, At: first.At, Author: chat.Person, Trust: subconscious.Owner,
			Text: "What of the sample invoice?\nIt is due Friday."},
	}
	got, err := l.Messages(t.Context(), first.Conversation, 0, 0)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
	if got, err := l.Messages(t.Context(), strings.ToUpper(first.Conversation), third.ID, 1); err != nil || !slices.Equal(ids(got), []int64{second.ID}) {
		t.Errorf("%v, %v", got, err)
	}
	slices.Reverse(want)
	if got, err := l.After(t.Context(), 0, 0); err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v: %s", err, cmp.Diff(want, got))
	}
	if got, err := l.After(t.Context(), first.ID, 1); err != nil || !slices.Equal(ids(got), []int64{second.ID}) {
		t.Errorf("%v, %v", got, err)
	}
	all, err := l.Conversations(t.Context(), 0, 0)
	wantAll := []chat.Conversation{{ID: first.Conversation, Title: "What of the sample invoice? It is due Friday.", Created: first.At,
		Updated: third.At, Messages: 3, Last: "Noted.", LastID: third.ID}}
	if diff := cmp.Diff(wantAll, all); err != nil || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
}

func TestTrust(t *testing.T) {
	l, _ := opened(t, chat.Options{})
	for _, c := range []struct {
		author      chat.Author
		given, want subconscious.Trust
	}{
		{chat.Person, "", subconscious.Owner},
		{chat.Person, subconscious.Outsider, subconscious.Outsider},
		{chat.Person, "anything", subconscious.Outsider},
		{chat.Agent, "", subconscious.Agent},
		{chat.Agent, subconscious.Owner, subconscious.Agent},
		{chat.Agent, subconscious.Machine, subconscious.Agent},
		{chat.Agent, subconscious.Outsider, subconscious.Outsider},
		{chat.Mind, "", subconscious.Outsider},
		{chat.Mind, subconscious.Owner, subconscious.Machine},
		{chat.Mind, subconscious.Machine, subconscious.Machine},
		{chat.Mind, subconscious.Agent, subconscious.Agent},
	} {
		got := add(t, l, chat.Message{Conversation: "a", Author: c.author, Name: "tester", Text: "x", Trust: c.given})
		if got.Trust != c.want {
			t.Errorf("%s, %q: %s, want %s", c.author, c.given, got.Trust, c.want)
		}
	}
	if chat.Trust(chat.Mind) != subconscious.Machine || chat.Trust("stranger") != subconscious.Outsider {
		t.Error("what an author is worth")
	}
}

func TestNames(t *testing.T) {
	l, _ := opened(t, chat.Options{})
	for given, want := range map[string]string{
		"Budget-2026":            "budget-2026",
		"cafe\u0301":             "caf\u00e9",
		"買い物":                    "買い物",
		"a":                      "a",
		" padded ":               "padded",
		"-a":                     "",
		"a.":                     "",
		"../etc":                 "",
		"a b":                    "",
		"a/b":                    "",
		"a\x00b":                 "ab",
		"\x00":                   "",
		"a\nb":                   "",
		`"x" OR 1`:               "",
		strings.Repeat("é", 33):  "",
		strings.Repeat("é", 32):  strings.Repeat("é", 32),
		strings.Repeat("x", 1e6): "",
		"\u0301a":                "",
		"ghp_" + strings.Repeat("A1b2C3d4", 4) + "wxyz": "",
	} {
		got, err := l.Add(t.Context(), says(given, "hello"))
		if want == "" {
			if !errors.Is(err, chat.ErrInvalid) || len(err.Error()) > 300 {
				t.Errorf("%.80q: %+v, %v", given, got, err)
			}
			continue
		}
		if err != nil || got.Conversation != want {
			t.Errorf("%q: %q, %v", given, got.Conversation, err)
		}
		if read, err := l.Messages(t.Context(), given, 0, 1); err != nil || len(read) != 1 {
			t.Errorf("%q: %v, %v", given, read, err)
		}
	}
}

func TestRefused(t *testing.T) {
	l, _ := opened(t, chat.Options{})
	for name, m := range map[string]chat.Message{
		"no author":     {Text: "a"},
		"author":        {Author: "stranger", Text: "a"},
		"no text":       {Author: chat.Person, Text: " \x00\xff\n"},
		"long":          {Author: chat.Person, Text: strings.Repeat("a", chat.MaxText+1)},
		"a megabyte":    {Author: chat.Person, Text: strings.Repeat("\xf0\x9f", 500_000)},
		"no agent":      {Author: chat.Agent, Text: "a"},
		"agent":         {Author: chat.Agent, Name: "a b", Text: "a"},
		"mind":          {Author: chat.Mind, Name: "a b", Text: "a"},
		"long ago":      {Author: chat.Person, Text: "a", At: time.Unix(-1, 0)},
		"deliberation":  {Author: chat.Mind, Text: "a", Deliberation: strings.Repeat("x", 65)},
		"conversation":  {Author: chat.Person, Text: "a", Conversation: "a b"},
		"secret inside": {Author: chat.Agent, Name: "ghp_" + strings.Repeat("A1b2C3d4", 4) + "wxyz", Text: "a"},
	} {
		if got, err := l.Add(t.Context(), m); !errors.Is(err, chat.ErrInvalid) || len(err.Error()) > 300 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := l.Messages(t.Context(), "nobody", 0, 1); !errors.Is(err, chat.ErrNotFound) || strings.Contains(err.Error(), "store:") {
		t.Errorf("%v", err)
	}
	for _, limit := range []int{-1, 1001} {
		_, first := l.Messages(t.Context(), "a", 0, limit)
		_, second := l.Conversations(t.Context(), 0, limit)
		_, third := l.After(t.Context(), 0, limit)
		_, fourth := l.Search(t.Context(), chat.Query{Words: "a", Limit: limit})
		for _, err := range []error{first, second, third, fourth} {
			if !errors.Is(err, chat.ErrInvalid) {
				t.Errorf("%d: %v", limit, err)
			}
		}
	}
	if all, err := l.Conversations(t.Context(), 0, 0); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestKeysPostOnce(t *testing.T) {
	l, _ := opened(t, chat.Options{})
	m := says("", "once")
	m.Key = "k\x00\xff"
	first := add(t, l, m)
	m.Text, m.Conversation = "twice", "elsewhere"
	if again := add(t, l, m); !cmp.Equal(first, again) {
		t.Errorf("posted twice: %s", cmp.Diff(first, again))
	}
	// Nobody's key keeps another from speaking.
	m.Author, m.Name = chat.Agent, "other"
	second := add(t, l, m)
	m.Name = "another"
	if third := add(t, l, m); second.ID == first.ID || third.ID == second.ID {
		t.Errorf("%d %d %d", first.ID, second.ID, third.ID)
	}
}

func TestTimes(t *testing.T) {
	l, _ := opened(t, chat.Options{Now: func() time.Time { return start }})
	for given, want := range map[time.Time]time.Time{
		{}:                                  start,
		start.AddDate(0, 0, -1):             start.AddDate(0, 0, -1),
		start.AddDate(500, 0, 0):            start,
		start.In(time.FixedZone("X", 3600)): start,
	} {
		m := says("a", "x")
		m.At = given
		if got := add(t, l, m); got.At != want {
			t.Errorf("%v: %v, want %v", given, got.At, want)
		}
	}
	// What was said earlier does not make a conversation older.
	all, err := l.Conversations(t.Context(), 0, 1)
	if err != nil || all[0].Updated != start {
		t.Errorf("%v, %v", all, err)
	}
}

func TestSearch(t *testing.T) {
	l, _ := opened(t, chat.Options{})
	add(t, l, says("work", "The invoices of the sample shop are late"))
	late := add(t, l, chat.Message{Conversation: "work", Author: chat.Agent, Name: "clerk", Text: "Invoice 4711 was sent, an invoice over 20"})
	add(t, l, says("home", "明日の会議は十時です"))
	add(t, l, says("home", "Der Termin beim Zahnarzt"))
	for _, c := range []struct {
		query chat.Query
		want  int
	}{
		{chat.Query{Words: "invoice"}, 2},
		{chat.Query{Words: "INVOICE, Zahnarzt"}, 3},
		{chat.Query{Words: "invoice", Author: chat.Agent}, 1},
		{chat.Query{Words: "invoice", Conversation: "HOME"}, 0},
		{chat.Query{Words: "invoice", Since: late.At}, 1},
		{chat.Query{Words: "invoice", Limit: 1}, 1},
		{chat.Query{Words: "会議"}, 1},
		{chat.Query{Words: "議会"}, 0},
		{chat.Query{Words: ""}, 0},
		{chat.Query{Words: "the"}, 1},
		{chat.Query{Words: `") OR chat_words MATCH "x`}, 0},
	} {
		got, err := l.Search(t.Context(), c.query)
		if err != nil || len(got) != c.want {
			t.Errorf("%+v: %v, %v", c.query, got, err)
		}
	}
}

// TestRanked: once it is read in, what answers a question is found beside it, in other
// forms of the words; what is posted and swept meanwhile and later counts.
func TestRanked(t *testing.T) {
	now := start
	l, _ := opened(t, chat.Options{Now: func() time.Time { return now }, Kept: 10 * 24 * time.Hour})
	for i := range 1203 { // more than are read in at once
		add(t, l, says(fmt.Sprint("noise-", i%40), fmt.Sprint("the weather, again ", i)))
	}
	add(t, l, says("car", "Where did you leave the caravan?"))
	answer := add(t, l, chat.Message{Conversation: "car", Author: chat.Agent, Name: "driver", Text: "Behind the old mill."})
	first := func(q chat.Query) int64 {
		t.Helper()
		found, err := l.Search(t.Context(), q)
		if err != nil || len(found) == 0 {
			t.Fatalf("%+v: %v, %v", q, found, err)
		}
		return found[0].ID
	}
	reading := make(chan error)
	go func() { reading <- l.Rank(context.Background()) }()
	var posted chat.Message
	for i := range 50 {
		posted = add(t, l, says("later", fmt.Sprint("Der Klempner rief an, zum Mal ", i)))
	}
	if err := <-reading; err != nil {
		t.Fatal(err)
	}
	if got := first(chat.Query{Words: "parking caravans", Author: chat.Agent}); got != answer.ID {
		t.Errorf("the answer is %d: %d", answer.ID, got)
	}
	if got := first(chat.Query{Words: "Anrufe des Klempners 49", Conversation: "LATER"}); got != posted.ID {
		t.Errorf("what was posted while it was read in is %d: %d", posted.ID, got)
	}
	now = start.AddDate(0, 0, 5)
	kept := add(t, l, says("car", "The caravan is sold."))
	if got := first(chat.Query{Words: "caravans", Since: now}); got != kept.ID {
		t.Errorf("since then it is %d: %d", kept.ID, got)
	}
	if _, err := l.Sweep(t.Context(), start.AddDate(0, 0, 12)); err != nil {
		t.Fatal(err)
	}
	if found, err := l.Search(t.Context(), chat.Query{Words: "caravan mill Klempner weather"}); err != nil || len(found) != 1 || found[0].ID != kept.ID {
		t.Errorf("after the sweep: %v, %v", found, err)
	}
}

// TestFull: agents and the mind cannot keep the person from speaking.
func TestFull(t *testing.T) {
	l, db := opened(t, chat.Options{MaxMessages: 20, MaxConversations: 10})
	agent := chat.Message{Author: chat.Agent, Name: "busy", Text: "noise"}
	for range 9 {
		add(t, l, agent)
	}
	if _, err := l.Add(t.Context(), agent); !errors.Is(err, chat.ErrFull) {
		t.Errorf("%v", err)
	}
	add(t, l, says("mine", "a word"))
	if _, err := l.Add(t.Context(), says("another", "a word")); !errors.Is(err, chat.ErrFull) {
		t.Errorf("%v", err)
	}
	agent.Conversation = "mine"
	for range 8 {
		add(t, l, agent)
	}
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := l.Post(t.Context(), tx, agent); !errors.Is(err, chat.ErrFull) {
			t.Errorf("%v", err)
		}
		_, err := l.Post(t.Context(), tx, says("mine", "the transaction goes on"))
		return err
	})
	if err != nil {
		t.Error(err)
	}
	add(t, l, says("mine", "the last"))
	if _, err := l.Add(t.Context(), says("mine", "one too many")); !errors.Is(err, chat.ErrFull) {
		t.Errorf("%v", err)
	}
}

func TestSweep(t *testing.T) {
	now := start
	l, db := opened(t, chat.Options{Now: func() time.Time { return now }, Kept: 10 * 24 * time.Hour})
	for i := range 1203 {
		m := says(fmt.Sprint("old-", i%3), "an ancient word")
		m.At = start.Add(time.Duration(i) * time.Second)
		now = m.At
		if i >= 1200 {
			now = start.AddDate(0, 0, 9)
			m.Conversation, m.At, m.Text = "old-1", now, fmt.Sprint("a newer word ", i)
		}
		add(t, l, m)
	}
	// What was said long ago may have been stored last.
	late := says("old-1", "an ancient word at the end")
	late.At = start
	add(t, l, late)
	if n, err := l.Sweep(t.Context(), start.AddDate(0, 0, 10)); err != nil || n != 0 {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := l.Sweep(t.Context(), start.AddDate(0, 0, 11)); err != nil || n != 1201 {
		t.Errorf("%d, %v", n, err)
	}
	all, err := l.Conversations(t.Context(), 0, 10)
	if err != nil || len(all) != 1 || all[0].Messages != 3 || all[0].Last != "a newer word 1202" || all[0].LastID != 1203 {
		t.Errorf("%+v, %v", all, err)
	}
	if found, err := l.Search(t.Context(), chat.Query{Words: "ancient"}); err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
	if next := add(t, l, says("old-0", "again")); next.ID != 1205 {
		t.Errorf("an ID was given twice: %d", next.ID)
	}
	check(t, db)
}

func TestSecretsAreNotStored(t *testing.T) {
	l, _ := opened(t, chat.Options{})
	const secret = "hunter2-very-Secret"
	got := add(t, l, says("a", "password: "+secret))
	all, err := l.Conversations(t.Context(), 0, 1)
	if text := fmt.Sprintf("%+v %+v", got, all); err != nil || strings.Contains(text, secret) {
		t.Errorf("%s, %v", text, err)
	}
	if found, err := l.Search(t.Context(), chat.Query{Words: secret}); err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
}

var errBreak = errors.New("break off")

func TestNothingStaysOfABrokenTransaction(t *testing.T) {
	l, db := opened(t, chat.Options{})
	add(t, l, says("a", "before"))
	before, _ := l.Conversations(t.Context(), 0, 10)
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		for _, conversation := range []string{"a", "b"} {
			m := says(conversation, "never to be")
			m.Key = conversation
			if _, err := l.Post(t.Context(), tx, m); err != nil {
				t.Error(err)
			}
		}
		return errBreak
	})
	if !errors.Is(err, errBreak) {
		t.Fatal(err)
	}
	if after, err := l.Conversations(t.Context(), 0, 10); err != nil || !cmp.Equal(before, after) {
		t.Errorf("%v: %s", err, cmp.Diff(before, after))
	}
	if found, err := l.Search(t.Context(), chat.Query{Words: "never"}); err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
	check(t, db)
	m := says("b", "never to be")
	m.Key = "b"
	if got := add(t, l, m); got.ID != 2 {
		t.Errorf("%+v", got)
	}
}

// check compares the index and the counts with the messages.
func check(t interface{ Error(...any) }, db *store.DB) {
	ctx := context.Background()
	err := db.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO chat_words (chat_words) VALUES ('integrity-check')"); err != nil {
			return err
		}
		for what, query := range map[string]string{
			"unindexed": "SELECT count(*) FROM chat_messages WHERE id NOT IN (SELECT rowid FROM chat_words)",
			"left over": "SELECT count(*) FROM chat_words WHERE rowid NOT IN (SELECT id FROM chat_messages)",
			"counts": `SELECT count(*) FROM chat_counts WHERE messages <> (SELECT count(*) FROM chat_messages)
				OR conversations <> (SELECT count(*) FROM chat_conversations)`,
			"conversations": `SELECT count(*) FROM chat_conversations c WHERE messages <> (SELECT count(*) FROM chat_messages WHERE conversation = c.id)
				OR last_id <> (SELECT max(id) FROM chat_messages WHERE conversation = c.id)`,
		} {
			var wrong int
			if err := tx.QueryRowContext(ctx, query).Scan(&wrong); err != nil || wrong > 0 {
				return fmt.Errorf("%s: %d, %w", what, wrong, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestAtTheSameTime runs under the race detector.
func TestAtTheSameTime(t *testing.T) {
	db := database(t, filepath.Join(t.TempDir(), "mind.db"))
	l := chat.New(db, chat.Options{})
	done := make(chan error)
	const writers, each = 4, 15
	for w := range writers {
		go func() {
			var errs []error
			for i := range each {
				m := says("shared", fmt.Sprint("word ", i))
				m.Key = fmt.Sprint(i)
				_, err := l.Add(context.Background(), m)
				errs = append(errs, err)
				_, err = l.Search(context.Background(), chat.Query{Words: "word"})
				errs = append(errs, err)
			}
			if w == 0 {
				_, err := l.Sweep(context.Background(), time.Now())
				errs = append(errs, err)
			}
			done <- errors.Join(errs...)
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if all, err := l.Messages(t.Context(), "shared", 0, 100); err != nil || len(all) != each {
		t.Errorf("%d messages, %v", len(all), err)
	}
	check(t, db)
}
