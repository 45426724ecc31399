package message

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

var update = flag.Bool("update", false, "write the goldens")

// TestGoldens reads each testdata/*.txtar: a message, and what is read of it.
func TestGoldens(t *testing.T) {
	testutil.Archives(t, *update, "testdata/*.txtar", 40, func(t *testing.T, _ string, archive *txtar.Archive) {
		if len(archive.Files) != 2 || archive.Files[0].Name != "message.eml" || archive.Files[1].Name != "want" {
			t.Fatal("wants the files message.eml and want")
		}
		m, err := Parse(crlf(archive.Files[0].Data))
		if err != nil {
			t.Fatal(err)
		}
		check(t, m)
		archive.Files[1].Data = []byte(describe(m))
	})
}

func goldens(t testing.TB) []string {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// crlf gives a message of a golden the line ends of the format.
func crlf(data []byte) []byte {
	return []byte(strings.ReplaceAll(string(data), "\n", "\r\n"))
}

// describe writes a message down; what is empty is left out, and the fresh text
// where it is the text.
func describe(m Message) string {
	var b strings.Builder
	show := func(name string, value any) {
		switch s := fmt.Sprint(value); s {
		case "", "[]", "false", "{ }":
		default:
			fmt.Fprintf(&b, "%s: %s\n", name, s)
		}
	}
	show("id", m.ID)
	show("made", m.Made)
	show("in reply to", m.InReplyTo)
	show("references", m.References)
	show("from", m.From)
	show("sender", m.Sender)
	show("reply to", m.ReplyTo)
	show("to", m.To)
	show("cc", m.Cc)
	show("subject", m.Subject)
	if !m.Date.IsZero() {
		show("date", m.Date.UTC().Format("2006-01-02 15:04:05"))
	}
	show("list", m.List)
	for _, f := range []struct {
		name string
		is   bool
	}{{"bulk", m.Bulk}, {"automated", m.Automated}, {"junk", m.Junk}, {"urgent", m.Urgent}} {
		show(f.name, f.is)
	}
	if len(m.Attachments) > 0 {
		fmt.Fprintf(&b, "attachments: %q\n", m.Attachments)
	}
	if m.Invitation != nil {
		show("invitation", m.Invitation.Method+" "+m.Invitation.UID)
	}
	show("cut", strings.Join(m.Cut, "; "))
	b.WriteString("--- text\n" + m.Text + "\n")
	if m.Fresh != m.Text {
		b.WriteString("--- fresh\n" + m.Fresh + "\n")
	}
	return b.String()
}
