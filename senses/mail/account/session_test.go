package account_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/redact/redacttest"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
)

func leaks(text string) []string {
	return redacttest.Leaks([]byte(text), []redacttest.Secret{{Kind: "password", Value: password}, {Kind: "token", Value: token}})
}

func TestReadsAFolder(t *testing.T) {
	server := serve(t, nil)
	box := server.User(ines)
	for i := range 40 {
		box.Deliver("INBOX", message(i), arrival(i))
	}
	box.SetFlags("INBOX", 3, imap.FlagSeen, imap.FlagAnswered, "$Junk", "custom")
	box.Expunge("INBOX", 5)
	a := open(t, options(server))
	do(t, a, func(s *account.Session) error {
		opened, err := s.Examine(t.Context(), "INBOX")
		if err != nil {
			return err
		}
		if opened.Messages != 39 || opened.UIDNext != 41 || opened.UIDValidity == 0 || opened.ModSeq == 0 {
			t.Errorf("opened: %+v", opened)
		}
		all, err := read(t.Context(), s)
		if err != nil {
			return err
		}
		for i := range 40 {
			raw, ok := all[imap.UID(i+1)]
			if ok != (i != 4) {
				t.Errorf("message %d: %v", i+1, ok)
			}
			if ok && (!bytes.Equal(raw.Body, message(i)) || raw.Size != int64(len(message(i))) || !raw.Received.Equal(arrival(i))) {
				t.Errorf("message %d: %d bytes of %d, received %s", i+1, len(raw.Body), raw.Size, raw.Received)
			}
		}
		if f := all[3].Flags; f != (account.Flags{Seen: true, Answered: true, Junk: true}) {
			t.Errorf("flags: %+v", f)
		}
		return nil
	})
}

func TestReadsNoMoreOfAMessageThanAsked(t *testing.T) {
	server := serve(t, nil)
	long := append(message(1), bytes.Repeat([]byte("and on it goes\r\n"), 10_000)...)
	server.User(ines).Deliver("INBOX", long, arrival(0))
	a := open(t, options(server))
	do(t, a, func(s *account.Session) error {
		if _, err := s.Examine(t.Context(), "INBOX"); err != nil {
			return err
		}
		var got []account.Raw
		err := s.Messages(t.Context(), []imap.UID{1, 1, 7, 0}, 1000, func(raw account.Raw) error {
			got = append(got, raw)
			return nil
		})
		if err != nil || len(got) != 1 || !bytes.Equal(got[0].Body, long[:1000]) || got[0].Size != int64(len(long)) {
			t.Errorf("%d messages, %v", len(got), err)
		}
		return s.Headers(t.Context(), []imap.UID{1}, func(raw account.Raw) error {
			if !bytes.Contains(raw.Body, []byte("Subject: Message 1\r\n")) || bytes.Contains(raw.Body, []byte("Some words")) ||
				bytes.Contains(raw.Body, []byte("MIME-Version")) {
				t.Errorf("headers: %q", raw.Body)
			}
			return nil
		})
	})
}

func TestAfterLeavesTheLastMessageOut(t *testing.T) {
	server := serve(t, nil)
	box := server.User(ines)
	for i := range 30 {
		box.Deliver("INBOX", message(i), arrival(i))
	}
	box.Expunge("INBOX", 30)
	a := open(t, options(server))
	do(t, a, func(s *account.Session) error {
		if _, err := s.Examine(t.Context(), "INBOX"); err != nil {
			return err
		}
		for _, c := range []struct {
			after imap.UID
			limit int
			want  []imap.UID
		}{{28, 10, []imap.UID{29}}, {29, 10, nil}, {30, 10, nil}, {4_000_000_000, 10, nil}, {1<<32 - 1, 10, nil}, {0, 3, []imap.UID{1, 2, 3}}, {26, 2, []imap.UID{27, 28}}} {
			if got, err := s.After(t.Context(), c.after, c.limit); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("after %d: %v, %v", c.after, got, err)
			}
		}
		return nil
	})
}

func TestSinceKeepsTheNewest(t *testing.T) {
	server := serve(t, nil)
	box := server.User(ines)
	for i := range 24 * 10 { // ten days
		box.Deliver("INBOX", message(i), arrival(i))
	}
	a := open(t, options(server))
	do(t, a, func(s *account.Session) error {
		if _, err := s.Examine(t.Context(), "INBOX"); err != nil {
			return err
		}
		uids, err := s.Since(t.Context(), arrival(24*8), 1000)
		if err != nil || len(uids) < 48 || len(uids) > 48+2*24 || uids[len(uids)-1] != 240 || !slices.IsSorted(uids) {
			t.Errorf("since: %v, %v", uids, err)
		}
		uids, err = s.Since(t.Context(), arrival(24*8), 5)
		if err != nil || !slices.Equal(uids, []imap.UID{236, 237, 238, 239, 240}) {
			t.Errorf("the newest five: %v, %v", uids, err)
		}
		uids, err = s.Since(t.Context(), arrival(24*30), 5)
		if err != nil || len(uids) != 0 {
			t.Errorf("since the future: %v, %v", uids, err)
		}
		return nil
	})
}

