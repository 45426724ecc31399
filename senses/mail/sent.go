package mail

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/message"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// noSent as the folder of what was sent: it is not looked at.
	noSent = "none"
	// sentLookBack is how far back what was sent counts, at first at most
	// firstSent messages.
	sentLookBack = 365 * 24 * time.Hour
	firstSent    = 3_000
	sentDays     = 366
	answeredDays = 60
	// sentBodies is how far back what was sent is read for promises and
	// questions.
	sentBodies = 14 * 24 * time.Hour
	// askedWithin is how long an answer to a question counts as one.
	askedWithin = 60
	// findSentEvery is how often the folder is looked for that was not found.
	findSentEvery = time.Hour
	quarterDays   = 91
)

// customarySent are names that mail programs give the folder of what was sent,
// in lower case, without what stands before the last separator.
var customarySent = []string{
	"sent", "sent mail", "sent items", "sent messages", "gesendet", "gesendete objekte", "gesendete elemente", "gesendete nachrichten",
	"postausgang", "envoyés", "envoyes", "messages envoyés", "éléments envoyés", "courrier envoyé", "objets envoyés",
	"enviados", "enviado", "elementos enviados", "mensajes enviados", "correo enviado", "inviati", "posta inviata", "verzonden", "verzonden items",
	"wysłane", "отправленные", "送信済みトレイ", "已发送", "已发送邮件",
}

// readSent brings the index of what the person sent up to date.
func (l *collect) readSent(ctx context.Context, session *account.Session) error {
	if l.config.Sent == noSent {
		return nil
	}
	name, err := l.sentFolder(ctx, session)
	if err != nil || name == "" {
		return err
	}
	opened, ok, err := l.examineSent(ctx, session, name)
	if err != nil || !ok {
		return err
	}
	before := l.state.Sent
	if l.state.SentName != name {
		before = nil
	}
	f, err := l.begin(ctx, session, before, opened, l.at.Add(-sentLookBack), firstSent)
	if err != nil {
		return err
	}
	l.state.Sent, l.state.SentName = f, name
	if err := l.judgeSuspect(ctx, session, f); err != nil {
		return err
	}
	_, err = l.advance(ctx, session, f, opened, reading{header: l.sentBefore, body: l.sentNow})
	if err != nil {
		return fmt.Errorf("read the folder %q of what you sent: %w", name, err)
	}
	return nil
}

// examineSent opens the folder of what was sent. One that is gone is looked for
// anew.
func (l *collect) examineSent(ctx context.Context, session *account.Session, name string) (account.Opened, bool, error) {
	unfinished := l.unfinished
	opened, ok, err := l.examine(ctx, session, name)
	if !ok && err == nil {
		delete(l.missing, name)
		l.unfinished = unfinished
		if l.config.Sent == "" {
			l.state.Sent, l.state.SentName = nil, ""
		}
	}
	return opened, ok, err
}

// sentFolder returns the name of the folder of what was sent, "" where none is
// found, which is said.
func (l *collect) sentFolder(ctx context.Context, session *account.Session) (string, error) {
	if l.config.Sent != "" {
		return l.config.Sent, nil
	}
	if l.state.SentName != "" && !slices.Contains(l.folders, l.state.SentName) {
		return l.state.SentName, nil
	}
	if since := l.at.Sub(l.foundSent); since < 0 || since >= findSentEvery {
		folders, err := session.Folders(ctx)
		if err != nil {
			return "", fmt.Errorf("list the folders: %w", err)
		}
		if name := findSent(folders, l.folders); name != "" {
			return name, nil
		}
		l.foundSent = l.at
	}
	l.say(`the folder of what you sent was not found, so that answers and promises of yours are not seen; name it under "sent", or write none`)
	return "", nil
}

// findSent picks the folder that the server marks, else one that is customarily
// called so.
func findSent(folders []account.Folder, watched []string) string {
	folders = slices.DeleteFunc(slices.Clone(folders), func(f account.Folder) bool { return slices.Contains(watched, folderKey(f.Name)) })
	for _, f := range folders {
		if slices.Contains(f.Attrs, imap.MailboxAttrSent) {
			return f.Name
		}
	}
	for _, custom := range customarySent {
		for _, f := range folders {
			name := strings.ToLower(f.Name)
			if i := strings.LastIndexAny(name, "/."); i >= 0 {
				name = name[i+1:]
			}
			if name == custom {
				return f.Name
			}
		}
	}
	return ""
}

// sentBefore looks at the header of a message of the person's, and reports
// whether its body is wanted.
func (l *collect) sentBefore(m fetched) bool {
	if m.received.Before(l.at.Add(-sentLookBack)) || m.flags.Draft {
		return false
	}
	if m.Made {
		return true
	}
	if key := hashOf(prefix + m.ID); l.sent.has(key) {
		if s, _ := l.sent.get(key); s.Place != m.place {
			s.Place = m.place
			l.sent.set(key, s)
		}
		return false
	}
	if m.received.Before(l.at.Add(-sentBodies)) {
		l.index(m, strings.HasSuffix(strings.TrimSpace(m.Subject), "?"))
		return false
	}
	return true
}

