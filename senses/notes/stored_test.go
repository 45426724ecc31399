package notes_test

import (
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
)

// What an earlier version stored is read on: nothing is told anew, and what
// changed since then is.
func TestStoredBefore(t *testing.T) {
	w := newWorld(t)
	old := time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	w.writeAt("a.md", "- [ ] call the bank by 2030-01-02\n", old)
	w.writeAt("c.txt", "Words.\n", old)
	w.writeAt("key "+sampleKey+".md", "TODO: send the plan\n", old)
	w.Cursor = fmt.Appendf(nil, `{"v":1,"root":%q,"run":"de36c92f008aa22b","look":2,"baseline":true,"trusts":10900755201973584540}`, w.dir)
	for key, row := range map[string]string{
		"a.md":  "01028080c5ded6babde831440e16f095433936de0001bafd57bb89709aa9c260a0e4f08d0e000122c414ee",
		"c.txt": "01008080c5ded6babde8310e04992df26cbd3c75097375622f622e74787400014c83afe1",
		"\x02key [redacted:api-key]#ca4c4366cab0d57f": "01028080c5ded6babde8312847767842c11cf496000001a1370688",
	} {
		value, err := hex.DecodeString(row)
		if err != nil {
			t.Fatal(err)
		}
		w.Keep(senses.Batch{Rows: []senses.Row{{Key: key, Value: value}}})
	}
	w.restart()
	if b := w.collect(monday(t)); len(b.Changes)+len(b.Sets)+len(b.Rows) > 0 || b.Restamp != nil || b.Starting {
		t.Errorf("told anew: %+v", b)
	}
	w.writeAt("c.txt", "Words.\nMore.\n", old.Add(time.Minute))
	w.remove("key " + sampleKey + ".md")
	told := w.tick(monday(t))
	if len(told) != 2 || told[0].Attrs["what"] != "changed" || told[1].Attrs["what"] != "deleted" || len(w.All) != 2 {
		t.Errorf("told %s, %d rows", tell(told), len(w.All))
	}
}
