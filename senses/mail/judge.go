package mail

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/links"
	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/senses/mail/message"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The kinds of observations; see doc.go.
const (
	kindMail        = "mail"
	kindRequest     = "request"
	kindDeadline    = "deadline"
	kindAppointment = "appointment"
	kindPromise     = "promise"
	kindAwaiting    = "awaiting"
)

// prefix of identities.
const prefix = "mid:"

const (
	requestStands  = 14 * 24 * time.Hour
	deadlineStands = 3 * 24 * time.Hour
	promiseStands  = 7 * 24 * time.Hour
	vowStands      = 14 * 24 * time.Hour
	awaitingStands = 30 * 24 * time.Hour
	// farthest is how far ahead a date may lie that is believed.
	farthest = 400 * 24 * time.Hour
)

// judge is one message that arrived, with what is known around it.
type judge struct {
	*collect
	fetched
	id, thread string
	refs       map[hash]bool
	folder     string
	mine       bool // the person is named as its sender
}

// features are what of a message decides about its kind.
type features struct {
	addressed string // "to", "cc" or ""
	known     int
	inMine    bool // it answers a message of the person's
	awaited   bool
	urgent    bool
	asks      bool
	// soon: it names a time of its day or the next; changes: it says that something
	// that was agreed is so no more. Looked for in messages of people that the
	// person writes to alone.
	soon, changes bool
}

// personal reports whether a person seems to have written it to a few.
func (j judge) personal() bool { return j.List == "" && !j.Bulk && !j.Automated && !j.Junk }

func (j judge) features() features {
	var f features
	f.addressed = j.addressed()
	if j.failed {
		return f // of whoever it claims to come from, it does not
	}
	if !j.mine && !j.unproven {
		f.known = j.timesWritten(j.From.Addr)
	}
	f.inMine, f.awaited = j.answersMine(j.refs)
	if j.List == "" && !j.Bulk && !j.Junk {
		f.urgent = j.Urgent || prose.Urgent(j.Subject) || prose.Urgent(j.Fresh)
	}
	if (f.known > 0 || f.inMine) && j.personal() {
		f.soon = j.soon()
		f.changes = prose.Changes(j.Subject) || prose.Changes(j.Fresh)
	}
	return f
}

// soon reports whether the message names a time of its day or the next.
func (j judge) soon() bool {
	at := j.received.In(j.zone)
	year, month, day := at.Date()
	end := time.Date(year, month, day+2, 0, 0, 0, 0, j.zone)
	return slices.ContainsFunc(dates.Find(j.Subject+"\n"+j.Fresh, at), func(m dates.Match) bool { return m.Due.After(at) && m.Due.Before(end) })
}

// addressed says where one of the person's addresses is named.
func (j judge) addressed() string {
	mine := func(a message.Address) bool { return j.Sense.mine[a.Addr] }
	switch {
	case slices.ContainsFunc(j.To, mine):
		return "to"
	case slices.ContainsFunc(j.Cc, mine):
		return "cc"
	}
	return ""
}

// arrived says what the message is.
func (j judge) arrived() subconscious.Observation {
	f := j.features()
	o := j.observation(&f)
	kind, due := j.kind(&f)
	o.Kind = kind
	switch kind {
	case kindRequest:
		o.Until = j.received.Add(requestStands)
		if due.is {
			o.Until = due.Due.Add(deadlineStands)
		}
	case kindDeadline:
		o.Until = due.Due.Add(deadlineStands)
	case kindAppointment:
		o.Until = due.Due
	}
	if due.is && kind != kindMail {
		o.Due = due.Due
		o.Attrs["date_text"] = due.Text
	}
	if f.asks {
		o.Attrs["asks"] = "true"
	}
	j.form(o.Attrs, &f)
	if quote, named := telling(o.Text, j.received.In(j.zone)); quote != "" {
		o.Attrs["quote"] = bounded(quote)
		if !named.IsZero() {
			o.Attrs["names_at"] = named.UTC().Format(time.RFC3339)
		}
	}
	return classed(o)
}

// date is one that was read, if any was.
type date struct {
	dates.Match
	is bool
}

// kind decides what a message is. What a stranger asks counts only where nothing
// speaks for one who writes to everybody; see stranger.go.
func (j judge) kind(f *features) (string, date) {
	if j.mine || j.Junk || j.failed || j.List != "" || f.addressed == "" {
		return kindMail, date{}
	}
	at := j.received.In(j.zone)
	forMe := f.addressed == "to" || j.names()
	if forMe && j.personal() && (f.known > 0 || f.inMine || len(j.strange()) == 0 || j.quotesMe() && len(j.suspicious()) == 0) {
		asks := prose.Asks(j.Fresh, at)
		if len(asks) == 0 && len(j.refs) == 0 {
			asks = prose.Asks(j.Subject, at)
		}
		limit := j.limit(at)
		bill := limit.is && j.office() && f.known == 0
		if (len(asks) > 0 || limit.is) && !bill {
			f.asks = true
			return kindRequest, first(limit, j.askDate(asks))
		}
	}
	if !forMe || !j.official(f) {
		return kindMail, date{}
	}
	if limit := j.limit(at); limit.is {
		return kindDeadline, limit
	}
	for _, a := range prose.Appointments(j.said(), at) {
		if d := j.ahead(a.Date); d.is {
			return kindAppointment, d
		}
	}
	return kindMail, date{}
}

