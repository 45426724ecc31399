package memory

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/eval/harness"
)

// sample is made up, in the form of LoCoMo; evidence is written as people do.
const sample = `[{"sample_id": "conv-1",
 "qa": [{"question": "Where did Ana leave the caravan?", "category": 4, "evidence": ["D1:2; D:1:1"]},
        {"question": "What did Ben read?", "category": 1, "evidence": ["D2:1", "D9:9"]},
        {"question": "Nobody knows", "category": 4, "evidence": ["D7:1"]}],
 "conversation": {"speaker_a": "Ana", "session_1_date_time": "1:56 pm on 8 May, 2023",
  "session_1": [{"speaker": "Ben", "dia_id": "D1:1", "text": "Where is the caravan?"}, {"speaker": "Ana", "dia_id": "D1:2", "text": "Behind the mill."}],
  "session_2_date_time": "9:00 am on 9 May, 2023",
  "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "Look.", "blip_caption": "a book that Ben is reading"}]}}]`

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := Suite().Run(t.Context(), harness.Call{Args: args, Stdout: &out, Stderr: &out})
	return out.String(), err
}

// TestMemory: every question that has evidence counts, captions are searched, and both
// rankings are there, of each store.
func TestMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sample.json")
	if err := os.WriteFile(path, []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{path}, {path, "--among", "50"}, {path, "--only", "1"}} {
		out, err := run(t, args...)
		if fields := strings.Fields(out[strings.Index(out, "ours"):]); err != nil || strings.Join(fields[:6], " ") != "ours 2 1.000 1.000 1.000 1.000" || !strings.Contains(out, "plain") {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
	if _, err := run(t, path, "--strict"); err == nil || !strings.Contains(err.Error(), "above plain") {
		t.Errorf("a sample in which plain finds all as well: %v", err)
	}
}

// TestRefused: what is no conversation says what it is, and where.
func TestRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wrong.json")
	for text, want := range map[string]string{
		"{}": "is not a list of conversations", "[]": "there is no conversation in it", "\x1f\x8b broken": "wrong.json: ",
		`[{"sample_id": "a", "conversation": {"session_1": []}}]`:                                "session_1_date_time",
		`[{"sample_id": "a", "conversation": {"session_1": [], "session_1_date_time": "noon"}}]`: "session_1_date_time",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := run(t, path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := run(t, path+"nowhere"); err == nil {
		t.Error("a file that is not there is read")
	}
	if err := os.WriteFile(path, []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	for wrong, want := range map[string]string{"--among=-1": "take 0 to", "--scale=0": "take 5 to", "--scale=ten": "take 5 to", "--beside=x": "beside --scale"} {
		if _, err := run(t, path, wrong); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if _, err := run(t, path, "--only", "7"); err == nil || !strings.Contains(err.Error(), "no such conversation") {
		t.Errorf("%v", err)
	}
}
