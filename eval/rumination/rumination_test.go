package rumination

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// measured runs the suite and returns its figures for one gate.
func measured(t *testing.T, gate, ticks string) (gateFigures, error) {
	t.Helper()
	var out bytes.Buffer
	err := Suite().Run(t.Context(), harness.Call{Args: []string{"--json", "--gate", gate, "--ticks", ticks}, Stdout: &out})
	var found figures
	if problem := json.Unmarshal(out.Bytes(), &found); problem != nil || len(found.Gates) != 1 {
		t.Fatalf("the figures cannot be read: %v; %v\n%s", err, problem, out.String())
	}
	return found.Gates[0], err
}

// Asked at every tick, a model that talks itself into things gets nowhere; with
// the rules of the ancestor it gets everywhere, so that the measure can fail.
func TestRuminationAlways(t *testing.T) {
	defer goleak.VerifyNone(t)
	f, err := measured(t, threads.Always, "40")
	if err != nil {
		t.Errorf("the mechanics miss a reach: %v", err)
	}
	if asked := 4 * 40; f.Model.Calls != asked || f.Documents.Checked != 40 {
		t.Errorf("there were %d calls and %d documents, want %d and 40", f.Model.Calls, f.Documents.Checked, asked)
	}
	if f.Mechanics.Accepted == 0 || f.Mechanics.Told == 0 {
		t.Errorf("%d findings were accepted and %d told: some rest on what was new", f.Mechanics.Accepted, f.Mechanics.Told)
	}
	for _, reason := range []string{"not_shown", "self_reference", "repeat"} {
		if f.Mechanics.Rejected[reason] == 0 {
			t.Errorf("no finding was rejected as %s: %v", reason, f.Mechanics.Rejected)
		}
	}
	for _, reach := range f.Baseline.reaches() {
		if reach.Met {
			t.Errorf("the baseline meets a reach, which then says nothing: %s", reach.Words)
		}
	}
}

// With the default gate a model is hardly asked where nothing changes.
func TestRuminationAdaptive(t *testing.T) {
	defer goleak.VerifyNone(t)
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	f, err := measured(t, threads.Adaptive, "20")
	if err != nil {
		t.Errorf("the mechanics miss a reach: %v", err)
	}
	if f.Model.Calls == 0 || f.Model.Calls > 20 {
		t.Errorf("there were %d calls, want a few", f.Model.Calls)
	}
	if f.Mechanics.Accepted == 0 {
		t.Error("what is new at the first ticks is accepted nowhere")
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v behind: %v", left, err)
	}
}

// The same seed gives the same figures, but for the time they took.
func TestRuminationIsRepeatable(t *testing.T) {
	var texts []string
	for range 2 {
		f, err := measured(t, threads.Adaptive, "6")
		if err != nil {
			t.Fatal(err)
		}
		f.Time = timeFigures{}
		// The folder's name, which is not always as long, is part of prompts and documents.
		f.Model.Input, f.Model.InputADay, f.Model.LastDay, f.Documents.MostToken = 0, 0, 0, 0
		text := testutil.JSON(t, f)
		texts = append(texts, string(text))
	}
	if texts[0] != texts[1] {
		t.Errorf("two runs differ:\n%s\n%s", texts[0], texts[1])
	}
}

func TestRuminationEndsWhenAsked(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	var out bytes.Buffer
	if err := Suite().Run(ctx, harness.Call{Stdout: &out}); err == nil {
		t.Error("it goes on after it was to end")
	}
}

// Whatever goes wrong is among what was missed.
func TestRuminationReaches(t *testing.T) {
	fine := func() gateFigures {
		return gateFigures{
			Gate: threads.Adaptive, Model: modelFigures{Calls: 3, Billed: 3, Allowed: 4}, Documents: documentFigure{Checked: 3},
			Mechanics: ruleFigures{Returned: 100, Accepted: 20},
		}
	}
	for name, spoil := range map[string]func(*gateFigures){
		"nobody was asked":       func(f *gateFigures) { f.Model.Calls, f.Model.Billed = 0, 0 },
		"nothing was said":       func(f *gateFigures) { f.Mechanics.Returned = 0 },
		"a call off the record":  func(f *gateFigures) { f.Model.Billed++ },
		"a call without answer":  func(f *gateFigures) { f.Model.Unanswered++ },
		"a document":             func(f *gateFigures) { f.Documents.Bad++ },
		"a late tick":            func(f *gateFigures) { f.Time.Over++ },
		"a thread":               func(f *gateFigures) { f.Model.FailedThread++ },
		"a dear silence":         func(f *gateFigures) { f.Model.NothingADay = 5 },
		"near-repeats":           func(f *gateFigures) { f.Mechanics.OfReturned = 0.06 },
		"near-repeats accepted":  func(f *gateFigures) { f.Mechanics.OfAccepted = 0.06 },
		"an entry upon nothing":  func(f *gateFigures) { f.Mechanics.BaselessEntries++ },
		"told twice":             func(f *gateFigures) { f.Mechanics.ToldTwice++ },
		"told of its own accord": func(f *gateFigures) { f.Mechanics.SelfReferential++ },
	} {
		f := fine()
		for _, reach := range f.reaches() {
			if !reach.Met {
				t.Fatalf("missed although all is well: %s", reach.Words)
			}
		}
		spoil(&f)
		missed := 0
		for _, reach := range f.reaches() {
			if !reach.Met {
				missed++
			}
		}
		if missed != 1 {
			t.Errorf("%s: %d reaches are missed, want one", name, missed)
		}
	}
}

