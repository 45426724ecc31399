package rumination

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The rates of the baseline. The published description of the ancestor gives no
// numbers: start and decay are those of the mechanics, and the others are chosen so
// that it accepts some findings and not all of them.
const (
	baselineStart   = 3
	baselineGain    = 2
	baselinePromote = 7 // strength from which an entry is an insight
	baselineTell    = 7 // strength from which a request to tell is granted
)

// baseline is the rule set of the published ancestor: a mind that believes what
// it thinks. A finding needs no evidence; one that is worded alike makes an entry
// stronger; what is strong becomes an insight and is told. It is pure: what it
// keeps depends on the findings alone.
type baseline struct {
	words   *vocabulary
	entries []*remembered
	made    int
}

// remembered is an entry of the baseline.
type remembered struct {
	id       string
	list     subconscious.List
	words    *phrase
	strength int
	// grounded: a finding that made it cited something that was shown.
	grounded bool
}

// taking is what the baseline made of a finding.
type taking struct {
	spoken
	entry *remembered
	told  bool
}

// tick lets entries fade by one, takes in every finding, promotes what is strong
// and drops the weakest where a list is full.
func (b *baseline) tick(findings []spoken) []taking {
	for _, e := range b.entries {
		e.strength--
	}
	b.entries = slices.DeleteFunc(b.entries, func(e *remembered) bool { return e.strength <= 0 })
	var taken []taking
	for _, f := range findings {
		e := b.most(f.words)
		if e == nil {
			b.made++
			e = &remembered{id: strconv.Itoa(b.made), list: baselineLists[f.thread], strength: baselineStart}
			b.entries = append(b.entries, e)
		} else {
			e.strength = min(e.strength+baselineGain, subconscious.MaxStrength)
		}
		e.words, e.grounded = f.words, e.grounded || len(f.cited) > 0
		if e.strength >= baselinePromote {
			e.list = subconscious.Insights
		}
		taken = append(taken, taking{f, e, f.Escalate && e.strength >= baselineTell})
	}
	b.prune()
	return taken
}

// most is the entry that is worded most alike, of those that are alike enough.
func (b *baseline) most(words *phrase) (found *remembered) {
	best := alikeFrom
	for _, e := range b.entries {
		if alike := b.words.alike(words, e.words); alike >= best && (found == nil || alike > best) {
			found, best = e, alike
		}
	}
	return found
}

// prune keeps the strongest of each list, the older of equals.
func (b *baseline) prune() {
	slices.SortStableFunc(b.entries, func(x, y *remembered) int { return cmp.Compare(y.strength, x.strength) })
	kept := map[subconscious.List]int{}
	b.entries = slices.DeleteFunc(b.entries, func(e *remembered) bool {
		kept[e.list]++
		return kept[e.list] > baselineLimits[e.list]
	})
}

// baselineLimits are how many entries a list holds, and baselineLists where those
// of a thread begin.
var (
	baselineLimits = map[subconscious.List]int{
		subconscious.ActiveThreads: subconscious.MaxActive, subconscious.Patterns: subconscious.MaxPatterns,
		subconscious.Hunches: subconscious.MaxHunches, subconscious.Insights: subconscious.MaxInsights,
	}
	baselineLists = map[subconscious.ThreadName]subconscious.List{
		subconscious.Watcher: subconscious.ActiveThreads, subconscious.Librarian: subconscious.Patterns,
		subconscious.Oracle: subconscious.ActiveThreads, subconscious.Dreamer: subconscious.Hunches,
	}
)
