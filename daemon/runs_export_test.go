package daemon

// Untold has nobody told of what runs.
func (d *Daemon) Untold() { d.actions.Begun = nil }
