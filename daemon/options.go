package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/presence"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// Options are what a daemon needs.
type Options struct {
	// Config is the configuration; its StateDir must be absolute.
	Config *setup.Config
	// Source is what Config was read from, and is read from again while the daemon
	// runs; nil for none.
	Source *Source
	// Version is shown by status.
	Version string
	// Demo is shown by status.
	Demo bool
	// Logger; nil discards.
	Logger *slog.Logger
	// CredulousTriage leaves out what keeps mails from being triaged by what others
	// say of them, for the twin of that guard.
	CredulousTriage bool
	// OnSnapshot, if set, is told at every tick what the threads are about to think
	// of.
	OnSnapshot func(subconscious.Snapshot)
	// OnTick, if set, is told of every tick that was committed.
	OnTick func(api.TickReport)
	// Now is the wall clock; nil is time.Now. Env is the environment, for the
	// local time zone; nil has nothing set.
	Now func() time.Time
	Env func(string) (string, bool)
	// Prompts is a folder of templates that go before the embedded ones; empty
	// or not there: none.
	Prompts string
	// Health reads the machine; nil is this machine.
	Health health.Reader
	// Senses are further senses, made anew whenever the senses are opened;
	// Threads replace those of the configuration.
	Senses  func(rows senses.RowReader) ([]senses.Sense, error)
	Threads []threads.Thread
	// DialMail opens connections to mail servers; nil is the network.
	DialMail func(ctx context.Context, network, address string) (net.Conn, error)
	// Google carries what Google's calendars are asked; nil is the network.
	Google http.RoundTripper
	// Policy replaces the shipped one; nil leaves it. The attack suite takes
	// clauses out of it, to see what they keep from happening.
	Policy escalate.Policy
	// Channels replace those of the configuration; nil leaves them.
	Channels []notify.Channel
	// Signals, if set, says what is known of the person instead of this
	// machine's session; events of the calendar are added to it.
	Signals func(at time.Time) presence.Signals
	// Out is where the channel stdout writes; nil is the process's own.
	Out io.Writer
	// Unscheduled: ticks run only when they are asked for.
	Unscheduled bool
	// Patient: a collect waits for the whole of a large folder, almost as long as
	// a sense may take, since no later collect goes on with it.
	Patient bool
	// Unwatched: folders are not watched, and every collect walks through all of
	// them, so that what was changed just before a tick is surely seen.
	Unwatched bool
	// NoSocket: the API is not served.
	NoSocket bool
}

func (o *Options) validate() error {
	if o.Config == nil {
		return errors.New("daemon: Options.Config is missing")
	}
	if !filepath.IsAbs(o.Config.StateDir) {
		return fmt.Errorf("daemon: state_dir %q is not an absolute path", o.Config.StateDir)
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Env == nil {
		o.Env = func(string) (string, bool) { return "", false }
	}
	return nil
}

// zoned tells the time in the mind's zone, whose days and months budgets count.
type zoned struct{ options *Options }

// zone is the mind's time zone now: "local" follows the machine.
func (z zoned) zone() (*time.Location, error) {
	return z.options.Config.Location(z.options.Env)
}

func (z zoned) zoneOrUTC() *time.Location {
	zone, err := z.zone()
	if err != nil {
		return time.UTC
	}
	return zone
}

func (z zoned) now() time.Time { return z.options.Now().In(z.zoneOrUTC()) }
