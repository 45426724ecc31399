package notes_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// sampleKey looks like a key of a service and is none.
const sampleKey = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hL3xR6"

// leaks returns the part of the sample key that text holds: nine characters
// of it are too many.
func leaks(text string) string {
	for i := range len(sampleKey) - 8 {
		if part := sampleKey[i : i+9]; strings.Contains(text, part) {
			return part
		}
	}
	return ""
}

func TestSecretsInNamesAreNotKept(t *testing.T) {
	w := newWorld(t)
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	next := func() time.Time { at = at.Add(5 * time.Minute); return at }
	w.tick(at)
	first, second := "in-"+sampleKey+"/a.md", "key "+sampleKey+".md"
	w.write(first, "I will send the report by Friday\n")
	w.write(second, "I will call the bank by Monday\n")
	if told := w.tick(next()); len(told) != 2 || len(w.promises()) != 2 {
		t.Fatalf("told of %d notes, %d promises", len(told), len(w.promises()))
	}
	before := w.promises()
	w.restart()
	if told := w.tick(next()); len(told) != 0 {
		t.Fatalf("after a restart: %+v", told)
	}
	w.rename(first, "renamed.md") // its promises keep the identity of the first name
	w.restart()
	told := w.tick(next())
	if len(told) != 1 || told[0].Attrs["what"] != "renamed" {
		t.Fatalf("told of %+v", told)
	}
	for title, o := range w.promises() {
		if before[title].ID != o.ID {
			t.Errorf("%q was %q and is %q", title, before[title].ID, o.ID)
		}
	}
	for key, value := range w.All {
		if part := leaks(key + string(value)); part != "" {
			t.Errorf("the row %q = %q holds %q", key, value, part)
		}
	}
	w.remove(second)
	w.restart()
	if told := w.tick(next()); len(told) != 1 || told[0].Attrs["what"] != "deleted" || len(w.promises()) != 1 || len(w.All) != 1 {
		t.Fatalf("told of %+v; %d promises, %d rows", told, len(w.promises()), len(w.All))
	}
}

func TestNoCutGoesThroughASecret(t *testing.T) {
	w := newWorld(t)
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	w.tick(at)
	for before := 0; before < 60; before += 3 {
		w.write(fmt.Sprintf("added-%d.md", before), strings.Repeat("word ", 190)+strings.Repeat("x", before)+" "+sampleKey+" and more\n")
		w.write(fmt.Sprintf("task-%d.md", before), "- [ ] "+strings.Repeat("word ", 190)+strings.Repeat("y", before)+" "+sampleKey+" and more\n")
	}
	batch := w.collect(at.Add(5 * time.Minute))
	for _, set := range batch.Sets {
		batch.Changes = append(batch.Changes, set.Items...)
	}
	if len(batch.Changes) != 60 {
		t.Fatalf("%d observations", len(batch.Changes))
	}
	for _, o := range batch.Changes {
		if part := leaks(o.Title + "\n" + o.Text); part != "" && !strings.Contains(o.Title+o.Text, sampleKey) {
			t.Errorf("%s holds %q", o.Attrs["file"], part)
		}
	}
}
