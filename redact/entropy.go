package redact

import (
	"math"
	mathbits "math/bits"
	"strings"
)

const (
	entropyBytes = 256 // of a run that are looked at
	// keyBytes and plainBytes are the shortest run that is taken for a key: of
	// letters in both cases and digits, and of one case and digits.
	keyBytes   = 24
	plainBytes = 30
	longBytes  = 40 // unbroken, from where on fewer changes between classes are enough
	// keyBits is the least entropy, in bits a byte, of a run of keyBytes; 24
	// random base64 bytes have 4.3 on average.
	keyBits = 3.6
)

// entropy verifies a run that looks random. Hashes, UUIDs, paths, names and
// words are not.
func (t *text) entropy(from, to int) (Span, bool) {
	if t.at(from-1) == '\\' && (t.s[from] == 'n' || t.s[from] == 't' || t.s[from] == 'r') {
		from++ // the rest of an escape
	}
	if to-from < keyBytes || from < t.publicEnd || t.isPublic(from, to) {
		return Span{}, false
	}
	for to-from > keyBytes && (t.s[from] == '+' || t.s[from] == '-') {
		from++ // the sign of a line in a patch
	}
	s := t.s[from:min(to, from+entropyBytes)]
	if strings.IndexByte(s, '/') >= 0 && (s[0] == '/' || strings.IndexByte("/.~:$", t.at(from-1)) >= 0 || !isRandom(s, keyBytes+8) || isIdentifier(s)) {
		return t.entropyInPath(from, to)
	}
	if !isRandom(s, keyBytes) || isMadeUp(s) || isMixed(s) && isIdentifier(s) {
		return Span{}, false
	}
	return Span{from, extend(t.s, to, to+2, isPadding), "token"}, true
}

// entropyInPath looks at the parts of a path or URL one by one.
func (t *text) entropyInPath(from, to int) (Span, bool) {
	to = min(to, from+linkBytes)
	for from < to {
		end := from
		for end < to && t.s[end] != '/' {
			end++
		}
		if part := t.s[from:min(end, from+entropyBytes)]; len(part) >= keyBytes && isRandom(part, keyBytes) && !isMadeUp(part) && !(isMixed(part) && isIdentifier(part)) {
			return Span{from, end, "token"}, true
		}
		from = end + 1
	}
	return Span{}, false
}

// isPublic reports whether what stands around a run makes it public: digests
// with their algorithm, public keys, the ids of messages.
func (t *text) isPublic(from, to int) bool {
	return t.at(to) == '@' || publicBegins.get().of(t.s[from:to]) || strings.HasSuffix(t.s[max(t.base, from-8):from], "base64,")
}

// checksumBytes is how far before a checksum its name is read.
const checksumBytes = 128

// isChecksum reports whether a run is assigned to an algorithm of checksums, or is
// as long as one and assigned to a file, or to a name behind an algorithm.
func (t *text) isChecksum(from, to int) bool {
	if checksumBegins.get().folded(t.s[from:to]) > 0 {
		return true
	}
	line := t.s[max(t.base, from-checksumBytes):from]
	line = strings.TrimRight(line[strings.LastIndexByte(line, '\n')+1:], " \"'\\")
	name := strings.TrimRight(line, ":=, \"'\\")
	if len(name) < len(line) && (checksums.get().ends(name) || strings.HasSuffix(name, "h1")) {
		return true
	}
	words := strings.Fields(name)
	n := len(words)
	return isDigest(t.s[from:to]) && (n > 0 && archives.get().ends(words[n-1]) || n > 1 && checksums.get().ends(words[n-2]))
}

var (
	checksumBegins = beginningsIn("checksumBegins")
	checksums      = finder("checksums")
	archives       = finder("archives")
	publicBegins   = beginningsIn("publicBegins")
)

// isDigest reports whether s is hexadecimal and as long as checksums are.
func isDigest(s string) bool {
	switch len(s) {
	case 32, 40, 56, 64, 96, 128:
		return extend(s, 0, len(s), isHex) == len(s)
	}
	return false
}

// isRandom reports whether s, of at least min bytes, looks random.
func isRandom(s string, min int) bool {
	hex := extend(s, 0, len(s), isHexOrDash) == len(s)
	if hex && !isHexKey(s) {
		return false
	}
	n, runs := count(s, classes)
	if len(s) < min || n[figure] < 2 || n[small]+n[capital] < 6 {
		return false
	}
	if hex {
		return true
	}
	ratio := float64(runs-1) / float64(len(s))
	least := 0.36
	switch {
	case longest(s, isAlnum) >= longBytes:
		least = 0.2
	case n[small] > 1 && n[capital] > 1:
	case len(s) < plainBytes:
		return false
	default:
		least = 0.3
	}
	if (n[small] <= 1 || n[capital] <= 1) && longest(s, isAlnum) < keyBytes {
		return false
	}
	return ratio >= least && bits(s) >= keyBits && wordy(s) < 0.3
}

// isHexKey reports whether a hexadecimal run is longer than a UUID and no
// length of a digest.
func isHexKey(s string) bool {
	return !isDigest(s) && len(s) > 40 && strings.IndexByte(s, '-') < 0 && bits(s) >= 3.2
}

// changes counts the places where s goes over to another class of byte.
func changes(s string) int {
	_, runs := count(s, classes)
	return max(0, runs-1)
}

// Classes of bytes: signs and what is not ASCII, small letters, capitals, digits,
// and what is passed over.
const (
	sign = iota
	small
	capital
	figure
	passed
)

// classOf makes a table of the classes of bytes, in which those of a set are passed.
func classOf(pass *[256]bool) *[256]uint8 {
	of := new([256]uint8)
	for b := range of {
		switch {
		case pass[b]:
			of[b] = passed
		case isLower[b]:
			of[b] = small
		case isUpper[b]:
			of[b] = capital
		case isDigit[b]:
			of[b] = figure
		}
	}
	return of
}

var (
	classes     = classOf(new([256]bool))
	isHexOrDash = setOf(digits + "abcdefABCDEF-")
)

// count counts the bytes of s by class, and how often those of one class stand
// together.
func count(s string, of *[256]uint8) (n [passed]int, runs int) {
	last := uint8(passed)
	for i := range len(s) {
		if class := of[s[i]]; class < passed {
			n[class]++
			if class != last {
				runs++
			}
			last = class
		}
	}
	return n, runs
}

// wordy is the part of s that lies in runs of five and more lower-case letters.
func wordy(s string) float64 {
	in := 0
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < 'a' || r > 'z' }) {
		if len(word) >= 5 {
			in += len(word)
		}
	}
	return float64(in) / float64(len(s))
}

// longest is the length of the longest part of s that is made of a set.
func longest(s string, set *[256]bool) int {
	best, run := 0, 0
	for i := range len(s) {
		if run++; !set[s[i]] {
			run = 0
		}
		best = max(best, run)
	}
	return best
}

// bits is the entropy of the bytes of s, in bits a byte.
func bits(s string) float64 {
	var counts [256]int
	var present [4]uint64
	for i := range len(s) {
		counts[s[i]]++
		present[s[i]/64] |= 1 << (s[i] % 64)
	}
	sum := 0.0
	for i, set := range present {
		for ; set != 0; set &= set - 1 {
			p := float64(counts[i*64+mathbits.TrailingZeros64(set)]) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
