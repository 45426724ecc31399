package account_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
)

const mostMemory = 32 << 20

// flood writes a text until n bytes of it are written or the client has gone.
func flood(w io.Writer, text string, n int) {
	piece := []byte(strings.Repeat(text, max(1, 32<<10/len(text))))
	for n > 0 {
		m, err := w.Write(piece[:min(n, len(piece))])
		if err != nil {
			return
		}
		n -= m
	}
}

// at answers a verb with f, and everything else as usual.
func at(verb string, f func(w io.Writer, tag string)) func(io.Writer, string, string) bool {
	return func(w io.Writer, tag, command string) bool {
		if !strings.HasPrefix(strings.TrimPrefix(command, "UID "), verb) {
			return false
		}
		f(w, tag)
		return true
	}
}

const huge = 950 << 20

// attacks are servers that send too much, by name.
var attacks = map[string]*scripted{
	"greeting without an end": {greeting: "* OK " + strings.Repeat("a", 1<<20)},
	"literal": {answer: at("FETCH", func(w io.Writer, tag string) {
		fmt.Fprintf(w, "* 1 FETCH (UID 1 BODY[]<0> {%d}\r\n", huge)
		flood(w, "a", huge)
	})},
	"literals that add up": {answer: at("FETCH", func(w io.Writer, tag string) {
		flood(w, "* 1 FETCH (UID 1 BODY[]<0> {16000}\r\n"+strings.Repeat("a", 16000)+")\r\n", huge)
	})},
	"a literal of another answer": {answer: at("SEARCH", func(w io.Writer, tag string) {
		fmt.Fprintf(w, "* LIST () \"/\" {%d}\r\n", huge)
		flood(w, "a", huge)
	})},
	"endless line":          {answer: at("EXAMINE", func(w io.Writer, tag string) { flood(w, "* OK still here ", huge) })},
	"endless atom":          {answer: at("FETCH", func(w io.Writer, tag string) { flood(w, "* 1 FETCH (UID 1 FLAGS ("+strings.Repeat("a", 1<<20), huge) })},
	"endless quoted string": {answer: at("LIST", func(w io.Writer, tag string) { fmt.Fprint(w, `* LIST () "`); flood(w, "a", huge) })},
	"endless code":          {answer: at("EXAMINE", func(w io.Writer, tag string) { fmt.Fprint(w, "* OK ["); flood(w, "a\r\n", huge) })},
	"nested body structure": {answer: at("FETCH", func(w io.Writer, tag string) {
		fmt.Fprint(w, "* 1 FETCH (UID 1 BODYSTRUCTURE ")
		flood(w, "(", 1_000_000)
	})},
	"nested behind words": {answer: at("FETCH", func(w io.Writer, tag string) {
		// What stands between brackets, or in words for people, is no literal.
		fmt.Fprint(w, "* OK {60000}\r\n* 1 FETCH (UID 1 BODYSTRUCTURE ")
		flood(w, "(", 1_000_000)
	})},
	"nested behind a number": {answer: at("FETCH", func(w io.Writer, tag string) {
		fmt.Fprint(w, "* 5 OK \"{60000}\r\n* 1 FETCH (UID 1 BODYSTRUCTURE ")
		flood(w, "(", 1_000_000)
	})},
	"nested quoted": {answer: at("FETCH", func(w io.Writer, tag string) {
		fmt.Fprint(w, "* 1 FETCH (UID 1 BODY \"\\")
		flood(w, "\r\n(((", 1_000_000)
	})},
	"nested unasked": {answer: at("EXAMINE", func(w io.Writer, tag string) { fmt.Fprint(w, "* THREAD "); flood(w, "(", 1_000_000) })},
	"changes unasked": {answer: at("FETCH", func(w io.Writer, tag string) {
		flood(w, "* 7 FETCH (UID 7 FLAGS (\\Seen))\r\n", huge)
	})},
	"ten million arrivals": {answer: at("SEARCH", func(w io.Writer, tag string) { flood(w, "* 23 EXISTS\r\n", 10_000_000*13) })},
	"endless search":       {answer: at("SEARCH", func(w io.Writer, tag string) { fmt.Fprint(w, "* SEARCH"); flood(w, " 4294967295 4294967294", huge) })},
	"endless folders":      {answer: at("LIST", func(w io.Writer, tag string) { flood(w, "* LIST () \"/\" a\r\n", huge) })},
	"endless capabilities": {answer: at("CAPABILITY", func(w io.Writer, tag string) { fmt.Fprint(w, "* CAPABILITY"); flood(w, " X", huge) })},
	// The library would read these for ever.
	"capabilities with a list": {answer: at("CAPABILITY", func(w io.Writer, tag string) {
		fmt.Fprintf(w, "* CAPABILITY IMAP4rev1 (\r\n%s OK\r\n", tag)
	})},
	"a code with a list": {answer: at("EXAMINE", func(w io.Writer, tag string) {
		fmt.Fprintf(w, "%s OK [CAPABILITY (] done\r\n", tag)
	})},
	"a greeting with a list": {greeting: "* OK [CAPABILITY IMAP4rev1 (X)] ready\r\n"},
	"an answer to nothing":   {answer: at("EXAMINE", func(w io.Writer, tag string) { fmt.Fprint(w, "* METADATA INBOX (\r\n") })},
	"endless challenges":     {answer: at("AUTHENTICATE", func(w io.Writer, tag string) { flood(w, "+ aGVsbG8=\r\n", huge) })},
	"literal plus":           {answer: at("FETCH", func(w io.Writer, tag string) { fmt.Fprint(w, "* 1 FETCH (UID 1 BODY[]<0> {5+}\r\nhello)\r\n") })},
	"literal below zero":     {answer: at("FETCH", func(w io.Writer, tag string) { fmt.Fprint(w, "* 1 FETCH (UID 1 BODY[]<0> {-5}\r\nhello)\r\n") })},
	"literal of any length": {answer: at("FETCH", func(w io.Writer, tag string) {
		fmt.Fprint(w, "* 1 FETCH (UID 1 BODY[]<0> {18446744073709551617}\r\nhello)\r\n")
	})},
	"no number":        {answer: at("SEARCH", func(w io.Writer, tag string) { fmt.Fprint(w, "* SEARCH -1\r\n") })},
	"another's answer": {answer: at("SEARCH", func(w io.Writer, tag string) { fmt.Fprint(w, "T99999 OK done\r\n") })},
	"an empty line":    {answer: at("SEARCH", func(w io.Writer, tag string) { fmt.Fprint(w, "\r\n") })},
	"zeros":            {answer: at("SEARCH", func(w io.Writer, tag string) { flood(w, "\x00", huge) })},
	"a web page":       {greeting: "HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n" + strings.Repeat("<p>", 1<<20)},
	"the wrong date": {answer: at("FETCH", func(w io.Writer, tag string) {
		fmt.Fprintf(w, "* 1 FETCH (UID 1 INTERNALDATE \"yesterday\" BODY[]<0> {1}\r\na)\r\n%s OK\r\n", tag)
	})},
	"broken flags": {answer: at("FETCH", func(w io.Writer, tag string) { fmt.Fprintf(w, "* 1 FETCH (UID 1 FLAGS (\\ %%))\r\n%s OK\r\n", tag) })},
	"texts before UIDs": {answer: at("FETCH", func(w io.Writer, tag string) {
		fmt.Fprintf(w, "* 1 FETCH (BODY[]<0> {1}\r\na UID 1)\r\n%s OK\r\n", tag)
	})},
}

