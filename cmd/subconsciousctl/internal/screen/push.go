package screen

import (
	"time"
)

// Pushed is one message that a stand-in took.
type Pushed struct {
	At          time.Time
	Topic       string
	Title, Text string
	Priority    int // 1 to 5; 0 is the usual one
	Buttons     []Button
}

// Button is a button of a message, and the command that presses it.
type Button struct{ Label, Press string }
