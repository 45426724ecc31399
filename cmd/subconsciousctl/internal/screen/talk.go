package screen

import (
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
)

// Conversations is the list of conversations.
func Conversations(view View, in api.ConversationPage, before string) string {
	p := newPage(view)
	if len(in.Conversations) == 0 {
		words := "Nothing was said yet. Begin: subconsciousctl messages post TEXT"
		if before != "" {
			words = "There is nothing before that."
		}
		p.wrapped("", plain, words)
	}
	for _, c := range in.Conversations {
		p.wrapped("", bold, clean(c.ID))
		p.wrapped("  ", dim, number(c.Messages, "message")+" · last "+p.when(c.Updated))
		title, last := clean(c.Title), clean(c.Last)
		if title != "" {
			p.clipped("  ", title)
		}
		if last != "" && last != title {
			p.clipped("  > ", last)
		}
	}
	if len(in.Conversations) > 0 {
		p.line()
		p.wrapped("", plain, "Read one: subconsciousctl messages show NAME")
	}
	p.more(in.Before, "messages", false)
	return p.String()
}

// clipped writes a text in at most two lines.
func (p *page) clipped(first, text string) {
	for _, row := range wrapAtMost(text, p.Width-cells(first), 2) {
		p.line(first, row)
		first = strings.Repeat(" ", cells(first))
	}
}

// Messages is a conversation, the newest message last.
func Messages(view View, in api.MessagePage, conversation string) string {
	p := newPage(view)
	if in.Before != 0 {
		p.wrapped("", dim, "There are earlier ones: subconsciousctl messages show "+clean(conversation)+" --before "+amountPlain(in.Before))
	}
	if len(in.Messages) == 0 {
		p.wrapped("", plain, "There is nothing before that.")
	}
	for _, m := range slices.Backward(in.Messages) {
		p.message(m, false)
	}
	return p.String()
}

// FoundMessages is what a search found, the best first.
func FoundMessages(view View, in api.MessagePage) string {
	p := newPage(view)
	if len(in.Messages) == 0 {
		p.wrapped("", plain, "Nothing was said in these words.")
	}
	for _, m := range in.Messages {
		p.message(m, true)
	}
	return p.String()
}

// Posted says where a message went.
func Posted(view View, m api.Message) string {
	p := newPage(view)
	p.wrapped("", plain, "Said in "+clean(m.Conversation)+" as "+authorWords(m)+". The next look of the threads takes note of it.")
	return p.String()
}

// message writes one message; named says in which conversation.
func (p *page) message(m api.Message, named bool) {
	where := ""
	if named {
		where = "in " + clean(m.Conversation)
	}
	p.wrapped("", bold, strings.Join(filled(authorWords(m), p.clock(m.At), where), " · "))
	for line := range strings.Lines(m.Text) {
		p.wrapped("  ", plain, clean(line))
	}
	if about := strings.Join(filled(clean(m.Deliberation), clean(m.Proposal)), ", "); about != "" {
		p.wrapped("  ", dim, about)
	}
}

// authorWords says who speaks.
func authorWords(m api.Message) string {
	name := clean(m.Name)
	switch m.Author {
	case api.AuthorPerson:
		return "you"
	case api.AuthorMind:
		return strings.TrimSpace("the mind " + bracketed(name))
	case api.AuthorAgent:
		return strings.TrimSpace("the agent " + name)
	}
	return strings.TrimSpace(clean(m.Author) + " " + name)
}

func bracketed(text string) string {
	if text == "" {
		return ""
	}
	return "(" + text + ")"
}
