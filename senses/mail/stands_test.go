package mail

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

var plainCaps = []imap.Cap{imap.CapCondStore, imap.CapSpecialUse, imap.CapESearch}

// both runs a test on a server with CONDSTORE and on one without.
func both(t *testing.T, test func(t *testing.T, options mailtest.Options)) {
	t.Run("condstore", func(t *testing.T) { test(t, mailtest.Options{}) })
	t.Run("plain", func(t *testing.T) {
		test(t, mailtest.Options{Without: plainCaps})
	})
}

func watching(folders ...string) func(*Config) { return func(c *Config) { c.Folders = folders } }

func TestWhatEndsARequest(t *testing.T) {
	both(t, func(t *testing.T, options mailtest.Options) {
		h := newHouse(t, options)
		h.knows(boss)
		h.ticks()
		ends := map[string]func(uid imap.UID){
			"answered":    func(uid imap.UID) { h.box.SetFlags("INBOX", uid, imap.FlagSeen, imap.FlagAnswered) },
			"deleted":     func(uid imap.UID) { h.box.SetFlags("INBOX", uid, imap.FlagDeleted) },
			"expunged":    func(uid imap.UID) { h.box.Expunge("INBOX", uid) },
			"moved away":  func(uid imap.UID) { h.box.Move("INBOX", uid, "Archive") },
			"replied to":  func(imap.UID) { h.deliver("Sent", reply(h, "a1", "replied-to@example.org"), imap.FlagSeen) },
			"in time out": func(imap.UID) { h.at = h.at.Add(30 * 24 * time.Hour) },
		}
		for _, how := range []string{"answered", "deleted", "expunged", "moved away", "replied to", "in time out"} {
			id := strings.ReplaceAll(how, " ", "-")
			uid := h.deliver("INBOX", h.message(id, boss, "Figures", asking))
			h.expect(how+": it came", h.tick(), "+request mid:"+id+"@example.org")
			h.expect(how+": nothing happened", h.tick())
			ends[how](uid)
			h.expect(how, h.tick(), "-request mid:"+id+"@example.org")
			h.restart()
			h.expect(how+": and after a restart", h.tick())
		}
	})
}

func reply(h *house, id, to string) mailtest.Message {
	l := h.writes(id, boss, "Re: Figures", "Here they are.")
	l.InReplyTo, l.References = []string{to}, []string{to}
	return l
}

func TestReadIsAChange(t *testing.T) {
	both(t, func(t *testing.T, options mailtest.Options) {
		h := newHouse(t, options)
		h.knows(boss)
		h.ticks()
		pressing := h.message("a", boss, "Urgent: figures", asking)
		pressing.Headers = append(pressing.Headers, "Importance: high")
		uid := h.deliver("INBOX", pressing)
		h.tick()
		if got := h.stands["mid:a@example.org"].Severity; got != 2 {
			t.Errorf("urgent and from somebody known: severity %d", got)
		}
		h.box.SetFlags("INBOX", uid, imap.FlagSeen)
		h.expect("read", h.tick(), "~request mid:a@example.org")
		if got := h.stands["mid:a@example.org"]; got.Severity != 0 || got.Attrs["seen"] != "true" || got.Text == "" {
			t.Errorf("%+v", got)
		}
		h.box.SetFlags("INBOX", uid)
		h.expect("marked as unread", h.tick(), "~request mid:a@example.org")
	})
}

func TestMovedBetweenFolders(t *testing.T) {
	both(t, func(t *testing.T, options mailtest.Options) {
		h := newHouse(t, options, watching("INBOX", "Archive"))
		h.knows(boss)
		h.ticks()
		uid := h.deliver("INBOX", h.message("a", boss, "Figures", asking))
		h.tick()
		for _, way := range [][2]string{{"INBOX", "Archive"}, {"Archive", "INBOX"}, {"INBOX", "Archive"}} {
			uid = h.box.Move(way[0], uid, way[1])
			h.expect("moved to "+way[1], h.tick())
		}
		h.box.Renumber("Archive")
		h.expect("given another UID", h.tick())
		h.box.Move("Archive", uidOf(t, h, "Archive"), "Trash")
		h.expect("thrown away", h.tick(), "-request mid:a@example.org")
	})
}

