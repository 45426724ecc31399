package subconscious_test

import (
	"flag"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestEstimateTokens(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 2: 1, 3: 2, 5: 2, 6: 3, 5000: 2000, 5001: 2001} {
		if got := subconscious.EstimateTokens(n); got != want {
			t.Errorf("%d bytes are %d tokens, want %d", n, got, want)
		}
	}
}

// counter counts the tokens of a text as o200k has them.
func counter(t *testing.T) func(text string) int {
	encoding, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) int {
		n, err := encoding.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// TestRealTokens: full documents in many languages are within 2,000 tokens by a
// real tokenizer. In the languages of people they are so by their bytes alone;
// what of emoji, paths and rare scripts is not, Project trims more.
func TestRealTokens(t *testing.T) {
	if len(languages) < 10 {
		t.Fatal("there are no documents")
	}
	count := counter(t)
	plain := []string{"english", "german", "french", "spanish", "japanese", "chinese", "korean", "russian"}
	for _, name := range slices.Sorted(maps.Keys(languages)) {
		t.Run(name, func(t *testing.T) {
			s := fullState(languages[name])
			whole, err := subconscious.Project(s, math.MaxInt32)
			if err != nil {
				t.Fatal(err)
			}
			out, err := subconscious.Project(s, subconscious.MaxTokens)
			if err != nil {
				t.Fatal(err)
			}
			estimate, all, published := subconscious.EstimateTokens(len(whole)), count(string(whole)), count(string(out))
			t.Logf("whole: %d bytes, estimate %d, tokens %d; published: %d bytes, tokens %d", len(whole), estimate, all, len(out), published)
			if slices.Contains(plain, name) && estimate < all {
				t.Errorf("%d bytes are estimated at %d tokens, and are %d", len(whole), estimate, all)
			}
			if published > subconscious.MaxTokens {
				t.Errorf("%d tokens are published", published)
			}
			if slices.Contains(plain, name) && published < 1500 {
				t.Errorf("only %d tokens are published of %d", published, all)
			}
			testutil.Golden(t, *update, filepath.Join("testdata", "documents", name+".json"), string(out)+"\n")
		})
	}
}

// TestRealTokensOfMixtures: nor are documents over by more than a few in a
// hundred whose summaries are made of anything, hashes and random letters too.
func TestRealTokensOfMixtures(t *testing.T) {
	var pieces []string
	for _, name := range slices.Sorted(maps.Keys(languages)) {
		for _, sentence := range languages[name] {
			pieces = append(pieces, strings.Fields(sentence)...)
		}
	}
	piece := rapid.OneOf(rapid.SampledFrom(pieces), rapid.StringMatching(`[a-zA-Z0-9_./+-]{1,20}`), rapid.StringMatching(`[0-9a-f]{7,40}`),
		rapid.StringMatching(`[!-~]{1,8}`), rapid.StringMatching(`[\x{1F300}-\x{1FAFF}]{1,4}`), rapid.StringMatching(`[\x{1200}-\x{137F}\x{2600}-\x{27BF}\x{12000}-\x{12300}]{1,5}`))
	count := counter(t)
	rapid.Check(t, func(t *rapid.T) {
		var summaries []string
		few := rapid.SliceOfN(piece, 1, 6).Draw(t, "of")
		for range 8 {
			summaries = append(summaries, strings.Join(rapid.SliceOfN(rapid.SampledFrom(few), 1, 19).Draw(t, "summary"), " "))
		}
		s := fullState(summaries)
		out, err := subconscious.Project(s, subconscious.MaxTokens)
		if err != nil {
			t.Fatal(err)
		}
		if n := count(string(out)); n > subconscious.MaxTokens*105/100 {
			t.Fatalf("%d tokens in %d bytes: %s", n, len(out), out)
		}
	})
}
