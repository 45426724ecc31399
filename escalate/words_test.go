package escalate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestWords writes messages of testdata/words.txtar: each file is a request as
// JSON, how it was told before, and the message that is made of it.
func TestWords(t *testing.T) {
	testutil.Archives(t, *update, "testdata/words.txtar", 1, words)
}

func words(t *testing.T, _ string, archive *txtar.Archive) {
	if len(archive.Files) < 10 {
		t.Fatalf("%d requests, want 10 and more", len(archive.Files))
	}
	for i, f := range archive.Files {
		request, _, _ := bytes.Cut(f.Data, []byte("\n---\n"))
		var given struct {
			subconscious.Asked
			Severity, Before subconscious.Severity
			Again            string
			Sense            string
			In               string // until it is due
		}
		if err := json.Unmarshal(request, &given); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		in := plainInput()
		asked := &in.Asked[0].Asked
		asked.Summary, asked.Reason = given.Summary, given.Reason
		in.Evidence[0].Latest.Severity = given.Severity
		if given.Kind != "" {
			asked.Kind = given.Kind
		}
		if given.In != "" {
			ahead, err := time.ParseDuration(given.In)
			if err != nil {
				t.Fatal(err)
			}
			asked.Due = noon.Add(ahead)
		}
		switch given.Again {
		case "":
		case "reminder":
			toldBefore(&in, 26*time.Hour, given.Before)
			telling(&in).Remind, telling(&in).Feedback = noon, subconscious.Useful
		case "returned":
			toldBefore(&in, 26*time.Hour, given.Before)
			telling(&in).State = subconscious.TellingResolved
		default:
			toldBefore(&in, 3*time.Hour, given.Before)
		}
		out := escalate.Decide(in)
		all := messages(out)
		if len(all) != 1 {
			t.Fatalf("%s: %d messages: %s", f.Name, len(all), asJSON(out.Decisions))
		}
		checkMessage(t, all[0])
		text := fmt.Sprintf("%s\n%s\n", all[0].Title, all[0].Text)
		archive.Files[i].Data = fmt.Appendf(nil, "%s\n---\n%s", bytes.TrimSpace(request), text)
	}
}