// uidOf is the UID of the only message in a folder.
func uidOf(t *testing.T, h *house, folder string) imap.UID {
	t.Helper()
	flags := h.box.Flags(folder)
	if len(flags) != 1 {
		t.Fatalf("%d messages in %s", len(flags), folder)
	}
	for uid := range flags {
		return uid
	}
	return 0
}

func TestRenumbered(t *testing.T) {
	both(t, func(t *testing.T, options mailtest.Options) {
		h := newHouse(t, options)
		h.knows(boss)
		h.deliver("INBOX", h.message("old", other, "News", "All is well."))
		h.deliver("INBOX", h.message("a", boss, "Figures", asking))
		h.ticks()
		h.deliver("INBOX", h.message("b", other, "News", "It went well."))
		h.tick()
		for range 3 {
			h.box.Renumber("INBOX")
			h.expect("renumbered", h.tick())
		}
		h.deliver("INBOX", h.message("c", other, "News", "It went better."))
		h.box.Renumber("INBOX")
		h.expect("renumbered after one came", h.tick(), "mail mid:c@example.org")
		h.box.Renumber("Sent")
		h.expect("what was sent is renumbered", h.tick())
		if n := h.sense.wroteTo.base[hashOf(boss)].Quarters; n[0].Count+n[1].Count+n[2].Count+n[3].Count+n[4].Count != 1 {
			t.Errorf("what was sent is counted twice: %v", n)
		}
	})
}

func TestFromAnArchive(t *testing.T) {
	h := newHouse(t, mailtest.Options{})
	h.knows(boss)
	h.ticks()
	h.deliverAt("INBOX", h.message("old", boss, "Figures", asking), now.Add(-15*24*time.Hour))
	h.expect("older than the look-back", h.tick())
	h.deliverAt("INBOX", h.message("new", boss, "Figures", "Could you send me the figures?"), now.Add(-13*24*time.Hour))
	h.expect("younger", h.tick(), "+request mid:new@example.org")
}

func TestSecondOfOneMessageID(t *testing.T) {
	h := newHouse(t, mailtest.Options{}, watching("INBOX", "Archive"))
	h.knows(boss)
	h.ticks()
	first := h.message("a", other, "News", "Nothing much.")
	h.deliver("INBOX", first)
	h.deliver("Archive", first)
	h.expect("the same twice", h.tick(), "mail mid:a@example.org")
	hidden := h.message("a", boss, "Figures", asking)
	h.deliver("INBOX", hidden)
	told := h.tick()
	if len(told) != 1 || !strings.HasPrefix(told[0], "+request mid:a@example.org#") {
		t.Errorf("another message under its Message-ID: %q", told)
	}
	h.box.Renumber("INBOX")
	h.expect("renumbered", h.tick())
}

func TestCollectedTwiceUncommitted(t *testing.T) {
	both(t, func(t *testing.T, options mailtest.Options) {
		h := newHouse(t, options)
		h.knows(boss)
		h.ticks()
		h.deliver("INBOX", h.message("a", boss, "Figures", asking))
		h.deliver("INBOX", h.message("b", other, "News", "It went well."))
		for range 3 {
			if batch, err := h.collect(); err != nil || len(batch.Sets) != 1 || len(batch.Sets[0].Items) != 2 {
				t.Fatalf("%+v %v", batch, err)
			}
		}
		h.restart()
		h.expect("committed at last", h.tick(), "+request mid:a@example.org", "mail mid:b@example.org")
		h.expect("once", h.tick())
	})
}

func TestAnotherAccountBeginsAnew(t *testing.T) {
	h := newHouse(t, mailtest.Options{})
	h.knows(boss)
	h.deliver("INBOX", h.message("a", boss, "Figures", asking))
	h.ticks()
	h.config.Host = "127.0.0.1"
	h.restart()
	h.expect("the same things, from another server", h.ticks())
	h.deliver("INBOX", h.message("b", other, "News", "It went well."))
	h.expect("goes on", h.tick(), "mail mid:b@example.org")
}

func TestNothingMissedByTheSense(t *testing.T) {
	h := newHouse(t, mailtest.Options{})
	h.ticks()
	h.server.Refuse(mailtest.BadSignIn, -1)
	h.server.Drop()
	h.deliver("INBOX", h.message("a", other, "News", "It went well."))
	h.at = h.at.Add(5 * time.Minute)
	if _, err := h.collect(); err == nil || !strings.Contains(err.Error(), "password") {
		t.Errorf("a refused password: %v", err)
	}
	h.server.Mend()
	h.expect("mended", h.tick(), "mail mid:a@example.org")
}

