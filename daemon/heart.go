package daemon

import (
	"context"
	"errors"

	"github.com/subconsciousd/subconsciousd/heartbeat"
	"github.com/subconsciousd/subconsciousd/store/mind"
)

// openHeart begins to show that the daemon lives, where that is configured.
func (d *Daemon) openHeart(ctx context.Context) error {
	d.heart = heartbeat.New(heartbeat.Options{
		Config: d.options.Config.Heartbeat, Version: d.options.Version, Env: d.options.Env, Now: d.now, Done: d.beaten,
	})
	if d.heart == nil {
		_, err := d.mind.ResolveNotice(ctx, mind.NoticeKey{Code: noticeHeartbeat})
		return err
	}
	d.heart.Start(context.WithoutCancel(ctx))
	d.later("end the heartbeat", d.heart.Stop)
	return nil
}

// beaten keeps a notice while heartbeats do not arrive.
func (d *Daemon) beaten(ctx context.Context, status heartbeat.Status) {
	key := mind.NoticeKey{Code: noticeHeartbeat}
	var err error
	if status.Error == "" {
		_, err = d.mind.ResolveNotice(ctx, key)
	} else {
		var raised bool
		raised, err = d.mind.RaiseNotice(ctx, mind.Notice{NoticeKey: key, At: d.now(), Text: "the heartbeat does not arrive: " + status.Error, Next: status.Next})
		if raised {
			d.options.Logger.Warn("the heartbeat does not arrive", "error", status.Error)
		}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		d.options.Logger.Error("a notice could not be kept", "error", err)
	}
}
