package daemon

import (
	sd "github.com/coreos/go-systemd/v22/daemon"
)

// tellSystemd says how the daemon is to the service manager that started it;
// without one it does nothing.
func (d *Daemon) tellSystemd(state string) {
	if _, err := sd.SdNotify(false, state); err != nil {
		d.options.Logger.Warn("the service manager was not told", "state", state, "error", err)
	}
}
