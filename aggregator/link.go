package aggregator

import (
	"cmp"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Two observations are one incident where a link that a sense took from one is
// the other's own name ("disk:/var"), or where both carry the same
// number ("invoice:4711"). Links of other schemes (a URL, a host, a folder)
// are shared by many observations and join nothing.
var (
	namingSchemes = []string{"disk:", "unit:", "mid:", "thread:"}
	sharedSchemes = []string{"invoice:", "order:", "ticket:", "mid:", "thread:"}
)

// isNamed marks those of an incident's links that name its own observations.
const isNamed = "is:"

// isBy marks who issued the number by which an incident is joined. A number is
// unique only for its issuer: invoice 1001 of the city and invoice 1001 of the
// telephone company are two, and neither is joined by a stranger's mail that
// names the same number.
const isBy = "by:"

// identity is what an observation is called, and what it names.
type identity struct {
	// issuer is the domain of who sent it, "by:example.net"; "" for what is no
	// mail of somebody else's.
	issuer string
	key    subconscious.IncidentKey
	ref    subconscious.Ref
	// names: "is:health:disk:/var", and "is:disk:/var" where its ID is such a
	// name; mentions: "disk:/var"; numbers: "invoice:4711".
	names, mentions, numbers []string
}

func identify(o *subconscious.Observation, ref subconscious.Ref) *identity {
	who := &identity{key: o.Key(), ref: ref, issuer: issuerOf(o)}
	who.names = append(who.names, isNamed+string(who.key))
	if hasScheme(o.ID, namingSchemes) {
		who.names = append(who.names, isNamed+o.ID)
	}
	for _, link := range o.Links {
		if hasScheme(link, namingSchemes) && link != o.ID {
			who.mentions = append(who.mentions, link)
		}
		if hasScheme(link, sharedSchemes) {
			who.numbers = append(who.numbers, link)
		}
	}
	return who
}

// meets reports whether an observation belongs to the incident of that key and
// those links: it is one of its observations, mentions one, or has a number in
// common with it; or the observation that the incident is of mentions it alone.
// A note that mentions two failing units does not make them one.
func (who *identity) meets(key subconscious.IncidentKey, links []string) bool {
	if who.key == key || slices.Contains(links, who.names[0]) {
		return true
	}
	for _, mention := range who.mentions {
		if slices.Contains(links, isNamed+mention) {
			return true
		}
	}
	if who.goesWith(links) {
		for _, number := range who.numbers {
			if slices.Contains(links, number) {
				return true
			}
		}
	}
	return slices.ContainsFunc(who.names[1:], func(name string) bool {
		return slices.Contains(links, strings.TrimPrefix(name, isNamed)) && !namesAnother(links, name, key)
	})
}

// goesWith reports whether a number that an observation shares with these links
// has the same issuer, as far as that is known.
func (who *identity) goesWith(links []string) bool {
	return who.issuer == "" || slices.Contains(links, who.issuer) ||
		!slices.ContainsFunc(links, func(link string) bool { return strings.HasPrefix(link, isBy) })
}

// issuerOf is the registered domain of a mail's sender, or the mail itself where
// that is not known: its numbers then match nothing else.
func issuerOf(o *subconscious.Observation) string {
	if o.Sense != "mail" || o.Attrs["to"] != "" { // the person's own names who it went to
		return ""
	}
	return isBy + cmp.Or(o.Attrs["domain"], string(o.Key()))
}

// namesAnother reports whether an incident has an observation with a name of
// its own beside the one that it is of and the given one.
func namesAnother(links []string, name string, key subconscious.IncidentKey) bool {
	_, own, _ := strings.Cut(string(key), ":")
	return slices.ContainsFunc(links, func(link string) bool {
		other, ok := strings.CutPrefix(link, isNamed)
		return ok && link != name && other != own && hasScheme(other, namingSchemes)
	})
}

// links are what an incident keeps of one of its observations. Only the
// observation that it is of can mention others or bring a number.
func (who *identity) links(of subconscious.IncidentKey) []string {
	if who.key != of {
		return who.called()
	}
	return slices.Concat(who.called(), who.mentions, who.numbers)
}

// called are the names of an observation, and who gave the numbers that it has.
func (who *identity) called() []string {
	if who.issuer == "" || len(who.numbers) == 0 {
		return who.names
	}
	return append(slices.Clip(slices.Clone(who.names)), who.issuer)
}

// LinkQueries are the links by which the incidents are looked up that an
// observation could belong to.
func LinkQueries(o subconscious.Observation) []string {
	who := identify(&o, "")
	queries := slices.Concat(who.names, who.numbers)
	for _, name := range who.names[1:] {
		queries = append(queries, strings.TrimPrefix(name, isNamed))
	}
	for _, mention := range who.mentions {
		queries = append(queries, isNamed+mention)
	}
	return queries
}

func hasScheme(link string, schemes []string) bool {
	return slices.ContainsFunc(schemes, func(scheme string) bool { return strings.HasPrefix(link, scheme) })
}

// linksOf are the links of a group's incident, and of what is claimed of it.
func (m *merge) linksOf(g *group) []string {
	if g.key.IsPair() || g.key.IsPattern() {
		return nil
	}
	var all []string
	if incident := m.incidents[g.key]; incident != nil {
		all = append(all, incident.Links...)
	}
	for _, c := range g.claims {
		all = append(all, c.cited[0].who().links(g.key)...)
	}
	return all
}

// belongs reports whether a citation is evidence of the incident itself.
func (m *merge) belongs(x *cited, key subconscious.IncidentKey, links []string) bool {
	own := x.key()
	switch {
	case key.IsPair():
		return key.Pairs(own)
	case key.IsPattern():
		return subconscious.PatternKey(own) == key
	}
	if home, claimed := m.homes[own]; claimed {
		return home == key
	}
	if m.incidents[own] != nil && own != key {
		return false // it has an incident of its own
	}
	return x.who().meets(key, links)
}

// related reports whether two observations have anything to do with each other
// that can be computed: a link, a telling word, or due times within a day in
// one calendar.
func related(x, y *cited) bool {
	if x.key() == y.key() || x.who().mentionsName(y.who()) || y.who().mentionsName(x.who()) {
		return true
	}
	a, b := &x.evidence.Latest, &y.evidence.Latest
	if slices.ContainsFunc(a.Links, func(link string) bool { return slices.Contains(b.Links, link) }) {
		return true
	}
	if a.Sense == b.Sense && !a.Due.IsZero() && !b.Due.IsZero() && a.Due.Sub(b.Due).Abs().Hours() <= 24 {
		return true
	}
	terms := b.Terms()
	return slices.ContainsFunc(a.Terms(), func(term string) bool { return slices.Contains(terms, term) })
}

func (who *identity) mentionsName(other *identity) bool {
	return slices.ContainsFunc(who.mentions, func(mention string) bool { return slices.Contains(other.names, isNamed+mention) })
}

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
