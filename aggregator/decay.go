package aggregator

// decay takes one strength from every listed entry, on ticks that decay. What
// was added on an early tick is spared once, so that it is in as many
// documents as anything else. What is parked neither decays nor grows.
func (m *merge) decay() {
	if !m.in.Kind.Decays() {
		return
	}
	for _, it := range m.entries {
		switch {
		case it.gone || it.parked:
		case it.Fresh:
			it.Fresh = false
		default:
			it.Strength--
			it.decayed = true
		}
	}
}
