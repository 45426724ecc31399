package senses

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Cleaner makes what a sense reports safe for everything that comes after:
// redacted, bounded, and free of control characters, format characters and the
// tokens of chat templates. It is deterministic, and cleaning twice changes
// nothing more.
type Cleaner struct {
	// Redact replaces secrets; nil leaves text as it is.
	Redact func(string) string
}

// Cut counts what cleaning had to shorten or to refuse.
type Cut struct {
	Shortened int // observations of which a part was left out
	Refused   int // observations and rows that were left out
	// Why is the reason of the first refusal.
	Why string
}

func (c *Cut) refuse(format string, args ...any) {
	c.Refused++
	if c.Why == "" {
		c.Why = fmt.Sprintf(format, args...)
	}
}

// String says in plain words what was cut, and is empty where nothing was.
func (c Cut) String() string {
	var said []string
	if c.Refused > 0 {
		said = append(said, fmt.Sprintf("%d left out (%s)", c.Refused, c.Why))
	}
	if c.Shortened > 0 {
		said = append(said, fmt.Sprintf("%d shortened", c.Shortened))
	}
	return strings.Join(said, ", ")
}

// Batch returns a cleaned copy of what the sense instance reported at the time
// at. The batch that is given is not changed.
func (c Cleaner) Batch(at time.Time, source SenseID, batch Batch) (Batch, Cut) {
	var lost Cut
	clean := Batch{
		Cursor:   slices.Clone(batch.Cursor),
		Degraded: c.line(batch.Degraded, maxSaidBytes),
		Aside:    c.line(batch.Aside, maxSaidBytes),
		Starting: batch.Starting, Listing: batch.Listing,
		Restamp: batch.Restamp,
	}
	for _, o := range batch.Changes {
		if len(clean.Changes) == MaxChanges {
			lost.refuse("more than %d changes at once", MaxChanges)
			continue
		}
		if o, ok := c.observation(at, source, o, &lost); ok {
			clean.Changes = append(clean.Changes, o)
		}
	}
	items := 0
	for _, set := range batch.Sets {
		cleaned := Set{Scope: c.identity(set.Scope, MaxIDBytes), Left: set.Left}
		for _, o := range set.Items {
			if items == MaxStanding {
				lost.refuse("more than %d observations standing", MaxStanding)
				continue
			}
			o.Change = subconscious.Appeared
			if o, ok := c.observation(at, source, o, &lost); ok {
				cleaned.Items = append(cleaned.Items, o)
				items++
			}
		}
		clean.Sets = append(clean.Sets, cleaned)
	}
	for _, row := range batch.Rows {
		if len(row.Key) > MaxRowKey || len(row.Value) > MaxRowValue || len(clean.Rows) == MaxRows {
			lost.refuse("a row beyond %d rows, %d bytes of key or %d of value", MaxRows, MaxRowKey, MaxRowValue)
			continue
		}
		clean.Rows = append(clean.Rows, Row{Key: row.Key, Value: slices.Clone(row.Value)})
	}
	for _, act := range batch.Acts[:min(len(batch.Acts), MaxChanges)] {
		act.ID = c.identity(act.ID, MaxIDBytes)
		clean.Acts = append(clean.Acts, act)
	}
	return clean, lost
}

// years outside these cannot be meant; they do not survive being stored.
const firstYear, lastYear = 1970, 2200

func (c Cleaner) observation(at time.Time, source SenseID, o subconscious.Observation, lost *Cut) (subconscious.Observation, bool) {
	short := false
	shorten := func(text string, limit int) string {
		text, was := cut(text, limit)
		short = short || was
		return text
	}
	switch o.Change {
	case subconscious.Appeared, subconscious.Changed, subconscious.Gone, subconscious.Momentary:
	default:
		lost.refuse("an observation without a kind of change")
		return o, false
	}
	if o.ID == "" {
		lost.refuse("an observation without an identity")
		return o, false
	}
	o.Sense, o.Instance = source.Sense, source.ID
	o.Seq, o.Band, o.BandOnly, o.AsOf = 0, "", false, time.Time{}
	o.ID = c.identity(o.ID, MaxIDBytes)
	o.Kind = c.line(strings.ToLower(o.Kind), MaxKindBytes)
	if o.Kind == "" {
		lost.refuse("an observation without a kind")
		return o, false
	}
	o.Title = shorten(c.lineWhole(o.Title, 16*MaxTitleBytes), MaxTitleBytes)
	o.Text = shorten(c.text(o.Text, 4*MaxTextBytes, &short), MaxTextBytes)
	if o.Title == "" && o.Change != subconscious.Gone {
		lost.refuse("an observation without a title")
		return o, false
	}
	o.Fingerprint = c.class(o.Fingerprint)
	o.Severity = min(max(o.Severity, subconscious.Plain), subconscious.Critical)
	if o.At.IsZero() || o.At.After(at) {
		o.At = at
	}
	o.At = o.At.Round(0)
	o.Due, o.Until = plausible(o.Due, &short), plausible(o.Until, &short)
	o.Trust = trustOf(source.Sense, o.Trust)
	o.Attrs = c.attrs(o.Attrs, &short)
	o.Links = c.links(o.Links, &short)
	if short {
		lost.Shortened++
	}
	return o, true
}

