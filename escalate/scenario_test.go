package escalate_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestLives plays testdata/*.txtar: a script, and a golden log of what every
// tick decided that was new.
//
//	zone Europe/Berlin                     the mind's, else UTC
//	start 2026-11-23 09:00                 of the first tick
//	rules cooldown=1h quiet=22:00-07:00 daily= weekly="sun 18:00" cap=12 hour=2 critical=disk,event
//	observation disk disk                  a name and its kind
//	due rent 2026-11-24 10:00              when it is due; set meeting partstat accepted
//	tick [+5m | to 15:00 | to 2026-11-24 15:00] [xN]   each of the N ticks that far on
//	  disk appears 2 | changes 3 | goes | happens 1
//	  ask watcher anomaly 6 "words" "reason" disk other [pattern] [pair]
//	  ack disk useful | snooze disk [+2h] | remind disk +2h | dismiss disk [forever]
//	  presence busy [+1h]
//	  outcome disk dismissed [+2h] [1]     how its last deliberation ended, or that of tick 1
//	  notice code "words" "next" -1h
func TestLives(t *testing.T) {
	testutil.Archives(t, *update, "testdata/life-*.txtar", 12, func(t *testing.T, _ string, archive *txtar.Archive) {
		s := &script{t: t, p: newPlay(t, time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC))}
		if len(archive.Files) == 0 || archive.Files[0].Name != "script" {
			t.Fatal("the script must come first")
		}
		s.run(string(archive.Files[0].Data))
		archive.Files = append(archive.Files[:1:1], txtar.File{Name: "decisions", Data: s.log.Bytes()})
	})
}

type script struct {
	t       *testing.T
	p       *play
	log     bytes.Buffer
	pending bool
	started bool
	step    time.Duration
	repeat  int
}

func (s *script) run(text string) {
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		words := fields(line)
		if len(words) == 0 {
			continue
		}
		if err := s.line(words); err != nil {
			s.t.Fatalf("line %d: %q: %v", n, line, err)
		}
	}
	s.flush()
}

// fields splits at spaces, but not within quotes.
func fields(line string) (words []string) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}

func (s *script) flush() {
	for ; s.pending && s.repeat > 0; s.repeat-- {
		s.write(s.p.decide())
		if s.repeat > 1 {
			s.p.at = s.p.at.Add(s.step)
		}
	}
	s.pending = false
}

func (s *script) line(words []string) error {
	p := s.p
	switch words[0] {
	case "zone":
		p.at = time.Date(p.at.Year(), p.at.Month(), p.at.Day(), p.at.Hour(), p.at.Minute(), 0, 0, zone(s.t, words[1]))
	case "start":
		p.at = s.moment(words[1] + " " + words[2])
	case "rules":
		return s.rules(words[1:])
	case "observation":
		p.observe(words[1], words[2])
	case "due":
		s.flush()
		e := *p.known[words[1]]
		e.Latest.Due = s.moment(words[2] + " " + words[3])
		p.known[words[1]] = &e
	case "set":
		p.known[words[1]].Latest.Attrs[words[2]] = words[3]
	case "tick":
		s.flush()
		return s.tick(words[1:])
	default:
		if !s.pending {
			return fmt.Errorf("stands outside a tick")
		}
		return s.event(words)
	}
	return nil
}

func (s *script) tick(words []string) error {
	s.pending, s.repeat, s.step = true, 1, 5*time.Minute
	next := s.p.at.Add(s.step)
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "to" && len(words) > i+2:
			next = s.moment(words[i+1] + " " + words[i+2])
			i += 2
		case word == "to":
			next = s.moment(s.p.at.Format(time.DateOnly) + " " + words[i+1])
			i++
		case word[0] == 'x':
			n, err := strconv.Atoi(word[1:])
			if err != nil {
				return err
			}
			s.repeat = n
		default:
			d, err := time.ParseDuration(word)
			if err != nil {
				return err
			}
			s.step = d
			next = s.p.at.Add(d)
		}
	}
	if s.started {
		s.p.at = next
	}
	s.started = true
	return nil
}

func (s *script) moment(text string) time.Time {
	at, err := time.ParseInLocation("2006-01-02 15:04", text, s.p.at.Location())
	if err != nil {
		s.t.Fatal(err)
	}
	return at
}

func (s *script) rules(words []string) error {
	r := &s.p.rules
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		n, numeric := strconv.Atoi(value)
		d, span := time.ParseDuration(value)
		switch {
		case key == "quiet":
			r.Quiet.From, r.Quiet.To, _ = strings.Cut(value, "-")
		case key == "deliberates":
			r.Deliberates = true
		case key == "daily":
			r.Digest.Daily, r.Digest.Afternoon = value, ""
		case key == "weekly":
			r.Digest.Weekly = strings.ReplaceAll(value, "_", " ")
		case key == "critical":
			r.Critical = strings.Split(value, ",")
		case key == "cap" && numeric == nil:
			r.NotificationsPerDay = n
		case key == "hour" && numeric == nil:
			r.EscalationsPerHour = n
		case key == "cooldown" && span == nil:
			r.Cooldown = d
		default:
			return fmt.Errorf("%q is no rule", word)
		}
	}
	return r.Validate()
}

func (s *script) event(words []string) error {
	p := s.p
	in := func(i int) time.Time {
		if len(words) <= i {
			return time.Time{}
		}
		d, err := time.ParseDuration(words[i])
		if err != nil {
			s.t.Fatal(err)
		}
		if d == 0 {
			return time.Time{}
		}
		return p.at.Add(d)
	}
	switch words[0] {
	case "ask":
		return s.ask(words[1:])
	case "ack":
		c := subconscious.Command{Kind: subconscious.CommandAck, Incident: p.key(words[1])}
		if len(words) > 2 {
			c.Feedback = subconscious.Feedback(words[2])
		}
		p.command(c)
	case "snooze":
		p.command(subconscious.Command{Kind: subconscious.CommandSnooze, Incident: p.key(words[1]), Until: in(2)})
	case "remind":
		p.command(subconscious.Command{Kind: subconscious.CommandRemind, Incident: p.key(words[1]), Until: in(2)})
	case "dismiss":
		p.command(subconscious.Command{Kind: subconscious.CommandDismiss, Incident: p.key(words[1]), Forever: len(words) > 2})
	case "over": // a pair, as the rule says that found it
		key := subconscious.PairKey(p.key(words[1]), p.key(words[2]))
		incident := p.incidents[key]
		incident.Over = true
		p.incidents[key] = incident
	case "outcome":
		return s.outcome(words[1:], in(3))
	case "presence":
		p.presence = subconscious.Presence{State: subconscious.PresenceState(words[1]), Since: p.at, Until: in(2)}
	case "notice":
		p.notices = append(p.notices, escalate.Notice{NoticeKey: subconscious.NoticeKey{Code: words[1], Key: words[1]}, Text: words[2], Next: words[3], At: in(4)})
	default:
		severity := 0
		if len(words) > 2 {
			severity, _ = strconv.Atoi(words[2])
		}
		change, known := map[string]subconscious.Change{"appears": subconscious.Appeared, "changes": subconscious.Changed,
			"goes": subconscious.Gone, "happens": subconscious.Momentary}[words[1]]
		if !known {
			return fmt.Errorf("nothing that happens")
		}
		p.happen(words[0], change, subconscious.Severity(severity))
	}
	return nil
}

func (s *script) outcome(words []string, until time.Time) error {
	key, tick := s.p.key(words[0]), int64(0)
	if len(words) > 3 {
		n, err := strconv.ParseInt(words[3], 10, 64)
		if err != nil {
			return err
		}
		tick = n
	}
	for _, told := range s.p.incidents[key].Telling.Told {
		if tick == 0 || told.Outcome == subconscious.OutcomePending && len(words) < 4 {
			tick = told.Tick
		}
	}
	s.p.outcome(key, tick, subconscious.OutcomeKind(words[1]), until)
	return nil
}

func (s *script) ask(words []string) error {
	importance, err := strconv.Atoi(words[2])
	if err != nil {
		return err
	}
	asked := subconscious.Asked{Thread: subconscious.ThreadName(words[0]), Kind: subconscious.Kind(words[1]), Importance: importance,
		Summary: words[3], Reason: words[4]}
	var cites []string
	form := ""
	for _, word := range words[5:] {
		if word == "pattern" || word == "pair" {
			form = word
			continue
		}
		cites = append(cites, word)
	}
	key := s.p.key(cites[0])
	switch form {
	case "pattern":
		key = subconscious.PatternKey(key)
	case "pair":
		key = subconscious.PairKey(key, s.p.key(cites[1]))
	}
	asked.Due = s.p.known[cites[0]].Latest.Due
	s.p.ask(key, asked, cites...)
	return nil
}

// write logs what was new at a tick, and the states that changed.
func (s *script) write(out escalate.Decided) {
	var lines []string
	for _, d := range out.Decisions {
		if !d.New {
			continue
		}
		line := fmt.Sprintf("%s %s %s: %s", d.ID, d.Verdict, d.Reason, d.Detail)
		if !d.Until.IsZero() {
			line += " [until " + d.Until.Format("Mon 15:04") + "]"
		}
		lines = append(lines, line)
		if d.Message != nil {
			lines = append(lines, fmt.Sprintf("  %q %q%s", d.Message.Title, d.Message.Text, map[bool]string{true: " urgent"}[d.Message.Urgent]+map[bool]string{true: ", to be deliberated on"}[d.Deliberate]))
		}
	}
	for _, c := range out.Clears {
		lines = append(lines, fmt.Sprintf("clear %s %q %q", c.ID, c.Message.Title, c.Message.Text))
	}
	for _, d := range out.Digests {
		lines = append(lines, fmt.Sprintf("digest %q %q", d.Message.Title, d.Message.Text))
	}
	if out.Notices != nil {
		lines = append(lines, fmt.Sprintf("notices %q %q", out.Notices.Message.Title, out.Notices.Message.Text))
	}
	for _, c := range s.p.last.Commands {
		if done := out.Done[c.ID]; done != "" {
			lines = append(lines, "= "+done)
		}
	}
	for _, record := range out.Concluded {
		lines = append(lines, fmt.Sprintf("history of %s: %s, %s %v", record.At.Format("15:04"), record.Outcome, record.Deliberation, record.Cited))
	}
	for _, incident := range out.Incidents {
		if t := incident.Telling; t.Since.Equal(s.p.at) {
			lines = append(lines, fmt.Sprintf("%s is %s", t.ID, t.State))
		}
	}
	for _, c := range out.Scores {
		lines = append(lines, fmt.Sprintf("%s %s %s: weight %.3f", c.Thread, c.Source, c.Kind, escalate.Weight(c)))
	}
	if len(lines) > 0 {
		fmt.Fprintf(&s.log, "%s\n  %s\n", s.p.at.Format("Mon 2 Jan 15:04"), strings.Join(lines, "\n  "))
	}
}
