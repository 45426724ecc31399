package reflex_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
	"github.com/subconsciousd/subconsciousd/threads/score"
)

// pushed is the importance from which on a request reaches the person at once
// (push_from in package escalate), and lastly that from which on it does where it
// is due before the next digest comes (half way from digest_from to push_from).
const pushed, lastly = 7, 6

// stranger draws a mail of somebody to whom the person never wrote, with
// whatever words and headers they choose.
func (h hostile) stranger(n int, at time.Time) subconscious.Observation {
	o := h.observation(n, at)
	o.Sense, o.ID, o.Trust = "mail", fmt.Sprintf("mid:%d@example.org", n), subconscious.Outsider
	o.Kind = h.pick("kind of mail", "mail", "request", "deadline")
	if o.BandOnly = o.BandOnly && o.Kind != "mail"; o.Kind == "mail" {
		o.Change = subconscious.Momentary
	} else if o.Change == subconscious.Momentary {
		o.Change = subconscious.Appeared
	}
	o.Title = h.pick("pretence", "URGENT", "Your disk is full", "Re: Lighthouse review", "Invoice 4711", "Answer from Ines Duarte") + ": " + o.Title
	delete(o.Attrs, "known")
	for _, key := range []string{"addressed", "urgent", "asks", "awaited"} {
		if rapid.Bool().Draw(h.T, key) {
			o.Attrs[key] = map[bool]string{true: "to", false: "true"}[key == "addressed"]
		}
	}
	return o
}

// TestStrangersAreNeverToldAtOnce: whatever strangers write, to a person with
// events, notes and mail of their own, nothing that rests on their words alone
// is asked for at an importance at which it is pushed. What a stranger's mail has
// in common with the person's own notes may be.
func TestStrangersAreNeverToldAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := hostile{t}
		at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
		w, field := newWorld(), subconscious.Field{Ahead: threads.Ahead, Level: rapid.IntRange(0, 3).Draw(t, "level")}
		theirs := map[subconscious.Ref]bool{}
		for n := range rapid.IntRange(1, 12).Draw(t, "mails") {
			o := h.stranger(n, at)
			for i, link := range o.Links { // of an incident that nothing of the person's names
				o.Links[i] = strings.Replace(link, "invoice:4711", "invoice:90210", 1)
			}
			o.Text += h.pick("amount", "", " Pay EUR 412.00 at once.")
			theirs[o.Ref()] = true
			if o.Stands() {
				w.add(o)
			}
			field.New = append(field.New, o)
		}
		for n := range rapid.IntRange(0, 8).Draw(t, "own observations") {
			o := h.observation(100+n, at)
			o.Sense, o.Trust = h.pick("own sense", "calendar", "notes"), subconscious.Owner
			if o.Stands() {
				w.add(o)
			}
		}
		for _, thread := range subconscious.Threads() {
			snapshot := subconscious.Snapshot{At: at, Zone: time.UTC, World: w, Fields: map[subconscious.ThreadName]subconscious.Field{thread: field}}
			thought := think(t, snapshot, thread)
			checkThought(t, snapshot, thought)
			for _, f := range thought.Findings {
				first, _ := subconscious.ParseCitation(f.Evidence[0])
				if f.Escalate && (f.Importance >= pushed || f.Importance >= lastly && !f.Due.IsZero()) && theirs[first.Ref] {
					t.Errorf("a stranger is told at once by %s: %d %q", f.Rule, f.Importance, f.Summary)
				}
			}
		}
	})
}

