package mail

import (
	"cmp"
	"context"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/message"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// maxReading is how much of a message Read returns, in bytes, and maxThread
	// how many others of its thread.
	maxReading = 16 << 10
	maxThread  = 20
)

// Reading is one message as it was read for somebody who asked for it. All of
// it is the word of an outsider, with secrets taken out.
type Reading struct {
	ID       string    `json:"id"` // "mid:…"
	Folder   string    `json:"folder"`
	From     string    `json:"from"` // "Name <address>"
	To       []string  `json:"to,omitempty"`
	Cc       []string  `json:"cc,omitempty"`
	Subject  string    `json:"subject"`
	Received time.Time `json:"received"`
	// Text is what can be read of it, at most 16 KiB; Cut says what is missing.
	Text        string   `json:"text"`
	Cut         []string `json:"cut,omitempty"`
	Attachments []string `json:"attachments,omitempty"`
	// Thread are the other messages of its thread that the sense knows, the
	// oldest first, at most 20.
	Thread []Threaded `json:"thread,omitempty"`
}

// Threaded is another message of a thread.
type Threaded struct {
	ID       string    `json:"id"`
	From     string    `json:"from"`
	Subject  string    `json:"subject"`
	Received time.Time `json:"received"`
}

// ErrUnknown is returned for a message that the sense does not know, or that
// is in none of its folders any more.
var ErrUnknown = errors.New("no such message is known: it is older than the look-back, was deleted, or lies in a folder that is not looked at")

// where is a message on the server, as it was last looked at.
type where struct {
	of       hash
	folder   string
	validity uint32
	uid      imap.UID
	received int64
}

// Read reads a message of the configured folders anew and leaves it unread.
// It is named by the ID of an observation ("mid:…") or by its reference
// ("mail:abcdefghij"). It may be called while a Collect goes on.
func (s *Sense) Read(ctx context.Context, id string) (Reading, error) {
	places, others, err := s.find(id)
	if err != nil {
		return Reading{}, err
	}
	var r Reading
	err = s.account.Do(ctx, func(session *account.Session) error {
		r = Reading{}
		for _, w := range places {
			found, err := s.readAt(ctx, session, w, &r)
			if err != nil {
				return err
			}
			if found {
				return s.readThread(ctx, session, others, &r)
			}
		}
		return ErrUnknown
	})
	if err != nil {
		return Reading{}, s.wrap(err)
	}
	return r, nil
}

// books are what is known of messages.
type books struct {
	state *cursor
	known *table[known]
	open  *table[item]
	sent  *table[sent]
}

// find looks up where a message and the others of its thread are.
func (s *Sense) find(id string) (places, others []where, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !s.commits.Started() {
		return nil, nil, fmt.Errorf("mail %s: nothing was looked at yet; try again in a while", s.config.ID)
	}
	state, pending := s.state, s.commits.Pending()
	if pending != nil {
		state = *pending
	}
	handed := pending != nil
	return books{state, s.known.beside(handed), s.open.beside(handed), s.sent.beside(handed)}.find(id)
}

func (b books) find(id string) (places, others []where, err error) {
	of, ok := b.named(id)
	if !ok {
		return nil, nil, ErrUnknown
	}
	var thread hash
	if k, ok := b.known.get(of); ok {
		thread = k.Thread
		places = b.wheres(of, int64(k.Received), k.Places[:]...)
	}
	for _, o := range b.open.all() {
		if o.Of == of && !o.Sent {
			for _, c := range o.Copies {
				places = append(places, b.wheres(of, o.Received.Unix(), c.place)...)
			}
		}
	}
	if m, ok := b.sent.get(of); ok {
		thread = m.Thread
		places = append(places, b.wheres(of, int64(m.day())*86400, m.Place)...)
	}
	if len(places) == 0 {
		return nil, nil, ErrUnknown
	}
	return places, b.threadOf(thread, of), nil
}

// named is the message that an ID or a reference names. What stands for what the
// person wrote names their message.
func (b books) named(id string) (of hash, ok bool) {
	ref, isRef := subconscious.ParseCitation(id)
	if !isRef {
		of = hashOf(strings.TrimSuffix(strings.TrimSuffix(id, "#promise"), "#awaiting"))
		return of, b.known.has(of) || b.sent.has(of)
	}
	for _, o := range b.open.all() {
		if subconscious.NewRef(Name, o.Observation.ID) == ref.Ref {
			return o.Of, true
		}
	}
	for key := range b.known.all() {
		if refOf(key) == ref.Ref {
			return key, true
		}
	}
	for key := range b.sent.all() {
		if refOf(key) == ref.Ref {
			return key, true
		}
	}
	return 0, false
}

// refOf is the reference of the observation whose identity has that hash.
func refOf(h hash) subconscious.Ref {
	text := base32.StdEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(h)))
	return subconscious.Ref(Name + ":" + strings.ToLower(text[:10]))
}

