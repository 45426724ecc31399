package daemon

import (
	"context"

	"github.com/subconsciousd/subconsciousd/heartbeat"
)

// openHeart begins to show that the daemon lives, where that is configured.
func (d *Daemon) openHeart(ctx context.Context) error {
	d.heart = heartbeat.New(heartbeat.Options{
		Config: d.options.Config.Heartbeat, Version: d.options.Version, Env: d.options.Env, Now: d.now, Done: d.beaten,
	})
	if d.heart == nil {
		d.trouble(ctx, noticeHeartbeat, "", "")
		return nil
	}
	d.heart.Start(context.WithoutCancel(ctx))
	d.later("end the heartbeat", d.heart.Stop)
	return nil
}

// beaten keeps a notice while heartbeats do not arrive.
func (d *Daemon) beaten(ctx context.Context, status heartbeat.Status) {
	text := ""
	if status.Error != "" {
		text = "the heartbeat does not arrive: " + status.Error
	}
	if d.trouble(ctx, noticeHeartbeat, text, status.Next) {
		d.options.Logger.Warn("the heartbeat does not arrive", "error", status.Error)
	}
}
