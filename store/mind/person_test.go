package mind_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestInputs(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	var want []subconscious.Command
	for _, command := range []subconscious.Command{
		{ID: 99, At: noon, Kind: subconscious.CommandNote, Text: "call the plumber", By: "person"},
		{At: noon.Add(time.Second), Kind: subconscious.CommandClose, Entry: "w-disk-1", Forever: true, By: "person"},
	} {
		kept, err := minds.Enqueue(t.Context(), command)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, kept)
	}
	if want[0].ID != 1 || want[1].ID != 2 {
		t.Fatalf("ids %d and %d", want[0].ID, want[1].ID)
	}
	pending, err := minds.Pending(t.Context())
	if diff := cmp.Diff(want, pending); diff != "" || err != nil {
		t.Fatal(err, diff)
	}
	c := next(load(t, minds))
	c.Consumed = map[int64]string{1: "noted"}
	commit(t, db, minds, c)
	if pending, err = minds.Pending(t.Context()); err != nil || !cmp.Equal(pending, want[1:]) {
		t.Fatal(pending, err)
	}
	for id, want := range map[int64]struct {
		text string
		ok   bool
	}{1: {"noted", true}, 2: {"", false}, 3: {"", false}} {
		if text, ok, err := store.One(t.Context(), db, store.Value[string], "SELECT done FROM mind_inputs WHERE id = ? AND done IS NOT NULL", id); text != want.text || ok != want.ok || err != nil {
			t.Errorf("%d: %q %v %v", id, text, ok, err)
		}
	}
	c = next(c.State)
	c.Consumed = map[int64]string{1: "again"}
	if err := tryCommit(t.Context(), db, minds, c); err == nil {
		t.Error("an input was consumed twice")
	}
}

