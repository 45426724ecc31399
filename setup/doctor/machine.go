package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/disk"

	"github.com/subconsciousd/subconsciousd/senses/health"
)

const (
	// A disk with less room than this, in bytes, may soon be full, or is.
	littleRoom = 1 << 30
	noRoom     = 64 << 20
	// clockOff is how far the clock may be off, in seconds.
	clockOff = 2
	// maxFolders bounds how many folders are counted, walkWithin for how long.
	maxFolders = 200_000
	walkWithin = 5 * time.Second
)

// earliest is before this program was made: a clock that shows less is wrong.
var earliest = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// machine looks at the disk and the clock.
func (e *examination) machine(ctx context.Context) {
	e.room(ctx)
	reader := e.Reader
	if reader == nil {
		system := health.NewSystem(health.SystemOptions{Paths: []string{"/"}, Clock: true})
		defer func() {
			ctx, done := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer done()
			_ = system.Stop(ctx) // a probe that hangs is left to the end of the process
		}()
		reader = system
	}
	reading, err := reader.Read(ctx)
	now := e.Now()
	switch c := reading.Clock; {
	case now.Before(earliest):
		e.add(Broken, "clock", "it shows "+now.Format(time.DateOnly)+", which is long past", "set it; a time service keeps it: timedatectl set-ntp true")
	case err != nil || c == nil:
		e.add(Skipped, "clock", "this machine does not say whether it is kept", "")
	case c.Kept && !c.Synchronised:
		e.add(Degraded, "clock", "it is not synchronised, although a time service runs", "look at the service: timedatectl status")
	case math.Abs(c.Offset) > clockOff:
		e.add(Degraded, "clock", fmt.Sprintf("it is off by %.1f seconds", c.Offset), "look at the time service: timedatectl status")
	case !c.Kept && !c.Synchronised:
		e.add(Note, "clock", "no time service keeps it", "timedatectl set-ntp true starts one")
	default:
		e.add(OK, "clock", "it is in step", "")
	}
}

// room looks at the disk that the state folder is on.
func (e *examination) room(ctx context.Context) {
	at := e.StateDir
	for {
		if _, err := os.Stat(at); err == nil || filepath.Dir(at) == at {
			break
		}
		at = filepath.Dir(at)
	}
	usage, err := disk.UsageWithContext(ctx, at)
	if err != nil {
		e.add(Skipped, "disk", fmt.Sprintf("its room cannot be read: %v", err), "")
		return
	}
	words := fmt.Sprintf("%.1f GB are free for %s", float64(usage.Free)/1e9, e.StateDir)
	switch {
	case usage.Free < noRoom:
		e.add(Broken, "disk", words, "make room: nothing can be kept on a full disk")
	case usage.Free < littleRoom:
		e.add(Degraded, "disk", words, "make room before it is full")
	default:
		e.add(OK, "disk", words, "")
	}
}

// watches compares the folders to be watched with how many may be.
func (e *examination) watches(ctx context.Context) {
	const name = "watches"
	if e.Config == nil || len(e.Config.Senses.Files)+len(e.Config.Senses.Notes) == 0 {
		return
	}
	limit, ok := 0, false
	if e.Watches != nil {
		limit, ok = e.Watches()
	} else {
		limit, ok = kernelWatches()
	}
	if !ok {
		e.add(Skipped, name, "this system has no limit of folders that are watched", "")
		return
	}
	var roots []string
	for _, c := range e.Config.Senses.Files {
		roots = append(roots, c.Path)
	}
	for _, c := range e.Config.Senses.Notes {
		roots = append(roots, c.Path)
	}
	ctx, done := context.WithTimeout(ctx, walkWithin)
	defer done()
	folders := 0
	for _, root := range roots {
		folders += countFolders(ctx, root, maxFolders-folders)
	}
	words := fmt.Sprintf("at most %d folders to watch, and %d may be", folders, limit)
	if folders > limit*9/10 {
		e.add(Degraded, name, words, "leave folders out with ignore, or raise the limit: sysctl fs.inotify.max_user_watches="+strconv.Itoa(folders*2))
		return
	}
	e.add(OK, name, words, "")
}

// countFolders counts the folders below root, ignored ones included.
func countFolders(ctx context.Context, root string, most int) (n int) {
	// What cannot be read is not counted.
	_ = filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case n >= most || ctx.Err() != nil:
			return fs.SkipAll
		case entry.IsDir():
			n++
		}
		return nil
	})
	return n
}

// kernelWatches asks Linux how many folders one user may watch.
func kernelWatches() (int, bool) {
	if runtime.GOOS != "linux" {
		return 0, false
	}
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	if err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	return n, err == nil
}
