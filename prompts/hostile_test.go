package prompts_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

var (
	opening   = regexp.MustCompile(`^<([a-z_]+) ([a-z]{5})>$`)
	reference = regexp.MustCompile(`[a-z0-9_-]+:[a-z2-7]{10}(@[0-9]+)?`)
)

// blockToken is the word of the first block.
func blockToken(user string) string {
	for line := range strings.Lines(user) {
		if m := opening.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			return m[2]
		}
	}
	return ""
}

// fatal is a T of testing or of rapid.
type fatal interface {
	Helper()
	Fatalf(string, ...any)
}

// checkUser checks what must hold of the part of the moment whatever anybody
// wrote: every block is opened and closed once and by our word alone, every
// angle bracket is ours, and every line within begins as one of ours does, with
// references that we gave.
func checkUser(t fatal, in prompts.Thread, p prompts.Prompt) {
	t.Helper()
	known := map[string]bool{}
	for _, ref := range p.Shown {
		known[string(ref)] = true
	}
	token, within := blockToken(p.User), ""
	seen, quoting := map[string]bool{}, false
	for line := range strings.Lines(p.User) {
		line = strings.TrimSuffix(line, "\n")
		line, quoting = unquoted(t, line, token, quoting)
		if m := opening.FindStringSubmatch(line); m != nil {
			if within != "" || m[2] != token || seen[m[1]] {
				t.Fatalf("a block begins with %q within %q", line, within)
			}
			within, seen[m[1]] = m[1], true
			continue
		}
		if within != "" && line == "</"+within+" "+token+">" {
			within = ""
			continue
		}
		if strings.ContainsAny(line, "<>") || token != "" && strings.Contains(line, token) {
			t.Fatalf("a line has what blocks are made of: %q", line)
		}
		if strings.ContainsAny(line, "\r\v\f\u0085\u2028\u2029") {
			t.Fatalf("a line breaks inside: %q", line)
		}
		for _, found := range reference.FindAllString(line, -1) {
			name, _, _ := strings.Cut(found, "@")
			if !known[name] {
				t.Fatalf("%q is no reference of ours, in %q", found, line)
			}
		}
		if strings.HasPrefix(line, "[") {
			if found := reference.FindStringIndex(line); found == nil || found[0] != 1 || within == "" {
				t.Fatalf("a line passes for ours: %q", line)
			}
		}
		if (within == "new" || within == "evidence") && !strings.HasPrefix(line, "[") && !strings.HasPrefix(line, "    | ") && !strings.HasPrefix(line, "    earlier [") {
			t.Fatalf("a line of observations begins as none of ours: %q", line)
		}
	}
	if within != "" || quoting {
		t.Fatalf("block %q is not closed", within)
	}
}

// unquoted is a line without what sets off the words of others, which opens and
// closes in turn; still says whether it is open behind it.
func unquoted(t fatal, line, token string, open bool) (plain string, still bool) {
	t.Helper()
	for token != "" {
		mark := "«" + token + " "
		if open {
			mark = " " + token + "»"
		}
		before, after, found := strings.Cut(line, mark)
		if !found {
			break
		}
		line, open = before+after, !open
	}
	return line, open
}

// countLines counts the lines that begin with a reference.
func countLines(user string) int {
	n := 0
	for line := range strings.Lines(user) {
		if strings.HasPrefix(line, "[") {
			n++
		}
	}
	return n
}

func TestHostileText(t *testing.T) {
	set := mustOpen()
	in := hostile()
	p, err := set.Thread(subconscious.Watcher, in)
	if err != nil {
		t.Fatal(err)
	}
	checkUser(t, in, p)
	if got, want := countLines(p.User), len(in.Field.New)+len(in.Field.Wider)+len(in.Field.Standing); got != want {
		t.Errorf("%d lines begin with a reference, want %d", got, want)
	}
	if q, err := set.Thread(subconscious.Watcher, few()); err != nil || blockToken(q.User) == blockToken(p.User) {
		t.Error("text that holds the word of the blocks does not change it")
	}
	for _, wrong := range []string{"health:aaaaaaaaaa", "health:bbbbbbbbbb", "<|", "[INST]"} {
		if strings.Contains(p.User, wrong) {
			t.Errorf("%q is in it", wrong)
		}
	}
	quoting := false
	for line := range strings.Lines(p.User) {
		plain, still := unquoted(t, line, blockToken(p.User), quoting)
		if strings.Contains(line, "Jonas") && plain == line && !quoting {
			t.Errorf("text of outsiders is not set off: %q", line)
		}
		quoting = still
	}
}

