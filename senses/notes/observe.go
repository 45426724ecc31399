package notes

import (
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/foreign"
	"github.com/subconsciousd/subconsciousd/internal/links"
	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// promises returns the promises of a file as they stand, and notes in now what
// their dates were found to mean. The file was written at that time: a
// Tuesday in prose is the one after it was.
func (l *collect) promises(rel string, now, before *entry, d foreign.Document, found []promise, written time.Time) []subconscious.Observation {
	known := map[key]memo{}
	if before != nil {
		for _, m := range before.memos {
			known[m.key] = m
		}
	}
	zone := l.At.Location()
	base, proseBase := baseOf(rel, d, l.At), baseOf(rel, d, l.At)
	if written = written.In(zone); written.Before(l.At) {
		proseBase = baseOf(rel, d, written)
	}
	items := make([]subconscious.Observation, 0, len(found))
	for _, p := range found {
		var due time.Time
		if p.dated != "" {
			m, ok := known[p.when]
			if !ok || m.gone != 0 && l.At.Sub(time.Unix(m.gone, 0)) >= remember {
				m = memo{key: p.when}
				t := p.resolve(base)
				if isProse(p.form) {
					t = p.resolveProse(proseBase, l.At)
				}
				if !t.IsZero() {
					m.due = t.Unix()
				}
			}
			delete(known, p.when)
			m.gone = 0
			now.memos = append(now.memos, m)
			if m.due != 0 {
				due = time.Unix(m.due, 0).In(zone)
			}
		}
		if due.IsZero() && isProse(p.form) {
			continue
		}
		if o := l.observe(rel, now, p, due); o.Until.IsZero() || o.Until.After(l.At) {
			items = append(items, o)
		}
	}
	l.keep(now, before, known)
	return items
}

// keep remembers for a while what the dates meant of promises that are gone.
func (l *collect) keep(now, before *entry, left map[key]memo) {
	if before == nil {
		return
	}
	for _, m := range before.memos { // in their order, so that rows are the same each time
		m, ok := left[m.key]
		if !ok || len(now.memos) >= 2*maxPromises {
			continue
		}
		if m.gone == 0 {
			m.gone = l.At.Unix()
		}
		if l.At.Sub(time.Unix(m.gone, 0)) < remember {
			now.memos = append(now.memos, m)
		}
	}
}

func (l *collect) observe(rel string, e *entry, p promise, due time.Time) subconscious.Observation {
	full := l.Full(rel)
	o := subconscious.Observation{
		ID:          l.Full(scope(rel, e)) + "#" + hex.EncodeToString(p.key[:]),
		Sense:       Name,
		Instance:    l.ID(),
		Kind:        "promise",
		At:          l.At,
		Title:       p.title,
		Fingerprint: "open",
		Trust:       l.Trusts.Of(rel),
		Attrs:       map[string]string{"file": rel, "line": strconv.Itoa(p.line), "state": "open", "form": formName(p.form)},
		Links:       append([]string{"file:" + full}, links.Of(folder.Head(p.source, 4*prose.MaxSentence))...),
	}
	if p.form == contact || p.form == prose.Lasting {
		o.Kind = string(p.form)
	} else if text := title(folder.Head(plainText(p.source), prose.MaxSentence)); text != p.title {
		o.Text = text
	}
	if p.heading != "" {
		o.Attrs["heading"] = title(p.heading)
	}
	if p.dateText != "" {
		o.Attrs["date_text"] = p.dateText
	}
	if !due.IsZero() {
		o.Due, o.Until, o.Severity = due, p.until(due), subconscious.Notable
	}
	if p.form == prose.Lasting {
		o.Due, o.Severity = time.Time{}, subconscious.Plain
	}
	return o
}

// Ref is the reference of what happened to the note at that path.
func Ref(full string) subconscious.Ref { return subconscious.NewRef(Name, full) }

// note tells what happened to a file.
func (l *collect) note(rel, what, from string, d difference) {
	full := l.Full(rel)
	o := subconscious.Observation{
		ID:          full,
		Sense:       Name,
		Instance:    l.ID(),
		Kind:        "note",
		Change:      subconscious.Momentary,
		At:          l.At,
		Title:       fmt.Sprintf("Note %s: %s", what, title(path.Base(rel))),
		Text:        d.added,
		Fingerprint: what,
		Trust:       l.Trusts.Of(rel),
		Attrs:       map[string]string{"file": rel, "what": what},
		Links:       []string{"file:" + full},
	}
	for _, link := range links.Of(d.added) {
		if !slices.Contains(o.Links, link) {
			o.Links = append(o.Links, link)
		}
	}
	switch {
	case from != "":
		o.Title = fmt.Sprintf("Note renamed: %s is now %s", title(path.Base(from)), title(path.Base(rel)))
		if path.Base(from) == path.Base(rel) {
			o.Title = fmt.Sprintf("Note moved: %s to %s", title(path.Base(rel)), title(path.Dir(rel)))
		}
		o.Attrs["from"] = from
		o.Trust = l.Trusts.Of(rel, from) // its name may be another's
	case d.unknown:
	case what == "changed":
		o.Attrs["added"], o.Attrs["removed"] = strconv.Itoa(d.plus), strconv.Itoa(d.minus)
		if d.plus == 0 {
			o.Text = fmt.Sprintf("%d lines were taken out", d.minus)
			if d.minus == 1 {
				o.Text = "one line was taken out"
			}
		}
	}
	l.Batch.Changes = append(l.Batch.Changes, o)
}
