package screen

import (
	"github.com/subconsciousd/subconsciousd/api"
)

// delivered reports whether a message needs no more words: it was sent, once.
func delivered(d api.Delivery) bool { return d.State == "sent" && !d.Repeated }

// deliveryMark gives a state of a message its sign, colour and words.
func deliveryMark(state string) (mark string, colour style, words string) {
	switch state {
	case "sent":
		return "✓", green, "sent"
	case "pending":
		return "…", dim, "waits to be sent"
	case "sending":
		return "…", dim, "is being sent"
	case "unknown":
		return "?", yellow, "may have arrived, or not"
	case "failed":
		return "✗", red, "did not arrive"
	case "expired":
		return "–", yellow, "was of no use any more before it could be sent"
	}
	return "?", yellow, clean(state)
}

// delivery writes what became of one message on one channel.
func (p *page) delivery(indent string, d api.Delivery) {
	mark, colour, words := deliveryMark(d.State)
	words = clean(d.Channel) + ": " + words
	if d.State == "sent" && !d.Sent.IsZero() {
		words += " " + p.when(d.Sent)
	}
	if d.Attempts > 1 {
		words += ", after " + number(d.Attempts, "attempt")
	}
	if d.Repeated {
		words += ", possibly for the second time"
	}
	if text := clean(d.Error); text != "" {
		words += ": " + text
	}
	p.marked(indent, colour, mark, " ", cells(indent)+2, plain, words)
	if d.Next != "" && !delivered(d) {
		p.wrapped(indent+"  → ", plain, clean(d.Next))
	}
}

// strangeWords say what came back over a channel and was no answer.
func (p *page) strangeWords(c api.ChannelStatus) string {
	return number(c.Strange, "strange answer") + " came since " + p.when(c.StrangeSince)
}

func renewWords(c api.ChannelStatus) string {
	return "if they go on, renew the reply topic: subconsciousctl notify renew " + clean(c.ID)
}

// Arrived reports whether a channel took a message.
func Arrived(d api.Delivery) bool { return d.State == "sent" }

// channelLines says on the one screen how channels are: the troubles, or all in
// one line.
func (p *page) channelLines(channels []api.ChannelStatus) {
	if len(channels) == 0 {
		p.labelled("channels", "none: what is told waits in the inbox")
		return
	}
	var well []string
	name := "channels"
	for _, c := range channels {
		bad := c.State == "failing" || c.State == "resting" || c.AnswersError != "" || c.Flooded()
		if !bad {
			well = append(well, clean(c.ID))
			continue
		}
		colour, words := yellow, clean(c.ID)+" is "+clean(c.State)
		if c.State == "failing" {
			colour = red
		}
		if text := clean(c.Error); text != "" {
			words += ": " + text
		}
		if c.AnswersError != "" {
			words += "; answers do not come back: " + clean(c.AnswersError)
		}
		if c.Flooded() {
			words += "; " + p.strangeWords(c)
		}
		if c.Waiting > 0 {
			words += "; " + number(c.Waiting, "message") + " waiting"
		}
		p.wrapped("  "+pad(name, label), colour, words)
		if c.Flooded() {
			p.wrapped("  "+pad("", label)+"→ ", plain, renewWords(c))
		}
		if c.Next != "" {
			p.wrapped("  "+pad("", label)+"→ ", plain, clean(c.Next))
		}
		name = ""
	}
	if name != "" {
		p.wrapped("  "+pad(name, label), plain, "well: "+some(well, 3))
	}
}

// silentChannels names the channels that fail.
func silentChannels(channels []api.ChannelStatus) string {
	var names []string
	for _, c := range channels {
		if c.State == "failing" {
			names = append(names, clean(c.ID))
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "the channel " + names[0] + " fails"
	}
	return "the channels " + some(names, 3) + " fail"
}
