package escalate_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// letter comes in, and is asked to be told.
func (p *play) letter(name string, importance int, attrs map[string]string) subconscious.IncidentKey {
	e := p.observe(name, "mail")
	e.Latest.Trust = subconscious.Outsider
	e.Latest.Attrs = map[string]string{"from": "somebody@" + name + ".example", "domain": name + ".example"}
	for key, value := range attrs {
		e.Latest.Attrs[key] = value
	}
	p.happen(name, subconscious.Momentary, subconscious.Notable)
	key := p.key(name)
	p.ask(key, subconscious.Asked{Thread: subconscious.Watcher, Kind: subconscious.KindObservation, Importance: importance, Summary: "Letter of " + name}, name)
	return key
}

// TestStrangersFlood: five hundred letters, each of a new domain, as important as
// can be and all for today, ring four times, twice before noon, and keep back no
// friend's.
func TestStrangersFlood(t *testing.T) {
	p := newPlay(t, noon.Add(-4*time.Hour))
	rung, morning := 0, 0
	for tick := range 100 {
		for i := range 5 {
			p.letter(fmt.Sprintf("s%dx%d", tick, i), 7+i%4, map[string]string{"hours": "0"})
		}
		var friend subconscious.IncidentKey
		if tick%30 == 7 {
			friend = p.letter(fmt.Sprintf("friend%d", tick), 8, map[string]string{"known": "5"})
		}
		out, told := p.decide(), false
		for _, d := range out.Decisions {
			told = told || d.Incident == friend && d.Verdict == escalate.Tell
			if d.Stranger == "" || d.Message == nil {
				continue
			}
			if rung++; p.at.Hour() < 12 {
				morning++
			}
			if d.Urgent {
				t.Errorf("urgent at %s: %s", p.at, asJSON(d))
			}
		}
		if friend != "" && !told {
			t.Errorf("a friend's urgent letter of %s is kept back: %s", p.at, p.incidents[friend].Telling.Held)
		}
		p.at = p.at.Add(5 * time.Minute)
	}
	if rung != 4 || morning != 2 {
		t.Errorf("strangers rang %d times, %d before noon", rung, morning)
	}
	for name, test := range map[string]struct {
		attrs map[string]string
		rules func(*escalate.Rules)
		told  bool
	}{
		"somebody new":                          {nil, nil, true},
		"the same domain again":                 {map[string]string{"domain": "told.example"}, nil, false},
		"… in a thread that anybody can answer": {map[string]string{"domain": "told.example", "ours": "true"}, nil, false},
		"… from where the person wrote":         {map[string]string{"domain": "told.example", "acquainted": "written"}, nil, true},
		"… where anybody has an address":        {map[string]string{"domain": "told.example", "acquainted": "anybody"}, nil, false},
		"somebody who is not who they say":      {map[string]string{"known": "9", "acquainted": "own", "forged": "true"}, nil, false},
		"none, since the person wants it so":    {nil, func(r *escalate.Rules) { r.Strangers = escalate.StrangersDigest }, false},
		"… which is nothing to those they know": {map[string]string{"known": "1"}, func(r *escalate.Rules) { r.Strangers = escalate.StrangersDigest }, true},
	} {
		p := newPlay(t, noon)
		p.strangers[noon] = []string{"told.example"}
		if test.rules != nil {
			test.rules(&p.rules)
		}
		p.letter("new", 7, test.attrs)
		if d := p.decide().Decisions[0]; (d.Verdict == escalate.Tell) != test.told {
			t.Errorf("%s: %s %s: %s", name, d.Verdict, d.Reason, d.Detail)
		}
	}
}

