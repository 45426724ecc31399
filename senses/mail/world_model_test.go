package mail_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The folders of the world: the sense looks at the first two, and at what the
// person sent.
const (
	inbox   = "INBOX"
	kept    = "Archive"
	unseen  = "Trash"
	outbox  = "Sent"
	keepFor = 13 * 24 * time.Hour // what is younger must be told, whatever a day's edge is
)

// world is a mailbox and what is known of it without asking it.
type world struct {
	t        testing.TB
	random   *rand.Rand
	box      mailtest.Mailbox
	at       time.Time
	messages map[string]*message            // by identity
	folders  map[string]map[imap.UID]*filed // what lies where
	next     map[string]imap.UID
	count    int
	short    bool // the list of folders has the first alone
	// done says what was done, in words, for a failure.
	done []string
}

// filed is a message in a folder; the same message may lie in several.
type filed struct {
	of    *message
	flags []imap.Flag
}

// message is a message and what was told of it.
type message struct {
	id       string
	received time.Time
	old      bool // it was there at the first collect
	sent     bool
	omar     bool // he wrote it, to whom all goes that is sent
	twice    bool // it lay in two folders at once
	// told are the first words about it: "mail", or the kinds of what appeared;
	// standing is what stands for it, by ID.
	told     []string
	standing map[string]subconscious.Observation
	stood    int // how often something began to
	// a copy lay in the second folder at the last look, of which the list may be without
	// it by now; and it is certain that it did.
	left, surely bool
}

func newWorld(t testing.TB, seed uint64, box mailtest.Mailbox, at time.Time) *world {
	w := &world{t: t, random: rand.New(rand.NewPCG(seed, 1)), box: box, at: at, messages: map[string]*message{},
		folders: map[string]map[imap.UID]*filed{}, next: map[string]imap.UID{}}
	for _, name := range []string{inbox, kept, unseen, outbox} {
		w.folders[name] = map[imap.UID]*filed{}
		w.next[name] = 1
	}
	return w
}

func (w *world) note(format string, a ...any) { w.done = append(w.done, fmt.Sprintf(format, a...)) }

// texts are what messages say; some of them ask something.
func texts() []string {
	return []string{
		"Hi Ines,\n\ncould you send me the signed contract by %s?\n\nThanks\nOmar\n",
		"Hi Ines,\n\nplease let me know whether you can come on %s.\n\nOmar\n",
		"Hi Ines,\n\nhere are the minutes of yesterday. All went well.\n\nOmar\n",
		"The photographs of the garden are attached.\n",
		"Dear customer,\n\nyour invoice 2026-%d is due on %s.\n\nThe office\n",
	}
}

// compose writes a new message. A few have no Message-ID.
func (w *world) compose(received time.Time, folder string) (*message, []byte) {
	w.count++
	kind := w.random.IntN(len(texts()))
	day := received.AddDate(0, 0, 1+w.random.IntN(20)).Format("2 January 2006")
	text := texts()[kind]
	switch strings.Count(text, "%") {
	case 1:
		text = fmt.Sprintf(text, day)
	case 2:
		text = fmt.Sprintf(text, w.count, day)
	}
	text += strings.Repeat("A further line of the message.\n", w.random.IntN(40))
	l := mailtest.Message{From: "Omar Haddad <omar@example.org>", To: []string{ines}, Subject: fmt.Sprintf("Matter %d", w.count), Text: text,
		Date: received, MessageID: fmt.Sprintf("message.%d@example.org", w.count)}
	if kind == 4 {
		l.From = "billing@example.net"
	}
	if folder == outbox {
		l.From, l.To = "Ines Vidal <"+ines+">", []string{"omar@example.org"}
		l.Text = fmt.Sprintf([]string{"Hi Omar,\n\nI will send you the report by %s.\n\nInes\n", "Hi Omar,\n\nwhen do you want to meet? I am free on %s.\n\nInes\n"}[w.random.IntN(2)], day)
	}
	return &message{id: "mid:" + l.MessageID, received: received, sent: folder == outbox, omar: kind != 4 && folder != outbox, standing: map[string]subconscious.Observation{}}, mailtest.Compose(l)
}

// deliver puts a message into a folder, now and then into two.
func (w *world) deliver(folder string, received time.Time) *message {
	l, raw := w.compose(received, folder)
	w.messages[l.id] = l
	var flags []imap.Flag
	if w.random.IntN(4) == 0 || folder == outbox {
		flags = append(flags, imap.FlagSeen)
	}
	w.put(folder, l, raw, flags)
	if folder == inbox && w.random.IntN(12) == 0 {
		w.put(kept, l, raw, flags)
		l.twice = true // whether it was read is then a matter of which is asked
	}
	return l
}

