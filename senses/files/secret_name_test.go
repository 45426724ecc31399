package files

import (
	"encoding/hex"
	"strings"
	"testing"
)

// sampleKey looks like a key of a service and is none.
const sampleKey = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hL3xR6"

// leaks returns the part of the sample key that text holds: nine characters
// of it are too many.
func leaks(text string) string {
	text = strings.ReplaceAll(text, hex.EncodeToString([]byte(sampleKey)), sampleKey)
	for i := range len(sampleKey) - 8 {
		if part := sampleKey[i : i+9]; strings.Contains(text, part) {
			return part
		}
	}
	return ""
}

func TestSecretsInNamesAreNotKept(t *testing.T) {
	names := []string{"key-" + sampleKey + ".txt", "in-" + sampleKey + "/plain.txt", "raw \xff " + sampleKey + ".txt"}
	w := newWorld(t, false)
	w.write("here.txt", "here")
	w.start()
	w.tick()
	for _, name := range names {
		w.write(name, "text of "+name[:3])
	}
	if told := w.tick(); len(told) != len(names) {
		t.Fatalf("told of %v", said(told))
	}
	for key := range w.kept.All {
		if part := leaks(key); part != "" {
			t.Errorf("the row %q holds %q", key, part)
		}
	}
	w.restart()
	if told := w.tick(); len(told) != 0 {
		t.Fatalf("after a restart: %v", said(told))
	}
	w.write(names[0], "other text")
	w.rename(names[1], "moved.txt")
	w.stop()
	w.remove(names[2])
	w.start()
	told := said(w.tick())
	if len(told) != 3 || !strings.HasPrefix(told[0], "changed ") || !strings.HasPrefix(told[1], "deleted ") || !strings.HasPrefix(told[2], "renamed moved.txt < ") {
		t.Fatalf("told of %q", told)
	}
	if told := w.tick(); len(told) != 0 || len(w.kept.All) != 3 {
		t.Fatalf("told again of %v, %d rows", said(told), len(w.kept.All))
	}
}

func TestNoCutGoesThroughASecret(t *testing.T) {
	for before := range 120 {
		name := strings.Repeat("a ", before/2) + sampleKey + strings.Repeat(" b", 60) + ".txt"
		for what, text := range map[string]string{"title": shown(name, maxTitleName), "attribute": attr(strings.Repeat("c/", 50) + name),
			"identity": identity(strings.Repeat("c ", 150) + name)} {
			if part := leaks(text); part != "" && !strings.Contains(text, sampleKey) {
				t.Fatalf("%d before: the %s %q holds %q", before, what, text, part)
			}
		}
	}
	for _, wide := range []string{"w ", "你 "} {
		for before := range 60 {
			for _, total := range []int{textRunes, headBytes} {
				data := strings.Repeat("x", before) + strings.Repeat(wide, total)
				end := total - 30
				if wide != "w " {
					end = end / 4 * 4
				}
				data = data[:end] + " " + sampleKey + " " + data[end:]
				if part := leaks(excerpt([]byte(data[:min(len(data), headBytes)]))); part != "" {
					t.Fatalf("%d before, of %d: the excerpt holds %q", before, total, part)
				}
			}
		}
	}
}
