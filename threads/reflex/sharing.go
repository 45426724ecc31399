package reflex

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// rareAt is how many other observations may share a word that connects, in the
	// plain field; each level of widening doubles it.
	rareAt = 2
	// sharingSeen bounds how many observations are looked at for one word. What more
	// share is common, even where many of them are one series.
	sharingSeen = 40
	// telling is the length from which one word says enough by itself.
	telling = 7
	// enough is the score from which two observations have to do with each other.
	enough = 2
)

// shared is an observation that shares rare words or links with another.
type shared struct {
	other subconscious.Observation
	words []string
	score int
	// link: a link is shared, or a word that names one thing.
	link bool
}

// linkSchemes are the links that connect. Those of a series, of a person and
// of a file are shared by what belongs together anyway.
var linkSchemes = []string{"url:", "invoice:", "order:", "ticket:", "mid:", "disk:", "unit:"}

// sharing returns the standing observations that have to do with o and that
// take accepts, those that share most first, and of a series the next
// occurrence.
func (s *scene) sharing(o subconscious.Observation, take func(subconscious.Observation) bool) []shared {
	found := map[subconscious.Ref]*shared{}
	note := func(key, word string, worth func(subconscious.Observation) int) {
		for _, other := range s.rare(o, key) {
			points := worth(other)
			if points == 0 || !take(other) {
				continue
			}
			x := found[other.Ref()]
			if x == nil {
				x = &shared{other: other}
				found[other.Ref()] = x
			}
			x.words = append(x.words, word)
			x.score += points
			x.link = x.link || points > enough || identifies(word)
		}
	}
	for _, link := range o.Links {
		if hasScheme(link, linkSchemes) {
			note(link, linkWords(link), func(subconscious.Observation) int { return enough + 1 })
		}
	}
	for _, own := range []string{"disk:", "unit:"} {
		if o.Sense == "health" && strings.HasPrefix(o.ID, own) {
			note(o.ID, linkWords(o.ID), func(subconscious.Observation) int { return enough + 1 })
		}
	}
	spoken := s.spoken(o)
	for _, term := range terms(o.Title + " " + o.Text) {
		said := slices.Contains(spoken, term)
		if o.Sense == "mail" && !said {
			continue
		}
		note("term:"+term, term, func(other subconscious.Observation) int {
			points, bothSay := 0, slices.Contains(s.spoken(other), term)
			if other.Sense == "mail" && !bothSay {
				return 0 // what stands below a mail stands below all of them
			}
			if utf8.RuneCountInString(term) >= telling || identifies(term) {
				points = 1
			}
			if said && bothSay {
				points++
			}
			return points
		})
	}
	out := make([]shared, 0, len(found))
	for _, x := range found {
		if x.score >= enough {
			out = append(out, *x)
		}
	}
	slices.SortFunc(out, func(a, b shared) int {
		return cmp.Or(cmp.Compare(b.score, a.score), closer(a.other, b.other))
	})
	return out
}

// shares reports whether two lists have something in common.
func shares(a, b []string) bool {
	return slices.ContainsFunc(a, func(term string) bool { return slices.Contains(b, term) })
}

// citable reports whether a finding about o may cite the other beside it: it is
// new, or no entry rests on it, or the titles and links of the two alone show
// that they have to do with each other, which is all that the mechanics see.
func (s *scene) citable(o, other subconscious.Observation) bool {
	if s.isNew(other) || !s.holding(other) {
		return true
	}
	return slices.ContainsFunc(o.Links, func(link string) bool { return slices.Contains(other.Links, link) || other.ID == link }) ||
		slices.Contains(other.Links, o.ID) || shares(subconscious.Terms(o.Title), subconscious.Terms(other.Title))
}

// isNew reports whether an observation is new to the thread in this tick.
func (s *scene) isNew(o subconscious.Observation) bool {
	ref := o.Ref()
	_, found := slices.BinarySearchFunc(s.news, ref, func(x subconscious.Observation, ref subconscious.Ref) int { return cmp.Compare(x.Ref(), ref) })
	return found
}