// pieces are what hostile texts are made of.
var pieces = []string{"hello", " ", "\n", "\r", "\u2028", "\u2029", "\u0085", "\v", "[", "]", "<", ">", "«", "»", "\x02", "\x03", "</new ", "</standing ", "<system>", "^", "ˆ", "| ", "    | ",
	"health:aaaaaaaaaa", "mail:bbbbbbbbbb@1", "[notes:cccccccccc@3] notes · appeared", "@", ":", "notes", "dddddddddd", "\u200b", "\x00", "\x1b[31m", "\xff", "＜", "｜",
	"SYSTEM:", "## Your answer", "<|im_end|>", "[INST]", "earlier [mail:eeeeeeeeee@2]", "{{.New}}", "…", "日本", "\U000E0041", "%s"}

// TestAnyHostileText: whatever others wrote, wherever it stands, the frame
// holds.
func TestAnyHostileText(t *testing.T) {
	set := mustOpen()
	clean, err := set.Thread(subconscious.Watcher, few())
	if err != nil {
		t.Fatal(err)
	}
	parts := append([]string{blockToken(clean.User)}, pieces...)
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(parts), rapid.String()), 0, 12).Draw(t, name), "")
		}
		observe := func(id string) subconscious.Observation {
			return subconscious.Observation{ID: id, Sense: "mail", Change: subconscious.Appeared, Seq: 7, Title: text("title"), Text: text("text"),
				Trust: rapid.SampledFrom([]subconscious.Trust{subconscious.Owner, subconscious.Machine, subconscious.Agent, subconscious.Outsider, ""}).Draw(t, "trust"),
				Attrs: map[string]string{"from": text("from"), "location": text("location")}}
		}
		in := empty()
		in.Field.New, in.Field.Wider, in.Field.Standing = []subconscious.Observation{observe("a"), observe("b")}, []subconscious.Observation{observe("c")}, []subconscious.Observation{observe("d")}
		in.Field.Closed, in.Field.Journal, in.Field.Hint = []string{text("closed")}, text("journal"), text("hint")
		in.State.Entries = []subconscious.Entry{{ID: "w-a-1", List: subconscious.Hunches, Kind: subconscious.KindIdea, Summary: text("summary")}}
		in.State.History = []subconscious.EscalationRecord{{At: noon, Summary: text("told"), Reason: text("reason"), Outcome: text("outcome")}}
		in.State.Threads = map[subconscious.ThreadName]subconscious.ThreadState{subconscious.Watcher: {LastFindings: [][]subconscious.EntryID{{"w-a-1"}},
			FocusSource: rapid.SampledFrom([]string{"person", "dreamer", ""}).Draw(t, "source")}}
		in.MaxBytes = rapid.SampledFrom([]int{0, 3000, 2000}).Draw(t, "bytes")
		p, err := set.Thread(subconscious.Watcher, in)
		if err != nil {
			t.Fatal(err)
		}
		checkUser(t, in, p)
		if len(p.User) > prompts.MaxBytes || in.MaxBytes > 0 && len(p.User) > in.MaxBytes {
			t.Fatalf("%d bytes", len(p.User))
		}
	})
}

func FuzzText(f *testing.F) {
	for _, piece := range pieces {
		f.Add("a " + piece + " b")
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := prompts.OneLine(text)
		if strings.ContainsAny(got, "<>\n\r\t\u2028\u2029\x02\x03") {
			t.Fatalf("%q becomes %q", text, got)
		}
		if reference.MatchString(got) {
			t.Fatalf("%q holds a reference: %q", text, got)
		}
	})
}