// said is a finding for the tally and the baseline.
func said(words *vocabulary, thread subconscious.ThreadName, text string, escalate bool, cited ...subconscious.Citation) spoken {
	return spoken{subconscious.Finding{Summary: text, Escalate: escalate}, thread, words.learn(text), cited}
}

// ruled is what a rule found, and no model.
func ruled(s spoken) spoken {
	s.Rule = "watcher.machine"
	return s
}

func TestTally(t *testing.T) {
	disk := subconscious.Citation{Ref: "health:aaaaaaaaaa", Seq: 1}
	worse := subconscious.Citation{Ref: "health:aaaaaaaaaa", Seq: 2}
	words := newVocabulary()
	tally := newTally(words)
	at := func(tick int, name string, s spoken) {
		tally.now = tick
		tally.accept(name, s)
		if s.Escalate {
			tally.tell(name, s)
		}
	}
	at(1, "disk", said(words, subconscious.Watcher, "the disk of the server fills", true, disk))
	at(1, "disk", said(words, subconscious.Dreamer, "a strange coincidence", false, disk))         // at once
	at(2, "disk", said(words, subconscious.Watcher, "somebody hoards recordings", true, disk))     // nothing new
	at(3, "disk", said(words, subconscious.Watcher, "the disk of the server filled", true, worse)) // the words, but news
	at(4, "pattern:disk", said(words, subconscious.Librarian, "every winter likewise", true, disk))
	at(4, "disk", ruled(said(words, subconscious.Watcher, "97 per cent are in use", false, worse))) // the rules beside it
	at(4, "disk", ruled(said(words, subconscious.Watcher, "3 GB remain there", false, worse)))      // and again
	at(5, "mood", said(words, subconscious.Dreamer, "the disk of the server filling", true))
	got := tally.done()
	want := ruleFigures{
		Accepted: 8, Rejected: map[string]int{}, NearRepeats: 3, NearWords: 1, NearEvidence: 2, OfAccepted: 3.0 / 8, Elsewhere: 1, AtOnce: 2,
		Baseless: 1, Told: 5, ToldTwice: 1, ToldElsewhere: 1, SelfReferential: 1,
	}
	if a, b := asJSON(t, got), asJSON(t, want); a != b {
		t.Errorf("counted\n%s, want\n%s", a, b)
	}
}

func asJSON(t *testing.T, v any) string { return string(testutil.JSON(t, v)) }

func TestLikeness(t *testing.T) {
	words := newVocabulary()
	for _, text := range []string{"still the backlog grows", "again the tasks are growing", "now the photographs wait", "the disk is full"} {
		words.learn(text)
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"the disk is full", "the disk is full", true},
		{"backlogs growing", "still the backlog grows", true},
		{"the disk is full", "the photographs wait", false},
		{"the backlog", "the tasks", false},
		{"", "the tasks", false},
		{"—", "…", false},
	} {
		if alike := words.alike(words.learn(c.a), words.learn(c.b)); alike >= alikeFrom != c.same {
			t.Errorf("%q and %q are alike by %.2f", c.a, c.b, alike)
		}
	}
}

// The baseline believes what it is told often enough, and forgets what it is
// not told again.
func TestBaseline(t *testing.T) {
	words := newVocabulary()
	b := &baseline{words: words}
	var strengths []int
	told := 0
	for range 5 {
		for _, taken := range b.tick([]spoken{said(words, subconscious.Dreamer, "everything undone keeps growing", true)}) {
			strengths = append(strengths, taken.entry.strength)
			if taken.told {
				told++
			}
		}
	}
	if want := "[3,4,5,6,7]"; asJSON(t, strengths) != want || told != 1 {
		t.Errorf("the strengths are %v and it is told %d times, want %s and once", strengths, told, want)
	}
	if len(b.entries) != 1 || b.entries[0].list != subconscious.Insights || b.entries[0].grounded {
		t.Errorf("the entries are %+v, want one insight upon nothing", b.entries)
	}
	for range 7 {
		b.tick(nil)
	}
	if len(b.entries) != 0 {
		t.Errorf("it remembers %+v", b.entries)
	}
	var many []spoken
	for _, text := range []string{"alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf"} {
		many = append(many, said(words, subconscious.Watcher, text, false))
	}
	if b.tick(many); len(b.entries) != subconscious.MaxActive {
		t.Errorf("it keeps %d entries in one list, want %d", len(b.entries), subconscious.MaxActive)
	}
}