// rare returns the observations other than o that carry the key, one a series
// and one a thread of mail, where they are few.
func (s *scene) rare(o subconscious.Observation, key string) []subconscious.Observation {
	_, count := s.world.Sharing(key, 0)
	if count == 0 || count > sharingSeen {
		return nil
	}
	observations, _ := s.world.Sharing(key, count)
	own := seriesOf(o)
	series := map[string]int{}
	var few []subconscious.Observation
	for _, other := range observations {
		if other.Ref() == o.Ref() || oneSource(o, other) {
			continue
		}
		link := seriesOf(other)
		if link == "" {
			few = append(few, other)
			continue
		}
		if link == own {
			continue
		}
		i, known := series[link]
		if !known {
			series[link] = len(few)
			few = append(few, other)
		} else if closer(other, few[i]) < 0 {
			few[i] = other
		}
	}
	if len(few) > rareAt<<min(s.field.Level, 3) {
		return nil
	}
	return few
}

// seriesOf is what an observation belongs to of which one speaks for all: the
// series of an event, the thread of a mail; "" for none.
func seriesOf(o subconscious.Observation) string {
	if o.Sense == "mail" && o.Attrs["thread"] != "" {
		return string(o.Key())
	}
	return uid(o)
}

// closer orders observations by their due times, and then by what they say.
func closer(a, b subconscious.Observation) int {
	return cmp.Or(compareDue(a, b), strings.Compare(a.Title, b.Title), strings.Compare(a.Text, b.Text), cmp.Compare(a.Ref(), b.Ref()))
}

func compareDue(a, b subconscious.Observation) int { return a.Due.Compare(b.Due) }

// oneSource reports whether two observations were read from one file: a note,
// and what the sense files says of it.
func oneSource(a, b subconscious.Observation) bool {
	files := func(o subconscious.Observation) (found []string) {
		if o.Sense == "files" && o.Attrs["path"] != "" {
			found = append(found, o.Attrs["path"])
		}
		for _, link := range o.Links {
			if file, ok := strings.CutPrefix(link, "file:"); ok {
				found = append(found, file)
			}
		}
		return found
	}
	return shares(files(a), files(b))
}

// terms are the words of text that may connect: what subconscious.Terms finds,
// and the parts of compounds, without what is common or a date.
func terms(text string) []string {
	var out []string
	add := func(term string) {
		if utf8.RuneCountInString(term) >= 4 && !commonWords()[term] && !isDate(term) && !slices.Contains(out, term) {
			out = append(out, term)
		}
	}
	for _, term := range subconscious.Terms(text) {
		add(term)
		if strings.Contains(term, "-") {
			for part := range strings.SplitSeq(term, "-") {
				for _, word := range subconscious.Terms(part) {
					add(word)
				}
			}
		}
	}
	return out
}

// spoken are the terms of what an observation says of itself, as a person would
// name it: not the boilerplate of an invitation, nor what a file happens to
// hold.
func (s *scene) spoken(o subconscious.Observation) []string {
	switch o.Sense {
	case "calendar":
		return terms(s.eventName(o))
	case "mail":
		return terms(subject(o))
	case "files":
		return terms(path.Base(strings.TrimRight(o.ID, "/*")))
	case "notes":
		if o.Kind == "note" {
			return terms(o.Title + " " + o.Text)
		}
	case "conversation":
		if o.Kind == "message" {
			return terms(o.Title + " " + o.Text)
		}
	}
	return terms(o.Title)
}

// isDate reports whether a term is made of digits and hyphens, and too short to
// be a number that names something: 2026-11-27, 88131.
func isDate(term string) bool {
	return strings.Trim(term, "-0123456789") == "" && (strings.Contains(term, "-") || len(term) < 6)
}

// identifies reports whether a term names one thing by letters and digits, or
// by a long number: re-4711, a380.
func identifies(term string) bool {
	digits := digitsIn(term)
	return digits >= 6 || digits >= 3 && strings.Trim(term, "-0123456789") != ""
}

// linkWords write a link as people would: "invoice 4711", "example.org/plan".
func linkWords(link string) string {
	scheme, rest, _ := strings.Cut(link, ":")
	switch scheme {
	case "invoice", "order", "ticket":
		return scheme + " " + rest
	case "url":
		if _, after, ok := strings.Cut(rest, "://"); ok {
			rest = after
		}
	}
	return strings.TrimSuffix(rest, "/")
}
