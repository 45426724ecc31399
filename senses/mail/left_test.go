package mail_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// A folder that is cut from the list, as in a file that was saved by half, is known
// for 30 days: what lies in it is not told of, nor that it is gone, and once it is
// back nothing is told but what happened meanwhile.
func TestFolderLeaves(t *testing.T) {
	const day = 24 * time.Hour
	for _, test := range []struct {
		name      string
		meanwhile func(box *mailtest.Box, uid imap.UID, deliver func(id string))
		after     time.Duration
		told      []string // when it is back
	}{
		{"and comes back", nil, time.Hour, nil},
		{"for 29 days", nil, 29 * day, nil},
		{"and mail comes", func(_ *mailtest.Box, _ imap.UID, deliver func(string)) { deliver("c") }, day, []string{"appeared request c"}},
		{"and mail is deleted", func(box *mailtest.Box, uid imap.UID, _ func(string)) { box.Expunge(kept, uid) }, day, []string{"gone request b"}},
		{"and mail is answered", func(box *mailtest.Box, uid imap.UID, _ func(string)) { box.SetFlags(kept, uid, imap.FlagAnswered) }, day, []string{"gone request b"}},
		{"and is numbered anew", func(box *mailtest.Box, _ imap.UID, _ func(string)) { box.Renumber(kept) }, day, nil},
		{"and is missing then", func(box *mailtest.Box, _ imap.UID, _ func(string)) { box.Rename(kept, "Old") }, day, nil},
		{"for 30 days and is forgotten", nil, 30 * day, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := mailtest.New(mailtest.Options{Users: []mailtest.User{{Name: ines, Password: password}}})
			defer func() { _ = server.Close(t.Context()) }()
			box := server.User(ines)
			m := newMind(t, worldConfig(), began, func(context.Context) (net.Conn, error) { return server.Dial() })
			deliver := func(folder, id string) imap.UID {
				return box.Deliver(folder, mailtest.Compose(mailtest.Message{From: "Omar <omar@example.org>", To: []string{ines}, Subject: "The contract " + id,
					Date: m.at, MessageID: id + "@example.org", Text: "Hi Ines,\n\ncould you send me the signed contract by 30 April 2026?\n\nOmar\n"}), m.at)
			}
			look := func() (told []string) {
				t.Helper()
				m.at = m.at.Add(time.Minute)
				for _, o := range m.tick() {
					told = append(told, fmt.Sprintf("%s %s %s", o.Change, o.Kind, strings.TrimSuffix(strings.TrimPrefix(o.ID, "mid:"), "@example.org")))
				}
				slices.Sort(told)
				return told
			}
			list := func(folders ...string) {
				m.stop()
				m.config.Folders = folders
				m.start()
			}
			expect := func(what string, got, want []string) {
				t.Helper()
				if !slices.Equal(got, want) {
					t.Errorf("%s: told %q, want %q", what, got, want)
				}
			}
			// cursor is what is committed of the folder.
			cursor := func() string {
				var c struct{ Folders map[string]json.RawMessage }
				if err := json.Unmarshal(m.ledger.Cursor(m.sense.Name(), m.sense.ID()), &c); err != nil {
					t.Fatal(err)
				}
				return string(c.Folders[kept])
			}
			look()
			deliver(inbox, "a")
			uid := deliver(kept, "b")
			expect("at first", look(), []string{"appeared request a", "appeared request b"})
			before := cursor()

			list(inbox)
			for range 3 {
				expect("left", look(), nil)
				if n := m.ledger.View().Len(); n != 1 {
					t.Errorf("%d stand, want 1", n)
				}
				if now := cursor(); now != before || now == "" {
					t.Errorf("of the folder %s is kept, and was %s", now, before)
				}
				if batch, _, err := m.collect(); err != nil || batch.Aside != "what is known of 1 no longer under folders is kept until Apr 1" {
					t.Errorf("it says %q, %v", batch.Aside, err)
				}
				list(inbox) // or a restart
			}
			if _, err := m.sense.Read(t.Context(), "mid:b@example.org"); err == nil {
				t.Error("a letter in it can be read")
			}
			if test.meanwhile != nil {
				test.meanwhile(box, uid, func(id string) { deliver(kept, id) })
			}
			m.at = m.at.Add(test.after)
			expect("then", look(), nil)
			if forgotten := cursor() == ""; forgotten != (test.after == 30*day) {
				t.Errorf("the folder is forgotten: %t", forgotten)
			}
			list(inbox, kept)
			expect("back", look(), test.told)
			expect("and the next time", look(), nil)
		})
	}
}
