package store_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
)

func TestCheckFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mind.db")
	if err := store.CheckFile(t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	db, err := store.Open(t.Context(), store.Options{Path: path}, store.Migration{Package: "test", Version: 1, SQL: "CREATE TABLE words (word TEXT)"})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.CheckFile(t.Context(), path); err != nil {
		t.Errorf("while it is open: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before := testutil.Read(t, path)
	if err := store.CheckFile(t.Context(), path); err != nil {
		t.Errorf("of a newer version than is known here: %v", err)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the check changed the file: %v", err)
	}
	testutil.Write(t, path, append(before[:len(before)-4096], bytes.Repeat([]byte{0x5a}, 4096)...))
	if err := store.CheckFile(t.Context(), path); err == nil {
		t.Error("damage is not found")
	}
	testutil.Write(t, path, "no database at all, whatever its name says")
	if err := store.CheckFile(t.Context(), path); store.CodeOf(err) == "" {
		t.Errorf("a file of another kind: %v", err)
	}
}
