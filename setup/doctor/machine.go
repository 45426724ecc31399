package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/conversation"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/senses/notes"
)

const (
	// A disk with less room than this, in bytes, may soon be full, or is.
	littleRoom = 1 << 30
	noRoom     = 64 << 20
	// clockOff is how far the clock may be off, in seconds.
	clockOff = 2
	// walkWithin bounds looking through folders.
	walkWithin = 5 * time.Second
)

// earliest is before this program was made: a clock that shows less is wrong.
var earliest = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// clock looks whether it is kept.
func (e *examination) clock(ctx context.Context) {
	read := health.Probe
	if e.Reader != nil {
		read = e.Reader.Read
	}
	reading, err := read(ctx)
	c, now := reading.Clock, e.Now()
	unknown := err != nil || c == nil
	if unknown {
		c = &health.Clock{}
	}
	e.say("clock",
		row{now.Before(earliest), Broken, "it shows " + now.Format(time.DateOnly) + ", which is long past", "set it; a time service keeps it: timedatectl set-ntp true"},
		row{unknown, Skipped, "this machine does not say whether it is kept", ""},
		row{c.Kept && !c.Synchronised, Degraded, "it is not synchronised, although a time service runs", "look at the service: timedatectl status"},
		row{math.Abs(c.Offset) > clockOff, Degraded, fmt.Sprintf("it is off by %.1f seconds", c.Offset), "look at the time service: timedatectl status"},
		row{!c.Kept && !c.Synchronised, Note, "no time service keeps it", "timedatectl set-ntp true starts one"},
		row{true, OK, "it is in step", ""})
}

// watches compares the folders to be watched with how many may be.
func (e *examination) watches(ctx context.Context) {
	watched := e.Config.Senses
	if len(watched.Files)+len(watched.Notes) == 0 {
		return
	}
	ask := e.Watches
	if ask == nil {
		ask = kernelWatches
	}
	limit, ok := ask()
	ctx, done := context.WithTimeout(ctx, walkWithin)
	defer done()
	folders := 0
	for _, c := range watched.Files {
		p, _ := files.Probe(ctx, c) // what is not there is said of the configuration
		folders += p.Folders
	}
	for _, c := range watched.Notes {
		p, _ := notes.Probe(ctx, c)
		folders += p.Folders
	}
	words := fmt.Sprintf("at most %d folders to watch, and %d may be", folders, limit)
	e.say("watches",
		row{!ok, Skipped, "this system has no limit of folders that are watched", ""},
		row{folders > limit*9/10, Degraded, words, "leave folders out with ignore, or raise the limit: sysctl fs.inotify.max_user_watches=" + strconv.Itoa(folders*2)},
		row{true, OK, words, ""})
}

// transcripts looks whether the folders of transcripts can be read.
func (e *examination) transcripts(ctx context.Context) {
	for _, c := range e.Config.Senses.Conversation {
		ctx, done := context.WithTimeout(ctx, walkWithin)
		p, err := conversation.Probe(ctx, c)
		done()
		e.say(c.ID+" transcripts",
			row{errors.Is(err, fs.ErrNotExist), Degraded, "not there: " + c.Path, "make it, or correct senses.conversation"},
			row{err != nil, Degraded, c.Path + " cannot be read", "let the daemon's user read it, or correct senses.conversation"},
			row{p.Closed != "", Degraded, p.Closed + " cannot be read", "let the daemon's user read it, or leave it out with ignore"},
			row{p.Files == 0, Note, c.Path + " has none: files that end in .jsonl or .md", "correct senses.conversation, unless they are yet to come"},
			row{p.Files > p.Most, Degraded, fmt.Sprintf("%s has more than %d", c.Path, p.Most), "leave old ones out with ignore"},
			row{true, OK, fmt.Sprintf("%d in %s", p.Files, c.Path), ""})
	}
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
