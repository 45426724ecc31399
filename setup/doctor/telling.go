package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/presence"
	"github.com/subconsciousd/subconsciousd/presence/session"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/setup/live"
)

const (
	// sendWithin bounds one test message.
	sendWithin = 30 * time.Second
	// quietLong is more than anybody sleeps.
	quietLong = 14 * time.Hour
)

// telling looks at how the person is told: the channels, when it is quiet, and
// what tells a good moment.
func (e *examination) telling(ctx context.Context) {
	if len(e.Config.Notify) == 0 {
		e.add(Note, "channels", "there is none: what is told waits in subconsciousctl inbox", "add one: subconsciousctl init")
	}
	for _, c := range e.Config.Notify {
		e.channel(ctx, c)
	}
	e.quietHours()
	e.attention()
	e.presence(ctx)
}

// channel looks at one, and sends over it where that is asked for.
func (e *examination) channel(ctx context.Context, c setup.Channel) {
	told := e.toldOf(c.ID)
	switch r := live.Reach(ctx, c, e.Env); {
	case r.Problem == "":
		e.add(OK, c.ID, r.Detail, "")
	case told != nil && told.State == "ok" && !told.Last.IsZero():
		e.add(OK, c.ID, "the daemon, which runs, sent over it; from here: "+r.Problem, "")
	default:
		e.add(Broken, c.ID, r.Problem, r.Next)
	}
	if c.Content == notify.ContentFull && (c.Shoutrrr != nil || c.Ntfy != nil && !c.Ntfy.Own()) {
		e.add(Note, c.ID+" content", "whole messages go through somebody else's server, which can read them", "set content: title of the channel, unless that is what you want")
	}
	if told != nil {
		e.told(*told)
	}
	if e.Send {
		e.send(ctx, c)
	}
}

// toldOf is what the daemon says of a channel; nil where none runs.
func (e *examination) toldOf(id string) *api.ChannelStatus {
	if e.status == nil {
		return nil
	}
	for i, c := range e.status.Channels {
		if c.ID == id {
			return &e.status.Channels[i]
		}
	}
	return nil
}

// told is how a channel fares with the daemon: what it sent, and whether answers
// come back.
func (e *examination) told(c api.ChannelStatus) {
	name := c.ID + " delivery"
	words := "nothing was sent yet"
	if !c.Last.IsZero() {
		words = "last sent " + c.Last.In(e.zone()).Format("Mon 2 Jan 15:04")
	}
	if c.Waiting > 0 {
		words += fmt.Sprintf("; %d wait", c.Waiting)
	}
	switch c.State {
	case "ok", "":
		e.add(OK, name, words, "")
	default:
		e.add(Degraded, name, strings.TrimSuffix(words+": "+c.Error, ": "), cmp.Or(c.Next, "see subconsciousctl notify list"))
	}
	switch {
	case c.AnswersError != "":
		e.add(Degraded, c.ID+" answers", "answers of buttons do not come back: "+c.AnswersError, cmp.Or(c.Next, "messages still arrive; answer with subconsciousctl inbox meanwhile"))
	case c.Flooded():
		e.add(Degraded, c.ID+" answers", fmt.Sprintf("%d strange answers came since %s: somebody else writes to the reply topic",
			c.Strange, c.StrangeSince.In(e.zone()).Format("Mon 2 Jan 15:04")), "renew the topic: subconsciousctl notify renew "+c.ID)
	case c.Answers:
		e.add(OK, c.ID+" answers", "answers of buttons come back", "")
	}
}

// zone is the mind's, in which the person reads times.
func (e *examination) zone() *time.Location {
	if e.Config == nil {
		return time.Local
	}
	zone, err := e.Config.Location(e.Env)
	if err != nil {
		return time.Local
	}
	return zone
}

// send sends a test message.
func (e *examination) send(ctx context.Context, c setup.Channel) {
	name := c.ID + " test"
	ctx, done := context.WithTimeout(ctx, sendWithin)
	defer done()
	err := live.Send(ctx, c, e.Env, notify.Message{Kind: notify.KindTest, Title: "A test of the channel " + c.ID,
		Text: "subconsciousctl doctor sent this. Nothing is the matter."})
	failure, known := errors.AsType[*notify.Error](err)
	switch {
	case err == nil:
		e.add(OK, name, "it took a message; look whether it arrived", "")
	case known && failure.Trouble == notify.Unknown:
		e.add(Degraded, name, failure.Text, failure.Next)
	case known:
		e.add(Broken, name, failure.Text, failure.Next)
	default:
		e.add(Broken, name, err.Error(), "correct the channel in the configuration")
	}
}

