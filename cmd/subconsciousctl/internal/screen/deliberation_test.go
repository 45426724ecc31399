package screen

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// deliberatingScreens draws every screen about proposals, runs, deliberations,
// conversations and memory, by name. Prompts are not among them: they are not
// wrapped.
func deliberatingScreens(view View, m *apitest.Mind) map[string]string {
	screens := map[string]string{
		"status": Draw(view, "Status", m.Now), "inbox": Draw(view, "Inbox", m.Box, api.InboxQuery{All: true}), "incident": Draw(view, "Incident", m.Stories["i-backup-1a0"], Shown{All: true}),
		"proposals": Draw(view, "Proposals", api.ProposalPage{Proposals: m.Proposed, Before: "p-1"}, api.ProposalQuery{All: true}),
		"runs":      Draw(view, "Runs", api.RunPage{Runs: m.Ran, Before: "r-1"}, api.RunQuery{}),
		"talks":     Draw(view, "Conversations", api.ConversationPage{Conversations: m.Talks, Before: "c-1"}, api.ConversationQuery{}),
		"messages":  Draw(view, "Messages", api.MessagePage{Messages: m.Said, Before: 1}, api.ConversationMessages{Conversation: "team"}), "found": Draw(view, "FoundMessages", api.MessagePage{Messages: m.Said}),
		"posted":   Draw(view, "Posted", m.Said[0]),
		"memories": Draw(view, "Memories", api.MemoryPage{Memories: m.Memories, Total: 3, Quarantined: 1}, api.MemoryQuery{}),
		"apart":    Draw(view, "Memories", api.MemoryPage{Memories: m.Memories[1:2], Total: 3, Quarantined: 1}, api.MemoryQuery{Quarantined: true}),
	}
	for i, p := range m.Proposed {
		screens["proposal "+strconv.Itoa(i)] = Draw(view, "Proposal", p)
		screens["rejected "+strconv.Itoa(i)] = Draw(view, "Decided", api.ProposalResult{Proposal: p})
	}
	for i, r := range m.Ran {
		screens["run "+strconv.Itoa(i)] = Draw(view, "Run", r)
	}
	for i, r := range m.Memories {
		n, found := strconv.Itoa(i), []api.MemoryFound{{Citation: api.MemoryCitation{File: r.Text, Lines: "1"}, Validity: r.Validity, Says: r.Text, Lines: r.Text}}
		screens["memory "+n] = Draw(view, "Memory", api.MemoryDetail{MemoryRecord: r, Found: found, Conflicts: m.Memories})
		screens["validated "+n] = Draw(view, "Validated", api.MemoryDetail{MemoryRecord: r, Found: found})
		screens["remembered "+n] = Draw(view, "Remembered", api.MemoryWritten{Record: r, Outcome: api.MemoryConflict, With: r.Text})
		screens["refused "+n] = Draw(view, "Remembered", api.MemoryWritten{Outcome: api.MemoryRefused, Reason: m.Fit.Refused[0].Reason})
		screens["provenance "+n] = Draw(view, "Provenance", api.MemoryChain{Record: r, RestsOn: m.Memories, RestedOn: m.Memories})
		screens["history "+n] = Draw(view, "History", api.MemoryHistory{Events: []api.MemoryHappened{{At: view.At, By: r.Text, What: r.Text, Before: &r}}})
		for _, page := range []string{"Edited", "Pinned", "Archived", "Confirmed", "Undone"} {
			screens[page+n] = Draw(view, page, r)
		}
		if i > 0 {
			continue
		}
		list := api.MemoryList{Memories: m.Memories}
		screens["timeline"], screens["profile"] = Draw(view, "Timeline", list, api.MemoryTopic{}), Draw(view, "Profile", list)
		screens["conflicts"] = Draw(view, "Conflicts", api.MemoryConflicts{Pairs: []api.MemoryPair{{Older: r, Newer: r, At: view.At}}})
		screens["doubted"] = Draw(view, "Doubted", api.MemoryValidated{Looked: 7, Doubted: m.Memories})
		screens["imported"] = Draw(view, "Imported", api.MemoryImported{Stored: 1, Seen: 2, Conflicts: 3, Refused: 4, Forgotten: 5, Problems: []string{r.Text}})
		screens["forgotten"] = Draw(view, "ForgottenMemory", api.MemoryForgotten{ID: r.ID, Derived: []string{r.Text}, Shown: 2})
		screens["memory health"] = Draw(view, "MemoryHealth", m.Fit)
		for _, level := range []string{api.LevelIndex, api.LevelSummary, api.LevelDetail} {
			screens["memories, "+level] = Draw(view, "Memories", api.MemoryPage{Memories: m.Memories, Total: 3, Before: "m-1"}, api.MemoryQuery{Level: level})
		}
	}
	return screens
}

