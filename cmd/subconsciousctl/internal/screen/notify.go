package screen

import (
	"time"

	"github.com/subconsciousd/subconsciousd/api"
)

// delivered reports whether a message needs no more words: it was sent, once.
func delivered(d api.Delivery) bool { return d.State == "sent" && !d.Repeated }

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

func channelNames(channels []api.ChannelStatus) []string {
	var names []string
	for _, c := range channels {
		names = append(names, clean(c.ID))
	}
	return names
}

// Pushed is one message that a stand-in took.
type Pushed struct {
	At          time.Time
	Topic       string
	Title, Text string
	Priority    int // 1 to 5; 0 is the usual one
	Tags        []string
	Click       string
	Buttons     []Button
}

// Button is a button of a message, and the command that presses it.
type Button struct{ Label, Press string }