// quietHours looks whether they leave room for being told.
func (e *examination) quietHours() {
	const name = "quiet hours"
	h := e.Config.QuietHours
	from, errFrom := time.Parse("15:04", h.From)
	to, errTo := time.Parse("15:04", h.To)
	if errFrom != nil || errTo != nil {
		return // Load has refused them
	}
	long := to.Sub(from)
	if long < 0 {
		long += 24 * time.Hour
	}
	words := fmt.Sprintf("from %s to %s", h.From, h.To)
	location, err := e.Config.Location(e.Env)
	if err == nil {
		words += fmt.Sprintf(" %s, where it is %s now", location, e.Now().In(location).Format("15:04"))
	}
	switch {
	case long == 0:
		e.add(OK, name, "none", "")
	case long > quietLong:
		e.add(Degraded, name, fmt.Sprintf("%s: %.0f hours, in which only what is critical is told", words, long.Hours()), "look whether from and to are the right way round")
	default:
		e.add(OK, name, words, "")
	}
	for _, digest := range []struct{ name, at string }{{"daily", e.Config.Escalation.Digest.Daily}, {"weekly", e.Config.Escalation.Digest.Weekly}} {
		at, err := time.Parse("15:04", digest.at[max(0, len(digest.at)-len("15:04")):])
		if _, quiet := h.Until(at); err == nil && quiet {
			e.add(Note, digest.name+" digest", "its time, "+digest.at+", lies in the quiet hours", "set escalation.digest."+digest.name+" to a time outside")
		}
	}
}

// attention looks whether anything may be told at all.
func (e *examination) attention() {
	b := e.Config.Budget
	words := fmt.Sprintf("at most %d messages a day, %d within an hour", b.NotificationsPerDay, b.EscalationsPerHour)
	if b.NotificationsPerDay == 0 || b.EscalationsPerHour == 0 {
		e.add(Note, "attention", words+": nothing is ever told", "raise budget.notifications_per_day and budget.escalations_per_hour, unless that is what you want")
		return
	}
	if e.status != nil {
		for _, l := range e.status.Budget.Limits {
			if l.Exhausted && slices.Contains(attentionLimits, l.Name) {
				// It is what the limits are for, and mends itself.
				words += "; " + l.Name + " is reached now, and what is not critical waits in subconsciousctl inbox"
			}
		}
	}
	e.add(OK, "attention", words, "")
}

// attentionLimits are the limits of the budget that are not of models.
var attentionLimits = []string{"notifications_per_day", "escalations_per_hour", "notices_per_day"}

// presence looks at what tells a good moment from a bad one.
func (e *examination) presence(ctx context.Context) {
	const name = "presence"
	c := e.Config.Presence
	var sources, lacking []string
	if c.Session {
		look := e.Session
		if look == nil {
			look = session.New(session.Options{Now: e.Now}).Session
		}
		switch seen := look(ctx); {
		case !seen.Known:
			lacking = append(lacking, "this machine says nothing of your session")
		case seen.Locked:
			sources = append(sources, "the session (locked)")
		default:
			sources = append(sources, "the session (in use)")
		}
	}
	if c.Calendar {
		if len(e.Config.Senses.Calendar) == 0 {
			lacking = append(lacking, "no calendar is configured")
		} else {
			sources = append(sources, "the calendar")
		}
	}
	if c.CommandLine {
		sources = append(sources, "your commands")
	}
	if c == (presence.Config{}) {
		e.add(OK, name, "not looked at: what is told waits for no good moment", "")
		return
	}
	words := "a good moment is told by " + strings.Join(sources, ", ")
	if len(sources) == 0 {
		words = "nothing tells a good moment"
	}
	if len(lacking) > 0 {
		words += "; " + strings.Join(lacking, ", ")
	}
	// What is not known holds nothing up, so that there is nothing to mend.
	e.add(OK, name, words, "")
}
