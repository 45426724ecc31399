package deliberate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
)

// TestScenes plays each scene of testdata: scene.json is the escalation, the
// world and the answers of the model, want what comes of it.
func TestScenes(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) < 25 {
		t.Fatalf("there were 25 scenes and more, and are %d: %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { playScene(t, path) })
	}
}

func playScene(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil || len(archive.Files) == 0 || archive.Files[0].Name != "scene.json" {
		t.Fatalf("it has no scene.json: %v", err)
	}
	w := &world{}
	decoder := json.NewDecoder(bytes.NewReader(archive.Files[0].Data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&w.scene); err != nil {
		t.Fatal(err)
	}
	r, happened := play(t, w)
	checkOne(t, r, happened)
	if w.closed != len(w.opened) {
		t.Errorf("the purse was opened %d times and closed %d times", len(w.opened), w.closed)
	}
	got := shown(r, happened)
	if *update {
		archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(archive.Files) != 2 || got != string(archive.Files[1].Data) {
		t.Errorf("got\n%s\nwant\n%s", got, archive.Files[len(archive.Files)-1].Data)
	}
}

// shown is what came of an escalation, for goldens.
func shown(r deliberate.Record, happened []string) string {
	var text strings.Builder
	for _, line := range happened {
		fmt.Fprintln(&text, line)
	}
	if r.Fallback != "" {
		fmt.Fprintln(&text, "by rule:", r.Fallback)
	}
	fmt.Fprintln(&text, "steps:")
	for _, s := range r.Steps {
		fmt.Fprintf(&text, "  %s", s.Kind)
		if s.Call != nil {
			fmt.Fprintf(&text, " %.40s", s.Call.Name)
			if s.Call.Failed {
				text.WriteString(" failed")
			}
			if j := s.Call.Judgement; j != nil {
				fmt.Fprintf(&text, ", %s by %s, shown %v", j.Permission, j.Clause, s.Call.Shown)
			}
		}
		if s.Kind != deliberate.StepOpened {
			fmt.Fprintf(&text, ": %s", strings.ReplaceAll(cutTo(s.Text, 300), "\n", " / "))
		}
		if s.Cut {
			text.WriteString(" (cut)")
		}
		text.WriteByte('\n')
	}
	return text.String()
}

func cutTo(text string, most int) string {
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
