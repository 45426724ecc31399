package mail

import (
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail/message"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// shownRecipients is how many recipients are told of what the person sent.
const shownRecipients = 3

// written is what stands in a message of the person's.
type written struct {
	asked             bool
	promise, awaiting *subconscious.Observation
}

// wrote reads what the person promised and asked in a message that they sent.
func (l *collect) wrote(m fetched) written {
	var w written
	if m.Automated {
		return w
	}
	at := m.received.In(l.zone)
	name, toSelf := l.recipient(m.Message)
	if name == "" && !toSelf {
		return w
	}
	if words, due, ok := promised(m.Fresh, at, m, toSelf); ok {
		if toSelf {
			name = "yourself"
		}
		o := l.ofMine(m, "#promise", kindPromise, "You promised "+name, words, due)
		o.Until = m.received.Add(vowStands)
		if due.is {
			o.Severity = subconscious.Notable
			o.Until = due.Due.Add(promiseStands)
		}
		w.promise = &o
	}
	if toSelf {
		return w
	}
	asks := prose.Asks(m.Fresh, at)
	if len(asks) == 0 {
		return w
	}
	w.asked = true
	o := l.ofMine(m, "#awaiting", kindAwaiting, "You asked "+name, asks[0].Words, m.askDate(asks))
	o.Until = m.received.Add(awaitingStands)
	w.awaiting = &o
	return w
}

// promised is the promise of a text that comes first: of several the first with
// a day, else the first. In what the person writes to themselves, whatever reads
// as something to be done is one.
func promised(text string, at time.Time, m fetched, toSelf bool) (words string, due date, ok bool) {
	for _, s := range prose.Sentences(text) {
		p, is := prose.Promise(s.Text, at)
		if !is && toSelf {
			p, is = obliged(s.Text, at)
		}
		if !is || !toSelf && p.Form != prose.Vow {
			continue
		}
		when := date{}
		if p.Dated {
			if when = m.ahead(p.Date); !when.is {
				continue // it was over when it was written, or is none
			}
		}
		if !ok || when.is {
			words, due, ok = s.Text, when, true
		}
		if due.is {
			break
		}
	}
	return words, due, ok
}

// obliged reads an errand or an appointment of the writer's own.
func obliged(sentence string, at time.Time) (prose.Promised, bool) {
	o, ok := prose.Oblige(sentence)
	if !ok {
		return prose.Promised{}, false
	}
	p := prose.Promised{Form: o.Form}
	p.Date, p.Dated = prose.BestDate(dates.Find(o.Dated, at))
	return p, p.Dated
}

// ofMine is an observation of something in what the person sent.
func (l *collect) ofMine(m fetched, suffix, kind, title, words string, due date) subconscious.Observation {
	_, words, _ = redacted(m.Subject, words)
	_, text, found := redacted(m.Subject, m.Fresh)
	o := subconscious.Observation{
		ID: prefix + m.ID + suffix, Kind: kind, At: m.received, Trust: subconscious.Outsider,
		Title: subconscious.Head(title+": "+oneLine(words), senses.MaxTitleBytes), Text: text, Links: found,
		Attrs: map[string]string{
			"from": bounded(m.From.Addr), "thread": threadOf(m.Message, prefix+m.ID), "to": l.to(m.Message),
			"folder": bounded(l.state.SentName), "received": m.received.UTC().Format(time.RFC3339),
		},
	}
	o.Fingerprint = kind
	if due.is {
		o.Due = due.Due
		o.Attrs["date_text"] = due.Text
		o.Fingerprint += " " + o.Due.UTC().Format(time.RFC3339)
	}
	return o
}

// recipient names the first recipient who is not the person; toSelf reports that
// they wrote to nobody else.
func (l *collect) recipient(m message.Message) (name string, toSelf bool) {
	others := 0
	for _, a := range recipients(m) {
		if l.mine[a.Addr] {
			toSelf = true
			continue
		}
		if others++; others == 1 {
			name = senderOf(a)
		}
	}
	if others > 1 {
		name = fmt.Sprintf("%s and %d more", name, others-1)
	}
	return name, toSelf && others == 0
}

// to lists the first recipients.
func (l *collect) to(m message.Message) string {
	var names []string
	all := recipients(m)
	for _, a := range all[:min(len(all), shownRecipients)] {
		names = append(names, a.Addr)
	}
	return bounded(redact.Text(strings.Join(names, ", ")))
}