// TestPhone: a phone shows who or what and the point, the sentence, when in the
// person's words and one fact, with the priority of what is to be done; what a stranger
// writes is marked, and has the day.
func TestPhone(t *testing.T) {
	const hiring = "I need the hiring plan tonight by 7 instead of Monday, since the board has moved its meeting up"
	letter := func(attrs ...string) func(*subconscious.Asked, *subconscious.Observation) {
		return func(asked *subconscious.Asked, o *subconscious.Observation) {
			asked.Rule, asked.Reason, asked.Fact = "watcher.mail", "you write to its sender", "Then: Choir, Mon 23 Nov 18:30–20:00"
			*o = subconscious.Observation{Sense: "mail", Kind: "mail", ID: "mid:a", Title: "Deb Marsh: Re: hiring plan", Trust: subconscious.Outsider,
				Attrs: map[string]string{"from": "deb@example.org", "domain": "example.org", "known": "4", "quote": hiring}}
			for i := 0; i < len(attrs); i += 2 {
				if o.Attrs[attrs[i]] = attrs[i+1]; attrs[i+1] == "" {
					delete(o.Attrs, attrs[i])
				} else if attrs[i] == "title" {
					o.Title = attrs[i+1]
				}
			}
			asked.Summary = "Deb Marsh: “" + o.Attrs["quote"] + "”"
		}
	}
	for name, c := range map[string]struct {
		change               func(*subconscious.Asked, *subconscious.Observation)
		title, text, outline string
		priority             int
	}{
		"a letter whose sentence is long": {letter("names_at", "2026-11-23T19:00:00Z"), "Deb Marsh: I need the hiring plan tonight… · tonight 19:00",
			"“" + hiring + "” About: hiring plan. Then: Choir, tonight 18:30–20:00.", "Deb Marsh, tonight 19:00", 4},
		"one that is short": {letter("names_at", "2026-11-23T13:30:00Z", "quote", "Can you call me at 13:30?"), "Deb Marsh: “Can you call me at 13:30?”",
			"About: hiring plan. In 90 minutes. Then: Choir, tonight 18:30–20:00.", "Deb Marsh, today 13:30", 4},
		"one that names an amount, too": {letter("names_at", "2026-11-23T13:30:00Z", "quote", "Can you bring the 49.90 at 13:30?"), "Deb Marsh: “Can you bring the 49.90 at 13:30?”",
			"About: hiring plan. In 90 minutes. Then: Choir, tonight 18:30–20:00.", "Deb Marsh, today 13:30", 4},
		"one about now": {letter("names_at", "2026-11-23T12:20:00Z", "quote", "We wait downstairs."), "Deb Marsh: “We wait downstairs.”",
			"About: hiring plan. In 20 minutes. Then: Choir, tonight 18:30–20:00.", "Deb Marsh, today 12:20", 5},
		"one whose subject says it": {letter("title", "Deb Marsh: Hiring plan"), "Deb Marsh: Hiring plan: I need the hiring plan tonight by…",
			"“" + hiring + "” Then: Choir, tonight 18:30–20:00.", "Deb Marsh", 3},
		"one that names two times": {letter("names_at", "2026-11-23T12:20:00Z", "quote", "The visit at the eye doctor's has been put from 12:20 to 14:45, and they ask for the papers of the last one."), "Deb Marsh: The visit at the eye doctor's has been put from…",
			"“The visit at the eye doctor's has been put from 12:20 to 14:45, and they ask for the papers of the last one.” About: hiring plan. Then: Choir, tonight 18:30–20:00.", "Deb Marsh, today 12:20", 5},
		"a stranger's": {letter("names_at", "2026-11-23T12:20:00Z", "known", ""), "Mail from Deb Marsh: I need the hiring plan… · today 12:20",
			"“" + hiring + "” About: hiring plan. In 20 minutes. New to you: example[.]org.", "Somebody new, today 12:20", 3},
		"what the person promised": {func(asked *subconscious.Asked, o *subconscious.Observation) {
			asked.Rule, asked.Kind, asked.Due = "oracle.deadline", subconscious.KindDeadline, noon.Add(time.Hour)
			asked.Summary = "Promised to Robert Ferrand, Mon 23 Nov 13:00: I will hand you the last key myself, as agreed"
			*o = subconscious.Observation{Sense: "mail", Kind: "promise", ID: "mid:a#promise", Title: "You promised Robert Ferrand: I will hand you the last key", Trust: subconscious.Outsider,
				Attrs: map[string]string{"from": "me@example.org", "to": "robert@example.org"}}
		}, "Promised to Robert Ferrand, today 13:00: I will hand you…", "Promised to Robert Ferrand, today 13:00: I will hand you the last key myself, as agreed. In 60 minutes.", "Your own letter, today 13:00", 4},
		"an event": {func(asked *subconscious.Asked, o *subconscious.Observation) {
			asked.Rule, asked.Kind, asked.Due, asked.Summary = "oracle.event", subconscious.KindEvent, noon.Add(26*time.Hour), "Lawyer, Tue 24 Nov 14:00–15:00 (Main street)"
			o.Sense, o.Kind = "calendar", "event"
		}, "Lawyer, tomorrow 14:00–15:00 (Main street)", "It looks like a secret.", "An appointment, tomorrow 14:00", 3},
		"one that was moved": {func(asked *subconscious.Asked, o *subconscious.Observation) {
			asked.Rule, asked.Kind, asked.Due, asked.Summary = "watcher.moved", subconscious.KindEvent, noon.Add(2*time.Hour), "Board, yearly accounts, all partners moved from Fri 27 Nov 15:30 to Mon 23 Nov 14:00"
			o.Sense, o.Kind, o.Trust = "calendar", "event", subconscious.Outsider
		}, "Board, yearly accounts, all partners moved to today 14:00", "Board, yearly accounts, all partners moved from Fri 27 Nov 15:30 to today 14:00. In two hours.", "An appointment, today 14:00", 4},
		"two at once": {func(asked *subconscious.Asked, o *subconscious.Observation) {
			asked.Rule, asked.Kind, asked.Due = "oracle.clash", subconscious.KindRisk, noon.Add(4*time.Hour)
			asked.Summary = "Clash on Mon 23 Nov: Handball, trials 16:00–17:30 (was 12:00) and Father at the heart doctor 16:45–17:30"
			o.Sense, o.Kind = "calendar", "event"
		}, "Clash today: Handball, trials and Father at the heart doctor", "Clash today: Handball, trials 16:00–17:30 (was 12:00) and Father at the heart doctor 16:45–17:30.", "An appointment, today 16:00", 4},
		"what a check says without a text": {func(asked *subconscious.Asked, o *subconscious.Observation) {
			asked.Rule, asked.Kind, asked.Summary, asked.Reason = "watcher.declared", subconscious.KindAnomaly, "The freezer's door is open", ""
			*o = subconscious.Observation{Sense: "exec", Kind: "door", ID: "door", Instance: "freezer", Title: "The freezer's door is open", Trust: subconscious.Machine,
				Severity: subconscious.Warning}
		}, "The freezer's door is open", "Reported by freezer.", "A source of yours", 4},
		"a day alone": {func(asked *subconscious.Asked, o *subconscious.Observation) {
			asked.Rule, asked.Kind, asked.Due, asked.Summary = "oracle.deadline", subconscious.KindDeadline, noon.Add(6*time.Hour), "Due Mon 23 Nov: pay the rent"
			o.Sense, o.Kind = "notes", "task"
		}, "Due today: pay the rent", "It looks like a secret.", "A note of yours, today", 4},
	} {
		in := plainInput()
		asked, o := &in.Asked[0].Asked, &in.Evidence[0].Latest
		c.change(asked, o)
		in.Evidence[0].Ref = o.Ref()
		asked.Evidence[0].Ref = o.Ref()
		in.Incidents[0].Recorded = map[subconscious.Ref][]int64{o.Ref(): {5}}
		all := messages(escalate.Decide(in))
		if len(all) != 1 {
			t.Fatalf("%s: %d messages", name, len(all))
		}
		checkMessage(t, all[0])
		if m := all[0]; m.Title != c.title || m.Text != c.text || m.Outline != c.outline || m.Priority != c.priority {
			t.Errorf("%s: %q, %q, %q, priority %d", name, m.Title, m.Text, m.Outline, m.Priority)
		}
	}
}

