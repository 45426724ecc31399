package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/term"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// still is how long the configuration was not written to when it is read again.
	still = 2 * time.Second
	// handOver is how long a step of the stop of a mind may take in whose place
	// another one is started: what is being sent is sent.
	handOver = 20 * time.Second
)

// Source is where the configuration of a mind comes from, again and again. A
// reload is a restart within the process: a mind of the other configuration is
// composed on an empty database to see whether it can be; then, between two ticks and
// while nothing is done that was begun under the last one, that mind is stopped
// and one of the other started on the same state.
type Source struct {
	// Path and StateDir are what the command line names; "" for nothing.
	Path, StateDir string
	Version        string
	Log            io.Writer
	// Env is the environment; keys that are taken out of it stay known.
	Env func(string) (string, bool)

	found bool                        // there was a file
	taken map[string]string           // out of the environment
	given func(string) (string, bool) // Env at first
	last  Configuration               // as it was read last
	seen  fs.FileInfo                 // the file as it was at the last look
	next  *Daemon                     // of what was read, and waits; nil for none
	amend func(*Options)

	mu     sync.Mutex
	status api.ConfigurationStatus
}

// estate is what a mind hands on to the next one of the same process.
type estate struct {
	began   time.Time // the first of them
	held    *mind.Lock
	socket  *net.UnixListener // of the API, for the next one
	handing bool              // nothing of it is let go of
}

// Load reads the configuration and returns the options of a mind of it.
func (s *Source) Load() (Options, error) {
	var err error
	if s.last, err = LoadConfiguration(s.Path, s.StateDir, s.Env); err == nil && s.found && !s.last.Found {
		err = fmt.Errorf("%s is not there any more; put it back, or restart the daemon to do without", s.last.Path)
	}
	if err == nil && s.found && s.last.read != nil && s.last.read.Size() == 0 {
		err = fmt.Errorf("%s is empty; put its text back, or restart the daemon to do without", s.last.Path)
	}
	if err != nil {
		return Options{}, err
	}
	logger, err := NewLogger(s.last.Log, s.Log)
	if err == nil {
		if s.taken == nil {
			s.taken, s.given = map[string]string{}, s.Env
		}
		s.Env, err = TakeKeys(s.last.Config, s.given, s.taken)
	}
	if err != nil {
		return Options{}, err
	}
	if s.found = s.last.Found; !s.found {
		logger.Info("no configuration found: watching this machine's health alone",
			"next", "copy config.example.yaml to "+s.last.Path+" and name your folders in it; it is taken up by itself")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status.Path == "" {
		s.status = api.ConfigurationStatus{Path: s.last.Path, Loaded: time.Now()}
		if path, err := filepath.Abs(s.last.Path); err == nil && s.last.Path != "" {
			s.status.Path = path
		}
	}
	options := Options{Config: s.last.Config, Source: s, Version: s.Version, Logger: logger, Env: s.Env, Prompts: s.last.Prompts()}
	if s.amend != nil {
		s.amend(&options)
	}
	return options, nil
}

// Status is how the configuration is; nil where there is none that is read again.
func (s *Source) Status() *api.ConfigurationStatus {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.status
	return &status
}

func (s *Source) say(how func(*api.ConfigurationStatus)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	how(&s.status)
}

// refuse says why the configuration on the disk does not count.
func (s *Source) refuse(logger *slog.Logger, err error) {
	logger.Error("the configuration on the disk is refused, and the last good one counts", "error", err)
	words := strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n  fix:", ";")), " ")
	s.say(func(c *api.ConfigurationStatus) { c.Waits, c.Refused = nil, subconscious.Shorten(words, 600) })
}

// due looks at the file, and reports whether it is another one than was read and
// the same as at the last look.
func (s *Source) due() bool {
	before := s.seen
	s.seen, _ = os.Stat(s.last.Path)
	return !sameFile(s.seen, s.last.read) && sameFile(s.seen, before)
}

// sameFile reports whether a file was not written to in between; nil is one that is
// not there.
func sameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size() && os.SameFile(a, b)
}

