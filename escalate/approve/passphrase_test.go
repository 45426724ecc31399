package approve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/approve"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

const right, wrong = "correct horse", "battery staple"

// clock is set by hand.
type clock struct{ now time.Time }

// started is what a daemon that has just begun asks with.
func (c *clock) started(folder string) *approve.Factor {
	return approve.Cheap(&approve.Factor{Config: approve.Config{Ask: approve.AskPassphrase}, StateDir: folder, Now: func() time.Time { return c.now }})
}

// TestPassphrase: three wrong ones are taken, and then none for a quarter of an hour,
// however often the daemon begins anew.
func TestPassphrase(t *testing.T) {
	folder, c := testutil.Folder(t), &clock{time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)}
	check := func(given string, want actions.Code, says string) {
		t.Helper()
		err := c.started(folder).Check(t.Context(), 0, 0, given)
		if actions.CodeOf(err) != want || want == "" && err != nil || want != "" && !strings.Contains(err.Error(), says) {
			t.Errorf("%q at %s: %v, want %q with %q", given, c.now, err, want, says)
		}
	}
	set := func(present, passphrase string, want actions.Code) {
		t.Helper()
		if err := c.started(folder).Set(present, passphrase); actions.CodeOf(err) != want || want == "" && err != nil {
			t.Errorf("set %q by %q: %v, want %q", passphrase, present, err, want)
		}
	}
	check(right, actions.CodeForbidden, "none has been set; set one: subconsciousctl passphrase")
	for _, bad := range []string{"", "short", strings.Repeat("x", 73)} {
		set("", bad, actions.CodeInvalid)
	}
	set("", right, "")
	file := approve.File(folder)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || strings.Contains(string(testutil.Read(t, file)), right) {
		t.Errorf("%v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	check(right, "", "")
	check("", actions.CodePassphrase, "approving takes your passphrase")
	check(wrong, actions.CodeForbidden, "2 of 3")
	check(wrong, actions.CodeForbidden, "1 of 3")
	check(right, "", "")
	check(wrong, actions.CodeForbidden, "2 of 3")
	set("", "another one", actions.CodePassphrase)
	set(wrong, "another one", actions.CodeForbidden) // which is a try as well
	check(wrong, actions.CodeLimit, "wait until 09:15")
	check(right, actions.CodeLimit, "wait until 09:15")
	set(right, "another one", actions.CodeLimit)
	c.now = c.now.Add(15*time.Minute - time.Second)
	check(right, actions.CodeLimit, "wait until 09:15")
	c.now = c.now.Add(time.Second)
	check(wrong, actions.CodeForbidden, "2 of 3")
	set(right, "another one", "")
	check(right, actions.CodeForbidden, "2 of 3")
	check("another one", "", "")
	// A clock that was a year ahead keeps nobody out for a year.
	for range 3 {
		_ = c.started(folder).Check(t.Context(), 0, 0, wrong)
	}
	c.now = c.now.AddDate(-1, 0, 0)
	check("another one", "", "")
	for _, spoil := range []func() error{
		func() error { return os.WriteFile(file, []byte("no"), 0o600) },
		func() error { return os.WriteFile(file, []byte("{}"), 0o600) },
		func() error { return os.Chmod(file, 0o644) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		check(right, actions.CodeForbidden, file)
		set("", "another one", actions.CodeForbidden)
	}
}

// TestAsk: what is configured is asked for, and nothing else can be.
func TestAsk(t *testing.T) {
	for ask, ok := range map[string]bool{"none": true, "passphrase": true, "polkit": true, "": false, "Passphrase": false, "pam": false} {
		if err := (approve.Config{Ask: ask}).Validate(); (err == nil) != ok {
			t.Errorf("%q: %v", ask, err)
		}
	}
	if err := (&approve.Factor{Config: approve.DefaultConfig()}).Check(t.Context(), 0, 0, ""); err != nil {
		t.Errorf("by default: %v", err)
	}
}