// official reports whether what the message says of days is to be believed: of
// somebody known, and of a machine or an office that shows no sign of writing to
// everybody. What is sent to many counts where it is about one invoice, order or
// ticket.
func (j judge) official(f *features) bool {
	if f.known > 0 || f.inMine {
		return !j.Bulk
	}
	if len(j.suspicious()) > 0 {
		return false
	}
	if j.Bulk {
		return slices.ContainsFunc(links.Of(j.Subject+"\n"+j.said()), func(link string) bool {
			return strings.HasPrefix(link, "invoice:") || strings.HasPrefix(link, "order:") || strings.HasPrefix(link, "ticket:")
		})
	}
	return j.Automated || j.office()
}

// said is what the writer wrote, or all of the text where that is nothing.
func (j judge) said() string {
	if strings.TrimSpace(j.Fresh) != "" {
		return j.Fresh
	}
	return j.Text
}

// limit is the first day still ahead until when something has to be done.
func (j judge) limit(at time.Time) date {
	for _, l := range prose.Limits(j.said(), at) {
		if d := j.ahead(l.Date); d.is {
			return d
		}
	}
	return date{}
}

// askDate is the first day ahead that what is asked names.
func (j judge) askDate(asks []prose.Ask) date {
	for _, a := range asks {
		if a.Dated {
			if d := j.ahead(a.Date); d.is {
				return d
			}
		}
	}
	return date{}
}

// ahead takes a date for one where it lay ahead when the message came, and not
// too far.
func (l fetched) ahead(m dates.Match) date {
	return date{m, m.Due.After(l.received) && m.Due.Sub(l.received) < farthest}
}

func first(a, b date) date {
	if a.is {
		return a
	}
	return b
}

// observation is all that is told of a message but what it is.
func (j judge) observation(f *features) subconscious.Observation {
	title, text, found := redacted(j.Subject, j.said())
	sender := senderOf(j.From)
	o := subconscious.Observation{
		ID: j.id, Kind: kindMail, At: j.received, Trust: subconscious.Outsider,
		Title: titled(sender, title), Text: text, Links: found,
		Attrs: map[string]string{
			"from": bounded(j.From.Addr), "domain": bounded(domain(j.From.Addr)), "thread": j.thread, "folder": bounded(j.folder),
			"received": j.received.UTC().Format(time.RFC3339),
		},
	}
	if j.Invitation != nil && j.Invitation.UID != "" {
		o.Links = append(o.Links, "uid:"+j.Invitation.UID)
	}
	set := func(name, value string) {
		if value != "" {
			o.Attrs[name] = value
		}
	}
	set("from_name", bounded(j.From.Name))
	set("addressed", f.addressed)
	set("list", bounded(j.List))
	for name, is := range map[string]bool{
		"bulk": j.Bulk, "automated": j.Automated, "junk": j.Junk || j.flags.Junk, "urgent": f.urgent, "awaited": f.awaited, "seen": j.flags.Seen,
		"soon": f.soon, "changes": f.changes, "forged": j.failed,
	} {
		if is {
			o.Attrs[name] = "true"
		}
	}
	if f.known > 0 {
		o.Attrs["known"] = strconv.Itoa(f.known)
	}
	if n := len(j.Attachments); n > 0 {
		o.Attrs["attachments"] = strconv.Itoa(n)
	}
	return o
}

// isSeen reports whether a message was read when it was last looked at.
func isSeen(o subconscious.Observation) bool { return o.Attrs["seen"] == "true" }

// withSeen returns the observation as it is when the message is read or unread.
func withSeen(o subconscious.Observation, seen bool) subconscious.Observation {
	attrs := map[string]string{}
	maps.Copy(attrs, o.Attrs)
	delete(attrs, "seen")
	if seen {
		attrs["seen"] = "true"
	}
	o.Attrs = attrs
	return classed(o)
}

// classed gives an observation the fingerprint and the severity that follow from
// the rest of it.
func classed(o subconscious.Observation) subconscious.Observation {
	pressing := o.Attrs["urgent"] != "" && o.Attrs["known"] != ""
	if o.Kind == kindMail {
		o.Severity = subconscious.Plain
		if pressing || o.Attrs["awaited"] != "" {
			o.Severity = subconscious.Notable
		}
		return o
	}
	read := "unread"
	switch {
	case isSeen(o):
		o.Severity, read = subconscious.Plain, "read"
	case pressing:
		o.Severity = subconscious.Warning
	default:
		o.Severity = subconscious.Notable
	}
	o.Fingerprint = o.Kind + " " + read
	if !o.Due.IsZero() {
		o.Fingerprint += " " + o.Due.UTC().Format(time.RFC3339)
	}
	return o
}
