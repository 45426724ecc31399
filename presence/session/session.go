// Package session asks the desktop about the person's session: whether it is
// locked, and whether the machine is idle.
//
// On Linux that is systemd-logind, over the system bus. It knows only what the
// desktop tells it: GNOME and KDE say when the screen is locked, and that nobody
// is there once their own delay is over (5 minutes and more by default), from
// which on it counts as idle. Window managers that say neither look like
// somebody at work. Elsewhere, on macOS for instance, there is nobody to ask:
// the session is not known.
//
// The package stores nothing. The daemon asks it once a tick.
package session

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/presence"
)

// timeout is how long one question may take.
const timeout = time.Second

// Options are what a Reader may be told. Every field may be left out.
type Options struct {
	// Bus is the address of the system bus; empty is where it usually is.
	Bus string
	// User is the number of the person's user as text; empty is who runs this.
	User string
	// Now is the wall clock; nil is time.Now.
	Now func() time.Time
	// Logger hears, at debug level, why nothing is known; may be nil.
	Logger *slog.Logger
}

// Reader looks at the session. It holds no connection between questions, so that a
// bus that comes, goes or restarts is met anew each time.
type Reader struct {
	options Options

	mu     sync.Mutex
	locked time.Time // since when it was seen locked; zero: it is not
	said   string    // the last reason in the log
}

// New returns a Reader. It does nothing until it is asked.
func New(options Options) *Reader {
	if options.Now == nil {
		options.Now = time.Now
	}
	options.Logger = cmp.Or(options.Logger, slog.New(slog.DiscardHandler))
	return &Reader{options: options}
}

// Session returns what the session is like now, within a second. Where there is
// none, or nobody to ask, it is not known, which is no failure.
func (r *Reader) Session(ctx context.Context) presence.Session {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	seen, err := r.ask(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		// Locked since is kept: a bus that fails for one question unlocks nothing.
		if text := err.Error(); text != r.said {
			r.said = text
			r.options.Logger.Debug("nothing is known of the session", "error", err)
		}
		return presence.Session{}
	}
	r.said = ""
	switch {
	case !seen.Locked:
		r.locked = time.Time{}
	case r.locked.IsZero():
		r.locked = r.options.Now()
	}
	seen.Known, seen.LockedSince = true, r.locked
	return seen
}
