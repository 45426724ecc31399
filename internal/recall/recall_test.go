package recall

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// told are passages of one session, a line each; "Ana: text".
func told(session string, first int64, lines ...string) (all []Passage) {
	for i, line := range lines {
		speaker, text, _ := strings.Cut(line, ": ")
		all = append(all, Passage{ID: first + int64(i), Session: session, Place: i, Speaker: speaker, Text: text,
			Said: time.Date(2026, 5, int(first%28)+1, 9, 0, 0, 0, time.UTC)})
	}
	return all
}

func indexOf(passages ...[]Passage) *Index {
	x := New()
	for _, p := range slices.Concat(passages...) {
		x.Add(p)
	}
	return x
}

// TestSearch: the passage that answers comes before the one that shares more words by
// chance, in every language.
func TestSearch(t *testing.T) {
	x := indexOf(
		told("s1", 1, "Ana: Where did you park the caravan?", "Ben: Behind the old mill.", "Ana: The weather is nice."),
		told("s2", 10, "Ana: The mill closes on Sundays.", "Ben: I read a book on parks."),
		told("s3", 20, "Ana: Ich habe die Rechnungen des Klempners bezahlt.", "Ben: Wann kommen die Handwerker?", "Ana: Am Dienstag."),
		told("s4", 30, "Ana: La caldera pierde agua.", "Ben: 会議は明日の午後です。"),
	)
	for _, c := range []struct {
		asked string
		first int64
	}{
		{"where is the caravan parked", 2}, {"was the plumber's mill closed on sunday", 10}, {"Rechnung vom Klempner", 20},
		{"wann kommt der Handwerker", 22}, {"¿pierde la caldera?", 30}, {"会議", 31}, {"caravans", 1},
	} {
		hits := x.Search(Question{Text: c.asked, Limit: 3})
		if !slices.Contains(IDs(hits[:min(len(hits), 2)]), c.first) {
			t.Errorf("%s: %v", c.asked, hits)
		}
	}
	for _, nothing := range []string{"", "?!", "zebra", "\x00"} {
		if hits := x.Search(Question{Text: nothing, Limit: 3}); len(hits) != 0 {
			t.Errorf("%q: %v", nothing, hits)
		}
	}
	if found := x.Sessions(Question{Text: "Klempner", Limit: 2}); len(found) == 0 || found[0].Session != "s3" {
		t.Errorf("%v", found)
	}
}

// TestRaised: the speaker's name in the question raises, and excludes nothing.
func TestRaised(t *testing.T) {
	x := indexOf(told("a", 1, "Ana: the tax letter came"), told("b", 9, "Ben: the tax letter came"))
	if got := IDs(x.Search(Question{Text: "tax letter of Ana", Limit: 9})); !slices.Equal(got, []int64{1, 9}) {
		t.Errorf("named: %v", got)
	}
	if got := IDs(x.Search(Question{Text: "tax letter", Limit: 9})); !slices.Equal(got, []int64{9, 1}) {
		t.Errorf("of equal ones the newer: %v", got)
	}
	for day, first := range map[int]int64{3: 1, 11: 9, 20: 9} {
		asked := Question{Text: "tax letter, yesterday", Limit: 9, Now: time.Date(2026, 5, day, 12, 0, 0, 0, time.UTC)}
		if got := IDs(x.Search(asked)); len(got) != 2 || got[0] != first {
			t.Errorf("asked on the %d: %v", day, got)
		}
	}
}

// TestRemoveProperty: an index out of which passages were taken finds what one finds
// that never had them, with the same scores.
func TestRemoveProperty(t *testing.T) {
	word := rapid.SampledFrom([]string{"boiler", "plumber", "tax", "letter", "school", "bus?", "Ana", "dentist"})
	rapid.Check(t, func(t *rapid.T) {
		with, without := New(), New()
		var gone []Passage
		for i := range rapid.IntRange(1, 40).Draw(t, "passages") {
			p := Passage{ID: int64(i), Session: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "session"), Place: rapid.IntRange(0, 9).Draw(t, "place"),
				Speaker: word.Draw(t, "speaker"), Text: strings.Join(rapid.SliceOfN(word, 0, 6).Draw(t, "text"), " ")}
			with.Add(p)
			if rapid.Bool().Draw(t, "gone") {
				gone = append(gone, p)
			} else {
				without.Add(p)
			}
		}
		for _, p := range gone {
			with.Remove(p.ID)
			with.Remove(p.ID)
		}
		q := Question{Text: strings.Join(rapid.SliceOfN(word, 1, 4).Draw(t, "question"), " "), Limit: 100}
		if got, want := fmt.Sprint(with.Search(q)), fmt.Sprint(without.Search(q)); got != want || with.Len() != without.Len() {
			t.Fatalf("%s\nwant %s", got, want)
		}
		if got, want := fmt.Sprint(with.Sessions(q)), fmt.Sprint(without.Sessions(q)); got != want {
			t.Fatalf("%s\nwant %s", got, want)
		}
	})
}

// TestNearlyExact: of what is found by spreading around the best, 99 of 100 are what
// spreading to all finds.
func TestNearlyExact(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 4_000
	}
	x, questions := filled(n)
	same, all := 0, 0
	for _, q := range questions {
		near := IDs(x.Search(q))
		for _, id := range IDs(x.search(q, n)) {
			all++
			if slices.Contains(near, id) {
				same++
			}
		}
	}
	if same*100 < 99*all {
		t.Errorf("%d of %d were found", same, all)
	}
}

// TestAtOnce: it is searched while it changes.
func TestAtOnce(t *testing.T) {
	x, questions := filled(1000)
	random := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(random, 1.07, 8, 60000)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 500 {
			p := sample(random, zipf, 1000+i)
			x.Add(p)
			x.Remove(p.ID)
		}
	}()
	for i := range 500 {
		if got := x.Search(questions[i%len(questions)]); len(got) == 0 {
			t.Fatal("nothing was found")
		}
	}
	<-done
	if x.Len() != 1000 {
		t.Errorf("%d passages are left", x.Len())
	}
}

// FuzzSearch: what is hostile is found, or not, and nothing fails.
func FuzzSearch(f *testing.F) {
	f.Add("a text", "a question")
	f.Add("\xff\x00\u202e日本語", "語")
	f.Add(strings.Repeat("a? ", 5000), "a")
	f.Fuzz(func(t *testing.T, text, asked string) {
		x := New()
		p := Passage{ID: 1, Session: asked, Speaker: text, Text: text}
		x.Add(p)
		for _, h := range x.Search(Question{Text: asked, Limit: 3}) {
			if h.ID != 1 || h.Own <= 0 && h.Score <= 0 {
				t.Fatalf("%v", h)
			}
		}
		x.Remove(p.ID)
		if x.Len() != 0 || len(x.terms) != 0 {
			t.Fatalf("%d passages and %d terms are left", x.Len(), len(x.terms))
		}
	})
}
