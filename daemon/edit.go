package daemon

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// What cannot be read in the document's place may be half written: it is left
	// alone until it was still for editSettles, and for editWaits at most.
	editSettles = time.Minute
	editWaits   = 10 * time.Minute
	// editedLines is how many entries an edited document may have.
	editedLines = 100
	// editPrefix begins the identity of a line that was added.
	editPrefix = "edit/"
)

// takeEdit looks for what somebody changed in the document, and leaves that in the
// inputs of this tick. What it cannot read it sets aside, once nobody writes to it.
func (p *publication) takeEdit(ctx context.Context, at time.Time, state subconscious.State) error {
	p.waits = ""
	there, err := p.publisher.Foreign(ctx)
	if err != nil || there == nil {
		p.unread = time.Time{}
		return p.forgetAsides(ctx) // publishing says what stands in its place
	}
	doc, why := readEdited(there)
	if why != "" {
		return p.wait(ctx, at, there, why)
	}
	p.unread = time.Time{}
	base := state.Document() // where nobody knows which version it was made from
	published, known, err := p.mind.Document(ctx, doc.TickCount)
	if known {
		base = subconscious.Document{}
		err = json.Unmarshal(published, &base)
	}
	if err != nil {
		return err
	}
	commands := compareEdited(at, doc, base, known, state)
	p.logger.Info("subconscious.json was edited by hand", "changes", len(commands))
	return p.mind.Adopt(ctx, *there, commands)
}

// wait leaves alone what may be half written, and sets aside what is not.
func (p *publication) wait(ctx context.Context, at time.Time, there *mind.Place, why string) error {
	if p.unread.IsZero() {
		p.unread = at
	}
	still := at.Sub(there.Info.ModTime())
	if until := p.unread.Add(editWaits); still >= 0 && still < editSettles && at.Before(until) {
		p.waits = fmt.Sprintf("what stands in subconscious.json cannot be taken over (%s); it is left alone until nobody has written to it for a minute, or until %s, and then set aside", why, until.Format("15:04"))
		return nil
	}
	p.unread = time.Time{}
	return p.setAside(ctx, at, why)
}

// readEdited reads what somebody wrote in the document's place. Names, types, and
// whatever is taken over of it are checked; why says what is wrong, and where.
func readEdited(there *mind.Place) (doc subconscious.Document, why string) {
	data := bytes.TrimPrefix(there.Content, []byte("\xef\xbb\xbf"))
	switch {
	case there.Content == nil:
		return doc, there.Why
	case len(bytes.TrimSpace(data)) == 0:
		return doc, "it is empty"
	case !utf8.Valid(data):
		return doc, "it is no UTF-8 text"
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&doc)
	if err == nil {
		_, err = escalate.Arguments(data) // no name twice, and nothing behind it
	}
	if err != nil {
		at := decoder.InputOffset()
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = syntax.Offset
		} else if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			at = wrong.Offset
		}
		said := subconscious.Line(err.Error())
		if wrong, ok := errors.AsType[*time.ParseError](err); ok {
			said = fmt.Sprintf("%q is no time; write it as 2026-03-14T09:30:00+01:00", strings.Trim(wrong.Value, `"`))
		}
		// Of what is unknown, or no time, only the name is known.
		if _, rest, ok := strings.Cut(said, `"`); ok && at == decoder.InputOffset() {
			name, _, _ := strings.Cut(rest, `"`)
			if found := bytes.Index(data, []byte(`"`+name+`"`)); found >= 0 {
				at = int64(found) + 1
			}
		}
		line := 1 + bytes.Count(data[:min(max(at-1, 0), int64(len(data)))], []byte("\n"))
		return doc, fmt.Sprintf("near line %d: %s", line, strings.TrimPrefix(subconscious.Shorten(said, 200), "json: "))
	}
	if doc.Version != 0 && doc.Version != subconscious.SchemaVersion {
		return doc, fmt.Sprintf("its version is %d, and not %d", doc.Version, subconscious.SchemaVersion)
	}
	ids := map[subconscious.EntryID]bool{}
	all := slices.Concat(doc.ActiveThreads, doc.Patterns, doc.Hunches, doc.Insights)
	for _, e := range all {
		what := subconscious.Clip(cmp.Or(string(e.ID), e.Summary, "a new line"), 80)
		switch {
		case e.ID != "" && ids[e.ID]:
			return doc, what + " is there twice; a new line needs no id"
		case subconscious.Summary(e.Summary) == "":
			return doc, what + " has no summary; to close an entry take its line out"
		case e.Importance < 0 || e.Importance > 10:
			return doc, fmt.Sprintf("the importance of %s is %d, and not 1 to 10", what, e.Importance)
		case !e.Due.IsZero() && (e.Due.Year() < 1970 || e.Due.Year() > 2200):
			return doc, "the due time of " + what + " cannot be meant"
		}
		ids[e.ID] = true
	}
	if len(all) > editedLines || len(doc.ThreadState) > editedLines {
		return doc, fmt.Sprintf("it has more than %d lines", editedLines)
	}
	return doc, ""
}

