package recall

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestConfined: what a question is confined to is found among a thousand better ones, and
// neighbours that are not of it lend their scores.
func TestConfined(t *testing.T) {
	x := New()
	for i := range int64(2000) {
		x.Add(Passage{ID: i, Text: "tax tax letter", Labels: []string{"kind:note", "project:a"}, Said: time.Unix(1000+i, 0)})
	}
	x.Add(Passage{ID: 5001, Session: "s", Place: 1, Text: "Did the tax letter come?", Labels: []string{"kind:note"}, Said: time.Unix(10, 0)})
	x.Add(Passage{ID: 5002, Session: "s", Place: 2, Text: "Yes, it did.", Labels: []string{"kind:fact", "project:a"}, Said: time.Unix(11, 0)})
	x.Add(Passage{ID: 5003, Text: "a letter about something else entirely", Labels: []string{"kind:fact"}, Said: time.Unix(9000, 0)})
	for i, c := range []struct {
		q    Question
		want []int64
	}{
		{Question{With: []string{"kind:fact"}}, []int64{5002, 5003}},
		{Question{With: []string{"project:a", "kind:fact"}}, []int64{5002}},
		{Question{With: []string{"kind:event"}}, nil},
		{Question{Session: "s"}, []int64{5001, 5002}},
		{Question{Session: "nowhere"}, nil},
		{Question{Since: time.Unix(2999, 0)}, []int64{1999, 5003}},
	} {
		c.q.Text, c.q.Limit = "tax letter", 10
		got := IDs(x.Search(c.q))
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%d: %v, want %v", i, got, c.want)
		}
	}
}

// TestVariety: of three that say the same one stands first, and the others behind what
// says something else.
func TestVariety(t *testing.T) {
	x := New()
	for i, text := range []string{"the tax letter came in May", "the tax letter came in May", "the tax letter came in May", "the tax letter: an adviser was asked"} {
		x.Add(Passage{ID: int64(i), Text: text})
	}
	q := Question{Text: "tax letter", Limit: 3}
	if got := IDs(x.Search(q)); slices.Contains(got, 3) {
		t.Fatalf("without variety: %v", got)
	}
	q.Variety = true
	if got := IDs(x.Search(q)); len(got) != 3 || got[1] != 3 {
		t.Errorf("%v", got)
	}
}

// TestListProperty: a list holds what a map does, whatever the order of changes, and
// over gaps that need an entry of their own.
func TestListProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l list
		want := map[uint32]uint16{}
		for range rapid.IntRange(1, 60).Draw(t, "changes") {
			n := rapid.OneOf(rapid.Uint32Range(0, 20), rapid.Uint32Range(gapMost-2, gapMost+2), rapid.Uint32Range(0, 1<<20)).Draw(t, "passage")
			if _, there := want[n]; there {
				l.take(n)
				delete(want, n)
				continue
			}
			often := rapid.IntRange(1, 9).Draw(t, "often")
			l.put(n, often)
			want[n] = uint16(min(often, oftenMost))
		}
		got := map[uint32]uint16{}
		for i, at := 0, uint32(0); i < len(l.entries); {
			i, at = l.next(i, at)
			got[at] = l.entries[i-1] & oftenMost
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || int(l.n) != len(want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestLengths: a length is kept exactly up to a step, and within half of one above.
func TestLengths(t *testing.T) {
	for terms := range 4200 {
		if kept := termsOf(lengthOf(terms)); math.Abs(float64(kept-terms)) > lengthStep/2 || terms <= lengthExact && kept != terms {
			t.Errorf("%d is kept as %d", terms, kept)
		}
	}
}

// TestChanged: an index whose passages were all put in anew, in another order, is as
// large and finds the same.
func TestChanged(t *testing.T) {
	x, questions := filled(2000)
	before := fmt.Sprint(len(x.passages), len(x.lists))
	var found []string
	for _, q := range questions[:20] {
		found = append(found, fmt.Sprint(x.Search(q)))
	}
	y, _ := filled(2000)
	for i := range int64(2000) {
		x.Remove(i * 7 % 2000)
	}
	if x.Len() != 0 || x.length != 0 || len(x.terms) != 0 {
		t.Fatalf("%d passages, %d and %d terms are left", x.Len(), x.length, len(x.terms))
	}
	for _, text := range texts(2000) {
		x.Add(text)
	}
	if after := fmt.Sprint(len(x.passages), len(x.lists)); after != before {
		t.Errorf("it has %s passages and terms, and had %s", after, before)
	}
	for i, q := range questions[:20] {
		if got := fmt.Sprint(x.Search(q)); got != found[i] || fmt.Sprint(y.Search(q)) != got {
			t.Errorf("%s: %s, want %s", strings.Fields(q.Text)[0], got, found[i])
		}
	}
}
