package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
)

// approves runs "approve" against a mind, on a terminal or off it, with an input.
func approves(t *testing.T, m *apitest.Mind, terminal bool, typed io.Reader, args ...string) (code int, out, errs string) {
	t.Helper()
	return asks(t, m, terminal, typed, append([]string{"approve"}, args...)...)
}

// TestApproveAsks: only a clear yes approves, and exactly what was shown.
func TestApproveAsks(t *testing.T) {
	for typed, want := range map[string]bool{
		"y\n": true, "yes\n": true, " Y \n": true, "YES\r\n": true,
		"\n": false, "": false, "n\n": false, "yep\n": false, "y": false, "approve\n": false, "\x1b[Ay\n": false, "yes please\n": false,
	} {
		m := apitest.Deliberating()
		code, out, errs := approves(t, m, true, strings.NewReader(typed), "p-4")
		decisions := m.Decisions()
		if !strings.Contains(out, "backup.service") || !strings.Contains(out, "words of: this machine, strangers") || !strings.Contains(out, "Run exactly this? [y/N]") {
			t.Errorf("%q: it does not show what would run: %s%s", typed, out, errs)
		}
		if !want {
			if len(decisions) != 0 || code != exitFailed || !strings.Contains(out, "Nothing was run.") {
				t.Errorf("%q: exit code %d, decided %+v, %s%s", typed, code, decisions, out, errs)
			}
			continue
		}
		if len(decisions) != 1 || decisions[0] != (api.ProposalDecision{ID: "p-4f2a", Hash: apitest.SampleHash, Approve: true}) || code != exitFine {
			t.Errorf("%q: exit code %d, decided %+v, %s", typed, code, decisions, errs)
		}
	}
}

// TestApproveNeedsWhatWasSeen: nobody approves what nobody saw.
func TestApproveNeedsWhatWasSeen(t *testing.T) {
	for _, test := range []struct {
		name     string
		terminal bool
		args     []string
		code     int
		approved bool
	}{
		{"off a terminal", false, nil, exitUsage, false},
		{"off a terminal with --yes", false, []string{"--yes"}, exitUsage, false},
		{"JSON on a terminal", true, []string{"--json", "--yes"}, exitUsage, false},
		{"an empty hash", false, []string{"--hash", ""}, exitUsage, false},
		{"another hash", true, []string{"--hash", "00", "--yes"}, exitRefused, false},
		{"the beginning of the hash", false, []string{"--hash", apitest.SampleHash[:12]}, exitRefused, false},
		{"the hash off a terminal", false, []string{"--hash", apitest.SampleHash}, exitFine, true},
		{"--yes on a terminal", true, []string{"--yes"}, exitFine, true},
		{"JSON with the hash", true, []string{"--json", "--hash", apitest.SampleHash}, exitFine, true},
	} {
		m := apitest.Deliberating()
		code, _, errs := approves(t, m, test.terminal, strings.NewReader(""), append([]string{"p-4f2a"}, test.args...)...)
		if code != test.code || (len(m.Decisions()) == 1) != test.approved {
			t.Errorf("%s: exit code %d, want %d; decided %+v; %s", test.name, code, test.code, m.Decisions(), errs)
		}
	}
}

// TestPassphraseAsked: on a terminal it is asked for where it is needed, and not shown.
func TestPassphraseAsked(t *testing.T) {
	for _, test := range []struct {
		typed    string
		hidden   []string
		args     []string
		code     int
		approved bool
	}{
		{"y\n", []string{"correct horse"}, []string{"approve", "p-4f2a"}, exitFine, true},
		{"y\n", []string{"battery staple"}, []string{"approve", "p-4f2a"}, exitRefused, false},
		{"n\n", nil, []string{"approve", "p-4f2a"}, exitFailed, false},
		{"", nil, []string{"reject", "p-4f2a"}, exitFine, false},
		{"", []string{"correct horse", "another one", "another one"}, []string{"passphrase"}, exitFine, false},
		{"", []string{"correct horse", "another one", "other one"}, []string{"passphrase"}, exitFailed, false},
		{"", []string{"battery staple", "another one", "another one"}, []string{"passphrase"}, exitRefused, false},
	} {
		m, hidden := apitest.Deliberating(), test.hidden
		m.Passphrase = "correct horse"
		code, out, errs := asksHiding(t, m, func() (string, error) {
			next := hidden[0]
			hidden = hidden[1:]
			return next, nil
		}, strings.NewReader(test.typed), test.args...)
		approved := slices.ContainsFunc(m.Decisions(), func(d api.ProposalDecision) bool { return d.Approve })
		changed := m.Passphrase == "another one"
		if code != test.code || approved != test.approved || len(hidden) > 0 || changed != (test.args[0] == "passphrase" && code == exitFine) ||
			strings.Contains(out+errs, "horse") || strings.Contains(out+errs, "another one") {
			t.Errorf("%+v: exit code %d, approved %v, changed %v\n%s%s", test, code, approved, changed, out, errs)
		}
	}
}

