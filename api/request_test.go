package api

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// FuzzRequest feeds anything to all that reads requests. What is refused is
// refused in few words that may be shown; what is taken is within its bounds.
func FuzzRequest(f *testing.F) {
	seeds, err := filepath.Glob("testdata/requests/*")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no seeds in testdata/requests: %v", err)
	}
	for _, seed := range seeds {
		text, err := os.ReadFile(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		wish, err := decodeTick(body)
		if refused(t, err); err == nil && len(wish.Thread) > maxThread {
			t.Errorf("a thread's name of %d bytes", len(wish.Thread))
		}
		pause, err := decodePause(body)
		if refused(t, err); err == nil && (pause.Resume || pause.For < 0 || pause.For > MaxPause) {
			t.Errorf("a pause of %s", pause.For)
		}
		_, err = decodeResume(body)
		refused(t, err)
		if query, err := url.ParseQuery(string(body)); err == nil {
			before, limit, err := pageQuery(query)
			if refused(t, err); err == nil && (before < 0 || limit < 1 || limit > MaxTicks) {
				t.Errorf("before %d, limit %d", before, limit)
			}
		}
		command, err := decodeCommand(body)
		if refused(t, err); err == nil {
			checkCommand(t, command)
		}
	})
}

func refused(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var known *Error
	if !errors.As(err, &known) || known.Code != CodeBadRequest || known.Next == "" {
		t.Fatalf("%v is not a refusal with a next step", err)
	}
	if len(known.Text) > 400 || !utf8.ValidString(known.Text) || subconscious.Printable(known.Text) != known.Text {
		t.Fatalf("these words cannot be shown: %q", known.Text)
	}
}

// checkCommand demands that a command that was taken is within its bounds, and
// is taken again as it is.
func checkCommand(t *testing.T, c subconscious.Command) {
	t.Helper()
	if len(c.Text) > MaxNote || c.By != "" || c.ID != 0 || !c.At.IsZero() || subconscious.Printable(c.Text) != c.Text {
		t.Errorf("out of bounds: %+v", c)
	}
	body, err := json.Marshal(CommandRequest{Kind: c.Kind, Entry: c.Entry, Thread: c.Thread, Text: c.Text, Forever: c.Forever})
	if err != nil {
		t.Fatal(err)
	}
	again, err := decodeCommand(body)
	if err != nil || again != c {
		t.Errorf("%+v became %+v, %v", c, again, err)
	}
}
