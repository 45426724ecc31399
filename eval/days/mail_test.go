package days

import (
	"bytes"
	"errors"
	"io"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// posted is a day with mail that is well; tests change a line of it.
const posted = `title: A day with mail
who: Somebody who tests
zone: Europe/Berlin
start: 2026-03-03
set: tune
tags: test
language: de, en
addresses: eva@example.com, eva.berg@example.org
clutter: 20 without builds
-- mail/plan.eml --
From: Anna <anna@example.org>
Subject: Plan
Status: unread

Kommst du am Freitag?
-- sent/question.eml --
To: bert@example.org
Subject: Bohrer
Date: 2026-03-01 10:00

Kannst du mir deinen Bohrer leihen?
-- later/answer.eml --
From: Bert <bert@example.org>
Subject: Re: Bohrer
In-Reply-To: question

Gern, ab {time}.
-- later/reply.eml --
To: anna@example.org
Subject: Re: Plan
In-Reply-To: plan

Ja.
-- timeline --
09:00-10:00/30m mail from later/answer.eml
10:05 read answer
10:10 send from later/reply.eml
10:20 archive answer
10:30 fail mail
11:00 mend mail
11:10 trash plan
-- labels --
worth drill
  since 09:00
  about mail question
  because "She has waited for the drill for two days, and can begin today."
noise blind
  about sense mail
  because "Half an hour without mail in the morning is nothing to her."
`

func TestParseMail(t *testing.T) {
	d, err := parseDay("posted.txtar", []byte(posted))
	if err != nil {
		t.Fatal(err)
	}
	if d.clutter.aDay != 20 || len(d.clutter.without) != 1 || len(d.mails) != 4 || d.mail("answer").times != 3 {
		t.Errorf("clutter %+v, %d mails", d.clutter, len(d.mails))
	}
	drill := d.label("drill")
	for key, want := range map[string]bool{
		"mail:mid:question@days.example.net": true, "mail:mid:question@days.example.net#awaiting": true, "mail:mid:answer.3@days.example.net": true,
		"thread:mid:question@days.example.net": true, "mail:mid:answer.4@days.example.net": false, "mail:mid:plan@days.example.net": false, "mail:mid:reply@days.example.net": false,
	} {
		if got := drill.about[0].covers(key); got != want {
			t.Errorf("it covers %s: %v", key, got)
		}
	}
}

// Each mistake is said with its line.
func TestParseMailRefuses(t *testing.T) {
	refuses(t, "posted.txtar", posted, map[string]mistake{
		"no addresses":         {"addresses: eva@example.com, eva.berg@example.org\n", "", ":1: there is mail, and no addresses"},
		"clutter":              {"clutter: 20", "clutter: many", ":9: clutter is"},
		"too much clutter":     {"clutter: 20", "clutter: 501", ":9: clutter is"},
		"kind of clutter":      {"without builds", "without joy", ":9: there is no clutter of the kind"},
		"a line of a mail":     {"From: Anna <anna@example.org>", "From: Anna", ":11: the sender is"},
		"no subject":           {"Subject: Bohrer\n", "", ":17: the mail has no Subject"},
		"no sender":            {"From: Anna <anna@example.org>\n", "", ":10: the mail plan has no From"},
		"nobody it is to":      {"To: bert@example.org\n", "", ":16: the mail question that the person sent has no To"},
		"a later line":         {"From: Bert <bert@example.org>", "Form: Bert", ":35: the mail answer has no From"},
		"nobody it is sent to": {"To: anna@example.org\n", "", ":36: the mail reply that the person sends has no To"},
		"of the future":        {"2026-03-01 10:00", "2026-03-04 10:00", ":16: the mail question is of 2026-03-04"},
		"status of what comes": {"From: Bert", "Status: read\nFrom: Bert", ":22: the mail answer has a Status"},
		"answers nothing":      {"In-Reply-To: question", "In-Reply-To: questions", ":22: the mail answer answers"},
		"answers what is not":  {"Status: unread", "In-Reply-To: question", ":10: the mail plan answers question, which comes later"},
		"name twice":           {"-- sent/question.eml --", "-- sent/plan.eml --", ":16: there is a mail plan already, at line 10"},
		"comes from nowhere":   {"read answer", "mail from later/plan.eml", `:36: there is no section "later/plan.eml"`},
		"name":                 {"-- sent/question.eml --", "-- sent/Question.eml --", ":16: the section sent/Question.eml is none"},
		"deep":                 {"-- sent/question.eml --", "-- sent/a/question.eml --", ":16: the section"},
		"from nowhere":         {"send from later/reply.eml", "send later/reply.eml", ":37: write `send from"},
		"no such mail":         {"read answer", "read anwser", `:36: there is no mail "anwser"`},
		"before it came":       {"10:05 read answer", "10:05 read reply", ":36: 10:05: the mail reply is not in the inbox then"},
		"gone":                 {"trash plan", "trash answer", ":41: 11:10: the mail answer is not in the inbox then"},
		"mended twice":         {"10:30 fail mail", "10:30 mend mail", ":39: 10:30: mail is in that state already"},
	})
}

// What the file says is in the mailbox, with its flags, and where the person
// moved it.
func TestDayMailbox(t *testing.T) {
	d, err := parseDay("posted.txtar", []byte(posted))
	if err != nil {
		t.Fatal(err)
	}
	w, err := harness.Open("day", d.start)
	defer func() {
		if err := w.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if err != nil {
		t.Fatal(err)
	}
	m, err := openMailbox(w, d)
	if err != nil {
		t.Fatal(err)
	}
	flags := func(name string) string {
		place := m.places[name]
		var words []string
		for _, f := range m.box.Flags(place.folder)[place.uid] {
			words = append(words, string(f))
		}
		return place.folder + " " + strings.Join(words, " ")
	}
	if got := flags("plan") + "; " + flags("question"); got != `INBOX ; Sent \Seen` {
		t.Errorf("at the start: %s", got)
	}
	if m.until(d.start); len(m.box.Flags(folderInbox)) != 3*20+1 {
		t.Errorf("%d mails are there at the start", len(m.box.Flags(folderInbox)))
	}
	p := newPlayer(w, d)
	p.mailbox = m
	for _, e := range d.timeline {
		if err := verbs[e.deed.verb].do(p, t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if e.deed.path != "mail" {
			continue
		}
		conn, err := m.dial(t.Context(), "tcp", "localhost:143")
		if (err == nil) != (e.deed.verb == "mend") {
			t.Errorf("%s: %v", e.deed.verb, err)
		}
		if err == nil {
			_ = conn.Close()
		}
	}
	if got := flags("plan") + "; " + flags("answer") + "; " + flags("reply"); got != `Trash \Answered \Seen; Archive \Seen; Sent \Seen` {
		t.Errorf("in the end: %s", got)
	}
	if got := strings.Join(m.places["answer"].refs, " "); got != "question@days.example.net answer.3@days.example.net" {
		t.Errorf("the thread of the answer: %s", got)
	}
	if m.until(d.end); m.next != 4*20 {
		t.Errorf("%d mails came by themselves", m.next)
	}
	for _, p := range m.posts {
		if _, err := mail.ReadMessage(bytes.NewReader(p.Raw)); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
}

// The mind looks at the mailbox: what came is there at the next tick, and it is
// blind while the server takes nobody.
func TestPlayMail(t *testing.T) {
	d, err := parseDay("posted.txtar", []byte(posted))
	if err != nil {
		t.Fatal(err)
	}
	w := opened(t, d)
	p, states := w, map[string]string{}
	for at := d.start.Add(8*time.Hour + 50*time.Minute); at.Before(d.start.Add(11*time.Hour + 30*time.Minute)); at = at.Add(harness.Slot) {
		if err := p.slot(t.Context(), at, subconscious.Scheduled); err != nil {
			t.Fatal(err)
		}
		status, err := w.Mind.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range status.Senses {
			if s.ID == "mail" {
				states[at.Format("15:04")] = string(s.State)
			}
		}
	}
	if states["09:00"] != "ok" || states["10:30"] != "blind" || states["10:55"] != "blind" || states["11:20"] != "ok" {
		t.Errorf("the sense: %v", states)
	}
	if writes := w.mailbox.box.Writes(); len(writes) > 0 {
		t.Errorf("the mind changed something: %v", writes)
	}
}

// TestOracle: a model that knows the labels tells what it is shown, in the words of
// the label and once mails have gathered for triage, although it deliberates. What it is not
// shown is counted apart.
func TestOracle(t *testing.T) {
	before, _, _ := strings.Cut(posted, "-- labels --")
	d, err := parseDay("posted.txtar", []byte(before+`-- labels --
needle drill
  since 09:00
  by 09:20
  about mail question
  says "ab 09.00"
  because "She has waited for the drill for two days, and can begin today."
needle never
  since 09:00
  by 10:00
  about mail answer
  match "what nobody wrote"
  because "Nothing that is shown can say this."
`))
	if err != nil {
		t.Fatal(err)
	}
	d.end = d.start.Add(10*time.Hour + 30*time.Minute)
	result, err := playDays(t.Context(), []*day{d}, &options{set: setTune, preset: oracleModel, oracle: true})
	if err != nil {
		t.Fatal(err)
	}
	s := result.Sets[0]
	if s.Told != 1 || s.Unshown != 1 || s.Quoted != 1 || *s.Median != 3 || s.TokensADay["watcher"] == 0 || s.TokensADay["deliberation"] == 0 {
		t.Errorf("%s", harness.Text(table, result))
	}
}
