package message

import (
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// readBody finds the texts, the attachments and the invitation among the parts.
func (m *Message) readBody(root *part, notes *cuts) {
	b := &body{notes: notes}
	own := b.text(root)
	var forwarded strings.Builder
	for i := 0; i < len(b.enclosed); i++ {
		// What is enclosed can enclose again, and is behind the rest then.
		if p := b.enclosed[i]; len(p.children) > 0 {
			forwarded.WriteString(b.forwarded(p))
		}
	}
	own = tidy(clean(own))
	text := own
	if forwarded.Len() > 0 {
		text = tidy(own + "\n\n" + clean(forwarded.String()))
	}
	if len(text) > maxText {
		notes.note("the text beyond its first 64 KiB")
		text = strings.TrimRight(subconscious.Head(text, maxText), " \t\n")
	}
	m.Text = text
	unquoted := withoutQuotes(strings.Split(text, "\n"))
	m.Fresh = written(unquoted)
	m.Bulk = m.Bulk || tellsHowToLeave(unquoted)
	m.Attachments, m.Invitation = b.files, b.invitation
}

// body gathers what the parts hold.
type body struct {
	notes      *cuts
	enclosed   []*part // messages within the message
	files      []string
	invitation *Invitation
}

// text returns the readable text of a part, and takes note of what else it holds.
func (b *body) text(p *part) string {
	switch {
	case p.kind == "multipart/alternative":
		return b.alternative(p)
	case p.kind == "multipart/related":
		return b.related(p)
	case p.is("multipart"):
		var texts []string
		for _, child := range p.children {
			if t := b.text(child); strings.TrimSpace(t) != "" {
				texts = append(texts, t)
			}
		}
		return strings.Join(texts, "\n\n")
	case p.kind == "message/rfc822" || p.kind == "message/global":
		b.enclosed = append(b.enclosed, p)
		if p.file != "" {
			b.attach(p.file)
		}
		return ""
	case p.kind == "text/calendar" || p.kind == "application/ics":
		b.calendar(p)
		if p.file != "" {
			b.attach(p.file)
		}
		return ""
	case p.attached():
		b.attach(p.file)
		return ""
	case p.readable():
		return b.leaf(p)
	}
	return ""
}

// readable tells which kinds are texts to be read.
func (p *part) readable() bool {
	switch p.kind {
	case "text/plain", "text/html", "text/enriched", "text/richtext", "text/markdown", "text/x-markdown":
		return true
	}
	return false
}

// attached tells whether a leaf is a file and no text to be read.
func (p *part) attached() bool {
	switch {
	case p.disposition == "attachment":
		return true
	case p.readable():
		return p.file != "" && p.disposition != "inline"
	case p.kind == "application/pgp-signature", p.kind == "application/pkcs7-signature", p.kind == "application/x-pkcs7-signature",
		p.kind == "application/pgp-encrypted", p.kind == "message/delivery-status", p.kind == "message/disposition-notification",
		p.kind == "text/rfc822-headers", p.kind == "text/x-amp-html":
		return false
	case p.is("image") && (p.header.has("content-id") || p.file == ""):
		return false // shown within the text
	}
	return true
}

func (b *body) attach(name string) {
	if len(b.files) == maxFiles {
		b.notes.note("names of attachments beyond the first %d", maxFiles)
		return
	}
	b.files = append(b.files, name)
}

// leaf decodes a text.
func (b *body) leaf(p *part) string {
	content, charset := p.decoded(), p.charset
	if p.kind == "text/html" && charset == "" {
		charset = metaCharset(content)
	}
	text := toUTF8(content, charset)
	if p.kind == "text/html" || p.kind == "text/plain" && looksHTML(text) {
		return htmlText(text, b.notes)
	}
	text = b.withoutFiles(clean(text))
	if p.flowed {
		text = unflow(text, p.delSp)
	}
	return withoutArmour(text)
}

// metaCharset returns the charset that HTML says of itself, "" where it says none.
func metaCharset(content string) string {
	const most = 2 << 10
	head := strings.ToLower(content[:min(len(content), most)])
	_, behind, found := strings.Cut(head, "charset=")
	if !found || !strings.Contains(head, "<meta") {
		return ""
	}
	behind = strings.TrimLeft(behind, "\"' ")
	if end := strings.IndexAny(behind, "\"' />;"); end >= 0 {
		behind = behind[:end]
	}
	return behind
}

// looksHTML finds HTML that is labelled as plain text.
func looksHTML(text string) bool {
	start := strings.ToLower(strings.TrimSpace(text[:min(len(text), 300)]))
	return strings.HasPrefix(start, "<html") || strings.HasPrefix(start, "<!doctype html")
}

// alternative takes the plain text, unless it is empty or only says that there is
// another.
func (b *body) alternative(p *part) string {
	var plain, rich string
	for _, child := range p.children {
		switch text := b.text(child); {
		case strings.TrimSpace(text) == "":
		case plain == "" && child.readsPlain():
			plain = text
		case rich == "" && !child.readsPlain():
			rich = text
		}
	}
	if plain == "" || rich != "" && pointsElsewhere(plain, rich) {
		return rich
	}
	return plain
}

// readsPlain tells whether the first text within p is plain.
func (p *part) readsPlain() bool {
	for p.is("multipart") && len(p.children) > 0 {
		p = p.children[0]
	}
	return p.kind == "text/plain"
}

// related takes the first part for the text and the others for what it shows,
// but for further plain text: some programs put a whole message in there.
func (b *body) related(p *part) string {
	var texts []string
	for i, child := range p.children {
		text := b.text(child)
		if strings.TrimSpace(text) != "" && (i == 0 || len(texts) == 0 || child.kind == "text/plain" || child.is("multipart")) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// forwarded is the text of an enclosed message behind a line that says what it is.
func (b *body) forwarded(p *part) string {
	inner := p.children[0]
	var out strings.Builder
	out.WriteString("\n\n" + forwardLine + "\n")
	for _, f := range []struct{ label, name string }{{"From", "from"}, {"Date", "date"}, {"Subject", "subject"}, {"To", "to"}} {
		if value := line(decodeWords(inner.header.get(f.name)), maxSubject); value != "" {
			out.WriteString(f.label + ": " + value + "\n")
		}
	}
	// Its files and invitations are those of the message.
	out.WriteString("\n" + b.text(inner))
	return out.String()
}

// forwardLine stands above a message that another encloses.
const forwardLine = "---------- Forwarded message ---------"

// pointsElsewhere tells of a plain text that only says to look at the other one.
func pointsElsewhere(plain, rich string) bool {
	const most = 600
	if len(plain) > most || len(rich) <= len(plain) {
		return false
	}
	words := strings.ToLower(plain)
	if hasOne(words, phrases("elsewhere")...) {
		return true
	}
	// A text of links alone, or of a word or two before a long one.
	letters := 0
	for _, word := range strings.Fields(words) {
		if !strings.Contains(word, "://") {
			letters += len(word)
		}
	}
	return letters < 20 && len(rich) > 10*letters
}

// calendar reads the method and the first UID of a calendar part. The first part
// that has a UID counts.
func (b *body) calendar(p *part) {
	if b.invitation != nil {
		return
	}
	found := Invitation{Method: p.method}
	// A line that begins with a space goes on with the one before it.
	text := strings.NewReplacer("\n ", "", "\n\t", "").Replace(strings.ReplaceAll(toUTF8(p.decoded(), p.charset), "\r\n", "\n"))
	event := false
	for text != "" && found.UID == "" {
		var l string
		l, text = cutLine(text)
		key, value, _ := strings.Cut(l, ":")
		key, _, _ = strings.Cut(key, ";")
		switch strings.ToUpper(key) {
		case "METHOD":
			found.Method = strings.ToLower(value)
		case "BEGIN":
			event = event || strings.EqualFold(strings.TrimSpace(value), "VEVENT")
		case "UID":
			if event {
				found.UID = line(value, maxIdentity)
			}
		}
	}
	if found.UID == "" {
		return
	}
	found.Method = line(found.Method, 20)
	b.invitation = &found
}
