package conversation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/links"
	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// recent is how old a promise may be that is told on the first collect, and
	// what is told of a transcript that is found later.
	recent = 14 * 24 * time.Hour
	// maxTitle and maxText bound what is reported of a message, in bytes.
	maxTitle = 180
	maxText  = 4 << 10
	// maxHeard is how much of a message is read, in bytes.
	maxHeard = 64 << 10
	// maxChanges is how much one collect reports; the rest follows.
	maxChanges = 4000
)

// heard is one message as a source gives it.
type heard struct {
	author Author
	name   string
	// key is its identity within the conversation.
	key  string
	when time.Time
	text string
	// alien: the conversation bears a name that another than the person chose,
	// who speaks.
	alien bool
	// old: it was there before anybody looked, and only what lies ahead counts.
	old bool
}

// hearing turns messages into observations. It is one Collect of either source.
type hearing struct {
	instance string
	at       time.Time
	// person and agent are whose word it is what they say.
	person, agent subconscious.Trust
	changes       []subconscious.Observation
	// asked are questions that nobody has answered so far in this collect.
	asked []subconscious.Observation
}

// full reports whether the collect has found as much as one batch should hold.
func (h *hearing) full() bool { return len(h.changes)+len(h.asked) >= maxChanges }

// hear takes in one message of a conversation.
func (h *hearing) hear(t *talk, m heard) {
	if m.old && h.at.Sub(m.when) > recent {
		return
	}
	m.text = subconscious.Head(strings.TrimSpace(m.text), maxHeard)
	if m.text == "" || strings.Contains(m.text, subconscious.Mark) {
		return
	}
	t.expire(h.at)
	switch m.author {
	case Person:
		h.answered(t)
		h.done(t, m)
		if !h.promised(t, m) && !m.old {
			h.changes = append(h.changes, h.message(t, m, h.person, title(m.text, maxTitle)))
		}
	case Agent:
		if m.old {
			return
		}
		if words, ok := question(m.text, m.when); ok {
			h.ask(t, m, words)
			return
		}
		h.changes = append(h.changes, h.message(t, m, h.agent, title(speaker(m)+": "+m.text, maxTitle)))
	}
}

// finish returns what one collect has to report.
func (h *hearing) finish() []subconscious.Observation {
	return append(h.changes, h.asked...)
}

// id names an observation of a conversation.
func (h *hearing) id(t *talk, key string) string { return h.instance + "/" + t.name + "#" + key }

// observe begins an observation.
func (h *hearing) observe(t *talk, m heard, kind, key string, trust subconscious.Trust) subconscious.Observation {
	o := subconscious.Observation{
		ID: h.id(t, key), Sense: Name, Instance: h.instance, Kind: kind, At: h.at, Trust: trust,
		Attrs: map[string]string{"conversation": t.name, "author": string(m.author)},
		Links: []string{t.link},
	}
	if m.alien {
		// Else another's words would stand in what is shown as the person's.
		o.Attrs["conversation"] = fmt.Sprintf("begun by another #%04x", hashOf([]byte(t.name))&0xffff)
	}
	if m.name != "" {
		o.Attrs["name"] = title(m.name, 64)
	}
	for _, link := range links.Of(folder.Head(m.text, maxText)) {
		if !slices.Contains(o.Links, link) {
			o.Links = append(o.Links, link)
		}
	}
	return o
}

// message is what was said, as it happened.
func (h *hearing) message(t *talk, m heard, trust subconscious.Trust, words string) subconscious.Observation {
	o := h.observe(t, m, "message", m.key, trust)
	o.Change = subconscious.Momentary
	o.Title = cmp.Or(words, "a message without words")
	o.Text, o.Fingerprint = beside(o.Title, m.text), "said"
	return o
}

// gone ends something that stood.
func (h *hearing) gone(t *talk, item open) {
	o := subconscious.Observation{ID: h.id(t, item.Key), Sense: Name, Instance: h.instance, Kind: "promise", Change: subconscious.Gone, At: h.at, Trust: h.person}
	if item.Question {
		o.Kind, o.Trust = "question", h.agent
	}
	h.changes = append(h.changes, o)
}

