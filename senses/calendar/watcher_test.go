package calendar

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/internal/watch"
)

// withWatcher ends the watcher with the sense that uses it.
type withWatcher struct {
	*Sense
	watcher *watch.Watcher
}

func (w *withWatcher) Stop(ctx context.Context) error {
	return errors.Join(w.Sense.Stop(ctx), w.watcher.Close())
}

// TestHints: a change of the file asks for an early tick.
func TestHints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sample.ics")
	replaceFile(t, path, calendarOf(""))
	watcher, err := watch.New(watch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sense, err := New(Config{ID: "sample", ICS: path}, Options{Watcher: watcher})
	if err != nil {
		t.Fatal(err)
	}
	s := &withWatcher{sense, watcher}
	defer func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if _, err := s.Collect(ctx, time.Now(), nil); err != nil {
		t.Fatal(err)
	}
	// The watch is set up in the background: change the file until it is seen.
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		replaceFile(t, path, calendarOf(""))
		select {
		case <-s.Hints():
			return
		case <-again.C:
		case <-ctx.Done():
			t.Fatal("no hint after 20 s of changes")
		}
	}
}

func TestNoWatcherNoHints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sample.ics")
	testutil.Write(t, path, calendarOf(""))
	s, err := New(Config{ID: "sample", ICS: path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Hints() != nil {
		t.Fatal("hints without a watcher")
	}
	if err := s.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
}
