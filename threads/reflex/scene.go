package reflex

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/score"
)

// visitsAllowed bounds the standing observations that the rules of one tick
// look at through the order of due times, whatever a stranger's calendar holds.
const visitsAllowed = 20_000

// scene is what the rules of one tick see.
type scene struct {
	at     time.Time
	zone   *time.Location
	world  subconscious.World
	thread subconscious.ThreadName
	field  subconscious.Field
	// news are the new and the wider observations, each once, in order of
	// reference, so that the order in which they came means nothing.
	news  []subconscious.Observation
	wider map[subconscious.Ref]bool
	// entries are what is being followed, listed or parked.
	entries []subconscious.Entry
	// closed are the incidents of which the person wants to hear no more.
	closed map[subconscious.IncidentKey]bool
	habits score.Habits
	visits int
	zones  map[string]*time.Location
	// clashing are the clashes of what is new, once collided.
	clashing []clash
	collided bool
}

func newScene(snapshot subconscious.Snapshot, thread subconscious.ThreadName) *scene {
	s := &scene{
		at: snapshot.At, zone: snapshot.Zone, world: snapshot.World, thread: thread.Thread(), field: snapshot.Fields[thread],
		wider:   map[subconscious.Ref]bool{},
		entries: slices.Concat(snapshot.State.Entries, snapshot.State.Parked),
		closed:  map[subconscious.IncidentKey]bool{},
		habits:  snapshot.Habits,
		visits:  visitsAllowed,
		zones:   map[string]*time.Location{},
	}
	for _, c := range snapshot.State.Closed {
		s.closed[c.Incident] = true
	}
	if s.zone == nil {
		s.zone = time.UTC
	}
	latest := map[subconscious.Ref]subconscious.Observation{}
	for _, o := range s.field.Wider {
		s.wider[o.Ref()] = true
		latest[o.Ref()] = o
	}
	for _, o := range s.field.New {
		latest[o.Ref()] = o
	}
	s.news = make([]subconscious.Observation, 0, len(latest))
	for _, o := range latest {
		s.news = append(s.news, o)
	}
	slices.SortFunc(s.news, func(a, b subconscious.Observation) int { return cmp.Compare(a.Ref(), b.Ref()) })
	return s
}

// all returns what is new.
func (s *scene) all() []subconscious.Observation { return s.news }

// of returns what is new of senses and did not go.
func (s *scene) of(senses ...string) (list []subconscious.Observation) {
	for _, o := range s.news {
		if slices.Contains(senses, o.Sense) && o.Change != subconscious.Gone {
			list = append(list, o)
		}
	}
	return list
}

// due calls yield for what stands and is due from a time up to another, until it
// returns false or so many were looked at, or as many as one tick allows.
func (s *scene) due(from, to time.Time, most int, yield func(subconscious.Observation) bool) {
	s.world.Due(from, to, func(o subconscious.Observation) bool {
		s.visits--
		most--
		return yield(o) && most > 0 && s.visits > 0
	})
}

// holding reports whether an entry rests on all of the observations.
func (s *scene) holding(observations ...subconscious.Observation) bool {
	return slices.ContainsFunc(s.entries, func(e subconscious.Entry) bool {
		for _, o := range observations {
			if !slices.ContainsFunc(e.Evidence, func(h subconscious.Held) bool { return h.Ref == o.Ref() }) {
				return false
			}
		}
		return !e.Over
	})
}

// standing returns what an entry rests on and still stands, what it is about
// first. complete is false where some of it does not stand.
func (s *scene) standing(e subconscious.Entry) (observations []subconscious.Observation, complete bool) {
	complete = len(e.Evidence) > 0
	for _, aside := range []bool{false, true} {
		for _, h := range e.Evidence {
			if h.Aside != aside {
				continue
			}
			o, ok := s.world.Get(h.Ref)
			if ok {
				observations = append(observations, o)
			}
			complete = complete && ok
		}
	}
	return observations, complete
}

// noticed is a finding with the incident that it is about.
type noticed struct {
	subconscious.Finding
	key subconscious.IncidentKey
	// about is what the finding is about, where that is one observation.
	about *subconscious.Observation
}

