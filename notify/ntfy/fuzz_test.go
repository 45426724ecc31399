package ntfy

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzEvents: whatever a stream holds, reading it ends, and what it hands on
// is a bounded token.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{
		"", "\n\n", "null\n", "[[[[\n", `{"event":"open"}` + "\n",
		`{"id":"abcdefgh1234","event":"message","topic":"re-1","message":"token"}` + "\n",
		`{"id":"abcdefgh1234","event":"message","topic":"re-1","message":"\u0000"}` + "\n",
		`{"id":"none","event":"message","message":"x"}` + "\n" + `{"event":"keepalive"}`,
		strings.Repeat("no\n", 20), strings.Repeat("x", maxLine+1) + "\n{}\n", strings.Repeat("x", maxPassed+maxLine),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		s := newEvents(bytes.NewReader(stream))
		for range bytes.Count(stream, []byte("\n")) + 2 {
			e, err := s.next()
			if err != nil {
				return
			}
			if token, ok := e.token(); ok && (token == "" || len(token) > maxToken || strings.ContainsAny(token, " \n\x00\x1b") || !messageID().MatchString(e.ID)) {
				t.Errorf("token %q of message %q", token, e.ID)
			}
		}
		t.Error("the stream has no end")
	})
}

// FuzzError: whatever a server answers, its words are one bounded line.
func FuzzError(f *testing.F) {
	for _, seed := range []string{
		"", "null", "[]", `{"code":40301,"http":403,"error":"forbidden","link":"https://ntfy.sh/docs/"}`,
		`{"code":42901,"http":429,"error":"limit reached: too many requests"}`, `{"code":4.0e4,"http":400,"error":"x"}`,
		`{"code":40000,"http":400,"error":"a\nb\u001b[2J \ud800 "}`, `{"code":"40301","http":403}`,
		`{"code":50000,"http":500,"error":"` + strings.Repeat("ü ", 5000) + `"}`, "<html>502</html>",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s, ok := parseError(body)
		if !ok && s != (said{}) {
			t.Errorf("%+v of what is no error", s)
		}
		if ok && (s.Code/100 != s.HTTP || len(s.Error) > maxSaid || !utf8.ValidString(s.Error) || strings.ContainsAny(s.Error, "\r\n\x00\x1b")) {
			t.Errorf("%+v", s)
		}
	})
}
