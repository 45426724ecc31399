package calendar

import (
	"context"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses"
)

// FuzzParse: whatever the bytes are, expanding them ends, within bounds, and
// twice the same, and so does keeping them of an account.
func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	seeds := 0
	for _, path := range paths {
		data := testutil.Read(f, path)
		if ics := section(txtar.Parse(data), "calendar.ics"); ics != nil {
			f.Add(ics.Data)
			seeds++
		}
	}
	if seeds == 0 {
		f.Fatal("no seeds in testdata")
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := around()
		kept := shelf{}
		for _, row := range kept.take(Found{Collections: []Collection{{Changed: []Item{{Data: data}}}}}) {
			if len(row.Value) > senses.MaxRowValue {
				t.Fatalf("a row of %d bytes", len(row.Value))
			}
		}
		if _, err := expand(context.Background(), kept.split(), w); err != nil {
			t.Fatal(err)
		}
		found, err := expand(context.Background(), split(data), w)
		if err != nil {
			t.Fatal(err)
		}
		if len(found.occurrences) > maxPerFile || len(found.notes.String()) > 2000 || found.steps > maxSteps+maxEventSteps+400*366*100 {
			t.Fatalf("%d occurrences, %d bytes of notes, %d steps", len(found.occurrences), len(found.notes.String()), found.steps)
		}
		sense := &Sense{config: Config{ID: "sample"}}
		for _, o := range found.occurrences {
			if !w.holds(o.start) || o.end.Before(o.start) {
				t.Fatalf("from %s to %s is not within the window", o.start, o.end)
			}
			item := sense.observation(o, w.from, w.mind)
			if item.Title == "" || len(item.Title) > 200 || len(item.Text) > 4096 || len(item.ID) > 512 || item.Until.Before(item.Due) {
				t.Fatalf("out of bounds: %+v", item)
			}
		}
		again, err := expand(context.Background(), split(data), w)
		if err != nil {
			t.Fatal(err)
		}
		if len(again.occurrences) != len(found.occurrences) || again.notes.String() != found.notes.String() || again.steps != found.steps {
			t.Fatalf("another result the second time: %s\n%s", found.notes.String(), again.notes.String())
		}
	})
}
