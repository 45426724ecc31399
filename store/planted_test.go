package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/subconsciousd/subconsciousd/store"
)

// What others may have put beside or in the place of the database is refused; in
// the twin, without the guard, it is used.
func TestPlantedFiles(t *testing.T) {
	for name, plant := range map[string]func(path, elsewhere string) error{
		"a link that leads nowhere": func(path, elsewhere string) error {
			return errors.Join(os.Remove(path), os.Symlink(filepath.Join(elsewhere, "other.db"), path))
		},
		"a link": func(path, elsewhere string) error {
			there := filepath.Join(elsewhere, "other.db")
			return errors.Join(os.Rename(path, there), os.Symlink(there, path))
		},
		"a second name": func(path, elsewhere string) error { return os.Link(path, filepath.Join(elsewhere, "other.db")) },
		"a log with a second name": func(path, elsewhere string) error {
			return errors.Join(os.WriteFile(path+"-wal", nil, 0o600), os.Link(path+"-wal", filepath.Join(elsewhere, "log")))
		},
		"a journal with a second name": func(path, elsewhere string) error {
			return errors.Join(os.WriteFile(path+"-journal", nil, 0o600), os.Link(path+"-journal", filepath.Join(elsewhere, "journal")))
		},
		"backups elsewhere": func(path, elsewhere string) error {
			return os.Symlink(elsewhere, filepath.Join(filepath.Dir(path), "backups"))
		},
		"backups of others": func(path, _ string) error {
			backups := filepath.Join(filepath.Dir(path), "backups")
			return errors.Join(os.Mkdir(backups, 0o700), os.Chmod(backups, 0o770))
		},
		"a backup with a second name": func(path, elsewhere string) error {
			backup := filepath.Join(filepath.Dir(path), "backups", "mind-before-v2-x.db")
			return errors.Join(os.Mkdir(filepath.Dir(backup), 0o700), os.WriteFile(backup, nil, 0o600), os.Link(backup, filepath.Join(elsewhere, "backup")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path, elsewhere := fixture(t), t.TempDir()
			if err := plant(path, elsewhere); err != nil {
				t.Fatal(err)
			}
			before, _ := filepath.Glob(filepath.Join(elsewhere, "*"))
			_, err := store.Open(t.Context(), store.Options{Path: path}, first)
			if store.CodeOf(err) != store.CodeFolder {
				t.Errorf("got %v", err)
			}
			if err := store.CheckFile(t.Context(), path); store.CodeOf(err) != store.CodeFolder {
				t.Errorf("the check says %v", err)
			}
			if after, _ := filepath.Glob(filepath.Join(elsewhere, "*")); len(after) != len(before) {
				t.Errorf("made elsewhere: %q", after)
			}
			twin, err := store.Open(t.Context(), store.Credulous(store.Options{Path: path}), first)
			if err != nil {
				t.Fatal("the twin:", err)
			}
			if err := twin.Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(elsewhere, "other.db")); name == "a link that leads nowhere" && errors.Is(err, fs.ErrNotExist) {
				t.Error("without the guard the database is not elsewhere either")
			}
		})
	}
}