// anyText draws what could be written by anybody.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.StringMatching("[\x1b\x07\x00\u202e\u200b\r\n a-z会\u0301\"\\\\]{0,80}"),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(raw []byte) string { return string(raw) }))
}

// TestNoProposalMovesTheCursor draws what is proposed, run, said and remembered
// with hostile text in every place, as TestNothingMovesTheCursor does.
func TestNoProposalMovesTheCursor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		view := View{At: apitest.At(), Zone: time.UTC, Width: rapid.IntRange(40, 120).Draw(t, "width"), Home: "/home/sample"}
		m := apitest.Deliberating()
		story := m.Stories["i-backup-1a0"]
		for _, value := range []any{&m.Now, &m.Box, &story, &m.Ran, &m.Talks, &m.Said, &m.Memories, &m.Fit} {
			hostile(reflect.ValueOf(value).Elem(), text)
		}
		for i := range m.Proposed {
			arguments := testutil.JSON(t, map[string]any{text: text, "number": 3, "deep": []string{text}})
			m.Proposed[i].Arguments = nil
			hostile(reflect.ValueOf(&m.Proposed[i]).Elem(), text)
			if m.Proposed[i].Arguments = arguments; rapid.Bool().Draw(t, "broken") {
				m.Proposed[i].Arguments = json.RawMessage(text)
			}
		}
		m.Proposed[1].Argv = nil
		m.Stories["i-backup-1a0"] = story
		screens := deliberatingScreens(view, m)
		for name, got := range screens {
			mustFit(t, view, name, got)
		}
		mustBePrintable(t, "prompts", Draw(view, "Incident", story, Shown{Prompts: true}))
	})
}

// mustFit wants a screen that has nothing but text, and is as wide as the
// terminal at most.
func mustFit(t *rapid.T, view View, name, got string) {
	mustBePrintable(t, name, got)
	for line := range strings.Lines(got) {
		if n := cells(strings.TrimSuffix(line, "\n")); n > view.Width {
			t.Fatalf("%s: %d columns of %d: %q", name, n, view.Width, line)
		}
	}
}

func mustBePrintable(t *rapid.T, name, got string) {
	if i := strings.IndexFunc(got, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
		t.Fatalf("%s lets %q through: %q", name, got[i:i+1], got)
	}
}

// TestColourSaysNothingOfProposals takes the colours away again.
func TestColourSaysNothingOfProposals(t *testing.T) {
	sameInColour(t, deliberatingScreens, apitest.Deliberating())
}

// sameInColour takes the colours of screens away again.
func sameInColour(t *testing.T, draw func(View, *apitest.Mind) map[string]string, m *apitest.Mind) {
	t.Helper()
	view := View{At: apitest.At(), Zone: time.UTC, Width: 80}
	plainScreens := draw(view, m)
	view.Colour = true
	for name, coloured := range draw(view, m) {
		for _, s := range []style{bold, dim, red, green, yellow, "0"} {
			coloured = strings.ReplaceAll(coloured, "\x1b["+string(s)+"m", "")
		}
		if coloured != plainScreens[name] {
			t.Errorf("%s: with colours it says something else:\n%s", name, coloured)
		}
	}
}

