package prose

import "slices"

// Retracts reports whether a text takes back what its writer asked or said before, or
// says that it is settled: "never mind, got it".
func Retracts(text string) bool {
	return slices.ContainsFunc(Sentences(text), func(s Sentence) bool { return !endsWithMark(s.Text) && retracting.has(split(s.Text)) })
}

// Corrects reports whether a text puts something in the place of what its writer said
// before: "make it 8".
func Corrects(text string) bool {
	return slices.ContainsFunc(Sentences(text), func(s Sentence) bool { return correcting.has(split(s.Text)) })
}

var retracting, correcting = phrases("retracting"), phrases("correcting")
