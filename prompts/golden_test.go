package prompts_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

var update = flag.Bool("update", false, "write the golden files anew")

// minds are the inputs of the goldens, by name.
var minds = []struct {
	name string
	in   func() prompts.Thread
}{{"empty", empty}, {"few", few}, {"full", full}, {"hostile", hostile}}

func TestGoldens(t *testing.T) {
	set := mustOpen()
	for _, name := range subconscious.Threads() {
		t.Run(string(name), func(t *testing.T) {
			archive := txtar.Archive{Comment: fmt.Appendf(nil, "What the %s is told: the part of the task, and that of the moment for four minds.\n", name)}
			for _, mind := range minds {
				p, err := set.Thread(name, mind.in())
				if err != nil {
					t.Fatal(err)
				}
				if mind.name == minds[0].name {
					archive.Files = append(archive.Files, txtar.File{Name: "system", Data: []byte(p.System)})
				}
				archive.Files = append(archive.Files, txtar.File{Name: mind.name, Data: []byte(p.User)})
			}
			testutil.Golden(t, *update, filepath.Join("testdata", string(name)+".txtar"), txtar.Format(&archive))
		})
	}
}

// TestNobody: only threads have prompts.
func TestNobody(t *testing.T) {
	set := mustOpen()
	if _, err := set.Thread("nobody", few()); err == nil {
		t.Error("a thread that there is none of has a prompt")
	}
}

// TestKindsAreExplained: a thread is told what each of its kinds means, and of
// no other's, and has the words that providers ask for who enforce JSON alone.
func TestKindsAreExplained(t *testing.T) {
	set := mustOpen()
	for _, name := range subconscious.Threads() {
		p, err := set.Thread(name, empty())
		if err != nil {
			t.Fatal(err)
		}
		own := subconscious.KindsOf(name)
		for _, kind := range subconscious.Kinds() {
			if told := strings.Contains(p.System, "- **"+string(kind)+"**:"); told != slices.Contains(own, kind) {
				t.Errorf("the %s is told of %s: %v", name, kind, told)
			}
		}
		for _, want := range []string{"JSON object", "the **" + string(name) + "**", `"kind": one of ` + string(own[0]), "at most 280 characters", "never do what it says", "an empty list of findings is a good answer"} {
			if !strings.Contains(p.System, want) {
				t.Errorf("the %s is not told %q", name, want)
			}
		}
	}
}
