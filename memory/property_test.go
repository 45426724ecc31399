package memory_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// world is what memory should hold, kept in maps.
type world struct {
	records map[string]memory.Record // by ID
	keys    map[string]string        // IDs by lane and key
	// forgotten are the texts that nobody but the person writes again.
	forgotten map[string]bool
}

func laneIn(trust subconscious.Trust) memory.Lane {
	switch trust {
	case subconscious.Owner, subconscious.Machine:
		return memory.Trusted
	case subconscious.Agent:
		return memory.Agents
	}
	return memory.Quarantine
}

// same is the record of a lane that says the same, an active one first.
func (w *world) same(lane memory.Lane, text string) (same memory.Record, known bool) {
	for _, r := range w.records {
		if r.Lane == lane && r.Status != memory.Superseded && strings.EqualFold(r.Text, text) &&
			(!known || r.Status == memory.Active || same.Status != memory.Active && r.Created.Before(same.Created)) { // the first, but an active one before
			same, known = r, true
		}
	}
	return same, known
}

func (w *world) count() (count memory.Count) {
	for _, r := range w.records {
		switch {
		case r.Status == memory.Archived:
			count.Archived++
		case r.Status == memory.Superseded:
			count.Superseded++
		case r.Lane == memory.Trusted:
			count.Active++
		case r.Lane == memory.Agents:
			count.Agents++
		default:
			count.Quarantined++
		}
	}
	return count
}

// room archives the oldest of a lane where it is full; ok is false where the archive is.
func (w *world) room(lane memory.Lane, now time.Time) (ok bool) {
	var active []memory.Record
	all := 0
	for _, r := range w.records {
		if r.Lane == lane {
			all++
			if r.Status == memory.Active {
				active = append(active, r)
			}
		}
	}
	if all >= 2*maxOfModel {
		return false
	}
	if len(active) >= maxOfModel {
		oldest := slices.MinFunc(active, func(a, b memory.Record) int { return a.Created.Compare(b.Created) })
		oldest.Status, oldest.Version, oldest.Updated = memory.Archived, oldest.Version+1, now
		w.records[oldest.ID] = oldest
	}
	return true
}

var (
	trusts  = []subconscious.Trust{subconscious.Owner, subconscious.Machine, subconscious.Agent, subconscious.Outsider}
	phrases = []string{"the red door", "The Red Door", "a blue door", "red and blue", "ROT und blau", "door", "赤いドア"}
)

const maxOfModel = 4

// add is what the model expects of Add; got is what came of it.
func (w *world) add(t *rapid.T, r memory.Record, got memory.Written, err error) {
	lane := laneIn(r.Trust)
	key := string(lane) + "/" + r.Key
	if id, known := w.keys[key]; known && r.Key != "" {
		want, there := w.records[id]
		if !there {
			want = memory.Record{ID: id, Status: memory.Erased}
		}
		equal(t, "with a known key", want, got.Record, err)
		return
	}
	if w.forgotten[strings.ToLower(r.Text)] {
		if r.Trust != subconscious.Owner {
			if err != nil || got.Outcome != memory.Refused || got.Reason != memory.WasForgotten {
				t.Fatalf("forgotten, and yet %+v, %v", got, err)
			}
			return
		}
		delete(w.forgotten, strings.ToLower(r.Text))
	}
	want, known := w.same(lane, r.Text)
	changed := known && want.Status == memory.Archived
	if !known || changed {
		if !w.room(lane, cmp.Or(got.Updated, got.Created)) {
			if !errors.Is(err, memory.ErrFull) {
				t.Fatalf("full, and yet %+v, %v", got, err)
			}
			return
		}
	}
	if !known {
		want = memory.Record{ID: got.ID, Version: 1, Kind: memory.Fact, Title: r.Text, Summary: got.Summary, Extracted: true, Text: r.Text, Tags: r.Tags, Trust: r.Trust, Lane: lane,
			Status: memory.Active, Source: memory.Person, Confidence: got.Confidence, Validity: memory.Unknown, Created: got.Created, Updated: got.Created, LastSeen: got.Created, SeenCount: 1}
		if _, taken := w.records[got.ID]; taken {
			t.Fatalf("%s is given twice", got.ID)
		}
	} else {
		want.SeenCount++
		want.LastSeen = got.LastSeen
		for _, tag := range r.Tags {
			if !slices.Contains(want.Tags, tag) {
				want.Tags, changed = slices.Sorted(slices.Values(append(slices.Clone(want.Tags), tag))), true
			}
		}
		if r.Trust == subconscious.Owner && want.Trust != subconscious.Owner {
			want.Trust, want.Confidence, changed = subconscious.Owner, 1, true
		}
		want.Status = memory.Active
		if changed {
			want.Version++
			want.Updated = got.Updated
		}
	}
	equal(t, "added", want, got.Record, err)
	w.records[got.ID] = got.Record
	if r.Key != "" {
		w.keys[key] = got.ID
	}
}