func TestHostileServers(t *testing.T) {
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			a := attack.open(t, nil)
			before := memory()
			err := a.Do(t.Context(), func(session *account.Session) error { return visit(t.Context(), session) })
			after := memory()
			says(t, err, account.ErrBounds)
			t.Logf("%.1f MiB: %v", float64(after-before)/(1<<20), err)
			if grown := after - before; grown > mostMemory {
				t.Errorf("%d MiB were taken: %v", grown>>20, err)
			}
			if len(err.Error()) > 1000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

// memory is what was ever taken from the system for stacks, and from the heap,
// which is more than what was held at any time.
func memory() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.TotalAlloc + m.StackSys)
}

// answers are those to commands, by their beginning.
func answers(all map[string]func(w io.Writer, tag string)) func(w io.Writer, tag, command string) bool {
	return func(w io.Writer, tag, command string) bool {
		for begins, answer := range all {
			if strings.HasPrefix(command, begins) {
				answer(w, tag)
				return true
			}
		}
		return false
	}
}

// inside opens INBOX on a server, and does something in it.
func inside(t *testing.T, s *scripted, f func(*account.Session) error) {
	t.Helper()
	do(t, s.open(t, nil), func(session *account.Session) error {
		if _, err := session.Examine(t.Context(), "INBOX"); err != nil {
			return err
		}
		return f(session)
	})
}

