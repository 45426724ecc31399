package threads

import (
	"cmp"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// Ahead is how far ahead every thread looks when its field is not widened.
	Ahead = 72 * time.Hour
	// widerShown bounds what a wider field adds, and agedShown how much of it
	// is undated: the oldest that were never shown, and the next ones another
	// time.
	widerShown = 50
	agedShown  = 5
)

// aheads and ages are what the wider fields hold: dated observations further
// ahead, and for the librarian undated ones that have been open for less long.
var (
	aheads = [...]time.Duration{Ahead, 7 * 24 * time.Hour, 14 * 24 * time.Hour, 35 * 24 * time.Hour}
	ages   = [...]time.Duration{0, 14 * 24 * time.Hour, 7 * 24 * time.Hour, 2 * 24 * time.Hour}
)

// Interested reports whether an observation lies in a thread's field when it is
// not widened, so that it waits to be shown to it; rules beside a model look at
// facts and letters alone. It depends on nothing else, since the ledger asks it
// once, when a change is recorded.
func Interested(thread subconscious.ThreadName, o subconscious.Observation) bool {
	if beside := thread.Thread(); beside != thread && !Fact(o) && o.Sense != "mail" {
		return false
	} else {
		thread = beside
	}
	if Aside(o) {
		return false
	}
	if o.BandOnly {
		return thread == subconscious.Oracle
	}
	if o.Sense == "mail" && !MailOf(thread, o) {
		return false
	}
	if own := natureOf(thread).senses; own != nil && !slices.Contains(own, o.Sense) {
		return false
	}
	if thread == subconscious.Oracle && o.Due.IsZero() && !promised(o) && o.Sense != "calendar" {
		return false // nothing of it lies ahead
	}
	switch {
	case o.Change == subconscious.Gone, o.Change == subconscious.Changed:
		return true
	case thread == subconscious.Oracle:
		return !o.Due.IsZero() && (near(o) || written(o))
	case thread == subconscious.Librarian:
		return !undated(o)
	}
	return o.Due.IsZero() || near(o) || written(o)
}

// Aside reports whether it is an address in a note, which says who is no stranger, or
// how long something is so: nothing that anybody would have to think of.
func Aside(o subconscious.Observation) bool { return o.Kind == "contact" || o.Kind == "lasting" }

// Fact reports whether rules judge it at every tick, whoever else thinks: what the
// machine and the calendar say, a source of the person's own that they vouch for,
// and what they wrote down, told the mind or promised. What others wrote is worth a
// word or not, and no fact.
func Fact(o subconscious.Observation) bool {
	switch o.Sense {
	case "exec", "post":
		return o.Trust == subconscious.Owner || o.Trust == subconscious.Machine
	case "health", "calendar":
		return true
	case "mail":
		return OwnMail(o)
	case "conversation":
		return SaidPromise(o) && o.Trust != subconscious.Outsider
	}
	return o.Trust == subconscious.Owner && o.Sense != "files"
}

// near: it is not further ahead than the plain field looks.
func near(o subconscious.Observation) bool { return o.Due.Sub(o.At) <= Ahead }

// promised: a promise is looked at when it is first written, whatever its date.
func promised(o subconscious.Observation) bool {
	return o.Sense == "notes" || o.Sense == "person" || SaidPromise(o)
}

// SaidPromise reports whether somebody promised it in a conversation.
func SaidPromise(o subconscious.Observation) bool {
	return o.Sense == "conversation" && o.Kind == "promise"
}

// written: so is what has a date in a mail.
func written(o subconscious.Observation) bool { return promised(o) || o.Sense == "mail" }

// undated: something open without a date, which the librarian comes back to;
// a question in a mail, also where it has one.
func undated(o subconscious.Observation) bool {
	return o.Stands() && (o.Due.IsZero() && (o.Sense == "notes" || SaidPromise(o) || OwnMail(o)) || o.Sense == "mail" && o.Kind == "awaiting")
}

// Widen returns what the wider field of a thread adds at a level: standing
// observations that it was never shown, dated ones in order of their due times,
// then for the librarian the oldest undated ones. undatedNotes may call yield
// with anything; what is not undated is left out. Whatever the level, the
// librarian is shown what has waited in the mail for QuietDays.
func Widen(thread subconscious.ThreadName, level int, at time.Time, world subconscious.World,
	undatedNotes func(yield func(subconscious.Observation) bool), shown func(subconscious.Ref) bool) []subconscious.Observation {
	mine := unshown(thread, shown)
	var wider, waited []subconscious.Observation
	if thread == subconscious.Librarian {
		waited = waiting(at, world, mine)
	}
	level = min(level, len(aheads)-1)
	if level <= 0 {
		return waited
	}
	world.Due(at, at.Add(aheads[level]), func(o subconscious.Observation) bool {
		if mine(o) && !(OwnMail(o) && undated(o)) {
			wider = append(wider, o)
		}
		return len(wider) < widerShown
	})
	if wider = append(wider, waited...); thread != subconscious.Librarian || undatedNotes == nil {
		return wider
	}
	var aged []subconscious.Observation
	undatedNotes(func(o subconscious.Observation) bool {
		if o.Sense != "mail" && undated(o) && at.Sub(o.At) >= ages[level] && mine(o) {
			aged = oldest(append(aged, o), func(o subconscious.Observation) time.Time { return o.At })
		}
		return true
	})
	return append(wider, aged...)
}

// unshown reports whether an observation is of a thread's senses and was not shown
// to it.
func unshown(thread subconscious.ThreadName, shown func(subconscious.Ref) bool) func(subconscious.Observation) bool {
	own := natureOf(thread).senses
	return func(o subconscious.Observation) bool {
		return !Aside(o) && (own == nil || slices.Contains(own, o.Sense)) && (o.Sense != "mail" || MailOf(thread, o)) && !shown(o.Ref())
	}
}

const (
	// focusSeen is how many observations are looked at for each word of a focus
	// hint, and focusShown how many it adds to a field.
	focusSeen  = 200
	focusShown = 10
)

// Focused returns what a focus hint adds to the field of a thread that thinks by
// rules, which cannot read it: standing observations that the thread was never
// shown and that share two telling words with the hint, or its only one.
func Focused(thread subconscious.ThreadName, hint string, world subconscious.World, shown func(subconscious.Ref) bool) []subconscious.Observation {
	mine, words := unshown(thread, shown), subconscious.Terms(hint)
	var focused []subconscious.Observation
	shared := map[subconscious.Ref]int{}
	for _, word := range words {
		observations, _ := world.Sharing("term:"+word, focusSeen)
		for _, o := range observations {
			if shared[o.Ref()]++; mine(o) && shared[o.Ref()] == min(2, len(words)) && len(focused) < focusShown {
				focused = append(focused, o)
			}
		}
	}
	return focused
}

// oldest keeps the agedShown that have been open for longest, in that order.
func oldest(list []subconscious.Observation, since func(subconscious.Observation) time.Time) []subconscious.Observation {
	slices.SortFunc(list, func(a, b subconscious.Observation) int {
		return cmp.Or(since(a).Compare(since(b)), cmp.Compare(a.Ref(), b.Ref()))
	})
	return list[:min(len(list), agedShown)]
}

// AheadOf returns how far ahead the field of a level looks.
func AheadOf(level int) time.Duration { return aheads[min(max(level, 0), len(aheads)-1)] }