func TestEnqueueIsBounded(t *testing.T) {
	minds, _ := newStore(t, store.Memory)
	good := subconscious.Command{At: noon, Kind: subconscious.CommandNote, Text: "x", By: "person"}
	for name, spoil := range map[string]func(*subconscious.Command){
		"kind":   func(c *subconscious.Command) { c.Kind = "explode" },
		"time":   func(c *subconscious.Command) { c.At = time.Time{} },
		"by":     func(c *subconscious.Command) { c.By = "" },
		"text":   func(c *subconscious.Command) { c.Text = strings.Repeat("x", 2001) },
		"utf-8":  func(c *subconscious.Command) { c.Text = "\xff" },
		"entry":  func(c *subconscious.Command) { c.Entry = subconscious.EntryID(strings.Repeat("x", 1001)) },
		"thread": func(c *subconscious.Command) { c.Thread = "\xff" },
	} {
		command := good
		spoil(&command)
		var plain *store.Error
		if _, err := minds.Enqueue(t.Context(), command); !errors.As(err, &plain) || plain.Code != store.CodeInput || plain.Next == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for i := range 1000 {
		if _, err := minds.Enqueue(t.Context(), good); err != nil {
			t.Fatal(i, err)
		}
	}
	if _, err := minds.Enqueue(t.Context(), good); store.CodeOf(err) != store.CodeInput {
		t.Errorf("the 1001st: %v", err)
	}
	for i := range 3 { // how a deliberation ended is never lost
		if _, err := minds.Enqueue(t.Context(), concluded("mail:a", subconscious.OutcomeDismissed)); err != nil {
			t.Fatal(i, err)
		}
	}
	if pending, err := minds.Pending(t.Context()); err != nil || len(pending) != 1003 || pending[1002].Outcome == nil {
		t.Errorf("%d wait, %v", len(pending), err)
	}
}

func TestPauseMetaAndNoticesSurviveARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mind.db")
	minds, db := newStore(t, path)
	until := noon.Add(time.Hour)
	blind := mind.Notice{NoticeKey: mind.NoticeKey{Code: "sense_blind", Key: "mail"}, At: noon, Text: "mail is blind", Next: "check the password"}
	again := blind
	again.At, again.Text = noon.Add(time.Minute), "mail is still blind"
	err := errors.Join(minds.SetPause(t.Context(), &mind.Pause{Until: until}), minds.SetMeta(t.Context(), "started", "then"), minds.SetMeta(t.Context(), "started", "now"))
	if err != nil {
		t.Fatal(err)
	}
	for i, notice := range []mind.Notice{blind, again} {
		if raised, err := minds.RaiseNotice(t.Context(), notice); err != nil || raised != (i == 0) {
			t.Errorf("raised %v: %v", raised, err)
		}
	}
	c := next(load(t, minds))
	c.Raise = []mind.Notice{{NoticeKey: mind.NoticeKey{Code: "disk_full"}, At: noon.Add(time.Hour), Text: "full"}}
	commit(t, db, minds, c)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	minds, db = newStore(t, path)
	pause, err := minds.Pause(t.Context())
	if err != nil || pause == nil || !pause.Until.Equal(until) || !pause.Active(noon) || pause.Active(until) {
		t.Errorf("pause %+v: %v", pause, err)
	}
	if value, ok, err := minds.Meta(t.Context(), "started"); value != "now" || !ok || err != nil {
		t.Errorf("meta %q %v %v", value, ok, err)
	}
	again.At = noon
	notices, err := minds.Notices(t.Context())
	if diff := cmp.Diff([]mind.Notice{again, c.Raise[0]}, notices); diff != "" || err != nil {
		t.Error(err, diff)
	}

	if err := minds.SetPause(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if pause, err = minds.Pause(t.Context()); pause.Active(noon) || pause != nil || err != nil {
		t.Errorf("pause %+v: %v", pause, err)
	}
	c = next(c.State)
	c.Resolve = []mind.NoticeKey{{Code: "disk_full"}, {Code: "unknown"}}
	commit(t, db, minds, c)
	for _, want := range []bool{true, false} {
		if resolved, err := minds.ResolveNotice(t.Context(), blind.NoticeKey); resolved != want || err != nil {
			t.Errorf("resolved %v: %v", resolved, err)
		}
	}
	if notices, err = minds.Notices(t.Context()); len(notices) != 0 || err != nil {
		t.Errorf("%v %v", notices, err)
	}
}

func TestPauseWithoutEnd(t *testing.T) {
	minds, _ := newStore(t, store.Memory)
	if err := minds.SetPause(t.Context(), &mind.Pause{}); err != nil {
		t.Fatal(err)
	}
	if pause, err := minds.Pause(t.Context()); err != nil || !pause.Active(noon.AddDate(9, 0, 0)) {
		t.Fatalf("%+v %v", pause, err)
	}
}

func TestLogAndLastEntry(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	last := func(id string) (subconscious.Entry, bool) {
		t.Helper()
		entry, ok, err := minds.LastEntry(t.Context(), subconscious.EntryID(id))
		if err != nil {
			t.Fatal(err)
		}
		return entry, ok
	}
	first := entry("w-disk-1")
	c := next(load(t, minds))
	c.State.Entries = []subconscious.Entry{first}
	c.Log = []mind.LogEntry{{Entry: "w-disk-1", Incident: "health:disk", Tick: 1, At: noon, What: "added", JSON: []byte(`{"to":3}`)}, {Entry: "other", Tick: 1, At: noon}}
	commit(t, db, minds, c)
	// Parked, changed and dropped, a tick each.
	parked := next(c.State)
	parked.State.Parked, parked.State.Entries = parked.State.Entries, nil
	commit(t, db, minds, parked)
	changed := next(parked.State)
	first.Strength = 1
	changed.State.Parked, changed.State.Entries = nil, []subconscious.Entry{first}
	commit(t, db, minds, changed)
	if got, ok := last("w-disk-1"); !ok || got.Strength != 1 {
		t.Fatalf("while it stands: %+v %v", got, ok)
	}
	gone := next(changed.State)
	gone.State.Entries = nil
	gone.Log = []mind.LogEntry{{Entry: "w-disk-1", Incident: "health:disk", Tick: 4, At: noon.Add(time.Hour), What: "dropped"}}
	commit(t, db, minds, gone)
	if got, ok := last("w-disk-1"); !ok || !cmp.Equal(got, first) {
		t.Fatalf("after it was dropped: %v %s", ok, cmp.Diff(first, got))
	}
	if _, ok := last("never"); ok {
		t.Error("an entry that never was")
	}
	log, err := minds.Log(t.Context(), "w-disk-1")
	if diff := cmp.Diff([]mind.LogEntry{c.Log[0], gone.Log[0]}, log); diff != "" || err != nil {
		t.Fatal(err, diff)
	}
}
