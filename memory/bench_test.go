package memory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/memory"
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

// filled is a memory on disk with so many records.
func filled(b *testing.B, records int) *memory.Store {
	b.Helper()
	db := database(b, filepath.Join(b.TempDir(), "mind.db"))
	s := memory.New(db, memory.Options{})
	random := rand.New(rand.NewPCG(1, 2))
	for done := 0; done < records; {
		err := db.Write(context.Background(), func(tx *store.Tx) error {
			for range min(1000, records-done) {
				if _, err := s.Remember(context.Background(), tx, owners(prose(random, 30))); err != nil {
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
	return s
}

func BenchmarkSearch10k(b *testing.B) {
	s := filled(b, 10_000)
	random := rand.New(rand.NewPCG(3, 4))
	for b.Loop() {
		if _, err := s.Search(context.Background(), memory.Query{Words: prose(random, 6)}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAdd10k(b *testing.B) {
	s := filled(b, 10_000)
	random := rand.New(rand.NewPCG(5, 6))
	for b.Loop() {
		if _, err := s.Add(context.Background(), owners(prose(random, 30))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAddAgain10k(b *testing.B) {
	s := filled(b, 10_000)
	for b.Loop() {
		if _, err := s.Add(context.Background(), owners("the same once more")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkForget10k(b *testing.B) {
	s := filled(b, 10_000)
	random := rand.New(rand.NewPCG(7, 8))
	for b.Loop() {
		r, err := s.Add(context.Background(), owners(prose(random, 30)))
		if err == nil {
			_, err = s.Forget(context.Background(), r.ID)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
