package mails

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

var ines = &mail.Address{Address: "ines@hosting.example"}

const simple = `From: Änne Berg <anna@example.com>
To: ines@hosting.example, Rui <rui@example.org>
Subject: Grüße, und eine Frage
Date: 2026-03-02 17:40
In-Reply-To: plan
References: first, plan
X-Priority: 1
Attachment: plan für märz.pdf

Liebe Ines,

kommst du? Ein langer Satz, der weit über das Ende einer Zeile hinausgeht und deshalb umgebrochen werden muss.
`

func TestParseAndRaw(t *testing.T) {
	zone := testutil.Zone(t, "Europe/Lisbon")
	l, err := Parse(simple, zone)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(l.Names(), " "); got != "first plan" {
		t.Errorf("it answers %q", got)
	}
	raw := l.Raw(Envelope{ID: "answer@mail.example.net", Refs: []string{"first@mail.example.net", "plan@mail.example.net"}, At: time.Date(2026, 3, 3, 9, 0, 0, 0, zone), To: ines.String()})
	for line := range bytes.Lines(raw) {
		if !bytes.HasSuffix(line, []byte("\r\n")) || len(line) > 1000 {
			t.Errorf("a line ends in no CRLF, or is too long: %q", line)
		}
	}
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	date, err := m.Header.Date()
	if err != nil || !date.Equal(l.Date) {
		t.Errorf("date %s: %v", date, err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != "Grüße, und eine Frage" {
		t.Errorf("subject %q: %v", subject, err)
	}
	from, err := m.Header.AddressList("From")
	if err != nil || from[0].Name != "Änne Berg" {
		t.Errorf("from %v: %v", from, err)
	}
	to, err := m.Header.AddressList("To")
	if err != nil || len(to) != 2 {
		t.Errorf("to %v: %v", to, err)
	}
	if got := m.Header.Get("References"); !strings.HasPrefix(got, "<first@mail.example.net>") || !strings.HasSuffix(got, "<plan@mail.example.net>") {
		t.Errorf("references %q", got)
	}
	if m.Header.Get("X-Priority") != "1" || !strings.HasPrefix(m.Header.Get("Content-Type"), "multipart/mixed") {
		t.Errorf("header %v", m.Header)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(io.LimitReader(m.Body, 280)))
	if err != nil || !strings.Contains(string(body), "kommst du? Ein langer Satz, der weit über das Ende einer Zeile hinausgeht") {
		t.Errorf("body %s: %v", body, err)
	}
}

// A name may hold what the standard would have in quotes.
func TestParseSender(t *testing.T) {
	for text, want := range map[string]string{
		"Brandt, accounts <a@example.org>": `"Brandt, accounts" <a@example.org>`, `"A. B." <a@example.org>`: `"A. B." <a@example.org>`,
		"a@example.org": "<a@example.org>", "Änne <a@example.org>": "=?utf-8?q?=C3=84nne?= <a@example.org>",
	} {
		l, err := Parse("From: "+text+"\nSubject: x\n\n", time.UTC)
		if err != nil || l.From != want {
			t.Errorf("%s: %v, %v, want %s", text, l.From, err, want)
		}
	}
	for _, text := range []string{"a, b", "x@example.org, Anna <a@example.org>", "Anna <a@example.org> <b@example.org>", "Anna <>"} {
		if _, err := Parse("From: "+text+"\nSubject: x\n\n", time.UTC); err == nil {
			t.Errorf("%s is a sender", text)
		}
	}
}

// Each mistake is said with its line.
func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"no subject":       {"Subject: Grüße, und eine Frage\n", "", "line 1: the mail has no Subject"},
		"no header":        {"Subject: ", "Subject ", "line 3: \"Subject Grüße"},
		"sender":           {"<anna@example.com>", "anna", "line 1: the sender is"},
		"recipients":       {"ines@hosting.example,", "ines@,", "line 2: the list of To is"},
		"date":             {"2026-03-02 17:40", "Monday", "line 4: the date is"},
		"made":             {"X-Priority: 1", "Message-ID: <a@b>", "line 7: Message-Id is made"},
		"twice":            {"X-Priority: 1", "subject: again", "line 7: Subject is there already"},
		"kind of text":     {"X-Priority: 1", "Content-Type: image/png", "line 7: the type of the text is"},
		"found of it":      {"X-Priority: 1", "Auth: maybe", "line 7: Auth is"},
		"status":           {"X-Priority: 1", "Status: lost", "line 7: the status is"},
		"path as a file":   {"plan für märz.pdf", "../plan.pdf", "line 8: an attachment is"},
		"text with return": {"X-Priority: 1", "X-Priority: 1\rX: y", "line 7: X-Priority is too long, or not"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(simple, c.old, c.new, 1)
			if text == simple {
				t.Fatalf("the mail has no %q", c.old)
			}
			_, err := Parse(text, time.UTC)
			var m Mistake
			if !errors.As(err, &m) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// Every template can be filled in and read, whatever falls to its places.
func TestTemplates(t *testing.T) {
	c, err := NewClutter("test", ines, languages, nil)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, language := range languages {
		data, err := templates.ReadFile("clutter/" + language + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(data).Files {
			count++
			kind, name, _ := strings.Cut(f.Name, "/")
			only := *c
			only.languages, only.kinds = []string{language}, []string{kind}
			only.of = map[string]map[string][]template{language: {kind: {{name, string(f.Data)}}}}
			posted, err := only.Day(time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC), 40)
			if err != nil {
				t.Errorf("%s %s: %v", language, f.Name, err)
				continue
			}
			different := map[string]bool{}
			for _, p := range posted {
				m, err := mail.ReadMessage(bytes.NewReader(p.Raw))
				if err != nil {
					t.Errorf("%s %s: %v", language, f.Name, err)
					continue
				}
				for _, key := range []string{"From", "To"} {
					if _, err := m.Header.AddressList(key); err != nil {
						t.Errorf("%s %s: %s: %v", language, f.Name, key, err)
					}
				}
				body, err := io.ReadAll(m.Body)
				if err != nil || len(bytes.TrimSpace(body)) < 40 {
					t.Errorf("%s %s: no text: %q %v", language, f.Name, body, err)
				}
				different[m.Header.Get("Subject")+string(body)] = true
			}
			if len(different) < 4 {
				t.Errorf("%s %s: 40 mails of it are only %d", language, f.Name, len(different))
			}
		}
	}
	if count < 60 {
		t.Errorf("%d templates, want 60 at least", count)
	}
}

// The same seed gives the same mails, another one others, in the proportions
// and the languages of the person.
func TestClutter(t *testing.T) {
	date := time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)
	day := func(seed string, spoken, without []string) []Posted {
		t.Helper()
		c, err := NewClutter(seed, ines, spoken, without)
		if err != nil {
			t.Fatal(err)
		}
		posted, err := c.Day(date, 1000)
		if err != nil || len(posted) != 1000 {
			t.Fatal(len(posted), err)
		}
		return posted
	}
	all := func(posted []Posted) (text string) {
		for _, p := range posted {
			text += p.At.String() + string(p.Raw)
		}
		return text
	}
	first := day("a", []string{"de", "pt"}, nil)
	if all(first) != all(day("a", []string{"de", "pt"}, nil)) {
		t.Error("the same seed gives other mails")
	}
	if all(first) == all(day("b", []string{"de", "pt"}, nil)) {
		t.Error("another seed gives the same mails")
	}
	if !slices.IsSortedFunc(first, func(a, b Posted) int { return a.At.Compare(b.At) }) || first[0].At.Before(date) || !first[999].At.Before(date.AddDate(0, 0, 1)) {
		t.Error("they are not in order within the day")
	}
	kinds, german := map[string]int{}, 0
	for _, p := range first {
		kinds[p.Kind]++
		if bytes.Contains(p.Raw, []byte("Betrag")) || bytes.Contains(p.Raw, []byte(" Sie ")) || bytes.Contains(p.Raw, []byte(" und ")) || bytes.Contains(p.Raw, []byte(" der ")) {
			german++
		}
	}
	if kinds["offers"] < 200 || kinds["bounces"] == 0 || kinds["bounces"] > 50 || german < 350 || german > 800 {
		t.Errorf("kinds %v, %d in German", kinds, german)
	}
	for _, p := range day("a", []string{"en"}, []string{"builds", "lists"}) {
		if p.Kind == "builds" || p.Kind == "lists" {
			t.Fatalf("there is one of the kind %s", p.Kind)
		}
	}
	if _, err := NewClutter("a", ines, nil, Kinds()); err == nil {
		t.Error("clutter of no kind is made")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(simple)
	f.Add("Subject:\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Parse(text, time.UTC)
		var m Mistake
		if err != nil {
			if !errors.As(err, &m) || m.Line < 1 {
				t.Fatalf("no place: %v", err)
			}
			return
		}
		raw := l.Raw(Envelope{ID: "a@example.net", At: time.Unix(0, 0).UTC(), From: ines.String(), To: ines.String()})
		if _, err := mail.ReadMessage(bytes.NewReader(raw)); err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
	})
}
