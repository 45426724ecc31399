package reflex

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/score"
)

// connectionsShown bounds the connections of one tick.
const connectionsShown = 3

// written reports whether a person wrote it: a note, a word to the mind, a mail,
// what the person said in a conversation.
func written(o subconscious.Observation) bool {
	return o.Sense == "notes" || o.Sense == "person" || o.Sense == "mail" || byPerson(o)
}

// noteworthy are the connections of what is written, which are the librarian's.
func noteworthy(a, b subconscious.Observation) bool {
	return written(a) && (written(b) || b.Sense == "calendar" || b.Sense == "health")
}

func noteConnections(s *scene) []noticed { return s.connections(noteworthy) }

// wildConnections are all that the librarian does not make.
func wildConnections(s *scene) []noticed {
	return s.connections(func(a, b subconscious.Observation) bool {
		return !(noteworthy(a, b) && threads.Interested(subconscious.Librarian, a))
	})
}

// connections joins what is new with what stands, of another sense, and was
// never seen beside it: each observation with one other, the closest first.
func (s *scene) connections(take func(a, b subconscious.Observation) bool) []noticed {
	var all []noticed
	for _, o := range s.news {
		if !s.novel(o) || s.unheard(o) {
			continue
		}
		found := s.sharing(o, func(b subconscious.Observation) bool { return b.Sense != o.Sense && !threads.Aside(b) && take(o, b) })
		found = slices.DeleteFunc(found, func(x shared) bool {
			return s.holding(o, x.other) || s.unheard(x.other) || !s.citable(o, x.other) || s.speaks(o, x.other) || s.speaks(x.other, o)
		})
		for i, x := range found[:min(len(found), connectionsShown)] {
			if n := s.connection(o, x, third(o, x, found[i+1:])); n.Importance > 0 {
				all = append(all, n)
			}
		}
	}
	slices.SortFunc(all, before)
	var out []noticed
	used := map[string]bool{}
	for _, n := range all {
		if len(out) < connectionsShown && !slices.ContainsFunc(n.Evidence, func(cited string) bool { return used[cited] }) {
			for _, cited := range n.Evidence {
				used[cited] = true
			}
			out = append(out, n)
		}
	}
	return out
}

// third is what a link, and no mere word, joins with two observations, of a
// sense that neither of them is of: the note, the mail and the event of one
// invoice are one connection, not three.
func third(o subconscious.Observation, x shared, others []shared) []subconscious.Observation {
	for _, y := range others {
		for _, link := range y.other.Links {
			if y.other.Sense != o.Sense && y.other.Sense != x.other.Sense && hasScheme(link, linkSchemes) &&
				slices.Contains(o.Links, link) && slices.Contains(x.other.Links, link) {
				return []subconscious.Observation{y.other}
			}
		}
	}
	return nil
}

// connection is worth a word by the score of its features; nobody is told of one.
func (s *scene) connection(o subconscious.Observation, x shared, third []subconscious.Observation) noticed {
	words := say("%s %s %s and %s", quoted(x.words), links(x.words), s.called(o), s.called(x.other))
	for _, other := range third {
		words = say("%s %s %s, %s and %s", quoted(x.words), links(x.words), s.briefly(o), s.briefly(x.other), s.briefly(other))
	}
	n := notice(subconscious.KindConnection, 0, words, o, append([]subconscious.Observation{x.other}, third...)...)
	c := score.Connection{Link: x.link, Shared: x.score}
	for _, other := range append(third, x.other, o) {
		c.Open, c.Known = c.Open || open(other), c.Known || other.Sense == "mail" && known(other) > 0
		// The nearest of events and deadlines.
		if other.Due.After(s.at) && (n.Due.IsZero() || other.Due.Before(n.Due)) {
			n.Due = other.Due
		}
	}
	c.Soon = !n.Due.IsZero() && n.Due.Sub(s.at) <= threads.Ahead
	n.Importance, _ = worthOf(score.Connections.Judge(c, 0))
	return n
}

