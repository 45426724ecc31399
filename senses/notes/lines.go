package notes

import (
	"hash/fnv"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// maxAdded is how much of what was added is told, in characters.
const maxAdded = 1000

// lineHashes returns the hashes of the distinct lines that are not blank.
func lineHashes(text string) (hashes []uint32, many bool) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			hashes = append(hashes, lineHash(line))
		}
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	if len(hashes) > maxLines {
		return nil, true
	}
	return slices.Clip(hashes), false
}

func lineHash(line string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(line)) // a hash never fails
	return h.Sum32()
}

// difference is what happened to the lines of a file.
type difference struct {
	added   string // the added lines, at most maxAdded characters
	plus    int    // how many there are
	minus   int
	unknown bool // one of the two has too many lines to tell
}

// compare tells which lines of text, from line number body on, are not among
// the lines of before.
func compare(before, now *entry, text string, body int) difference {
	d := difference{unknown: before.many || now.many}
	if d.unknown {
		return d
	}
	for _, h := range before.lines {
		if _, found := slices.BinarySearch(now.lines, h); !found {
			d.minus++
		}
	}
	var added strings.Builder
	room, number, told := maxAdded, 0, map[uint32]bool{}
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		h := lineHash(line)
		if line == "" || told[h] {
			continue
		}
		if _, found := slices.BinarySearch(before.lines, h); found {
			continue
		}
		told[h] = true
		d.plus++
		if number < body || room <= 0 || strings.Contains(line, subconscious.Mark) {
			continue
		}
		runes := []rune(line)
		if len(runes) > room {
			runes = []rune(redact.Text(subconscious.Head(line, utf8.UTFMax*room+folder.BeyondCut)))
		}
		if len(runes) > room {
			runes = append(runes[:room-1:room-1], '…')
		}
		if added.Len() > 0 {
			added.WriteByte('\n')
			room--
		}
		added.WriteString(string(runes[:min(len(runes), max(room, 0))]))
		room -= len(runes)
	}
	d.added = added.String()
	return d
}
