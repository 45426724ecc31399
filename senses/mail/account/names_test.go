package account_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
)

// TestFoldersWithBadNames: a name that is none does not keep the others from
// being listed and opened.
func TestFoldersWithBadNames(t *testing.T) {
	s := &scripted{answer: func(w io.Writer, tag, command string) bool {
		switch verb, name, _ := strings.Cut(command, " "); {
		case verb == "LIST":
			for _, name := range []string{`INBOX`, `"Entw&APw-rfe"`, `"R&-D"`, `"&2D3eAA-"`, `"Bad&xx"`, `"Worse&2D0-"`, `Odd&AA-`, "\"B\xfcro\"", "{6}\r\nA\xe9\x01\x7f&b", `"Sent"`} {
				_, _ = io.WriteString(w, `* LIST () "/" `+name+"\r\n")
			}
			_, _ = io.WriteString(w, tag+" OK done\r\n")
		case verb == "EXAMINE" && strings.Contains(name, "Bad"):
			_, _ = io.WriteString(w, tag+" NO no such mailbox\r\n")
		case verb == "EXAMINE" && strings.Contains(name, "Locked"):
			_, _ = io.WriteString(w, tag+" NO [INUSE] somebody else has it open\r\n")
		default:
			return false
		}
		return true
	}}
	do(t, s.open(t, nil), func(session *account.Session) error {
		folders, err := session.Folders(t.Context())
		var names []string
		for _, f := range folders {
			names = append(names, f.Name)
		}
		if want := []string{"INBOX", "Entwürfe", "R&D", "😀", "Bad&xx", "Worse&2D0-", "Odd&AA-", "B&ro", "A&&&&b", "Sent"}; !slices.Equal(names, want) {
			t.Errorf("folders %q, want %q", names, want)
		}
		if _, err := session.Examine(t.Context(), "Bad&xx"); err == nil || !strings.Contains(err.Error(), "rename it") {
			t.Errorf("a folder whose name is none: %v", err)
		}
		if _, err := session.Examine(t.Context(), "Locked"); err == nil || errors.Is(err, account.ErrBusy) {
			t.Errorf("a folder that is refused: %v", err)
		}
		for _, name := range []string{"a\x00b", "a\r\nb", "\xff", "INBOX"} {
			if _, err := session.Examine(t.Context(), name); err != nil {
				t.Errorf("%.10q cannot be asked for: %v", name, err)
			}
		}
		return err
	})
}
