package escalate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// gate is one pass: the input with its indexes, and copies of what the pass
// changes.
type gate struct {
	in        Input
	incidents map[subconscious.IncidentKey]*subconscious.Incident
	keys      []subconscious.IncidentKey // of incidents, in order
	evidence  map[subconscious.Ref]*subconscious.Evidence
	scores    map[subconscious.Sort]subconscious.Score
	held      []heldRequest
	// quietUntil is when the quiet hours end that it is in, zero outside them;
	// nextDigest when the next digest is due, zero for never; owed how many
	// digests are late.
	quietUntil, nextDigest time.Time
	owed                   int
	// begins: the mind looks for the first time, and finds more than an hour allows.
	begins  bool
	ordinal uint64
	out     Decided
}

func open(in Input) *gate {
	g := &gate{
		in:        in,
		incidents: make(map[subconscious.IncidentKey]*subconscious.Incident, len(in.Incidents)),
		evidence:  make(map[subconscious.Ref]*subconscious.Evidence, len(in.Evidence)),
		scores:    make(map[subconscious.Sort]subconscious.Score, len(in.Scores)),
		out: Decided{
			Decisions: []Decision{}, Incidents: []subconscious.Incident{}, Scores: []subconscious.Score{}, Digests: []DigestIssue{},
			History: []subconscious.EscalationRecord{}, Done: map[int64]string{}, Spent: in.Spent,
		},
	}
	g.in.At = in.At.Round(0)
	g.quietUntil, _ = QuietUntil(in.Rules, g.in.At)
	g.nextDigest, _ = NextDigest(in.Rules, g.in.At)
	for i := range in.Incidents {
		given := &in.Incidents[i]
		if kept, twice := g.incidents[given.Key]; twice && compareWritten(*given, *kept) >= 0 {
			continue
		}
		own := *given
		own.Telling = copyOf(given.Telling)
		g.incidents[given.Key] = &own
	}
	g.keys = slices.Sorted(maps.Keys(g.incidents))
	for i := range in.Evidence {
		given := &in.Evidence[i]
		if kept, twice := g.evidence[given.Ref]; !twice || given.Latest.Seq > kept.Latest.Seq ||
			given.Latest.Seq == kept.Latest.Seq && compareWritten(*given, *kept) < 0 {
			g.evidence[given.Ref] = given
		}
	}
	for sort, score := range given(in) {
		g.scores[sort] = score
	}
	return g
}

// given are the scores of the input, by what they are of.
func given(in Input) map[subconscious.Sort]subconscious.Score {
	scores := make(map[subconscious.Sort]subconscious.Score, len(in.Scores))
	for _, s := range in.Scores {
		sort := subconscious.Sort{Thread: s.Thread, Source: s.Source, Kind: s.Kind}
		if kept, twice := scores[sort]; !twice || compareWritten(s, kept) < 0 {
			scores[sort] = s
		}
	}
	return scores
}

// compareWritten orders two values by how they are written as JSON. What is the same
// may differ in memory: a time from the clock has a zone that one from the store has
// not.
func compareWritten(a, b any) int {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Compare(x, y)
}

// copyOf returns a telling that shares nothing that the gate changes.
func copyOf(t *subconscious.Telling) *subconscious.Telling {
	if t == nil {
		return nil
	}
	own := *t
	own.Told = slices.Clone(t.Told)
	return &own
}

// score is what is known of how such things fare.
func (g *gate) score(sort subconscious.Sort) subconscious.Score {
	score, known := g.scores[sort]
	if !known {
		score = subconscious.Score{Thread: sort.Thread, Source: sort.Source, Kind: sort.Kind}
	}
	return score
}

// begin gives an incident its name for people and the first page of its life.
func (g *gate) begin(incident *subconscious.Incident, asked subconscious.Asked) *subconscious.Telling {
	if incident.Telling == nil {
		incident.Telling = &subconscious.Telling{State: subconscious.TellingOpen, Since: g.in.At, Asked: asked}
	}
	if incident.Telling.ID == "" {
		incident.Telling.ID = incidentID(cmp.Or(asked.Summary, incident.Summary), g.in.Tick, g.ordinal)
		g.ordinal++
	}
	return incident.Telling
}

// idsPerTick is how many incidents of one tick get a name without a tail.
const idsPerTick = 1 << 10

func incidentID(summary string, tick int64, ordinal uint64) subconscious.IncidentID {
	id := "i-" + subconscious.TellingWord(summary, "thing") + "-" + strconv.FormatUint(uint64(tick)*idsPerTick+min(ordinal, idsPerTick-1), 32)
	if ordinal >= idsPerTick-1 {
		id += "-" + strconv.FormatUint(ordinal, 32)
	}
	return subconscious.IncidentID(id)
}

// changed are the incidents whose life went on, whole.
func (g *gate) changed() []subconscious.Incident {
	before := make(map[subconscious.IncidentKey]*subconscious.Telling, len(g.in.Incidents))
	for i := range g.in.Incidents {
		if _, twice := before[g.in.Incidents[i].Key]; !twice {
			before[g.in.Incidents[i].Key] = g.in.Incidents[i].Telling
		}
	}
	changed := []subconscious.Incident{}
	for _, key := range g.keys {
		if now := g.incidents[key]; !reflect.DeepEqual(before[key], now.Telling) && compareWritten(before[key], now.Telling) != 0 {
			changed = append(changed, *now)
		}
	}
	return changed
}

// learnt are the scores that changed, in order.
func (g *gate) learnt() []subconscious.Score {
	before, learnt := given(g.in), []subconscious.Score{}
	for sort, score := range g.scores {
		if score != before[sort] {
			learnt = append(learnt, score)
		}
	}
	slices.SortFunc(learnt, func(a, b subconscious.Score) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Kind, b.Kind))
	})
	return learnt
}
