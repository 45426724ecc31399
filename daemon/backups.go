package daemon

import (
	"context"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/backup"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// keepBackups has a backup made each day and one checked each month, where that is
// configured, and says when it is not, or is not whole.
func (d *Daemon) keepBackups(ctx context.Context) error {
	config := d.options.Config.Backup
	if config.Folder == "" || d.options.Unscheduled {
		d.trouble(ctx, api.NoticeBackup, "", "")
		d.trouble(ctx, api.NoticeBackupCheck, "", "")
		return nil
	}
	keeper := &backup.Keeper{Config: config, Mind: d.mind, StateDir: d.options.Config.StateDir, Version: d.options.Version, Now: d.now, Logger: d.options.Logger,
		Ended: func(ctx context.Context, err error) {
			if err == nil {
				d.trouble(ctx, api.NoticeBackup, "", "")
				return
			}
			d.options.Logger.Error("the backup was not made", "folder", config.Folder, "error", err)
			d.trouble(ctx, api.NoticeBackup, "the backup of the day was not made: "+err.Error(),
				"mend that; it is tried again each hour. The folder is the one of backup in the configuration")
		},
		Checked: func(ctx context.Context, how subconscious.Backups) {
			text := ""
			if how.Error != "" {
				d.options.Logger.Error("the backup was checked, and is not well", "file", how.File, "error", how.Error)
				text = "the check of the month could not restore " + how.File + ": " + how.Error
			}
			d.trouble(ctx, api.NoticeBackupCheck, text, how.Next)
		}}
	keeper.Start()
	d.later("stop the backups", keeper.Stop)
	return nil
}
