package mail

import (
	"cmp"
	"maps"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// takingBytes is how long a letter is at most that takes another back.
const takingBytes = 160

// takesBack reports whether a letter goes on with another in a few words that take it
// back: neither with a further request nor with a time.
func (j judge) takesBack(o subconscious.Observation) bool {
	said := j.said()
	return len(j.refs) > 0 && len(said) <= takingBytes && o.Kind == kindMail && !strings.Contains(o.Attrs["says"], "asks") && o.Attrs["hours"] == "" && prose.Retracts(said)
}

// isBefore reports whether something stands for what the writer of a letter wrote
// before. For whom nobody vouches, where somebody did or could, has written nothing.
func (j judge) isBefore(o item) bool {
	return !o.Sent && o.Observation.Attrs["from"] == j.From.Addr && o.Received.Before(j.received) &&
		!j.mine && !j.failed && !j.unproven && (j.passed || o.Observation.Attrs["passed"] == "")
}

// endTaken ends what a letter takes back that was written before in its thread.
func (l *collect) endTaken(j judge, by subconscious.Observation) {
	for _, o := range l.open.all() {
		if j.isBefore(o) && o.Thread == hashOf(j.thread) {
			l.endBy(o, "taken_back", by)
			by.Attrs["retracts"] = "true"
		}
	}
}

// endBy ends what stands and says by which words.
func (l *collect) endBy(o item, how string, by subconscious.Observation) {
	gone := o.Observation
	gone.Change, gone.At, gone.Attrs = subconscious.Gone, l.at, maps.Clone(gone.Attrs)
	gone.Attrs[how] = bounded(cmp.Or(by.Attrs["quote"], by.Text))
	l.changes = append(l.changes, gone)
	l.open.drop(hashOf(gone.ID))
}
