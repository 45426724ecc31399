package chat

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// mindName is who speaks for the mind where nobody says.
const mindName = "deliberation"

// prepare returns the message as it is stored: checked, plain and redacted. Its
// key is hashed, its ID left for the database to give.
func (l *Log) prepare(m Message) (Message, error) {
	now := l.options.Now()
	clean := Message{Author: m.Author, At: m.At}
	var err error
	if clean.Text, err = fulltext.Kept(m.Text, l.options.Redact, MaxText); err != nil {
		return Message{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	switch m.Author {
	case Person:
	case Agent:
		if clean.Name, err = l.name("name of the agent", m.Name); err != nil {
			return Message{}, err
		}
	case Mind:
		if clean.Name = mindName; m.Name != "" {
			if clean.Name, err = l.name("name", m.Name); err != nil {
				return Message{}, err
			}
		}
	default:
		return Message{}, fmt.Errorf("%w: the author is %q, and has to be person, agent or mind", ErrInvalid, cut(string(m.Author)))
	}
	clean.Trust = trustOf(m)
	if clean.Conversation, err = l.conversation(m.Conversation); err != nil {
		return Message{}, err
	}
	if clean.At.IsZero() || clean.At.After(now) {
		clean.At = now
	}
	if clean.At.Before(time.Unix(0, 0)) {
		return Message{}, fmt.Errorf("%w: it was said before 1970", ErrInvalid)
	}
	clean.At = time.Unix(0, clean.At.UnixNano()).UTC()
	if m.Key != "" {
		sum := sha256.Sum256([]byte(m.Key))
		clean.Key = hex.EncodeToString(sum[:])
	}
	if len(m.Deliberation) > MaxName || len(m.Proposal) > MaxName {
		return Message{}, fmt.Errorf("%w: the id of the deliberation or the proposal has more than %d bytes", ErrInvalid, MaxName)
	}
	clean.Deliberation, clean.Proposal = fulltext.Line(m.Deliberation), fulltext.Line(m.Proposal)
	return clean, nil
}

// conversation is the name that is meant, or a new one.
func (l *Log) conversation(given string) (string, error) {
	if given == "" {
		return "c-" + strings.ToLower(rand.Text()[:10]), nil
	}
	return l.name("name of the conversation", given)
}

// name returns a name in the form in which it is kept: in lower case.
func (l *Log) name(what, given string) (string, error) {
	if len(given) <= MaxName {
		line := fulltext.Line(given)
		if name := strings.ToLower(line); isName(name) && l.options.Redact(line) == line {
			return name, nil
		}
	}
	return "", fmt.Errorf("%w: the %s is %q; take 1 to %d letters and digits, with - _ or . within", ErrInvalid, what, cut(given), MaxName)
}

func isName(name string) bool {
	runes := []rune(name)
	if len(name) > MaxName {
		return false
	}
	for i, r := range runes {
		inside := i > 0 && i < len(runes)-1
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !(inside && (strings.ContainsRune("-_.", r))) && !(i > 0 && unicode.IsMark(r)) {
			return false
		}
	}
	return len(runes) > 0
}

// trustOf is the lesser of what is said of the message and what its author is
// worth.
func trustOf(m Message) subconscious.Trust {
	given, most := m.Trust, Trust(m.Author)
	if given == "" {
		if given = most; m.Author == Mind {
			given = subconscious.Outsider
		}
	}
	rising := []subconscious.Trust{subconscious.Outsider, subconscious.Agent, subconscious.Machine, subconscious.Owner}
	return rising[max(0, min(slices.Index(rising, given), slices.Index(rising, most)))]
}

// cut shortens what is quoted in an error.
func cut(text string) string {
	return subconscious.Clip(text, 64)
}
