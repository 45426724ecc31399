package escalate

// Reasons returns every reason of the gate's own, in the order in which they are
// looked for.
func Reasons() (all []Reason) {
	for _, r := range reasons() {
		all = append(all, r.reason)
	}
	return all
}
