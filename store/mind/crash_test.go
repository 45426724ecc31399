//go:build failpoints

package mind_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
)

// The crash tests need the points that fail on purpose:
// go test -tags failpoints ./store/...

// childTick is a small daemon: it locks the folder, recovers, and ticks until
// it is killed. It says what is committed and what is published.
func childTick(ctx context.Context, dir string) error {
	lock, err := mind.LockDir(dir, noon)
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, store.Options{Path: filepath.Join(dir, "mind.db")}, mind.Migrations()...)
	if err != nil {
		return err
	}
	minds := mind.New(db)
	publisher := mind.NewPublisher(dir, minds, nil)
	if there, err := publisher.Foreign(ctx); err != nil {
		return err
	} else if there != nil {
		if _, err := publisher.SetAside(noon); err != nil {
			return err
		}
	}
	if _, err := publisher.Recover(ctx); err != nil {
		return err
	}
	state, err := minds.Load(ctx)
	if err != nil {
		return err
	}
	fmt.Println("published", state.TickCount)
	for range 40 {
		c := next(state)
		one := entry(fmt.Sprint("w-x-", c.Record.Tick))
		c.State.Entries = append(c.State.Entries[max(0, len(c.State.Entries)-3):], one)
		c.Log = []mind.LogEntry{{Entry: one.ID, Tick: c.Record.Tick, At: c.Record.At, What: "added"}}
		if err := tryCommit(ctx, db, minds, c); err != nil {
			return err
		}
		fmt.Println("committed", c.Record.Tick)
		if _, err := publisher.Publish(ctx, c.Record.Tick, c.Published); err != nil {
			return err
		}
		fmt.Println("published", c.Record.Tick)
		state = c.State
	}
	return errors.Join(db.Close(), lock.Unlock())
}

const points = "store.begun=kill@0.01;mind.commit=kill@0.01;store.commit=kill@0.01;store.committed=kill@0.01;publish.written=kill@0.01;" +
	"publish.rename=kill@0.01;publish.renamed=kill@0.01;publish.aside=kill@0.5"

// ending runs the small daemon and returns the highest tick that it said was
// committed and published.
func ending(t *testing.T, dir string, seed int) (committed, published int64, dead bool) {
	t.Helper()
	output, dead := testutil.Killed(t, child("tick", dir, "SUBCONSCIOUS_FAILPOINTS="+points, "SUBCONSCIOUS_FAILPOINTS_SEED="+strconv.Itoa(seed)))
	for line := range strings.Lines(string(output)) {
		var what string
		var tick int64
		if _, err := fmt.Sscan(line, &what, &tick); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		switch what {
		case "committed":
			committed = max(committed, tick)
		case "published":
			published = max(published, tick)
		}
	}
	return committed, published, dead
}

func TestKilledAtAnyMoment(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mind")
	path := filepath.Join(dir, mind.DocumentName)
	var lastCommitted, lastPublished int64
	kills, edits := 0, map[string]bool{}
	for round := range 30 {
		committed, published, dead := ending(t, dir, round+1)
		if dead {
			kills++
		}
		lastCommitted, lastPublished = max(lastCommitted, committed), max(lastPublished, published)
		lastCommitted = inspect(t, dir, lastCommitted, lastPublished)
		if round%5 == 4 {
			// What the person overwrites is not for the daemon to keep.
			if there, err := os.ReadFile(path); err == nil {
				delete(edits, string(there))
			}
			edit := fmt.Sprint("edit ", round)
			edits[edit] = true
			testutil.Write(t, path, edit)
		}
	}
	if kills < 15 {
		t.Errorf("only %d of the daemons were killed", kills)
	}
	names, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		content := testutil.Read(t, name)
		if name != path && !strings.HasPrefix(string(content), "edit ") {
			t.Errorf("set aside although it is ours: %s", content)
		}
		delete(edits, string(content))
	}
	if len(edits) > 0 {
		t.Errorf("lost: %v", edits)
	}
}

// inspect wants nothing lost that was said, and the published file to be a
// whole committed version (or the person's edit), not older than one that was
// said to be published. It returns the newest committed tick.
func inspect(t *testing.T, dir string, committed, published int64) int64 {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Path: filepath.Join(dir, "mind.db")}, mind.Migrations()...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(db.Check(t.Context()), db.Close()); err != nil {
			t.Fatal(err)
		}
	}()
	minds := mind.New(db)
	state := load(t, minds)
	if state.TickCount < committed || state.TickCount > committed+1 {
		t.Fatalf("%d ticks are there, %d were said to be committed", state.TickCount, committed)
	}
	for _, one := range state.Entries {
		if log, err := minds.Log(t.Context(), one.ID); err != nil || len(log) != 1 {
			t.Fatalf("the log of %s has %d lines: %v", one.ID, len(log), err)
		}
	}
	there, err := os.ReadFile(filepath.Join(dir, mind.DocumentName))
	if errors.Is(err, os.ErrNotExist) && published == 0 || strings.HasPrefix(string(there), "edit ") {
		return state.TickCount
	}
	var doc struct {
		TickCount int64 `json:"tick_count"`
	}
	if err != nil || json.Unmarshal(there, &doc) != nil || !bytes.Equal(there, document(doc.TickCount)) {
		t.Fatalf("the document is %q: %v", there, err)
	}
	if doc.TickCount < published || doc.TickCount > state.TickCount {
		t.Fatalf("the document is of tick %d; %d was published and %d committed", doc.TickCount, published, state.TickCount)
	}
	return state.TickCount
}

// A failure between any two steps of publishing leaves a whole version, no
// temporary file, and the next publishing works.
func TestPublishFailsBetweenItsSteps(t *testing.T) {
	for _, point := range []string{"publish.written", "publish.aside", "publish.rename", "publish.renamed"} {
		h := newHouse(t)
		h.publish(t, h.tick(t, 0))
		h.put(t, "mine")
		restore, err := failpoint.Set(point+"=error*1", "")
		if err != nil {
			t.Fatal(err)
		}
		c := h.tick(t, 0)
		_, err = h.publisher.Foreign(t.Context())
		if err == nil {
			_, err = h.publisher.SetAside(noon)
		}
		if err == nil {
			_, err = h.publisher.Publish(t.Context(), c.Record.Tick, c.Published)
		}
		if err == nil {
			t.Errorf("%s: no error", point)
		}
		restore()
		if there, err := os.ReadFile(h.path); err != nil || string(there) != "mine" && !bytes.Equal(there, c.Published) {
			t.Errorf("%s: the document is %q: %v", point, there, err)
		}
		if left, err := filepath.Glob(filepath.Join(h.dir, ".*")); err != nil || len(left) != 0 {
			t.Errorf("%s: left behind: %q %v", point, left, err)
		}
		h.publish(t, h.tick(t, 0))
		if kept := h.rejected(t); len(kept) == 0 || kept[0] != "mine" {
			t.Errorf("%s: set aside: %q", point, kept)
		}
	}
}
