package threads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// MailReader gives read_mail what it shows. Its methods may be called by any
// goroutine, and change nothing in the mailbox.
type MailReader interface {
	// Mail returns the message that stands behind a reference of the sense
	// mail, also where it is known only as a promise or a question in it, and
	// ErrNoMail where there is none.
	Mail(ctx context.Context, ref subconscious.Ref) (Mail, error)
	// SearchMail returns messages of the last days that have most of the words,
	// which are in lower case with spaces between them; the best first. Their
	// text may be left out, or be the beginning alone.
	SearchMail(ctx context.Context, words string, days int) ([]Mail, error)
}

// Mail is one mail message. All of it is the word of an outsider.
type Mail struct {
	Ref      subconscious.Ref
	From     string // "Name <address>"
	To       []string
	Subject  string
	Received time.Time
	Text     string
	// Cut: Text is not all of it.
	Cut         bool
	Attachments []string // their names
	// Thread are other messages of its thread without their text, the oldest
	// first.
	Thread []Mail
}

// ErrNoMail is returned by a MailReader that knows no such message.
var ErrNoMail = errors.New("there is no such mail: it is too old, was deleted or moved away, or lies where the mind does not look")

// errMailbox is what a model is told of any other trouble: what a server says is
// not for it.
var errMailbox = errors.New("the mailbox does not answer; do without it")

// DefaultMailDeadline is how long one call of read_mail may take, which may have
// to connect first.
const DefaultMailDeadline = 8 * time.Second

const (
	// mailRead is how much of a message can be read, in bytes.
	mailRead = 16 << 10
	// mailDaysUsual is how far back mail is searched where the model does not say.
	mailDaysUsual = 14
	// foundMails is how many messages a search shows, and foundText how
	// much of each; threadMails is how many others of a thread are named,
	// mailNames how many recipients and attachments, and mailLine how much of
	// each line of the head is shown.
	foundMails, foundText            = 8, 240
	threadMails, mailNames, mailLine = 8, 8, 400
)

// readMail reads or searches the person's mail.
func readMail(r *Registry) tool {
	type arguments struct {
		Ref      string `json:"ref" about:"as \"mail:abcdefghij\""`
		FromLine int    `json:"from_line" minimum:"1" about:"with ref: first line; default 1"`
		Search   string `json:"search" about:"1 to 8 words, in place of ref"`
		Days     int    `json:"days" minimum:"1" maximum:"30" about:"with search: how many days back; default 14"`
	}
	t := define(readMailTool, "Reads a mail by its reference, some 5 KB at once, or searches the mail of the last days. It stays unread.",
		func(ctx context.Context, snapshot subconscious.Snapshot, a arguments) (prompts.Result, error) {
			switch {
			case (a.Ref == "") == (a.Search == ""):
				return prompts.Result{}, errors.New("give either ref or search")
			case a.Ref != "" && a.Days != 0, a.Search != "" && a.FromLine != 0:
				return prompts.Result{}, errors.New("from_line goes with ref, and days with search")
			case a.Ref != "":
				return r.showMail(ctx, snapshot, a.Ref, max(a.FromLine, 1))
			}
			return r.searchMail(ctx, snapshot, a.Search, cmp.Or(a.Days, mailDaysUsual))
		})
	t.deadline = r.options.MailDeadline
	return t
}

// showMail is one message as a model is shown it.
func (r *Registry) showMail(ctx context.Context, snapshot subconscious.Snapshot, text string, from int) (prompts.Result, error) {
	citation, ok := subconscious.ParseCitation(text)
	if !ok || !isMail(citation.Ref) {
		return prompts.Result{}, fmt.Errorf("ref is %.40q, must be the reference of a mail, as \"mail:abcdefghij\"", text)
	}
	mail, err := r.options.Mail.Mail(ctx, citation.Ref)
	switch {
	case errors.Is(err, ErrNoMail):
		return prompts.Result{}, ErrNoMail
	case err != nil:
		return prompts.Result{}, errMailbox
	}
	voice := voiceOf(snapshot.World, citation.Ref, mail)
	read := prompts.Result{Quoted: []prompts.Excerpt{{Trust: subconscious.Outsider, Ref: citation.Ref, Voice: voice}}}
	if isOurs(mail) {
		return read, errOwn
	}
	body, more := r.mailText(mail)
	lines := strings.Split(body, "\n")
	if from > len(lines) {
		return read, fmt.Errorf("it has %d lines that can be read", len(lines))
	}
	said := fmt.Sprintf("a mail of %d lines", len(lines))
	if more {
		said = fmt.Sprintf("the first %d lines of a mail that is longer", len(lines))
	}
	head := r.mailHead(mail)
	if from > 1 {
		said, head = said+fmt.Sprintf(", from line %d", from), ""
	}
	result := prompts.Result{Said: []string{said}, More: "Ask again with from_line."}
	if o, stands := snapshot.World.Get(citation.Ref); stands {
		o.Text = ""
		result.Observations = []subconscious.Observation{o}
	}
	result.Excerpts = []prompts.Excerpt{{
		Name: mailName(mail, snapshot.At.Location()), Trust: subconscious.Outsider, Ref: citation.Ref, Voice: voice,
		Text: head + strings.Join(lines[from-1:], "\n"),
	}}
	for _, other := range mail.Thread[:min(len(mail.Thread), threadMails)] {
		if isMail(other.Ref) && other.Ref != citation.Ref && !isOurs(other) && from == 1 {
			result.Excerpts = append(result.Excerpts, prompts.Excerpt{
				Name: mailName(other, snapshot.At.Location()) + ", of the same thread", Trust: subconscious.Outsider, Ref: other.Ref,
				Voice: voiceOf(snapshot.World, other.Ref, other), Text: r.mailHead(other),
			})
		}
	}
	return result, nil
}

