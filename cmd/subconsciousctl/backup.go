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
	var wanted backup.Options
	var from backup.RestoreOptions
	return map[string]command{
		"backup": {flags: map[string]any{"force": &wanted.Force, "recipient": &wanted.Recipient}, run: func(cmd *cobra.Command, args []string) error {
			wanted.Path = argument(args)
			return a.backup(cmd.Context(), wanted)
		}},
		"restore": {flags: map[string]any{"identity": &from.Identity}, run: func(cmd *cobra.Command, args []string) error {
			from.Path = args[0]
			return a.restore(cmd.Context(), from)
		}},
	}
}

func (a *app) backup(ctx context.Context, o backup.Options) (err error) {
	if o.StateDir, err = a.findStateDir(); err != nil {
		return err
	}
	if o.Recipient == "" {
		config, _, err := a.load()
		if err != nil {
			return err // whether to encrypt is not known
		}
		o.Recipient = config.Backup.Recipient
	}
	o.Version, o.At = api.BuildVersion(), a.now()
	made, err := func() (backup.Made, error) {
		defer a.spin("copying")()
		return backup.Make(ctx, o)
	}()
	if err != nil {
		return err
	}
	// Paths are for copying, and so never broken into lines.
	sealed, key := "", ""
	if o.Recipient != "" {
		sealed, key = ", encrypted", " --identity KEY_FILE"
	}
	return a.print(made, func() string {
		return fmt.Sprintf("%s is written%s: %d files, %d bytes, schema %d. The copy was proven.\n  → keep it on another disk; to use it: subconsciousctl restore%s %[1]s\n",
			made.Path, sealed, len(made.Files), made.Bytes, made.Schema, key)
	})
}

func (a *app) restore(ctx context.Context, o backup.RestoreOptions) (err error) {
	if o.StateDir, err = a.findStateDir(); err != nil {
		return err
	}
	o.At = a.now()
	restored, err := func() (backup.Restored, error) {
		defer a.spin("proving")()
		return backup.Restore(ctx, o)
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
