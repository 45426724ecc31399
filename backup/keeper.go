package backup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/wake"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Config says where backups are made by themselves, and how many are kept.
type Config struct {
	Folder string `mapstructure:"folder" path:"folder" about:"The folder of the backups, best on another disk; empty: none are made."`
	Keep   int    `mapstructure:"keep" about:"How many are kept there: 1 to 1000."`
	At     string `mapstructure:"at" about:"When one is made, each day, in the time zone; what was missed is made up for."`

	Recipient string `mapstructure:"recipient" about:"The public key of age (age1…) to which backups are encrypted, those by hand as well; empty: they are not."`
	Identity  string `mapstructure:"identity_file" path:"secret" about:"The file of its private key, by which the monthly check reads what is encrypted; empty: only whether the file is as it was made."`
}

// DefaultConfig makes none.
func DefaultConfig() Config { return Config{Keep: 7, At: "03:30"} }

// Validate refuses what cannot be meant.
func (c Config) Validate() error {
	var errs []error
	if c.Keep < 1 || c.Keep > 1000 {
		errs = append(errs, fmt.Errorf("keep: is %d; it must be 1 to 1000", c.Keep))
	}
	if _, err := time.Parse("15:04", c.At); err != nil {
		errs = append(errs, fmt.Errorf(`at: %q is no time of day; write it like "03:30"`, c.At))
	}
	if _, err := parseRecipient(c.Recipient); err != nil {
		errs = append(errs, fmt.Errorf("recipient: %w; write the one that age-keygen shows: age1…", err))
	}
	return errors.Join(errs...)
}

// Keeper makes a backup each day, and restores one aside each month. The names in
// the folder say when the last one was made, its books when one was checked.
type Keeper struct {
	Config
	StateDir, Version string
	// Mind is the one that is in StateDir; it keeps the books.
	Mind *mind.Store
	// Now is the wall clock, in the zone of At.
	Now    func() time.Time
	Logger *slog.Logger
	// Ended is told how each backup ended.
	Ended func(ctx context.Context, err error)
	// Checked is told what came of each check.
	Checked func(ctx context.Context, how subconscious.Backups)

	cancel context.CancelFunc
	group  sync.WaitGroup
}

// How often the clock is looked at, and how long it rests after a failure.
const (
	lookEvery  = time.Minute
	afterFault = time.Hour
)

// Start begins to look, until Stop.
func (k *Keeper) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel = cancel
	k.group.Go(func() {
		for ctx.Err() == nil {
			wait := lookEvery
			if err := k.Look(ctx); err != nil {
				wait = afterFault
			}
			wake.Pause(ctx, wait)
		}
	})
}

// Stop breaks off a backup that is being made, of which nothing is left then.
func (k *Keeper) Stop(ctx context.Context) error {
	k.cancel()
	if !wake.Joined(ctx, &k.group) {
		return fmt.Errorf("backup: stop: %w", ctx.Err())
	}
	return nil
}

// Look makes a backup if one is due, and removes the oldest over Keep. Others of the
// folder are left alone. Then it checks the newest, if that is due.
func (k *Keeper) Look(ctx context.Context) error {
	now := k.Now()
	have, err := k.have(now)
	due := k.due(now)
	if err == nil && slices.ContainsFunc(have, func(one kept) bool { return !one.at.Before(due) }) {
		if err = k.check(ctx, have[len(have)-1].name, now); err != nil && ctx.Err() == nil {
			k.Logger.Error("what came of the check of a backup was not kept; it is made again in an hour", "error", err)
		}
		return err
	}
	var made Made
	if err == nil {
		made, err = Make(ctx, Options{StateDir: k.StateDir, Path: k.Folder, Recipient: k.Recipient, Version: k.Version, At: now})
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	ctx = context.WithoutCancel(ctx) // what was made is noted
	if err == nil {
		k.Logger.Info("a backup was made", "path", made.Path, "bytes", made.Bytes)
		err = errors.Join(k.removeOldest(now), k.made(ctx, made))
	}
	k.Ended(ctx, err)
	return err
}

// due is the last time at which one was to be made.
func (k *Keeper) due(now time.Time) time.Time {
	at, _ := time.Parse("15:04", k.At) // Validate has read it
	due := time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), 0, 0, now.Location())
	if due.After(now) {
		due = time.Date(now.Year(), now.Month(), now.Day()-1, at.Hour(), at.Minute(), 0, 0, now.Location())
	}
	return due
}

const nameTime = "20060102T150405Z"

var ownName = regexp.MustCompile(`^subconscious-(\d{8}T\d{6}Z)\.tar\.gz(\.age)?$`)

// kept is a backup of the folder.
type kept struct {
	name string
	at   time.Time
}

// have are the backups of the folder, oldest first, but for those of a clock that was
// ahead.
func (k *Keeper) have(now time.Time) (all []kept, err error) {
	entries, err := os.ReadDir(k.Folder)
	if err != nil {
		return nil, explain(filepath.Join(k.Folder, "x"), err)
	}
	for _, entry := range entries {
		if name := ownName.FindStringSubmatch(entry.Name()); name != nil && entry.Type().IsRegular() {
			if at, err := time.Parse(nameTime, name[1]); err == nil && !at.After(now) {
				all = append(all, kept{entry.Name(), at})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b kept) int { return a.at.Compare(b.at) })
	return all, nil
}

// Newest is when the newest backup of the folder was made; zero where there is none.
func (c Config) Newest(now time.Time) (at time.Time, err error) {
	have, err := (&Keeper{Config: c}).have(now)
	if len(have) > 0 {
		at = have[len(have)-1].at
	}
	return at, err
}

func (k *Keeper) removeOldest(now time.Time) error {
	have, err := k.have(now)
	for len(have) > k.Keep && err == nil {
		err = os.Remove(filepath.Join(k.Folder, have[0].name))
		have = have[1:]
	}
	return err
}

// nameOf is what a backup of that time is called where it gets a name of its own.
func nameOf(at time.Time, encrypted bool) string {
	name := "subconscious-" + at.UTC().Format(nameTime) + ".tar.gz"
	if encrypted {
		name += ".age"
	}
	return name
}
