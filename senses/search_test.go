package senses_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// What holds the most of the words comes first, each observation once, and a
// sign of the pattern language is a sign like any other.
func TestSearch(t *testing.T) {
	k := newBook(t)
	k.tick([]senses.Collected{standingSet("notes", "home", "", titled("promise/1", "Send invoice 4711 to the printer"),
		titled("promise/2", "Send invoice 4712"), titled("file/a_b", "report_50%.txt was saved"),
		titled("promise/4", "Pay VAT"), titled("promise/3", "Überweisung an die Öffentliche Bücherei"), titled("file/c&d", "c&d.txt was saved"))})
	for _, test := range []struct {
		text string
		want []string
	}{
		{"you should have told me of invoice 4711", []string{"promise/1", "promise/2"}},
		{"4712", []string{"promise/2"}},
		{"report_50%.txt", []string{"file/a_b"}},
		{"%", nil},
		{"die überweisung", []string{"promise/3"}},
		{"c&d.txt", []string{"file/c&d"}},
		{"VAT", []string{"promise/4"}},
		{"the vat", []string{"promise/4", "promise/1"}},
		{"nothing of the sort happened", nil},
		{"", nil},
	} {
		found, err := k.ledger.Search(context.Background(), test.text, noon.Add(-time.Hour), 5)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found {
			got = append(got, f.Observation.ID)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q finds %q, want %q", test.text, got, test.want)
		}
	}
}

func titled(id, title string) subconscious.Observation {
	o := item(id, "1")
	o.Title = title
	return o
}
