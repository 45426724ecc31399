package aggregator

import "github.com/subconsciousd/subconsciousd/subconscious"

// promote moves what was confirmed, or was seen on enough days, to the
// insights, once an incident. What is being actively followed stays there: the
// person's word moves it only once its evidence no longer stands.
func (m *merge) promote() {
	for _, it := range m.entries {
		incident := m.incidents[it.Incident]
		if it.gone || it.parked || it.Over || it.List == subconscious.Insights || incident == nil || incident.Promoted ||
			it.Importance < m.in.Rules.InsightImportance {
			continue
		}
		active := it.List == subconscious.ActiveThreads
		seenEnough := len(incident.Days) >= m.in.Rules.InsightDays && incident.Changes >= m.in.Rules.InsightChanges
		if incident.Confirmed && !(active && it.Stands()) || seenEnough && !active {
			it.promotedFrom, it.List = it.List, subconscious.Insights
			it.incumbent = !it.newcomer
			it.newcomer = true
		}
	}
}

// endPromotion ends a promotion: with a place among the insights, or back
// where the entry came from, to be tried again.
func (m *merge) endPromotion(it *item, placed bool) {
	if placed {
		m.incident(it.Incident).Promoted = true
		it.promotedFrom = ""
		m.change(it, Promoted, "confirmed, or seen on several days")
		return
	}
	it.List, it.promotedFrom = it.promotedFrom, ""
	it.newcomer = !it.incumbent
}