// sentNow takes in a message of the person's as a whole.
func (l *collect) sentNow(m fetched) {
	if l.sent.has(hashOf(prefix+m.ID)) || m.flags.Draft {
		return
	}
	w := l.wrote(m)
	l.index(m, w.asked)
	id := prefix + m.ID
	thread := threadOf(m.Message, id)
	key := hashOf(id)
	if w.promise != nil && w.promise.Until.After(l.at) && !l.wroteLater(thread, m.received, key) {
		l.stand(item{Observation: *w.promise, Of: key, Thread: hashOf(thread), Received: m.received, Sent: true})
	}
	if w.awaiting != nil && w.awaiting.Until.After(l.at) && !l.answeredLater(key, thread, m.received) {
		l.stand(item{Observation: *w.awaiting, Of: key, Thread: hashOf(thread), Received: m.received, Sent: true})
	}
}

// wroteLater reports whether the person wrote in a thread after that time, which
// shows where messages lie in the folder in another order than they were sent.
func (l *collect) wroteLater(thread string, received time.Time, but hash) bool {
	for key, s := range l.sent.all() {
		if s.Thread == hashOf(thread) && key != but && s.day() > dayOf(received) {
			return true
		}
	}
	return false
}

// answeredLater reports whether a message in the thread of a question came after
// it before the question itself was seen.
func (l *collect) answeredLater(of hash, thread string, received time.Time) bool {
	want := hashOf(thread)
	for key, k := range l.known.all() {
		if k.Thread == want && key != of && !l.sent.has(key) && int64(k.Received) > received.Unix() {
			return true
		}
	}
	return false
}

// index takes a message of the person's into the index: whom they write to,
// what they asked, and what they answered.
func (l *collect) index(m fetched, asked bool) {
	id := prefix + m.ID
	thread, refs := threadOf(m.Message, id), refsOf(m.Message)
	if l.sent.len() < maxSent {
		row := sent{When: dayOf(m.received) << 1, Thread: hashOf(thread), Place: m.place}
		if asked {
			row.When++
		}
		l.sent.set(hashOf(id), row)
	}
	if m.From.Name != "" && l.mine[m.From.Addr] {
		l.state.Person = subconscious.Head(m.From.Name, maxName)
	}
	firms := map[string]bool{} // each counts once
	for _, address := range recipients(m.Message) {
		if !l.mine[address.Addr] && address.Addr != "" {
			l.writeTo(hashOf(address.Addr), m.received)
			if at := firm(address.Addr); !strings.Contains(at, "@") && !firms[at] {
				firms[at] = true
				l.writeTo(hashOf("@"+at), m.received)
			}
		}
	}
	l.endAnswered(m, hashOf(thread), refs, id)
	l.replied(m)
	if dayOf(m.received)+answeredDays < dayOf(l.at) {
		return
	}
	for ref := range refs {
		if l.answered.len() < maxAnswered {
			l.answered.set(ref, dayOf(m.received))
		}
	}
}

func recipients(m message.Message) []message.Address { return slices.Concat(m.To, m.Cc) }

// writeTo counts a message to an address.
func (l *collect) writeTo(address hash, received time.Time) {
	c, ok := l.wroteTo.get(address)
	if !ok && l.wroteTo.len() >= maxCorrespondents {
		return
	}
	day := dayOf(received)
	c.Last = max(c.Last, day)
	number := day / quarterDays
	i := slices.IndexFunc(c.Quarters[:], func(q quarter) bool { return q.Number == number })
	if i < 0 {
		// The oldest makes room.
		i = 0
		for j, q := range c.Quarters {
			if q.Number < c.Quarters[i].Number {
				i = j
			}
		}
		if c.Quarters[i].Number > number {
			return
		}
		c.Quarters[i] = quarter{Number: number}
	}
	c.Quarters[i].Count++
	l.wroteTo.set(address, c)
}

// timesWritten is how often the person wrote to an address in the last year.
func (l *collect) timesWritten(address string) int {
	c, ok := l.wroteTo.get(hashOf(address))
	if !ok {
		return 0
	}
	n, since := 0, dayOf(l.at.Add(-sentLookBack))/quarterDays
	for _, q := range c.Quarters {
		if q.Number >= since {
			n += int(q.Count)
		}
	}
	return n
}

// answersMine reports whether a message answers one of the person's, and awaited
// whether they asked something in it.
func (l *collect) answersMine(refs map[hash]bool) (mine, awaited bool) {
	for ref := range refs {
		if s, ok := l.sent.get(ref); ok {
			mine = true
			awaited = awaited || s.asked() && s.day()+askedWithin >= dayOf(l.at)
		}
	}
	return mine, awaited
}
