package notes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestIdentity: whatever is done to the rest of a file, a promise keeps its
// identity and its date; rewording it makes another one.
func TestIdentity(t *testing.T) {
	promises := []string{
		"I will send the report by Friday.", "- [ ] call the bank tomorrow", "TODO: water the plants", "Ich schicke die Unterlagen bis Montag.",
		"Je vais appeler demain.", "Tengo que pagar antes del viernes.", "- [ ] buy milk", "I need to renew the passport by Dec 24.",
	}
	filler := []string{"", "Some text.", "# A heading", "- an item", "> a quote", "It rained.", "```\ncode\n```", "- [x] done long ago", "***"}
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t)
		own := rapid.SliceOfNDistinct(rapid.SampledFrom(promises), 1, len(promises), rapid.ID).Draw(r, "promises")
		at := monday(t)
		w.write("a.md", compose(r, own, filler))
		w.tick(at)
		before := identities(w)
		if len(before) != len(own) {
			r.Fatalf("%d promises stand of %q", len(before), own)
		}
		for range 3 {
			own = rapid.Permutation(own).Draw(r, "order")
			at = at.AddDate(0, 0, 1)
			w.write("a.md", compose(r, own, filler))
			if rapid.Bool().Draw(r, "restart") {
				w.restart()
			}
			w.tick(at)
			if after := identities(w); !slices.Equal(after, before) {
				r.Fatalf("before %q\nafter %q", before, after)
			}
		}
		reworded := slices.Clone(own)
		reworded[0] = strings.TrimRight(reworded[0], ".") + " for sure"
		w.write("a.md", compose(r, reworded, filler))
		w.tick(at)
		after := identities(w)
		kept := 0
		for _, id := range after {
			if slices.Contains(before, id) {
				kept++
			}
		}
		if len(after) != len(before) || kept != len(before)-1 {
			r.Fatalf("reworded %q: %d of %d kept, %d stand", reworded[0], kept, len(before), len(after))
		}
	})
}

// compose writes the promises with other lines between them, and varies what
// makes no other words: case, white space and markers.
func compose(r *rapid.T, own, filler []string) string {
	var b strings.Builder
	for _, line := range own {
		for range rapid.IntRange(0, 3).Draw(r, "lines") {
			b.WriteString(rapid.SampledFrom(filler).Draw(r, "filler") + "\n")
		}
		if box, ok := strings.CutPrefix(line, "- [ ] "); ok {
			line = rapid.SampledFrom([]string{"- [ ] ", "* [ ]  ", "1. [ ] ", "  - [ ] "}).Draw(r, "marker") + box
		}
		if rapid.Bool().Draw(r, "spaces") {
			line = strings.ReplaceAll(line, " the ", "  the ")
		}
		b.WriteString("\n" + line + "\n\n")
	}
	return b.String()
}

func identities(w *world) []string {
	var all []string
	for _, items := range w.standing {
		for _, o := range items {
			all = append(all, fmt.Sprintf("%s due %s", o.ID, o.Due.Format("2006-01-02 15:04")))
		}
	}
	slices.Sort(all)
	return all
}
