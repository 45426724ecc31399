package screen

import (
	"fmt"
	"strings"

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

// Channels is the list of channels, each with its health.
func Channels(view View, channels []api.ChannelStatus) string {
	p := newPage(view)
	if len(channels) == 0 {
		p.wrapped("", plain, "No channel is configured: what is told waits in subconsciousctl inbox. Add one under notify in the configuration, or run subconsciousctl init.")
		return p.String()
	}
	columns := nameWidth(p, channels, func(c api.ChannelStatus) string { return clean(c.ID) })
	for _, c := range channels {
		p.health(clean(c.ID), columns, channelState(c.State), p.channelWords(c))
		deep := p.deep(columns)
		if c.Error != "" {
			p.wrapped(deep, yellow, clean(c.Error))
		}
		if c.Next != "" {
			p.wrapped(deep+"→ ", plain, clean(c.Next))
		}
		if c.AnswersError != "" {
			p.wrapped(deep, yellow, "answers do not come back: "+clean(c.AnswersError))
		}
		if c.Strange > 0 {
			p.wrapped(deep, yellow, p.strangeWords(c))
			p.wrapped(deep+"→ ", plain, renewWords(c))
		}
	}
	p.line()
	p.wrapped("", plain, "Try one: subconsciousctl notify test CHANNEL")
	return p.String()
}

// strangeWords say what came back over a channel and was no answer.
func (p *page) strangeWords(c api.ChannelStatus) string {
	return number(c.Strange, "strange answer") + " came since " + p.when(c.StrangeSince)
}

func renewWords(c api.ChannelStatus) string {
	return "if they go on, renew the reply topic: subconsciousctl notify renew " + clean(c.ID)
}

// Renewed says what follows from a new reply topic.
func Renewed(view View, c api.ChannelStatus) string {
	p := newPage(view)
	p.wrapped("", plain, "The answers of "+clean(c.ID)+" come back over a new reply topic from now on. Buttons of messages that were sent before do nothing any more.")
	return p.String()
}

// channelState is the state of a channel as health shows it.
func channelState(state string) string {
	switch state {
	case "failing":
		return failed
	case "resting":
		return degraded
	}
	return state
}

func (p *page) channelWords(c api.ChannelStatus) string {
	words := []string{clean(c.Kind), contentWords(c.Content)}
	if c.Answers && c.AnswersError == "" {
		words = append(words, "answers come back")
	}
	if c.Last.IsZero() {
		words = append(words, "nothing sent yet")
	} else {
		words = append(words, "sent last "+p.when(c.Last))
	}
	if c.State == "resting" {
		words = append(words, "is left alone for a while")
	}
	if c.Waiting > 0 {
		words = append(words, number(c.Waiting, "message")+" waiting")
	}
	return strings.Join(words, " · ")
}

// contentWords is how much of a message a channel carries.
func contentWords(content string) string {
	switch content {
	case "full":
		return "carries title and text"
	case "title":
		return "carries the title alone"
	case "none":
		return "carries no content"
	}
	return clean(content)
}

// NotifyTests says what became of test messages. It reports whether any of them
// arrived.
func NotifyTests(view View, tests []api.Delivery) string {
	p := newPage(view)
	if len(tests) == 0 {
		p.wrapped("", plain, "There is no channel to test. Add one under notify in the configuration, or run subconsciousctl init.")
		return p.String()
	}
	sent := 0
	for _, d := range tests {
		p.delivery("", d)
		if Arrived(d) {
			sent++
		}
	}
	p.line()
	switch {
	case sent == len(tests) && sent == 1:
		p.wrapped("", bold, "The channel took it. Look whether it is on your screen.")
	case sent == len(tests):
		p.wrapped("", bold, fmt.Sprintf("All %d channels took it. Look whether it is on your screens.", sent))
	case sent == 0:
		p.wrapped("", bold, "None arrived.")
	default:
		p.wrapped("", bold, fmt.Sprintf("%d of %d channels took it.", sent, len(tests)))
	}
	return p.String()
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
