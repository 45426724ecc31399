package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
)

var first = store.Migration{Package: "test", Version: 1, SQL: "CREATE TABLE things (name TEXT PRIMARY KEY, n INTEGER)"}

func TestMain(m *testing.M) {
	if child := os.Getenv("STORE_TEST_CHILD"); child != "" {
		os.Exit(runChild(child, os.Args[len(os.Args)-1]))
	}
	os.Exit(m.Run())
}

func open(t testing.TB, path string, migrations ...store.Migration) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Path: path}, migrations...)
	return testutil.Opened(t, db, err)
}

func insert(ctx context.Context, db *store.DB, name string, n int) error {
	return db.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO things (name, n) VALUES (?, ?)", name, n)
		return err
	})
}

func count(t testing.TB, db *store.DB) (n int) {
	t.Helper()
	if err := db.Read(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRowContext(t.Context(), "SELECT count(*) FROM things").Scan(&n)
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// places are the two kinds of database that must behave alike. The name of the
// file has all that means something in a data source's name.
func places(t *testing.T, do func(t *testing.T, path string)) {
	t.Run("file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "mind ?#%+&.db")
		do(t, path)
		if _, err := os.Stat(path); err != nil {
			t.Error("the file is not where it was asked for:", err)
		}
	})
	t.Run("memory", func(t *testing.T) { do(t, store.Memory) })
}

func TestWriteThenRead(t *testing.T) {
	places(t, func(t *testing.T, path string) {
		db := open(t, path, first)
		if err := insert(t.Context(), db, "a", 1); err != nil {
			t.Fatal(err)
		}
		if n := count(t, db); n != 1 {
			t.Fatalf("%d rows, want 1", n)
		}
		if err := db.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestWriteLeavesNothingBehind(t *testing.T) {
	sentinel := errors.New("no")
	cases := map[string]func(ctx context.Context, cancel context.CancelFunc, tx *store.Tx) error{
		"error":  func(context.Context, context.CancelFunc, *store.Tx) error { return sentinel },
		"panic":  func(context.Context, context.CancelFunc, *store.Tx) error { panic(sentinel) },
		"cancel": func(_ context.Context, cancel context.CancelFunc, _ *store.Tx) error { cancel(); return nil },
		"interrupted": func(ctx context.Context, cancel context.CancelFunc, tx *store.Tx) error {
			time.AfterFunc(5*time.Millisecond, cancel)
			_, err := tx.ExecContext(ctx, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) INSERT INTO things SELECT i, i FROM n")
			return err
		},
		"own rollback": func(ctx context.Context, _ context.CancelFunc, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "ROLLBACK")
			return err
		},
	}
	places(t, func(t *testing.T, path string) {
		db := open(t, path, first)
		for name, do := range cases {
			ctx, cancel := context.WithCancel(t.Context())
			err := func() (err error) {
				defer func() {
					if r := recover(); r != nil {
						err = fmt.Errorf("panic: %v", r)
					}
				}()
				return db.Write(ctx, func(tx *store.Tx) error {
					if _, err := tx.ExecContext(ctx, "INSERT INTO things VALUES ('lost', 0)"); err != nil {
						return err
					}
					return do(ctx, cancel, tx)
				})
			}()
			cancel()
			if err == nil {
				t.Errorf("%s: no error", name)
			}
			if n := count(t, db); n != 0 {
				t.Errorf("%s: %d rows stayed", name, n)
			}
		}
		if err := insert(t.Context(), db, "after", 1); err != nil {
			t.Fatalf("not usable afterwards: %v", err)
		}
	})
}

func TestReadCannotWrite(t *testing.T) {
	places(t, func(t *testing.T, path string) {
		db := open(t, path, first)
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			_, err := tx.ExecContext(t.Context(), "INSERT INTO things VALUES ('a', 1)")
			return err
		})
		if err == nil {
			t.Error("a reader wrote")
		}
		if err := insert(t.Context(), db, "a", 1); err != nil {
			t.Fatalf("the writer cannot write after a reader failed: %v", err)
		}
	})
}

func TestReadersSeeASnapshotWhileOneWrites(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "mind.db"), first)
	if err := db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.ExecContext(t.Context(), "INSERT INTO things VALUES ('a', 1)"); err != nil {
			return err
		}
		if n := count(t, db); n != 0 {
			t.Errorf("a reader saw %d uncommitted rows", n)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Read(t.Context(), func(tx *store.Tx) error {
		var before, after int
		if err := tx.QueryRowContext(t.Context(), "SELECT count(*) FROM things").Scan(&before); err != nil {
			return err
		}
		if err := insert(t.Context(), db, "b", 2); err != nil {
			return err
		}
		err := tx.QueryRowContext(t.Context(), "SELECT count(*) FROM things").Scan(&after)
		if before != 1 || after != 1 {
			t.Errorf("the snapshot moved from %d to %d rows", before, after)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestManyWritersAndReaders(t *testing.T) {
	places(t, func(t *testing.T, path string) {
		db := open(t, path, first)
		const writers, each = 4, 10
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for i := range each {
					if err := insert(t.Context(), db, fmt.Sprint(w, "-", i), i); err != nil {
						t.Error(err)
					}
				}
			})
			all.Go(func() {
				for last := range each {
					if err := db.Read(t.Context(), func(tx *store.Tx) error {
						return tx.QueryRowContext(t.Context(), "SELECT count(*) FROM things").Scan(&last)
					}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if n := count(t, db); n != writers*each {
			t.Fatalf("%d rows, want %d", n, writers*each)
		}
	})
}

func TestConnectionSettings(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "mind.db"), first)
	common := map[string]string{"journal_mode": "wal", "synchronous": "2", "busy_timeout": "5000", "foreign_keys": "1", "temp_store": "2",
		"wal_autocheckpoint": "1000", "trusted_schema": "0", "auto_vacuum": "2"}
	look := func(tx *store.Tx, want map[string]string) error {
		for name, value := range want {
			var got string
			if err := tx.QueryRowContext(t.Context(), "PRAGMA "+name).Scan(&got); err != nil {
				return err
			}
			if got != value {
				t.Errorf("%s is %s, want %s", name, got, value)
			}
		}
		return nil
	}
	err := errors.Join(
		db.Write(t.Context(), func(tx *store.Tx) error {
			return errors.Join(look(tx, common), look(tx, map[string]string{"query_only": "0", "cache_size": "-2048"}))
		}),
		db.Read(t.Context(), func(tx *store.Tx) error {
			return errors.Join(look(tx, common), look(tx, map[string]string{"query_only": "1", "cache_size": "-1024"}))
		}))
	if err != nil {
		t.Fatal(err)
	}
}

func TestNobodyElseMayRead(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	dir := t.TempDir()
	path := filepath.Join(dir, "mind.db")
	db := open(t, path, first)
	if err := insert(t.Context(), db, "a", 1); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		stat, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if mode := stat.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %#o", name, mode)
		}
	}
}

func TestClosed(t *testing.T) {
	places(t, func(t *testing.T, path string) {
		db := open(t, path, first)
		if err := errors.Join(db.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
		if err := insert(t.Context(), db, "a", 1); store.CodeOf(err) != store.CodeClosed {
			t.Fatalf("got %v", err)
		}
	})
}

func TestNoRowIsNoSentence(t *testing.T) {
	db := open(t, store.Memory, first)
	own := errors.New("the caller's own")
	if err := db.Read(t.Context(), func(*store.Tx) error { return own }); !errors.Is(err, own) || store.CodeOf(err) != "" {
		t.Fatalf("got %v", err)
	}
}

// TestVacuum: what was deleted is given back in steps of a MiB, and not to the last page.
func TestVacuum(t *testing.T) {
	db := open(t, t.TempDir()+"/mind.db", first)
	ctx := t.Context()
	change := func(query string) {
		t.Helper()
		if err := db.Exec(ctx, query); err != nil {
			t.Fatal(err)
		}
	}
	pages := func() (all int) {
		t.Helper()
		all, _, err := store.One(ctx, db, store.Value[int], "SELECT page_count FROM pragma_page_count")
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	change("WITH RECURSIVE some (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM some WHERE i < 2000) INSERT INTO things SELECT hex(randomblob(2000)), i FROM some")
	full := pages()
	if err := db.Vacuum(ctx); err != nil || pages() != full {
		t.Fatalf("with nothing free: %d pages of %d, %v", pages(), full, err)
	}
	change("DELETE FROM things WHERE n > 200")
	for steps := 1; ; steps++ {
		before := pages()
		if err := db.Vacuum(ctx); err != nil {
			t.Fatal(err)
		}
		after := pages()
		if after == before {
			if steps < 5 || after > full/2 {
				t.Errorf("%d pages of %d are left after %d steps", after, full, steps)
			}
			break
		}
		if before-after > 260 {
			t.Fatalf("%d pages in one step", before-after)
		}
	}
	if err := db.Check(ctx); err != nil {
		t.Error(err)
	}
}
