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

// ConversationReader gives search_conversations what it shows. Its method may
// be called by any goroutine.
type ConversationReader interface {
	// SearchConversations returns what was said in the last days with some of
	// the words, which are in lower case with spaces between them; the best
	// first.
	SearchConversations(ctx context.Context, words string, days int) ([]Said, error)
}

// Who said something.
const (
	SaidByPerson = "person"
	SaidByAgent  = "agent"
	SaidByMind   = "mind" // the daemon itself
)

// Said is one message of a conversation.
type Said struct {
	// Conversation is its id or name, a word, which whoever began it chose: Began
	// is their author, and BeganName the agent's name; "" where nobody knows.
	Conversation     string
	Began, BeganName string
	Author           string // person, agent or mind
	Name             string // of an agent
	Trust            subconscious.Trust
	At               time.Time
	Text             string
	// Ref is the observation that it became, of the sense conversation; "" where
	// it became none.
	Ref subconscious.Ref
}

var errConversations = errors.New("the conversations do not answer; do without them")

const (
	// saidDaysUsual is how far back conversations are searched where the model
	// does not say.
	saidDaysUsual = 30
	// foundSaid is how many messages are shown, and foundSaidText how much of
	// each, in bytes.
	foundSaid, foundSaidText = 10, 500
)

// searchConversations searches what was said.
func searchConversations(r *Registry) tool {
	type arguments struct {
		Words string `json:"words" required:"true" about:"1 to 8 words"`
		Days  int    `json:"days" minimum:"1" maximum:"365" about:"how many days back; default 30"`
	}
	return define(searchConversationsTool, "Searches what the person and their agents said. Only what bears a reference in square brackets can be cited.",
		func(ctx context.Context, snapshot subconscious.Snapshot, a arguments) (prompts.Result, error) {
			days, own := cmp.Or(a.Days, saidDaysUsual), false
			excerpts, err := recall("words", a.Words, foundSaid, errConversations,
				func(words string) ([]Said, error) {
					return r.options.Conversations.SearchConversations(ctx, words, days)
				},
				func(said Said) (prompts.Excerpt, bool) {
					own = own || ofMind(said)
					return r.saidExcerpt(said, snapshot.At.Location()), true
				})
			result := prompts.Result{More: "Ask for rarer words, or for fewer days.", Excerpts: excerpts}
			switch {
			case len(excerpts) == 0:
				result.Said = []string{fmt.Sprintf("Nothing that was said in the last %d days has any of these words.", days)}
			case own:
				result.Said = []string{"What this mind said itself is no evidence."}
			}
			return result, err
		})
}

// ofMind: the daemon said it, or whoever did copied what it wrote.
func ofMind(said Said) bool {
	return said.Author == SaidByMind || strings.Contains(said.Text[:min(len(said.Text), markWithin)], subconscious.Mark)
}

// saidExcerpt is a message as a model is shown it. Only what the person said can
// be cited. What the mind said itself counts as an outsider's: a model wrote it,
// who may have read anything.
func (r *Registry) saidExcerpt(said Said, zone *time.Location) prompts.Excerpt {
	e := prompts.Excerpt{Trust: said.Trust, Text: r.clipped(said.Text, foundSaidText)}
	switch {
	case ofMind(said):
		e.Name, e.Trust = "this mind itself, no evidence", subconscious.Outsider
	case said.Author == SaidByPerson && said.Trust == subconscious.Owner:
		e.Name = "the person"
		if citation, ok := subconscious.ParseCitation(string(said.Ref)); ok && citation.Ref == said.Ref && said.Ref.Sense() == "conversation" {
			e.Ref = said.Ref
		}
	case said.Author == SaidByAgent:
		e.Name = "an agent"
		switch e.Trust { // never more than an agent's, and of nobody known a stranger's
		case subconscious.Owner, subconscious.Machine, subconscious.Agent:
			e.Trust = subconscious.Agent
		default:
			e.Trust = subconscious.Outsider
		}
		if isWord(said.Name, maxMemoryID) {
			e.Name, e.Voice = "the agent "+said.Name, strings.ToLower(said.Name)
		}
	default:
		e.Name, e.Trust = "somebody", subconscious.Outsider
	}
	if isWord(said.Conversation, maxMemoryID) {
		if e.Trust == subconscious.Outsider || ownName(said) {
			e.Name += ", in the conversation " + said.Conversation
		} else {
			e.Name += ", in a conversation that another began"
		}
	}
	if !said.At.IsZero() {
		e.Name += ", on " + said.At.In(zone).Format("2006-01-02 Mon 15:04")
	}
	return e
}

// ownName: the name of the conversation is a word of who speaks in it, or of the
// person. That of another is not shown: it may say anything, and would count as
// the word of who speaks.
func ownName(said Said) bool {
	return said.Began == SaidByPerson || said.Began != "" && said.Began == said.Author && said.BeganName == said.Name
}
