package reflex_test

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
)

// TestRules holds every rule to docs/reflex.md. That an example is what its
// rule writes is checked by TestScenarios, over the file named here.
func TestRules(t *testing.T) {
	var names, told []string
	for _, thread := range subconscious.Threads() {
		rules := reflex.Rules(thread)
		if len(rules) == 0 {
			t.Errorf("the %s has no rules", thread)
		}
		for _, rule := range rules {
			if slices.Contains(names, rule.Name) || !strings.HasPrefix(rule.Name, string(thread)+".") {
				t.Errorf("%q is there twice, or not named after the %s", rule.Name, thread)
			}
			names = append(names, rule.Name)
		}
	}
	for _, rule := range page() {
		told = append(told, rule.name)
		if rule.low < 1 || rule.high > 10 || rule.low > rule.high {
			t.Errorf("%s: importance %d to %d", rule.name, rule.low, rule.high)
		}
		if !strings.HasSuffix(rule.doc, ".") || subconscious.Summary(rule.example) != rule.example {
			t.Errorf("%s is not documented: %q, %q", rule.name, rule.doc, rule.example)
		}
		text := given(t, txtar.Parse(testutil.Read(t, filepath.Join("testdata", "example."+rule.name+".txtar"))))
		if !strings.Contains(text, "example "+rule.name+"\n") {
			t.Errorf("the file of its example does not name %s", rule.name)
		}
	}
	if !slices.Equal(names, told) {
		t.Errorf("%s tells of the rules %q, and there are %q", document, told, names)
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
		for _, f := range newScenario(t, file, given(t, txtar.Parse(testutil.Read(t, file)))).think().Findings {
			if n, known := low[f.Rule]; !known || f.Importance < n {
				low[f.Rule] = f.Importance
			}
			high[f.Rule] = max(high[f.Rule], f.Importance)
		}
	}
	for _, rule := range page() {
		if low[rule.name] != rule.low || high[rule.name] != rule.high {
			t.Errorf("%s is documented with importance %d to %d, and the scenarios show %d to %d",
				rule.name, rule.low, rule.high, low[rule.name], high[rule.name])
		}
	}
}

const document = "../../docs/reflex.md"

// documented is what docs/reflex.md says of a rule.
type documented struct {
	name, doc, example string
	low, high          int
}

// page are the rules of docs/reflex.md, in its order.
var page = sync.OnceValue(func() (rules []documented) {
	text, err := os.ReadFile(document)
	if err != nil {
		panic(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([a-z.]+)` \\| (.*) \\| (.*) \\| (\\d+)(?: to (\\d+))? \\|$")
	for _, cell := range row.FindAllStringSubmatch(string(text), -1) {
		rule := documented{name: cell[1], doc: cell[2], example: strings.ReplaceAll(cell[3], `\|`, "|")}
		rule.low, _ = strconv.Atoi(cell[4])
		rule.high, _ = strconv.Atoi(cmp.Or(cell[5], cell[4]))
		rules = append(rules, rule)
	}
	return rules
})
