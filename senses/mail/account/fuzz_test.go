package account_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
)

// FuzzServer has a server that says anything at all in answer to one command, or
// in place of its greeting, and the truth afterwards.
func FuzzServer(f *testing.F) {
	for i, text := range []string{
		"* OK ready\r\n", "* BYE no\r\n", "* CAPABILITY IMAP4rev2 X\r\n%s OK\r\n", "+ aGVsbG8=\r\n%s NO\r\n", "+ \r\n",
		"* LIST (\\Noselect) NIL \"a\"\r\n* LIST () \"/\" {3}\r\n&AO\r\n%s OK\r\n", "* 4 EXISTS\r\n* OK [CLOSED] x\r\n* OK [UIDNEXT 9]\r\n%s OK [READ-ONLY]\r\n",
		"* SEARCH 1 2 3 (MODSEQ 4)\r\n%s OK\r\n", "* ESEARCH (TAG \"%s\") UID ALL 1:3,7 COUNT 3\r\n%s OK\r\n",
		"* 1 FETCH (UID 1 FLAGS (\\Seen) INTERNALDATE NIL RFC822.SIZE 3 BODY[]<0> {3}\r\nabc MODSEQ (4))\r\n%s OK\r\n",
		"* 1 FETCH (UID 1 BODY[HEADER.FIELDS (\"From\")] \"a\")\r\n%s BAD\r\n", "* 1 FETCH (UID 2 BODYSTRUCTURE ((((\r\n", "* VANISHED 1:3\r\n",
	} {
		f.Add(uint8(i), text)
	}
	f.Fuzz(func(t *testing.T, place uint8, text string) {
		synctest.Test(t, func(t *testing.T) {
			s := &scripted{}
			n := int(place) % (len(verbs) + 1)
			if n == len(verbs) {
				s.greeting = text
			} else {
				s.answer = at(verbs[n], func(w io.Writer, tag string) {
					if _, err := io.WriteString(w, strings.ReplaceAll(text, "%s", tag)); err == nil && !strings.Contains(text, "%s") {
						_, _ = fmt.Fprintf(w, "\r\n%s OK\r\n", tag)
					}
				})
			}
			a := s.open(t, nil)
			err := a.Do(t.Context(), func(session *account.Session) error {
				if _, err := session.Examine(t.Context(), "INBOX"); err != nil {
					return err
				}
				if err := visit(t.Context(), session); err != nil {
					return err
				}
				return session.Messages(t.Context(), []imap.UID{1, 3}, 64, func(raw account.Raw) error {
					if len(raw.Body) > 64 || raw.UID != 1 && raw.UID != 3 || raw.Size < 0 {
						t.Errorf("a message that was not asked for: %+v", raw)
					}
					return nil
				})
			})
			if err != nil && (strings.Contains(err.Error(), password) || strings.ContainsAny(err.Error(), "\r\n\x00") || len(err.Error()) > 4096) {
				t.Errorf("not fit to be shown: %q", err)
			}
			for _, kind := range []error{nil, account.ErrBounds, account.ErrLost, account.ErrSilent, account.ErrSignIn, account.ErrBusy, account.ErrFolder} {
				if errors.Is(err, kind) {
					return
				}
			}
			if !strings.Contains(err.Error(), "the server said") {
				t.Errorf("of no kind: %v", err)
			}
		})
	})
}
