package memory

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"slices"
	"strconv"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// laneOf is the lane of what rests on such a word.
func (s *Store) laneOf(trust subconscious.Trust) Lane {
	switch {
	case trust == subconscious.Owner, trust == subconscious.Machine:
		return Trusted
	case trust == subconscious.Agent && !s.options.Apart:
		return Agents
	}
	return Quarantine
}

// confidenceIn is how sure a fresh record of such a word is.
func confidenceIn(trust subconscious.Trust) float64 {
	switch trust {
	case subconscious.Owner:
		return 1
	case subconscious.Machine:
		return 0.9
	case subconscious.Agent:
		return 0.6
	}
	return 0.3
}

// prepare returns the record as it is stored: checked, plain and redacted. What
// the store itself gives is left empty.
func (s *Store) prepare(r Record) (Record, error) {
	text, err := fulltext.Kept(r.Text, s.options.Redact, MaxText)
	if err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	kind := cmp.Or(r.Kind, Note)
	if !slices.Contains(Kinds(), kind) {
		return Record{}, fmt.Errorf("%w: there is no kind %q; take one of %v", ErrInvalid, subconscious.Clip(string(kind), MaxTag), Kinds())
	}
	trust := r.Trust
	switch trust {
	case subconscious.Owner, subconscious.Machine, subconscious.Agent:
	default:
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
	if year := r.Said.Year(); !r.Said.IsZero() && (year < 1970 || year > 2100) {
		return Record{}, fmt.Errorf("%w: it was said in the year %d, and times from 1970 to 2100 are kept", ErrInvalid, year)
	}
	if len(r.Derived) > MaxCitations {
		return Record{}, fmt.Errorf("%w: it is made from %d records, and at most %d are named", ErrInvalid, len(r.Derived), MaxCitations)
	}
	clean := Record{Kind: kind, Text: text, Tags: tags, Place: min(max(r.Place, 0), 1<<30), Said: r.Said.UTC(), Source: cmp.Or(r.Source, Person), Origin: r.Origin,
		Citations: cited, Derived: r.Derived, Supersedes: r.Supersedes, Trust: trust, Lane: s.laneOf(trust), Status: Active, Confidence: confidenceIn(trust),
		Validity: Unknown, Pinned: r.Pinned, Key: r.Key, RestsOn: r.RestsOn, Quotes: r.Quotes}
	for _, name := range []struct {
		what, given string
		to          *string
		most        int
	}{
		{"title", r.Title, &clean.Title, MaxTitle},
		{"summary", r.Summary, &clean.Summary, MaxSummary},
		{"topic", r.Topic, &clean.Topic, MaxName},
		{"project", r.About.Project, &clean.About.Project, MaxPath},
		{"agent", r.About.Agent, &clean.About.Agent, MaxName},
		{"session", r.About.Session, &clean.About.Session, MaxName},
		{"turn", r.About.Turn, &clean.About.Turn, MaxName},
		{"deliberation", r.Deliberation, &clean.Deliberation, MaxName},
		{"incident", string(r.Incident), (*string)(&clean.Incident), MaxName},
		{"source", string(clean.Source), (*string)(&clean.Source), MaxName},
	} {
		if len(name.given) > name.most {
			return Record{}, fmt.Errorf("%w: the %s has %d bytes, and at most %d are kept", ErrInvalid, name.what, len(name.given), name.most)
		}
		if *name.to = fulltext.Line(name.given); name.what != "project" || !filepath.IsAbs(*name.to) { // a folder, whatever its name looks like
			*name.to = s.options.Redact(*name.to)
		}
	}
	clean.Topic = strings.ToLower(clean.Topic)
	for i := range clean.Citations {
		clean.Citations[i].URL = s.options.Redact(clean.Citations[i].URL)
	}
	return clean.titled(), nil
}

// titled returns the record with a title and a summary: where none was given, and so
// none is kept, the beginning of the text.
func (r Record) titled() Record {
	if r.Title == "" {
		r.Title = r.firstLine()
	}
	if r.Summary == "" {
		r.Extracted = true
		if first := prose.Sentences(r.Text[:min(len(r.Text), 4*MaxSummary)]); len(first) > 0 {
			r.Summary = first[0].Text
		}
		r.Summary = subconscious.Clip(cmp.Or(r.Summary, fulltext.Line(r.Text)), MaxSummary)
	}
	return r
}

// asKept is the opposite of titled.
func (r Record) asKept() Record {
	if r.Title == r.firstLine() {
		r.Title = ""
	}
	if r.Extracted {
		r.Summary, r.Extracted = "", false
	}
	return r
}

func (r Record) firstLine() string {
	line, _, _ := strings.Cut(r.Text, "\n")
	return subconscious.Clip(line, MaxTitle)
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

func citations(given []Citation) ([]Citation, error) {
	if len(given) > MaxCitations {
		return nil, fmt.Errorf("%w: there are %d citations, and at most %d are kept", ErrInvalid, len(given), MaxCitations)
	}
	var cited []Citation
	for _, c := range given {
		if !c.valid() {
			return nil, fmt.Errorf("%w: %q is no citation", ErrInvalid, subconscious.Clip(c.String(), MaxName))
		}
		if !slices.Contains(cited, c) {
			cited = append(cited, c)
		}
	}
	return cited, nil
}

// String returns what is cited: "notes:abcdefghij@42", "main.go:10-20", an address.
func (c Citation) String() string {
	switch {
	case c.File != "" && c.Lines != "":
		return c.File + ":" + c.Lines
	case c.Conversation != "":
		return c.Conversation + " " + strconv.FormatInt(c.Message, 10)
	}
	return cmp.Or(c.File, c.URL, subconscious.Citation{Ref: c.Ref, Seq: c.Seq}.String())
}

func (c Citation) valid() bool {
	kinds := 0
	for _, is := range []bool{c.Ref != "", c.File != "", c.URL != "", c.Conversation != ""} {
		if is {
			kinds++
		}
	}
	plain := fulltext.Line(c.File+c.URL+c.Conversation+c.Lines+c.Hash+c.Commit+c.Fetched) == c.File+c.URL+c.Conversation+c.Lines+c.Hash+c.Commit+c.Fetched
	if kinds != 1 || !plain || len(c.String()) > MaxPath || len(c.Hash)+len(c.Commit)+len(c.Fetched) > 4*MaxName {
		return false
	}
	if c.Ref != "" {
		known, ok := subconscious.ParseCitation(c.String())
		return ok && known == subconscious.Citation{Ref: c.Ref, Seq: c.Seq}
	}
	return c.Lines == "" || lines().MatchString(c.Lines)
}

var lines = lazy.Regexp(`^[1-9][0-9]{0,7}(-[1-9][0-9]{0,7})?$`)

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

// hashOf is equal for texts that differ in nothing but capitals, white space and stops.
func hashOf(text string) []byte {
	sum := sha256.Sum256([]byte(normal(text)))
	return sum[:]
}

// keyOf is how a key is stored, whatever it is made of.
func keyOf(r Record) string {
	key := r.Key
	if r.About.Agent != "" { // agents do not take each other's
		key = r.About.Agent + "\x00" + key
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// newID has 50 random bits.
func newID() string { return "m-" + strings.ToLower(rand.Text()[:10]) }
