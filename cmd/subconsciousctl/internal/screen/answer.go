package screen

import (
	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Answer says what will come of the person's answer to an incident, and when.
func Answer(view View, result api.CommandResult) string {
	p := newPage(view)
	c := result.Command
	about := clean(string(c.IncidentID))
	if about == "" {
		about = clean(string(c.Entry))
	}
	words := sentence(result.Done)
	if words == "" {
		words = p.answerWords(c)
	}
	if result.Pending {
		words += " The next tick takes note of it."
	}
	p.wrapped("", plain, about+": "+words)
	return p.String()
}

// answerWords says what the gate will do.
func (p *page) answerWords(c subconscious.Command) string {
	switch c.Kind {
	case subconscious.CommandAck:
		words := "heard"
		switch c.Feedback {
		case subconscious.Useful:
			words = "heard, and of use"
		case subconscious.NotUseful:
			words = "heard, and not of use"
		}
		return words + ". You are told again only if it changes in a way that matters."
	case subconscious.CommandDismiss:
		if c.Forever {
			return "dismissed. You hear no more of it, whatever happens."
		}
		return "dismissed. You hear no more of it, unless it gets worse or comes anew."
	case subconscious.CommandSnooze:
		if c.Until.IsZero() {
			return "not now. You hear of it again in 3 hours or when quiet hours end, whichever is later, if it still stands."
		}
		return "not now. You hear of it again " + p.when(c.Until) + ", if it still stands."
	case subconscious.CommandRemind:
		return "you are told again " + p.when(c.Until) + ", whatever becomes of it."
	}
	return CommandWords(c) + "."
}
