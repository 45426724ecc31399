package aggregator

import (
	"strconv"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// add makes an entry of every group that has none and brings something new.
func (m *merge) add() {
	ordinal := uint64(0)
	for _, g := range m.groups {
		if g.entry != nil {
			continue
		}
		taken := m.judge(g)
		if len(taken) == 0 {
			continue
		}
		top := leading(taken)
		it := &item{newcomer: true, findings: taken}
		it.ID = entryID(top.thread, top.Summary, m.state.TickCount, ordinal)
		ordinal++
		it.List, it.Incident = listOf(top.thread, top.Kind), g.key
		it.Strength = min(max(m.in.Rules.Start, 1), subconscious.MaxStrength)
		it.Created = m.in.At
		it.Fresh = !m.in.Kind.Decays()
		if known := m.incidents[g.key]; known != nil {
			before := copyOf(*known)
			it.before = &before
		}
		m.absorb(it, g, taken)
		m.entries = append(m.entries, it)
	}
}

// ordinalsPerTick is how many entries a tick can add with an id of their own.
const ordinalsPerTick = 1 << 10

// entryID is readable and never used again: the thread's letter, a distinctive
// word of the summary, and base32 of tick and ordinal.
func entryID(thread subconscious.ThreadName, summary string, tick int64, ordinal uint64) subconscious.EntryID {
	letter := "x"
	if thread != "" && thread[0] >= 'a' && thread[0] <= 'z' {
		letter = string(thread[:1])
	}
	return subconscious.EntryID(letter + "-" + telling(summary) + "-" + strconv.FormatUint(uint64(tick)*ordinalsPerTick+ordinal, 32))
}

// telling is the first term of a summary that is plain ASCII, at most 12 bytes.
func telling(summary string) string {
	for _, term := range subconscious.Terms(summary) {
		ascii := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, term)
		if len(ascii) >= 3 {
			return ascii[:min(len(ascii), 12)]
		}
	}
	return "entry"
}
