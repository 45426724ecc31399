package prose

// Retracts reports whether a text takes back what its writer asked or said before, or
// says that it is settled: "never mind, got it".
func Retracts(text string) bool {
	for _, s := range Sentences(text) {
		if !endsWithMark(s.Text) && retracting.has(split(s.Text)) {
			return true
		}
	}
	return false
}

var retracting = phrases("retracting")