func TestWhatWasNotAskedForIsIgnored(t *testing.T) {
	s := &scripted{answer: answers(map[string]func(w io.Writer, tag string){
		"UID SEARCH": func(w io.Writer, tag string) {
			fmt.Fprintf(w, "* ESEARCH (TAG \"%s\") UID ALL 1:4294967295\r\n%s OK\r\n", tag, tag)
		},
		"UID FETCH": func(w io.Writer, tag string) {
			fmt.Fprint(w, "* 1 FETCH (UID 99 FLAGS () BODY[] {1}\r\nx)\r\n* 2 FETCH (UID 2 FLAGS (\\Seen $Junk \\Strange other) BODY[] NIL)\r\n"+
				"* 2 FETCH (UID 2 FLAGS () BODY[] {1}\r\ny)\r\n* 1 FETCH (UID 1 UID 98 BODY[] {1}\r\nz)\r\n* 3 FETCH (FLAGS (\\Deleted))\r\n* 9 EXPUNGE\r\n")
			fmt.Fprintf(w, "%s OK\r\n", tag)
		},
	})}
	inside(t, s, func(session *account.Session) error {
		uids, err := session.After(t.Context(), 1, 100)
		if err != nil || fmt.Sprint(uids) != "[2 3]" {
			t.Errorf("%v, %v", uids, err)
		}
		var got []account.Raw
		err = session.Messages(t.Context(), []imap.UID{1, 2, 3}, 100, func(raw account.Raw) error { got = append(got, raw); return nil })
		if len(got) != 1 || got[0].UID != 2 || len(got[0].Body) != 0 || got[0].Flags != (account.Flags{Seen: true, Junk: true}) {
			t.Errorf("got %+v", got)
		}
		return err
	})
}

func TestAFolderWithHostileNumbers(t *testing.T) {
	for _, numbers := range []string{
		"* 4294967295 EXISTS\r\n* OK [UIDNEXT 4294967295] next\r\n",
		"* 4294967295 EXISTS\r\n",
		"* 4294967295 EXISTS\r\n* OK [UIDVALIDITY 0] none\r\n* OK [UIDNEXT 0] none\r\n* OK [NOMODSEQ] none\r\n",
	} {
		var asked atomic.Int64
		s := &scripted{answer: answers(map[string]func(w io.Writer, tag string){
			"EXAMINE": func(w io.Writer, tag string) { fmt.Fprintf(w, "%s%s OK\r\n", numbers, tag) },
			"UID SEARCH": func(w io.Writer, tag string) {
				asked.Add(1)
				fmt.Fprintf(w, "* ESEARCH (TAG \"%s\") UID ALL 1:4294967295\r\n%s OK\r\n", tag, tag)
			},
		})}
		a := s.open(t, nil)
		before := memory()
		do(t, a, func(session *account.Session) error {
			if opened, err := session.Examine(t.Context(), "INBOX"); err != nil || opened.UIDValidity != 0 {
				t.Errorf("%+v, %v", opened, err)
			}
			for _, f := range []func() ([]imap.UID, error){
				func() ([]imap.UID, error) { return session.After(t.Context(), 0, 50_000) },
				func() ([]imap.UID, error) { return session.Since(t.Context(), arrival(0), 50_000) },
			} {
				if uids, err := f(); err != nil || len(uids) > 50_000 {
					t.Errorf("%d, %v", len(uids), err)
				}
			}
			return nil
		})
		if grown := memory() - before; grown > mostMemory || asked.Load() > 300 {
			t.Errorf("%d MiB, %d commands", grown>>20, asked.Load())
		}
	}
}

