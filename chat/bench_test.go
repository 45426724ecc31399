package chat_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/store"
)

// prose makes texts whose words are as unevenly common as those of a language
// but for the commonest, which a search leaves out.
func prose(random *rand.Rand, words int) string {
	zipf := rand.NewZipf(random, 1.1, 50, 20_000)
	var b strings.Builder
	for range words {
		fmt.Fprintf(&b, "w%dx ", zipf.Uint64())
	}
	return b.String()
}

// filled is a log on disk with so many messages.
func filled(b *testing.B, messages int) *chat.Log {
	b.Helper()
	db := database(b, filepath.Join(b.TempDir(), "mind.db"))
	l := chat.New(db, chat.Options{})
	random := rand.New(rand.NewPCG(1, 2))
	for done := 0; done < messages; {
		err := db.Write(context.Background(), func(tx *store.Tx) error {
			for range min(1000, messages-done) {
				if _, err := l.Post(context.Background(), tx, says(fmt.Sprint("c-", done%50), prose(random, 30))); err != nil {
					return err
				}
				done++
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	return l
}

func BenchmarkSearch10k(b *testing.B) {
	l := filled(b, 10_000)
	random := rand.New(rand.NewPCG(3, 4))
	for b.Loop() {
		if _, err := l.Search(context.Background(), chat.Query{Words: prose(random, 6), Author: chat.Person}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAdd10k(b *testing.B) {
	l := filled(b, 10_000)
	random := rand.New(rand.NewPCG(5, 6))
	for b.Loop() {
		if _, err := l.Add(context.Background(), says("c-1", prose(random, 30))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMessages10k(b *testing.B) {
	l := filled(b, 10_000)
	for b.Loop() {
		if _, err := l.Messages(context.Background(), "c-1", 0, 20); err != nil {
			b.Fatal(err)
		}
	}
}