// ask notes an agent's question, which stands until the person writes.
func (h *hearing) ask(t *talk, m heard, words string) {
	until := h.at.Add(questionStands)
	o := h.observe(t, m, "question", m.key, h.agent)
	o.Change, o.Fingerprint, o.Until = subconscious.Appeared, "open", until
	o.Attrs["state"], o.Attrs["words"] = "open", strconv.Itoa(prose.Weigh("", m.text))
	o.Title = title(speaker(m)+" asks: "+words, maxTitle)
	o.Text = beside(o.Title, m.text)
	for _, item := range t.add(open{Key: m.key, Question: true, Until: until.Unix()}) {
		h.over(t, item)
	}
	h.asked = append(h.asked, o)
}

// answered ends the questions of a conversation.
func (h *hearing) answered(t *talk) {
	for _, item := range t.take(func(item open) bool { return item.Question }) {
		h.over(t, item)
	}
}

// over ends a question: one that was asked in this collect was never told.
func (h *hearing) over(t *talk, item open) {
	if i := slices.IndexFunc(h.asked, func(o subconscious.Observation) bool { return o.ID == h.id(t, item.Key) }); i >= 0 {
		o := h.asked[i]
		h.asked = slices.Delete(h.asked, i, i+1)
		// It was said all the same.
		o.Kind, o.Change, o.Fingerprint, o.Until = "message", subconscious.Momentary, "said", time.Time{}
		delete(o.Attrs, "state")
		h.changes = append(h.changes, o)
		return
	}
	h.gone(t, item)
}

// done ends what the person says is done, naming it.
func (h *hearing) done(t *talk, m heard) {
	if len(t.Open) == 0 {
		return
	}
	terms := doneTerms(m.text, m.when)
	for _, item := range t.take(func(item open) bool { return !item.Question && shares(item.Terms, terms) }) {
		h.gone(t, item)
	}
}

// promised reports what the person promises in a message, and whether there was
// anything new.
func (h *hearing) promised(t *talk, m heard) (told bool) {
	for _, p := range readPromises(m.text, m.when.In(h.at.Location())) {
		until := m.when.Add(undatedStands)
		if !p.due.IsZero() {
			until = p.due.Add(standsAfter)
		}
		if !until.After(h.at) || m.old && !p.due.After(h.at) {
			continue
		}
		item := open{Key: p.key, Until: until.Unix(), Terms: p.terms}
		if slices.ContainsFunc(t.Open, func(o open) bool { return o.Key == p.key && (p.due.IsZero() || o.Until == item.Until) }) {
			continue
		}
		told = true
		o := h.observe(t, m, "promise", p.key, h.person)
		o.Change, o.Fingerprint, o.Title, o.Until = subconscious.Appeared, "open", p.title, until
		o.Text = beside(p.title, m.text)
		o.Attrs["form"], o.Attrs["state"] = string(p.form), "open"
		if !p.due.IsZero() {
			o.Due, o.Severity, o.Attrs["date_text"] = p.due, subconscious.Notable, p.dateText
		}
		h.changes = append(h.changes, o)
		for _, lost := range t.add(item) {
			h.gone(t, lost)
		}
	}
	return told
}

// speaker is what an agent is called.
func speaker(m heard) string { return cmp.Or(title(m.name, 64), "An agent") }

// beside is the text, where the title does not say it all.
func beside(title, text string) string {
	const marks = " .,;:|-–!"
	line := strings.Join(strings.Fields(subconscious.Printable(subconscious.Head(text, 4*maxTitle))), " ")
	if len(text) < 4*maxTitle && strings.HasSuffix(strings.TrimRight(title, marks), strings.TrimRight(line, marks)) {
		return ""
	}
	return folder.Head(text, maxText)
}

// title returns one line of at most limit bytes.
func title(text string, limit int) string {
	line := strings.Join(strings.Fields(subconscious.Printable(folder.Head(text, 4*limit))), " ")
	line = strings.TrimLeft(line, "-*+•>#|:;,. ")
	if len(line) <= limit {
		return line
	}
	cut := subconscious.Head(line, limit-len("…"))
	if i := strings.LastIndexByte(cut, ' '); i > limit/2 {
		cut = cut[:i]
	}
	return cut + "…"
}
