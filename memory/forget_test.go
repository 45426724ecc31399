package memory_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	secret   = "The spare key lies below the quicksilver pot."
	whole    = secret + "\nAsk Nora for the other one."
	harmless = "The bakery in the mill street opens at seven."
)

// remembered is a memory in a file, with its tombstones.
func remembered(t testing.TB, folder string, options memory.Options) (*memory.Store, *store.DB) {
	t.Helper()
	var err error
	if options.Tombstones, err = memory.OpenTombstones(filepath.Join(folder, memory.TombstonesName)); err != nil {
		t.Fatal(err)
	}
	if options.Now == nil {
		options.Now = clock()
	}
	db := database(t, filepath.Join(folder, "mind.db"))
	return memory.New(db, options), db
}

// TestForgetReaches: copies in other lanes, what was made from it, history of its own and of
// others, what was shown, files and backups.
func TestForgetReaches(t *testing.T) {
	folder := t.TempDir()
	note := filepath.Join(folder, "keys [1].md")
	testutil.Write(t, note, "# Keys\n\nThe spare key\n  lies BELOW the quicksilver pot.\n")
	var erased memory.Erasure
	since := time.Time{}
	s, db := remembered(t, folder, memory.Options{
		Unshow:  func(_ context.Context, _ *store.Tx, of memory.Erasure) (int, error) { erased = of; return 3, nil },
		Backups: func(at time.Time) []string { since = at; return []string{"old.tar.gz"} },
	})
	own := owners(whole)
	own.Citations = []memory.Citation{{File: note}, {File: "/dev/zero"}, {File: "relative.md"}}
	first := add(t, s, own)
	copied := add(t, s, strangers(whole))
	was := add(t, s, owners(secret+" It is wet there."))
	made := owners("In short: " + secret)
	made.Kind, made.Derived = memory.Summary, []string{first.ID}
	summary := add(t, s, made)
	made.Kind, made.Text = memory.Insight, harmless
	insight := add(t, s, made)
	for _, edit := range []string{whole + " quicksilver", whole} {
		if _, err := s.Edit(t.Context(), first.ID, 0, memory.Edit{Text: &edit}, "person"); err != nil {
			t.Fatal(err)
		}
	}
	dry := "It is dry there."
	if _, err := s.Edit(t.Context(), was.ID, 0, memory.Edit{Text: &dry}, "person"); err != nil {
		t.Fatal(err)
	}
	got, err := s.Forget(t.Context(), first.ID)
	want := memory.Forgotten{ID: first.ID, Derived: []string{copied.ID, summary.ID, insight.ID}, Files: []memory.Place{{File: note, Lines: "3-4"}}, Backups: []string{"old.tar.gz"}, Shown: 3}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if !since.Equal(first.Created) {
		t.Errorf("backups are asked for since %s, and it was written at %s", since, first.Created)
	}
	if !slices.Equal(erased.IDs, []string{first.ID, copied.ID, summary.ID}) || !erased.Says("I heard: the spare KEY lies below the quicksilver pot.") || erased.Says(harmless) {
		t.Errorf("erased: %+v", erased)
	}
	if left, err := s.Get(t.Context(), insight.ID); err != nil || len(left.Derived) > 0 || left.Text != harmless {
		t.Errorf("%+v, %v", left, err)
	}
	if found := inFiles(t, folder, "quicksilver", "Nora", "quicksilv"); found > 0 {
		t.Errorf("it is found %d times", found)
	}
	checkIndexes(t, db)
}

