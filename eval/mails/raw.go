package mails

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"time"
)

// Envelope is what a mail gets when it is sent.
type Envelope struct {
	// ID is the Message-ID without brackets; Refs are those of the mails that it
	// answers, the oldest first.
	ID   string
	Refs []string
	At   time.Time
	// From and To are those of a mail that does not say.
	From, To *mail.Address
}

// Raw is the message as servers keep it: with CRLF, its text quoted-printable.
// It ends every line within 998 characters.
func (l *Message) Raw(e Envelope) []byte {
	var b bytes.Buffer
	from, to, date := l.From, l.To, l.Date
	if from == nil {
		from = e.From
	}
	if len(to) == 0 && e.To != nil {
		to = []*mail.Address{e.To}
	}
	if date.IsZero() {
		date = e.At
	}
	line := func(name, value string) { fmt.Fprintf(&b, "%s: %s\r\n", name, value) }
	line("Return-Path", "<"+from.Address+">")
	line("Received", fmt.Sprintf("from mx.example.net (mx.example.net [192.0.2.25])\r\n\tby mail.example.net; %s", e.At.Format(time.RFC1123Z)))
	line("From", from.String())
	if len(to) > 0 {
		line("To", addressList(to))
	}
	if len(l.Cc) > 0 {
		line("Cc", addressList(l.Cc))
	}
	line("Subject", folded(l.Subject))
	line("Date", date.Format(time.RFC1123Z))
	line("Message-ID", "<"+e.ID+">")
	if n := len(e.Refs); n > 0 {
		line("In-Reply-To", "<"+e.Refs[n-1]+">")
		line("References", "<"+strings.Join(e.Refs, ">\r\n <")+">")
	}
	for _, h := range l.Further {
		line(h.Name, folded(h.Value))
	}
	line("MIME-Version", "1.0")
	l.body(&b, e.ID)
	return b.Bytes()
}

func (l *Message) body(b *bytes.Buffer, id string) {
	kind := "text/plain"
	if l.HTML {
		kind = "text/html"
	}
	if len(l.Attachments) == 0 {
		part(b, kind, l.Text)
		return
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	mark := fmt.Sprintf("=_%016x", h.Sum64())
	fmt.Fprintf(b, "Content-Type: multipart/mixed; boundary=\"%s\"\r\n\r\n--%s\r\n", mark, mark)
	part(b, kind, l.Text)
	for _, name := range l.Attachments {
		fmt.Fprintf(b, "\r\n--%s\r\nContent-Type: application/octet-stream\r\nContent-Disposition: %s\r\nContent-Transfer-Encoding: base64\r\n\r\n%s\r\n", mark,
			mime.FormatMediaType("attachment", map[string]string{"filename": name}), base64.StdEncoding.EncodeToString([]byte(name)))
	}
	fmt.Fprintf(b, "\r\n--%s--\r\n", mark)
}

// part writes the text with the headers that say what it is.
func part(b *bytes.Buffer, kind, text string) {
	fmt.Fprintf(b, "Content-Type: %s; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n", kind)
	w := quotedprintable.NewWriter(b)
	_, _ = w.Write([]byte(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n"))) // a buffer takes all
	_ = w.Close()
}

// folded is a value of a header: encoded where it is not ASCII, in lines of 76
// characters.
func folded(value string) string {
	return strings.ReplaceAll(mime.QEncoding.Encode("utf-8", value), "?= =?", "?=\r\n =?")
}

func addressList(list []*mail.Address) string {
	texts := make([]string, len(list))
	for i, a := range list {
		texts[i] = a.String()
	}
	return strings.Join(texts, ",\r\n ")
}