// searchMail is what a search found, without most of the text.
func (r *Registry) searchMail(ctx context.Context, snapshot subconscious.Snapshot, text string, days int) (prompts.Result, error) {
	excerpts, err := recall("search", text, foundMails, errMailbox,
		func(words string) ([]Mail, error) { return r.options.Mail.SearchMail(ctx, words, days) },
		func(mail Mail) (prompts.Excerpt, bool) {
			body, more := r.mailText(mail)
			if body = strings.Join(strings.Fields(body), " "); more || len(body) > foundText {
				body = subconscious.Head(body, foundText) + "…"
			}
			return prompts.Excerpt{
				Name: mailName(mail, snapshot.At.Location()), Trust: subconscious.Outsider, Ref: mail.Ref,
				Voice: voiceOf(snapshot.World, mail.Ref, mail), Text: strings.TrimSpace(r.mailHead(mail) + body),
			}, isMail(mail.Ref) && !isOurs(mail)
		})
	result := prompts.Result{More: "Ask for rarer words, or for fewer days.", Excerpts: excerpts, Said: []string{"Read one of them whole with ref."}}
	if len(excerpts) == 0 {
		result.Said = []string{fmt.Sprintf("No mail of the last %d days has any of these words.", days)}
	}
	return result, err
}

// isMail reports whether a reference is one of the sense mail.
func isMail(ref subconscious.Ref) bool {
	citation, ok := subconscious.ParseCitation(string(ref))
	return ok && citation.Ref == ref && ref.Sense() == "mail"
}

// isOurs reports whether the daemon sent it: what it told the person by mail.
func isOurs(mail Mail) bool {
	return strings.Contains(mail.Text[:min(len(mail.Text), markWithin)], subconscious.Mark)
}

// mailName says in our own words which message it is.
func mailName(mail Mail, zone *time.Location) string {
	if mail.Received.IsZero() {
		return "a mail"
	}
	return "a mail of " + mail.Received.In(zone).Format("2006-01-02 Mon 15:04")
}

// mailHead is the part of a header that matters, without its secrets.
func (r *Registry) mailHead(mail Mail) string {
	var head strings.Builder
	for _, field := range [...]struct{ name, value string }{
		{"From", mail.From}, {"To", named(mail.To)}, {"Subject", mail.Subject}, {"Attached", named(mail.Attachments)},
	} {
		if value := strings.Join(strings.Fields(subconscious.Printable(field.value)), " "); value != "" {
			value = r.options.Redact(value[:min(len(value), secretRead)])
			head.WriteString(field.name + ": " + subconscious.Head(value, mailLine) + "\n")
		}
	}
	return head.String()
}

// named are the first few of some names.
func named(names []string) string {
	text := strings.Join(names[:min(len(names), mailNames)], ", ")
	if len(names) > mailNames {
		text += fmt.Sprintf(" and %d more", len(names)-mailNames)
	}
	return text
}

// mailText is the text of a message without its secrets, and whether there is
// more of it.
func (r *Registry) mailText(mail Mail) (text string, more bool) {
	text, more = mail.Text, mail.Cut
	if limit := mailRead + secretRead; len(text) > limit {
		text, more = whole(r.options.Redact(subconscious.Head(text, limit)), true), true
	} else {
		text = r.options.Redact(text)
		if more { // half a secret may stand at its end, which is not known for one
			text = text[:strings.LastIndexAny(text, " \n")+1]
		}
	}
	if len(text) > mailRead {
		text, more = subconscious.Head(text, mailRead), true
	}
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), more
}
