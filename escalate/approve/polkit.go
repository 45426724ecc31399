package approve

import (
	"context"
	"errors"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/internal/dbusconn"
	"github.com/subconsciousd/subconsciousd/internal/kin"
)

const (
	// PolkitAction is what polkit knows approving by; PolkitFile is its policy, of
	// deploy/polkit.
	PolkitAction = "io.github.subconsciousd.approve"
	PolkitFile   = "/usr/share/polkit-1/actions/" + PolkitAction + ".policy"

	// askWithin is how long the person has to answer polkit.
	askWithin = 2 * time.Minute
	// interact lets polkit ask the person.
	interact = uint32(1)
)

// polkit has polkit ask the person at the session of the process. Ending the
// connection ends the question.
func (f *Factor) polkit(ctx context.Context, uid, pid int) error {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	who, alive := kin.Look(pid)
	if !alive {
		return refuse(actions.CodeForbidden, "wait for the answer", "the process %d that asks has ended", pid)
	}
	const install = "install polkit, or set approve.ask to passphrase"
	conn, err := dbusconn.Open(ctx, dbusconn.System(f.Bus))
	if err != nil {
		return refuse(actions.CodeForbidden, install, "polkit cannot be asked: %v", err)
	}
	defer conn.Close()
	var said struct {
		Authorized, Challenge bool
		Details               map[string]string
	}
	process := struct {
		Kind    string
		Details map[string]any
	}{"unix-process", map[string]any{"pid": uint32(pid), "start-time": who.Began, "uid": int32(uid)}}
	err = conn.Object("org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority").CallWithContext(ctx,
		"org.freedesktop.PolicyKit1.Authority.CheckAuthorization", 0, process, PolkitAction, map[string]string{}, interact, "").Store(&said)
	var failed dbus.Error
	switch {
	case ctx.Err() != nil:
		return refuse(actions.CodeForbidden, "approve again, and answer", "nobody answered polkit within %s", askWithin)
	case errors.As(err, &failed) && failed.Name == "org.freedesktop.PolicyKit1.Error.Failed":
		return refuse(actions.CodeForbidden, "install its policy: subconsciousctl config polkit | sudo tee "+PolkitFile, "polkit refuses to ask: %v", err)
	case err != nil:
		return refuse(actions.CodeForbidden, install, "polkit cannot be asked: %v", err)
	case said.Challenge:
		return refuse(actions.CodeForbidden, "approve in your desktop's session, or begin pkttyagent --process $$ in this shell first", "polkit finds nobody whom it could ask here")
	case !said.Authorized:
		return refuse(actions.CodeForbidden, "approve again, and answer", "polkit did not get the answer that it asked for")
	}
	return nil
}