// TestADayOfMail: of a day's mail in its true proportions little is found,
// and next to none asks to be told at once.
func TestADayOfMail(t *testing.T) {
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	field := subconscious.Field{Ahead: threads.Ahead}
	w := newWorld()
	add := func(kind string, n int, attrs string) {
		for i := range n {
			o := subconscious.Observation{Sense: "mail", Kind: kind, ID: fmt.Sprintf("mid:%s%d%s@example.org", kind, i, attrs), Change: subconscious.Appeared, At: at,
				Seq: int64(len(field.New) + 1), Title: fmt.Sprintf("Sender %d: subject %d", i, i), Trust: subconscious.Outsider, Attrs: map[string]string{"from": fmt.Sprintf("s%d@example.org", i), "addressed": "to"}}
			for pair := range strings.FieldsSeq(attrs) {
				key, value, _ := strings.Cut(pair, "=")
				o.Attrs[key] = value
			}
			if kind == "mail" {
				o.Change = subconscious.Momentary
			}
			if kind == "deadline" {
				o.Due = at.Add(100 * time.Hour)
			}
			if !threads.Interested(subconscious.Watcher, o) {
				continue
			}
			if o.Stands() {
				w.add(o)
			}
			field.New = append(field.New, o)
		}
	}
	add("mail", 60, "bulk=true")
	add("mail", 20, "list=list.example.org")
	add("mail", 15, "automated=true")
	add("mail", 5, "junk=true")
	add("deadline", 2, "automated=true")
	add("mail", 8, "known=5")
	add("mail", 3, "known=5 seen=true")
	add("request", 3, "known=5 asks=true")
	add("request", 1, "asks=true")
	add("mail", 2, "known=5 awaited=true")
	if len(field.New) != 114 {
		t.Errorf("the watcher looks at %d of 119 mails, and junk is 5", len(field.New))
	}
	snapshot := subconscious.Snapshot{At: at, Zone: time.UTC, World: w, Fields: map[subconscious.ThreadName]subconscious.Field{subconscious.Watcher: field}}
	thought := think(t, snapshot, subconscious.Watcher)
	worth, requests, now := 0, 0, 0
	for _, f := range thought.Findings {
		if f.Importance >= 4 {
			worth++
		}
		if f.Escalate {
			requests++
		}
		if f.Escalate && f.Importance >= pushed {
			now++
		}
	}
	if len(thought.Findings) != 13 || worth != 2 || requests != 2 || now != 0 {
		t.Errorf("of 119 mails %d are found, %d of them worth 4 and more, %d asked for, %d at once", len(thought.Findings), worth, requests, now)
	}
}

// TestMailIsOnceSaid: whatever rule reads a mail, it never says a name twice nor
// "Re:", and what strangers are called always ends in where they write from.
func TestMailIsOnceSaid(t *testing.T) {
	for _, given := range []struct{ title, name, from, want string }{
		{"Ines Duarte: Re: AW: [EXTERN] Fwd: Contract", "Ines Duarte", "ines@example.org", "Mail from Ines Duarte (example.org): “Contract”"},
		{"ines@example.org: Contract", "", "ines@example.org", "Mail from ines@example.org: “Contract”"},
		{"Duarte, Ines: Board: Contract", "Duarte, Ines", "ines@example.org", "Mail from Duarte, Ines (example.org): “Board: Contract”"},
		{"Contract: the last page", "Ines Duarte", "ines@example.org", "Mail from Ines Duarte (example.org): “Contract: the last page”"},
		{"A very long name that is cut somewhere: Contract", "A very long name that is cut somewhere and goes on", "x@example.org", "Mail from A very long name that is cut somewhere and… (example.org): “Contract”"},
		{"Ines Duarte: Re: ", "Ines Duarte", "ines@example.org", "Mail from Ines Duarte (example.org): “(no subject)”"},
		{"ceo@example.com: Pay", "ceo@example.com", "x@example.org", "Mail from ceo@example.com (example.org): “Pay”"},
		{"an unnamed sender: Pay", "", "", "Mail from somebody: “an unnamed sender: Pay”"},
	} {
		o := subconscious.Observation{Sense: "mail", Kind: "request", ID: "mid:a", Change: subconscious.Appeared, Title: given.title, Attrs: map[string]string{"from": given.from, "from_name": given.name, "acquainted": "written", "says": "asks"}}
		w := newWorld()
		w.add(o)
		thought := think(t, subconscious.Snapshot{At: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC), World: w,
			Fields: map[subconscious.ThreadName]subconscious.Field{subconscious.Watcher: {New: []subconscious.Observation{o}}}}, subconscious.Watcher)
		if len(thought.Findings) != 1 || thought.Findings[0].Summary != given.want {
			t.Errorf("%q of %q: %+v, want %q", given.title, given.name, thought.Findings, given.want)
		}
	}
}

// TestLearner: an act on a letter teaches, but of a code, for which the person waits
// whatever else comes from there, and of junk.
func TestLearner(t *testing.T) {
	for name, c := range map[string]struct {
		title, attrs string
		learns       bool
	}{
		"a letter": {"Anna: The choir", "", true},
		"a code":   {"Bank: [redacted:code]", "automated=true says=codes", false},
		"junk":     {"Shop: Offers", "junk=true", false},
	} {
		habits := score.Habits{}
		o := subconscious.Observation{Sense: "mail", ID: "mid:a@example.org", Kind: "mail", Title: c.title, Attrs: map[string]string{subconscious.HabitAttr: "a@example.org"}}
		for attr := range strings.FieldsSeq(c.attrs) {
			name, value, _ := strings.Cut(attr, "=")
			o.Attrs[name] = value
		}
		reflex.Learner(subconscious.Snapshot{At: time.Unix(1e9, 0), World: newWorld()}, habits)(o, subconscious.Answered)
		if (len(habits) > 0) != c.learns {
			t.Errorf("%s taught %+v", name, habits)
		}
	}
}
