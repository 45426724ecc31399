package mail

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// madeUp writes the corpus of testdata into a folder.
func madeUp(t *testing.T) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "corpus.txtar"))
	if err != nil || len(archive.Files) == 0 {
		t.Fatal("no corpus", err)
	}
	folder := t.TempDir()
	for _, f := range archive.Files {
		path := filepath.Join(folder, filepath.FromSlash(f.Name))
		testutil.Write(t, path, f.Data)
	}
	return folder
}

func TestReadCorpus(t *testing.T) {
	folder, none := madeUp(t), t.TempDir()
	if err := os.Mkdir(filepath.Join(none, "ham-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(folder, "ham-1", "cmds"), filepath.Join(none, "ham-1", "cmds")} {
		testutil.Write(t, path, "mv 001.eml 002.eml\n")
	}
	c, err := readCorpus(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.unread) != 1 || c.unread[0] != filepath.Join("ham-1", "cmds") {
		t.Errorf("passed over are %q", c.unread)
	}
	if text := harness.Text(table, figures{Addresses: []string{"a"}, NoMail: c.unread}); !strings.Contains(text, "cmds") {
		t.Errorf("what is passed over is not said: %s", text)
	}
	var sorts []string
	for _, m := range c.messages {
		sorts = append(sorts, string(m.group))
		if bytes.HasPrefix(m.raw, []byte("From ")) || bytes.Count(m.raw, []byte("\n")) != bytes.Count(m.raw, []byte("\r\n")) {
			t.Errorf("%s is not as a server keeps it", m.path)
		}
		if m.took <= 0 || m.allocated == 0 {
			t.Errorf("%s took %s and %d bytes", m.path, m.took, m.allocated)
		}
	}
	if got, want := strings.Join(sorts, ", "), "personal, lists, bulk and machines, bulk and machines, personal, spam, spam"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := strings.Join(c.addresses(), " "); got != "eva@example.com" {
		t.Errorf("the person is %q", got)
	}
	start, end := c.span(14)
	if start.Format(time.DateOnly) != "2026-02-23" || end.Sub(start) != 14*24*time.Hour {
		t.Errorf("from %s to %s", start, end)
	}
	posts := c.posts(start, end)
	if len(posts) != 7 || posts[0].At.Before(start) || !posts[6].At.Before(end) || !posts[0].At.Before(posts[1].At) {
		t.Errorf("they come at %v to %v", posts[0].At, posts[6].At)
	}
	for _, parts := range [][]string{{"ham-2"}, {"../ham-1"}, {".."}} {
		if _, err := readCorpus(madeUp(t), parts); err == nil {
			t.Errorf("the parts %q are read", parts)
		}
	}
	for _, folder := range []string{t.TempDir(), none} {
		if _, err := readCorpus(folder, nil); err == nil || !strings.Contains(err.Error(), "has no messages") {
			t.Errorf("an empty folder: %v", err)
		}
	}
}

// The corpus goes through a whole daemon, every message is seen, and what asks
// is personal.
func TestDeliverCorpus(t *testing.T) {
	var out bytes.Buffer
	if err := Suite().Run(t.Context(), harness.Call{Args: []string{madeUp(t), "--days", "1", "--sample", "10", "--json", "--strict"}, Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	var f figures
	if err := json.Unmarshal(out.Bytes(), &f); err != nil {
		t.Fatal(err)
	}
	if f.Messages != 7 || f.Distinct != 7 || f.Unseen != 0 || f.Blind != 0 || f.Ticks != 288 || len(f.Groups) != 4 {
		t.Errorf("%+v", f)
	}
	for _, g := range f.Groups {
		if want := map[group]int{groupPersonal: 1}[g.Group]; g.Kinds["request"] != want {
			t.Errorf("of %s %d ask, want %d", g.Group, g.Kinds["request"], want)
		}
	}
	for _, s := range f.Sample {
		if s.Path != "" && (s.Subject == "" || s.From == "") {
			t.Errorf("a finding that cannot be judged: %+v", s)
		}
	}
	if text := harness.Text(table, f); !strings.Contains(text, "7 messages (ham-1, spam-1)") || !strings.Contains(text, "0 of 5 (0.00 %)") {
		t.Error(text)
	}
}

// What is not reached is said.
func TestMailReaches(t *testing.T) {
	f := figures{Unseen: 1, Blind: 2, RSS: 300, Groups: []ofGroup{{groupSpam, 50, map[string]int{"request": 1}}, {groupPersonal, 50, map[string]int{"request": 40}}}}
	f.Reading.SlowestMS, f.Reading.LargestMB = 201, 33
	if missed := harness.Missed(f.reaches()); len(missed) != 6 {
		t.Errorf("%q", missed)
	}
	f = figures{Groups: []ofGroup{{groupList, 100, map[string]int{"request": 1}}}}
	if missed := harness.Missed(f.reaches()); len(missed) != 0 {
		t.Errorf("%q", missed)
	}
}

func TestParseMailOptions(t *testing.T) {
	parsed, _, help, err := Suite().Parse([]string{"--parts", "easy-ham-1,spam-1", "data", "--addresses", "a@example.com", "--sample", "20"})
	o := parsed.(*options)
	if err != nil || help || o.path != "data" || !slices.Equal(o.parts, []string{"easy-ham-1", "spam-1"}) || o.sample != 20 || o.days != 14 || o.seed != 1 {
		t.Errorf("%+v, %v, %v", o, help, err)
	}
	for _, args := range [][]string{{}, {"a", "b"}, {"a", "--days", "0"}, {"a", "--days", "15"}, {"a", "--sample", "-1"}, {"a", "--addresses", "anna"}, {"a", "--what"}} {
		if _, _, _, err := Suite().Parse(args); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
