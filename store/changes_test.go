package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// told has a trigger that tells of every thing.
var told = store.Migration{Package: "test", Version: 2, SQL: `CREATE TRIGGER things_new AFTER INSERT ON things BEGIN
	INSERT INTO store_changes (kind, id) VALUES ('thing', new.name);
END`}

// seen is what Changes found, in few words.
func seen(t *testing.T, db *store.DB, after int64, limit int) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if after > 0 { // where there is nothing it must wait
		var soon context.CancelFunc
		ctx, soon = context.WithTimeout(ctx, 50*time.Millisecond)
		defer soon()
	}
	found, err := db.Changes(ctx, after, limit)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("lost %t after %d:", found.Lost, found.After)
	for _, c := range found.All {
		text += fmt.Sprintf(" %d %s %s", c.Seq, c.Kind, c.ID)
		if age := time.Since(c.At); age < -time.Minute || age > time.Hour {
			t.Errorf("change %d is of %s", c.Seq, c.At)
		}
	}
	return text
}

func TestChanges(t *testing.T) {
	places(t, func(t *testing.T, path string) {
		db := open(t, path, first, told)
		if got, want := seen(t, db, store.Newest, 10), "lost false after 0:"; got != want {
			t.Errorf("at first: %s", got)
		}
		for i := range 5 {
			if err := insert(t.Context(), db, fmt.Sprint("t", i), i); err != nil {
				t.Fatal(err)
			}
		}
		_ = db.Write(t.Context(), func(tx *store.Tx) error { // taken back, with what it told
			_, _ = tx.ExecContext(t.Context(), "INSERT INTO things VALUES ('never', 0)")
			return context.Canceled
		})
		for _, c := range []struct {
			what  string
			first string // is done before
			after int64
			limit int
			want  string
		}{
			{"all", "", 0, 10, "lost false after 0: 1 thing t0 2 thing t1 3 thing t2 4 thing t3 5 thing t4"},
			{"a page", "", 1, 2, "lost false after 1: 2 thing t1 3 thing t2"},
			{"none yet", "", 5, 10, "lost false after 5:"},
			{"from now on", "", store.Newest, 10, "lost false after 5:"},
			{"never given", "", 6, 10, "lost true after 5:"},
			{"a day old, and not yet swept", "UPDATE store_changes SET at = at - 25 * 3600000 WHERE seq <= 2", 1, 10, "lost true after 5:"},
			{"behind those", "", 2, 10, "lost false after 2: 3 thing t2 4 thing t3 5 thing t4"},
			{"all that are kept", "", 0, 10, "lost true after 2: 3 thing t2 4 thing t3 5 thing t4"},
			{"swept", "INSERT INTO store_changes (seq, kind, id) VALUES (256, 'x', '')", 3, 1, "lost false after 3: 4 thing t3"},
			{"all swept but one", "DELETE FROM store_changes WHERE seq < 256", 256, 10, "lost false after 256:"},
			{"what was swept", "", 254, 10, "lost true after 256:"},
		} {
			if c.first != "" {
				if err := db.Exec(t.Context(), c.first); err != nil {
					t.Fatal(err)
				}
			}
			if got := seen(t, db, c.after, c.limit); got != c.want {
				t.Errorf("%s: %s\nwant %s", c.what, got, c.want)
			}
		}
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return store.ForgetChanges(t.Context(), tx) }); err != nil {
			t.Fatal(err)
		}
		if got := seen(t, db, 256, 10); !strings.HasPrefix(got, "lost true after 1") || len(got) < len("lost true after 1700000000000:") {
			t.Errorf("restored: %s", got)
		}
	})
}

// A database from before there were changes gets the table with the triggers that fill it.
func TestChangesOfAnOldDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mind.db")
	old := open(t, path, first)
	if err := errors.Join(old.Exec(t.Context(), "DROP TABLE store_changes"), old.Close()); err != nil {
		t.Fatal(err)
	}
	db := open(t, path, first, told)
	if err := insert(t.Context(), db, "a", 1); err != nil {
		t.Fatal(err)
	}
	if got, want := seen(t, db, 0, 10), "lost false after 0: 1 thing a"; got != want {
		t.Errorf("%s", got)
	}
}

// What is kept is bounded by time and by number.
func TestChangesAreSwept(t *testing.T) {
	db := open(t, store.Memory, first, told)
	kept := func(do string) (n int) {
		t.Helper()
		if err := db.Exec(t.Context(), do); err != nil {
			t.Fatal(err)
		}
		n, _, err := store.One(t.Context(), db, store.Value[int], "SELECT count(*) FROM store_changes")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	const many = "INSERT INTO store_changes (kind, id) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT 'x', i FROM n"
	if n := kept(fmt.Sprintf(many, 255)); n != 255 {
		t.Fatalf("%d rows", n)
	}
	if n := kept("UPDATE store_changes SET at = at - 25 * 3600000"); n != 255 {
		t.Fatalf("%d rows", n)
	}
	if n := kept(fmt.Sprintf(many, 1)); n != 1 {
		t.Errorf("after a day %d rows are kept", n)
	}
	if n := kept(fmt.Sprintf(many, 21_000)); n < 20_000 || n > 20_256 {
		t.Errorf("of many %d rows are kept", n)
	}
}

// Whoever waits is woken by the commit, wherever it falls, and misses none.
func TestChangesAreWaitedFor(t *testing.T) {
	places(t, func(t *testing.T, path string) {
		const all = 200
		db, failed := open(t, path, first, told), make(chan error, 1)
		go func() {
			for i := range all {
				if err := insert(t.Context(), db, fmt.Sprint("t", i), i); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var after int64
		for after < all {
			found, err := db.Changes(ctx, after, 7)
			if err != nil || len(found.All) == 0 {
				t.Fatalf("after %d: %+v, %v", after, found, err)
			}
			for _, c := range found.All {
				if after++; c.Seq != after {
					t.Fatalf("change %d comes after %d", c.Seq, after-1)
				}
			}
		}
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
	})
}
