package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// Whoever is asked to end while the database is made can make it the next time.
func TestCreationCancelled(t *testing.T) {
	var migrations []store.Migration
	for i := 1; i <= 10; i++ {
		migrations = append(migrations, store.Migration{Package: "test", Version: i,
			SQL: fmt.Sprintf("CREATE TABLE t%d (x INTEGER PRIMARY KEY, y TEXT) STRICT; INSERT INTO t%d VALUES (1, 'y')", i, i)})
	}
	cancelled := 0
	for i := range 60 {
		path := t.TempDir() + "/mind.db"
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(time.Duration(i)*100*time.Microsecond, cancel)
		db, err := store.Open(ctx, store.Options{Path: path}, migrations...)
		timer.Stop()
		cancel()
		if err != nil {
			cancelled++
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("cancelled after %d × 100 µs: %v", i, err)
			}
			if db, err = store.Open(t.Context(), store.Options{Path: path}, migrations...); err != nil {
				t.Fatalf("cancelled after %d × 100 µs, it cannot be opened: %v", i, err)
			}
		}
		if err := errors.Join(db.Check(t.Context()), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if cancelled == 0 {
		t.Fatal("none was cancelled")
	}
}
