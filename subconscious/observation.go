package subconscious

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Change says how an observation changed.
type Change string

const (
	Appeared  Change = "appeared"  // it stands now and did not before
	Changed   Change = "changed"   // it stands, and its class is another one
	Gone      Change = "gone"      // it stood and no longer does
	Momentary Change = "momentary" // it happened and never stood
)

// Trust says whose word an observation is. Only Owner may cause what is
// configured to happen without asking.
type Trust string

const (
	Owner    Trust = "owner"
	Machine  Trust = "machine"
	Agent    Trust = "agent"
	Outsider Trust = "outsider"
)

// Rank orders trust, the person's own word first: 0 to 3. Unknown trust counts as
// an outsider's.
func (t Trust) Rank() int {
	switch t {
	case Owner:
		return 0
	case Machine:
		return 1
	case Agent:
		return 2
	}
	return 3
}

// Severity of an observation, so that "rises" and "for the better" can be
// computed: 0 plain, 1 worth a look, 2 a warning, 3 critical.
type Severity int

const (
	Plain    Severity = 0
	Notable  Severity = 1
	Warning  Severity = 2
	Critical Severity = 3
)

// Observation is one fact from outside the daemon, with an identity. Senses
// emit them; the ledger numbers them.
type Observation struct {
	// ID names the real-world thing: an event's UID and recurrence, a promise
	// by its own words and file, a path, a metric. Unique within a sense name.
	ID string `json:"id"`
	// Sense is the sense's name ("files"), Instance the configured id ("work").
	Sense    string `json:"sense"`
	Instance string `json:"instance,omitempty"`
	// Kind is the sense's own class: "disk", "unit", "event", "promise",
	// "file". Each sense documents its kinds.
	Kind   string `json:"kind"`
	Change Change `json:"change"`
	// Seq numbers every change in the order in which the ledger recorded it.
	// Senses leave it 0.
	Seq int64 `json:"seq"`
	// At is when the sense saw it, never a time that a stranger wrote.
	At time.Time `json:"at"`
	// Title is one line a person would understand; Text is what more there is
	// to read. Both are capped, redacted and free of control characters.
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	// Fingerprint is its class, not a reading: an equal fingerprint means that
	// nothing changed.
	Fingerprint string   `json:"fingerprint,omitempty"`
	Severity    Severity `json:"severity,omitempty"`
	// Due is when it happens or must be done; Until is when it stops
	// standing by itself.
	Due   time.Time `json:"due,omitzero"`
	Until time.Time `json:"until,omitzero"`
	Trust Trust     `json:"trust"`
	// Attrs are documented features ("addressed_to_me", "band", "start").
	Attrs map[string]string `json:"attrs,omitempty"`
	// Words stand for Text where it was left out: its terms, at most 32.
	Words []string `json:"words,omitempty"`
	// Links are identities the sense itself extracted, each with a scheme:
	// "disk:/var", "unit:backup.service", "mid:…", "url:…", "invoice:4711".
	Links []string `json:"links,omitempty"`
	// Band is the time band of Due that the ledger last announced, and
	// BandOnly marks a change that consists of nothing but crossing one; such
	// a change is new for the oracle alone.
	Band     Band `json:"band,omitempty"`
	BandOnly bool `json:"band_only,omitempty"`
	// AsOf is set while the sense that reported it is blind: it is taken to
	// stand as it was then.
	AsOf time.Time `json:"as_of,omitzero"`
}

// Ref names an observation in a few characters: the sense's name, a colon and
// ten characters of lower-case RFC 4648 base32 of the SHA-256 of its ID.
type Ref string

// NewRef returns the reference of the observation that the sense calls id.
func NewRef(sense, id string) Ref {
	sum := sha256.Sum256([]byte(id))
	return Ref(sense + ":" + lowerBase32.EncodeToString(sum[:10])[:10])
}

const (
	lowerLetters = "abcdefghijklmnopqrstuvwxyz"
	digits       = "0123456789"
)

var lowerBase32 = base32.NewEncoding(lowerLetters + "234567")

// Ref returns the observation's reference.
func (o Observation) Ref() Ref { return NewRef(o.Sense, o.ID) }

// Key returns its incident key: its mail thread where it has one (attribute
// "thread"), else its sense and ID.
func (o Observation) Key() IncidentKey {
	if thread := o.Attrs["thread"]; thread != "" {
		return IncidentKey("thread:" + thread)
	}
	return IncidentKey(o.Sense + ":" + o.ID)
}

// Declared reports whether what it is worth, and whose word it is, was declared by
// the person: it comes from a source of their own configuration.
func (o Observation) Declared() bool {
	return o.Sense == "exec" || o.Sense == "post" || o.Sense == "feeds"
}

// Stands reports whether it stands after this change.
func (o Observation) Stands() bool { return o.Change == Appeared || o.Change == Changed }

// Sense returns the part of the reference before the colon.
func (r Ref) Sense() string {
	name, _, _ := strings.Cut(string(r), ":")
	return name
}

// Citation is a reference to one change of one observation. Seq 0 means the
// latest. Its text form is "notes:abcdefghij" or, with a change,
// "notes:abcdefghij@42".
type Citation struct {
	Ref Ref   `json:"ref"`
	Seq int64 `json:"seq,omitempty"`
}

// String returns the text form that threads cite.
func (c Citation) String() string {
	if c.Seq == 0 {
		return string(c.Ref)
	}
	return fmt.Sprintf("%s@%d", c.Ref, c.Seq)
}

// ParseCitation reads the text form. ok is false for anything that is not a
// sense's name, a colon, ten base32 characters and an optional "@SEQ".
func ParseCitation(text string) (c Citation, ok bool) {
	ref, tail, withSeq := strings.Cut(strings.TrimSpace(text), "@")
	name, hash, found := strings.Cut(ref, ":")
	if !found || name == "" || len(hash) != 10 {
		return Citation{}, false
	}
	if strings.Trim(name, lowerLetters+digits+"_-") != "" || strings.Trim(hash, lowerLetters+"234567") != "" {
		return Citation{}, false // Trim leaves what none of these is
	}
	c.Ref = Ref(ref)
	if withSeq {
		if tail == "" || len(tail) > 18 || strings.Trim(tail, digits) != "" {
			return Citation{}, false
		}
		c.Seq, _ = strconv.ParseInt(tail, 10, 64) // at most 18 digits
	}
	return c, true
}

// Occurrence is one recorded change of an observation, without its text.
type Occurrence struct {
	Seq      int64     `json:"seq"`
	At       time.Time `json:"at"`
	Change   Change    `json:"change"`
	Severity Severity  `json:"severity,omitempty"`
}