// notice makes a finding about o, which it cites first, and about others.
func notice(kind subconscious.Kind, importance int, summary string, o subconscious.Observation, others ...subconscious.Observation) noticed {
	n := noticed{key: o.Key(), about: &o}
	n.Finding = subconscious.Finding{Kind: kind, Importance: importance, Summary: summary, Evidence: []string{string(o.Ref())}, Factual: threads.Fact(o)}
	for _, other := range others {
		n.Factual = n.Factual && threads.Fact(other)
		if ref := string(other.Ref()); !slices.Contains(n.Evidence, ref) {
			n.Evidence = append(n.Evidence, ref)
		}
	}
	connects := kind == subconscious.KindConnection || kind == subconscious.KindRisk
	switch {
	case kind == subconscious.KindPattern:
		n.key, n.about = subconscious.PatternKey(o.Key()), nil
	case connects && len(others) > 0 && others[0].Key() != o.Key():
		n.key, n.about = subconscious.PairKey(o.Key(), others[0].Key()), nil
	}
	return n
}

// worthOf is what a thing counts by its score, and why the person should be told
// of it: from a line of the digest on, its reasons. 0 is not worth a word.
func worthOf(of score.Score) (importance int, reason string) {
	switch importance = of.Importance(); {
	case importance < 3:
		return 0, ""
	case of.Percent < listFrom:
		return 3, ""
	}
	return importance, strings.Join(of.Reasons, "; ")
}

// listFrom is the score, in per cent, from which on a thing is worth a line of the
// digest.
const listFrom = 50

// judged returns the finding as its score has it, and none that is not worth a word.
func (n noticed) judged(of score.Score) noticed {
	importance, reason := worthOf(of)
	if n.Importance = importance; importance == 0 {
		return noticed{}
	}
	return n.tell(reason)
}

// until returns the finding with its due time.
func (n noticed) until(due time.Time) noticed {
	n.Due = due
	return n
}

// tell returns the finding with the request that the person be told, where there
// is a reason.
func (n noticed) tell(reason string) noticed {
	n.Escalate, n.EscalateReason = reason != "", reason
	return n
}

// evidenceKept is how many observations a finding of several rules cites.
const evidenceKept = 4

// oneAnIncident keeps the most important finding of each incident, with what
// the others are about, and at most maxFindings, the most important and then the
// nearest first.
func oneAnIncident(all []noticed) []noticed {
	slices.SortFunc(all, before)
	var kept []noticed
	at := map[subconscious.IncidentKey]int{}
	same := sameIncident(all)
	for _, n := range all {
		key := same(n)
		i, known := at[key]
		if !known {
			at[key] = len(kept)
			kept = append(kept, n)
			continue
		}
		// What stands beside the observation itself explains that finding alone.
		if cited := n.Evidence[0]; n.about != nil && len(kept[i].Evidence) < evidenceKept && !slices.Contains(kept[i].Evidence, cited) {
			kept[i].Evidence = append(kept[i].Evidence, cited)
		}
	}
	return kept[:min(len(kept), maxFindings)]
}

func before(a, b noticed) int {
	none := func(t time.Time) int {
		if t.IsZero() {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(none(a.Due), none(b.Due)), a.Due.Compare(b.Due),
		cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Summary, b.Summary), slices.Compare(a.Evidence, b.Evidence), strings.Compare(a.Rule, b.Rule))
}

// Two observations are one incident where a link that a sense extracted from
// one names the other ("disk:/var"), or where both carry the same number
// ("invoice:4711").
var (
	namingSchemes = []string{"disk:", "unit:"}
	numberSchemes = []string{"invoice:", "order:", "ticket:", "mid:", "thread:"}
)

func hasScheme(link string, schemes []string) bool {
	return slices.ContainsFunc(schemes, func(scheme string) bool { return strings.HasPrefix(link, scheme) })
}

// sameIncident returns the function that gives findings of one incident one key.
func sameIncident(all []noticed) func(noticed) subconscious.IncidentKey {
	to := map[subconscious.IncidentKey]subconscious.IncidentKey{}
	root := func(key subconscious.IncidentKey) subconscious.IncidentKey {
		for to[key] != "" {
			key = to[key]
		}
		return key
	}
	named := map[string]subconscious.IncidentKey{}
	join := func(link string, key subconscious.IncidentKey) {
		other, known := named[link]
		if a, b := root(key), root(other); known && a != b {
			to[max(a, b)] = min(a, b)
		}
		if !known {
			named[link] = key
		}
	}
	all = slices.DeleteFunc(slices.Clone(all), func(n noticed) bool { return n.about == nil })
	for _, n := range all {
		if hasScheme(n.about.ID, namingSchemes) {
			join(n.about.ID, n.key)
		}
		for _, link := range n.about.Links {
			if hasScheme(link, numberSchemes) {
				join(link, n.key)
			}
		}
	}
	for _, n := range all {
		for _, link := range n.about.Links {
			if _, known := named[link]; known && hasScheme(link, namingSchemes) {
				join(link, n.key)
			}
		}
	}
	return func(n noticed) subconscious.IncidentKey { return root(n.key) }
}
