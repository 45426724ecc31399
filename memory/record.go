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

// Lane is by the least trusted word that a record rests on. None sees into another.
type Lane string

const (
	Trusted    Lane = "trusted"    // the person's and the machine's
	Agents     Lane = "agents"     // agents', of their project, until the person confirms it
	Quarantine Lane = "quarantine" // strangers'; shown to the person alone
)

// Lanes returns every lane there is.
func Lanes() []Lane { return []Lane{Trusted, Agents, Quarantine} }

// Source is who wrote a record.
type Source string

const (
	Person       Source = "person"
	Deliberation Source = "deliberation"
	Mechanics    Source = "mechanics"
	Conversation Source = "conversation"
	Agent        Source = "agent"
	Adapter      Source = "adapter"
)

// Status says whether a record is used.
type Status string

const (
	Active     Status = "active"     // found
	Superseded Status = "superseded" // another one holds in its place
	Archived   Status = "archived"   // kept, and no longer found
	Erased     Status = "forgotten"  // forgotten: nothing but its ID is known
)

// Validity says what came of the last look at what a record cites.
type Validity string

const (
	Unknown Validity = "unknown" // it cites nothing that can be looked at, or was not looked at
	Holds   Validity = "holds"
	Changed Validity = "changed"
	Missing Validity = "missing"
)

// About says what a record belongs to; "" is nothing in particular.
type About struct {
	Project string `json:"project,omitempty"` // the root folder of a repository, or a name
	Agent   string `json:"agent,omitempty"`   // whose word it is in the agents' lane
	Session string `json:"session,omitempty"`
	Turn    string `json:"turn,omitempty"`
}

// Citation ties a record to the world. One of Ref, File, URL and Conversation is set.
type Citation struct {
	Ref          subconscious.Ref `json:"ref,omitempty"` // an observation: a letter, an event, a note
	Seq          int64            `json:"seq,omitempty"` // a change of it; 0 is the latest
	File         string           `json:"file,omitempty"`
	Lines        string           `json:"lines,omitempty"`  // "10" or "10-20"; "" is all of the file
	Hash         string           `json:"hash,omitempty"`   // SHA-256 of those lines, each with a line feed, in hex
	Twins        int              `json:"twins,omitempty"`  // how often the same stood elsewhere in the file
	Commit       string           `json:"commit,omitempty"` // at which they stood so; without lines and hash it is what is cited
	URL          string           `json:"url,omitempty"`
	Fetched      string           `json:"fetched,omitempty"` // RFC 3339
	Conversation string           `json:"conversation,omitempty"`
	Message      int64            `json:"message,omitempty"`
}

// Origin is the place in a file that an adapter read a record from.
type Origin struct {
	Adapter string `json:"adapter"`
	Path    string `json:"path"`
	Lines   string `json:"lines,omitempty"` // as of a Citation, and so Hash
	Hash    string `json:"hash,omitempty"`
}

