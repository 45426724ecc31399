// Package mails makes mail messages: of mails in the simple form that days
// are written in, and of templates, as the clutter that fills mailboxes.
//
// It stores nothing. The suites of package eval deliver what it makes.
package mails

import (
	"errors"
	"fmt"
	"net/mail"
	"net/textproto"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Message is a mail as a person would write it down: who to whom, about what,
// and the text.
type Message struct {
	From    *mail.Address // nil where it says nothing
	To, Cc  []*mail.Address
	Subject string
	// Date is what the writer wrote; zero: when it is sent.
	Date time.Time
	// InReplyTo and References name other mails.
	InReplyTo  string
	References []string
	// HTML: the text is HTML.
	HTML bool
	// Attachments are the names of attached files, which are small.
	Attachments []string
	Status      Status
	// Further headers, as they are written.
	Further []Header
	Text    string
}

// Header is a line of the header.
type Header struct{ Name, Value string }

// Status is what the person has done with a mail.
type Status string

const (
	Unread   Status = "unread"
	Read     Status = "read"
	Answered Status = "answered"
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
	l.Text = rest
	return l, nil
}

// once are the headers that stand once.
var once = []string{"From", "To", "Cc", "Subject", "Date", "In-Reply-To", "References", "Content-Type", "Status"}

func (l *Message) header(key, name, value string, zone *time.Location) (err error) {
	switch key {
	case "From":
		if l.From, err = sender(value); err != nil {
			return fmt.Errorf("the sender is %q; write it as Anna Berg <anna@example.com>", subconscious.Clip(value, 60))
		}
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
		l.InReplyTo = value
	case "References":
		l.References = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
	case "Content-Type":
		if l.HTML = value == "text/html"; !l.HTML && value != "text/plain" {
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
	default:
		l.Further = append(l.Further, Header{name, value})
	}
	return err
}

// sender reads one address. A name may hold a comma without quotes, as people
// write "Brandt, accounts <accounts@example.org>".
func sender(value string) (*mail.Address, error) {
	one, err := mail.ParseAddress(value)
	if err == nil {
		return one, nil
	}
	name, bracketed, ok := strings.Cut(value, "<")
	plain, wrong := mail.ParseAddress("<" + bracketed)
	if name = strings.TrimSpace(name); !ok || wrong != nil || strings.ContainsAny(name, `"@<>`) {
		return nil, err
	}
	plain.Name = name
	return plain, nil
}

func recipients(key, value string) ([]*mail.Address, error) {
	list, err := mail.ParseAddressList(value)
	if err != nil || len(list) > maxRecipients {
		return nil, fmt.Errorf("the list of %s is %q; write it as Anna Berg <anna@example.com>, bert@example.org", key, subconscious.Clip(value, 60))
	}
	return list, nil
}

// Names are the mails that it answers or refers to, the oldest first.
func (l *Message) Names() []string {
	names := slices.Clone(l.References)
	if l.InReplyTo != "" && !slices.Contains(names, l.InReplyTo) {
		names = append(names, l.InReplyTo)
	}
	return names
}

// isHeaderName reports whether text can stand before the colon (RFC 5322, 3.6.8).
func isHeaderName(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