func (w *world) put(folder string, l *message, raw []byte, flags []imap.Flag) {
	w.t.Helper()
	uid := w.box.Deliver(folder, raw, l.received, flags...)
	w.land(folder, uid, &filed{of: l, flags: flags})
	w.note("%s is delivered to %s as %d %v", l.id, folder, uid, flags)
}

// land notes where a message came to lie.
func (w *world) land(folder string, uid imap.UID, c *filed) {
	w.t.Helper()
	if want := w.next[folder]; uid != want {
		w.t.Fatalf("a message in %s is number %d, and not %d", folder, uid, want)
	}
	w.next[folder]++
	w.folders[folder][uid] = c
}

// pick is a message of a folder, chance says which; ok is false where it is empty.
func (w *world) pick(folder string) (imap.UID, bool) {
	uids := slices.Sorted(maps.Keys(w.folders[folder]))
	if len(uids) == 0 {
		return 0, false
	}
	return uids[w.random.IntN(len(uids))], true
}

func (w *world) expunge(folder string) {
	if uid, ok := w.pick(folder); ok {
		w.note("%s, %s %d, is expunged", w.folders[folder][uid].of.id, folder, uid)
		w.box.Expunge(folder, uid)
		delete(w.folders[folder], uid)
	}
}

func (w *world) move(from, to string) {
	uid, ok := w.pick(from)
	if !ok {
		return
	}
	c := w.folders[from][uid]
	moved := w.box.Move(from, uid, to)
	delete(w.folders[from], uid)
	w.land(to, moved, c)
	w.note("%s, %s %d, is moved to %s %d", c.of.id, from, uid, to, moved)
}

func (w *world) flag(folder string) {
	uid, ok := w.pick(folder)
	if !ok {
		return
	}
	all := [][]imap.Flag{nil, {imap.FlagSeen}, {imap.FlagFlagged}, {imap.FlagAnswered, imap.FlagSeen}}
	c := w.folders[folder][uid]
	c.flags = all[w.random.IntN(len(all))]
	w.box.SetFlags(folder, uid, c.flags...)
	w.note("%s, %s %d, has flags %v", c.of.id, folder, uid, c.flags)
}

// renumber gives all UIDs of a folder anew.
func (w *world) renumber(folder string) {
	w.t.Helper()
	if len(w.folders[folder]) == 0 {
		return
	}
	numbers := w.box.Renumber(folder)
	old := w.folders[folder]
	w.folders[folder], w.next[folder] = map[imap.UID]*filed{}, 1
	for uid, c := range old {
		now := numbers[uid]
		if now == 0 || w.folders[folder][now] != nil {
			w.t.Fatalf("%s %d has number %d", folder, uid, now)
		}
		w.folders[folder][now] = c
		w.next[folder] = max(w.next[folder], now+1)
	}
	w.note("%s is numbered anew", folder)
}

// act does one thing, chosen by chance.
func (w *world) act() {
	other := map[string]string{inbox: kept, kept: inbox}
	watched := []string{inbox, inbox, kept}[w.random.IntN(3)]
	switch n := w.random.IntN(100); {
	case n < 38:
		w.deliver(watched, w.at.Add(-time.Duration(w.random.IntN(600))*time.Second))
	case n < 42:
		w.deliver(unseen, w.at)
	case n < 48:
		w.deliver(outbox, w.at)
	case n < 56:
		w.expunge(watched)
	case n < 66:
		w.move(watched, other[watched])
	case n < 74:
		w.move(watched, unseen)
	case n < 82:
		w.move(unseen, watched)
	case n < 94:
		w.flag(watched)
	case n < 96:
		w.renumber(watched)
	case n < 97:
		w.renumber(outbox)
	default:
		w.box.Drop()
		w.note("all connections are cut")
	}
}

// looked reports whether the sense looks at a folder.
func (w *world) looked(folder string) bool { return folder == inbox || folder == kept && !w.short }

// watched are the copies of a message where the sense looks.
func (w *world) watched(l *message) []*filed {
	var all []*filed
	for _, folder := range []string{inbox, kept} {
		if !w.looked(folder) {
			continue
		}
		for _, c := range w.folders[folder] {
			if c.of == l {
				all = append(all, c)
			}
		}
	}
	return all
}

// over: what stands for a message is answered, or a letter that was read.
func (w *world) over(l *message, kind string) bool {
	return slices.ContainsFunc(w.watched(l), func(c *filed) bool {
		return (kind == "request" || kind == "mail") && slices.Contains(c.flags, imap.FlagAnswered) || kind == "mail" && slices.Contains(c.flags, imap.FlagSeen)
	})
}

