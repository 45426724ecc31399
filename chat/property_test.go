package chat_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/store"
)

// said is what the log should hold, kept in a slice.
type said struct {
	messages []chat.Message
	keys     map[string]chat.Message
	limit    int
}

// post is what the model expects of Add; got is what came of it.
func (s *said) post(t *rapid.T, m, got chat.Message, err error) {
	key := string(m.Author) + "/" + m.Name + "/" + m.Key
	if known, there := s.keys[key]; there && m.Key != "" {
		if err != nil || !cmp.Equal(known, got) {
			t.Fatalf("with a known key: %v %s", err, cmp.Diff(known, got))
		}
		return
	}
	limit := s.limit
	if m.Author != chat.Person {
		limit -= limit / 10
	}
	if len(s.messages) >= limit {
		if !errors.Is(err, chat.ErrFull) {
			t.Fatalf("full, and yet %+v, %v", got, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if last := len(s.messages); last > 0 && got.ID <= s.messages[last-1].ID {
		t.Fatalf("%d comes after %d", got.ID, s.messages[last-1].ID)
	}
	want := m
	want.ID, want.Trust, want.Key = got.ID, chat.Trust(m.Author), ""
	if m.Author == chat.Mind {
		want.Trust = "outsider"
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	s.messages = append(s.messages, got)
	if m.Key != "" {
		s.keys[key] = got
	}
}

// sweep forgets what was said before a time.
func (s *said) sweep(before time.Time) int {
	size := len(s.messages)
	old := func(m chat.Message) bool { return m.At.Before(before) }
	s.messages = slices.DeleteFunc(s.messages, old)
	for key, m := range s.keys {
		if old(m) {
			delete(s.keys, key)
		}
	}
	return size - len(s.messages)
}

// where are the messages for which is, newest first.
func (s *said) where(is func(chat.Message) bool) (all []chat.Message) {
	for _, m := range slices.Backward(s.messages) {
		if is(m) {
			all = append(all, m)
		}
	}
	return all
}

func TestLogIsItsModel(t *testing.T) {
	texts := []string{"the red door", "a blue door", "赤いドア", "red and blue"}
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		db, err := store.Open(ctx, store.Options{Path: store.Memory}, chat.Migrations()...)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		now := start
		const kept = 24 * time.Hour
		l := chat.New(db, chat.Options{Now: func() time.Time { return now }, MaxMessages: 10, Kept: kept})
		s := &said{keys: map[string]chat.Message{}, limit: 10}
		conversations := []string{"home", "work", "c-1"}
		t.Repeat(map[string]func(*rapid.T){
			"post": func(t *rapid.T) {
				m := chat.Message{
					Conversation: rapid.SampledFrom(conversations).Draw(t, "conversation"),
					At:           now.Add(-time.Duration(rapid.IntRange(0, 12).Draw(t, "hours")) * time.Hour),
					Author:       rapid.SampledFrom([]chat.Author{chat.Person, chat.Agent, chat.Mind}).Draw(t, "author"),
					Text:         rapid.SampledFrom(texts).Draw(t, "text"),
					Key:          rapid.SampledFrom([]string{"", "", "k"}).Draw(t, "key"),
				}
				if m.Author != chat.Person {
					m.Name = rapid.SampledFrom([]string{"one", "two"}).Draw(t, "name")
				}
				got, err := l.Add(ctx, m)
				s.post(t, m, got, err)
			},
			"wait": func(t *rapid.T) { now = now.Add(time.Duration(rapid.IntRange(1, 12).Draw(t, "hours")) * time.Hour) },
			"sweep": func(t *rapid.T) {
				if n, err := l.Sweep(ctx, now); err != nil || n != s.sweep(now.Add(-kept)) {
					t.Fatalf("%d, %v", n, err)
				}
			},
			"": func(t *rapid.T) { compare(t, l, s, conversations) },
		})
		check(t, db)
	})
}

// compare looks at the messages by every way that leads to them.
func compare(t *rapid.T, l *chat.Log, s *said, conversations []string) {
	ctx := context.Background()
	from := rapid.Int64Range(0, 12).Draw(t, "from")
	want := s.where(func(m chat.Message) bool { return m.ID > from })
	slices.Reverse(want)
	if got, err := l.After(ctx, from, 100); err != nil || !cmp.Equal(want, got) {
		t.Fatalf("after: %v %s", err, cmp.Diff(want, got))
	}
	name := rapid.SampledFrom(conversations).Draw(t, "name")
	want = s.where(func(m chat.Message) bool { return m.Conversation == name })
	if got, err := l.Messages(ctx, name, 0, 100); (err != nil) != (len(want) == 0) || !cmp.Equal(want, got) {
		t.Fatalf("messages: %v %s", err, cmp.Diff(want, got))
	}
	all, err := l.Conversations(ctx, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var paged []chat.Conversation
	for before := int64(0); ; {
		page, err := l.Conversations(ctx, before, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		paged, before = append(paged, page...), page[0].LastID
	}
	if diff := cmp.Diff(all, paged); diff != "" {
		t.Fatalf("paged: %s", diff)
	}
	for _, c := range all {
		of := s.where(func(m chat.Message) bool { return m.Conversation == c.ID })
		if len(of) != c.Messages || of[0].ID != c.LastID || of[0].Text != c.Last {
			t.Fatalf("%+v of %+v", c, of)
		}
	}
	word := rapid.SampledFrom([]string{"red", "door", "赤"}).Draw(t, "word")
	query := chat.Query{Words: word, Author: rapid.SampledFrom([]chat.Author{"", chat.Person, chat.Agent}).Draw(t, "author"), Limit: 100}
	found, err := l.Search(ctx, query)
	if err != nil {
		t.Fatal(err)
	}
	var got []chat.Message
	for _, f := range found {
		got = append(got, f.Message)
	}
	slices.SortFunc(got, func(a, b chat.Message) int { return int(b.ID - a.ID) })
	want = s.where(func(m chat.Message) bool {
		return strings.Contains(m.Text, word) && (query.Author == "" || query.Author == m.Author)
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("search %+v: %s", query, diff)
	}
}

// FuzzLog: whatever is posted and searched for, the log stays whole.
func FuzzLog(f *testing.F) {
	l, _ := opened(f, chat.Options{})
	for _, seed := range []string{"a", `" OR "`, "NEAR(a b)", "\x00", "\xff\xfe", "text:*", "日本語", "a\n\n\nb", strings.Repeat("\u0301", 200),
		"password: hunter2-very-Secret", "c-abc", strings.Repeat("x ", 9000)} {
		f.Add(seed, seed, seed)
	}
	f.Fuzz(func(t *testing.T, name, text, words string) {
		ctx := context.Background()
		m, err := l.Add(ctx, chat.Message{Conversation: name, Author: chat.Agent, Name: "a", Text: text, Key: words})
		if err != nil && !errors.Is(err, chat.ErrInvalid) && !errors.Is(err, chat.ErrFull) {
			t.Fatal(err)
		}
		if err == nil {
			if read, err := l.Messages(ctx, m.Conversation, m.ID+1, 1); err != nil || len(read) != 1 || !cmp.Equal(read[0], m) {
				t.Fatalf("%+v, %v", read, err)
			}
		}
		if _, err := l.Search(ctx, chat.Query{Words: words, Conversation: name}); err != nil {
			t.Fatal(err)
		}
	})
}
