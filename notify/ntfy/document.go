package ntfy

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"net/url"
	"strings"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// What servers take of one message; more is an error or becomes a file.
const (
	maxMessage = 4096 // bytes
	maxTitle   = 1024 // bytes
	maxActions = 3
	maxLabel   = 60 // bytes
)

// document is a message as it is posted.
type document struct {
	Topic    string   `json:"topic"`
	Title    string   `json:"title,omitempty"`
	Message  string   `json:"message"`
	Priority int      `json:"priority"`
	Tags     []string `json:"tags,omitempty"`
	Click    string   `json:"click,omitempty"`
	Actions  []action `json:"actions,omitempty"`
	// Sequence lets newer servers replace the message; older ones pass it over.
	Sequence string `json:"sequence_id,omitempty"`
}

// action is a button: what the phone sends when it is pressed. It has no
// headers, see the package comment.
type action struct {
	Action string `json:"action"`
	Label  string `json:"label"`
	URL    string `json:"url"`
	Method string `json:"method"`
	Body   string `json:"body"`
	// Clear takes the message off the phone once the server has the answer.
	Clear bool `json:"clear"`
}

// document writes a message down. A message without a text is sent as its
// title: servers put a word of their own in the place of an empty one.
func (c *Client) document(m notify.Message) document {
	if m.Priority == 0 && m.Urgent {
		m.Priority = notify.Now
	}
	d := document{Topic: c.config.Topic, Title: subconscious.Clip(subconscious.Line(m.Title), maxTitle), Message: subconscious.Clip(subconscious.Visible(m.Text, true), maxMessage),
		Priority: cmp.Or(m.Priority, notify.Today), Tags: tags(m), Click: web(m.Link)}
	if strings.TrimSpace(d.Message) == "" {
		d.Title, d.Message = "", subconscious.Clip(subconscious.Line(m.Title), maxMessage)
	}
	if topicPattern().MatchString(m.Sequence) {
		d.Sequence = m.Sequence
	}
	if !c.Buttons() {
		return d
	}
	for _, b := range m.Buttons[:min(len(m.Buttons), maxActions)] {
		d.Actions = append(d.Actions, action{Action: "http", Label: subconscious.Clip(subconscious.Line(b.Label), maxLabel), URL: c.base + c.ReplyTopic(), Method: "POST", Body: b.Token, Clear: true})
	}
	return d
}

// pictures are shown before the title, by what a message is about.
var pictures = map[notify.Kind]string{notify.KindIncident: "bell", notify.KindProposal: "question", notify.KindDigest: "newspaper",
	notify.KindNotice: "wrench", notify.KindRun: "gear", notify.KindClear: "white_check_mark", notify.KindAnswered: "white_check_mark", notify.KindTest: "wave"}

func tags(m notify.Message) []string {
	picture := pictures[m.Kind]
	switch {
	case picture == "":
		return nil
	case m.Kind == notify.KindIncident && m.Priority == notify.Now:
		picture = "rotating_light"
	}
	return []string{picture}
}

// web passes links of the web on: what a phone would do with others, nobody
// knows.
func web(link string) string {
	at, err := url.Parse(link)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || len(link) > 2000 {
		return ""
	}
	return link
}

// replyPrefix begins every topic of NewReplyTopic, so that one rule of access
// lets phones write to it.
const replyPrefix = "re-"

// NewReplyTopic makes a topic that nobody guesses: 128 random bits.
func NewReplyTopic() string {
	var bits [16]byte
	_, _ = rand.Read(bits[:]) // never fails
	return replyPrefix + hex.EncodeToString(bits[:])
}
