// Package presence judges from outside whether now is a natural pause in what
// the person does: by their calendar, their session and their last word to the
// mind.
//
// It is pure: it judges what it is given, at the time that it is given. It
// stores nothing. The daemon gathers the Signals at each tick and hands the
// verdict to package escalate.
package presence

import (
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Config says what of the person is looked at. Whatever is off is as if it were
// not known.
type Config struct {
	Session     bool `mapstructure:"session" about:"Whether to look at this machine's session: locked, idle, in use."`
	Calendar    bool `mapstructure:"calendar" about:"Whether to look at the calendar: in a meeting."`
	CommandLine bool `mapstructure:"command_line" about:"Whether to look at your own commands: looking just now."`
}

// DefaultConfig returns what holds where the configuration is silent: all is
// looked at.
func DefaultConfig() Config { return Config{Session: true, Calendar: true, CommandLine: true} }

// Validate finds nothing wrong: any of its switches may be on or off.
func (Config) Validate() error { return nil }

// Signals are what is known of the person at one moment.
type Signals struct {
	// At is now, in the mind's zone: clock times in words are read in it.
	At time.Time
	// CommandUsed and ChatUsed are when the person last used the command line,
	// and last wrote to the mind; zero for never. What programs ask in their own
	// rhythm, as a status bar does, is not the person's.
	CommandUsed time.Time
	ChatUsed    time.Time
	Session     Session
	// Events are those of the calendar that may be on at At, in any order: what
	// stands, and what has ended to stand since it began (see Running).
	Events []subconscious.Observation
}

// Session is what the desktop says of the person's session.
type Session struct {
	// Known: there is a session, and it answered.
	Known bool
	// Locked: the person cannot see it. It is locked, or another one is in front.
	Locked bool
	// LockedSince is since when, as far as is known; zero where it is not.
	LockedSince time.Time
	// IdleSince is since when nobody has touched keys or pointer; zero: not idle.
	IdleSince time.Time
}

// Thresholds of Judge.
const (
	// LookingFor is how long somebody who used the command line or the chat is
	// taken to still look.
	LookingFor = 2 * time.Minute
	// IdleAfter is how long hands must be off for a natural pause, AwayAfter
	// how long until nobody is taken to be there.
	IdleAfter = 90 * time.Second
	AwayAfter = 10 * time.Minute
)

// Judge says what the person does at s.At. The first that applies counts:
//
//   - busy: a meeting of theirs is on (see Running). It comes before all that
//     the machine shows, for who types in a meeting is in a meeting.
//   - looking: the command line or the chat was used in the last 2 minutes.
//   - away: the session is locked, or idle for 10 minutes or longer.
//   - idle: hands have been off for 90 seconds or longer.
//   - engaged: the session is known, not locked and not idle.
//   - unknown: none of this is known.
//
// Times that lie ahead, as after a clock was set back, say nothing; but for the
// command line and the chat, where they are within the 2 minutes.
func Judge(c Config, s Signals) subconscious.Presence {
	if c.Calendar {
		if busy, ok := meeting(s); ok {
			return busy
		}
	}
	if looking, ok := looking(c, s); ok {
		return looking
	}
	if c.Session && s.Session.Known {
		return session(s)
	}
	return subconscious.Presence{State: subconscious.PresenceUnknown, Why: "nothing is known of what the person does"}
}

// meeting is busy where a meeting is on. Of several the one that ends last is
// named, and the person is busy since the first of them began.
func meeting(s Signals) (subconscious.Presence, bool) {
	running := Running(s.Events, s.At)
	if len(running) == 0 {
		return subconscious.Presence{}, false
	}
	since, last := running[0].Start, running[0]
	for _, m := range running[1:] {
		if m.End.After(last.End) {
			last = m
		}
	}
	return subconscious.Presence{State: subconscious.PresenceBusy, Since: since, Until: last.End,
		Why: "in “" + last.Name + "” until " + clock(last.End, s.At)}, true
}

func looking(c Config, s Signals) (subconscious.Presence, bool) {
	used, why := s.ChatUsed, "spoke with the mind at "
	if c.CommandLine && (used.IsZero() || s.CommandUsed.After(used)) {
		used, why = s.CommandUsed, "used the command line at "
	}
	if used.IsZero() || s.At.Sub(used).Abs() > LookingFor {
		return subconscious.Presence{}, false
	}
	if used.After(s.At) {
		used = s.At
	}
	return subconscious.Presence{State: subconscious.PresenceLooking, Since: used, Why: why + clock(used, s.At)}, true
}

func session(s Signals) subconscious.Presence {
	idle := time.Duration(0)
	since := s.Session.IdleSince
	if !since.IsZero() {
		idle = s.At.Sub(since)
	}
	switch {
	case s.Session.Locked:
		p := subconscious.Presence{State: subconscious.PresenceAway, Why: "the session is locked"}
		if t := s.Session.LockedSince; !t.IsZero() && !t.After(s.At) {
			p.Since, p.Why = t, p.Why+" since "+clock(t, s.At)
		}
		return p
	case idle >= AwayAfter:
		return subconscious.Presence{State: subconscious.PresenceAway, Since: since, Why: "nobody is at the machine since " + clock(since, s.At)}
	case idle >= IdleAfter:
		return subconscious.Presence{State: subconscious.PresenceIdle, Since: since, Why: "hands off the machine since " + clock(since, s.At)}
	default:
		return subconscious.Presence{State: subconscious.PresenceEngaged, Why: "at the machine"}
	}
}

// clock is a time in words, in the zone of at.
func clock(t, at time.Time) string {
	t = t.In(at.Location())
	switch days := calendarDay(t).Sub(calendarDay(at)).Abs() / (24 * time.Hour); {
	case days == 0:
		return t.Format("15:04")
	case days < 7:
		return t.Format("Mon 15:04")
	default:
		return t.Format("2 Jan 2006 15:04")
	}
}

// calendarDay is the date of t as a time that can be counted with: days of a
// clock change are as long as others.
func calendarDay(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}
