package reflex_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
)

// TestRules holds every rule to its documentation. That an Example is what its
// rule writes is checked by TestScenarios, over the file named here.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, thread := range subconscious.Threads() {
		rules := reflex.Rules(thread)
		if len(rules) == 0 {
			t.Errorf("the %s has no rules", thread)
		}
		for _, rule := range rules {
			if seen[rule.Name] || !strings.HasPrefix(rule.Name, string(thread)+".") {
				t.Errorf("%q is there twice, or not named after the %s", rule.Name, thread)
			}
			seen[rule.Name] = true
			if rule.Low < 1 || rule.High > 10 || rule.Low > rule.High {
				t.Errorf("%s: importance %d to %d", rule.Name, rule.Low, rule.High)
			}
			if !strings.HasSuffix(rule.Doc, ".") || subconscious.Summary(rule.Example) != rule.Example {
				t.Errorf("%s is not documented: %q, %q", rule.Name, rule.Doc, rule.Example)
			}
			archive := readArchive(t, filepath.Join("testdata", "example."+rule.Name+".txtar"))
			if !strings.Contains(string(archive.Files[0].Data), "example "+rule.Name+"\n") {
				t.Errorf("the file of its example does not name %s", rule.Name)
			}
		}
	}
	if reflex.Rules("gardener") != nil || reflex.New("gardener").Name() != "gardener" || reflex.New("gardener").Mode() != "reflex" {
		t.Error("a thread that is not built in has rules, or another name")
	}
}

// TestEveryRuleReachesItsBounds: the importance that is documented is the one
// that the scenarios show.
func TestEveryRuleReachesItsBounds(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	low, high := map[string]int{}, map[string]int{}
	for _, file := range files {
		for _, f := range newScenario(t, file, string(readArchive(t, file).Files[0].Data)).think().Findings {
			if n, known := low[f.Rule]; !known || f.Importance < n {
				low[f.Rule] = f.Importance
			}
			high[f.Rule] = max(high[f.Rule], f.Importance)
		}
	}
	for _, thread := range subconscious.Threads() {
		for _, rule := range reflex.Rules(thread) {
			if low[rule.Name] != rule.Low || high[rule.Name] != rule.High {
				t.Errorf("%s is documented with importance %d to %d, and the scenarios show %d to %d",
					rule.Name, rule.Low, rule.High, low[rule.Name], high[rule.Name])
			}
		}
	}
}

const document = "../../docs/reflex.md"

// TestDocument keeps docs/reflex.md what the rules say of themselves.
func TestDocument(t *testing.T) {
	want := describe()
	if *update {
		if err := os.MkdirAll(filepath.Dir(document), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(document, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale: run go test ./threads/reflex -run TestDocument -update", document)
	}
}

// looksAt is what each thread looks at.
var looksAt = map[subconscious.ThreadName]string{
	subconscious.Watcher:   "The watcher looks at what changed: this machine, files, the calendar, mail, what you tell it.",
	subconscious.Librarian: "The librarian looks at what you wrote, also in mail, and at what keeps happening.",
	subconscious.Oracle:    "The oracle looks ahead: 72 hours, and up to 35 days when little else is new.",
	subconscious.Dreamer:   "The dreamer looks at all of it, sideways.",
}

func describe() []byte {
	var out bytes.Buffer
	out.WriteString(`# Reflex thinking

Without a model the four threads think by rules. Each rule notices one thing, and says it in a sentence with absolute
times in the mind's time zone. Importance goes from 1 to 10; below 3 nothing is kept, which is why a plain event waits
until its last two hours. ` + "`subconsciousctl why ENTRY`" + ` names the rule behind an entry.

Rules read what is new to their thread, what a wider field adds when little is new, and the entries that are being
followed; what stands they look up by due time, by word and by link. So a tick costs the same whether a hundred observations
stand or a hundred thousand. Several rules that notice the same thing make one finding, the most important. A rule whose
entry is no longer so ends it.

Beside a model rules judge facts at every tick, whatever it says: what is critical on the machine (` + "`watcher.machine`" + `),
clashes (` + "`oracle.clash`" + `), and what you promised by a date (` + "`oracle.deadline`" + `).

This page is written by ` + "`go test ./threads/reflex -run TestDocument -update`" + ` from ` + "`reflex.Rules`" + `.
`)
	for _, thread := range subconscious.Threads() {
		fmt.Fprintf(&out, "\n## %s\n\n%s\n\n| rule | notices | writes, for example | importance |\n|---|---|---|---|\n",
			strings.ToUpper(string(thread[:1]))+string(thread[1:]), looksAt[thread])
		for _, rule := range reflex.Rules(thread) {
			importance := fmt.Sprintf("%d to %d", rule.Low, rule.High)
			if rule.Low == rule.High {
				importance = fmt.Sprint(rule.Low)
			}
			fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", rule.Name, rule.Doc, strings.ReplaceAll(rule.Example, "|", `\|`), importance)
		}
	}
	return out.Bytes()
}
