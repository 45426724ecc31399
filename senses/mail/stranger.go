package mail

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/net/publicsuffix"

	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/senses/mail/message"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// suspicious counts the signs that a message was written to everybody, or under a
// false name. They count against what claims to come from a machine or an office
// as well.
func (j judge) suspicious() (signs int) {
	for _, is := range []bool{
		repliesElsewhere(j.Message), prose.Shouts(j.Subject), j.content.advertises, namesAnother(j.From), j.ownDomainSpoofed(),
		j.Made || j.Date.IsZero(), // without a Message-ID or a date, as programs write that send to many
	} {
		if is {
			signs++
		}
	}
	return signs
}

// repliesElsewhere reports whether answers would go to another house.
func repliesElsewhere(m message.Message) bool {
	return len(m.ReplyTo) > 0 && !slices.ContainsFunc(m.ReplyTo, func(a message.Address) bool { return firm(a.Addr) == firm(m.From.Addr) })
}

// domain is the part of an address that somebody had to register, by the public
// suffix list: "acme.co.uk" of "boss@mail.acme.co.uk".
func domain(address string) string {
	name := strings.ToLower(address[strings.LastIndexByte(address, '@')+1:])
	if registered, err := publicsuffix.EffectiveTLDPlusOne(name); err == nil {
		return registered
	}
	return name
}

//go:embed freemail.txt
var freeMail string

// freeHosts are hosts at which anybody has an address.
var freeHosts = sync.OnceValue(func() map[string]bool {
	_, list, _ := strings.Cut(freeMail, "\n")
	hosts := map[string]bool{}
	for host := range strings.FieldsSeq(list) {
		hosts[host] = true
	}
	return hosts
})

// firm is what an address has in common with those of the people it works with:
// its domain, and where anybody has an address the address itself.
func firm(address string) string {
	if at := domain(address); !freeHosts()[at] {
		return at
	}
	return strings.ToLower(address)
}

// namesAnother reports whether a sender's name is an address that is not theirs.
func namesAnother(from message.Address) bool {
	name := strings.ToLower(strings.TrimSpace(from.Name))
	return strings.Contains(name, "@") && !strings.Contains(name, from.Addr)
}

// ownDomainSpoofed reports whether a stranger writes under the name of the
// person.
func (j judge) ownDomainSpoofed() bool {
	return j.state.Person != "" && strings.EqualFold(strings.TrimSpace(j.From.Name), j.state.Person)
}

// greetingBytes is where a greeting stands.
const greetingBytes = 120

// names reports whether a message calls the person by name where it begins.
func (j judge) names() bool {
	head := prose.Fold(subconscious.Head(strings.TrimSpace(j.Fresh), greetingBytes))
	names := j.callNames()
	return slices.ContainsFunc(strings.FieldsFunc(head, notOfName), func(word string) bool { return names[word] })
}

// calledBytes is within how much of a message those are named to whom it speaks.
const calledBytes = 30

// others reports whether a message begins by calling another to whom it went: "Oli, I
// need the slides", or with a greeting. Of a name alone the beginning will do. A name that
// is the person's as well is meant for the other where the person has a copy.
func (j judge) others() bool {
	head, mine := prose.Fold(subconscious.Head(strings.TrimSpace(j.Fresh), calledBytes)), j.callNames()
	called, _, ok := strings.Cut(head, ",")
	words := strings.FieldsFunc(called, notOfName)
	if !ok || len(words) == 0 || len(words) > 1 && prose.Greeting(head) == 0 {
		return false
	}
	name := words[len(words)-1]
	if mine[name] && j.addressed() == "to" || !mine[name] && slices.ContainsFunc(strings.FieldsFunc(head, notOfName), func(word string) bool { return mine[word] }) {
		return false
	}
	return len(name) >= 3 && slices.ContainsFunc(j.To, func(a message.Address) bool {
		full := prose.Fold(a.Name)
		return !j.Sense.mine[a.Addr] && (slices.Contains(strings.FieldsFunc(full, notOfName), name) || len(words) == 1 && strings.HasPrefix(full, name))
	})
}

func notOfName(r rune) bool { return !unicode.IsLetter(r) && r != '-' }

// callNames are the words by which people call the person: of the name that they
// sign with, and of their addresses where these are made of names.
func (l *collect) callNames() map[string]bool {
	names := map[string]bool{}
	add := func(text string) {
		for _, word := range strings.FieldsFunc(prose.Fold(text), notOfName) {
			if len(word) >= 3 && !prose.Is(word, "offices") {
				names[word] = true
			}
		}
	}
	add(l.state.Person)
	for address := range l.mine {
		local, _, _ := strings.Cut(address, "@")
		add(local)
	}
	return names
}

// office reports whether the sender's address is one of an office.
func (j judge) office() bool {
	local, _, _ := strings.Cut(j.From.Addr, "@")
	words := strings.FieldsFunc(local, func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(word string) bool { return prose.Is(word, "offices") })
}
