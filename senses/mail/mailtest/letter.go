package mailtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"time"
)

// Letter is a message before it is put into its form.
type Letter struct {
	From    string   // "Ines Vidal <ines@example.com>"
	To, Cc  []string // as From
	Subject string
	Text    string // the plain text
	HTML    string // beside it, or alone
	Date    time.Time
	// MessageID is without its brackets; empty: made of the rest, so that the same
	// letter has the same.
	MessageID             string
	InReplyTo, References []string // without brackets
	// Headers are further ones, "Name: value", before those above.
	Headers []string
	// Invitation is a calendar part; Method goes into its Content-Type.
	Invitation, Method string
	// Attachments by name; each is empty but for its name.
	Attachments []string
}

// Compose is a letter as it is sent: MIME, lines that end in CRLF, bodies in
// quoted-printable. It panics where an address cannot be one.
func Compose(l Letter) []byte {
	var b bytes.Buffer
	head := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\r\n", name, value)
		}
	}
	for _, h := range l.Headers {
		b.WriteString(h + "\r\n")
	}
	head("From", addresses([]string{l.From}))
	head("To", addresses(l.To))
	head("Cc", addresses(l.Cc))
	head("Subject", mime.QEncoding.Encode("utf-8", l.Subject))
	if !l.Date.IsZero() {
		head("Date", l.Date.Format(time.RFC1123Z))
	}
	head("Message-ID", "<"+l.id()+">")
	head("In-Reply-To", identities(l.InReplyTo))
	head("References", identities(l.References))
	head("MIME-Version", "1.0")
	l.body(&b)
	return b.Bytes()
}

// id is the letter's Message-ID.
func (l Letter) id() string {
	if l.MessageID != "" {
		return l.MessageID
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %q %d", l.From, l.To, l.Cc, l.Subject, l.Text, l.HTML, l.Date.UnixNano()))
	_, host, ok := strings.Cut(bare(l.From), "@")
	if !ok {
		host = "example.com"
	}
	return hex.EncodeToString(sum[:10]) + "@" + host
}

// part is one part of a body.
type part struct{ kind, content, more string }

func (l Letter) body(b *bytes.Buffer) {
	var shown, rest []part
	if l.Text != "" || l.HTML == "" {
		shown = append(shown, part{kind: "text/plain; charset=utf-8", content: l.Text})
	}
	if l.HTML != "" {
		shown = append(shown, part{kind: "text/html; charset=utf-8", content: l.HTML})
	}
	if l.Invitation != "" {
		shown = append(shown, part{kind: "text/calendar; charset=utf-8; method=" + l.Method, content: l.Invitation})
	}
	for _, name := range l.Attachments {
		rest = append(rest, part{kind: "application/octet-stream",
			more: "Content-Disposition: " + mime.FormatMediaType("attachment", map[string]string{"filename": name}) + "\r\n"})
	}
	sum := sha256.Sum256([]byte(l.id()))
	boundary := "part-" + hex.EncodeToString(sum[:10])
	if len(rest) == 0 {
		alternatives(b, shown, boundary)
		return
	}
	mixed := boundary + "-mixed"
	fmt.Fprintf(b, "Content-Type: multipart/mixed; boundary=%q\r\n\r\n--%s\r\n", mixed, mixed)
	alternatives(b, shown, boundary)
	for _, p := range rest {
		fmt.Fprintf(b, "--%s\r\n", mixed)
		p.write(b)
	}
	fmt.Fprintf(b, "--%s--\r\n", mixed)
}

func alternatives(b *bytes.Buffer, parts []part, boundary string) {
	if len(parts) == 1 {
		parts[0].write(b)
		return
	}
	fmt.Fprintf(b, "Content-Type: multipart/alternative; boundary=%q\r\n\r\n", boundary)
	for _, p := range parts {
		fmt.Fprintf(b, "--%s\r\n", boundary)
		p.write(b)
	}
	fmt.Fprintf(b, "--%s--\r\n", boundary)
}

func (p part) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "Content-Type: %s\r\n%sContent-Transfer-Encoding: quoted-printable\r\n\r\n", p.kind, p.more)
	w := quotedprintable.NewWriter(b)
	_, _ = w.Write([]byte(p.content)) // into memory, which never fails
	_ = w.Close()
	b.WriteString("\r\n")
}

func bare(address string) string {
	a, err := mail.ParseAddress(address)
	if err != nil {
		panic(fmt.Sprintf("mailtest: %q is no address: %v", address, err))
	}
	return a.Address
}

func addresses(all []string) string {
	var out []string
	for _, one := range all {
		a, err := mail.ParseAddress(one)
		switch {
		case err != nil:
			panic(fmt.Sprintf("mailtest: %q is no address: %v", one, err))
		case a.Name == "":
			out = append(out, a.Address)
		default:
			out = append(out, a.String())
		}
	}
	return strings.Join(out, ",\r\n ")
}

func identities(ids []string) string {
	var out []string
	for _, id := range ids {
		out = append(out, "<"+id+">")
	}
	return strings.Join(out, "\r\n ")
}
