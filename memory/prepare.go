package memory

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// lane is whose word a record is: within one, equal texts are one record.
type lane string

const (
	laneTrusted  lane = "trusted"
	laneAgent    lane = "agent"
	laneOutsider lane = "outsider"
)

func laneOf(trust subconscious.Trust) lane {
	switch trust {
	case subconscious.Owner, subconscious.Machine:
		return laneTrusted
	case subconscious.Agent:
		return laneAgent
	}
	return laneOutsider
}

// status is what a fresh record of that lane has.
func (l lane) status() Status {
	if l == laneTrusted {
		return Active
	}
	return Quarantined
}

// prepare returns the record as it is stored: checked, plain and redacted. What
// the store itself gives is left empty.
func (s *Store) prepare(r Record) (Record, error) {
	text, err := fulltext.Kept(r.Text, s.options.Redact, MaxText)
	if err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	kind := r.Kind
	if kind == "" {
		kind = Note
	}
	if !slices.Contains(Kinds(), kind) {
		return Record{}, fmt.Errorf("%w: there is no kind %q; take one of %v", ErrInvalid, subconscious.Clip(string(kind), MaxTag), Kinds())
	}
	trust := r.Trust
	if laneOf(trust) == laneOutsider {
		trust = subconscious.Outsider
	}
	tags, err := s.tags(r.Tags)
	if err != nil {
		return Record{}, err
	}
	cited, err := citations(r.Citations)
	if err != nil {
		return Record{}, err
	}
	clean := Record{Kind: kind, Text: text, Tags: tags, Trust: trust, Status: laneOf(trust).status(), Citations: cited, Key: r.Key}
	for _, name := range []struct {
		what, given string
		to          *string
	}{
		{"agent", r.Agent, &clean.Agent},
		{"deliberation", r.Deliberation, &clean.Deliberation},
		{"incident", string(r.Incident), (*string)(&clean.Incident)},
	} {
		if len(name.given) > MaxName {
			return Record{}, fmt.Errorf("%w: the %s has %d bytes, and at most %d are kept", ErrInvalid, name.what, len(name.given), MaxName)
		}
		*name.to = s.options.Redact(fulltext.Line(name.given))
	}
	return clean, nil
}

func (s *Store) tags(given []string) ([]string, error) {
	if len(given) > MaxTags {
		return nil, fmt.Errorf("%w: there are %d tags, and at most %d are kept", ErrInvalid, len(given), MaxTags)
	}
	var tags []string
	for _, tag := range given {
		if len(tag) > MaxTag {
			return nil, fmt.Errorf("%w: a tag has %d bytes, and at most %d are kept", ErrInvalid, len(tag), MaxTag)
		}
		if tag = strings.ToLower(s.options.Redact(fulltext.Line(tag))); tag != "" {
			tags = append(tags, tag)
		}
	}
	return union(nil, tags, MaxTags), nil
}

func citations(given []subconscious.Citation) ([]subconscious.Citation, error) {
	if len(given) > MaxCitations {
		return nil, fmt.Errorf("%w: there are %d citations, and at most %d are kept", ErrInvalid, len(given), MaxCitations)
	}
	var cited []subconscious.Citation
	for _, c := range given {
		if known, ok := subconscious.ParseCitation(c.String()); !ok || known != c || len(c.Ref) > MaxName {
			return nil, fmt.Errorf("%w: %q is no citation", ErrInvalid, subconscious.Clip(c.String(), MaxName))
		}
		if !slices.Contains(cited, c) {
			cited = append(cited, c)
		}
	}
	return cited, nil
}

// union returns what is in either, sorted; of what is more than limit, that of
// kept stays.
func union(kept, more []string, limit int) []string {
	all := slices.Clone(kept)
	for _, one := range more {
		if len(all) < limit && !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	slices.Sort(all)
	return all
}

// hashOf is equal for texts that differ in nothing but capitals and white space.
func hashOf(text string) []byte {
	sum := sha256.Sum256([]byte(strings.ToLower(fulltext.Line(text))))
	return sum[:]
}

// keyOf is how a key is stored, whatever it is made of.
func keyOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// newID has 50 random bits.
func newID() string { return "m-" + strings.ToLower(rand.Text()[:10]) }