func TestAnEmptySearchInASparseFolderEnds(t *testing.T) {
	var asked atomic.Int64
	s := &scripted{answer: answers(map[string]func(w io.Writer, tag string){
		"EXAMINE": func(w io.Writer, tag string) {
			fmt.Fprintf(w, "* 4294967295 EXISTS\r\n* OK [UIDNEXT 4294967295] next\r\n%s OK\r\n", tag)
		},
		"UID SEARCH": func(w io.Writer, tag string) {
			asked.Add(1)
			fmt.Fprintf(w, "* SEARCH\r\n%s OK\r\n", tag)
		},
	})}
	inside(t, s, func(session *account.Session) error {
		if uids, err := session.After(t.Context(), 0, 10); err != nil || len(uids) != 0 {
			t.Errorf("%v, %v", uids, err)
		}
		if uids, err := session.Since(t.Context(), arrival(0), 10); err != nil || len(uids) != 0 {
			t.Errorf("%v, %v", uids, err)
		}
		return nil
	})
	if asked.Load() > 300 {
		t.Errorf("%d commands", asked.Load())
	}
}

// TestASearchInTheWorstOrder has UIDs in the order in which the library takes
// longest to put them into a set: it must stay within its patience.
func TestASearchInTheWorstOrder(t *testing.T) {
	s := &scripted{answer: answers(map[string]func(w io.Writer, tag string){
		"EXAMINE": func(w io.Writer, tag string) {
			fmt.Fprintf(w, "* 4294967295 EXISTS\r\n* OK [UIDNEXT 1000000] next\r\n%s OK\r\n", tag)
		},
		"UID SEARCH": func(w io.Writer, tag string) {
			var b strings.Builder
			b.WriteString("* SEARCH")
			for uid := 999_999; b.Len() < 280_000; uid -= 2 {
				fmt.Fprintf(&b, " %d", uid)
			}
			fmt.Fprintf(w, "%s\r\n%s OK\r\n", b.String(), tag)
		},
	})}
	inside(t, s, func(session *account.Session) error {
		uids, err := session.Since(t.Context(), arrival(0), 5)
		if err != nil || len(uids) != 5 || uids[4] != 999_999 {
			t.Errorf("%v, %v", uids, err)
		}
		return nil
	})
}

func TestABrokenDateIsNotAskedForAgain(t *testing.T) {
	s := &scripted{answer: func(w io.Writer, tag, command string) bool {
		if !strings.HasPrefix(command, "UID FETCH") {
			return false
		}
		date := ""
		if strings.Contains(command, "INTERNALDATE") {
			date = ` INTERNALDATE "32-Foo-2026"`
		}
		fmt.Fprintf(w, "* 1 FETCH (UID 1 FLAGS ()%s BODY[] {1}\r\na)\r\n%s OK\r\n", date, tag)
		return true
	}}
	a := s.open(t, nil)
	f := func(session *account.Session) error { return visit(t.Context(), session) }
	says(t, a.Do(t.Context(), f), account.ErrBounds, "not asked for")
	do(t, a, f)
}

func TestServersThatRepeatSecrets(t *testing.T) {
	for name, answer := range map[string]func(io.Writer, string, string) bool{
		"no": at("AUTHENTICATE", func(w io.Writer, tag string) { fmt.Fprintf(w, "%s NO wrong: %s\r\n", tag, password) }),
		"base64": at("AUTHENTICATE", func(w io.Writer, tag string) {
			fmt.Fprintf(w, "%s NO wrong: AGluZXNAZXhhbXBsZS5jb20AY29ycmVjdC1ob3JzZS1iYXR0ZXJ5LTk=\r\n", tag)
		}),
		"type": at("AUTHENTICATE", func(w io.Writer, tag string) { fmt.Fprintf(w, "* %s\r\n", password) }),
		"tag":  at("AUTHENTICATE", func(w io.Writer, tag string) { fmt.Fprintf(w, "%s OK\r\n", password) }),
		"bye":  at("EXAMINE", func(w io.Writer, tag string) { fmt.Fprintf(w, "* BYE %s\r\n", password); _ = w.(io.Closer).Close() }),
		"far away": at("EXAMINE", func(w io.Writer, tag string) {
			fmt.Fprintf(w, "%s NO %s%s\r\n", tag, bytes.Repeat([]byte("x"), 190), password)
		}),
		"in a date": at("FETCH", func(w io.Writer, tag string) {
			fmt.Fprintf(w, "* 1 FETCH (UID 1 INTERNALDATE \"%s\")\r\n%s OK\r\n", password, tag)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{answer: answer}
			err := s.open(t, nil).Do(t.Context(), func(session *account.Session) error { return visit(t.Context(), session) })
			says(t, err, nil)
			if strings.Contains(err.Error(), password[:9]) {
				t.Errorf("a part of the password: %v", err)
			}
		})
	}
}