// Record is one thing that is remembered.
type Record struct {
	ID string `json:"id"` // "m-…"; given by the store
	// Version is 1 for a new one, and one more with each change.
	Version int  `json:"version"`
	Kind    Kind `json:"kind"`
	// Title is given, or the first line of the text; Summary is given, or the first
	// sentence, and Extracted then.
	Title     string `json:"title"`
	Summary   string `json:"summary"`
	Extracted bool   `json:"extracted,omitempty"`
	// Text is plain and redacted, of at most MaxText bytes.
	Text string `json:"text"`
	// Tags are sorted, at most MaxTags.
	Tags []string `json:"tags"`
	// Topic is a key such as "home.address" or "project/db.engine". Of one that holds
	// one value, a later record supersedes the one before.
	Topic string `json:"topic,omitempty"`
	About About  `json:"about,omitzero"`
	// Place is its number in the session.
	Place int `json:"place,omitempty"`
	// Said is when it was said or happened; zero is unknown.
	Said   time.Time `json:"said,omitzero"`
	Source Source    `json:"source"`
	Origin *Origin   `json:"origin,omitempty"`
	// Deliberation and Incident are what it was written in.
	Deliberation string                  `json:"deliberation,omitempty"`
	Incident     subconscious.IncidentID `json:"incident,omitempty"`
	Citations    []Citation              `json:"citations"`
	// Derived are the IDs of the records that it was made from.
	Derived      []string `json:"derived_from,omitempty"`
	Supersedes   string   `json:"supersedes,omitempty"`
	SupersededBy string   `json:"superseded_by,omitempty"`
	// Trust is the least of all that it rests on. What is none of owner,
	// machine and agent counts as an outsider's.
	Trust subconscious.Trust `json:"trust"`
	// Lane and Status are given by the store.
	Lane   Lane   `json:"lane"`
	Status Status `json:"status"`
	// Confidence is 0 to 1. It hides nothing, and orders equal scores.
	Confidence float64   `json:"confidence"`
	Validity   Validity  `json:"validity"`
	Checked    time.Time `json:"checked,omitzero"`
	Created    time.Time `json:"created"`
	Updated    time.Time `json:"updated"`
	LastSeen   time.Time `json:"last_seen,omitzero"`
	SeenCount  int       `json:"seen,omitempty"`
	Used       int       `json:"used,omitempty"`
	LastUsed   time.Time `json:"last_used,omitzero"`
	Pinned     bool      `json:"pinned,omitempty"`
	// Key makes writing idempotent: the same key in the same lane writes once.
	// It is not read back.
	Key string `json:"-"`
	// RestsOn are the words that it was extracted from, which must stand in one of
	// Quotes; nil where it was not extracted. Neither is kept.
	RestsOn, Quotes []string `json:"-"`
}

// The bounds of a record: texts, tag and names in bytes.
const (
	MaxText      = 4 << 10
	MaxTitle     = 120
	MaxSummary   = 240
	MaxTags      = 16
	MaxTag       = 40
	MaxCitations = 8
	MaxName      = 64
	MaxPath      = 512
)

// The bounds of the store, where Options say nothing else: the active records of a
// lane, and of an agent. The oldest unused go to the archive beyond them. Of all
// records of a lane, archived ones too, there are twice as many.
const (
	MaxLane  = 300_000
	MaxAgent = 50_000
)

var (
	// ErrFull: there are as many records as are kept.
	ErrFull = errors.New("memory is full")
	// ErrNotFound: there is no such record.
	ErrNotFound = errors.New("no such memory")
	// ErrInvalid: a record or query that cannot be taken.
	ErrInvalid = errors.New("invalid memory")
	// ErrVersion: it was changed since it was read.
	ErrVersion = errors.New("the memory was changed since")
)

// Outcome is what came of writing.
type Outcome string

const (
	Stored   Outcome = "stored"
	Seen     Outcome = "seen"     // it is there already, and counted
	Conflict Outcome = "conflict" // stored, and one of what is like it may be wrong
	Refused  Outcome = "refused"  // it is not worth keeping
)

// Written is what came of writing a record: the record as it is there now, none where
// it was refused.
type Written struct {
	Record
	Outcome Outcome `json:"outcome"`
	// With is the record that it conflicts with.
	With string `json:"with,omitempty"`
	// Reason says why it was refused, or that the person had forgotten what they say again.
	Reason Reason `json:"reason,omitempty"`
}

// Query says what is looked for.
type Query struct {
	// Words are any text; what holds more and rarer ones of them comes first.
	Words string
	// Lane is where it is looked; "" is Trusted.
	Lane Lane
	// Kind, if set, is the only one that is found; so are the fields of About.
	Kind  Kind
	About About
	// Since leaves out what was said, or where that is unknown written, before.
	Since time.Time
	// Variety finds what is less like what stands before it, for a list.
	Variety bool
	// Status, for List alone; "" is Active.
	Status Status
	// Topic, for List alone.
	Topic string
	// Before is the ID of a record that List goes on after; "" begins with the
	// newest. Search ignores it.
	Before string
	// Limit is 1 to 100; 0 is 10.
	Limit int
	// Into is the session, conversation or deliberation that it is recalled into; ""
	// is none: the person looks.
	Into string
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
	Agents      int `json:"agents"`
	Quarantined int `json:"quarantined"`
	Superseded  int `json:"superseded"`
	Archived    int `json:"archived"`
}