// saying is a connection over which the server says other words than it means.
type saying struct {
	net.Conn
	words *strings.Replacer
}

func (c saying) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return copy(p, c.words.Replace(string(p[:n]))), err
}

// TestFolderThatCannotBeRead: of a folder whose name is none, or that the server
// refuses, it is said; the others are read, and found.
func TestFolderThatCannotBeRead(t *testing.T) {
	for _, name := range []string{"Bad&xx", "Locked"} {
		h := newHouse(t, mailtest.Options{}, watching(name, "INBOX"))
		h.box.Create("Bad~xx")
		h.through = func(conn net.Conn) net.Conn {
			return saying{conn, strings.NewReplacer("Bad~", "Bad&", "[NONEXISTENT]", "[UNAVAILABLE]")}
		}
		h.restart()
		h.knows(boss)
		h.ticks()
		h.deliver("INBOX", h.message("a", boss, "Figures", asking))
		h.expect(name, h.tick(), "+request mid:a@example.org")
		if o := h.stands["mid:a@example.org"]; o.Attrs["known"] != "1" || !strings.Contains(h.last.Degraded, name) {
			t.Errorf("%s: known %q, degraded %q", name, o.Attrs["known"], h.last.Degraded)
		}
		p := Probe(t.Context(), h.config, h.options(nil))
		if p.Problem != "" || strings.Count(p.Detail, " with ") != 2 || p.Missing == "" || strings.Contains(p.Missing, "; localhost") || !strings.Contains(p.Detail, "Sent with ") {
			t.Errorf("%s: probed %+v", name, p)
		}
	}
}

func TestFolderIsMissing(t *testing.T) {
	h := newHouse(t, mailtest.Options{}, watching("INBOX", "Projects"))
	h.knows(boss)
	h.deliver("INBOX", h.message("a", boss, "Figures", asking))
	h.expect("the first collect", h.ticks(), "+request mid:a@example.org")
	if !strings.Contains(h.last.Degraded, `"Projects"`) {
		t.Errorf("degraded: %q", h.last.Degraded)
	}
	h.box.Create("Projects")
	h.deliver("Projects", h.message("b", boss, "Figures", asking))
	h.expect("it is there now", h.ticks(), "+request mid:b@example.org")
	if h.last.Degraded != "" {
		t.Errorf("degraded: %q", h.last.Degraded)
	}
	h.box.Delete("Projects")
	h.expect("it is gone: what stood is taken to stand", h.tick())
}

// A mail can be read as soon as it was looked at: before it is known that this
// collect was committed.
func TestReadAtOnce(t *testing.T) {
	h := newHouse(t, mailtest.Options{})
	h.knows(boss)
	h.ticks()
	h.deliver("INBOX", h.message("a", boss, "Figures", asking))
	h.tick()
	if r, err := h.sense.Read(t.Context(), "mid:a@example.org"); err != nil || r.Subject != "Figures" {
		t.Errorf("%+v %v", r, err)
	}
}

func TestRead(t *testing.T) {
	h := newHouse(t, mailtest.Options{})
	h.knows(boss)
	if _, err := h.sense.Read(t.Context(), "mid:a@example.org"); err == nil {
		t.Error("read before the first collect")
	}
	h.deliver("Archive", h.message("elsewhere", boss, "Figures", asking))
	h.deliver("INBOX", h.message("a", "Carla <"+boss+">", "Figures", asking))
	second := h.message("b", boss, "Re: Figures", "Your password: hunter2-Tr0ub4dor\nSee you.")
	second.References = []string{"a@example.org"}
	h.deliver("INBOX", second)
	mine := h.writes("c", boss, "Re: Figures", "I'll send them tomorrow.")
	mine.References = []string{"a@example.org"}
	h.deliver("Sent", mine)
	h.ticks()
	r, err := h.sense.Read(t.Context(), "mid:a@example.org")
	if err != nil || r.Subject != "Figures" || r.From != "Carla <"+boss+">" || !strings.Contains(r.Text, "could you send") || r.Folder != "INBOX" {
		t.Fatalf("%+v %v", r, err)
	}
	if len(r.Thread) != 2 {
		t.Errorf("its thread: %+v", r.Thread)
	}
	for _, o := range h.stands {
		if r, err := h.sense.Read(t.Context(), string(subconscious.NewRef(Name, o.ID))); err != nil || !strings.HasPrefix(o.ID, r.ID) {
			t.Errorf("by the reference of %s: %+v %v", o.ID, r, err)
		}
	}
	r, err = h.sense.Read(t.Context(), string(refOf(hashOf("mid:b@example.org"))))
	if err != nil || strings.Contains(r.Text, "hunter2") || !strings.Contains(r.Text, "See you.") {
		t.Errorf("%+v %v", r, err)
	}
	for _, id := range []string{"mid:elsewhere@example.org", "mid:none", "mail:aaaaaaaaaa", ""} {
		if _, err := h.sense.Read(t.Context(), id); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v", id, err)
		}
	}
	for folder := range map[string]bool{"INBOX": true, "Sent": true} {
		for uid, flags := range h.box.Flags(folder) {
			if folder == "INBOX" && len(flags) > 0 {
				t.Errorf("%s %d: %v", folder, uid, flags)
			}
		}
	}
}

