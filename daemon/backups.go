package daemon

import (
	"context"

	"github.com/subconsciousd/subconsciousd/backup"
	"github.com/subconsciousd/subconsciousd/store/mind"
)

const noticeBackup = "backup_failed"

// keepBackups has a backup made each day, where that is configured, and says when
// it is not.
func (d *Daemon) keepBackups(ctx context.Context) error {
	key := mind.NoticeKey{Code: noticeBackup}
	config := d.options.Config.Backup
	if config.Folder == "" || d.options.Unscheduled {
		_, err := d.mind.ResolveNotice(ctx, key)
		return err
	}
	keeper := &backup.Keeper{Config: config, StateDir: d.options.Config.StateDir, Version: d.options.Version, Now: d.now, Logger: d.options.Logger,
		Ended: func(ctx context.Context, err error) {
			var unkept error
			if err != nil {
				d.options.Logger.Error("the backup was not made", "folder", config.Folder, "error", err)
				_, unkept = d.mind.RaiseNotice(ctx, mind.Notice{NoticeKey: key, At: d.now(), Text: "the backup of the day was not made: " + err.Error(),
					Next: "mend that; it is tried again each hour. The folder is backup.folder in the configuration"})
			} else {
				_, unkept = d.mind.ResolveNotice(ctx, key)
			}
			if unkept != nil {
				d.options.Logger.Error("a notice could not be kept", "error", unkept)
			}
		}}
	keeper.Start()
	d.later("stop the backups", keeper.Stop)
	return nil
}