// hear takes in what a collect that was committed told.
func (w *world) hear(changes []subconscious.Observation) {
	for _, o := range changes {
		id, more, _ := strings.Cut(o.ID, "#")
		l := w.messages[id]
		if l == nil {
			w.fail("%s of %s is told, and there is no such message", o.Kind, o.ID)
			continue
		}
		switch o.Change {
		case subconscious.Momentary, subconscious.Appeared:
			what := more // of a message that was sent: the promise, the question
			if what == "" {
				what = "arrival"
			}
			if slices.Contains(l.told, what) {
				w.fail("%s of %s is told twice: %s %s", what, o.ID, o.Change, o.Kind)
			}
			l.told = append(l.told, what)
			if o.Change == subconscious.Appeared {
				l.standing[o.ID] = o
				l.stood++
			} else if l.old {
				w.fail("%s was there at the first collect, and is told as %s", o.ID, o.Kind)
			}
			w.note("  told: %s %s %s", o.Change, o.Kind, o.ID)
		case subconscious.Changed:
			if _, stood := l.standing[o.ID]; !stood {
				w.fail("%s changed and did not stand", o.ID)
			}
			l.standing[o.ID] = o
			w.note("  told: changed %s", o.ID)
		case subconscious.Gone:
			w.gone(l, o)
		}
	}
}

// gone checks that what ended had a reason to.
func (w *world) gone(l *message, o subconscious.Observation) {
	stood, was := l.standing[o.ID]
	delete(l.standing, o.ID)
	w.note("  told: gone %s", o.ID)
	switch {
	case !was:
		w.fail("%s is gone and did not stand", o.ID)
	case !stood.Until.After(w.at):
	case stood.Kind == "awaiting" && w.wrote(l.received):
	case l.sent:
		w.fail("%s is gone before its time, which is %s, at %s", o.ID, stood.Until, w.at)
	case (len(w.watched(l)) > 0 || w.short && l.surely) && !w.over(l, stood.Kind):
		w.fail("%s (%s) is gone and lies in the folders as before; it was to stand until %s, and it is %s", o.ID, stood.Kind, stood.Until, w.at)
	}
}

// stands checks, after a look, that what was told to stand does, and nothing else; where
// the look was not at all, what lies in the second folder need not.
func (w *world) stands(view *senses.View, all bool) {
	stands := map[string]bool{}
	view.All(func(o subconscious.Observation) bool { stands[o.ID] = true; return true })
	for _, l := range w.messages {
		for id := range l.standing {
			if !stands[id] && (all || !l.left) {
				w.fail("%s was not told to be gone, and does not stand", id)
			}
			delete(stands, id)
		}
		if w.short {
			continue
		}
		lies := slices.ContainsFunc(slices.Collect(maps.Values(w.folders[kept])), func(c *filed) bool { return c.of == l })
		l.left, l.surely = lies || l.left && !all, lies && all
	}
	if len(stands) > 0 {
		w.fail("what stands was not told to: %v", stands)
	}
}

// wrote reports whether Omar wrote after that time.
func (w *world) wrote(since time.Time) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(w.messages)), func(l *message) bool { return l.omar && l.received.After(since) })
}

// check fails where, after a look at everything, what was told is not what there is.
func (w *world) check() {
	for _, l := range w.messages {
		copies := w.watched(l)
		if len(copies) > 0 && !l.old && l.received.After(w.at.Add(-keepFor)) && !slices.Contains(l.told, "arrival") {
			w.fail("%s lies in the folders since %s and was not told by %s", l.id, l.received, w.at)
		}
		for id, o := range l.standing {
			switch {
			case !o.Until.After(w.at):
				w.fail("%s stands after its time, which is %s, at %s", id, o.Until, w.at)
			case l.sent:
			case len(copies) == 0:
				w.fail("%s stands and lies in no folder", id)
			case w.over(l, o.Kind):
				w.fail("%s stands and was answered, or read", id)
			case !l.twice && slices.Contains(copies[0].flags, imap.FlagSeen) != (o.Attrs["seen"] == "true"):
				w.fail("%s stands with seen %q, and has flags %v", id, o.Attrs["seen"], copies[0].flags)
			}
		}
	}
}

// untouched checks that every flag is as it was set.
func (w *world) untouched() {
	for folder, copies := range w.folders {
		flags := w.box.Flags(folder)
		if len(flags) != len(copies) {
			w.fail("%s has %d messages, and not %d", folder, len(flags), len(copies))
		}
		for uid, c := range copies {
			want := slices.Sorted(slices.Values(c.flags))
			if !slices.Equal(flags[uid], want) {
				w.fail("%s, %s %d, has flags %v, and was given %v", c.of.id, folder, uid, flags[uid], want)
			}
		}
	}
}

func (w *world) fail(format string, a ...any) {
	w.t.Helper()
	w.t.Errorf(format, a...)
}