// TestForgottenStaysForgotten: it is not written again but by the person, and neither an
// older database nor an export brings it back.
func TestForgottenStaysForgotten(t *testing.T) {
	folder, old := t.TempDir(), t.TempDir()
	s, db := remembered(t, folder, memory.Options{})
	record := add(t, s, owners(whole))
	kept := add(t, s, owners(harmless))
	var export bytes.Buffer
	if err := s.Export(t.Context(), &export, "jsonl"); err != nil {
		t.Fatal(err)
	}
	if err := store.Copy(t.Context(), filepath.Join(folder, "mind.db"), filepath.Join(old, "mind.db")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Forget(t.Context(), record.ID); err != nil {
		t.Fatal(err)
	}
	tombstones := testutil.Read(t, filepath.Join(folder, memory.TombstonesName))
	if stat, err := os.Stat(filepath.Join(folder, memory.TombstonesName)); err != nil || stat.Mode() != 0o600 || strings.Contains(string(tombstones), "quicksilver") {
		t.Errorf("%v, %v: %s", stat, err, tombstones)
	}

	refused := func(s *memory.Store, when string) {
		t.Helper()
		for name, r := range map[string]memory.Record{
			"machine":     {Text: "the spare key  lies BELOW the quicksilver pot.", Trust: subconscious.Machine, Source: memory.Mechanics},
			"agent":       {Text: harmless + " " + secret, Trust: subconscious.Agent, Source: memory.Agent},
			"in its name": {Text: whole, Trust: subconscious.Agent, Source: memory.Person},
			"title":       {Text: "Of interest", Title: secret, Trust: subconscious.Outsider, Source: memory.Adapter},
		} {
			if got, err := s.Add(t.Context(), r); err != nil || got.Reason != memory.WasForgotten || got.Outcome != memory.Refused {
				t.Errorf("%s, %s: %+v, %v", when, name, got, err)
			}
		}
		text := secret
		if _, err := s.Edit(t.Context(), kept.ID, 0, memory.Edit{Text: &text}, "agent"); err == nil {
			t.Errorf("%s: an agent has written it into another record", when)
		}
		got, err := s.Import(t.Context(), bytes.NewReader(export.Bytes()))
		if want := (memory.Imported{Seen: 1, Forgotten: 1}); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: imported %+v, %v", when, got, err)
		}
	}
	refused(s, "at once")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if s, db = remembered(t, folder, memory.Options{}); second(s.Mend(t.Context())) != nil {
		t.Fatal("it is not mended")
	}
	refused(s, "after a start")

	// As after a kill between tombstone and erasure, or with an old file in its place.
	testutil.Write(t, filepath.Join(old, memory.TombstonesName), tombstones)
	before, older := remembered(t, old, memory.Options{})
	if found := inFiles(t, old, "quicksilver"); found == 0 {
		t.Fatal("it is not there before: the test sees nothing")
	}
	for _, want := range []int{1, 0} {
		if gone, err := before.Mend(t.Context()); gone != want || err != nil {
			t.Errorf("%d records are gone, want %d: %v", gone, want, err)
		}
	}
	if found := inFiles(t, old, "quicksilver", "Nora"); found > 0 {
		t.Errorf("an older database has it %d times", found)
	}
	if left, err := before.List(t.Context(), memory.Query{}); err != nil || len(left) != 1 || left[0].ID != kept.ID {
		t.Errorf("%+v, %v", left, err)
	}
	refused(before, "in an older database")
	checkIndexes(t, older)

	// The person's own word lifts it, also for others, and after a start.
	again, err := s.Add(t.Context(), owners(whole))
	if err != nil || again.Outcome != memory.Stored || again.Reason != memory.WasForgotten || again.ID == record.ID {
		t.Fatalf("%+v, %v", again, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, _ = remembered(t, folder, memory.Options{})
	if gone, err := s.Mend(t.Context()); gone != 0 || err != nil {
		t.Errorf("%d records are gone, %v", gone, err)
	}
	if got, err := s.Add(t.Context(), memory.Record{Text: secret, Trust: subconscious.Machine, Source: memory.Mechanics}); err != nil || got.Outcome == memory.Refused {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestTombstonesFiles: a last line that was torn is let go, anything else that cannot be
// read is refused, and two files become one.
func TestTombstonesFiles(t *testing.T) {
	folder := t.TempDir()
	s, _ := remembered(t, folder, memory.Options{})
	forget := func(s *memory.Store, text string) {
		t.Helper()
		if _, err := s.Forget(t.Context(), add(t, s, owners(text)).ID); err != nil {
			t.Fatal(err)
		}
	}
	forget(s, secret)
	path := filepath.Join(folder, memory.TombstonesName)
	whole := string(testutil.Read(t, path))
	for name, c := range map[string]struct{ file, err string }{
		"torn":          {whole + "said 0123", ""},
		"zeroes":        {whole + strings.Repeat("\x00", 4096), ""},
		"head torn":     {whole[:7], ""},
		"damaged":       {strings.Replace(whole, "text ", "tex\xff ", 1), "cannot be read at line 4"},
		"without a key": {strings.Replace(whole, "key ", "text ", 1), "cannot be read at line 2"},
		"newer":         {strings.Replace(whole, "forgotten 1", "forgotten 2", 1), "another version"},
		"large":         {whole + strings.Repeat("x", 32<<20), "larger than 32 MiB"},
	} {
		path := filepath.Join(t.TempDir(), "forgotten")
		testutil.Write(t, path, c.file)
		got, err := memory.OpenTombstones(path)
		if (err == nil) != (c.err == "") || err != nil && (!strings.Contains(err.Error(), c.err) || !strings.Contains(err.Error(), path)) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		s, _ := opened(t, memory.Options{Tombstones: got})
		forget(s, harmless)
		if after, err := memory.OpenTombstones(path); err != nil {
			t.Errorf("%s, and then: %v", name, err)
		} else if s, _ := opened(t, memory.Options{Tombstones: after}); name != "head torn" {
			for _, text := range []string{secret, harmless} {
				if got, err := s.Add(t.Context(), strangers(text)); err != nil || got.Reason != memory.WasForgotten {
					t.Errorf("%s: %q: %+v, %v", name, text, got, err)
				}
			}
		}
	}
	other := t.TempDir()
	o, _ := remembered(t, other, memory.Options{})
	forget(o, harmless)
	if err := memory.MergeTombstones(filepath.Join(other, memory.TombstonesName), path); err != nil {
		t.Fatal(err)
	}
	both, err := memory.OpenTombstones(filepath.Join(other, memory.TombstonesName))
	if err != nil {
		t.Fatal(err)
	}
	o, _ = opened(t, memory.Options{Tombstones: both})
	for _, text := range []string{secret, harmless} {
		if got, err := o.Add(t.Context(), strangers(text)); err != nil || got.Reason != memory.WasForgotten {
			t.Errorf("merged: %q: %+v, %v", text, got, err)
		}
	}
}

func FuzzTombstones(f *testing.F) {
	f.Add([]byte("subconsciousd forgotten 1\nkey "+strings.Repeat("0a", 32)+"\nrecord m-abcdefghij\ntext "+strings.Repeat("0a", 16)+"\nlifted "+strings.Repeat("0a", 16)+"\nsaid 0"), []byte("subconsc"))
	f.Fuzz(func(t *testing.T, into, from []byte) {
		folder := t.TempDir()
		a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
		testutil.Write(t, a, into)
		testutil.Write(t, b, from)
		if err := memory.MergeTombstones(a, b); err != nil {
			return
		}
		if _, err := memory.OpenTombstones(a); err != nil {
			t.Errorf("merged to what cannot be read: %v", err)
		}
	})
}

// TestExportAndImport: what was exported is there again as it was, with its history, and
// is stable; what cannot be taken is named, and keeps nothing else out.
func TestExportAndImport(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	if err := s.Rank(t.Context()); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, text := range []string{"I live in Rome.", "I live in Paris.", "The <b> server & its \"fan\" are loud 1 & 2\n# no heading"} {
		r := owners(text)
		r.Topic, r.Tags, r.Said = "home", []string{"a", "b"}, time.Date(2020, 2, 3, 4, 5, 6, 7, time.UTC)
		if len(ids) == 2 {
			r.Topic, r.Title, r.Citations = "", "A title", []memory.Citation{{File: "/etc/hosts", Lines: "1"}}
		}
		ids = append(ids, add(t, s, r).ID)
	}
	add(t, s, owners("The server and its fan are loud 1 & 3 b no heading"))
	if conflicts, err := s.Conflicts(t.Context(), memory.Trusted, ""); err != nil || len(conflicts) != 1 {
		t.Fatal(conflicts, err)
	}
	agents := strangers("rumour")
	agents.Trust, agents.About.Agent = subconscious.Agent, "helper"
	add(t, s, agents)
	if _, err := s.Archive(t.Context(), ids[2], "person"); err != nil {
		t.Fatal(err)
	}
	exported := func(s *memory.Store, format string) string {
		t.Helper()
		var out strings.Builder
		if err := s.Export(t.Context(), &out, format); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	jsonl, md := exported(s, "jsonl"), exported(s, "md")
	other, db := opened(t, memory.Options{})
	for _, want := range []memory.Imported{{Stored: 5}, {Seen: 5}} {
		if got, err := other.Import(t.Context(), strings.NewReader(jsonl)); err != nil || !cmp.Equal(got, want) {
			t.Fatalf("%+v, %v; want %+v", got, err, want)
		}
		if diff := cmp.Diff(md, exported(other, "md")); diff != "" {
			t.Error(diff)
		}
		for _, id := range ids {
			was, err1 := s.History(t.Context(), id)
			is, err2 := other.History(t.Context(), id)
			if diff := cmp.Diff(was, is); err1 != nil || err2 != nil || diff != "" || len(is) < 2 && id != ids[1] {
				t.Errorf("%v %v %s", err1, err2, diff)
			}
		}
		if conflicts, err := other.Conflicts(t.Context(), memory.Trusted, ""); err != nil || len(conflicts) != 0 { // one is in the archive
			t.Errorf("%+v, %v", conflicts, err)
		}
		checkIndexes(t, db)
	}
	// Undo takes back what was done before the export: both records of the act.
	if r, err := other.Undo(t.Context(), ids[1], "person"); err != nil || r.Status != memory.Archived {
		t.Errorf("%+v, %v", r, err)
	} else if r, err := other.Get(t.Context(), ids[0]); err != nil || r.Status != memory.Active {
		t.Errorf("%+v, %v", r, err)
	}
	for line := range strings.Lines(jsonl) {
		if got, err := s.Add(t.Context(), owners(line)); err != nil || got.Reason != memory.Marked {
			t.Errorf("%q is taken in again: %+v, %v", line, got, err)
		}
	}
	if parts := strings.Split(md, "\n## "); len(parts) != 6 || slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(p, memory.Mark) }) {
		t.Errorf("a passage has no mark:\n%s", md)
	}

	head, record, _ := strings.Cut(jsonl, "\n")
	record, _, _ = strings.Cut(record, "\n")
	as := func(old, new string) string {
		if !strings.Contains(record, old) {
			t.Fatalf("%q is not in %s", old, record)
		}
		return head + "\n" + strings.Replace(record, old, new, 1) + "\n"
	}
	for name, c := range map[string]struct {
		file string
		want memory.Imported
		says string
	}{
		"nothing":         {"", memory.Imported{}, "no export"},
		"another file":    {"{}\n", memory.Imported{}, "no export"},
		"another version": {strings.Replace(head, `"format":1`, `"format":2`, 1) + "\n" + record, memory.Imported{}, "of format 2, and this program reads 1"},
		"another text":    {as(`"text":"I live in Rome`, `"text":"I live in Oslo`), memory.Imported{Conflicts: 1}, "line 2: " + ids[0] + " is there already"},
		"broken":          {head + "\n{\n" + record, memory.Imported{Refused: 1, Seen: 1}, "line 2: it is no line"},
		"long":            {head + "\n" + strings.Repeat("x", 1<<20) + "\n" + record, memory.Imported{Refused: 1, Seen: 1}, "line 2: it has more than 65536 bytes"},
		"id":              {as(ids[0], "m-../../../"), memory.Imported{Refused: 1}, "no id of a record"},
		"lane":            {as(`"lane":"trusted"`, `"lane":"agents"`), memory.Imported{Refused: 1}, "does not belong to the lane"},
		"kind":            {as(`"kind":"fact"`, `"kind":"virus"`), memory.Imported{Refused: 1}, "there is no kind"},
		"status":          {as(`"status":"superseded"`, `"status":"x"`), memory.Imported{Refused: 1}, "there is no status"},
		"time":            {as(`"created":"2026`, `"created":"1826`), memory.Imported{Refused: 1}, "in the year 1826"},
		"confidence":      {as(`"confidence":1`, `"confidence":7`), memory.Imported{Refused: 1}, "its confidence"},
		"text":            {as(`"text":"I`, `"text":"`+strings.Repeat("x", memory.MaxText)), memory.Imported{Refused: 1}, "at most 4096 are kept"},
	} {
		got, err := other.Import(t.Context(), strings.NewReader(c.file))
		said := fmt.Sprint(got.Problems, err)
		if got.Problems = nil; !cmp.Equal(got, c.want) || !strings.Contains(said, c.says) {
			t.Errorf("%s: %+v, %s", name, got, said)
		}
	}
}

func FuzzImport(f *testing.F) {
	s, _ := opened(f, memory.Options{})
	add(f, s, owners(whole))
	var out bytes.Buffer
	if err := s.Export(context.Background(), &out, "jsonl"); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		s, db := opened(t, memory.Options{})
		got, err := s.Import(t.Context(), bytes.NewReader(file))
		if count, counted := s.Count(t.Context()); err == nil && (counted != nil || count.Active+count.Agents+count.Quarantined+count.Superseded+count.Archived != got.Stored) {
			t.Errorf("%+v, and %+v, %v", got, count, counted)
		}
		checkIndexes(t, db)
		db.Close()
	})
}

// TestForgottenWhateverItsStops: what was forgotten is known by its words, and not by what
// stands between them.
func TestForgottenWhateverItsStops(t *testing.T) {
	s, _ := opened(t, memory.Options{Backups: func(time.Time) []string { return []string{"a.tar.gz"} }})
	of := func(text string) memory.Record {
		return memory.Record{Text: text, Trust: subconscious.Agent, Source: memory.Agent, About: memory.About{Agent: "coder"}}
	}
	add(t, s, of("The sample device is kept in the cellar of Hilde!!"))
	own := add(t, s, owners("The sample device is kept in the cellar of Hilde"))
	if _, gone := s.Gone(own.ID); gone {
		t.Error("it is gone before it is forgotten")
	}
	if done, err := s.Forget(t.Context(), own.ID); err != nil {
		t.Fatal(err)
	} else if left, err := s.List(t.Context(), memory.Query{Lane: memory.Agents}); err != nil || len(left) > 0 {
		t.Errorf("%+v leaves %v, %v", done, left, err)
	}
	for _, text := range []string{"The sample device is kept in the cellar of Hilde.", "the  sample device, is kept in the cellar of Hilde", "See here. The sample device is kept in the cellar of Hilde. Yes."} {
		if again, err := s.Add(t.Context(), of(text)); err != nil || again.Reason != memory.WasForgotten {
			t.Errorf("%q is %s, %v", text, again.Outcome, err)
		}
	}
	if left, gone := s.Gone(own.ID); !gone || len(left.Backups) != 1 {
		t.Errorf("%+v, %v", left, gone)
	}
}

// TestEarlierHashes: what an earlier version wrote is compared as what is written now, and of
// two that say the same one is found.
func TestEarlierHashes(t *testing.T) {
	s, db := opened(t, memory.Options{})
	of := memory.Record{Text: "The sample kite hangs in the hall", Trust: subconscious.Agent, Source: memory.Agent, About: memory.About{Agent: "coder"}}
	first, twin, copied := add(t, s, owners("The sample pump is in the shed")), add(t, s, owners("The sample rake leans at the fence")), add(t, s, of)
	if err := db.Write(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.Exec(t.Context(), "UPDATE memory_records SET hash = CAST(id AS BLOB)"),
			tx.Exec(t.Context(), "UPDATE memory_records SET text = ? || '.' WHERE id IN (?, ?)", first.Text, twin.ID, copied.ID))
	}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // it can be run again
		if _, err := s.Mend(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if now, err := s.Get(t.Context(), twin.ID); err != nil || now.Status != memory.Archived {
		t.Errorf("%+v, %v", now, err)
	}
	if again := add(t, s, owners(first.Text+"!")); again.ID != first.ID {
		t.Errorf("%+v", again)
	}
	if _, err := s.Forget(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{first.ID, twin.ID, copied.ID} {
		if _, err := s.Get(t.Context(), id); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("%s is there: %v", id, err)
		}
	}
}
