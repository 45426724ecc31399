package aggregator

import (
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// An incident remembers the last changes of each observation, of so many
// of them, so many local days, and so many links.
const (
	changesKept      = 8
	observationsKept = 64
	daysKept         = 8
	linksKept        = 32
)

// recorded reports whether an incident has counted a change, or a later one of
// the same thing: what came before is no news. For what it had to forget it
// knows up to which change it had counted.
func recorded(incident *subconscious.Incident, c subconscious.Citation) bool {
	if seqs := incident.Recorded[c.Ref]; len(seqs) > 0 {
		return c.Seq <= seqs[len(seqs)-1]
	}
	return incident.Forgotten > 0 && c.Seq <= incident.Forgotten
}

// record counts on the incident what was cited of its own evidence. What was
// cited beside it is not counted.
func (m *merge) record(it *item, taken []*claim) {
	var own []*cited
	for _, c := range taken {
		for i := range c.cited {
			if x := &c.cited[i]; x.belongs {
				own = append(own, x)
			}
		}
	}
	m.recordAll(it, own...)
}

func (m *merge) recordAll(it *item, own ...*cited) {
	incident := m.incident(it.Incident)
	incident.Over = false
	if incident.Recorded == nil {
		incident.Recorded = map[subconscious.Ref][]int64{}
	}
	for _, x := range own {
		m.count(incident, x)
	}
	incident.Summary, incident.LastSeen = it.Summary, m.in.At
	incident.Severity = m.severity(incident)
}

func (m *merge) count(incident *subconscious.Incident, x *cited) {
	seqs := incident.Recorded[x.Ref]
	if slices.Contains(seqs, x.Seq) {
		return
	}
	if len(seqs) == 0 && len(incident.Recorded) >= observationsKept {
		m.forgetOldest(incident)
	}
	seqs = append(slices.Clone(seqs), x.Seq)
	slices.Sort(seqs)
	incident.Recorded[x.Ref] = seqs[max(0, len(seqs)-changesKept):]
	if x.recorded || x.change.Change == subconscious.Gone {
		return
	}
	incident.Changes++
	incident.Severity = x.change.Severity
	m.countDay(incident, x.change.At)
	for _, link := range x.who().links(incident.Key) {
		if !slices.Contains(incident.Links, link) && len(incident.Links) < linksKept {
			incident.Links = append(incident.Links, link)
		}
	}
}

func (m *merge) countDay(incident *subconscious.Incident, at time.Time) {
	day := at.In(m.in.Zone).Format(time.DateOnly)
	if slices.Contains(incident.Days, day) {
		return
	}
	incident.Days = append(incident.Days, day)
	slices.Sort(incident.Days)
	incident.Days = incident.Days[max(0, len(incident.Days)-daysKept):]
}

// forgetOldest makes room for another observation by forgetting the one that
// changed longest ago. That all up to it was counted, and whether the person had
// heard of it, is kept.
func (m *merge) forgetOldest(incident *subconscious.Incident) {
	var found subconscious.Ref
	last := func(ref subconscious.Ref) (seq int64) {
		for _, seq = range incident.Recorded[ref] {
		}
		return seq
	}
	for ref := range incident.Recorded {
		if found == "" || last(ref) < last(found) || last(ref) == last(found) && ref < found {
			found = ref
		}
	}
	incident.Forgotten = max(incident.Forgotten, last(found))
	if heard, ok := incident.Telling.Heard(); !ok || heard.Changes[found] < last(found) {
		incident.Unheard = m.state.TickCount
	}
	delete(incident.Recorded, found)
}
