package reflex

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// answering finds what mail programs put before the subject of an answer, in
// several languages, and bracketed tags without a number: "[EXTERN]".
var answering = lazy.Regexp(`(?i)^(?:\s*(?:re|aw|antw|sv|vs|fwd?|wg|tr|rv|enc|odp)(?:\[\d{1,3}\])?\s*:|\s*\[[^\]0-9]{1,40}\])+\s*`)

// nameBytes bounds the name of a person in a summary, and domainBytes that of
// where they write from.
const nameBytes, domainBytes = 48, 32

// known is how often the person wrote to the sender within the last year.
func known(o subconscious.Observation) int { return count(o, "known") }

func on(o subconscious.Observation, attr string) bool { return o.Attrs[attr] == "true" }

// subject is what a mail is about, as its writer has it: the title without the
// name of the writer, or of whom the person wrote to, and without "Re:".
func subject(o subconscious.Observation) string {
	text := o.Title
	if _, words, ok := ownTitle(o); ok {
		text = words
	} else if rest, ok := strings.CutPrefix(text, o.Attrs["from_name"]+": "); ok {
		text = rest
	} else if name, rest, ok := strings.Cut(text, ": "); ok && name != "" &&
		(strings.HasPrefix(o.Attrs["from_name"], name) || strings.HasPrefix(o.Attrs["from"], name)) {
		text = rest
	}
	text = answering().ReplaceAllString(text, "")
	return cmp.Or(strings.TrimSpace(text), "(no subject)")
}

// ownTitle splits the title of what the person wrote: "You asked NAME: WORDS".
func ownTitle(o subconscious.Observation) (name, words string, ok bool) {
	if !threads.OwnMail(o) {
		return "", "", false
	}
	for _, before := range []string{"You promised ", "You asked "} {
		if rest, is := strings.CutPrefix(o.Title, before); is {
			name, words, ok = strings.Cut(rest, ": ")
			return name, words, ok
		}
	}
	return "", "", false
}

// sender is who wrote a mail. Anybody may call themselves what they like: of
// somebody whom the person never wrote to the domain is named as well.
func sender(o subconscious.Observation) *callee {
	address := plain(o.Attrs["from"], "somebody")
	who := &callee{part: bounded(prose(cmp.Or(plain(o.Attrs["from_name"], ""), address)))}
	if _, domain, ok := strings.Cut(address, "@"); ok && known(o) == 0 && who.part.String() != address {
		who.after = " (" + name(domain).limit(domainBytes) + ")"
	}
	return who
}

// recipient is whom the person wrote to.
func recipient(o subconscious.Observation) string {
	if name, _, ok := ownTitle(o); ok {
		return name
	}
	first, _, _ := strings.Cut(o.Attrs["to"], ",")
	return strings.TrimSpace(first)
}

// reader is the recipient as a part of a summary.
func reader(o subconscious.Observation) *part {
	return bounded(prose(cmp.Or(recipient(o), "somebody")))
}

// bounded shortens a name that goes on and on.
func bounded(p *part) *part {
	p.limit(nameBytes)
	return p
}

// mailed is what a mail is called in a summary.
func mailed(o subconscious.Observation) *callee {
	switch {
	case o.Kind == "promise":
		return &callee{before: `your promise to ` + reader(o).String() + ` "`, part: prose(subject(o)), after: `"`}
	case threads.OwnMail(o):
		return &callee{before: `your question to ` + reader(o).String() + ` "`, part: prose(subject(o)), after: `"`}
	}
	return &callee{before: `the mail "`, part: prose(subject(o)), after: `" from ` + sender(o).String()}
}

// task says what a mail would have the person do.
func task(o subconscious.Observation) string {
	if threads.OwnMail(o) {
		return "promised to " + reader(o).String() + ": " + subject(o)
	}
	return sender(o).String() + " asks: " + subject(o)
}

