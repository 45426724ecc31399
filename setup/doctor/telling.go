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
	"github.com/subconsciousd/subconsciousd/heartbeat"
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

// channels looks at those over which the person is told, and sends over them
// where that is asked for.
func (e *examination) channels(ctx context.Context) {
	e.say("channels", row{len(e.Config.Notify) == 0, Note, "there is none: what is told waits in subconsciousctl inbox", "add one: subconsciousctl init"})
	for _, c := range e.Config.Notify {
		i := slices.IndexFunc(e.status.Channels, func(s api.ChannelStatus) bool { return s.ID == c.ID })
		told := api.ChannelStatus{}
		if i >= 0 {
			told = e.status.Channels[i]
		}
		r := live.Reach(ctx, c, e.Env)
		e.say(c.ID,
			row{r.Problem == "", OK, r.Detail, ""},
			row{told.State == "ok" && !told.Last.IsZero(), OK, "the daemon, which runs, sent over it; from here: " + r.Problem, ""},
			row{true, Broken, r.Problem, r.Next})
		e.say(c.ID+" content", row{c.Content == notify.ContentFull && c.DefaultContent() != notify.ContentFull, Note,
			"whole messages go through somebody else's server, which can read them", "set content: title of the channel, unless that is what you want"})
		if i >= 0 {
			e.told(told)
		}
		if e.Send {
			e.send(ctx, c)
		}
	}
}

// told is how a channel fares with the daemon: what it sent, and whether answers
// come back.
func (e *examination) told(c api.ChannelStatus) {
	words := "nothing was sent yet"
	if !c.Last.IsZero() {
		words = "last sent " + c.Last.In(e.zone()).Format("Mon 2 Jan 15:04")
	}
	if c.Waiting > 0 {
		words += fmt.Sprintf("; %d wait", c.Waiting)
	}
	e.say(c.ID+" delivery",
		row{c.State == "ok" || c.State == "", OK, words, ""},
		row{true, Degraded, strings.TrimSuffix(words+": "+c.Error, ": "), cmp.Or(c.Next, "see subconsciousctl notify list")})
	e.say(c.ID+" answers",
		row{c.AnswersError != "", Degraded, "answers of buttons do not come back: " + c.AnswersError, cmp.Or(c.Next, "messages still arrive; answer with subconsciousctl inbox meanwhile")},
		row{c.Flooded(), Degraded, fmt.Sprintf("%d strange answers came since %s: somebody else writes to the reply topic",
			c.Refused, c.RefusedSince.In(e.zone()).Format("Mon 2 Jan 15:04")), "renew the topic: subconsciousctl notify renew " + c.ID},
		row{c.Answers, OK, "answers of buttons come back", ""})
}

// heartbeat looks whether one could be sent, and how those of the daemon went. It
// sends none: that would pretend that the daemon lives.
func (e *examination) heartbeat(context.Context) {
	if e.Config.Heartbeat == (heartbeat.Config{}) {
		return
	}
	here, there := e.Config.Heartbeat.Check(e.Env), e.status.Heartbeat
	if there == nil {
		there = &api.HeartbeatStatus{}
	}
	e.say("heartbeat",
		row{there.Error != "", Degraded, "it does not arrive: " + there.Error, there.Next},
		row{!there.Last.IsZero(), OK, there.Host + " answered the daemon, last " + there.Last.In(e.zone()).Format("Mon 2 Jan 15:04"), ""},
		row{here.Error != "", Broken, here.Error, here.Next},
		row{true, OK, here.Host + " is asked after the next tick of the daemon; nothing is sent from here", ""})
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
	ctx, done := context.WithTimeout(ctx, sendWithin)
	defer done()
	err := live.Send(ctx, c, e.Env, notify.Message{Kind: notify.KindTest, Title: "A test of the channel " + c.ID,
		Text: "subconsciousctl doctor sent this. Nothing is the matter."})
	failure, known := errors.AsType[*notify.Error](err)
	if !known {
		failure = &notify.Error{}
	}
	e.say(c.ID+" test",
		row{err == nil, OK, "it took a message; look whether it arrived", ""},
		row{known && failure.Trouble == notify.Unknown, Degraded, failure.Text, failure.Next},
		row{known, Broken, failure.Text, failure.Next},
		row{true, Broken, fmt.Sprint(err), "correct the channel in the configuration"})
}

// quietHours looks whether they leave room for being told.
func (e *examination) quietHours(context.Context) {
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
	e.say("quiet hours",
		row{long == 0, OK, "none", ""},
		row{long > quietLong, Degraded, fmt.Sprintf("%s: %.0f hours, in which only what is critical is told", words, long.Hours()), "look whether from and to are the right way round"},
		row{true, OK, words, ""})
	for _, digest := range []struct{ name, at string }{{"daily", e.Config.Escalation.Digest.Daily}, {"weekly", e.Config.Escalation.Digest.Weekly}} {
		at, err := time.Parse("15:04", digest.at[max(0, len(digest.at)-len("15:04")):])
		_, quiet := h.Until(at)
		e.say(digest.name+" digest", row{err == nil && quiet, Note, "its time, " + digest.at + ", lies in the quiet hours",
			"set escalation.digest." + digest.name + " to a time outside"})
	}
}

// attention looks whether anything may be told at all.
func (e *examination) attention(context.Context) {
	b := e.Config.Budget
	words := fmt.Sprintf("at most %d messages a day, %d within an hour", b.NotificationsPerDay, b.EscalationsPerHour)
	if b.NotificationsPerDay == 0 || b.EscalationsPerHour == 0 {
		e.add(Note, "attention", words+": nothing is ever told", "raise budget.notifications_per_day and budget.escalations_per_hour, unless that is what you want")
		return
	}
	for _, l := range e.status.Budget.Limits {
		if l.Exhausted && slices.Contains(attentionLimits, l.Name) {
			// It is what the limits are for, and mends itself.
			words += "; " + l.Name + " is reached now, and what is not critical waits in subconsciousctl inbox"
		}
	}
	e.add(OK, "attention", words, "")
}

// attentionLimits are the limits of the budget that are not of models.
var attentionLimits = []string{"notifications_per_day", "escalations_per_hour", "notices_per_day"}

// presence looks at what tells a good moment from a bad one.
func (e *examination) presence(ctx context.Context) {
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
	switch {
	case c.Calendar && len(e.Config.Senses.Calendar) == 0:
		lacking = append(lacking, "no calendar is configured")
	case c.Calendar:
		sources = append(sources, "the calendar")
	}
	if c.CommandLine {
		sources = append(sources, "your commands")
	}
	words := "nothing tells a good moment"
	if len(sources) > 0 {
		words = "a good moment is told by " + strings.Join(sources, ", ")
	}
	if len(lacking) > 0 {
		words += "; " + strings.Join(lacking, ", ")
	}
	// What is not known holds nothing up, so that there is nothing to mend.
	e.say("presence",
		row{c == presence.Config{}, OK, "not looked at: what is told waits for no good moment", ""},
		row{true, OK, words, ""})
}
