package memory_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const poem = `package sample

func timeout() int {
	return 30
}

func retries() int {
	return 3
}

func other() int {
	return 3
}
`

// write writes a file of a folder, which it makes.
func write(t testing.TB, folder, name, text string) {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// cites is an agent's record of a project.
func cites(project string, c memory.Citation) memory.Record {
	return memory.Record{Text: "The sample waits for half a minute.", Trust: subconscious.Agent, Source: memory.Agent, About: memory.About{Agent: "coder", Project: project}, Citations: []memory.Citation{c}}
}

func validated(t testing.TB, s *memory.Store, id string) (memory.Record, []memory.Found) {
	t.Helper()
	r, found, err := s.Validate(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r, found
}

// TestCitedLines: whatever becomes of cited lines is seen, and nothing holds without
// them.
func TestCitedLines(t *testing.T) {
	for name, c := range map[string]struct {
		lines  string
		change func(t *testing.T, folder, file string)
		want   memory.Validity
		stand  string
		says   string
	}{
		"untouched":      {"3-5", nil, memory.Holds, "", "unchanged"},
		"edited":         {"3-5", to("30", "60"), memory.Changed, "", "changed or deleted"},
		"moved":          {"3-5", to("package", "// one\n\n// two\npackage"), memory.Holds, "6-8", "elsewhere"},
		"one line moved": {"4", to("package", "\npackage"), memory.Holds, "5", "elsewhere"},
		"other ends":     {"3-5", to("\n", "\r\n"), memory.Holds, "", "unchanged"},
		"deleted":        {"3-5", to("func timeout() int {\n\treturn 30\n}\n", ""), memory.Changed, "", "changed or deleted"},
		"cut off":        {"11-13", to("\nfunc other() int {\n\treturn 3\n}\n", ""), memory.Changed, "", "changed or deleted"},
		"all of it":      {"", to("other", "another"), memory.Changed, "", "the file was changed"},
		"a twin edited":  {"8", to("retries() int {\n\treturn 3", "retries() int {\n\treturn 5"), memory.Changed, "", "as they did before"},
		"twins moved":    {"8", to("package", "// one\npackage"), memory.Holds, "9", "elsewhere"},
		"only a bracket": {"5", to("30\n}", "30 }"), memory.Changed, "", ""},
		"backwards":      {"5-3", nil, memory.Unknown, "", "before they begin"},
		"gone":           {"3-5", func(t *testing.T, _, file string) { check(t, os.Remove(file)) }, memory.Missing, "", "not there"},
		"folder gone":    {"3-5", func(t *testing.T, folder, _ string) { check(t, os.RemoveAll(folder)) }, memory.Unknown, "", "folder is not there"},
		"too large":      {"3-5", func(t *testing.T, _, file string) { check(t, os.Truncate(file, 1<<20+1)) }, memory.Unknown, "", "no file of up to"},
		"a pipe": {"3-5", func(t *testing.T, _, file string) {
			check(t, errors.Join(os.Remove(file), syscall.Mkfifo(file, 0o600)))
		},
			memory.Unknown, "", "no file of up to"},
		"a link out of it": {"3-5", func(t *testing.T, folder, file string) {
			write(t, folder+"-outside", "sample.go", poem)
			check(t, errors.Join(os.Remove(file), os.Symlink(folder+"-outside/sample.go", file)))
		}, memory.Unknown, "", "no file of up to"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := opened(t, memory.Options{})
			folder := filepath.Join(t.TempDir(), "sample")
			write(t, folder, "sample.go", poem)
			write(t, folder, ".git/HEAD", "")
			r := add(t, s, cites(folder, memory.Citation{File: "sample.go", Lines: c.lines}))
			if c.change != nil {
				c.change(t, folder, filepath.Join(folder, "sample.go"))
			}
			r, found := validated(t, s, r.ID)
			if r.Validity != c.want || len(found) != 1 || found[0].Lines != c.stand || !strings.Contains(found[0].Says, c.says) {
				t.Errorf("%s, %+v", r.Validity, found)
			}
			if doubted := c.want == memory.Changed || c.want == memory.Missing; doubted != (r.Doubt() != "") || (r.Confidence < 0.6) != (c.want == memory.Changed) {
				t.Errorf("doubt %q, confidence %v", r.Doubt(), r.Confidence)
			}
		})
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// to replaces what stands in the file, everywhere.
func to(old, new string) func(*testing.T, string, string) {
	return func(t *testing.T, folder, file string) {
		write(t, folder, filepath.Base(file), strings.ReplaceAll(poem, old, new))
	}
}

// TestNotLookedInto: what strangers name, and what lies beside an agent's project, is not
// opened.
func TestNotLookedInto(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	folder := t.TempDir()
	write(t, folder, "project/sample.go", poem)
	write(t, folder, "project/.git/HEAD", "")
	write(t, folder, "beside.go", poem)
	for name, r := range map[string]memory.Record{
		"beside":        cites(filepath.Join(folder, "project"), memory.Citation{File: "../beside.go"}),
		"absolute":      cites(filepath.Join(folder, "project"), memory.Citation{File: filepath.Join(folder, "beside.go")}),
		"no repository": cites(folder, memory.Citation{File: "beside.go"}),
		"everything":    cites("/", memory.Citation{File: filepath.Join(folder, "beside.go")}),
		"nowhere":       cites("", memory.Citation{File: filepath.Join(folder, "beside.go")}),
		"stranger":      {Text: "A stranger's sample", Trust: subconscious.Outsider, About: memory.About{Project: folder}, Citations: []memory.Citation{{File: "beside.go"}}},
	} {
		r.Text += name
		if r, found := validated(t, s, add(t, s, r).ID); r.Validity != memory.Unknown || r.Citations[0].Hash != "" || !strings.Contains(found[0].Says, "no folder") {
			t.Errorf("%s: %+v, %+v", name, r, found)
		}
	}
	own := owners("The person's own word of a file")
	own.Citations = []memory.Citation{{File: filepath.Join(folder, "beside.go"), Lines: "4"}}
	read := owners("What an adapter read in a file")
	read.Origin = &memory.Origin{Adapter: "markdown", Path: filepath.Join(folder, "beside.go"), Lines: "4", Hash: fmt.Sprintf("%x", sha256.Sum256([]byte("\treturn 30\n")))}
	for _, r := range []memory.Record{own, read} {
		if r, found := validated(t, s, add(t, s, r).ID); r.Validity != memory.Holds || len(found) != 1 {
			t.Errorf("%+v, %+v", r, found)
		}
	}
}

// TestConfidenceOfWhatChanged: a change costs half of it once, however often it is looked
// at, until it holds again or the person confirms it; undo takes back what somebody did,
// and no look.
func TestConfidenceOfWhatChanged(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	folder := t.TempDir()
	write(t, folder, ".git/HEAD", "")
	write(t, folder, "sample.go", poem)
	id := add(t, s, cites(folder, memory.Citation{File: "sample.go", Lines: "3-5"})).ID
	title := "Half a minute"
	if _, err := s.Edit(t.Context(), id, 0, memory.Edit{Title: &title}, "person"); err != nil {
		t.Fatal(err)
	}
	step := func(text string, want memory.Validity, confidence float64) {
		t.Helper()
		write(t, folder, "sample.go", text)
		for range 3 {
			if r, _ := validated(t, s, id); r.Validity != want || r.Confidence != confidence {
				t.Errorf("%s, %v; want %s, %v", r.Validity, r.Confidence, want, confidence)
			}
		}
	}
	changed := strings.ReplaceAll(poem, "30", "60")
	step(poem, memory.Holds, 0.6)
	step(changed, memory.Changed, 0.3)
	step(poem, memory.Holds, 0.6)
	step(changed, memory.Changed, 0.3)
	history, err := s.History(t.Context(), id)
	if err != nil || len(history) != 5 || history[0].By != "validation" || history[0].What != "checked: sample.go:3-5: the lines were changed or deleted" || history[0].Before.Validity != memory.Holds {
		t.Errorf("%+v, %v", history, err)
	}
	if r, err := s.Undo(t.Context(), id, "person"); err != nil || r.Title == title || r.Version < 5 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := s.Confirm(t.Context(), id); err != nil || r.Confidence != 1 || r.Doubt() != "" {
		t.Errorf("%+v, %v", r, err)
	}
	validated(t, s, id) // how the lines stand is kept from now on
	step(changed, memory.Holds, 1)
	step(poem, memory.Changed, 0.5)
	// What is said again, with evidence of now, rests on that.
	write(t, folder, "sample.go", changed)
	again := owners("The sample waits for half a minute.")
	again.About, again.Citations = memory.About{Agent: "coder", Project: folder}, []memory.Citation{{File: "sample.go", Lines: "3-5"}}
	if r := add(t, s, again); r.ID != id || len(r.Citations) != 1 {
		t.Errorf("%+v", r)
	}
	step(changed, memory.Holds, 1)
}

// TestPutBeforeASession: what is recalled for somebody is looked at first; what the person
// looks for is not.
func TestPutBeforeASession(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	folder := t.TempDir()
	write(t, folder, ".git/HEAD", "")
	write(t, folder, "sample.go", poem)
	add(t, s, cites(folder, memory.Citation{File: "sample.go"}))
	write(t, folder, "sample.go", "")
	q := memory.Query{Words: "sample minute", Lane: memory.Agents}
	if hits := search(t, s, q); len(hits) != 1 || hits[0].Doubt() != "" {
		t.Errorf("%+v", hits)
	}
	q.Into = "s-1"
	if hits := search(t, s, q); len(hits) != 1 || hits[0].Doubt() != "its source has changed since" {
		t.Errorf("%+v", hits)
	}
}

// TestEqualScores: the surer of two comes first.
func TestEqualScores(t *testing.T) {
	s, _ := opened(t, memory.Options{})
	machine := owners("The sample printer closes at noon.")
	machine.Trust = subconscious.Machine
	machine.About.Project = "a"
	add(t, s, machine)
	person := owners("The sample printer closes at noon.")
	person.About.Project = "b"
	want := add(t, s, person)
	machine.About.Project = "c"
	add(t, s, machine)
	check(t, s.Rank(t.Context()))
	if hits := search(t, s, memory.Query{Words: "printer noon"}); len(hits) != 3 || hits[0].Score != hits[2].Score || hits[0].ID != want.ID {
		t.Errorf("%+v", hits)
	}
}

// repository makes a git repository in a folder, and returns what runs git there.
func repository(t *testing.T) (folder string, git func(args ...string) string) {
	t.Helper()
	path, err := exec.LookPath("git")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is not installed")
		}
		t.Skip("git is not installed")
	}
	folder = t.TempDir()
	git = func(args ...string) string {
		t.Helper()
		command := exec.Command(path, append([]string{"-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"}, args...)...)
		command.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"}
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	write(t, folder, "sample.go", poem)
	git("add", ".")
	git("commit", "-q", "-m", "sample")
	return folder, git
}

// TestCitedCommit: a commit holds while it is on a branch; what cannot be told is
// unknown.
func TestCitedCommit(t *testing.T) {
	const absent = "0123456789012345678901234567890123456789"
	for name, c := range map[string]struct {
		change  func(t *testing.T, folder string, git func(...string) string)
		commit  string
		options memory.Options
		want    memory.Validity
		says    string
	}{
		"on a branch": {want: memory.Holds, says: "on a branch"},
		"amended": {change: func(t *testing.T, _ string, git func(...string) string) {
			git("commit", "-q", "--amend", "-m", "other")
		}, want: memory.Changed, says: "no branch"},
		"not there": {commit: absent, want: memory.Missing, says: "not in the repository"},
		"not there, and not all was fetched": {
			change: func(t *testing.T, folder string, _ func(...string) string) { write(t, folder, ".git/shallow", "") },
			commit: absent, want: memory.Unknown, says: "cannot tell",
		},
		"an option": {commit: "--output=/tmp/x", want: memory.Unknown, says: "not named by its hash"},
		"no repository": {change: func(t *testing.T, folder string, _ func(...string) string) {
			check(t, errors.Join(os.RemoveAll(filepath.Join(folder, ".git")), os.Mkdir(filepath.Join(folder, ".git"), 0o700)))
		}, want: memory.Unknown, says: "cannot tell"},
		"no git":  {options: memory.Options{Path: []string{"/nonexistent"}}, want: memory.Unknown, says: "not there to be asked"},
		"no time": {options: memory.Options{Git: 1}, want: memory.Unknown, says: "in time"},
	} {
		t.Run(name, func(t *testing.T) {
			folder, git := repository(t)
			if c.options.Git == 0 {
				c.options.Git = time.Minute
			}
			if c.commit == "" {
				c.commit = git("rev-parse", "HEAD")
			}
			s, _ := opened(t, c.options)
			r := add(t, s, cites(folder, memory.Citation{File: "sample.go", Commit: c.commit}))
			if c.change != nil {
				c.change(t, folder, git)
			}
			r, found := validated(t, s, r.ID)
			if r.Validity != c.want || len(found) != 1 || !strings.Contains(found[0].Says, c.says) || r.Citations[0].Hash != "" {
				t.Errorf("%s, %+v", r.Validity, found)
			}
		})
	}
}

// TestGitEnds: what git began ends with it.
func TestGitEnds(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, ".git/HEAD", "")
	write(t, folder, "sample.go", poem)
	write(t, folder, "bin/git", "#!/bin/sh\ntrap '' TERM\nsleep 600 &\necho $! > '"+folder+"/child'\nwait\n")
	check(t, os.Chmod(filepath.Join(folder, "bin/git"), 0o755))
	s, _ := opened(t, memory.Options{Git: time.Hour, Path: []string{filepath.Join(folder, "bin"), "/usr/bin", "/bin"}})
	r := add(t, s, cites(folder, memory.Citation{File: "sample.go", Commit: "0123456789"}))
	other := cites(folder, memory.Citation{File: "sample.go", Commit: "9876543210"})
	other.Citations = append(other.Citations, r.Citations...)
	id := add(t, s, other).ID
	ctx, cancel := context.WithCancel(t.Context())
	var child []byte
	var waiting sync.WaitGroup
	waiting.Go(func() {
		defer cancel()
		for end := time.Now().Add(time.Minute); len(child) == 0 && time.Now().Before(end); {
			child, _ = os.ReadFile(filepath.Join(folder, "child")) // until it is there
		}
	})
	if r, found, err := s.Validate(ctx, id); err != nil || r.Validity != memory.Unknown || len(found) != 2 || !strings.Contains(found[0].Says+found[1].Says, "in time"+"git did not answer in time") {
		t.Errorf("%+v, %+v, %v", r, found, err)
	}
	waiting.Wait()
	stat := "/proc/" + strings.TrimSpace(string(child)) + "/stat"
	for end := time.Now().Add(time.Minute); ; {
		state, err := os.ReadFile(stat)
		if _, err := os.Stat("/proc/self/stat"); err != nil || time.Now().After(end) {
			t.Errorf("it is still there: %s", state)
			return
		}
		if err != nil || strings.Contains(string(state), ") Z ") {
			return
		}
	}
}

// TestHostileRepository: no file of a repository has anything run.
func TestHostileRepository(t *testing.T) {
	folder, git := repository(t)
	commit := git("rev-parse", "HEAD")
	ran := filepath.Join(folder, "ran")
	program := filepath.Join(folder, "run.sh")
	write(t, folder, "run.sh", "#!/bin/sh\necho \"$0 $*\" >> '"+ran+"'\nexit 1\n")
	check(t, os.Chmod(program, 0o755))
	for _, hook := range strings.Fields("post-checkout post-index-change reference-transaction fsmonitor-watchman pre-auto-gc") {
		check(t, os.Symlink(program, filepath.Join(folder, ".git/hooks", hook)))
	}
	for _, config := range [][2]string{
		{"core.fsmonitor", program}, {"core.hooksPath", filepath.Join(folder, ".git/hooks")}, {"core.pager", program}, {"core.editor", program}, {"core.sshCommand", program},
		{"core.gitProxy", program}, {"core.askPass", program}, {"core.alternateRefsCommand", program}, {"credential.helper", program}, {"gpg.program", program}, {"diff.external", program},
		{"pager.for-each-ref", program}, {"alias.for-each-ref", "!" + program}, {"filter.a.smudge", program}, {"filter.a.process", program}, {"uploadpack.packObjectsHook", program},
		{"protocol.allow", "always"}, {"protocol.ext.allow", "always"}, {"protocol.file.allow", "always"},
		{"core.repositoryFormatVersion", "1"}, {"extensions.partialClone", "origin"},
		{"remote.origin.url", "ext::" + program + " %S"}, {"remote.origin.promisor", "true"}, {"remote.origin.uploadpack", program}, {"remote.origin.partialCloneFilter", "blob:none"},
		{"remote.other.url", folder}, {"remote.other.promisor", "true"}, {"remote.other.uploadpack", program},
	} {
		git("config", config[0], config[1])
	}
	write(t, folder, ".gitattributes", "* filter=a diff=a\n")
	const absent = "0123456789012345678901234567890123456789"
	s, _ := opened(t, memory.Options{Git: time.Minute})
	for cited, want := range map[string]memory.Validity{commit: memory.Holds, absent: memory.Unknown} {
		r := cites(folder, memory.Citation{File: "sample.go", Commit: cited})
		r.Text += cited
		if r, found := validated(t, s, add(t, s, r).ID); r.Validity != want {
			t.Errorf("%s: %s, %+v", cited, r.Validity, found)
		}
	}
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("it ran: %s", text)
	}
	// The repository does have something run by who does not take care.
	_ = exec.Command("git", "-C", folder, "for-each-ref", "--contains="+absent).Run()
	if _, err := os.Stat(ran); err != nil {
		t.Error("the repository is not hostile at all")
	}
}
