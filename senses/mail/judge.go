package mail

import (
	"cmp"
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
	kindMail     = "mail"
	kindRequest  = "request"
	kindDeadline = "deadline"
	kindPromise  = "promise"
	kindAwaiting = "awaiting"
)

// prefix of identities.
const prefix = "mid:"

const (
	letterStands   = 3 * 24 * time.Hour
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
	content    content
}

// features are what of a message decides about its kind.
type features struct {
	addressed string // "to", "cc" or ""
	known     int
	inMine    bool // it answers a message of the person's
	awaited   bool
	urgent    bool
	asks      bool
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
	f.urgent = (j.Urgent || j.content.words >= pressing) && j.List == "" && !j.Bulk && !j.Junk
	return f
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
	j.content = j.read()
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
	case kindMail:
		if !j.mine && !j.Junk && !j.failed {
			o.Until = j.letterUntil()
		}
	}
	if due.is && kind != kindMail {
		o.Due = due.Due
		o.Attrs["date_text"] = due.Text
	}
	if f.asks {
		o.Attrs["asks"] = "true"
	}
	j.form(o.Attrs, &f)
	said, times := j.content.said, j.content.times
	if o.Text != j.said() { // something was taken out of it
		at := j.received.In(j.zone)
		said, times = prose.Of(o.Text, at), ahead(o.Text, at)
	}
	if quote, named := telling(j.Subject, said, times, due.Due, j.received.In(j.zone), f.known == 0 && !f.inMine); quote != "" {
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

// kind decides what a message is. What one asks to whom the person never wrote counts
// where it is to them alone, or calls them by name, and nothing speaks for one who
// writes to everybody; what it is worth the score says.
func (j judge) kind(f *features) (string, date) {
	if j.mine || j.Junk || j.failed || j.List != "" || f.addressed == "" {
		return kindMail, date{}
	}
	limit, asks := j.content.limit, j.content.asks
	forMe := f.addressed == "to" || j.content.names
	means := j.content.doubts == 0 && (j.content.names || len(j.To)+len(j.Cc) == 1) // one whom they never wrote to
	if forMe && j.personal() && (f.known > 0 || f.inMine || means) {
		bill := limit.is && j.office() && f.known == 0
		if (len(asks) > 0 || limit.is) && !bill {
			if f.asks = true; !limit.is {
				limit = j.askDate(asks)
			}
			return kindRequest, limit
		}
	}
	if !forMe || !j.official(f) {
		return kindMail, date{}
	}
	if limit.is {
		return kindDeadline, limit
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
	if j.content.doubts > 0 {
		return false
	}
	if j.Bulk {
		return slices.ContainsFunc(links.Of(j.content.text), func(link string) bool {
			return strings.HasPrefix(link, "invoice:") || strings.HasPrefix(link, "order:") || strings.HasPrefix(link, "ticket:")
		})
	}
	return j.Automated || j.office()
}

// said is what the writer wrote, or all of the text where that is nothing, as
// much of it as is looked at.
func (j judge) said() string {
	return subconscious.Head(cmp.Or(strings.TrimSpace(j.Fresh), j.Text), contentBytes)
}

// askDate is the first day ahead that what is asked names.
func (l fetched) askDate(asks []prose.Ask) date {
	for _, a := range asks {
		if d := l.ahead(a.Date); a.Dated && d.is {
			return d
		}
	}
	return date{}
}

// ahead takes a date for one where it lay ahead when the message came, and not
// too far.
func (l fetched) ahead(m dates.Match) date {
	return date{m, m.Due.After(l.received) && m.Due.Sub(l.received) < farthest}
}

// observation is all that is told of a message but what it is.
func (j judge) observation(f *features) subconscious.Observation {
	title, text, found := redacted(j.Subject, cmp.Or(strings.TrimSpace(j.Fresh), j.Text))
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
	set(subconscious.HabitAttr, j.habits())
	for name, is := range map[string]bool{
		"bulk": j.Bulk, "automated": j.Automated, "junk": j.Junk || j.flags.Junk, "urgent": f.urgent, "awaited": f.awaited, "seen": j.flags.Seen,
		"forged": j.failed,
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
