package reflex

import (
	"strconv"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads/score"
)

// letter is what is known of a mail, of what the sense saw in it and of the
// person's notes and calendar.
func (s *scene) letter(o subconscious.Observation) score.Letter {
	number := func(name string, without int) int {
		n, err := strconv.Atoi(o.Attrs[name])
		if err != nil {
			return without
		}
		return n
	}
	l := score.Letter{
		Wrote: known(o), Ago: number("ago", -1), Ours: on(o, "ours"), Awaited: on(o, "awaited"),
		Domain: o.Attrs["acquainted"], Addressed: o.Attrs["addressed"], Recipients: number("recipients", 0),
		Role: on(o, "role"), Names: on(o, "names"), Others: on(o, "others"), Passed: on(o, "passed"), Forged: on(o, "forged"),
		Automated: on(o, "automated"), Bulk: on(o, "bulk"), List: o.Attrs["list"] != "",
		Bytes: number("bytes", 0), Links: number("urls", 0), Doubts: number("doubts", 0),
		Words: number("words", 0), Hours: number("hours", -1), Days: number("days", -1), Says: strings.Fields(o.Attrs["says"]),
	}
	if l.Domain == "" && !l.Forged && s.named(o) {
		l.Domain = "named"
	}
	return l
}

// Learner lets habits change as the person does something with mails, but with codes,
// for which they wait whatever else its sender writes, and with junk.
func Learner(snapshot subconscious.Snapshot, habits score.Habits) func(o subconscious.Observation, deed subconscious.Deed) {
	s := newScene(snapshot, subconscious.Watcher)
	return func(o subconscious.Observation, deed subconscious.Deed) {
		if passes(o) || on(o, "junk") {
			return
		}
		habits.Learn(strings.Fields(o.Attrs[subconscious.HabitAttr]), score.Letters.Judge(s.letter(o), 0).Sum, deed, s.at)
	}
}

// Letters are the mails that are new to the watcher and weighed, as they are
// scored.
func Letters(snapshot subconscious.Snapshot) map[string]score.Letter {
	s, all := newScene(snapshot, subconscious.Watcher), map[string]score.Letter{}
	for _, o := range s.of("mail") {
		if !s.unweighed(o) {
			all[o.ID] = s.letter(o)
		}
	}
	return all
}