// TestPriority: what to do and by when follows from how much it counts and how near is
// the time that it names; and a letter that cannot wait has no button for tomorrow.
func TestPriority(t *testing.T) {
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		importance int
		severity   subconscious.Severity
		ahead      string
		want       int
		tomorrow   bool
	}{
		{7, 0, "words 105", 5, false}, {9, 0, "words 70", 4, false}, {9, 0, "words 69", 3, true}, {9, 0, "", 3, true}, {7, subconscious.Warning, "", 4, true}, // in need, and by when is not said
		{9, 0, "10h", 4, false}, {7, 0, "4h", 4, false}, {9, 0, "16h", 3, false}, {7, 0, "2h", 4, false}, {6, 0, "2h", 3, false},
		{8, 0, "20m", 5, false}, {8, 0, "-1m", 5, false}, {8, 0, "-1h", 3, false}, {9, 0, "25h", 3, true}, {9, 0, "23h", 3, false}, {8, 0, "72h", 2, true}, {8, 0, "a day", 2, true}, {8, 0, "a day, told late", 3, true},
		{8, 0, "at 19:00, 13h", 4, false}, {8, 0, "at 19:00, 17h", 3, true},
	} {
		in := plainInput()
		in.At = at
		if ahead, evening := strings.CutPrefix(c.ahead, "at 19:00, "); evening {
			in.At, c.ahead = at.Add(10*time.Hour), ahead
		}
		asked, o := &in.Asked[0].Asked, &in.Evidence[0].Latest
		asked.Importance, o.Severity = c.importance, c.severity
		if o.Attrs = map[string]string{"from": "deb@example.org", "known": "4"}; o.Severity == 0 {
			o.Sense = "mail"
		}
		if words, is := strings.CutPrefix(c.ahead, "words "); is {
			o.Attrs["words"] = words
		} else if day, late := strings.CutSuffix(c.ahead, ", told late"); day == "a day" {
			o.At, o.Attrs["days"] = at, "3"
			if late {
				o.At = at.AddDate(0, 0, -2)
			}
		} else if c.ahead != "" {
			ahead, err := time.ParseDuration(c.ahead)
			if err != nil {
				t.Fatal(err)
			}
			asked.Due = in.At.Add(ahead)
		}
		all := messages(escalate.Decide(in))
		if len(all) != 1 || all[0].Priority != c.want || slices.Contains(all[0].Buttons, "tomorrow") != c.tomorrow {
			t.Errorf("%+v: %s", c, asJSON(all))
		}
	}
}

