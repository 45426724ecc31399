package calendar

import (
	"context"
	"flag"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

var update = flag.Bool("update", false, "write the goldens")

// TestGoldens reads each testdata/*.txtar: what the comment says (at, zone,
// addresses, show), a calendar, and what the mind sees of it.
func TestGoldens(t *testing.T) {
	testutil.Archives(t, *update, "testdata/*.txtar", 30, golden)
}

func golden(t *testing.T, _ string, archive *txtar.Archive) {
	settings := map[string]string{}
	for line := range strings.Lines(string(archive.Comment)) {
		if key, value, found := strings.Cut(strings.TrimSpace(line), ": "); found && !strings.HasPrefix(line, "#") {
			settings[key] = value
		}
	}
	zone := testutil.Zone(t, settings["zone"])
	at, err := time.ParseInLocation("2006-01-02 15:04", settings["at"], zone)
	if err != nil {
		t.Fatal(err)
	}
	ics, want := section(archive, "calendar.ics"), section(archive, "want")
	if ics == nil || want == nil {
		t.Fatal("wants the files calendar.ics and want")
	}
	file := filepath.Join(t.TempDir(), "sample.ics")
	// Line ends are those of the format in the file that is read.
	testutil.Write(t, file, strings.ReplaceAll(string(ics.Data), "\n", "\r\n"))
	sense, err := New(Config{ID: "sample", ICS: file, Addresses: strings.Fields(settings["addresses"])},
		Options{Zone: func() *time.Location { return zone }})
	if err != nil {
		t.Fatal(err)
	}
	batch, err := sense.Collect(context.Background(), at, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := describe(batch.Sets, settings["show"])
	if kept := inAccount(t, string(testutil.Read(t, file)), strings.Fields(settings["addresses"]), zone, at); batch.Sets != nil && !strings.Contains(got, noUID) && describe(kept, settings["show"]) != redact.Text(got) {
		t.Errorf("an account that holds the same shows\n%s\nand the file\n%s", describe(kept, settings["show"]), got)
	}
	if batch.Degraded != "" {
		got += "degraded: " + strings.ReplaceAll(batch.Degraded, file, "sample.ics") + "\n"
	}
	want.Data = []byte(got)
}

// looked is a Source that finds what it is told.
type looked func(Kept) (Found, error)

func (l looked) Look(_ context.Context, kept Kept) (Found, error) { return l(kept) }

// inAccount is what is shown of an account that holds a calendar, from the fields
// that are kept of it.
func inAccount(t *testing.T, text string, addresses []string, zone *time.Location, at time.Time) []senses.Set {
	t.Helper()
	kept := &sensetest.Kept{}
	var sets []senses.Set
	for range 2 { // the second time from what is kept alone
		sense, err := New(Config{ID: "sample", URL: "https://example.org/sample.ics", Addresses: addresses}, Options{Zone: func() *time.Location { return zone }, Rows: kept,
			Source: looked(func(k Kept) (Found, error) {
				c := Collection{Name: "c", Token: "1"}
				if !k.Has("c", "n", "v") {
					c.Changed = []Item{{Name: "n", Version: "v", Data: []byte(text)}}
				}
				return Found{Collections: []Collection{c}}, nil
			})})
		if err != nil {
			t.Fatal(err)
		}
		batch, err := sense.Collect(t.Context(), at, kept.Cursor)
		if err != nil {
			t.Fatal(err)
		}
		kept.Keep(batch)
		sets = batch.Sets
	}
	return sets
}

// TestSecretsAreNotKeptOfAccounts: whatever a server says of an event is kept
// without the secrets in it.
func TestSecretsAreNotKeptOfAccounts(t *testing.T) {
	all := shelf{}
	text := calendarOf(eventOf("a-"+sampleKey, "DTSTART:20261124T090000Z\r\nSUMMARY:Key "+sampleKey+"\r\nLOCATION:"+sampleKey+"\r\nDESCRIPTION:token="+sampleKey+
		"\r\nX-PRIVATE:not read\r\nRRULE:FREQ=DAILY;X-KEY="+sampleKey+"\r\nATTENDEE;CN="+sampleKey+":mailto:"+sampleKey+"@example.org\r\nURL:https://example.org/"+sampleKey))
	rows := all.take(Found{Collections: []Collection{{Name: "c", Token: sampleKey, Changed: []Item{{Name: sampleKey, Version: sampleKey, Data: []byte(text)}}}}})
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	if kept := rows[0].Key + string(rows[0].Value); strings.Contains(kept, sampleKey) || strings.Contains(kept, "not read") || !strings.Contains(kept, "DTSTART:20261124T090000Z") {
		t.Errorf("kept is %s", kept)
	}
}

func section(archive *txtar.Archive, name string) *txtar.File {
	for i := range archive.Files {
		if archive.Files[i].Name == name {
			return &archive.Files[i]
		}
	}
	return nil
}