// TestExactly: no two arguments are shown alike, whatever the width, and each
// can be read back from what is shown.
func TestExactly(t *testing.T) {
	for text, want := range map[string]string{
		"":             `""`,
		"restart":      "restart",
		"two words":    "two words",
		" led":         `" led"`,
		"two  spaces":  `"two  spaces"`,
		"a\nb":         `"a\nb"`,
		`"quoted"`:     `"\"quoted\""`,
		`say "so"`:     `say "so"`,
		"\x1b[2J":      `"\x1b[2J"`,
		"\u202eabc":    `"\u202eabc"`,
		"a\u00a0b":     `"a\u00a0b"`,
		"e\u0301":      `"e\u0301"`,
		"zero\u200bed": `"zero\u200bed"`,
		"\xff":         `"\xff"`,
		"größer":       "größer",
		"a\u3164b":     `"a\u3164b"`,
		"\u115f":       `"\u115f"`,
		"a\u2800":      `"a\u2800"`,
		"ü\uffa0":      `"\u00fc\uffa0"`,
		"a\ufe0f":      `"a\ufe0f"`,
	} {
		if got := exactly(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		argv := rapid.SliceOfN(anyText(), 1, 5).Draw(t, "argv")
		for _, text := range argv {
			shown := exactly(text)
			if back, err := strconv.Unquote(shown); shown != text && (err != nil || back != text) {
				t.Fatalf("%q is shown as %s", text, shown)
			}
			if shown == text && strings.HasPrefix(shown, `"`) {
				t.Fatalf("%q could be taken for a quoted one", text)
			}
		}
		view := View{Width: rapid.IntRange(40, 120).Draw(t, "width")}
		p := Draw(view, "Vector", argv)

		if back := readVector(t, p); !reflect.DeepEqual(back, argv) {
			t.Fatalf("%q is read back as %q from\n%s", argv, back, p)
		}
	})
}

// readVector reads what vector wrote, as a person does.
func readVector(t *rapid.T, text string) (argv []string) {
	const deep = 2 + 3 + 2
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.TrimSpace(line[:deep]) != "" {
			argv = append(argv, "")
		}
		argv[len(argv)-1] += line[deep:]
	}
	for i, shown := range argv {
		if strings.HasPrefix(shown, `"`) {
			back, err := strconv.Unquote(shown)
			if err != nil {
				t.Fatalf("%s: %v", shown, err)
			}
			argv[i] = back
		}
	}
	return argv
}

// TestProposalLeavesNothingOut: all that runs and all that it rests on is on the
// screen on which it is approved, however narrow.
func TestProposalLeavesNothingOut(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		p := apitest.Deliberating().Proposed[0]
		p.Argv = append(p.Argv, strings.Repeat("x", 3000))
		got := strings.NewReplacer("\n", "", " ", "").Replace(Draw(View{At: apitest.At(), Width: width}, "Proposal", p))
		for _, want := range append(p.Argv, p.Hash, p.Folder, p.Reason, p.Why, p.Clause, "strangers") {
			if !strings.Contains(got, strings.ReplaceAll(want, " ", "")) {
				t.Errorf("%d columns: %.60q is not in\n%.2000s", width, want, got)
			}
		}
	}
	var spaced, builtIn api.Proposal
	spaced.Arguments = json.RawMessage(`{"a name of  two spaces that takes more than half of it":1}`)
	if got := Draw(View{At: apitest.At(), Width: 40}, "Proposal", spaced); !strings.Contains(got, "of  two") {
		t.Errorf("a space is lost:\n%s", got)
	}
	builtIn.Action, builtIn.Arguments = "post_message", json.RawMessage(`{"text":"line\nbreak","n":[1, 2],"":{}}`)
	got := Draw(View{At: apitest.At(), Width: 80}, "Proposal", builtIn)
	for _, want := range []string{`text = "line\nbreak"`, `n = [1, 2]`, `"" = {}`, "cannot be taken back", "words of: nobody"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