// novel reports whether an observation is here for the first time: it appeared,
// was created, or comes from the wider field. A file that is saved again was
// seen with everything else before.
func (s *scene) novel(o subconscious.Observation) bool {
	switch {
	case o.BandOnly && !s.wider[o.Ref()], o.Change == subconscious.Gone:
		return false
	case s.wider[o.Ref()]:
		return true
	case o.Sense == "mail" && o.Change == subconscious.Momentary:
		return o.Kind == "mail" && known(o) > 0
	case o.Sense == "files":
		return o.Attrs["action"] == "created" && len(s.field.History[o.Ref()]) <= 1
	case o.Sense == "conversation" && o.Change == subconscious.Momentary:
		return byPerson(o)
	case o.Sense == "notes" && o.Kind == "note":
		return o.Attrs["what"] == "created" || o.Attrs["what"] == "changed"
	}
	return o.Change == subconscious.Appeared
}

// unheard: an event that the person takes no part in, or that comes so often
// that whatever is written has to do with it; a mail that is not in the field of
// the thread.
func (s *scene) unheard(o subconscious.Observation) bool {
	return o.Sense == "calendar" && (!wanted(o) || s.routine(o)) || o.Sense == "mail" && !threads.MailOf(s.thread, o)
}

// quoted writes the shared words, the most telling first and at most two.
func quoted(words []string) string {
	words = slices.Clone(words)
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	words = slices.Compact(words)
	// A compound says what its parts say.
	var kept []string
	for _, word := range words {
		if len(kept) < 2 && !slices.ContainsFunc(kept, func(k string) bool { return strings.Contains(k, word) }) {
			kept = append(kept, strconv.Quote(name(word).limit(40)))
		}
	}
	return strings.Join(kept, " and ")
}

func links(words []string) string {
	if strings.Contains(quoted(words), `" and "`) {
		return "link"
	}
	return "links"
}

// limit shortens a part to at most so many bytes.
func (p *part) limit(bytes int) string {
	for len(p.String()) > bytes && p.shorten() {
	}
	return p.String()
}

// called is what an observation is called in a summary.
func (s *scene) called(o subconscious.Observation) *callee {
	switch o.Sense {
	case "calendar":
		return &callee{part: prose(s.eventName(o)), after: " on " + s.day(o.Due)}
	case "files":
		return &callee{part: name(strings.TrimRight(o.ID, "/*"))}
	case "notes":
		if o.Kind == "note" && o.Attrs["file"] != "" {
			return &callee{before: "the note ", part: name(o.Attrs["file"])}
		}
		return &callee{before: `the note "`, part: prose(o.Title), after: `"`}
	case "person":
		return &callee{before: noter(o) + ` note "`, part: prose(o.Title), after: `"`}
	case "mail":
		return mailed(o)
	case "conversation":
		return spokenOf(o)
	case "health":
		subject, _ := habit(o)
		return &callee{part: subject}
	}
	return &callee{part: prose(o.Title)}
}

// briefly is what an observation is called beside two others.
func (s *scene) briefly(o subconscious.Observation) *callee {
	switch {
	case threads.OwnMail(o):
		return &callee{before: "your mail to ", part: reader(o)}
	case o.Sense == "mail":
		who := sender(o)
		return &callee{before: "the mail from ", part: who.part, after: who.after}
	case o.Sense == "notes":
		return &callee{part: prose("a note")}
	case o.Sense == "person":
		return &callee{part: prose(noter(o) + " note")}
	case o.Sense == "conversation":
		return &callee{before: "the conversation ", part: bounded(name(place(o)))}
	}
	return s.called(o)
}

// callee is a part with what stands around it and is kept whole.
type callee struct {
	*part
	before, after string
}

// String is the whole as it is now.
func (c *callee) String() string { return c.before + c.part.String() + c.after }

// connectionOver: the two observations, which both stand, no longer share
// anything.
func connectionOver(s *scene, e subconscious.Entry) bool {
	observations, complete := s.standing(e)
	return complete && len(observations) >= 2 && !s.alike(observations[0], observations[1])
}

// alike reports whether two observations share a link or a word at all. That
// others share it as well by now ends no connection.
func (s *scene) alike(a, b subconscious.Observation) bool {
	return slices.ContainsFunc(a.Links, func(link string) bool {
		return hasScheme(link, linkSchemes) && (slices.Contains(b.Links, link) || b.ID == link)
	}) || slices.Contains(b.Links, a.ID) || shares(terms(a.Title+" "+a.Text), terms(b.Title+" "+b.Text))
}
