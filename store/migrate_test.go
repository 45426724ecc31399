package store_test

import (
	"bytes"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
)

var update = flag.Bool("update", false, "write the files of testdata again")

// The migrations of later programs. The fixture testdata/v1.db has the first
// alone, and two rows.
var (
	second = store.Migration{Package: "test", Version: 2, SQL: "ALTER TABLE things ADD COLUMN added TEXT DEFAULT 'yes'; UPDATE things SET n = n * 10;"}
	other  = store.Migration{Package: "other", Version: 1, SQL: "CREATE TABLE others (id INTEGER PRIMARY KEY)"}
)

func fixture(t *testing.T) (path string) {
	t.Helper()
	const source = "testdata/v1.db"
	if *update {
		if err := os.Remove(source); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		db := open(t, source, first)
		if err := errors.Join(insert(t.Context(), db, "a", 1), insert(t.Context(), db, "b", 2), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	content := testutil.Read(t, source)
	path = filepath.Join(t.TempDir(), "mind.db")
	testutil.Write(t, path, content)
	return path
}

func sum(t *testing.T, db *store.DB) (n int) {
	t.Helper()
	if err := db.Read(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRowContext(t.Context(), "SELECT sum(n) FROM things").Scan(&n)
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

func backups(t *testing.T, path string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "backups", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestMigrateFromTheFirstVersion(t *testing.T) {
	path := fixture(t)
	db := open(t, path, first, second, other)
	if n := sum(t, db); n != 30 {
		t.Errorf("the sum is %d, want 30", n)
	}
	kept := backups(t, path)
	if len(kept) != 1 || !strings.HasPrefix(filepath.Base(kept[0]), "mind-before-v3-") {
		t.Fatalf("backups: %q", kept)
	}
	for name, want := range map[string]os.FileMode{kept[0]: 0o600, filepath.Dir(kept[0]): 0o700} {
		if stat, err := os.Stat(name); err != nil || stat.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, stat.Mode(), err)
		}
	}
	if n := sum(t, open(t, kept[0], first)); n != 3 {
		t.Errorf("in the backup the sum is %d, want 3", n)
	}
}

// TestMigrationsLeaveNothingBehind: neither what they drop nor what earlier versions
// dropped is in the file after.
func TestMigrationsLeaveNothingBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mind.db")
	const fill = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO "
	whole := store.Migration{Package: "test", Version: 2, SQL: "CREATE TABLE old (v TEXT); " + fill + "old SELECT 'quicksilver ' || i FROM n; " +
		"CREATE TABLE new (v TEXT); " + fill + "new SELECT 'xylophonist ' || i FROM n;"}
	if err := open(t, path, first, whole).Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := raw.Exec("PRAGMA secure_delete=0; DROP TABLE old"); err != nil {
		t.Fatal(err)
	}
	if err := raw.Close(); err != nil {
		t.Fatal(err)
	}
	if before := string(testutil.Read(t, path)); !strings.Contains(before, "quicksilver") || !strings.Contains(before, "xylophonist") {
		t.Fatal("the words are not there before: the test sees nothing")
	}
	if err := open(t, path, first, whole, store.Migration{Package: "test", Version: 3, SQL: "DROP TABLE new"}).Close(); err != nil {
		t.Fatal(err)
	}
	if after := string(testutil.Read(t, path)); strings.Contains(after, "quicksilver") || strings.Contains(after, "xylophonist") {
		t.Errorf("they are there after: %d and %d times", strings.Count(after, "quicksilver"), strings.Count(after, "xylophonist"))
	}
}

func TestNothingPendingMakesNoBackup(t *testing.T) {
	path := fixture(t)
	for range 2 {
		if err := open(t, path, first).Close(); err != nil {
			t.Fatal(err)
		}
	}
	if kept := backups(t, path); len(kept) != 0 {
		t.Fatalf("backups: %q", kept)
	}
}

func TestFiveBackupsAreKept(t *testing.T) {
	path := fixture(t)
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	migrations := []store.Migration{first}
	for version := 2; version <= 9; version++ {
		migrations = append(migrations, store.Migration{Package: "test", Version: version, SQL: fmt.Sprintf("CREATE TABLE t%d (n)", version)})
		at = at.Add(time.Hour)
		db, err := store.Open(t.Context(), store.Options{Path: path, Now: func() time.Time { return at }}, migrations...)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	kept := backups(t, path)
	if len(kept) != 5 || !strings.Contains(kept[0], "before-v5-20260302T160000") {
		t.Fatalf("backups: %q", kept)
	}
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	broken := store.Migration{Package: "other", Version: 1, SQL: "CREATE TABLE others (id); INSERT INTO nowhere VALUES (1)"}
	path := fixture(t)
	if err := unmigrated(t, path, first, second, broken); store.CodeOf(err) != store.CodeMigration || !strings.Contains(err.Error(), "version 1 of other") {
		t.Fatalf("got %v", err)
	}
}

// unmigrated wants migrations to fail, and all to be as it was before them.
func unmigrated(t *testing.T, path string, migrations ...store.Migration) error {
	t.Helper()
	_, err := store.Open(t.Context(), store.Options{Path: path}, migrations...)
	if err == nil {
		t.Fatal("it is migrated")
	}
	if n := sum(t, open(t, path, first)); n != 3 {
		t.Errorf("the sum is %d, want 3", n)
	}
	return err
}

func TestNoBackupNoMigration(t *testing.T) {
	path := fixture(t)
	testutil.Write(t, filepath.Join(filepath.Dir(path), "backups"), "")
	if err := unmigrated(t, path, first, second); !strings.Contains(err.Error(), "back up") {
		t.Fatalf("got %v", err)
	}
}

func TestMigrationsCountUp(t *testing.T) {
	for _, bad := range [][]store.Migration{{second}, {first, first}, {second, first}, {{Package: "test", Version: 1}}, {{Version: 1, SQL: "SELECT 1"}}} {
		if _, err := store.Open(t.Context(), store.Options{Path: store.Memory}, bad...); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

// tree returns every file under dir with its content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		content := "folder"
		if !entry.IsDir() {
			raw := testutil.Read(t, filepath.Join(dir, entry.Name()))
			content = string(raw)
		}
		files[entry.Name()] = content
	}
	return files
}

// refused opens the database at path with migrations and wants the code, and
// every file as it was.
func refused(t *testing.T, path string, code store.Code, words []string, migrations ...store.Migration) {
	t.Helper()
	before := tree(t, filepath.Dir(path))
	_, err := store.Open(t.Context(), store.Options{Path: path}, migrations...)
	var plain *store.Error
	if !errors.As(err, &plain) || plain.Code != code || plain.Next == "" {
		t.Fatalf("got %v", err)
	}
	for _, word := range append(words, path) {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q is not in: %v", word, err)
		}
	}
	if diff := cmp.Diff(before, tree(t, filepath.Dir(path))); diff != "" {
		t.Errorf("files changed: %s", diff)
	}
}

func TestNewerIsRefusedUntouched(t *testing.T) {
	words := []string{"newer version", "schema 3", "schema 1", "backups"}
	t.Run("closed", func(t *testing.T) {
		path := fixture(t)
		if err := open(t, path, first, second, other).Close(); err != nil {
			t.Fatal(err)
		}
		refused(t, path, store.CodeNewer, words, first)
	})
	t.Run("crashed", func(t *testing.T) {
		path := fixture(t)
		db := open(t, path, first, second, other)
		if err := insert(t.Context(), db, "in the log alone", 1); err != nil {
			t.Fatal(err)
		}
		// As a crash leaves them: the log is full and nobody has it open.
		copied := filepath.Join(t.TempDir(), "mind.db")
		for _, suffix := range []string{"", "-wal"} {
			content, err := os.ReadFile(path + suffix)
			if err != nil || len(content) == 0 {
				t.Fatalf("%d bytes of mind.db%s: %v", len(content), suffix, err)
			}
			testutil.Write(t, copied+suffix, content)
		}
		refused(t, copied, store.CodeNewer, words, first)
		if n := sum(t, open(t, copied, first, second, other)); n != 31 {
			t.Errorf("the newer program reads %d, want 31", n)
		}
	})
	t.Run("other package", func(t *testing.T) {
		path := fixture(t)
		if err := open(t, path, first, other).Close(); err != nil {
			t.Fatal(err)
		}
		refused(t, path, store.CodeNewer, []string{"version 1 of other"}, first, second)
	})
}

func TestForeignFilesAreRefusedUntouched(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.db")
	raw, err := sql.Open("sqlite", foreign)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := raw.Exec("PRAGMA application_id=7; CREATE TABLE things (n)"); err != nil {
		t.Fatal(err)
	}
	if err := raw.Close(); err != nil {
		t.Fatal(err)
	}
	refused(t, foreign, store.CodeForeign, []string{"another program", "0x7"}, first)
	for name, content := range map[string][]byte{"text": []byte("Dear diary"), "long": bytes.Repeat([]byte("x"), 8192), "cut": []byte("SQLite format 3\x00")} {
		path := filepath.Join(dir, name)
		testutil.Write(t, path, content)
		refused(t, path, store.CodeNotADB, []string{"not a database"}, first)
	}
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	refused(t, folder, store.CodeNotADB, nil, first)
}

func TestAnEmptyFileIsANewDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mind.db")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if n := count(t, open(t, path, first)); n != 0 {
		t.Fatal(n)
	}
	if kept := backups(t, path); len(kept) != 0 {
		t.Errorf("backups of nothing: %q", kept)
	}
}

func TestCheckFindsDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mind.db")
	db := open(t, path, first)
	for i := range 500 {
		if err := insert(t.Context(), db, fmt.Sprintf("%0100d", i), i); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	for page := int64(5); page < 12; page++ {
		if _, err := file.WriteAt(bytes.Repeat([]byte{0xa5}, 600), page*4096); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, path, first).Check(t.Context()); store.CodeOf(err) != store.CodeCorrupt || !strings.Contains(err.Error(), "backup") {
		t.Fatalf("got %v", err)
	}
}

func TestCheckFindsOrphans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mind.db")
	family := store.Migration{Package: "test", Version: 1, SQL: `
		CREATE TABLE parents (id INTEGER PRIMARY KEY);
		CREATE TABLE children (parent INTEGER REFERENCES parents (id))`}
	orphan := func(tx *store.Tx) error {
		_, err := tx.ExecContext(t.Context(), "INSERT INTO children VALUES (7)")
		return err
	}
	db := open(t, path, family)
	if err := errors.Join(db.Check(t.Context()), db.Close()); err != nil {
		t.Fatal(err)
	}
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := raw.Exec("INSERT INTO children VALUES (7)"); err != nil {
		t.Fatal(err)
	}
	if err := raw.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, path, family)
	if err := db.Check(t.Context()); store.CodeOf(err) != store.CodeCorrupt || !strings.Contains(err.Error(), "children has no row in parents") {
		t.Errorf("got %v", err)
	}
	if err := db.Write(t.Context(), orphan); err == nil {
		t.Error("a second orphan was committed")
	}
}
