package memory

import (
	"errors"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Kind is what sort of thing is remembered.
type Kind string

const (
	Fact     Kind = "fact"
	Pattern  Kind = "pattern"
	Insight  Kind = "insight"
	Solution Kind = "solution"
	Learning Kind = "learning"
	Decision Kind = "decision"
	Summary  Kind = "summary"
	Style    Kind = "style"
	Note     Kind = "note"
	Event    Kind = "event"
)

// Kinds returns every kind there is.
func Kinds() []Kind {
	return []Kind{Fact, Pattern, Insight, Solution, Learning, Decision, Summary, Style, Note, Event}
}

// Status says whether a record is used.
type Status string

const (
	Active      Status = "active"      // found and recalled
	Quarantined Status = "quarantined" // kept apart until the person confirms it
	Archived    Status = "archived"    // kept, and no longer found
	Forgotten   Status = "forgotten"   // erased: nothing but its ID is known
)

// Record is one thing that is remembered.
type Record struct {
	ID   string `json:"id"` // "m-…"; given by the store
	Kind Kind   `json:"kind"`
	// Text is plain and redacted, of at most MaxText bytes.
	Text string `json:"text"`
	// Tags are sorted, at most MaxTags.
	Tags []string `json:"tags"`
	// Trust is the least of all that it rests on. What is none of owner,
	// machine and agent counts as an outsider's.
	Trust subconscious.Trust `json:"trust"`
	// Status follows from Trust and is given by the store.
	Status Status `json:"status"`
	// Agent is who wrote it: "person", "deliberation", "mechanics", or an
	// agent's name.
	Agent        string                  `json:"agent,omitempty"`
	Deliberation string                  `json:"deliberation,omitempty"`
	Incident     subconscious.IncidentID `json:"incident,omitempty"`
	Citations    []subconscious.Citation `json:"citations"`
	Created      time.Time               `json:"created"`
	Updated      time.Time               `json:"updated"`
	SeenCount    int                     `json:"seen,omitempty"`
	// Key makes writing idempotent: the same key of the same trust writes once.
	// It is not read back.
	Key string `json:"-"`
}

// The bounds of a record: text, tag and name in bytes.
const (
	MaxText      = 4 << 10
	MaxTags      = 16
	MaxTag       = 40
	MaxCitations = 8
	MaxName      = 64
)

// The bounds of the store, where Options say nothing else.
const (
	MaxActive      = 90_000
	MaxQuarantined = 10_000
)

var (
	// ErrFull: there are as many records as are kept.
	ErrFull = errors.New("memory is full")
	// ErrNotFound: there is no such record.
	ErrNotFound = errors.New("no such memory")
	// ErrInvalid: a record or query that cannot be taken.
	ErrInvalid = errors.New("invalid memory")
)

// Query says what is looked for.
type Query struct {
	// Words are any text; what holds more and rarer ones of them comes first.
	Words string
	// Kind, if set, is the only one that is found.
	Kind Kind
	// Quarantined looks among what is kept apart, in place of what is active.
	Quarantined bool
	// Before is the ID of a record that List goes on after; "" begins with the
	// newest. Search ignores it.
	Before string
	// Limit is 1 to 100; 0 is 10.
	Limit int
}

// Hit is a record that was found. A higher score fits better; scores of
// different queries do not compare.
type Hit struct {
	Record
	Score float64 `json:"score"`
}

// Count is how many records there are.
type Count struct {
	Active      int `json:"active"`
	Quarantined int `json:"quarantined"`
	Archived    int `json:"archived"`
}
