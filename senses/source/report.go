// Package source is the sense for whatever else the person wants noticed: sources
// of their own that report in JSON, one object an observation. A command prints
// them (Exec), or somebody hands them in who has the source's token (Post).
//
// What a source may say is its configuration's to say (Config): which kinds
// there are, what they are worth, whether they stand or may be due, and whose word
// it is. Of a report the rest counts: what it is about and the words.
//
// It stores the tables source_reports, what was handed in until a tick has
// taken it, and source_tokens, the hash of each token. The daemon opens it.
//
// # What stands, and until when
//
// The kinds are "SOURCE.KIND", the identities "SOURCE/ID": no source can speak of
// what another, or another sense, has noticed, and there are no links. A kind that
// has stands stands for so long after it was last reported, or until it is
// reported gone; every kind of a command that is complete until it is not printed
// any more; any other is momentary. The fingerprint is kind and state, or kind and
// title where there is no state.
//
// # Attributes
//
//	status  the state that was reported
package source

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Report is one observation as a source writes it.
type Report struct {
	// ID is what it is about, the source's own name for it; without one every
	// report is of a thing of its own.
	ID string `json:"id,omitempty"`
	// Kind is one of the configuration; it may be left out where there is one.
	Kind  string `json:"kind,omitempty"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
	// State is what it is like, in a word: who changes it has news. Without one
	// another title is news.
	State string `json:"state,omitempty"`
	// Due is when it happens or must be done.
	Due time.Time `json:"due,omitzero"`
	// Gone: it stands no more.
	Gone bool `json:"gone,omitempty"`
}

// maxID is the longest id of a report, in bytes.
const maxID = 200

// Parse reads a report as a source writes it, in one JSON object: without secrets,
// and with its kind. The error says what to write instead.
func (c Config) Parse(line []byte) (r Report, err error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err = decoder.Decode(&r); err != nil {
		return r, fmt.Errorf("it is no JSON object of id, kind, title, text, state, due and gone: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := decoder.Token(); err != io.EOF {
		return r, fmt.Errorf("something follows its JSON object; write one a line")
	}
	if r.Kind == "" && len(c.Kinds) == 1 {
		r.Kind = c.Kinds[0].ID
	}
	kind, ok := c.kind(r.Kind)
	switch {
	case r.Gone && r.ID == "":
		return r, fmt.Errorf("it says gone and no id; name what is gone")
	case !r.Gone && !ok:
		return r, fmt.Errorf("its kind %.40q is none of the source's; declare it under kinds", r.Kind)
	case !r.Gone && strings.TrimSpace(r.Title) == "":
		return r, fmt.Errorf("it has no title; write one line that says what is so")
	case !r.Due.IsZero() && !kind.Due:
		return r, fmt.Errorf("its kind %.40q is not declared to be due; write due: true there, or leave it out here", r.Kind)
	case len(r.ID) > maxID || redact.Text(r.ID) != r.ID:
		return r, fmt.Errorf("its id has over %d bytes, or holds a secret; write a short name", maxID)
	}
	r.Title, r.Text, r.State = redact.Text(r.Title), redact.Text(r.Text), redact.Text(r.State)
	return r, nil
}

func (c Config) kind(name string) (Kind, bool) {
	i := slices.IndexFunc(c.Kinds, func(k Kind) bool { return k.ID == name })
	if i < 0 {
		return Kind{}, false
	}
	return c.Kinds[i], true
}

// observation is what a report says.
func (c Config) observation(at time.Time, r Report) subconscious.Observation {
	kind, _ := c.kind(r.Kind)
	o := subconscious.Observation{
		ID: c.ID + "/" + r.ID, Kind: c.ID + "." + kind.ID, Change: subconscious.Appeared, At: at, Title: valid(r.Title), Text: valid(r.Text),
		Fingerprint: valid(kind.ID + "\n" + cmp.Or(r.State, r.Title)), Severity: kind.Severity.Severity(), Due: r.Due, Trust: cmp.Or(c.Trust, subconscious.Outsider),
	}
	if kind.Stands > 0 {
		o.Until = at.Add(kind.Stands)
	}
	if r.State != "" {
		o.Attrs = map[string]string{"status": valid(r.State)}
	}
	return o
}

func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// maxKnown is how many of its observations a source remembers.
const maxKnown = 1000

// memory is what is committed of a source: what it reported.
type memory struct {
	// Last is the last report that was taken in, by its number; Ran when the
	// command was run, and Problem what was wrong then.
	Last    int64     `json:"last,omitempty"`
	Ran     time.Time `json:"ran,omitzero"`
	Problem string    `json:"problem,omitempty"`
	// Tag and Modified are what a feed said of itself.
	Tag      string `json:"tag,omitempty"`
	Modified string `json:"modified,omitempty"`
	// Hour begins the hour in which so much was New.
	Hour  time.Time       `json:"hour,omitzero"`
	New   int             `json:"new,omitempty"`
	Known map[string]seen `json:"known"`
}

// seen is one observation as it was last reported.
type seen struct {
	Digest string    `json:"d"`
	At     time.Time `json:"at"`
}

// remembered reads a cursor. One that cannot be read is none.
func remembered(cursor []byte) (m memory) {
	if cursor != nil && json.Unmarshal(cursor, &m) != nil {
		m = memory{}
	}
	if m.Known == nil {
		m.Known = map[string]seen{}
	}
	return m
}

// early is how much earlier than its time a tick may come.
const early = 15 * time.Second

// due reports whether so long has passed since it was looked at last.
func (m *memory) due(at time.Time, every time.Duration) bool {
	since := at.Sub(m.Ran)
	return since < 0 || since >= every-min(every/20, early)
}

// take takes in reports that were parsed, each with an id: what stands by
// itself in a scope of its own, what happened where it is new. It returns how many
// of them were more than most within an hour, 0 for any number.
func (m *memory) take(c Config, at time.Time, most int, complete bool, reports []Report, batch *senses.Batch) (over int) {
	if since := at.Sub(m.Hour); since < 0 || since >= time.Hour {
		m.Hour, m.New = at, 0
	}
	for _, r := range reports {
		o := c.observation(at, r)
		sum := sha256.Sum256(fmt.Append(nil, o.Fingerprint, "\n", r.Due.UnixNano(), r.Gone))
		now, before := seen{hex.EncodeToString(sum[:8]), at}, m.Known[r.ID]
		fresh := now.Digest != before.Digest
		if fresh && most > 0 && m.New >= most {
			over++
			continue
		} else if fresh {
			m.New++
		}
		m.Known[r.ID] = now
		switch stands := !r.Gone && (complete || !o.Until.IsZero()); {
		case stands:
			batch.Sets = append(batch.Sets, senses.Set{Scope: r.ID, Items: []subconscious.Observation{o}})
		case !fresh:
		case r.Gone:
			batch.Sets = append(batch.Sets, senses.Set{Scope: r.ID})
		default:
			o.Change = subconscious.Momentary
			batch.Sets, batch.Changes = append(batch.Sets, senses.Set{Scope: r.ID}), append(batch.Changes, o)
		}
	}
	return over
}

// forget says of all that was not reported at a time that it is gone.
func (m *memory) forget(at time.Time, batch *senses.Batch) {
	for id, s := range m.Known {
		if !s.At.Equal(at) {
			batch.Sets = append(batch.Sets, senses.Set{Scope: id})
			delete(m.Known, id)
		}
	}
}

// cursor is what is committed: the newest of what is known. Of a source that is
// complete nothing stands that is not known any more.
func (m *memory) cursor(complete bool, batch *senses.Batch) ([]byte, error) {
	ids := slices.SortedFunc(maps.Keys(m.Known), func(a, b string) int { return cmp.Or(m.Known[b].At.Compare(m.Known[a].At), strings.Compare(a, b)) })
	for _, id := range ids[min(len(ids), maxKnown):] {
		if complete {
			batch.Sets = append(batch.Sets, senses.Set{Scope: id})
		}
		delete(m.Known, id)
	}
	return json.Marshal(m)
}