// TestClashPriority: a clash of the afternoon can be settled until then, unless somebody has
// just moved a part of it.
func TestClashPriority(t *testing.T) {
	for moved, want := range map[string]int{"": 3, "2026-11-23T14:00:00Z": 4} {
		in := plainInput()
		asked, o := &in.Asked[0].Asked, &in.Evidence[0].Latest
		in.Asked[0].Incident = subconscious.PairKey("calendar:a", "calendar:b")
		in.Incidents[0].Key = in.Asked[0].Incident
		asked.Rule, asked.Kind, asked.Due, asked.Importance = "oracle.clash", subconscious.KindRisk, noon.Add(8*time.Hour), 8
		o.Sense, o.Kind, o.Attrs = "calendar", "event", map[string]string{"moved_from": moved}
		if all := messages(escalate.Decide(in)); len(all) != 1 || all[0].Priority != want {
			t.Errorf("%q: %s", moved, asJSON(all))
		}
	}
}

// TestNoticeWords checks that a trouble of the daemon's own is told with what,
// why and what can be done, of which a long reason leaves out neither end.
func TestNoticeWords(t *testing.T) {
	const what, title, next = "notes n has been blind since Sun 08:38", "Notes n has been blind since Sun 08:38", "mend that; nothing that happens meanwhile is lost to it"
	for name, c := range map[string]struct{ text, next, title, begins, ends string }{
		"short":       {what + ": no such folder.", next, title, "No such folder. ", "Mend that; nothing that happens meanwhile is lost to it."},
		"long":        {what + ": " + strings.Repeat("folder ", 60), next, title, "Folder folder", "Mend that; nothing that happens meanwhile is lost to it."},
		"no reason":   {"The state folder is nearly full", "make room", "The state folder is nearly full", "Make room.", "Make room."},
		"no step":     {what, "", title, "Its status", "says what to do."},
		"only a code": {"", "", "Blind", "Its status", "says what to do."},
		"own words":   {what + ": /etc/config.yaml:5 of imap.example.com:993 is wrong", next, title, "/etc/config.yaml:5 of imap.example.com:993 is wrong.", "lost to it."},
		"of others": {what + `: it says "see evil.example.com:993, https://imap.example.com.evil.com or imap.example.com/in"`, next, title,
			`It says "see evil[.]example[.]com:993, imap[.]example[.]com[.]evil[.]com or imap[.]example[.]com/in"`, "lost to it."},
		"a command":         {what + ": nobody has signed in yet; run: subconsciousctl auth mail n", "see `subconsciousctl status`", title, "Nobody has signed in yet.", "yet. Its status says what to do."},
		"of one in others'": {what + ": it ended with 1: sudo: a password is required", next, title, "It ended with 1: sudo: a password is required.", "lost to it."},
		"a command between": {what + ": others can read it; run: chmod 600 x; it is left out", "see `subconsciousctl models`; rules look meanwhile", title, "Others can read it; it is left out.", "out. Rules look meanwhile."},
	} {
		in := plainInput()
		in.Asked, in.Own = nil, []string{"imap.example.com"}
		in.Notices = []escalate.Notice{{NoticeKey: subconscious.NoticeKey{Code: "blind", Key: "a"}, Text: c.text, Next: c.next, At: noon.Add(-time.Hour)}}
		out := escalate.Decide(in)
		if out.Notices == nil {
			t.Fatalf("%s: nothing is told", name)
		}
		m := out.Notices.Message
		checkMessage(t, m)
		if m.Title != c.title || !strings.HasPrefix(m.Text, c.begins) || !strings.HasSuffix(m.Text, c.ends) {
			t.Errorf("%s: %q, %q", name, m.Title, m.Text)
		}
	}
}

