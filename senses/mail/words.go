package mail

import (
	"cmp"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/links"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail/message"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// maxRead is how much of a text is looked at for links and secrets.
	maxRead = 16 << 10
	// maxSender is how much of a title a name may take.
	maxSender = 60
)

// redacted takes secrets out of subject and text, together: that a number is a
// code that opens something is said by the one, and the other has it. The links
// are those of what is left.
func redacted(subject, text string) (title, kept string, found []string) {
	whole := redact.Text(oneLine(subject) + "\n" + subconscious.Head(text, maxRead))
	for _, link := range links.Of(whole) {
		if !strings.Contains(link, "[redacted") && len(link) <= senses.MaxLinkBytes {
			found = append(found, link)
		}
	}
	title, kept, _ = strings.Cut(whole, "\n")
	return title, subconscious.Head(strings.TrimSpace(kept), senses.MaxTextBytes), found
}

// titled is the title of a message: who wrote it, and what about.
func titled(sender, subject string) string {
	if subject = strings.TrimSpace(subject); subject == "" {
		subject = "(no subject)"
	}
	return subconscious.Head(sender+": "+subject, senses.MaxTitleBytes)
}

// senderOf is what people call a sender.
func senderOf(a message.Address) string {
	return subconscious.Head(redact.Text(cmp.Or(oneLine(a.Name), oneLine(a.Addr), "an unnamed sender")), maxSender)
}

// oneLine makes a text one line without control characters.
func oneLine(text string) string {
	return strings.Join(strings.Fields(subconscious.Printable(subconscious.Head(text, 4*senses.MaxTitleBytes))), " ")
}

// bounded makes a text the value of an attribute.
func bounded(text string) string { return subconscious.Head(oneLine(text), senses.MaxAttrBytes) }