func TestReadWhileRenumbered(t *testing.T) {
	both(t, func(t *testing.T, options mailtest.Options) {
		h := newHouse(t, options, watching("INBOX", "Archive"))
		h.knows(boss)
		h.ticks()
		l := h.message("a", boss, "Figures", asking)
		at := h.at.Add(-time.Hour)
		h.deliverAt("INBOX", l, at)
		h.tick()
		h.box.Renumber("INBOX")
		uid := uidOf(t, h, "INBOX")
		h.box.SetFlags("INBOX", uid, imap.FlagSeen)
		h.expect("read, under another UID", h.tick(), "~request mid:a@example.org")
		h.deliverAt("Archive", l, at)
		h.expect("an unread copy", h.tick())
		h.box.Expunge("INBOX", uid)
		h.expect("the unread copy is left", h.tick(), "~request mid:a@example.org")
	})
}

// TestTakenBack: what its writer takes back in the same thread stands no longer, and its
// end says in which words; what they go on to say, what others say of it, and what
// nobody vouches for where somebody could, ends nothing.
func TestTakenBack(t *testing.T) {
	const passed, failed = "Authentication-Results: mx.example.com; dmarc=pass header.from=example.org", "Authentication-Results: mx.example.com; dmarc=fail header.from=example.org"
	back := "Never mind, got it sorted. Sorry!"
	for name, c := range map[string]struct {
		from, text    string
		vouched, says string
		ends          bool
	}{
		"taken back":                 {boss, back, "", "", true},
		"settled":                    {boss, "Hat sich erledigt.", "", "", true},
		"somebody else says so":      {other, back, "", "", false},
		"it is urgent":               {boss, "I need it today before 5, please.", "", "", false},
		"of little weight":           {boss, "Ich brauche es wirklich.", "", "", false},
		"found, and that is news":    {boss, "Found her, she is at the hospital, come.", "", "", false},
		"settled, but for the rest":  {boss, "I no longer need a lift but please bring the keys at once.", "", "", false},
		"mere thanks":                {boss, "Thanks!", "", "", false},
		"a further request":          {boss, "Could you also send the second one?", "", "", false},
		"at length, of other news":   {boss, "Never mind the weather. " + strings.Repeat("It went well, and we had cake. ", 9), "", "", false},
		"vouched for":                {boss, back, passed, passed, true},
		"forged":                     {boss, back, passed, failed, false},
		"nobody vouches any longer":  {boss, back, passed, "", false},
		"from nobody to one of whom": {boss, back, "", passed, true},
	} {
		h := newHouse(t, mailtest.Options{}, func(config *Config) {
			if c.vouched+c.says != "" {
				config.AuthservID = "mx.example.com"
			}
		})
		h.knows(boss)
		h.ticks()
		first := h.message("a", boss, "Figures", asking)
		first.Headers = []string{cmp.Or(c.vouched, "X-Mailer: a")}
		h.deliver("INBOX", first)
		h.tick()
		if name == "nobody vouches any longer" { // as the server that was learnt is forgotten
			h.sense.config.AuthservID = ""
		}
		again := h.message("b", c.from, "Re: Figures", c.text)
		again.InReplyTo, again.References, again.Headers = []string{"a@example.org"}, []string{"a@example.org"}, []string{cmp.Or(c.says, "X-Mailer: a")}
		h.deliver("INBOX", again)
		h.tick()
		if _, stands := h.stands["mid:a@example.org"]; stands == c.ends {
			t.Errorf("%s: it stands: %v", name, stands)
		}
	}
}