// TestGuardsAreToldAtOnce: of what another may have done in the person's name they hear
// at once, however much was told, and of nothing else with it; in quiet hours, after them.
func TestGuardsAreToldAtOnce(t *testing.T) {
	in := plainInput()
	in.Asked, in.Spent.Notices = nil, in.Rules.NoticesPerDay
	of := func(code string) escalate.Notice {
		return escalate.Notice{NoticeKey: subconscious.NoticeKey{Code: code}, Text: code, At: in.At}
	}
	in.Notices = []escalate.Notice{of("blind"), of(subconscious.NoticeTouched), of(subconscious.NoticePassphrase)}
	in.Notices[0].At = in.At.Add(-time.Hour)
	if told := escalate.Decide(in).Notices; told == nil || len(told.Notices) != 2 || !told.Notices[0].Guards() || !told.Notices[1].Guards() {
		t.Errorf("told: %+v", told)
	}
	in.Spent.Notices, in.Spent.Restored = 0, in.At // as good as all are spent
	if told := escalate.Decide(in).Notices; told == nil || len(told.Notices) != 2 {
		t.Errorf("told on the day of a restore: %+v", told)
	}
	in.Rules.Quiet = escalate.Hours{From: "00:00", To: "23:59"}
	if told := escalate.Decide(in).Notices; told != nil {
		t.Errorf("told at night: %+v", told)
	}
}

// TestDigestWords checks that a digest names the most important and counts the
// rest, however many and however long.
func TestDigestWords(t *testing.T) {
	for _, n := range []int{1, 2, 9, 200} {
		for _, length := range []int{0, 5, 60, 400} {
			p := newPlay(t, noon.Add(-4*time.Hour))
			for i := range n {
				name := fmt.Sprintf("file%d", i)
				p.observe(name, "file")
				p.happen(name, subconscious.Appeared, 0)
				p.ask(p.key(name), subconscious.Asked{Thread: subconscious.Watcher, Kind: subconscious.KindIdea, Importance: 5, Summary: strings.Repeat("ä", length)}, name)
			}
			p.decide()
			p.at = noon
			out := p.decide()
			if len(out.Digests) != 1 || len(out.Digests[0].Incidents) != n {
				t.Fatalf("%d digests", len(out.Digests))
			}
			checkMessage(t, out.Digests[0].Message)
			if n > 9 && !strings.Contains(out.Digests[0].Message.Text, " more") {
				t.Errorf("%q counts nothing", out.Digests[0].Message.Text)
			}
		}
	}
}