// follow takes up the configuration in place of that of d when it changes, and on
// each hangup, until ctx is done. It returns the mind that runs then.
func (s *Source) follow(ctx context.Context, d *Daemon, hangup <-chan os.Signal) (*Daemon, error) {
	if s == nil {
		<-ctx.Done()
		return d, nil
	}
	out, _ := s.Log.(*os.File)
	attended := out != nil && term.IsTerminal(int(out.Fd()))
	looks := time.NewTicker(still)
	defer looks.Stop()
	for {
		asked := false
		select {
		case <-ctx.Done():
			return d, nil
		case <-hangup:
			if attended && !term.IsTerminal(int(out.Fd())) {
				return d, nil // the terminal was closed
			}
			asked = true
		case <-looks.C:
		}
		if asked || s.due() {
			s.next = s.read(ctx, d, asked || s.next != nil)
		}
		var err error
		if d, err = s.advance(ctx, d); err != nil {
			return d, err
		}
	}
}

// advance takes up the configuration that was read, where nothing goes on that was
// begun under the one of d. It returns the mind that runs then.
func (s *Source) advance(ctx context.Context, d *Daemon) (*Daemon, error) {
	if s.next == nil {
		return d, nil
	}
	waits, ok := d.seize(ctx)
	s.say(func(c *api.ConfigurationStatus) { c.Waits = waits })
	if !ok || waits != nil {
		return d, nil
	}
	next := s.next
	s.next = nil
	return s.swap(ctx, d, next)
}

// read returns a mind of the configuration that is on the disk; nil where that is
// refused, or says the same as that of d and nobody asked.
func (s *Source) read(ctx context.Context, d *Daemon, asked bool) *Daemon {
	options, err := s.Load()
	if err != nil {
		s.refuse(d.options.Logger, err)
		return nil
	}
	var restart []string
	if options.Config.StateDir != d.options.Config.StateDir {
		options.Config.StateDir, restart = d.options.Config.StateDir, []string{"state_dir"}
	}
	next, err := New(options)
	if err == nil && (asked || !reflect.DeepEqual(options.Config, d.options.Config)) {
		err = rehearse(ctx, options, d.options.Config.API.Listen)
	} else if err == nil {
		next = nil
	}
	if err != nil {
		s.refuse(d.options.Logger, err)
		return nil
	}
	s.say(func(c *api.ConfigurationStatus) { c.Refused, c.Waits, c.Restart = "", nil, restart })
	return next
}

