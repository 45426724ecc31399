package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/backup"
)

// backupCommands copy a mind into a file and make one of it again. The daemon has no
// part in it: what it may write to is less than what the person may.
func (a *app) backupCommands() map[string]command {
	var force bool
	return map[string]command{
		"backup":  {flags: map[string]any{"force": &force}, run: func(cmd *cobra.Command, args []string) error { return a.backup(cmd.Context(), argument(args), force) }},
		"restore": {run: func(cmd *cobra.Command, args []string) error { return a.restore(cmd.Context(), args[0]) }},
	}
}

func (a *app) backup(ctx context.Context, path string, force bool) error {
	dir, err := a.findStateDir()
	if err != nil {
		return err
	}
	made, err := func() (backup.Made, error) {
		defer a.spin("copying")()
		return backup.Make(ctx, backup.Options{StateDir: dir, Path: path, Force: force, Version: api.BuildVersion(), At: a.now()})
	}()
	if err != nil {
		return err
	}
	// Paths are for copying, and so never broken into lines.
	return a.print(made, func() string {
		return fmt.Sprintf("%s is written: %d files, %d bytes, schema %d. The copy was proven.\n  → keep it on another disk; to use it: subconsciousctl restore %[1]s\n",
			made.Path, len(made.Files), made.Bytes, made.Schema)
	})
}

func (a *app) restore(ctx context.Context, path string) error {
	dir, err := a.findStateDir()
	if err != nil {
		return err
	}
	restored, err := func() (backup.Restored, error) {
		defer a.spin("proving")()
		return backup.Restore(ctx, path, dir, a.now())
	}()
	if err != nil {
		return err
	}
	return a.print(restored, func() string {
		text := fmt.Sprintf("%s is the mind of %s again.\n", restored.StateDir, restored.Backup.At.In(a.zone).Format("2006-01-02 15:04"))
		if restored.Kept != "" {
			text += "  what was there is kept in " + restored.Kept + "\n"
		}
		if c := restored.Closed; c != (backup.Closed{}) {
			text += fmt.Sprintf("  closed, as they waited then: messages %d, proposals %d, runs %d, deliberations %d\n", c.Messages, c.Proposals, c.Runs, c.Escalations)
		}
		return text + "  → start the daemon as ever, with systemd: systemctl --user start subconsciousd\n"
	})
}