// wheres turns places into those in folders that are still looked at.
func (b books) wheres(of hash, received int64, places ...place) []where {
	var found []where
	for _, p := range places {
		name := b.state.named(p.Num)
		if name == "" || p.UID == 0 || b.state.Left.Has(name) {
			continue
		}
		f := b.state.Sent
		if in := b.state.Folders[name]; in != nil && in.Num == p.Num {
			f = in
		}
		found = append(found, where{of: of, folder: name, validity: f.Validity, uid: p.UID, received: received})
	}
	return found
}

// threadOf are the places of the other messages of a thread, one of each, the
// latest of them.
func (b books) threadOf(thread, but hash) []where {
	var found []where
	add := func(of hash, received int64, places ...place) {
		if at := b.wheres(of, received, places...); of != but && len(at) > 0 {
			found = append(found, at[0])
		}
	}
	for key, k := range b.known.all() {
		if k.Thread == thread {
			add(key, int64(k.Received), k.Places[:]...)
		}
	}
	for key, m := range b.sent.all() {
		if m.Thread == thread && !b.known.has(key) {
			add(key, int64(m.day())*86400, m.Place)
		}
	}
	slices.SortFunc(found, func(a, b where) int { return cmp.Compare(a.received, b.received) })
	return found[max(0, len(found)-maxThread):]
}

// open opens the folder of a place, and reports whether it is the one that it was.
func (w where) open(ctx context.Context, session *account.Session) (bool, error) {
	opened, err := session.Examine(ctx, w.folder)
	if err != nil && !errors.Is(err, account.ErrFolder) {
		return false, fmt.Errorf("open the folder %q: %w", w.folder, err)
	}
	return err == nil && opened.UIDValidity == w.validity, nil
}

// readAt reads the message at a place, and reports whether it is there.
func (s *Sense) readAt(ctx context.Context, session *account.Session, w where, r *Reading) (found bool, err error) {
	if ok, err := w.open(ctx, session); err != nil || !ok {
		return false, err
	}
	err = session.Messages(ctx, []imap.UID{w.uid}, bodyBytes, func(raw account.Raw) error {
		m, err := message.Parse(raw.Body)
		if err != nil || found || !isMessage(m, w.of) {
			return nil
		}
		found = true
		*r = readingOf(m, w.folder, raw.Received)
		return nil
	})
	return found, err
}

// isMessage reports whether what was read is the message that was asked for.
func isMessage(m message.Message, of hash) bool {
	id := prefix + m.ID
	return hashOf(id) == of || hashOf(fmt.Sprintf("%s#%08x", id, checkOf(m))) == of
}

func readingOf(m message.Message, folder string, received time.Time) Reading {
	whole := redact.Text(oneLine(m.Subject) + "\n" + subconscious.Head(m.Text, 2*maxReading))
	subject, text, _ := strings.Cut(whole, "\n")
	r := Reading{
		ID: prefix + m.ID, Folder: folder, From: named(m.From), Subject: subject, Received: received,
		Text: subconscious.Head(strings.TrimSpace(text), maxReading), Cut: m.Cut,
	}
	if len(m.Text) > maxReading {
		r.Cut = append(slices.Clone(r.Cut), fmt.Sprintf("the text is longer than %d KiB", maxReading>>10))
	}
	for _, a := range m.To {
		r.To = append(r.To, named(a))
	}
	for _, a := range m.Cc {
		r.Cc = append(r.Cc, named(a))
	}
	for _, name := range m.Attachments {
		r.Attachments = append(r.Attachments, cmp.Or(oneLine(redact.Text(name)), "(unnamed)"))
	}
	return r
}

// named writes an address as people do.
func named(a message.Address) string {
	name, addr := oneLine(redact.Text(a.Name)), oneLine(a.Addr)
	switch {
	case name == "":
		return addr
	case addr == "":
		return name
	}
	return name + " <" + addr + ">"
}

// readThread reads the headers of the other messages of a thread. What is gone
// is left out.
func (s *Sense) readThread(ctx context.Context, session *account.Session, others []where, r *Reading) error {
	byFolder := map[string][]where{}
	for _, w := range others {
		byFolder[w.folder] = append(byFolder[w.folder], w)
	}
	for _, list := range byFolder {
		ok, err := list[0].open(ctx, session)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		uids := make([]imap.UID, len(list))
		for i, w := range list {
			uids[i] = w.uid
		}
		err = session.Headers(ctx, uids, func(raw account.Raw) error {
			if m, err := message.Parse(raw.Body); err == nil {
				r.Thread = append(r.Thread, Threaded{
					ID: prefix + m.ID, From: named(m.From), Subject: redact.Text(oneLine(m.Subject)), Received: raw.Received,
				})
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("read the thread: %w", err)
		}
	}
	slices.SortFunc(r.Thread, func(a, b Threaded) int { return a.Received.Compare(b.Received) })
	return nil
}
