package memory_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestFull: strangers cannot take the place of what is trusted, nor the other
// way round; what is oldest and of no use goes to the archive, and what is pinned stays.
func TestFull(t *testing.T) {
	s, db := opened(t, memory.Options{MaxLane: 3})
	for i := range 5 {
		add(t, s, strangers(fmt.Sprint("rumour ", i)))
	}
	pinned := owners("fact 0")
	pinned.Pinned = true
	add(t, s, pinned)
	for i := range 4 {
		add(t, s, owners(fmt.Sprint("fact ", i+1)))
	}
	if count, err := s.Count(t.Context()); err != nil || count != (memory.Count{Active: 3, Quarantined: 3, Archived: 4}) {
		t.Errorf("%+v, %v", count, err)
	}
	left, err := s.List(t.Context(), memory.Query{})
	if err != nil || len(left) != 3 || left[0].Text != "fact 4" || left[1].Text != "fact 3" || left[2].Text != "fact 0" {
		t.Errorf("%+v, %v", left, err)
	}
	add(t, s, owners("fact 5"))
	// A transaction goes on after a refusal.
	err = db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := s.Remember(t.Context(), tx, owners("fact 6")); !errors.Is(err, memory.ErrFull) {
			t.Errorf("%v", err)
		}
		_, err := s.Remember(t.Context(), tx, owners("fact 5"))
		return err
	})
	if err != nil {
		t.Error(err)
	}
	checkIndexes(t, db)
}

func TestSecretsAreNotStored(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	const secret = "hunter2-very-Secret"
	r := owners("The router: password: " + secret)
	const token = "AKIA" + "Z7XKQ2M4N6P8R1TW"
	r.Tags, r.Topic = []string{"password: " + secret, token}, "key."+token
	r.About.Project = "ghp_" + token
	r.Citations = []memory.Citation{{URL: "https://example.com/?key=" + token}}
	got := add(t, s, r)
	if strings.Contains(fmt.Sprint(got.Tags), strings.ToLower(token)) {
		t.Errorf("%q", got.Tags)
	}
	if text := fmt.Sprintf("%+v", got); strings.Contains(strings.ToLower(text), strings.ToLower(secret)) || !strings.Contains(got.Text, "[redacted:") {
		t.Errorf("%s", text)
	}
	folder := owners("The sample project is built with make")
	folder.About.Project = "/src/SampleProject_of_Spring36684805Version2"
	if got := add(t, s, folder); got.About != folder.About {
		t.Errorf("its project is %q", got.About.Project)
	}
	if hits := search(t, s, memory.Query{Words: secret}); len(hits) != 0 {
		t.Errorf("found by the secret: %v", texts(hits))
	}
}

var errBreak = errors.New("break off")

// TestNothingStaysOfABrokenTransaction looks into every table and both indexes.
func TestNothingStaysOfABrokenTransaction(t *testing.T) {
	s, db := opened(t, memory.Options{})
	kept := add(t, s, owners("what was there before"))
	before := everything(t, db)
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		for _, r := range []memory.Record{owners("never to be"), strangers("never to be"), owners("What was there before")} {
			r.Key, r.Tags = "k"+r.Text, []string{"never"}
			if _, err := s.Remember(t.Context(), tx, r); err != nil {
				t.Error(err)
			}
		}
		return errBreak
	})
	if !errors.Is(err, errBreak) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, everything(t, db)); diff != "" {
		t.Error(diff)
	}
	if hits := append(search(t, s, memory.Query{Words: "never"}), search(t, s, memory.Query{Words: "never", Lane: memory.Quarantine})...); len(hits) != 0 {
		t.Errorf("found %v", texts(hits))
	}
	if got, err := s.Get(t.Context(), kept.ID); err != nil || !cmp.Equal(got, kept) {
		t.Errorf("%+v, %v", got, err)
	}
	checkIndexes(t, db)
}