// TestApproveChangedMeanwhile: what is approved is what was shown, though the
// proposal changes while the person thinks.
func TestApproveChangedMeanwhile(t *testing.T) {
	for name, meanwhile := range map[string]func(*apitest.Mind) error{
		"rejected": func(m *apitest.Mind) error {
			_, err := m.Decide(t.Context(), api.ProposalDecision{ID: "p-4f2a"})
			return err
		},
		"another": func(m *apitest.Mind) error {
			m.OnDecide = func(decision api.ProposalDecision) error {
				if decision.Hash != apitest.SampleHash {
					return nil
				}
				return api.Errorf(api.CodeChanged, "look again", "it is not what was shown")
			}
			return nil
		},
	} {
		m := apitest.Deliberating()
		code, out, errs := approves(t, m, true, slowly(func() error { return meanwhile(m) }), "p-4f2a")
		if code != exitRefused || slices.ContainsFunc(m.Decisions(), func(d api.ProposalDecision) bool { return d.Approve }) || !strings.Contains(out, "[y/N]") {
			t.Errorf("%s: exit code %d, decided %+v, %s", name, code, m.Decisions(), errs)
		}
	}
}

// slowly is somebody who types yes after something happened.
type slowly func() error

func (s slowly) Read(into []byte) (int, error) {
	if err := s(); err != nil {
		return 0, err
	}
	return copy(into, "y\n"), nil
}

// TestApproveOfWhatFails ends with a failure, and shows what it wrote.
func TestApproveOfWhatFails(t *testing.T) {
	for state, want := range map[api.RunState]int{api.RunSucceeded: exitFine, "failed": exitFailed, "timed_out": exitFailed, "unknown": exitFailed} {
		var run api.ActionRun
		run.State = state
		if err := ofRun(run); (err == nil) != (want == exitFine) {
			t.Errorf("%s: %v", state, err)
		}
	}
	for code, want := range map[api.Code]int{api.CodeExpired: exitRefused, api.CodeUsed: exitRefused, api.CodeChanged: exitRefused, api.CodeLimit: exitRefused,
		api.CodeRefused: exitRefused, api.CodeNotFound: exitNotFound, api.CodeBusy: exitFailed} {
		m := apitest.Deliberating()
		m.OnDecide = func(api.ProposalDecision) error { return api.Errorf(code, "do something else", "it cannot be") }
		got, _, errs := approves(t, m, true, strings.NewReader("y\n"), "p-4f2a")
		if got != want || !strings.Contains(errs, "it cannot be") || !strings.Contains(errs, "→ do something else") || len(m.Decisions()) != 0 {
			t.Errorf("%s: exit code %d, want %d: %s", code, got, want, errs)
		}
	}
}

// TestWhatCannotBeApproved: what is stored otherwise than it would run is not
// said to run, and nobody is asked or invited to approve it.
func TestWhatCannotBeApproved(t *testing.T) {
	m := apitest.Deliberating()
	m.Proposed[0].Problem = "what is stored is not what runs"
	m.Now.Proposed[0].Problem = m.Proposed[0].Problem
	code, out, errs := approves(t, m, true, strings.NewReader("y\n"), "p-4f2a")
	if code != exitRefused || len(m.Decisions()) != 0 || strings.Contains(out, "[y/N]") || !strings.Contains(errs, "→ reject it") {
		t.Errorf("approve: exit code %d, decided %+v, %s%s", code, m.Decisions(), out, errs)
	}
	problem, stored := strings.Index(out, "What is stored is not what runs"), strings.Index(out, "This is stored, and does not run")
	if problem < 0 || stored < problem || strings.Contains(out, "Exactly this would run") {
		t.Errorf("it is shown as what would run: %s", out)
	}
	if _, out, _ := asks(t, m, true, strings.NewReader(""), "status"); strings.Contains(out, "approve p-4f2a") || !strings.Contains(out, "reject p-4f2a") {
		t.Errorf("status invites to approve it: %s", out)
	}
}

// TestMissedAsks: on a terminal a clear yes counts what was missed, nothing else does.
func TestMissedAsks(t *testing.T) {
	for _, test := range []struct {
		terminal bool
		typed    string
		args     []string
		asked    int
	}{
		{true, "y\n", nil, 2}, {true, "\n", nil, 1}, {true, "", nil, 1}, {true, "n\n", nil, 1}, {false, "y\n", nil, 1},
		{true, "y\n", []string{"--json"}, 1}, {true, "", []string{"--teach"}, 1},
	} {
		m := apitest.Telling()
		code, out, errs := asks(t, m, test.terminal, strings.NewReader(test.typed), append([]string{"missed", "the backup"}, test.args...)...)
		if code != exitFine || len(m.MissedTexts()) != test.asked ||
			strings.Contains(out, "Count it as missed? [y/N]") != (test.terminal && test.args == nil) ||
			strings.Contains(out, "Counted as missed") != (test.asked == 2 || slices.Contains(test.args, "--teach")) {
			t.Errorf("%+v: exit code %d, asked %q\n%s%s", test, code, m.MissedTexts(), out, errs)
		}
	}
}
