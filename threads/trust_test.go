package threads_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// TestFolderOfStrangersWithin: what lies in a folder of strangers' files is
// theirs, also where it is read by way of the person's folder around it.
func TestFolderOfStrangersWithin(t *testing.T) {
	home := t.TempDir()
	for _, file := range []string{"plan.md", "down/letter.md", "down/deep/letter.md", "agents/talk.md", "other/own/plan.md"} {
		testutil.Write(t, filepath.Join(home, file), "lighthouse")
	}
	registry, err := threads.NewRegistry(threads.RegistryOptions{
		Roots: []threads.Root{{ID: "notes", Path: home, Notes: true}, {ID: "down", Path: filepath.Join(home, "down")},
			{ID: "other", Path: filepath.Join(home, "other")}, {ID: "own", Path: filepath.Join(home, "other", "own"), Notes: true}},
		Within: []threads.Root{{Path: filepath.Join(home, "agents"), Trust: subconscious.Agent}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer registry.Stop(t.Context())
	trusts := func(tool, arguments string) (all []subconscious.Trust) {
		t.Helper()
		got, err := registry.Desk(subconscious.Snapshot{At: clock("2026-11-23 12:00"), World: shelf{}}).Read(t.Context(), models.ToolCall{Name: tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range got.Sources {
			all = append(all, s.Trust)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	for file, want := range map[string]subconscious.Trust{
		"notes/plan.md": subconscious.Owner, "notes/down/letter.md": subconscious.Outsider, "notes/down/deep/letter.md": subconscious.Outsider,
		"notes/agents/talk.md": subconscious.Agent, "own/plan.md": subconscious.Owner, "notes/other/own/plan.md": subconscious.Outsider,
		"other/own/plan.md": "", // a stranger's folder does not become the person's by what is within
	} {
		if got := trusts("read_file", fmt.Sprintf(`{"path":%q}`, file)); len(got) != 1 || rankless(got[0]) != rankless(want) {
			t.Errorf("%s is the word of %v, want %s", file, got, want)
		}
	}
	if got := trusts("search_notes", `{"words":"lighthouse"}`); !slices.Contains(got, subconscious.Outsider) || !slices.Contains(got, subconscious.Agent) {
		t.Errorf("what is found is the word of %v", got)
	}
}

// rankless reads no trust as an outsider's.
func rankless(trust subconscious.Trust) subconscious.Trust {
	if trust == "" {
		return subconscious.Outsider
	}
	return trust
}