// everything is the rows of every table, each as text.
func everything(t testing.TB, db *store.DB) map[string]int {
	t.Helper()
	sizes := map[string]int{}
	err := db.Read(context.Background(), func(tx *store.Tx) error {
		for _, table := range []string{"memory_records", "memory_keys", "memory_trusted", "memory_agents", "memory_apart", "memory_events", "memory_conflicts", "memory_refused"} {
			var n int
			if err := tx.QueryRowContext(context.Background(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
				return err
			}
			sizes[table] = n
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}

// checkIndexes lets FTS5 compare its indexes with what they were made from, and
// compares their rows with the records.
func checkIndexes(t interface{ Error(...any) }, db *store.DB) {
	ctx := context.Background()
	err := db.Write(ctx, func(tx *store.Tx) error {
		for table, lane := range map[string]memory.Lane{"memory_trusted": memory.Trusted, "memory_agents": memory.Agents, "memory_apart": memory.Quarantine} {
			if _, err := tx.ExecContext(ctx, "INSERT INTO "+table+" ("+table+") VALUES ('integrity-check')"); err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
			var wrong int
			if err := tx.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM memory_records WHERE status = 'active' AND lane = ? AND n NOT IN (SELECT rowid FROM "+table+")) + "+
				"(SELECT count(*) FROM "+table+" WHERE rowid NOT IN (SELECT n FROM memory_records WHERE status = 'active' AND lane = ?))", lane, lane).Scan(&wrong); err != nil || wrong > 0 {
				return fmt.Errorf("%s: %d rows are not in step, %w", table, wrong, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestForgottenIsGoneFromTheFiles looks for the words in the bytes on disk.
func TestForgottenIsGoneFromTheFiles(t *testing.T) {
	folder := t.TempDir()
	db := database(t, filepath.Join(folder, "mind.db"))
	s := memory.New(db, memory.Options{Now: clock()})
	var ids []string
	for i := range 300 {
		r := owners(fmt.Sprintf("record %d of some length, so that pages fill and split: %s", i, strings.Repeat("lorem ipsum ", 20)))
		if i%10 == 0 {
			r.Text += " xylophonist"
			r.Tags = []string{"quicksilver"}
		}
		if i%3 == 0 {
			r.Trust = subconscious.Outsider
		}
		stored := add(t, s, r)
		if i%10 == 0 {
			ids = append(ids, stored.ID)
			r.Tags = append(r.Tags, "later")
			add(t, s, r)
			if i%20 == 0 {
				if _, err := s.Confirm(t.Context(), stored.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if found := inFiles(t, folder, "xylophonist", "quicksilver"); found == 0 {
		t.Fatal("the words are not to be found before: the test sees nothing")
	}
	for _, id := range ids {
		if _, err := s.Forget(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	// The stems are what the indexes hold.
	if found := inFiles(t, folder, "xylophonist", "quicksilver", "quicksilv"); found > 0 {
		t.Errorf("they are found %d times after they were forgotten", found)
	}
	checkIndexes(t, db)
}

func inFiles(t *testing.T, folder string, words ...string) (found int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "mind.db*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data := testutil.Read(t, file)
		for _, word := range words {
			found += strings.Count(string(data), word)
		}
	}
	return found
}

// TestAtTheSameTime runs under the race detector.
func TestAtTheSameTime(t *testing.T) {
	db := database(t, filepath.Join(t.TempDir(), "mind.db"))
	s := memory.New(db, memory.Options{})
	done := make(chan error)
	const writers, each = 4, 15
	for w := range writers {
		go func() {
			var errs []error
			for i := range each {
				r, err := s.Add(context.Background(), owners(fmt.Sprint("shared ", i)))
				errs = append(errs, err)
				_, err = s.Search(context.Background(), memory.Query{Words: "shared"})
				errs = append(errs, err)
				if w == 0 && i%5 == 0 {
					if _, err := s.Forget(context.Background(), r.ID); !errors.Is(err, memory.ErrNotFound) {
						errs = append(errs, err)
					}
				}
			}
			done <- errors.Join(errs...)
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	checkIndexes(t, db)
}