// TestPastUse: of letters that name a time of day, or a day, from whomever and
// however important, none is told, or in a digest, when that is over; and the order
// in which they are looked at changes nothing.
func TestPastUse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPlay(t, noon.Add(-5*time.Hour))
		p.presence.State = rapid.SampledFrom([]subconscious.PresenceState{subconscious.PresenceIdle, subconscious.PresenceBusy}).Draw(t, "presence")
		ends := map[subconscious.IncidentKey]time.Time{}
		for i := range rapid.IntRange(1, 60).Draw(t, "ticks") {
			for n := range rapid.IntRange(0, 3).Draw(t, "letters") {
				attrs := rapid.SampledFrom([]map[string]string{{}, {"known": "2"}, {"acquainted": "own"}, {"forged": "true", "known": "3"}}).Draw(t, "who")
				hours, days := rapid.IntRange(-1, 9).Draw(t, "hours"), rapid.IntRange(-1, 2).Draw(t, "days")
				own := map[string]string{}
				for k, v := range attrs {
					own[k] = v
				}
				var end time.Time
				if days >= 0 {
					own["days"], end = strconv.Itoa(days), time.Date(p.at.Year(), p.at.Month(), p.at.Day()+days+1, 0, 0, 0, 0, p.at.Location())
				}
				if hours >= 0 {
					own["hours"], end = strconv.Itoa(hours), p.at.Add(time.Duration(hours+1)*time.Hour)
				}
				ends[p.letter(fmt.Sprintf("l%dx%d", i, n), rapid.IntRange(4, 10).Draw(t, "importance"), own)] = end
			}
			in := p.input()
			in.Tick = p.tick + 1
			other := asJSON(escalate.Decide(shuffled(t, in)))
			out := p.decide()
			if asJSON(out) != other {
				t.Fatalf("another order gave another outcome:\n%s\nand\n%s", asJSON(out), other)
			}
			for _, d := range out.Decisions {
				if end := ends[d.Incident]; !end.IsZero() && !p.at.Before(end) && d.Verdict != escalate.Drop {
					t.Fatalf("%s: of use until %s: %s", p.at, end, asJSON(d))
				}
			}
			p.at = p.at.Add(time.Duration(rapid.SampledFrom([]int{5, 30, 300}).Draw(t, "minutes")) * time.Minute)
		}
	})
}

// TestBacklog: what a new mind finds is told in one message, when the night is over,
// but for what is critical; and one thing alone in its own words.
func TestBacklog(t *testing.T) {
	for _, n := range []int{1, 4} {
		p := newPlay(t, noon.Add(-11*time.Hour))
		for i := range n {
			name := fmt.Sprintf("friend%d", i)
			p.letter(name, 7, map[string]string{"known": "5"})
		}
		in := p.input()
		in.First, in.Tick = true, 1
		out := escalate.Decide(in)
		for _, incident := range out.Incidents {
			p.incidents[incident.Key] = incident
		}
		p.asked = nil
		p.tick, p.at = 1, noon.Add(-4*time.Hour)
		out = p.decide()
		if n == 1 && (len(out.Digests) != 0 || out.Decisions[0].Message == nil) || n > 1 && (len(out.Digests) != 1 || len(out.Digests[0].Incidents) != n) {
			t.Errorf("%d things: %s", n, asJSON(out))
		}
	}
}

// TestFirstDay: what is urgent or soon is told by itself at the first tick, and the
// message of the rest takes nothing of the hour; what a full hour holds says when
// there is room again.
func TestFirstDay(t *testing.T) {
	p := newPlay(t, noon)
	for i := range 3 {
		p.letter(fmt.Sprintf("friend%d", i), 7, map[string]string{"known": "5"})
	}
	own := map[subconscious.IncidentKey]bool{
		p.letter("urgent", 9, map[string]string{"known": "5"}):             true,
		p.letter("soon", 7, map[string]string{"known": "5", "hours": "1"}): true,
		p.letter("mad", 9, map[string]string{"hours": "1"}):                false, // a stranger
	}
	in := p.input()
	in.First, in.Tick = true, 1
	out := escalate.Decide(in)
	for _, d := range out.Decisions {
		if (d.Message != nil) != own[d.Incident] {
			t.Errorf("%s: %s %s: %s", d.Asked.Summary, d.Verdict, d.Reason, d.Detail)
		}
	}
	if len(out.Digests) != 1 || out.Digests[0].Message.Title != "4 things there at the start" || out.Spent.LastHour != 2 || out.Spent.Today != 3 {
		t.Errorf("%s, %+v", asJSON(out.Digests), out.Spent)
	}
	p = newPlay(t, noon)
	p.pushes = []time.Time{noon.Add(-40 * time.Minute), noon.Add(-5 * time.Minute), noon}
	p.letter("friend", 9, map[string]string{"known": "5"})
	if d := p.decide().Decisions[0]; d.Reason != escalate.BudgetAttention || !d.Until.Equal(noon.Add(20*time.Minute)) {
		t.Errorf("%s until %s", d.Reason, d.Until)
	}
}