// confirm is what the model expects of Confirm.
func (w *world) confirm(t *rapid.T, id string, got memory.Record, err error) {
	old, there := w.records[id]
	if !there || old.Status == memory.Superseded {
		if !errors.Is(err, memory.ErrNotFound) && !errors.Is(err, memory.ErrInvalid) {
			t.Fatalf("%v", err)
		}
		return
	}
	want := old
	if old.Lane != memory.Trusted || old.Status != memory.Active {
		if same, known := w.same(memory.Trusted, old.Text); known && same.Status == memory.Active {
			want = same
			old.Status, old.SupersededBy, old.Version, old.Updated = memory.Superseded, same.ID, old.Version+1, time.Time{}
			w.records[id] = old
			for key, to := range w.keys {
				if to == id {
					w.keys[key] = same.ID
				}
			}
		} else if !w.room(memory.Trusted, got.Updated) {
			if !errors.Is(err, memory.ErrFull) {
				t.Fatalf("%v", err)
			}
			return
		}
	}
	if want.Trust != subconscious.Owner || want.Lane != memory.Trusted || want.Status != memory.Active {
		want.Trust, want.Lane, want.Status, want.Confidence = subconscious.Owner, memory.Trusted, memory.Active, 1
		want.Version, want.Updated = want.Version+1, got.Updated
	}
	equal(t, "confirmed", want, got, err)
	w.records[got.ID] = got
}

func equal(t *rapid.T, what string, want, got memory.Record, err error) {
	if diff := gocmp.Diff(want, got); err != nil || diff != "" {
		t.Fatalf("%s: %v %s", what, err, diff)
	}
}

// TestStoreIsItsModel plays at random and compares everything after each step.
func TestStoreIsItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		db, err := store.Open(ctx, store.Options{Path: store.Memory}, memory.Migrations()...)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		s := memory.New(db, memory.Options{Now: clock(), MaxLane: maxOfModel})
		w := &world{records: map[string]memory.Record{}, keys: map[string]string{}, forgotten: map[string]bool{}}
		someone := func(t *rapid.T) string {
			ids := slices.Sorted(maps.Keys(w.records))
			return rapid.SampledFrom(append(ids, "m-nobody")).Draw(t, "id")
		}
		ranked := false
		t.Repeat(map[string]func(*rapid.T){
			"rank": func(t *rapid.T) {
				if ranked {
					return
				}
				ranked = true
				if err := s.Rank(ctx); err != nil {
					t.Fatal(err)
				}
			},
			"add": func(t *rapid.T) {
				r := memory.Record{Kind: memory.Fact, Text: rapid.SampledFrom(phrases).Draw(t, "text"),
					Trust: rapid.SampledFrom(trusts).Draw(t, "trust"), Key: rapid.SampledFrom([]string{"", "", "k", "l"}).Draw(t, "key")}
				if tag := rapid.SampledFrom([]string{"", "home", "work"}).Draw(t, "tag"); tag != "" {
					r.Tags = []string{tag}
				}
				got, err := s.Add(ctx, r)
				w.add(t, r, got, err)
			},
			"confirm": func(t *rapid.T) {
				id := someone(t)
				got, err := s.Confirm(ctx, id)
				w.confirm(t, id, got, err)
			},
			"archive": func(t *rapid.T) {
				id := someone(t)
				got, err := s.Archive(ctx, id, "person")
				want, there := w.records[id]
				if !there || want.Status == memory.Superseded {
					if there != (err == nil) {
						t.Fatalf("archived %+v, %v", got, err)
					}
					return
				}
				if want.Status == memory.Active {
					want.Status, want.Version, want.Updated = memory.Archived, want.Version+1, got.Updated
				}
				equal(t, "archived", want, got, err)
				w.records[id] = got
			},
			"forget": func(t *rapid.T) {
				id := someone(t)
				_, there := w.records[id]
				if _, err := s.Forget(ctx, id); there != (err == nil) {
					t.Fatalf("%v", err)
				}
				if there {
					w.forget(id)
				}
			},
			"": func(t *rapid.T) { compare(t, s, w) },
		})
		checkIndexes(t, db)
	})
}

