package conversation

import (
	"strconv"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Ref is the reference of what a message of the mind's own log was reported as,
// where it was reported as a message or a question. A promise has one of its own.
func Ref(m Message) subconscious.Ref {
	return subconscious.NewRef(Name, LogID+"/"+logName(m)+"#"+strconv.FormatInt(m.ID, 10))
}
