package mailtest

import (
	"bufio"
	"bytes"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-message/mail"
	"github.com/emersion/go-message/textproto"
)

// Search finds messages. Texts are looked for as they stand in the message, not
// decoded.
func (s *session) Search(kind imapserver.NumKind, criteria *imap.SearchCriteria, _ *imap.SearchOptions) (*imap.SearchData, error) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	v := s.view
	data := &imap.SearchData{}
	var uids imap.UIDSet
	var seqs imap.SeqSet
	add := func(m one) {
		n := m.seq
		if kind == imapserver.NumKindUID {
			n = uint32(m.uid)
			uids.AddNum(m.uid)
		} else {
			seqs.AddNum(m.seq)
		}
		if data.Min == 0 {
			data.Min = n
		}
		data.Max = n
		data.Count++
	}
	v.number(criteria)
	// UIDs to look among spare a look at each message.
	if len(criteria.UID) > 0 {
		for _, m := range v.chosen(criteria.UID[0]) {
			if v.matches(m, criteria) {
				add(m)
			}
		}
	} else {
		for i, m := range v.messages {
			if !m.gone && v.matches(v.at(i), criteria) {
				add(v.at(i))
			}
		}
	}
	data.All = seqs
	if kind == imapserver.NumKindUID {
		data.All = uids
	}
	return data, nil
}

// number puts numbers in the place of "*".
func (v *view) number(c *imap.SearchCriteria) {
	var last imap.UID
	if len(v.messages) > 0 {
		last = v.messages[len(v.messages)-1].uid
	}
	for _, set := range c.UID {
		for i := range set {
			set[i].Start, set[i].Stop = ordered(set[i].Start, set[i].Stop, last)
		}
	}
	for _, set := range c.SeqNum {
		for i := range set {
			set[i].Start, set[i].Stop = ordered(set[i].Start, set[i].Stop, uint32(len(v.messages)))
		}
	}
	for i := range c.Not {
		v.number(&c.Not[i])
	}
	for i := range c.Or {
		v.number(&c.Or[i][0])
		v.number(&c.Or[i][1])
	}
}

// matches tells whether a message meets all criteria.
func (v *view) matches(m one, c *imap.SearchCriteria) bool {
	for _, set := range c.UID {
		if !set.Contains(m.uid) {
			return false
		}
	}
	for _, set := range c.SeqNum {
		if !set.Contains(m.seq) {
			return false
		}
	}
	for _, f := range c.Flag {
		if !m.has(f) {
			return false
		}
	}
	for _, f := range c.NotFlag {
		if m.has(f) {
			return false
		}
	}
	if !within(m.at, c.Since, c.Before) {
		return false
	}
	for i := range c.Not {
		if v.matches(m, &c.Not[i]) {
			return false
		}
	}
	for i := range c.Or {
		if !v.matches(m, &c.Or[i][0]) && !v.matches(m, &c.Or[i][1]) {
			return false
		}
	}
	return !needsBody(c) || reads(m, c)
}

// needsBody tells whether a message has to be read to know whether it is meant.
func needsBody(c *imap.SearchCriteria) bool {
	return c.Larger != 0 || c.Smaller != 0 || len(c.Header)+len(c.Text)+len(c.Body) > 0 || !c.SentSince.IsZero() || !c.SentBefore.IsZero()
}

// reads tells whether a message, as it was written, meets the criteria that need it.
func reads(m one, c *imap.SearchCriteria) bool {
	raw := m.body()
	if c.Larger != 0 && int64(len(raw)) <= c.Larger || c.Smaller != 0 && int64(len(raw)) >= c.Smaller {
		return false
	}
	header, _ := textproto.ReadHeader(bufio.NewReader(bytes.NewReader(raw)))
	for _, want := range c.Header {
		if !headerHas(header, want.Key, want.Value) {
			return false
		}
	}
	if !c.SentSince.IsZero() || !c.SentBefore.IsZero() {
		var h mail.Header
		h.Header.Header = header
		if at, err := h.Date(); err != nil || !within(at, c.SentSince, c.SentBefore) {
			return false
		}
	}
	body := section(raw, &imap.FetchItemBodySection{Specifier: imap.PartSpecifierText})
	return holds(raw, c.Text) && holds(body, c.Body)
}

func headerHas(header textproto.Header, key, value string) bool {
	fields := header.FieldsByKey(key)
	for fields.Next() {
		if strings.Contains(strings.ToLower(fields.Value()), strings.ToLower(value)) {
			return true
		}
	}
	return false
}

func holds(raw []byte, texts []string) bool {
	for _, text := range texts {
		if !bytes.Contains(bytes.ToLower(raw), bytes.ToLower([]byte(text))) {
			return false
		}
	}
	return true
}

// within compares days, without regard to time and zone, as RFC 3501 has it.
func within(at, since, before time.Time) bool {
	day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
	return (since.IsZero() || !day.Before(since)) && (before.IsZero() || day.Before(before))
}
