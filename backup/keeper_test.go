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
	keeper := &backup.Keeper{Config: backup.Config{Folder: folder, Keep: 2, At: "03:30"}, StateDir: aMind(t, backup.Migrations()),
		Now: func() time.Time { return now.In(berlin) }, Logger: slog.New(slog.DiscardHandler), Ended: func(_ context.Context, err error) { failed = err }}
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
