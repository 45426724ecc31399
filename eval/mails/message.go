// Package mails makes mail messages: of mails in the simple form that days
// are written in, and of templates, as the clutter that fills mailboxes.
//
// It stores nothing. The suites of package eval deliver what it makes.
package mails

import (
	"cmp"
	"errors"
	"fmt"
	"mime"
	"net/mail"
	"net/textproto"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Message is a mail as a person would write it down: who to whom, about what,
// and the text. From is "" where it says nothing, Date zero where it is when the
// mail is sent; InReplyTo and References name other mails.
type Message struct {
	mailtest.Message
	Status Status
	// Auth says what the last server found of its sender.
	Auth Auth
}

// Status is what the person has done with a mail.
type Status string

const (
	Unread   Status = "unread"
	Read     Status = "read"
	Answered Status = "answered"
)

// Auth is what the server that took a mail found of its sender's address.
type Auth string

const (
	Passed  Auth = "pass"
	Failed  Auth = "fail"
	Unknown Auth = "none" // no header says

	// Server is the name under which it says so.
	Server = "mx.example.net"
)

// Mistake is what is wrong with a mail.
type Mistake struct {
	Line int // from 1
	Text string
}

func (m Mistake) Error() string { return fmt.Sprintf("line %d: %s", m.Line, m.Text) }

func mistake(line int, format string, args ...any) error {
	return Mistake{line, fmt.Sprintf(format, args...)}
}

const (
	maxHeaders    = 60
	maxRecipients = 50
	maxValue      = 900 // a line of a header may have 998 characters
)

// made are headers that every message has and no mail gives.
var made = []string{"Message-Id", "Mime-Version", "Content-Transfer-Encoding"}

// Parse reads a mail: headers, a blank line, text. Times without a zone are
// in zone. Every error is a Mistake.
func Parse(text string, zone *time.Location) (Message, error) {
	var l Message
	seen := map[string]bool{}
	n, rest := 0, text
	for {
		line, after, more := strings.Cut(rest, "\n")
		n, rest = n+1, after
		if line = strings.TrimRight(line, "\r"); line == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key := textproto.CanonicalMIMEHeaderKey(name); {
		case n > maxHeaders:
			return l, mistake(n, "more than %d lines of header; a blank line parts the header from the text", maxHeaders)
		case !ok || !isHeaderName(name):
			return l, mistake(n, "%q is not a line NAME: VALUE; a blank line parts the header from the text", subconscious.Clip(line, 60))
		case len(value) > maxValue || !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
			return l, mistake(n, "%s is too long, or not plain text", key)
		case slices.Contains(made, key):
			return l, mistake(n, "%s is made for every mail; leave it out", key)
		case seen[key] && slices.Contains(once, key):
			return l, mistake(n, "%s is there already", key)
		default:
			seen[key] = true
			if err := l.header(key, name, value, zone); err != nil {
				return l, mistake(n, "%v", err)
			}
		}
		if !more {
			break
		}
	}
	if !seen["Subject"] {
		return l, mistake(1, "the mail has no Subject")
	}
	if l.Text = rest; l.HTML != "" {
		l.Text, l.HTML = "", rest
	}
	return l, nil
}

// once are the headers that stand once.
var once = []string{"From", "To", "Cc", "Subject", "Date", "In-Reply-To", "References", "Content-Type", "Status", "Auth"}

func (l *Message) header(key, name, value string, zone *time.Location) (err error) {
	switch key {
	case "From":
		l.From, err = sender(value)
	case "To":
		l.To, err = recipients(key, value)
	case "Cc":
		l.Cc, err = recipients(key, value)
	case "Subject":
		l.Subject = value
	case "Date":
		if l.Date, err = time.ParseInLocation("2006-01-02 15:04", value, zone); err != nil {
			return fmt.Errorf("the date is %q; write it as 2026-03-02 17:40", subconscious.Clip(value, 60))
		}
	case "In-Reply-To":
		l.InReplyTo = names(value)
	case "References":
		l.References = names(value)
	case "Content-Type":
		if value == "text/html" {
			l.HTML = value // which the text takes the place of
		} else if value != "text/plain" {
			return fmt.Errorf("the type of the text is %q; it is text/plain, as it is without, or text/html", subconscious.Clip(value, 60))
		}
	case "Attachment":
		if value == "" || strings.ContainsAny(value, `"/\`) {
			return errors.New("an attachment is the name of a file")
		}
		l.Attachments = append(l.Attachments, value)
	case "Status":
		if l.Status = Status(value); !slices.Contains([]Status{Unread, Read, Answered}, l.Status) {
			return fmt.Errorf("the status is %q; it is unread, read or answered", subconscious.Clip(value, 60))
		}
	case "Auth":
		if l.Auth = Auth(value); !slices.Contains([]Auth{Passed, Failed, Unknown}, l.Auth) {
			return fmt.Errorf("Auth is %q; it is pass, fail or none", subconscious.Clip(value, 60))
		}
	default:
		l.Headers = append(l.Headers, name+": "+strings.ReplaceAll(mime.QEncoding.Encode("utf-8", value), "?= =?", "?=\r\n =?"))
	}
	return err
}

// sender reads one address. A name may hold a comma without quotes, as people
// write "Brandt, accounts <accounts@example.org>".
func sender(value string) (string, error) {
	if one, err := mail.ParseAddress(value); err == nil {
		return one.String(), nil
	}
	name, bracketed, ok := strings.Cut(value, "<")
	plain, err := mail.ParseAddress("<" + bracketed)
	if name = strings.TrimSpace(name); !ok || err != nil || strings.ContainsAny(name, `"@<>`) {
		return "", fmt.Errorf("the sender is %q; write it as Anna Berg <anna@example.com>", subconscious.Clip(value, 60))
	}
	plain.Name = name
	return plain.String(), nil
}

func recipients(key, value string) (all []string, err error) {
	list, err := mail.ParseAddressList(value)
	if err != nil || len(list) > maxRecipients {
		return nil, fmt.Errorf("the list of %s is %q; write it as Anna Berg <anna@example.com>, bert@example.org", key, subconscious.Clip(value, 60))
	}
	for _, one := range list {
		all = append(all, one.String())
	}
	return all, nil
}

func names(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
}

// Names are the mails that it answers or refers to, the oldest first.
func (l Message) Names() []string {
	names := slices.Clone(l.References)
	for _, name := range l.InReplyTo {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Envelope is what a mail gets when it is sent.
type Envelope struct {
	// ID is the Message-ID without brackets; Refs are those of the mails that it
	// answers, the oldest first.
	ID   string
	Refs []string
	At   time.Time
	// From and To are those of a mail that does not say.
	From, To string
}

// Raw is the message as servers keep it.
func (l Message) Raw(e Envelope) []byte {
	m := l.Message
	m.From, m.Date, m.MessageID, m.References = cmp.Or(m.From, e.From), cmp.Or(m.Date, e.At), e.ID, e.Refs
	m.InReplyTo = e.Refs[max(0, len(e.Refs)-1):]
	if len(m.To) == 0 && e.To != "" {
		m.To = []string{e.To}
	}
	received := "Received: from mx.example.net (mx.example.net [192.0.2.25])\r\n\tby mail.example.net; " + e.At.Format(time.RFC1123Z)
	m.Headers = append([]string{received}, m.Headers...)
	if l.Auth == Passed || l.Auth == Failed {
		domain := strings.TrimRight(m.From[strings.LastIndexByte(m.From, '@')+1:], ">")
		m.Headers = append([]string{fmt.Sprintf("Authentication-Results: %s;\r\n\tspf=%s smtp.mailfrom=%s; dkim=%[2]s header.d=%[3]s;\r\n\tdmarc=%[2]s header.from=%[3]s", Server, l.Auth, domain)}, m.Headers...)
	}
	return mailtest.Compose(m)
}

// isHeaderName reports whether text can stand before the colon (RFC 5322, 3.6.8).
func isHeaderName(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