var (
	// numbers are the links that name one incident.
	numbers = []string{"invoice:", "order:", "ticket:"}
	amount  = lazy.Regexp(`(?i)(?:[€$£]|\b(?:eur|usd|chf|gbp|euros?)\b)\s{0,2}\d|\d\s{0,2}(?:[€$£]|(?:eur|usd|chf|gbp|euros?)\b)`)
)

// numbered reports whether a mail names an invoice, an order or an amount of
// money.
func numbered(o subconscious.Observation) bool {
	return slices.ContainsFunc(o.Links, func(link string) bool { return hasScheme(link, numbers) }) || amount().MatchString(o.Title+"\n"+o.Text)
}

const (
	// numberedMost is how many incidents a mail can name that is of one of them,
	// and numberDigits how many digits a number has that is not hit by chance.
	numberedMost, numberDigits = 3, 4
)

// backed reports whether something of the person's own, a note, a word to the
// mind, an event, a promise, names the same incident as a mail. One that names many
// numbers, or a short one, may name one of the person's by chance.
func (s *scene) backed(o subconscious.Observation) bool {
	named := slices.DeleteFunc(slices.Clone(o.Links), func(link string) bool { return !hasScheme(link, numbers) })
	if len(named) > numberedMost {
		return false
	}
	return slices.ContainsFunc(named, func(link string) bool {
		observations, _ := s.world.Sharing(link, sharingSeen)
		return digitsIn(link) >= numberDigits && slices.ContainsFunc(observations, s.own)
	})
}

func digitsIn(text string) (n int) {
	for _, r := range text {
		if r >= '0' && r <= '9' {
			n++
		}
	}
	return n
}

// own reports whether an observation is the person's own word: what they noted,
// told the mind, take part in, or promised or asked in a mail.
func (s *scene) own(o subconscious.Observation) bool {
	switch o.Sense {
	case "notes", "person":
		return o.Trust == subconscious.Owner
	case "calendar":
		return wanted(o) && sure(o)
	}
	return threads.OwnMail(o) || byPerson(o) && o.Trust == subconscious.Owner
}

// named reports whether the person's own notes, or events in which they take
// part, speak of where a mail comes from: of the part of its domain that somebody
// had to register, "perret" of "mail.perret.co.uk". What every office of a kind is
// called ("bank", "clinic") says nothing.
func (s *scene) named(o subconscious.Observation) bool {
	registered, _, _ := strings.Cut(o.Attrs["domain"], ".")
	for _, term := range terms(registered) {
		if utf8.RuneCountInString(term) < 5 || mailHosts()[term] || appointedWords()[term] {
			continue
		}
		observations, count := s.world.Sharing("term:"+term, sharingSeen)
		if count <= sharingSeen && slices.ContainsFunc(observations, func(other subconscious.Observation) bool {
			return !threads.OwnMail(other) && s.own(other) && slices.Contains(s.spoken(other), term)
		}) {
			return true
		}
	}
	return false
}

// most is the highest importance that a mail with a date can have, and whether
// the person may be told of it at all: what strangers write never counts so much
// that it is told at once, whatever it says.
func (s *scene) most(o subconscious.Observation) (importance int, tell bool) {
	switch {
	case o.Sense != "mail" || threads.OwnMail(o):
		return 8, true
	case threads.ToMany(o) && !numbered(o) && !on(o, "awaited"):
		return 3, false
	case o.Kind == "request" && known(o) == 0 && s.named(o):
		return 7, true
	case o.Kind == "request" && known(o) == 0:
		return 4, false
	case known(o) > 0 && threads.Personal(o):
		return 8, true
	case s.backed(o):
		return 7, true
	}
	// Not 6, whatever number or amount it names: what is due before the next
	// digest comes would be pushed with it.
	return 5, true
}

// merelyRead reports whether nothing happened to a mail but that the person
// read it.
func (s *scene) merelyRead(o subconscious.Observation) bool {
	return o.Sense == "mail" && o.Change == subconscious.Changed && !o.BandOnly && on(o, "seen") && !s.wider[o.Ref()]
}
