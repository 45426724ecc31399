package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/subconsciousd/subconsciousd/store"
)

// runChild is what the test program does when a test has started it again.
func runChild(what, path string) int {
	err := map[string]func(ctx context.Context, path string) error{
		"write":      childWrite,
		"file limit": childFileLimit,
		"count":      childCount,
		"migrate":    childMigrate,
	}[what](context.Background(), path)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func child(what, path string, env ...string) *exec.Cmd {
	command := exec.Command(os.Args[0], path)
	command.Env = append(append(os.Environ(), "STORE_TEST_CHILD="+what), env...)
	return command
}

func childWrite(ctx context.Context, path string) error {
	db, err := store.Open(ctx, store.Options{Path: path}, first)
	if err != nil {
		return err
	}
	return errors.Join(insert(ctx, db, "a", 1), db.Close())
}

func childMigrate(ctx context.Context, path string) error {
	db, err := store.Open(ctx, store.Options{Path: path}, first, second, other)
	if err != nil {
		return err
	}
	return db.Close()
}

// childFileLimit writes while the system lets no file grow, as a failing disk
// does, and again when it lets them.
func childFileLimit(ctx context.Context, path string) error {
	db, err := store.Open(ctx, store.Options{Path: path}, first)
	if err != nil {
		return err
	}
	defer db.Close()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	small := limit
	small.Cur = 16 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		return err
	}
	big := func(tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO things VALUES (hex(randomblob(100000)), 1)")
		return err
	}
	for range 3 {
		if err := db.Write(ctx, big); store.CodeOf(err) != store.CodeIO {
			return fmt.Errorf("with no room to write: %w", err)
		}
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := db.Write(ctx, big); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	return db.Check(ctx)
}

func TestUsableAfterTheDiskFailed(t *testing.T) {
	path := t.TempDir() + "/mind.db"
	if out, err := child("file limit", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if n := count(t, open(t, path, first)); n != 1 {
		t.Fatalf("%d rows, want the one that was committed", n)
	}
}
