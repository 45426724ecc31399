package deliberate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// TestScenes plays each scene of testdata: scene.json is the escalation, the
// world and the answers of the model, want what comes of it.
func TestScenes(t *testing.T) {
	testutil.Archives(t, *update, "testdata/*.txtar", 25, playScene)
}

func playScene(t *testing.T, _ string, archive *txtar.Archive) {
	if len(archive.Files) == 0 || archive.Files[0].Name != "scene.json" {
		t.Fatal("it has no scene.json")
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
	archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: []byte(shown(r, happened))})
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
