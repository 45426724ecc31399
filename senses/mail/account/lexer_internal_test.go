package account

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// lines are answers, and whether they pass.
var lines = map[string]bool{
	"* OK ready\r\n":                                                     true,
	"* OK it's {60000}\r\n":                                              true,
	"* OK \"half a string\r\n* 3 EXISTS\n":                               true,
	"* NO " + strings.Repeat("(", 100) + "\r\n":                          true,
	"* OK [ALERT] :-( \r\n+ go on {5}\r\n":                               true,
	"+\r\n+ \r\n":                                                        true,
	"T1 OK [CAPABILITY IMAP4rev1] (done)\r\n":                            true,
	"T1 no {5}\r\n":                                                      true,
	"* 1 FETCH (UID 1 BODY[] {5}\r\n((\"((X)\r\n":                        true,
	"* 1 FETCH (UID 1 BODY[] {0}\r\n)\r\n":                               true,
	"* 1 FETCH (UID 1 BODY[] {5} \r\n((((()\r\n":                         true,
	"* LIST () \"\\\"\" \"a\\\\\\\"((\"\r\n":                             true,
	"* 1 FETCH " + strings.Repeat("(", 60) + "\r\n":                      true,
	"* 1 FETCH " + strings.Repeat("(", 61) + "\r\n":                      false,
	"* OK " + strings.Repeat("(", 61) + "\r\n* LIST " + "((((" + "\r\n":  true,
	"* OK [FOO \r\n":                                                     false,
	"* LIST () \"a\r\n":                                                  false,
	"* LIST () \"a\\\r\n":                                                false,
	"\r\n":                                                               false,
	"* 1 FETCH (BODY[] {5+}\r\n":                                         false,
	"* 1 FETCH (BODY[] {}\r\n":                                           false,
	"* 1 FETCH (BODY[] {5}x":                                             false,
	"* 1 FETCH (BODY[] {1001}\r\n":                                       false,
	"* 1 FETCH (BODY[] {1000}\r\n" + strings.Repeat("x", 1000) + ")\r\n": true,
	"* 1 FETCH (BODY[] {99999999999}\r\n":                                false,
	"* OK " + strings.Repeat("x", maxLine) + "\r\n":                      false,
	"* OK " + strings.Repeat("x", maxLine-7) + "\r\n":                    true,
	"* OKAY {2000}\r\n":                                                  false,
	"* 7 OK {2000}\r\n":                                                  true,
	"* CAPABILITY IMAP4rev1 (X\r\n":                                      false,
	"* capability(\r\n":                                                  false,
	"* 1 CAPABILITY X (\r\n":                                             false,
	"* OK [CAPABILITY X (]\r\n":                                          false,
	"T1 OK [capability(]\r\n":                                            false,
	"* OK [CAPABILITY X] (\r\n":                                          true,
	"* OK [PERMANENTFLAGS (\\Seen)] ok\r\n":                              true,
	"* OK [CAPABILITYX (] ok\r\n":                                        true,
	"* OK [] (\r\n":                                                      true,
	"* OK [\r\n":                                                         false,
	"* THREAD (1)\r\n":                                                   false,
	"* ENABLED X\r\n":                                                    false,
	"*  OK {2000}\r\n":                                                   false,
}

func TestLexer(t *testing.T) {
	for text, passes := range lines {
		l := lexer{maxLiteral: 1000}
		if err := l.feed([]byte(text)); (err == nil) != passes {
			t.Errorf("%.60q: %v", text, err)
		} else if passes && l.at != atTag {
			t.Errorf("%.60q ends in state %d", text, l.at)
		}
	}
}

func TestLexerKeepsTheGoodbye(t *testing.T) {
	l := lexer{}
	if err := l.feed([]byte("* BYE [UNAVAILABLE] see you\r\n* OK more\r\n")); err != nil || l.goodbye() != "[UNAVAILABLE] see you" {
		t.Errorf("%q, %v", l.goodbye(), err)
	}
	long := lexer{}
	if err := long.feed([]byte("* BYE " + strings.Repeat("x", 10_000) + "\r\n")); err != nil || len(long.goodbye()) != maxSaid {
		t.Errorf("%d bytes, %v", len(long.goodbye()), err)
	}
}

// outcome is all that a lexer says of data that is fed in pieces. It masks a copy.
func outcome(data []byte, cuts []byte) string {
	data = slices.Clone(data)
	l := lexer{maxLiteral: 300, maxLine: 0}
	for i := 0; len(data) > 0; i++ {
		n := len(data)
		if len(cuts) > 0 {
			n = min(n, int(cuts[i%len(cuts)])+1)
		}
		if err := l.feed(data[:n]); err != nil {
			return err.Error()
		}
		if l.depth > maxDepth || l.depth < 0 || l.line > maxLine || l.left > 300 || len(l.word) > maxWord+1 || len(l.said) > maxSaid {
			return fmt.Sprintf("out of bounds: %+v", l)
		}
		data = data[n:]
	}
	return fmt.Sprintf("%d %d %d %d %q", l.at, l.line, l.depth, l.left, l.goodbye())
}

func FuzzLexer(f *testing.F) {
	for text := range lines {
		if len(text) < 1<<12 {
			f.Add([]byte(text), []byte{0})
			f.Add([]byte(text), []byte{3, 1, 9})
		}
	}
	f.Fuzz(func(t *testing.T, data, cuts []byte) {
		whole := outcome(data, nil)
		if got := outcome(data, cuts); got != whole {
			t.Errorf("in one piece %s, in many %s", whole, got)
		}
		if strings.HasPrefix(whole, "out of bounds") {
			t.Error(whole)
		}
	})
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"too\r\n many\x00 ":       "too many",
		"\xff\x1b[31mred":         "� [31mred",
		strings.Repeat("é", 200):  strings.Repeat("é", 100) + "…",
		"right-to-left \u202eabc": "right-to-left abc",
	} {
		if got := words(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestHidden(t *testing.T) {
	const secret = "pa55-word-of-a-test"
	var h hidden
	h.add(secret)
	h.add("ab")
	for _, prefix := range []string{"", "x", "xy", "xyz"} {
		for _, suffix := range []string{"", "z", "zz"} {
			text := "said " + encode(prefix+secret+suffix) + " and " + prefix + secret + suffix
			if got := h.clean(text); strings.Contains(got, secret) || bytes.Contains(decodeAll(got), []byte(secret[2:14])) {
				t.Errorf("%q: %q", text, got)
			}
		}
	}
	if got := h.clean("ab"); got != "ab" {
		t.Errorf("%q", got)
	}
}

func encode(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// decodeAll is what can be read from the words of text that are base64.
func decodeAll(text string) []byte {
	var all []byte
	for _, word := range strings.Fields(text) {
		for shift := range 4 {
			if shift < len(word) {
				part, _ := base64.StdEncoding.DecodeString(word[shift:])
				all = append(append(all, part...), ' ')
			}
		}
	}
	return all
}