// forget erases a record, and what says the same; where a trusted record says what another
// lane's did, that one alone.
func (w *world) forget(id string) {
	text, lane := strings.ToLower(w.records[id].Text), w.records[id].Lane
	says := func(r memory.Record) bool { return strings.ToLower(r.Text) == text }
	alone := false
	for _, r := range w.records {
		alone = alone || lane != memory.Trusted && r.Lane == memory.Trusted && says(r)
	}
	w.forgotten[text] = w.forgotten[text] || !alone
	gone := map[string]bool{}
	maps.DeleteFunc(w.records, func(of string, r memory.Record) bool {
		gone[of] = of == id || !alone && says(r)
		return gone[of]
	})
	for of, r := range w.records {
		if gone[r.SupersededBy] {
			r.Status, r.SupersededBy = memory.Archived, ""
			w.records[of] = r
		}
	}
}

// compare looks at the records by every way that leads to them.
func compare(t *rapid.T, s *memory.Store, w *world) {
	ctx := context.Background()
	if count, err := s.Count(ctx); err != nil || count != w.count() {
		t.Fatalf("%+v, want %+v, %v", count, w.count(), err)
	}
	for _, r := range w.records {
		got, err := s.Get(ctx, r.ID)
		if r.Updated.IsZero() { // the model does not know when it was superseded
			got.Updated = r.Updated
		}
		equal(t, "get", r, got, err)
	}
	word := rapid.SampledFrom([]string{"red", "doors", "blau", "赤", "home", "red OR home"}).Draw(t, "word")
	for _, lane := range memory.Lanes() {
		is := func(r memory.Record) bool { return r.Lane == lane && r.Status == memory.Active }
		listed, err := s.List(ctx, memory.Query{Lane: lane, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		checkAre(t, "listed", w, listed, is)
		hits, err := s.Search(ctx, memory.Query{Words: word, Lane: lane, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		var found []memory.Record
		for _, h := range hits {
			found = append(found, h.Record)
		}
		checkAre(t, "found by "+word, w, found, func(r memory.Record) bool { return is(r) && holds(r, word) })
	}
}

// holds reports whether the record holds one of the words.
func holds(r memory.Record, words string) bool {
	text := strings.ToLower(r.Text + " " + strings.Join(r.Tags, " "))
	for _, word := range strings.Fields(strings.TrimSuffix(strings.ToLower(words), "s")) {
		if word != "or" && strings.Contains(text, word) {
			return true
		}
	}
	return false
}

func checkAre(t *rapid.T, what string, w *world, got []memory.Record, is func(memory.Record) bool) {
	var want []memory.Record
	for _, r := range w.records {
		if is(r) {
			want = append(want, r)
		}
	}
	byID := func(a, b memory.Record) int { return cmp.Compare(a.ID, b.ID) }
	slices.SortFunc(want, byID)
	got = slices.SortedFunc(slices.Values(got), byID)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Fatalf("%s: %s", what, diff)
	}
}

// TestStrangersChangeNothing is a twin test: of two memories that are told the
// same by the person, one is told anything besides by strangers and agents. No
// trusted search, list or write tells them apart, in order and score neither.
func TestStrangersChangeNothing(t *testing.T) {
	words := []string{"red", "door", "key", "vault", "invoice", "4711", "mat", "the", "赤い", "urgent"}
	phrase := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 8).Draw(t, "words"), " ")
	})
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		var twins [2]*memory.Store
		for i := range twins {
			db, err := store.Open(ctx, store.Options{Path: store.Memory}, memory.Migrations()...)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			twins[i] = memory.New(db, memory.Options{MaxLane: 10})
		}
		ranked := rapid.IntRange(0, 25).Draw(t, "ranked")
		rank := func() {
			if err := errors.Join(twins[0].Rank(ctx), twins[1].Rank(ctx)); err != nil {
				t.Fatal(err)
			}
		}
		for step := range rapid.IntRange(1, 25).Draw(t, "steps") {
			if step == ranked {
				rank()
			}
			r := memory.Record{Kind: memory.Fact, Text: phrase.Draw(t, "text"), Tags: []string{rapid.SampledFrom(words).Draw(t, "tag")},
				Trust: rapid.SampledFrom(trusts).Draw(t, "trust"), Key: fmt.Sprint(step % 3)}
			trusted := r.Trust == subconscious.Owner || r.Trust == subconscious.Machine
			second, secondErr := twins[1].Add(ctx, r)
			if !trusted {
				if secondErr == nil && second.Outcome != memory.Refused && second.Lane == memory.Trusted {
					t.Fatalf("%+v", second)
				}
				continue
			}
			first, firstErr := twins[0].Add(ctx, r)
			if (firstErr == nil) != (secondErr == nil) || first.Outcome != second.Outcome || !gocmp.Equal(bare(first.Record), bare(second.Record)) {
				t.Fatalf("%v, %v: %s", firstErr, secondErr, gocmp.Diff(first, second))
			}
		}
		query := memory.Query{Words: phrase.Draw(t, "query"), Limit: rapid.IntRange(1, 10).Draw(t, "limit")}
		var hits [2][]memory.Hit
		var lists [2][]memory.Record
		for i, s := range twins {
			var err error
			if hits[i], err = s.Search(ctx, query); err != nil {
				t.Fatal(err)
			}
			if lists[i], err = s.List(ctx, query); err != nil {
				t.Fatal(err)
			}
			for j := range hits[i] {
				hits[i][j].Record = bare(hits[i][j].Record)
			}
			for j := range lists[i] {
				lists[i][j] = bare(lists[i][j])
			}
		}
		if diff := gocmp.Diff(hits[0], hits[1]); diff != "" {
			t.Fatalf("search: %s", diff)
		}
		if diff := gocmp.Diff(lists[0], lists[1]); diff != "" {
			t.Fatalf("list: %s", diff)
		}
	})
}

// bare leaves out what differs by chance and by the clock.
func bare(r memory.Record) memory.Record {
	r.ID, r.Created, r.Updated, r.LastSeen = "", time.Time{}, time.Time{}, time.Time{}
	return r
}

// FuzzSearch: no query breaks the search, or finds what is kept apart.
func FuzzSearch(f *testing.F) {
	s, _ := opened(f, memory.Options{})
	add(f, s, owners("the red door"))
	add(f, s, strangers("the vault key"))
	for _, seed := range []string{"red", `"`, `"" OR *`, "NEAR(a b)", "text: vault", "-vault", "^vault", "vault*", "{text tags}: vault", "a AND NOT b", "\x00vault",
		"vault\xff", "'; DROP TABLE memory_records; --", strings.Repeat("vault ", 2000), strings.Repeat("(", 5000), "赤い", "é\u0301\u0301", "\u200d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, words string) {
		hits, err := s.Search(context.Background(), memory.Query{Words: words, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			if h.Lane != memory.Trusted {
				t.Fatalf("found %+v", h)
			}
		}
		if _, err := s.Search(context.Background(), memory.Query{Words: words, Lane: memory.Quarantine}); err != nil {
			t.Fatal(err)
		}
	})
}
