package backup_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/backup"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestEachDay looks at a clock in Berlin, an hour ahead of the names.
func TestEachDay(t *testing.T) {
	folder, berlin := testutil.Folder(t), testutil.Zone(t, "Europe/Berlin")
	testutil.Write(t, filepath.Join(folder, "mine.tar.gz"), "")
	for _, name := range []string{"subconscious-21000101T000000Z.tar.gz", "subconscious-21000102T000000Z.tar.gz"} {
		testutil.Write(t, filepath.Join(folder, name), "of a clock that was ahead")
	}
	var now time.Time
	var failed error
	dir := aMind(t, backup.Migrations())
	keeper := &backup.Keeper{Config: backup.Config{Folder: folder, Keep: 2, At: "03:30"}, StateDir: dir, Mind: opened(t, dir),
		Now: func() time.Time { return now.In(berlin) }, Logger: slog.New(slog.DiscardHandler), Ended: func(_ context.Context, err error) { failed = err },
		Checked: func(context.Context, subconscious.Backups) {}}
	for _, test := range []struct {
		at   string // in Berlin
		want string // the hours of what is there then
	}{
		{"2026-01-05 12:00", "05T11"}, // at once, as there is none but of the future
		{"2026-01-05 12:01", "05T11"},
		{"2026-01-06 03:29", "05T11"},       // not yet
		{"2026-01-06 03:30", "05T11 06T02"}, // due
		{"2026-01-06 23:59", "05T11 06T02"},
		{"2026-01-09 20:00", "06T02 09T19"}, // missed for days: one makes up for all
		{"2026-01-09 20:01", "06T02 09T19"},
		{"2026-01-10 04:00", "09T19 10T03"},
	} {
		var err error
		if now, err = time.ParseInLocation("2006-01-02 15:04", test.at, berlin); err != nil {
			t.Fatal(err)
		}
		if err := keeper.Look(t.Context()); err != nil || failed != nil {
			t.Fatalf("%s: %v, %v", test.at, err, failed)
		}
		var got []string
		for _, name := range tree(t, folder) {
			if hour, ok := strings.CutPrefix(name, "subconscious-202601"); ok {
				got = append(got, hour[:5])
			}
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.at, got, test.want)
		}
	}
	if !slices.Contains(tree(t, folder), "mine.tar.gz") {
		t.Error("it removed what is not its own")
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	now = now.Add(24 * time.Hour)
	if err := keeper.Look(t.Context()); err == nil || failed == nil || !strings.Contains(fmt.Sprint(failed), "there is no folder "+folder) {
		t.Errorf("without its folder: %v, %v", err, failed)
	}
}

// opened is the mind of a state folder, as its daemon has it.
func opened(t *testing.T, dir string) *mind.Store {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Path: filepath.Join(dir, "mind.db")}, backup.Migrations()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return mind.New(db)
}

// TestEachMonth: the newest backup is restored aside once a month, across restarts, and
// each day while that fails.
func TestEachMonth(t *testing.T) {
	recipient, key := aKey(t)
	_, other := aKey(t)
	type step struct {
		after  time.Duration
		breaks func(t *testing.T, path string) // does something to the newest first
		checks bool
		whole  bool   // it was restored aside
		fails  string // what is said
	}
	cut := func(t *testing.T, path string) {
		text := testutil.Read(t, path)
		testutil.Write(t, path, text[:len(text)-20])
	}
	spoil := func(t *testing.T, path string) {
		text := testutil.Read(t, path)
		text[len(text)-20] ^= 1
		testutil.Write(t, path, text)
	}
	const day = 24 * time.Hour
	for name, test := range map[string]struct {
		config backup.Config
		steps  []step
	}{
		"plain": {backup.Config{}, []step{
			{0, nil, true, true, ""},
			{29 * day, cut, false, true, ""}, // not yet looked at
			{day, cut, true, false, "is cut off"},
			{time.Hour, nil, false, false, "is cut off"},
			{day, nil, true, true, ""}, // the next one is whole
			{30 * day, spoil, true, false, "is damaged"},
			{-90 * day, nil, true, true, ""}, // the clock was ahead
		}},
		"encrypted, its key elsewhere": {backup.Config{Recipient: recipient}, []step{
			{0, nil, true, false, ""},
			{30 * day, spoil, true, false, "its SHA-256 is another than when it was made"},
			{day, func(t *testing.T, path string) { testutil.Write(t, path, "age-encryption.org/v1\nno header") }, true, false, "it is not as it was made"},
			{day, nil, true, false, ""},
		}},
		"encrypted, its key here":           {backup.Config{Recipient: recipient, Identity: key}, []step{{0, nil, true, true, ""}, {30 * day, cut, true, false, "damaged"}}},
		"encrypted, the key of another":     {backup.Config{Recipient: recipient, Identity: other}, []step{{0, nil, true, false, "another key than the one in"}}},
		"encrypted, its key cannot be read": {backup.Config{Recipient: recipient, Identity: key + "x"}, []step{{0, nil, true, false, "cannot be read"}}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := aMind(t, backup.Migrations(), waiting)
			test.config.Folder, test.config.Keep, test.config.At = testutil.Folder(t), 3, "03:30"
			now, told := made, 0
			kept := opened(t, dir)
			for i, s := range test.steps {
				now = now.Add(s.after)
				told = 0
				keeper := &backup.Keeper{Config: test.config, StateDir: dir, Mind: kept, Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler),
					Ended: func(_ context.Context, err error) {
						if err != nil {
							t.Error(err)
						}
					},
					Checked: func(context.Context, subconscious.Backups) { told++ }}
				look := func() {
					if err := keeper.Look(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				look() // makes one, if one is due
				if told != 0 && i == 0 {
					t.Error("it was checked with what was made")
				}
				books, err := kept.Backups(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if s.breaks != nil && told == 0 {
					s.breaks(t, filepath.Join(test.config.Folder, books.Made))
				}
				look()
				if books, err = kept.Backups(t.Context()); err != nil {
					t.Fatal(err)
				}
				if (told == 1) != s.checks || books.Restored != s.whole || !strings.Contains(books.Error, s.fails) || (books.Error == "") != (s.fails == "") || (books.Next == "") != (s.fails == "") {
					t.Errorf("step %d: checked %d times; %+v", i+1, told, books)
				}
				if left := strings.Join(tree(t, dir), " "); strings.Contains(left, ".part") {
					t.Errorf("step %d left %s", i+1, left)
				}
			}
		})
	}
}

func TestConfigOfBackups(t *testing.T) {
	for _, test := range []struct {
		config backup.Config
		want   string
	}{
		{backup.DefaultConfig(), "<nil>"},
		{backup.Config{Keep: 0, At: "03:30"}, "keep: is 0; it must be 1 to 1000"},
		{backup.Config{Keep: 7, At: "25:00"}, `at: "25:00" is no time of day; write it like "03:30"`},
		{backup.Config{Keep: 7, At: "03:30", Recipient: "me"}, "recipient: is no public key of age; write the one that age-keygen shows: age1…"},
		{backup.Config{Keep: 7, At: ""}, `at: "" is no time of day; write it like "03:30"`},
	} {
		if got := fmt.Sprint(test.config.Validate()); got != test.want {
			t.Errorf("%+v: %s", test.config, got)
		}
	}
}
