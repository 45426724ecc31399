package aggregator

import (
	"cmp"
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// subject is an observation that a claim of this tick is about.
type subject struct {
	*identity
	home   subconscious.IncidentKey // the incident that it has; "" for none
	parent *subject                 // the claimed observation whose incident it shares
	by     []string                 // what those are called that share its incident
}

// root is the observation whose incident a subject shares.
func (s *subject) root() *subject {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// issued are the names of a subject and of what shares its incident, with who gave
// their numbers.
func (s *subject) issued() []string { return append(slices.Clip(s.called()), s.by...) }

// join gives each observation that is claimed its incident: the one that it
// has, else a live one to which it belongs, else that of another claimed
// observation that it mentions or has a number in common with, else one of its
// own. Pairs and patterns are joined with nothing.
func (m *merge) join(claims []*claim) {
	m.homes = make(map[subconscious.IncidentKey]subconscious.IncidentKey, len(claims))
	subjects := m.subjects(claims)
	byName, byNumber := map[string]*subject{}, map[string]*subject{}
	for _, s := range subjects { // sorted by key: the least one keeps the place
		if home := m.incidents[s.home]; home != nil && home.Closed != nil {
			continue // nothing joins what the person closed
		}
		for _, name := range s.names {
			keepFirst(byName, name, s)
		}
		for _, number := range s.numbers {
			keepFirst(byNumber, number, s)
		}
	}
	for _, s := range subjects {
		if s.home != "" {
			continue
		}
		if s.parent = s.leastOf(byName, byNumber); s.parent != nil {
			s.root().by = append(s.root().by, s.called()...)
		}
	}
	for _, s := range subjects {
		root := s.root()
		m.homes[s.key] = cmp.Or(root.home, root.key)
	}
}

func keepFirst(by map[string]*subject, name string, s *subject) {
	if by[name] == nil {
		by[name] = s
	}
}

// subjects are the observations that are claimed, each once, sorted by key.
func (m *merge) subjects(claims []*claim) []*subject {
	var all []*subject
	var hosts []*host
	for _, c := range claims { // sorted by key
		if c.key.IsPair() || c.key.IsPattern() || len(all) > 0 && all[len(all)-1].key == c.key {
			continue
		}
		s := &subject{identity: c.cited[0].who()}
		if m.incidents[s.key] != nil {
			s.home = s.key
		} else {
			if hosts == nil {
				hosts = m.hosts()
			}
			s.home = s.hostedBy(hosts)
		}
		all = append(all, s)
	}
	return all
}

// leastOf is the observation of the least key that a subject mentions, else the
// least before it that shares a number; nil for none. One parent each, and no
// circle, so that two observations that both are mentioned by a third stay two.
func (s *subject) leastOf(byName, byNumber map[string]*subject) *subject {
	var found *subject
	for _, mention := range s.mentions {
		if other := byName[isNamed+mention]; other != nil && other.root() != s && (found == nil || other.key < found.key) {
			found = other
		}
	}
	if found != nil {
		return found
	}
	for _, number := range s.numbers {
		if other := byNumber[number]; other != nil && other.key < s.key && other.root() != s && s.goesWith(other.root().issued()) && (found == nil || other.key < found.key) {
			found = other
		}
	}
	return found
}

// host is an incident that something can join, with the links that it has, and
// will have by what joins it in this tick.
type host struct {
	*subconscious.Incident
	links []string
}

// hosts are the incidents with a live entry, and those that the person closed;
// the oldest first.
func (m *merge) hosts() []*host {
	live := make(map[subconscious.IncidentKey]bool, len(m.entries))
	for _, it := range m.entries {
		live[it.Incident] = live[it.Incident] || !it.gone
	}
	hosts := []*host{}
	for key, incident := range m.incidents {
		if (live[key] || incident.Closed != nil) && !key.IsPair() && !key.IsPattern() {
			hosts = append(hosts, &host{incident, slices.Clip(incident.Links)})
		}
	}
	slices.SortFunc(hosts, func(a, b *host) int {
		return cmp.Or(a.Opened.Compare(b.Opened), cmp.Compare(a.Key, b.Key))
	})
	return hosts
}

// hostedBy is the oldest incident that an observation belongs to. One that the
// person closed takes in nothing new: what mentions it later is something else.
func (s *subject) hostedBy(hosts []*host) subconscious.IncidentKey {
	for _, h := range hosts {
		if h.Closed != nil && h.Recorded[s.ref] != nil || h.Closed == nil && s.meets(h.Key, h.links) {
			h.links = append(h.links, s.called()...)
			return h.Key
		}
	}
	return ""
}
