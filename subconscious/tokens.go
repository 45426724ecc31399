package subconscious

import (
	"math"
	"unicode"
	"unicode/utf8"
)

const (
	// BytesPerToken is the run-time estimate. On such documents the o200k
	// encoding measures about 2.7 bytes a token; 2.5 errs on the safe side.
	BytesPerToken = 2.5
	// Of a document without its texts it measures 2.33 and more: times,
	// references and ids take many tokens. Prose takes 3.3 bytes a token and
	// more.
	frameBytesPerToken = 2.3
	textBytesPerToken  = 3
)

// EstimateTokens returns the estimated number of tokens of n bytes of document.
func EstimateTokens(n int) int { return int(math.Ceil(float64(n) / BytesPerToken)) }

// tokens estimates a document of that size in bytes by EstimateTokens, or by
// what its texts are made of where that is more: emoji, file names and hashes
// take more tokens than words of the same length. It errs on the safe side
// for all but texts of rare ideographs or of random letters alone.
func (d *Document) tokens(size int) int {
	text, cost := 0, 0.0
	d.texts(func(s string) {
		text += len(s)
		cost += textTokens(s)
	})
	return max(EstimateTokens(size), int(math.Ceil(float64(size-text)/frameBytesPerToken+cost)))
}

// texts calls yield for every text in the document that somebody wrote.
func (d *Document) texts(yield func(string)) {
	for _, list := range Lists() {
		for _, e := range *d.In(list) {
			yield(e.Summary)
		}
	}
	for _, r := range d.EscalationHistory {
		yield(string(r.Incident))
		yield(r.Summary)
		yield(r.Reason)
		yield(r.Outcome)
	}
	for _, t := range d.ThreadState {
		yield(t.FocusHint)
	}
}

// textTokens estimates a text by its bytes, or by its runs of characters of one
// class where these are many. Encodings of the o200k family break a text where
// the class changes, take digits by threes and apart from a space before them,
// and know few long words, and few letters that follow digits.
func textTokens(text string) float64 {
	runs, length, last, follows := 0, 0, byte(0), byte(0)
	for _, r := range text {
		class := classOf(r)
		if length++; class != last || class == 'A' {
			length, follows = 1, last
		}
		switch {
		case class == '0' && last == ' ':
			runs += 2
		case class == 'w':
			runs += min(utf8.RuneLen(r), 3) + length%2
		case class == ' ':
		case length == 1, class == 'c', class == '.' && length%3 != 0, class == '0' && length%3 == 1,
			length%2 == 1 && (length > 8 || class == 'a' && follows == '0'):
			runs++
		}
		last = class
	}
	return max(float64(runs), float64(len(text))/textBytesPerToken)
}

// classOf is the class of a character: 'a' for letters, 'A' for upper-case
// ones, '0' for digits, '.' for punctuation, 'c' for ideographs and the like,
// which take a token each, 'w' for what takes several.
func classOf(r rune) byte {
	switch {
	case r == ' ':
		return ' '
	case r >= '0' && r <= '9':
		return '0'
	case r < utf8.RuneSelf && !unicode.IsLetter(r):
		return '.'
	case r < 0x80 && unicode.IsUpper(r):
		return 'A'
	case r < 0x0700 || r >= 0x0900 && r < 0x0E80 || r >= 0x2010 && r < 0x2030:
		return 'a'
	case r >= 0x3000 && r < 0x3100 || r >= 0x4E00 && r < 0xA000 || r >= 0xAC00 && r < 0xD7A4 || r >= 0xFF00 && r < 0xFFF0:
		return 'c'
	}
	return 'w'
}