// TestCorrected: another time by the same writer takes the place of the first, in the
// thread or in a new one; what they want beside that, and what others say, stays apart.
func TestCorrected(t *testing.T) {
	const dinner = "Dinner at our place tonight at 7, please don't be late."
	for name, c := range map[string]struct {
		from, subject, text string
		answers, two        bool
		at                  string // "": it corrects nothing
	}{
		"a new thread":          {boss, "tonight", "make it 8, sorry", false, false, "20:00"},
		"with a clock":          {boss, "later", "Sorry, not 7 but 19:30.", false, false, "19:30"},
		"in German":             {boss, "Essen", "doch erst um 20 Uhr", false, false, "20:00"},
		"in French":             {boss, "ce soir", "plutôt 20h, désolé", false, false, "20:00"},
		"in Spanish":            {boss, "cena", "mejor a las 20:30", false, false, "20:30"},
		"in Italian":            {boss, "cena", "anzi facciamo alle 20", false, false, "20:00"},
		"in Portuguese":         {boss, "jantar", "afinal às 20h", false, false, "20:00"},
		"an answer":             {boss, "Re: Dinner", "Let's make it 8 instead.", true, false, "20:00"},
		"of two that are alike": {boss, "Dinner", "make it 8", false, true, "20:00"},
		"of two":                {boss, "tonight", "make it 8", false, true, ""},
		"somebody else":         {other, "tonight", "make it 8, sorry", false, false, ""},
		"the same time":         {boss, "tonight", "I meant 7, at ours!", false, false, ""},
		"no change":             {boss, "Cake", "The cake is ready at 8.", false, false, ""},
		"another request":       {boss, "Cake", "Could you fetch the cake tonight at 6 instead of me?", false, false, ""},
		"of another matter":     {boss, "Mama", "Mama kommt doch erst um 20 Uhr an", false, false, ""},
		"at length":             {boss, "tonight", "make it 8. " + strings.Repeat("It went well, and we had cake. ", 9), false, false, ""},
	} {
		h := newHouse(t, mailtest.Options{})
		h.knows(boss)
		h.ticks()
		h.deliver("INBOX", h.message("a", boss, "Dinner", dinner))
		if c.two {
			h.deliver("INBOX", h.message("c", boss, "Bus", "The bus goes at 17:30 tonight."))
		}
		h.tick()
		again := h.message("b", c.from, c.subject, c.text)
		if c.answers {
			again.InReplyTo, again.References = []string{"a@example.org"}, []string{"a@example.org"}
		}
		h.deliver("INBOX", again)
		h.tick()
		_, stands := h.stands["mid:a@example.org"]
		b := h.stands["mid:b@example.org"]
		at := ""
		if b.Attrs["corrects"] != "" {
			named, _ := time.Parse(time.RFC3339, b.Attrs["names_at"])
			at = named.In(now.Location()).Format("15:04")
		}
		if at != c.at || stands != (c.at == "") || at != "" && b.Attrs["thread"] != "mid:a@example.org" {
			t.Errorf("%s: it names %q, the first stands: %v: %v", name, at, stands, b.Attrs)
		}
	}
}

