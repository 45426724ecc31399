package aggregator_test

import (
	"bufio"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestScenarios plays testdata/*.txtar. A file has a script, in which "expect"
// lines are the wanted strengths tick by tick, and a golden log of every tick.
//
//	zone Europe/Berlin                        the mind's, else UTC
//	rules active_threads=2 parked=1           other than the default
//	observation disk health disk:/var title=x its name, its sense, its id, and of
//	                                          due=DURATION, link=L, title=T, thread=T, domain=D
//	tick [kind] [xN] [+DURATION]              one or more ticks, 5m apart or as said
//	  disk appears 2 | changes 3 | goes | happens 1 | crosses | leaves
//	  watcher anomaly 6 "words" disk other    a finding and what it cites, and of
//	                                          due=DURATION, escalate
//	  watcher.rules anomaly 6 "words" disk    the rules beside its model find a fact
//	  watcher over disk+other                 the thread says that it ended
//	  watcher hints oracle "words"            it sends another thread somewhere
//	  watcher journal "words"                 its note for itself
//	  watcher fails | rests | unchanged | widens 2
//	  close disk | confirm disk | forever disk | focus oracle "words"
//	expect disk 3 3 – 1(over) (3)             of the incident's entry; (3) is parked
//
// An incident is written as a name, pattern/name, or name+name.
func TestScenarios(t *testing.T) {
	testutil.Archives(t, *update, "testdata/*.txtar", 75, func(t *testing.T, _ string, archive *txtar.Archive) {
		if len(archive.Files) == 0 || archive.Files[0].Name != "script" {
			t.Fatal("the first file must be the script")
		}
		p := newPlay(t)
		p.run(string(archive.Files[0].Data))
		p.verify()
		archive.Files = append(archive.Files[:1:1], txtar.File{Name: "ticks", Data: p.log.Bytes()})
	})
}

func (p *play) run(script string) {
	var pending *turn
	repeat := 1
	flush := func() {
		for ; pending != nil && repeat > 0; repeat-- {
			p.tick(*pending)
			p.write(*pending)
		}
		pending, repeat = nil, 1
	}
	lines := bufio.NewScanner(strings.NewReader(script))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		words := fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "zone":
			zone, err := time.LoadLocation(words[1])
			p.must(n, err)
			p.zone = zone
		case "rules":
			flush()
			p.setRules(n, words[1:])
		case "observation":
			p.declare(n, words[1:])
		case "expect":
			p.expects = append(p.expects, strings.Join(words[1:], " "))
			p.strengths[words[1]] = nil
		case "tick":
			flush()
			u := newTurn(subconscious.Scheduled)
			pending = &u
			repeat = p.header(n, pending, words[1:])
		default:
			if pending == nil {
				p.t.Fatalf("line %d: %q stands outside a tick", n, line)
			}
			p.event(n, pending, words)
		}
	}
	flush()
}

// header reads what follows "tick", and returns how many there are.
func (p *play) header(n int, u *turn, words []string) int {
	repeat := 1
	for _, word := range words {
		var err error
		switch word[0] {
		case 'x':
			repeat, err = strconv.Atoi(word[1:])
		case '+':
			u.after, err = time.ParseDuration(word[1:])
		default:
			u.kind = subconscious.TickKind(word)
		}
		p.must(n, err)
	}
	return repeat
}

// fields splits a line at spaces, keeping "quoted words" together.
func fields(line string) []string {
	var out []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}

func (p *play) must(n int, err error) {
	if err != nil {
		p.t.Fatalf("line %d: %v", n, err)
	}
}

func (p *play) setRules(n int, words []string) {
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		number, err := strconv.Atoi(value)
		p.must(n, err)
		rule := map[string]*int{"active_threads": &p.rules.ActiveThreads, "patterns": &p.rules.Patterns,
			"hunches": &p.rules.Hunches, "insights": &p.rules.Insights, "parked": &p.rules.Parked, "start_strength": &p.rules.Start,
			"gain": &p.rules.Gain, "gain_two_threads": &p.rules.GainTwo, "gain_better": &p.rules.GainBetter, "min_importance": &p.rules.MinImportance,
			"insight_importance": &p.rules.InsightImportance, "insight_days": &p.rules.InsightDays, "insight_changes": &p.rules.InsightChanges}[key]
		if rule == nil {
			p.t.Fatalf("line %d: no rule %q", n, key)
		}
		*rule = number
	}
}

func (p *play) declare(n int, words []string) {
	o := &p.observe(words[0], words[1], words[2]).latest
	for _, option := range words[3:] {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "due":
			in, err := time.ParseDuration(value)
			p.must(n, err)
			o.Due = p.now.Add(in)
		case "link":
			o.Links = append(o.Links, value)
		case "title":
			o.Title = value
		case "thread":
			o.Attrs = map[string]string{"thread": value}
		case "domain":
			o.Attrs = map[string]string{"domain": value}
		default:
			p.t.Fatalf("line %d: observation %s: no option %q", n, words[0], key)
		}
	}
}

func (p *play) event(n int, u *turn, words []string) {
	if _, ok := p.known[words[0]]; ok {
		severity := int(p.known[words[0]].latest.Severity)
		if len(words) > 2 {
			var err error
			severity, err = strconv.Atoi(words[2])
			p.must(n, err)
		}
		p.happen(u, words[0], words[1], severity)
		return
	}
	command := subconscious.Command{ID: int64(n), At: p.now.Add(time.Second), By: "person"}
	switch words[0] {
	case "close", "confirm":
		command.Kind, command.Incident = subconscious.CommandKind(words[0]), p.key(words[1])
	case "forever":
		command.Kind, command.Incident, command.Forever = subconscious.CommandDismiss, p.key(words[1]), true
	case "focus":
		command.Kind, command.Thread, command.Text = subconscious.CommandFocus, subconscious.ThreadName(words[1]), words[2]
	default:
		p.think(n, u, words)
		return
	}
	u.commands = append(u.commands, command)
}

// think is what a thread does.
func (p *play) think(n int, u *turn, words []string) {
	thread := subconscious.ThreadName(words[0])
	if !slices.Contains(subconscious.Threads(), thread.Thread()) {
		p.t.Fatalf("line %d: %q is neither an observation nor a thread", n, words[0])
	}
	switch words[1] {
	case "fails":
		u.outcomes[thread] = aggregator.Failed
	case "rests":
		u.outcomes[thread] = aggregator.Rested
	case "unchanged":
		u.outcomes[thread] = aggregator.Unchanged
	case "widens":
		level, err := strconv.Atoi(words[2])
		p.must(n, err)
		u.levels[thread] = level
	case "over":
		u.thought(thread).Over = append(u.thought(thread).Over, p.key(words[2]))
	case "hints":
		u.thought(thread).Focus = &subconscious.FocusHint{Thread: subconscious.ThreadName(words[2]), Hint: words[3]}
	case "journal":
		u.thought(thread).Journal = words[2]
	default:
		f := p.finding(n, u, words[1:])
		if thread != thread.Thread() {
			f.Rule, f.Factual = "rule", true
		}
		u.find(thread, f)
	}
}

func (p *play) finding(n int, u *turn, words []string) subconscious.Finding {
	importance, err := strconv.Atoi(words[1])
	p.must(n, err)
	f := subconscious.Finding{Kind: subconscious.Kind(words[0]), Importance: importance, Summary: words[2]}
	for _, word := range words[3:] {
		due, isDue := strings.CutPrefix(word, "due=")
		switch {
		case isDue:
			in, err := time.ParseDuration(due)
			p.must(n, err)
			f.Due = p.now.Add(u.after + in)
		case word == "escalate":
			f.Escalate, f.EscalateReason = true, "it asks for it"
		default:
			f.Evidence = append(f.Evidence, p.cite(word)...)
		}
	}
	return f
}

// write logs one tick.
func (p *play) write(u turn) {
	fmt.Fprintf(&p.log, "tick %d %s %s\n", p.state.TickCount, u.kind, p.now.In(p.zone).Format("Mon 2 Jan 15:04"))
	for _, e := range p.state.Entries {
		over, due := "", ""
		if e.Over {
			over = " over"
		}
		if !e.Due.IsZero() {
			due = " due " + e.Due.In(p.zone).Format("2 Jan 15:04")
		}
		fmt.Fprintf(&p.log, "  %s %d%s %s i%d %s %q by %v%s\n", e.List, e.Strength, over, e.ID, e.Importance, e.Kind, e.Summary, e.Sources, due)
	}
	for _, e := range p.state.Parked {
		fmt.Fprintf(&p.log, "  parked %d %s i%d %q\n", e.Strength, e.ID, e.Importance, e.Summary)
	}
	for _, c := range p.changes.Entries {
		if c.What != aggregator.Faded {
			fmt.Fprintf(&p.log, "  = %s %s %d to %d\n", c.Entry, c.What, c.From, c.To)
		}
	}
	for _, r := range p.changes.Rejected {
		fmt.Fprintf(&p.log, "  - %s %s %q\n", r.Thread, r.Reason, r.Summary)
	}
	for _, w := range p.changes.Requests {
		fmt.Fprintf(&p.log, "  ! %s %q\n", w.Entry, w.Summary)
	}
	for _, id := range slices.Sorted(maps.Keys(p.changes.Done)) {
		fmt.Fprintf(&p.log, "  > %s\n", p.changes.Done[id])
	}
	p.writeThreads()
}

func (p *play) writeThreads() {
	var pressure []string
	for _, name := range subconscious.Threads() {
		pressure = append(pressure, strconv.Itoa(p.state.Threads[name].NoveltyPressure))
	}
	fmt.Fprintf(&p.log, "  pressure %s\n", strings.Join(pressure, " "))
	for _, name := range subconscious.Threads() {
		t := p.state.Threads[name]
		if t.FocusHint != "" {
			fmt.Fprintf(&p.log, "  %s looks at %q of %s\n", name, t.FocusHint, t.FocusSource)
		}
		if t.Journal != "" {
			fmt.Fprintf(&p.log, "  %s notes %q\n", name, t.Journal)
		}
		if t.Health != "ok" || t.Widened > 0 {
			fmt.Fprintf(&p.log, "  %s is %s, widened %d\n", name, t.Health, t.Widened)
		}
	}
}

// verify compares the strengths with what the script expects.
func (p *play) verify() {
	if len(p.expects) == 0 {
		p.t.Error("the script expects nothing")
	}
	for _, expect := range p.expects {
		words := strings.Fields(expect)
		if got := p.strengths[words[0]]; !slices.Equal(got, words[1:]) {
			p.t.Errorf("%s\n got %s\nwant %s", words[0], strings.Join(got, " "), strings.Join(words[1:], " "))
		}
	}
}
