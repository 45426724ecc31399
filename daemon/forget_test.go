package daemon_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/backup"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
)

// TestForgottenIsNowhere: what models were shown of a memory, in prompts and by tools, goes
// with it; every file of the state folder and every packed column is searched. A backup
// from before and its database in the old one's place do not bring it back.
func TestForgottenIsNowhere(t *testing.T) {
	w := newWorld(t)
	w.options.Config.Backup.Folder = testutil.Folder(t)
	w.deliberating(oneByOne(calls("search_memory", `{"words":"authorized_keys quicksilver"}`),
		calls("remember", `{"text":"Nora keeps her authorized_keys below the quicksilver pot.","kind":"fact","reason":"it may be of use"}`),
		calls("dismiss", `{"reason":"Nora has done it"}`)))
	w.begin()
	w.tick()
	kept, err := w.d.AddMemory(t.Context(), api.MemoryAddition{Text: "Nora keeps her authorized_keys below the quicksilver pot."})
	if err != nil {
		t.Fatal(err)
	}
	testutil.Write(t, filepath.Join(w.files, "authorized_keys"), "key")
	w.tick()
	w.concluded()
	before := asJSON(t, w.lastDeliberation())
	if strings.Count(before, "quicksilver") < 4 || !strings.Contains(before, kept.ID) {
		t.Fatalf("the model was shown nothing of it, or has not made anything of it: %s", before)
	}
	made, err := backup.Make(t.Context(), backup.Options{StateDir: w.state, Path: w.options.Config.Backup.Folder, At: w.clock.now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.d.ForgetMemory(t.Context(), api.MemoryForget{ID: kept.ID}); err != nil {
		t.Fatal(err)
	}
	after := w.lastDeliberation()
	if shown := asJSON(t, after); strings.Contains(shown, "quicksilver") || strings.Count(shown, "forgotten; SHA-256 ") < 4 || len(after.Rounds) != 3 {
		t.Errorf("its record is %s", shown)
	}
	nowhere := func(when string) {
		t.Helper()
		if found := occurrences(t, w.state, "quicksilver"); len(found) > 0 {
			t.Errorf("%s: %q", when, found)
		}
	}
	w.stop()
	nowhere("after it was forgotten")

	if _, err := backup.Restore(t.Context(), backup.RestoreOptions{Path: made.Path, StateDir: w.state, At: w.clock.now}); err != nil {
		t.Fatal(err)
	}
	nowhere("after a backup from before was restored")
	w.begin()
	if left := w.remembered(); len(left) > 0 {
		t.Errorf("it is there again: %q", left)
	}
	w.stop()
	nowhere("after a start")
	if done, err := backup.Forget(t.Context(), w.state, []string{made.Path}); err != nil || len(done.Written) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	elsewhere := filepath.Join(testutil.Folder(t), "state")
	if _, err := backup.Restore(t.Context(), backup.RestoreOptions{Path: made.Path, StateDir: elsewhere, At: w.clock.now}); err != nil {
		t.Fatal(err)
	}
	if found := occurrences(t, elsewhere, "quicksilver"); len(found) > 0 {
		t.Errorf("the backup that was written anew has %q", found)
	}
}

// remembered are the ids of what is remembered.
func (w *world) remembered() (ids []string) {
	w.query("SELECT id FROM memory_records", func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids
}

// occurrences are the files below a folder, and the columns of its database, that hold a
// word; packed ones are unpacked.
func occurrences(t *testing.T, folder, word string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), word) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	db := opened(t, filepath.Join(folder, "mind.db"))
	defer db.Close()
	for _, one := range tablesOf(t, db) {
		for _, column := range one.columns {
			rows, err := db.Query(fmt.Sprintf("SELECT CAST(%s AS BLOB) FROM %s", column, one.name))
			if err != nil {
				t.Fatal(err)
			}
			for rows.Next() {
				var value []byte
				if err := rows.Scan(&value); err != nil {
					t.Fatal(err)
				}
				if raw, err := store.Unpack(value, nil); err == nil && strings.Contains(string(raw), word) || strings.Contains(string(value), word) {
					found = append(found, one.name+"."+column)
				}
			}
			if err := rows.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return found
}
