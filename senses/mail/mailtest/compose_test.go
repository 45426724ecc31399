package mailtest_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset"
	"github.com/emersion/go-message/mail"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// TestCompose reads messages back with a library.
func TestCompose(t *testing.T) {
	l := mailtest.Message{From: "Omar Çelik <omar@example.org>", To: []string{ines, "Bo <bo@example.net>"}, Cc: []string{"cc@example.com"},
		Subject: "Grüße, and a subject that is so long that it has to be folded, because no line may be longer than that — ever", Date: morning,
		Text: "A line with “quotes”.\n" + strings.Repeat("long ", 400) + "\nFrom here on\n.\n", HTML: "<p>Ü</p>", InReplyTo: []string{"a@example.org"},
		References: []string{"b@example.org", "a@example.org"}, Headers: []string{"List-Id: <list.example.org>"},
		Attachments: []string{"Räume.pdf"}}
	raw := mailtest.Compose(l)
	for _, line := range strings.Split(strings.TrimSuffix(string(raw), "\r\n"), "\r\n") {
		if len(line) > 200 || strings.ContainsAny(line, "\r\n") {
			t.Errorf("line %q", line)
		}
	}
	r, err := mail.CreateReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	h := r.Header
	subject, err1 := h.Subject()
	from, err2 := h.AddressList("From")
	to, err3 := h.AddressList("To")
	at, err4 := h.Date()
	references, err5 := h.MsgIDList("References")
	for _, err := range []error{err1, err2, err3, err4, err5} {
		if err != nil {
			t.Error(err)
		}
	}
	if subject != l.Subject || from[0].Name != "Omar Çelik" || len(to) != 2 || !at.Equal(morning) || !slices.Equal(references, l.References) || h.Get("List-Id") == "" {
		t.Errorf("header %q %v %v %v %v", subject, from, to, at, references)
	}
	var parts []string
	for {
		p, err := r.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(p.Body)
		if err != nil {
			t.Error(err)
		}
		switch ph := p.Header.(type) {
		case *mail.InlineHeader:
			kind, _, _ := ph.ContentType()
			parts = append(parts, kind+" "+strings.ReplaceAll(strings.TrimRight(string(body), "\r\n"), "\r\n", "\n"))
		case *mail.AttachmentHeader:
			name, err := ph.Filename()
			parts = append(parts, fmt.Sprintf("%s %v", name, err))
		}
	}
	want := []string{"text/plain " + strings.TrimRight(l.Text, "\n"), "text/html <p>Ü</p>", "Räume.pdf <nil>"}
	if !slices.Equal(parts, want) {
		t.Errorf("parts %q", parts)
	}
}

// TestComposeID has the same message have the same identity, and another another.
func TestComposeID(t *testing.T) {
	id := func(l mailtest.Message) string {
		e, err := message.Read(bytes.NewReader(mailtest.Compose(l)))
		if err != nil {
			t.Fatal(err)
		}
		return e.Header.Get("Message-Id")
	}
	l := mailtest.Message{From: "omar@example.org", To: []string{ines}, Subject: "Lunch", Text: "At noon?", Date: morning}
	same, other := l, l
	other.Text = "At one?"
	if id(l) != id(same) || id(l) == id(other) || !strings.HasSuffix(id(l), "@example.org>") {
		t.Errorf("identities %s, %s, %s", id(l), id(same), id(other))
	}
	other.MessageID = "x@example.net"
	if id(other) != "<x@example.net>" {
		t.Errorf("identity %s", id(other))
	}
}
