package reflex

import (
	"cmp"

	"github.com/subconsciousd/subconsciousd/subconscious"
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

// inMind reports whether it was said in the mind's own log, where whoever writes
// to the person does so on purpose.
func inMind(o subconscious.Observation) bool { return o.Instance == "chat" }

// askedByAgent is a question of an agent that the person has not answered. The
// last word of many a session is one, so that those of transcripts count little.
func askedByAgent(s *scene, o subconscious.Observation) noticed {
	if o.Kind != "question" || !o.Stands() || s.holding(o) {
		return noticed{}
	}
	importance, reason := 3, ""
	if inMind(o) {
		importance, reason = 5, "an agent waits for your answer"
	}
	return notice(subconscious.KindStale, importance, say("Unanswered in %s: %s", bounded(name(place(o))), prose(o.Title)), o).tell(reason)
}

// spokenOf is what something that was said is called in a summary.
func spokenOf(o subconscious.Observation) *callee {
	where := `" in the conversation ` + bounded(name(place(o))).String()
	return &callee{before: `"`, part: prose(o.Title), after: where}
}
