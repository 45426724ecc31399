package conversation_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/conversation"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// book is a log in memory.
type book struct {
	messages []conversation.Message
	broken   error
}

func (b *book) After(ctx context.Context, id int64, limit int) ([]conversation.Message, error) {
	if b.broken != nil {
		return nil, b.broken
	}
	from, _ := slices.BinarySearchFunc(b.messages, id+1, func(m conversation.Message, id int64) int { return int(m.ID - id) })
	return slices.Clone(b.messages[from:min(len(b.messages), from+limit)]), ctx.Err()
}

func (b *book) post(at time.Time, name string, author conversation.Author, text string) {
	b.messages = append(b.messages, conversation.Message{ID: int64(len(b.messages) + 1), Conversation: name, Author: author, At: at, Text: text})
}

// TestLogConformance runs the suite over the mind's own log: questions that are
// answered, and promises that are kept.
func TestLogConformance(t *testing.T) {
	for _, kind := range []string{"questions", "promises"} {
		t.Run(kind, func(t *testing.T) {
			b := &book{}
			times := 0
			author, words, end := conversation.Agent, "Shall I go on with number %d?", "No, leave it."
			if kind == "promises" {
				author, words, end = conversation.Person, "I will send the report by 2030-01-%02d.", "Sent the report."
			}
			add := func(_ testing.TB, n int) {
				times++
				b.post(time.Now(), fmt.Sprint("c-", n), author, fmt.Sprintf(words, times))
			}
			remove := func(_ testing.TB, n int) { b.post(time.Now(), fmt.Sprint("c-", n), conversation.Person, end) }
			sensetest.Run(t, sensetest.Harness{
				OpenWith: func(_ testing.TB, rows senses.RowReader) senses.Sense {
					return conversation.NewLog(b, conversation.Options{Rows: rows})
				},
				Add: add, Remove: remove,
				Change: func(t testing.TB, n int) { remove(t, n); add(t, n) },
				Break:  func(testing.TB) { b.broken = os.ErrClosed },
				Mend:   func(testing.TB) { b.broken = nil },
			})
		})
	}
}

// TestTranscriptConformance runs the suite over a folder of transcripts, with a
// watcher and without one, in both formats.
func TestTranscriptConformance(t *testing.T) {
	for _, format := range []string{"jsonl", "md"} {
		t.Run(format, func(t *testing.T) {
			sensetest.RunFolder(t, func(dir string, watcher *watch.Watcher) sensetest.Harness {
				times := 0
				say := func(t testing.TB, n int, text string) {
					line := "## User\n\n" + text + "\n"
					if format == "jsonl" {
						line = fmt.Sprintf("{\"role\":\"user\",\"content\":%q}\n", text)
					}
					appendTo(t, filepath.Join(dir, fmt.Sprintf("%d.%s", n, format)), line)
				}
				add := func(t testing.TB, n int) {
					times++
					say(t, n, fmt.Sprintf("I will send the report by 2030-01-%02d.", times))
				}
				return sensetest.Harness{
					OpenWith: func(t testing.TB, rows senses.RowReader) senses.Sense {
						s, err := conversation.New(conversation.Config{ID: "agents", Path: dir}, conversation.Options{Watcher: watcher, Rows: rows})
						if err != nil {
							t.Fatal(err)
						}
						return s
					},
					Add:    add,
					Change: func(t testing.TB, n int) { say(t, n, "Sent the report."); add(t, n) },
					Remove: func(t testing.TB, n int) {
						if err := os.Remove(filepath.Join(dir, fmt.Sprintf("%d.%s", n, format))); err != nil {
							t.Fatal(err)
						}
					},
				}
			})
		})
	}
}

// appendTo adds to a file, which nobody has written to for a while.
func appendTo(t testing.TB, file, text string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(text)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
}
