package subconscious

import (
	"strings"
	"time"
)

// IncidentKey is the identity of one real-world thing over its life.
type IncidentKey string

// Incident is what is remembered of one real-world thing: which changes of
// which evidence have been counted, and what the person said of it.
type Incident struct {
	Key IncidentKey `json:"key"`
	// Links are the identities by which other evidence belongs to it: the names
	// of all that was recorded, and the links of the observation that it is of. At
	// most 32.
	Links []string `json:"links,omitempty"`
	// Recorded are the changes that were counted, by observation and ascending: at
	// most the last 8 of each, and at most 64 observations. Of what these
	// bounds left out, all up to the change Forgotten was counted.
	Recorded  map[Ref][]int64 `json:"recorded,omitempty"`
	Forgotten int64           `json:"forgotten,omitempty"`
	// Unheard is the last tick at which an observation was left out although the
	// person had not heard of it; 0 for none.
	Unheard int64 `json:"unheard,omitempty"`
	// Days are the last local days (YYYY-MM-DD) with counted evidence, at most
	// 8; Changes counts all evidence ever counted.
	Days    []string `json:"days,omitempty"`
	Changes int      `json:"changes,omitempty"`
	// Severity is the highest among its standing evidence, or of its last.
	Severity Severity `json:"severity,omitempty"`
	// Summary is the last accepted one, for people.
	Summary  string    `json:"summary,omitempty"`
	Opened   time.Time `json:"opened,omitzero"`
	LastSeen time.Time `json:"last_seen,omitzero"`
	// Promoted: it has been an insight once. Confirmed: the person, or a
	// deliberation, said that it is so.
	Promoted  bool `json:"promoted,omitempty"`
	Confirmed bool `json:"confirmed,omitempty"`
	// Over: the rule that found it finds it no longer, though what it rests on stands.
	Over bool `json:"over,omitempty"`
	// Closed is set while the person wants to hear no more of it.
	Closed *Closure `json:"closed,omitempty"`
	// Telling is nil until somebody asks that it be told. A merge leaves
	// it as it is.
	Telling *Telling `json:"telling,omitempty"`
}

// Closure records what the person closed. It holds until severity rises above
// Severity, or until it was all gone and appears anew; what never stood is
// closed until Expires.
type Closure struct {
	At       time.Time `json:"at"`
	Severity Severity  `json:"severity,omitempty"`
	// Standing: some of its evidence stood when it was closed, or before.
	Standing bool `json:"standing,omitempty"`
	// WentAway: all of it has been gone since.
	WentAway bool      `json:"went_away,omitempty"`
	Expires  time.Time `json:"expires,omitzero"`
	// Forever: only what is critical lifts it.
	Forever bool `json:"forever,omitempty"`
}

const (
	pairPrefix    = "pair:"
	patternPrefix = "pattern:"
	pairSeparator = " & "
)

// PairKey returns the key of a connection between two incidents, in either order.
// An & within a key is doubled, so that no two pairs share a key.
func PairKey(a, b IncidentKey) IncidentKey {
	if b < a {
		a, b = b, a
	}
	return pairPrefix + half(a) + pairSeparator + half(b)
}

func half(k IncidentKey) IncidentKey {
	return IncidentKey(strings.ReplaceAll(string(k), "&", "&&"))
}

// PatternKey returns the key of a pattern in the changes of one incident.
func PatternKey(of IncidentKey) IncidentKey { return patternPrefix + of }

// IsPair reports whether the key is a PairKey.
func (k IncidentKey) IsPair() bool { return strings.HasPrefix(string(k), pairPrefix) }

// IsPattern reports whether the key is a PatternKey.
func (k IncidentKey) IsPattern() bool { return strings.HasPrefix(string(k), patternPrefix) }

// Pairs reports whether the key is a PairKey of which part is one half.
func (k IncidentKey) Pairs(part IncidentKey) bool {
	pair, ok := strings.CutPrefix(string(k), pairPrefix)
	a, b, _ := strings.Cut(pair, pairSeparator)
	return ok && (a == string(half(part)) || b == string(half(part)))
}

// Parts are the two keys that a PairKey connects, the one that a PatternKey is
// of, and nothing for any other key.
func (k IncidentKey) Parts() []IncidentKey {
	if of, ok := strings.CutPrefix(string(k), patternPrefix); ok {
		return []IncidentKey{IncidentKey(of)}
	}
	pair, ok := strings.CutPrefix(string(k), pairPrefix)
	a, b, two := strings.Cut(pair, pairSeparator)
	if !ok || !two {
		return nil
	}
	whole := func(half string) IncidentKey { return IncidentKey(strings.ReplaceAll(half, "&&", "&")) }
	return []IncidentKey{whole(a), whole(b)}
}
