//go:build linux

package approve_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/approve"
	"github.com/subconsciousd/subconsciousd/internal/kin"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/internal/testutil/privatebus"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const failedName = "org.freedesktop.PolicyKit1.Error.Failed"

// fakePolkit answers as polkitd does.
type fakePolkit struct {
	mu         sync.Mutex
	registered string // the action that it knows
	answer     verdict
	hang       chan struct{}
	asked      subject
}

type subject struct {
	Kind    string
	Details map[string]dbus.Variant
}

type verdict struct {
	Authorized, Challenge bool
	Details               map[string]string
}

// CheckAuthorization is polkit's method.
func (f *fakePolkit) CheckAuthorization(s subject, action string, details map[string]string, flags uint32, cancellation string) (verdict, *dbus.Error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = s
	switch {
	case action != f.registered:
		return verdict{}, &dbus.Error{Name: failedName, Body: []any{"Action " + action + " is not registered"}}
	case len(details) > 0: // which root alone may give
		return verdict{}, &dbus.Error{Name: "org.freedesktop.PolicyKit1.Error.NotAuthorized", Body: []any{"Only trusted callers can pass details"}}
	case flags != 1:
		return verdict{Challenge: true}, nil
	}
	if hang := f.hang; hang != nil {
		f.mu.Unlock()
		<-hang
		f.mu.Lock()
	}
	return f.answer, nil
}

// with changes it, or looks at what it was asked.
func (f *fakePolkit) with(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

// TestPolkit: an approval is what polkit says of the process that asks, and nothing
// less than a yes is one.
func TestPolkit(t *testing.T) {
	bus := privatebus.Start(t)
	factor := &approve.Factor{Config: approve.Config{Ask: approve.AskPolkit}, Bus: bus.Address}
	check := func(says string) {
		t.Helper()
		err := factor.Check(t.Context(), os.Getuid(), os.Getpid(), "")
		if says == "" && err != nil || says != "" && (actions.CodeOf(err) != actions.CodeForbidden || !strings.Contains(err.Error(), says)) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	check("install polkit")
	fake, conn := &fakePolkit{}, bus.Connect()
	if err := conn.Export(fake, "/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority"); err != nil {
		t.Fatal(err)
	}
	bus.Own(conn, "org.freedesktop.PolicyKit1")
	check("subconsciousctl config polkit")
	fake.with(func() { fake.registered = approve.PolkitAction })
	check("did not get the answer")
	fake.with(func() { fake.answer = verdict{Challenge: true} })
	check("pkttyagent")
	fake.with(func() { fake.answer = verdict{Authorized: true} })
	check("")
	own, _ := kin.Look(os.Getpid())
	for name, want := range map[string]any{"pid": uint32(os.Getpid()), "uid": int32(os.Getuid()), "start-time": own.Began} {
		fake.with(func() {
			if got := fake.asked.Details[name].Value(); fake.asked.Kind != "unix-process" || got != want {
				t.Errorf("%s %s is %v, want %v", fake.asked.Kind, name, got, want)
			}
		})
	}
	hang := make(chan struct{})
	fake.with(func() { fake.hang = hang })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := factor.Check(ctx, os.Getuid(), os.Getpid(), ""); actions.CodeOf(err) != actions.CodeForbidden || !strings.Contains(err.Error(), "nobody answered") {
		t.Errorf("nobody answers: %v", err)
	}
	close(hang)
	bus.Stop()
	check("install polkit")
}

// TestPolicy: the policy that is shipped is of the action that is asked for, and asks
// each time.
func TestPolicy(t *testing.T) {
	text := string(testutil.Read(t, filepath.Join("../../deploy/polkit", filepath.Base(approve.PolkitFile))))
	if !strings.Contains(text, `<action id="`+approve.PolkitAction+`">`) || strings.Count(text, ">auth_self<") != 3 || strings.Contains(text, "keep") {
		t.Errorf("the policy is %s", text)
	}
	if xmllint, err := exec.LookPath("xmllint"); err == nil {
		if out, err := exec.Command(xmllint, "--noout", "--nonet", "../../deploy/polkit/"+filepath.Base(approve.PolkitFile)).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}
