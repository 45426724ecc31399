package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// asks runs a command line against a mind that is served, on a terminal or off
// it, with an input.
func asks(t *testing.T, m *apitest.Mind, terminal bool, typed io.Reader, args ...string) (code int, out, errs string) {
	t.Helper()
	return runs(t, m, process{stdin: typed, inTerminal: terminal, outTerminal: terminal}, args...)
}

// asksHiding is asks on a terminal that can hide what is typed.
func asksHiding(t *testing.T, m *apitest.Mind, hidden func() (string, error), typed io.Reader, args ...string) (code int, out, errs string) {
	t.Helper()
	return runs(t, m, process{stdin: typed, inTerminal: true, outTerminal: true, secret: hidden}, args...)
}

func runs(t *testing.T, m *apitest.Mind, p process, args ...string) (code int, out, errs string) {
	t.Helper()
	folder := testutil.Folder(t)
	apitest.Serve(t, folder, m, api.Options{Now: apitest.At})
	var stdout, stderr bytes.Buffer
	p.args, p.stdout, p.stderr = append([]string{"--state-dir", folder}, args...), &stdout, &stderr
	if p.env == nil {
		p.env = func(string) (string, bool) { return "", false }
	}
	p.now, p.zone, p.columns = apitest.At, time.UTC, func() int { return 80 }
	code = run(t.Context(), p)
	return code, stdout.String(), stderr.String()
}

// TestEditor: at a terminal a memory is changed in the person's editor; what the editor
// leaves as it is, or fails at, changes nothing.
func TestEditor(t *testing.T) {
	for editor, want := range map[string]struct {
		code    int
		changed string
	}{
		"sed -i s/noon/one/": {exitFine, "The printers close at one on Fridays"},
		"true":               {exitFailed, ""},
		"false":              {exitFailed, ""},
		"truncate -s 0":      {exitUsage, ""},
	} {
		m := apitest.Deliberating()
		p := process{inTerminal: true, outTerminal: true, stdin: strings.NewReader(""), env: func(name string) (string, bool) { return editor, name == "EDITOR" }}
		code, out, errs := runs(t, m, p, "memory", "edit", "m-1d")
		body, err := json.Marshal(m.MemoryChanges())
		if err != nil || code != want.code || strings.Contains(string(body), "edit") != (want.changed != "") || !strings.Contains(out, want.changed) {
			t.Errorf("%s: %d, %s\n%s\n%s", editor, code, body, out, errs)
		}
	}
}

// TestTooLong: what the daemon would not take is refused with its limit, and is
// not taken for a daemon that is down.
func TestTooLong(t *testing.T) {
	long := strings.Repeat("a", 100_000)
	for _, test := range []struct {
		limit string
		args  []string
	}{
		{"at most 96", []string{"why", long}},
		{"at most 96", []string{"proposals", long}},
		{"at most 96", []string{"memory", "show", long}},
		{"at most 96", []string{"messages", "show", long}},
		{"at most 500", []string{"memory", "search", long}},
		{"at most 500", []string{"messages", "search", long}},
		{"at most 16384", []string{"messages", "post", long}},
		{"at most 4096", []string{"memory", "add", long}},
		{"at most 2000", []string{"note", long}},
		{"at most 2000", []string{"missed", long}},
		{"at most 280", []string{"focus", "oracle", long}},
		{"at most", []string{"inbox", "--before", long}},
		{"at most", []string{"messages", "search", "--conversation", long, "roof"}},
	} {
		code, _, errs := asks(t, apitest.Deliberating(), false, strings.NewReader(""), test.args...)
		if code != exitUsage || !strings.Contains(errs, test.limit) || strings.Contains(errs, "no daemon answers") || len(errs) > 400 {
			t.Errorf("%s: exit code %d, want %d; %.300s", strings.Join(test.args[:len(test.args)-1], " "), code, exitUsage, errs)
		}
	}
	if got := exitOf(api.CodeTooLarge); got != exitUsage {
		t.Errorf("what is too large for the daemon ends with code %d, want %d", got, exitUsage)
	}
}

// TestUndoAsks: without an id, only a clear yes takes back the last, after it was
// shown what that is.
func TestUndoAsks(t *testing.T) {
	taken := func(m *apitest.Mind) bool {
		page, err := m.Runs(t.Context(), api.RunQuery{Limit: 10})
		return err != nil || page.Runs[0].UndoOf != ""
	}
	for typed, want := range map[string]bool{"y\n": true, "yes\n": true, "\n": false, "": false, "n\n": false, "yep\n": false} {
		m := apitest.Deliberating()
		code, out, errs := asks(t, m, true, strings.NewReader(typed), "undo")
		for _, words := range []string{"This would be taken back", "mute-speaker", "r-23", "/usr/local/bin/mute", "4 minutes ago", "about i-invoice-1b2", "Take exactly this back? [y/N]"} {
			if !strings.Contains(out, words) {
				t.Errorf("%q: it does not show %q: %s%s", typed, words, out, errs)
			}
		}
		if taken(m) != want || want != (code == exitFine) || !want && (code != exitFailed || !strings.Contains(out, "Nothing was taken back.")) {
			t.Errorf("%q: exit code %d, taken back %t: %s%s", typed, code, taken(m), out, errs)
		}
	}
	for _, test := range []struct {
		terminal bool
		args     []string
		code     int
	}{
		{false, nil, exitUsage}, {true, []string{"--json"}, exitUsage}, {false, []string{"--yes"}, exitFine}, {false, []string{"--yes", "--json"}, exitFine},
		{true, []string{"--yes"}, exitFine}, {false, []string{"r-23"}, exitFine}, {true, []string{"r-23"}, exitFine}, {true, []string{"--json", "r-23"}, exitFine},
	} {
		m := apitest.Deliberating()
		code, out, errs := asks(t, m, test.terminal, strings.NewReader(""), append([]string{"undo"}, test.args...)...)
		if code != test.code || taken(m) != (test.code == exitFine) || strings.Contains(out, "[y/N]") {
			t.Errorf("%v on a terminal %t: exit code %d, want %d: %s%s", test.args, test.terminal, code, test.code, out, errs)
		}
	}
}
