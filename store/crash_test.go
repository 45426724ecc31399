//go:build failpoints

package store_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
)

// The crash tests need the points that fail on purpose:
// go test -tags failpoints ./store/...

// counters must always be equal: each write adds one to both.
var counters = store.Migration{Package: "test", Version: 1, SQL: `
	CREATE TABLE a (n INTEGER); INSERT INTO a VALUES (0);
	CREATE TABLE b (n INTEGER, filler BLOB); INSERT INTO b (n) VALUES (0)`}

// childCount counts and says each number once it is committed, until it is
// killed.
func childCount(ctx context.Context, path string) error {
	db, err := store.Open(ctx, store.Options{Path: path}, counters)
	if err != nil {
		return err
	}
	for range 200 {
		var n int
		if err := db.Write(ctx, func(tx *store.Tx) error {
			if _, err := tx.ExecContext(ctx, "UPDATE a SET n = n + 1"); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "UPDATE b SET n = n + 1, filler = randomblob(20000)"); err != nil {
				return err
			}
			return tx.QueryRowContext(ctx, "SELECT n FROM a").Scan(&n)
		}); err != nil {
			return err
		}
		fmt.Println(n)
	}
	return db.Close()
}

func TestKilledWhileWriting(t *testing.T) {
	path := t.TempDir() + "/mind.db"
	said, kills := 0, 0
	for round := range 25 {
		output, dead := testutil.Killed(t, child("count", path,
			"SUBCONSCIOUS_FAILPOINTS=store.begun=kill@0.03;store.commit=kill@0.03;store.committed=kill@0.03;store.migrate=kill@0.3;store.migrated=kill@0.3",
			"SUBCONSCIOUS_FAILPOINTS_SEED="+strconv.Itoa(round+1)))
		if dead {
			kills++
		}
		for lines := bufio.NewScanner(bytes.NewReader(output)); lines.Scan(); {
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatal(err)
			}
			said = n
		}
		db := open(t, path, counters)
		var a, b int
		if err := db.Read(t.Context(), func(tx *store.Tx) error {
			return tx.QueryRowContext(t.Context(), "SELECT a.n, b.n FROM a, b").Scan(&a, &b)
		}); err != nil {
			t.Fatal(err)
		}
		if a != b || a < said || a > said+1 {
			t.Fatalf("round %d: the counters are %d and %d, and %d was said", round, a, b, said)
		}
		said = a
		if err := errors.Join(db.Check(t.Context()), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if kills < 15 {
		t.Fatalf("only %d of the children were killed", kills)
	}
}

func TestKilledWhileMigrating(t *testing.T) {
	for _, point := range []string{"store.backup", "store.migrate", "store.migrated"} {
		path := fixture(t)
		command := child("migrate", path, "SUBCONSCIOUS_FAILPOINTS="+point+"=kill")
		if output, dead := testutil.Killed(t, command); !dead {
			t.Fatalf("%s: it lived: %s", point, output)
		}
		if n := sum(t, open(t, path, first, second, other)); n != 30 {
			t.Errorf("%s: the sum is %d, want 30", point, n)
		}
		for _, kept := range backups(t, path) {
			if strings.HasSuffix(kept, ".part") {
				t.Errorf("%s: half a backup stays: %s", point, kept)
			}
			if n := sum(t, open(t, kept, first)); n != 3 {
				t.Errorf("%s: in the backup the sum is %d, want 3", point, n)
			}
		}
	}
}

func TestFailpointsRollBack(t *testing.T) {
	for _, point := range []string{"store.begun", "store.commit"} {
		places(t, func(t *testing.T, path string) {
			db := open(t, path, first)
			restore, err := failpoint.Set(point+"=error*1", "")
			if err != nil {
				t.Fatal(err)
			}
			defer restore()
			if err := insert(t.Context(), db, "lost", 1); err == nil {
				t.Fatal("no error")
			}
			if n := count(t, db); n != 0 {
				t.Fatalf("%s: %d rows", point, n)
			}
		})
	}
}