func TestALargeFolderIsSearchedInWindows(t *testing.T) {
	server := serve(t, nil)
	const n = 50_000
	raw := message(1)
	server.User(ines).DeliverMany("INBOX", n, func(i int) time.Time { return arrival(0).Add(time.Duration(i) * time.Minute) },
		func(int) []byte { return raw })
	a := open(t, options(server))
	do(t, a, func(s *account.Session) error {
		if _, err := s.Examine(t.Context(), "INBOX"); err != nil {
			return err
		}
		uids, err := s.Since(t.Context(), arrival(0), n)
		if err != nil || len(uids) != n || uids[0] != 1 || uids[n-1] != n {
			t.Errorf("since: %d, %v", len(uids), err)
		}
		uids, err = s.After(t.Context(), 100, n)
		if err != nil || len(uids) != n-100 || uids[0] != 101 {
			t.Errorf("after: %d, %v", len(uids), err)
		}
		uids, err = s.Since(t.Context(), arrival(0), 7)
		if err != nil || len(uids) != 7 || uids[0] != n-6 {
			t.Errorf("the newest: %v, %v", uids, err)
		}
		return nil
	})
}

func TestFlagsOfThoseThatAreThere(t *testing.T) {
	server := serve(t, nil)
	box := server.User(ines)
	for i := range 1200 {
		box.Deliver("INBOX", message(0), arrival(i))
	}
	box.Expunge("INBOX", 2, 700)
	box.SetFlags("INBOX", 9, imap.FlagDeleted, imap.FlagDraft)
	a := open(t, options(server))
	do(t, a, func(s *account.Session) error {
		if _, err := s.Examine(t.Context(), "INBOX"); err != nil {
			return err
		}
		var uids []imap.UID
		for uid := range imap.UID(1300) {
			uids = append(uids, uid)
		}
		flags, err := s.Flags(t.Context(), uids)
		if err != nil || len(flags) != 1198 || flags[9] != (account.Flags{Deleted: true, Draft: true}) {
			t.Errorf("%d, %+v, %v", len(flags), flags[9], err)
		}
		if _, ok := flags[700]; ok {
			t.Error("an expunged message has flags")
		}
		return nil
	})
}

func TestFolders(t *testing.T) {
	server := serve(t, nil)
	server.User(ines).Create("Rechnungen/März & Co")
	a := open(t, options(server))
	do(t, a, func(s *account.Session) error {
		folders, err := s.Folders(t.Context())
		if err != nil {
			return err
		}
		use := map[string][]imap.MailboxAttr{}
		for _, f := range folders {
			use[f.Name] = f.Attrs
		}
		if !slices.Contains(use["Sent"], imap.MailboxAttrSent) || use["Rechnungen/März & Co"] == nil && len(folders) < 7 {
			t.Errorf("folders: %+v", folders)
		}
		if _, err := s.Examine(t.Context(), "Rechnungen/März & Co"); err != nil {
			t.Error(err)
		}
		_, err = s.Examine(t.Context(), "Nowhere")
		says(t, err, account.ErrFolder, "Nowhere", "Sent", "INBOX")
		if _, err := s.After(t.Context(), 0, 1); err == nil {
			t.Error("a search without a folder succeeded")
		}
		_, err = s.Examine(t.Context(), "INBOX")
		return err
	})
}

func TestASessionEndsWithDo(t *testing.T) {
	server := serve(t, nil)
	a := open(t, options(server))
	var kept *account.Session
	do(t, a, func(s *account.Session) error { kept = s; return nil })
	if _, err := kept.Folders(t.Context()); err == nil {
		t.Error("a session was of use when its Do had ended")
	}
	if _, err := kept.Examine(t.Context(), "INBOX"); err == nil {
		t.Error("a session was of use when its Do had ended")
	}
}

func TestAnErrorOfYieldIsItsOwn(t *testing.T) {
	server := serve(t, nil)
	for i := range 3 {
		server.User(ines).Deliver("INBOX", message(i), arrival(i))
	}
	a := open(t, options(server))
	enough := errors.New("enough")
	do(t, a, func(s *account.Session) error {
		if _, err := s.Examine(t.Context(), "INBOX"); err != nil {
			return err
		}
		n := 0
		err := s.Messages(t.Context(), []imap.UID{1, 2, 3}, 100, func(account.Raw) error { n++; return enough })
		if err != enough || n != 1 {
			t.Errorf("%d, %v", n, err)
		}
		all, err := read(context.Background(), s)
		if len(all) != 3 {
			t.Errorf("%d messages afterwards", len(all))
		}
		return err
	})
}
