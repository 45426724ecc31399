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

// Message is a message before it is put into its form.
type Message struct {
	From    string   // "Ines Vidal <ines@example.com>"
	To, Cc  []string // as From
	Subject string
	Text    string // the plain text
	HTML    string // beside it, or alone
	Date    time.Time
	// MessageID is without its brackets; empty: made of the rest, so that the same
	// message has the same.
	MessageID             string
	InReplyTo, References []string // without brackets
	// Headers are further ones, "Name: value", before those above.
	Headers []string
	// Attachments by name; each is empty but for its name.
	Attachments []string
}

// Compose is a message as it is sent: MIME, lines that end in CRLF, bodies in
// quoted-printable. It panics where an address cannot be one.
func Compose(m Message) []byte {
	var b bytes.Buffer
	head := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\r\n", name, value)
		}
	}
	for _, h := range m.Headers {
		b.WriteString(h + "\r\n")
	}
	head("From", addresses([]string{m.From}))
	head("To", addresses(m.To))
	head("Cc", addresses(m.Cc))
	head("Subject", strings.ReplaceAll(mime.QEncoding.Encode("utf-8", m.Subject), "?= =?", "?=\r\n =?"))
	if !m.Date.IsZero() {
		head("Date", m.Date.Format(time.RFC1123Z))
	}
	head("Message-ID", "<"+m.id()+">")
	head("In-Reply-To", identities(m.InReplyTo))
	head("References", identities(m.References))
	head("MIME-Version", "1.0")
	m.body(&b)
	return b.Bytes()
}

// id is the message's Message-ID.
func (m Message) id() string {
	if m.MessageID != "" {
		return m.MessageID
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %q %d", m.From, m.To, m.Cc, m.Subject, m.Text, m.HTML, m.Date.UnixNano()))
	_, host, _ := strings.Cut(parsed(m.From).Address, "@")
	return hex.EncodeToString(sum[:10]) + "@" + host
}

// body is the texts, the one that says most last, and the attachments behind them.
func (m Message) body(b *bytes.Buffer) {
	var parts []part
	if m.Text != "" || m.HTML == "" {
		parts = append(parts, part{kind: "text/plain; charset=utf-8", content: m.Text})
	}
	if m.HTML != "" {
		parts = append(parts, part{kind: "text/html; charset=utf-8", content: m.HTML})
	}
	sum := sha256.Sum256([]byte(m.id()))
	boundary := "part-" + hex.EncodeToString(sum[:10])
	if len(m.Attachments) == 0 {
		multipart(b, "alternative", boundary, parts)
		return
	}
	var texts bytes.Buffer
	multipart(&texts, "alternative", boundary, parts)
	all := []part{{whole: texts.Bytes()}}
	for _, name := range m.Attachments {
		all = append(all, part{kind: "application/octet-stream",
			more: "Content-Disposition: " + mime.FormatMediaType("attachment", map[string]string{"filename": name}) + "\r\n"})
	}
	multipart(b, "mixed", boundary+"-mixed", all)
}

// part is one part of a body; whole is one that is in its form already.
type part struct {
	kind, content, more string
	whole               []byte
}

// multipart writes parts together; one stands alone.
func multipart(b *bytes.Buffer, kind, boundary string, parts []part) {
	if len(parts) == 1 {
		parts[0].write(b)
		return
	}
	fmt.Fprintf(b, "Content-Type: multipart/%s; boundary=%q\r\n\r\n", kind, boundary)
	for _, p := range parts {
		fmt.Fprintf(b, "--%s\r\n", boundary)
		p.write(b)
	}
	fmt.Fprintf(b, "--%s--\r\n", boundary)
}

func (p part) write(b *bytes.Buffer) {
	if p.whole != nil {
		b.Write(p.whole)
		return
	}
	fmt.Fprintf(b, "Content-Type: %s\r\n%sContent-Transfer-Encoding: quoted-printable\r\n\r\n", p.kind, p.more)
	w := quotedprintable.NewWriter(b)
	_, _ = w.Write([]byte(p.content)) // into memory, which never fails
	_ = w.Close()
	b.WriteString("\r\n")
}

// parsed is an address that must be one.
func parsed(address string) *mail.Address {
	a, err := mail.ParseAddress(address)
	if err != nil {
		panic(fmt.Sprintf("mailtest: %q is no address: %v", address, err))
	}
	return a
}

func addresses(all []string) string {
	var out []string
	for _, one := range all {
		a := parsed(one)
		out = append(out, a.String())
		if a.Name == "" {
			out[len(out)-1] = a.Address
		}
	}
	return strings.Join(out, ",\r\n ")
}

func identities(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return "<" + strings.Join(ids, ">\r\n <") + ">"
}
