package reflex

import (
	"cmp"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads/score"
)

// byPerson reports whether it is what the person said in a conversation.
func byPerson(o subconscious.Observation) bool {
	return o.Sense == "conversation" && o.Attrs["author"] == "person"
}

// stranger reports whether it comes from a conversation that nobody vouches for.
func stranger(o subconscious.Observation) bool {
	return o.Sense == "conversation" && o.Trust == subconscious.Outsider
}

// place is what something open stands in: a note, or a conversation.
func place(o subconscious.Observation) string {
	return cmp.Or(o.Attrs["file"], o.Attrs["conversation"])
}

// askedByAgent is a question of an agent that the person has not answered. The
// last word of many a session is one.
func askedByAgent(s *scene, o subconscious.Observation) noticed {
	if o.Kind != "question" || !o.Stands() || s.holding(o) {
		return noticed{}
	}
	m := score.Message{Mind: o.Instance == "chat", Asks: true, Unknown: stranger(o), Words: count(o, "words")}
	return notice(subconscious.KindStale, 0, say("Unanswered in %s: %s", bounded(name(place(o))), prose(o.Title)), o).judged(score.Messages.Judge(m, 0))
}

// contradiction is that some of what is remembered may be wrong.
func contradiction(s *scene, o subconscious.Observation) noticed {
	if o.Kind != "contradiction" || !o.Stands() || s.holding(o) {
		return noticed{}
	}
	return notice(subconscious.KindConnection, 5, say("%s", prose(o.Title)), o)
}

// spokenOf is what something that was said is called in a summary.
func spokenOf(o subconscious.Observation) *callee {
	where := `" in the conversation ` + bounded(name(place(o))).String()
	return &callee{before: `"`, part: prose(o.Title), after: where}
}