// compareEdited says which commands lead from the base to what somebody made of it.
// Of an entry its words, importance and due time are taken, whatever list it stands
// in; what else is said of it the mechanics work out. Only where the base is whole,
// and the list is there, counts as closed what is missing.
func compareEdited(at time.Time, doc, base subconscious.Document, whole bool, state subconscious.State) (all []subconscious.Command) {
	add := func(c subconscious.Command) {
		c.At, c.By = at, subconscious.ByHand
		all = append(all, c)
	}
	before, there := map[subconscious.EntryID]subconscious.DocumentEntry{}, map[subconscious.EntryID]bool{}
	for _, e := range slices.Concat(state.Entries, state.Parked) {
		before[e.ID] = e.Document()
	}
	for _, list := range subconscious.Lists() {
		for _, e := range *base.In(list) {
			before[e.ID] = e
		}
	}
	for _, list := range subconscious.Lists() {
		for _, e := range *doc.In(list) {
			there[e.ID] = true
			if was, known := before[e.ID]; known {
				if c, changed := editOf(was, e, at); changed {
					add(c)
				}
			} else if text := cleanLine(at, e.Summary); text != "" {
				c := subconscious.Command{Kind: subconscious.CommandEdit, Text: text, Edit: &subconscious.Edit{Importance: e.Importance, List: list}}
				o := subconscious.Observation{Sense: senses.Person, ID: lineID(text)}
				if c.Incident, c.Edit.Ref = o.Key(), o.Ref(); !e.Due.IsZero() {
					c.Edit.Due = &e.Due
				}
				add(c)
			}
		}
	}
	for _, list := range subconscious.Lists() {
		for _, e := range *base.In(list) {
			if whole && *doc.In(list) != nil && !there[e.ID] {
				add(subconscious.Command{Kind: subconscious.CommandClose, Entry: e.ID})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(doc.ThreadState)) {
		if hint := subconscious.Summary(doc.ThreadState[name].FocusHint); hint != base.ThreadState[name].FocusHint {
			add(subconscious.Command{Kind: subconscious.CommandFocus, Thread: subconscious.ThreadName(subconscious.Head(string(name), 80)), Text: cleanLine(at, hint)})
		}
	}
	return all
}

// editOf is what was changed of an entry.
func editOf(was, now subconscious.DocumentEntry, at time.Time) (c subconscious.Command, changed bool) {
	c = subconscious.Command{Kind: subconscious.CommandEdit, Entry: was.ID, Edit: &subconscious.Edit{Importance: now.Importance}}
	if subconscious.Summary(now.Summary) != was.Summary {
		c.Text = cleanLine(at, now.Summary)
	}
	if !now.Due.Equal(was.Due) {
		c.Edit.Due = &now.Due
	}
	return c, c.Text != "" || *c.Edit != (subconscious.Edit{})
}

// lineID is the identity of a line that was added: the same words are the same line,
// whoever saves them again.
func lineID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%s%x", editPrefix, sum[:8])
}

// cleanLine is a line without secrets and what only a machine would obey.
func cleanLine(at time.Time, text string) string {
	note := senses.Note{ID: editPrefix, At: at, Text: text}
	for _, o := range senses.Notes(at, []senses.Note{note}, senses.Cleaner{Redact: redact.Text}).Batch.Changes {
		return subconscious.Summary(o.Title)
	}
	return ""
}

// setAside keeps what could not be read, and says so.
func (p *publication) setAside(ctx context.Context, at time.Time, why string) error {
	aside, err := p.publisher.SetAside(at)
	if aside == "" {
		return err
	}
	_, unkept := p.mind.RaiseNotice(ctx, mind.Notice{
		NoticeKey: mind.NoticeKey{Code: noticeRejected, Key: aside}, At: at,
		Text: "subconscious.json was edited, and could not be read: " + why + ". It was set aside as " + aside,
		Next: "mend it there and copy it back, or delete it; `subconsciousctl close`, `confirm`, `note` and `focus` change the mind as well",
	})
	return errors.Join(err, unkept)
}

// forgetAsides ends the notices of what was set aside and is there no more.
func (p *publication) forgetAsides(ctx context.Context) error {
	open, err := p.mind.Notices(ctx)
	for _, n := range open {
		if _, gone := os.Lstat(n.Key); n.Code == noticeRejected && errors.Is(gone, os.ErrNotExist) {
			_, unkept := p.mind.ResolveNotice(ctx, n.NoticeKey)
			err = errors.Join(err, unkept)
		}
	}
	return err
}
