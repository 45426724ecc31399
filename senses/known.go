package senses

import (
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// phase says how an observation is, as the ledger sees it.
type phase string

const (
	standing phase = "standing"
	gone     phase = "gone" // it stood, and was known to
	past     phase = "past" // momentary, or its sense was long taken out of the configuration
	away     phase = "away" // all that it stands for was taken out of the configuration
)

// known is all that the ledger keeps of one observation in memory. What is in a
// tree is never changed: a changed copy takes its place, so that older views
// stay as they were.
type known struct {
	// latest is the last recorded change; its text is kept while it stands.
	latest *subconscious.Observation
	phase  phase
	// claims say who holds it to stand, first the one whose word counts: two
	// calendars can know the same event, and two scopes the same promise.
	claims []claim
	// occurrences are the last changes, oldest first.
	occurrences []subconscious.Occurrence
	marks
}

// marks are sets of threads, a bit for each.
type marks struct {
	// shown: they were shown the observation since its last change.
	shown uint64
	// known: they were shown the observation since it appeared.
	known uint64
}

// claim says that one instance, for one scope, holds an observation to stand.
type claim struct {
	instance string
	scope    string // "=" and the scope of a set, behind outScope where Left; "" for explicit changes
	obs      *subconscious.Observation
}

func setScope(scope string) string { return "=" + scope }

const outScope = "-"

// copy returns one that may be changed.
func (t *known) copy() *known {
	c := *t
	c.claims = slices.Clone(t.claims)
	return &c
}

// record makes the observation the latest change.
func (t *known) record(o *subconscious.Observation) {
	t.latest = o
	occurrences := append(slices.Clone(t.occurrences), subconscious.Occurrence{
		Seq: o.Seq, At: o.At, Change: o.Change, Severity: o.Severity,
	})
	t.occurrences = occurrences[max(0, len(occurrences)-MaxOccurrences):]
}

// until returns when the first of its claims ends by itself.
func (t *known) until() time.Time {
	var first time.Time
	for _, c := range t.claims {
		if u := c.obs.Until; !u.IsZero() && (first.IsZero() || u.Before(first)) {
			first = u
		}
	}
	return first
}

func (t *known) claimIndex(instance, scope string) int {
	return slices.IndexFunc(t.claims, func(c claim) bool { return c.instance == instance && c.scope == scope })
}

// sameClass reports whether nothing changed from a to b, as far as an
// observation's class goes.
func sameClass(a, b *subconscious.Observation) bool {
	return a.Fingerprint == b.Fingerprint && a.Severity == b.Severity && a.Due.Equal(b.Due) && a.Kind == b.Kind
}

// restates reports whether b, of the same class as a, says something of it that
// has to be kept although nobody need hear it.
func restates(a, b *subconscious.Observation) bool {
	return !a.Until.Equal(b.Until) || a.Trust != b.Trust
}

// withoutText returns a copy without its text.
func withoutText(o *subconscious.Observation) *subconscious.Observation {
	if o.Text == "" {
		return o
	}
	short := *o
	short.Text = ""
	return &short
}

// slots hands out bits to the names of threads.
type slots []slot

type slot struct {
	name   subconscious.ThreadName
	active bool
}

func (s slots) bit(name subconscious.ThreadName) uint64 {
	for i, slot := range s {
		if slot.name == name {
			return 1 << i
		}
	}
	return 0
}