// TestCorrectedInTurn: what follows a correction is of the letter that it replaced, another
// time counts before what takes back, and what is spam or names no time near ends nothing.
func TestCorrectedInTurn(t *testing.T) {
	type letter struct{ subject, text, answers, header string }
	later := letter{"tonight", "make it 8, sorry", "", ""}
	for name, c := range map[string]struct {
		letters []letter
		want    string // of each that stands, and the time that it names
	}{
		"taken back":        {[]letter{later, {"Re: tonight", "Never mind, we are all ill.", "1", ""}}, "2 "},
		"corrected again":   {[]letter{later, {"Re: tonight", "or let's make it 9", "1", ""}}, "2 21:00"},
		"taken back, again": {[]letter{later, {"Re: Dinner", "Never mind, we are all ill.", "0", ""}}, "2 "},
		"both in one":       {[]letter{{"Re: Dinner", "Never mind that, make it 8.", "0", ""}}, "1 20:00"},
		"spam":              {[]letter{{"Re: Dinner", "Never mind, we are all ill.", "0", "X-Spam-Flag: YES"}}, "0 19:00"},
		"in another life":   {[]letter{{"Re: Dinner", "Let's make it 8 March 2099 at 19:00.", "0", ""}}, "0 19:00, 1 "},
	} {
		h := newHouse(t, mailtest.Options{})
		h.knows(boss)
		h.ticks()
		for n, l := range append([]letter{{"Dinner", "Dinner at our place tonight at 7, please don't be late.", "", ""}}, c.letters...) {
			m := h.message(fmt.Sprint(n), boss, l.subject, l.text)
			if m.Headers = []string{cmp.Or(l.header, "X-Mailer: a")}; l.answers != "" {
				m.InReplyTo, m.References = []string{l.answers + "@example.org"}, []string{l.answers + "@example.org"}
			}
			h.deliver("INBOX", m)
			h.tick()
		}
		var got []string
		for n := range len(c.letters) + 1 {
			if o, stands := h.stands[fmt.Sprintf("mid:%d@example.org", n)]; stands {
				at := ""
				if named, err := time.Parse(time.RFC3339, o.Attrs["names_at"]); err == nil {
					at = named.In(now.Location()).Format("15:04")
				}
				got = append(got, fmt.Sprint(n, " ", at))
			}
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: what stands is %q", name, got)
		}
	}
}

// TestLetterStandsUnread: what asks nothing stands until it is read or answered,
// its last time is over, or three days have passed; and not more of them, and of what
// strangers ask, than fit.
func TestLetterStandsUnread(t *testing.T) {
	both(t, func(t *testing.T, options mailtest.Options) {
		h := newHouse(t, options)
		h.knows(boss)
		h.deliver("INBOX", h.message("before", boss, "News", "It went well."))
		h.expect("what was there", h.ticks())
		uids := map[string]imap.UID{}
		for name, text := range map[string]string{"read": "It went well.", "answered": "It went well.", "gone": "It went well.", "old": "It went well.", "tonight": "The play begins at 19:00 tonight."} {
			uids[name] = h.deliver("INBOX", h.message(name, boss, "News", text))
		}
		for name, headers := range map[string]string{"bulk": "Precedence: bulk", "list": "List-Id: <a.example.org>", "junk": "X-Spam-Flag: YES"} {
			m := h.message(name, other, "News", "It went well.")
			m.Headers = []string{headers}
			h.deliver("INBOX", m)
		}
		h.tick()
		if len(h.stands) != 7 || h.stands["mid:junk@example.org"].ID != "" {
			t.Fatalf("%d stand: %v", len(h.stands), h.stands)
		}
		h.expect("nothing happened", h.tick())
		h.box.SetFlags("INBOX", uids["read"], imap.FlagSeen)
		h.box.Expunge("INBOX", uids["gone"])
		h.deliver("Sent", reply(h, "r1", "answered@example.org"))
		h.expect("read, thrown away and answered", h.tick(), "-mail mid:answered@example.org", "-mail mid:gone@example.org", "-mail mid:read@example.org")
		h.at = now.Add(12 * time.Hour)
		h.expect("its time is over", h.tick(), "-mail mid:tonight@example.org")
		h.at = now.Add(72 * time.Hour)
		h.expect("three days", h.tick(), "-mail mid:bulk@example.org", "-mail mid:list@example.org", "-mail mid:old@example.org")
		h.deliverAt("INBOX", h.message("friend", boss, "News", "It went well."), h.at.Add(-time.Hour))
		for n := range maxLetters + 9 {
			h.deliverAt("INBOX", h.message(fmt.Sprint("many", n), other, "News", "It went well."), h.at.Add(time.Duration(n-1000)*time.Second))
			h.deliverAt("INBOX", h.message(fmt.Sprint("ask", n), other, "News", "Could you send me the figures?"), h.at.Add(time.Duration(n-1000)*time.Second))
		}
		h.ticks()
		if len(h.stands) != 2*maxLetters || h.stands["mid:ask0@example.org"].ID != "" || h.stands["mid:many0@example.org"].ID != "" || h.stands["mid:friend@example.org"].ID == "" || h.last.Degraded != "" || !strings.Contains(h.last.Aside, "the newest 300") {
			t.Errorf("%d stand, degraded: %q, %q", len(h.stands), h.last.Degraded, h.last.Aside)
		}
	})
}