func plausible(t time.Time, short *bool) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	if year := t.UTC().Year(); year < firstYear || year > lastYear {
		*short = true
		return time.Time{}
	}
	return t.Round(0)
}

// trustOf returns the trust of an observation whose sense left it empty, or
// named none that there is: that of an outsider, unless the sense looks at the
// machine itself or at what the person writes.
func trustOf(sense string, trust subconscious.Trust) subconscious.Trust {
	switch trust {
	case subconscious.Owner, subconscious.Machine, subconscious.Agent, subconscious.Outsider:
		return trust
	case "":
		switch sense {
		case "health":
			return subconscious.Machine
		case "notes", Person:
			return subconscious.Owner
		}
	}
	return subconscious.Outsider
}

func (c Cleaner) redact(text string) string {
	if c.Redact == nil || text == "" {
		return text
	}
	return c.Redact(text)
}

// text cleans several lines. What is beyond window bytes is not even looked at.
func (c Cleaner) text(text string, window int, short *bool) string {
	if len(text) > window {
		text, *short = subconscious.Head(text, window), true
	}
	text = stripTemplates(printableLines(text))
	// What is redacted may close a gap in which a token was hidden.
	text = stripTemplates(c.redact(text))
	return strings.TrimSpace(text)
}

// isClean reports whether nothing but a secret would be taken out of a line.
func isClean(line string) bool {
	for i := range len(line) {
		if b := line[i]; b < ' ' || b > '~' || b == '<' || b == '[' || b == ' ' && (i == 0 || i == len(line)-1 || line[i-1] == ' ') {
			return false
		}
	}
	return turnMark(line) == 0
}

// lineWhole cleans one line of at most window bytes.
func (c Cleaner) lineWhole(text string, window int) string {
	if len(text) <= window && isClean(text) && c.redact(text) == text {
		return text
	}
	var beyond bool
	return strings.Join(strings.Fields(c.text(subconscious.Printable(subconscious.Head(text, window)), window, &beyond)), " ")
}

func (c Cleaner) line(text string, limit int) string {
	text, _ = cut(c.lineWhole(text, 16*limit), limit)
	return text
}

// identity returns id where it can be kept as it is. One that is longer than
// limit, carries a secret or is not plain text becomes readable as far as it can
// be, with the hash of the whole: the same thing keeps the same identity, and two
// observations keep two.
func (c Cleaner) identity(id string, limit int) string {
	plain := len(id) <= limit && utf8.ValidString(id) && subconscious.Printable(id) == id
	if plain && stripTemplates(id) == id && c.redact(id) == id {
		return id
	}
	hash := "#" + digest(id)
	return subconscious.Head(c.lineWhole(id, 16*limit), limit-len(hash)) + hash
}

// class bounds a fingerprint. Nobody reads one, so a hash will do.
func (c Cleaner) class(fingerprint string) string {
	plain := len(fingerprint) <= MaxClassBytes && utf8.ValidString(fingerprint)
	if plain && c.redact(fingerprint) == fingerprint {
		return fingerprint
	}
	return "#" + digest(fingerprint)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

// attrs keeps the first MaxAttrs in the order of their names. The thread of a
// mail is an identity: incidents are told apart by it.
func (c Cleaner) attrs(attrs map[string]string, short *bool) map[string]string {
	if len(attrs) == 0 {
		return nil
	}
	clean := make(map[string]string, min(len(attrs), MaxAttrs))
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		kept := c.line(name, MaxKindBytes)
		if len(clean) == MaxAttrs || kept != name || name == "" {
			*short = true
			continue
		}
		if name == "thread" {
			clean[name] = c.identity(attrs[name], MaxAttrBytes)
			continue
		}
		value, was := cut(c.lineWhole(attrs[name], 16*MaxAttrBytes), MaxAttrBytes)
		clean[name] = value
		*short = *short || was
	}
	return clean
}

// links keeps the first MaxLinks. One that is too long is left out: half of an
// identity would be another one.
func (c Cleaner) links(links []string, short *bool) []string {
	var clean []string
	for _, link := range links {
		if len(link) > MaxLinkBytes || len(clean) == MaxLinks {
			*short = true
			continue
		}
		link = c.identity(link, MaxLinkBytes)
		if link != "" && !slices.Contains(clean, link) {
			clean = append(clean, link)
		}
	}
	return clean
}