// rehearse composes a mind of these options on an empty database, in which nothing
// begins, and lets it go. running is the address that the present mind listens on.
func rehearse(ctx context.Context, options Options, running string) (err error) {
	options.Logger, options.Unwatched = slog.New(slog.DiscardHandler), true
	d, err := New(options)
	if err != nil {
		return err
	}
	d.path, d.started = store.Memory, d.options.Now()
	defer func() { err = errors.Join(err, d.undo(context.WithoutCancel(ctx), 0)) }()
	for _, step := range []func(context.Context) error{
		d.openStore, d.openMind, d.openModels, d.openThreads, d.openSenses, d.openChannels, d.openActions, d.openDeliberation,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if listen := options.Config.API.Listen; listen != "" && listen != running {
		door, err := net.Listen("tcp", listen)
		if err != nil {
			return fmt.Errorf("api.listen: %w; name another port, or end what has this one", err)
		}
		return door.Close()
	}
	return nil
}

// seize waits for the tick that runs, and keeps ticks and jobs from beginning for
// good; unless some job goes on, which waits then names. ok is false where ctx is
// done before.
func (d *Daemon) seize(ctx context.Context) (waits []string, ok bool) {
	giveBack, err := d.take(ctx)
	if err != nil {
		return nil, false
	}
	if n := d.approving.Load(); n > 0 {
		waits = append(waits, "an approval")
	}
	release, busy := d.actions.Hold()
	for _, action := range busy {
		waits = append(waits, "the action "+action)
	}
	if waits == nil && !d.deliberations.Hold() {
		waits = append(waits, "a deliberation")
	}
	if d.seized = waits == nil; !d.seized {
		release()
		giveBack()
	}
	return waits, true
}

// swap stops a mind and starts the next in its place, or the same again where that
// fails. It returns the one that runs then.
func (s *Source) swap(ctx context.Context, d, next *Daemon) (*Daemon, error) {
	tellSystemd(d.options.Logger, sd.SdNotifyReloading)
	defer tellSystemd(d.options.Logger, sd.SdNotifyReady)
	if err := d.handOver(ctx); err != nil {
		d.options.Logger.Warn("not all of the mind stopped as it should", "error", err)
	}
	next.estate = d.estate
	err := ctx.Err()
	if err == nil {
		err = next.Start(ctx)
	}
	switch {
	case err == nil:
		d.handing = false
		s.say(func(c *api.ConfigurationStatus) { c.Loaded = next.started })
		next.options.Logger.Info("the configuration was taken up", "path", s.last.Path)
		return next, nil
	case ctx.Err() != nil: // the daemon ends, and no other mind is begun
		return d, d.letGo()
	}
	s.refuse(d.options.Logger, fmt.Errorf("a mind of it did not start: %w", err))
	again, err := New(*d.options)
	if err != nil {
		return d, err
	}
	again.estate = d.estate
	if err = again.Start(ctx); err != nil {
		return again, errors.Join(err, again.letGo())
	}
	again.handing = false
	return again, nil
}

// letGo gives up what was to be handed on.
func (e *estate) letGo() (err error) {
	if e.handing = false; e.socket != nil {
		e.socket.SetUnlinkOnClose(true)
		err = e.socket.Close()
	}
	return errors.Join(err, e.held.Unlock())
}

// handOver stops the mind for another one of the same process. From when ctx is done
// it has no longer for it than a Stop.
func (d *Daemon) handOver(ctx context.Context) (err error) {
	d.lifecycle.Lock()
	defer d.lifecycle.Unlock()
	d.handing = true
	if d.server != nil {
		d.socket, err = d.server.Keep()
	}
	undoing, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopWithin, cut) })()
	return errors.Join(err, d.undo(undoing, handOver))
}

// metaGuarded is where the keys are kept that are guarded.
const metaGuarded = "guarded"

// tellTouched keeps a notice of the keys that changed, since the last mind was
// begun here, of what is done and trusted.
func (d *Daemon) tellTouched(ctx context.Context) error {
	type keys struct {
		Since time.Time         `json:"since"`
		Keys  map[string]string `json:"keys"`
	}
	is, was := keys{d.now(), setup.Guarded(d.options.Config)}, keys{}
	text, known, err := d.mind.Meta(ctx, metaGuarded)
	if err != nil || known && json.Unmarshal([]byte(text), &was) != nil {
		known = false // what another version wrote, or nobody
	}
	// The keys of a mind that was restored are as old as the backup.
	restored, restoredErr := d.mind.Restored(ctx)
	known = known && !restored.After(was.Since)
	err = errors.Join(err, restoredErr)
	touched := setup.Touched(was.Keys, is.Keys)
	if err == nil && known && len(touched) > 0 {
		named := strings.ReplaceAll(strings.Join(touched[:min(len(touched), 12)], ", "), ".", "/") // with dots it would look like hosts
		if more := len(touched) - 12; more > 0 {
			named += fmt.Sprintf(" and %d more", more)
		}
		_, err = d.mind.RaiseNotice(ctx, mind.Notice{
			NoticeKey: mind.NoticeKey{Code: subconscious.NoticeTouched, Key: was.Since.UTC().Format(time.RFC3339Nano)}, At: is.Since,
			Text: "the configuration was changed in what may be done, is trusted, or can be asked from outside: " + named,
			Next: "if that was not you, look at it with `subconsciousctl config show`",
		})
	}
	if err == nil && (!known || len(touched) > 0) {
		text, _ := json.Marshal(is) // of texts, which cannot fail
		err = d.mind.SetMeta(ctx, metaGuarded, string(text))
	}
	return err
}
