package prompts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// keptFrom is the shortest beginning of a prompt that providers keep, in
// tokens, and keptBy the steps in which they do: OpenAI's documentation of
// prompt caching, read 2026-11; Anthropic's and Gemini's least is the same or
// higher.
const keptFrom, keptBy = 1024, 128

// quiet is a mind whose lists are full, on a day without much news.
var quiet = struct {
	name string
	in   func() prompts.Thread
}{"quiet", func() prompts.Thread {
	in := full()
	in.Field.New, in.Field.Wider = threeNew(), nil
	return in
}}

// later is the same mind a tick later: other observations are new, what was new
// stands if it does, the entries have lost or kept their strength, and one was
// added.
func later(in prompts.Thread) prompts.Thread {
	before := in.Field.New
	in.At = in.At.Add(5 * time.Minute)
	in.State.Entries = slices.Clone(in.State.Entries)
	for i := range in.State.Entries {
		if i%3 == 0 {
			in.State.Entries[i].Strength--
		}
	}
	in.State.Entries = append(in.State.Entries, subconscious.Entry{ID: "w-disk-9", List: subconscious.ActiveThreads, Kind: subconscious.KindAnomaly, Created: in.At,
		Summary: "Disk /var is 91 % full", Strength: 3, Importance: 6, Evidence: []subconscious.Held{{Citation: subconscious.Citation{Ref: before[1].Ref()}}}})
	in.Field.Standing = append(slices.Clone(in.Field.Standing), before[1])
	in.Field.New, in.Field.Wider, in.Field.History = nil, nil, nil
	for i, o := range before[:3] {
		o.ID, o.Seq = fmt.Sprintf("%s again", o.ID), o.Seq+int64(1000+i)
		o.Title = "Again: " + o.Title
		in.Field.New = append(in.Field.New, o)
	}
	in.Field.Journal = "Watch the disk."
	return in
}

// common is how many tokens two prompts begin with in common.
func common(a, b []uint) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// TestSizes measures the prompts in bytes and in tokens as o200k has them, and
// how much of one a provider can have kept from the tick before. The figures
// are a golden.
func TestSizes(t *testing.T) {
	encoding, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	tokens := func(text string) []uint {
		ids, _, err := encoding.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	set := mustOpen()
	var out strings.Builder
	fmt.Fprintf(&out, "%-10s %-8s %8s %8s %8s %8s %8s %8s\n", "thread", "mind", "system B", "user B", "tokens", "common", "kept", "share")
	for _, name := range subconscious.Threads() {
		for _, mind := range append(minds[:3:3], quiet) {
			in := mind.in()
			p, err := set.Thread(name, in)
			if err != nil {
				t.Fatal(err)
			}
			whole := tokens(p.System + p.User)
			if len(in.Field.New) == 0 {
				fmt.Fprintf(&out, "%-10s %-8s %8d %8d %8d\n", name, mind.name, len(p.System), len(p.User), len(whole))
				continue
			}
			q, err := set.Thread(name, later(in))
			if err != nil {
				t.Fatal(err)
			}
			next := tokens(q.System + q.User)
			same := common(whole, next)
			kept := same / keptBy * keptBy
			if kept < keptFrom {
				kept = 0
			}
			fmt.Fprintf(&out, "%-10s %-8s %8d %8d %8d %8d %8d %7d%%\n", name, mind.name, len(p.System), len(p.User), len(whole), same, kept, 100*kept/len(next))
			if mind.name == "few" && len(whole) > 2500 {
				t.Errorf("three new observations take %d tokens", len(whole))
			}
			if same < len(tokens(p.System))-2 {
				t.Errorf("the %s's part of the task is not the same at each call", name)
			}
		}
	}
	for _, incident := range incidents[:2] {
		p, err := set.Deliberation(incident.in())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "\na deliberation on the %s: system %d bytes, user %d bytes, %d tokens, of which %d are the same at each", incident.name, len(p.System), len(p.User),
			len(tokens(p.System+p.User)), len(tokens(p.System)))
	}
	out.WriteString("\n")
	state := full().State
	document, err := subconscious.Project(state, subconscious.MaxTokens)
	if err != nil {
		t.Fatal(err)
	}
	held, err := set.Thread(subconscious.Watcher, prompts.Thread{At: noon, State: subconscious.State{Entries: state.Entries, History: state.History}})
	if err != nil {
		t.Fatal(err)
	}
	none, err := set.Thread(subconscious.Watcher, prompts.Thread{At: noon})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&out, "\na full subconscious as published: %d bytes, %d tokens; as in the prompt: %d bytes, %d tokens\n",
		len(document), len(tokens(string(document))), len(held.User)-len(none.User), len(tokens(held.User))-len(tokens(none.User)))
	testutil.Golden(t, *update, "testdata/sizes.txt", out.String())
}

func BenchmarkPrompt(b *testing.B) {
	set := mustOpen()
	for _, mind := range minds {
		b.Run(mind.name, func(b *testing.B) {
			in := mind.in()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := set.Thread(subconscious.Watcher, in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
