// Package daemon puts a mind together and keeps it running: New, Start, Stop,
// Run. The tick is one straight function (tick.go), each line a value handed
// on; what surrounds it is a schedule (schedule.go), what is asked of the mind
// over the API (intake.go; what is only read is in view), and the senses that
// the configuration names (compose.go).
//
// It stores nothing itself: store/mind and senses do. Only cmd/subconsciousd,
// eval and tests import it.
package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/backup"
	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/approve"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/heartbeat"
	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/presence/session"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/source"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// Daemon is one mind, running.
type Daemon struct {
	options *Options
	started time.Time
	*estate

	lifecycle sync.Mutex // held by Start and Stop
	cleanups

	path      string // of the database, where it is not in the state folder
	db        *store.DB
	server    *api.Server // nil where the API is not served
	mind      *mind.Store
	published publication
	ledger    *senses.Ledger
	watcher   *watch.Watcher
	runner    *threads.Runner
	collector *senses.Collector
	accounts  []*mail.Sense // in order of their ids
	schedule  *schedule
	modelling

	// lastRun is when each thread last ran well before this start.
	lastRun map[string]time.Time

	zoned
	turns
	board view.Board // what is read without waiting for a tick
	*intake

	chat          *chat.Log
	memory        *memory.Store
	read          chan struct{} // closed when the memory has been read in
	door          *source.Door
	registry      *threads.Registry
	actions       *actions.Engine
	deliberations *deliberate.Worker
	outbox        *notify.Outbox
	heart         *heartbeat.Heart
	session       *session.Reader
	sweeper       *sweeper
	// near are events that may be on; the tick's own.
	near map[subconscious.Ref]bool
	// requests is readable when the person asks the gate for something.
	requests
}

var _ api.Mind = (*Daemon)(nil)

// New returns a daemon that has not started.
func New(options Options) (*Daemon, error) {
	if err := options.validate(); err != nil {
		return nil, err
	}
	return &Daemon{
		options: &options, estate: &estate{}, zoned: zoned{&options}, requests: make(requests, 1),
		turns: turns{turn: make(chan struct{}, 1), ending: make(chan struct{})},
	}, nil
}

// Start locks the state folder, opens the mind, publishes its document, opens
// the senses, serves the API and, unless the options say otherwise, begins to
// tick. What it had started it ends again when it fails. A daemon starts once.
func (d *Daemon) Start(ctx context.Context) (err error) {
	d.lifecycle.Lock()
	defer d.lifecycle.Unlock()
	if d.abandon != nil {
		return errors.New("daemon: it was started before; make a new one")
	}
	d.started = d.options.Now()
	if d.began.IsZero() {
		d.began = d.started
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.undo(context.WithoutCancel(ctx), 0))
		}
	}()
	d.ticking, d.abandon = context.WithCancel(context.WithoutCancel(ctx))
	for _, step := range []func(context.Context) error{
		d.lock, d.openStore, d.openMind, d.openModels, d.openThreads, d.openSenses, d.openChannels, d.openActions, d.openDeliberation,
		d.openHeart, d.openView, d.rank, d.work, d.keepBackups, d.serve, d.tellTouched, d.begin,
	} {
		if err := step(ctx); err != nil {
			if wrong := (*store.Error)(nil); errors.As(err, &wrong) {
				return wrong // whose sentences are for people
			}
			return err
		}
	}
	return nil
}

// Run starts, waits until ctx is done, and stops. Meanwhile the configuration is
// read again where the options name its Source. A service manager that waits
// for it is told when it is ready, and when it ends.
func (d *Daemon) Run(ctx context.Context) error {
	hangup := make(chan os.Signal, 1)
	if d.options.Source != nil {
		signal.Notify(hangup, syscall.SIGHUP)
		defer signal.Stop(hangup)
	}
	if err := d.Start(ctx); err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			d.options.Logger.Info("ended before it had started", "reason", err)
			return nil
		}
		return err
	}
	tellSystemd(d.options.Logger, sd.SdNotifyReady)
	if at, err := d.mind.Restored(ctx); err == nil && !at.IsZero() {
		d.options.Logger.Info("this mind is from a backup", "restored", at)
	}
	d.options.Logger.Info("started", "version", d.options.Version, "state_dir", d.options.Config.StateDir,
		"schedule", d.options.Config.Schedule, "zone", d.zoneOrUTC().String(), "senses", len(d.collector.IDs()))
	last, err := d.options.Source.follow(ctx, d, hangup)
	tellSystemd(d.options.Logger, sd.SdNotifyStopping)
	err = errors.Join(err, last.Stop(context.WithoutCancel(ctx)))
	d.options.Logger.Info("stopped", "after", d.options.Now().Sub(d.began).Round(time.Second).String())
	return err
}

// The steps of Start, in order.

func (d *Daemon) lock(context.Context) error {
	if d.held == nil {
		held, err := mind.LockDir(d.options.Config.StateDir, d.started)
		if err != nil {
			return err
		}
		if held.Tightened != "" {
			d.options.Logger.Warn(held.Tightened)
		}
		d.held = held
	}
	d.later("unlock the state folder", func(context.Context) error {
		if d.handing {
			return nil
		}
		return d.held.Unlock()
	})
	return nil
}

func (d *Daemon) openStore(ctx context.Context) error {
	path := cmp.Or(d.path, filepath.Join(d.options.Config.StateDir, "mind.db"))
	db, err := store.Open(ctx, store.Options{Path: path, Now: d.options.Now},
		backup.Migrations()...)
	if err != nil {
		return err
	}
	d.db, d.mind = db, mind.New(db)
	d.chat = chat.New(db, chat.Options{Now: d.now, Redact: redact.Text, Logger: d.options.Logger})
	d.door = &source.Door{DB: db, Sources: d.options.Config.Senses.Post, Now: d.now}
	d.later("close the database", func(context.Context) error { return db.Close() })
	forgotten, err := memory.OpenTombstones(filepath.Join(d.options.Config.StateDir, memory.TombstonesName))
	if err != nil {
		return err
	}
	options := memory.Options{Now: d.now, Redact: redact.Text, World: outside{d}, Logger: d.options.Logger, Apart: d.options.Config.Memory.Agents == memory.OfQuarantine, Tombstones: forgotten, Unshow: backup.Unshow}
	options.Backups = func(since time.Time) []string {
		return backup.Since(d.options.Config.StateDir, d.options.Config.Backup.Folder, since)
	}
	d.memory = memory.New(db, options)
	gone, err := d.memory.Mend(ctx)
	if gone > 0 {
		d.options.Logger.Warn("the database had what was forgotten, which is erased", "records", gone)
	}
	return err
}

func (d *Daemon) openMind(ctx context.Context) error {
	state, err := d.mind.Load(ctx)
	if err != nil {
		return err
	}
	paused, err := d.mind.Pause(ctx)
	if err != nil {
		return err
	}
	document, err := subconscious.Project(state, d.options.Config.Mechanics.MaxTokens)
	if err != nil {
		return err
	}
	if d.ledger, err = senses.OpenLedger(ctx, d.db); err != nil {
		return err
	}
	d.ledger.Interest(threads.Interested)
	d.board.Set(func(n *view.Now) {
		n.State, n.Paused, n.Document, n.Senses = state, paused, document, d.ledger.Health()
	})
	publisher := mind.NewPublisher(d.options.Config.StateDir, d.mind, d.options.Logger)
	d.published = publication{publisher: publisher, mind: d.mind, now: d.options.Now, logger: d.options.Logger}
	d.lastRun, err = d.board.Recall(ctx, d.mind)
	return err
}

func (d *Daemon) openThreads(context.Context) (err error) {
	if d.registry, err = d.tools(); err != nil {
		return err
	}
	d.later("wait for the tools", d.registry.Stop)
	options := threads.RunnerOptions{Threads: d.options.Threads, Deadline: d.options.Config.Threads.Deadline, Logger: d.options.Logger}
	if options.Threads == nil {
		if options.Threads, options.Beside, err = d.ownThreads(d.options, d.registry); err != nil {
			return err
		}
	}
	if d.runner, err = threads.NewRunner(options); err != nil {
		return err
	}
	d.later("wait for the threads", d.runner.Stop)
	for _, name := range d.runner.Names() {
		d.board.Set(func(n *view.Now) {
			status := d.threadStatus(name, n.State.Threads[name])
			status.Last = d.lastRun[status.Name]
			n.Threads = append(n.Threads, status)
		})
	}
	return nil
}

// openView lets the mind be read and asked.
func (d *Daemon) openView(context.Context) error {
	in := view.Sources{
		Config: d.options.Config, Version: d.options.Version, Demo: d.options.Demo, Started: d.began, Configuration: d.options.Source.Status,
		Now: d.now, Next: func() time.Time { return d.schedule.next() }, Threads: d.runner.Names(), Usual: d.usual, Passed: d.passed, Changes: d.db.Changes,
		Board: &d.board, Mind: d.mind, Ledger: d.ledger, Outbox: d.outbox, Actions: d.actions, Deliberations: d.deliberations,
		Chat: d.chat, Memory: d.memory, Budget: d.budget, Roster: d.roster, Heartbeat: d.heart.Status,
	}
	factor := &approve.Factor{Config: d.options.Config.Approve, StateDir: d.options.Config.StateDir, Now: d.now}
	d.intake = &intake{Reader: view.New(in), in: in, logger: d.options.Logger, door: d.door, factor: factor, soon: d.hurry, alone: d.take}
	return nil
}

// work begins to deliver, to act and to deliberate, with what an earlier process
// left first.
func (d *Daemon) work(ctx context.Context) (err error) {
	d.published.recover(ctx)
	d.sweeper = &sweeper{db: d.db, mind: d.mind, chat: d.chat, deliberations: d.deliberations, actions: d.actions, tend: d.tender(ctx), logger: d.options.Logger}
	if !d.options.Unscheduled {
		if d.schedule, err = d.newSchedule(); err != nil {
			return err
		}
	}
	if err := d.outbox.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	d.later("stop the channels", d.outbox.Stop)
	if err := d.act(ctx); err != nil {
		return err
	}
	if err := d.deliberations.Start(ctx); err != nil {
		return err
	}
	d.later("stop deliberating", d.deliberations.Stop)
	return nil
}

func (d *Daemon) serve(ctx context.Context) error {
	if d.options.NoSocket {
		return nil
	}
	socket := d.socket
	d.socket = nil
	server, err := api.New(api.Options{
		Socket: filepath.Join(d.options.Config.StateDir, "socket"), Listener: socket, Listen: d.options.Config.API.Listen, Hosts: d.options.Config.API.Hosts, Mind: d,
		Logger: d.options.Logger, Version: d.options.Version, Now: func() time.Time { return d.options.Now().In(d.zoneOrUTC()) },
	})
	if err != nil {
		return err
	}
	if err := server.Start(ctx); err != nil {
		return err
	}
	d.later("stop the API", server.Stop)
	d.server = server
	return nil
}

func (d *Daemon) begin(context.Context) error {
	if d.schedule != nil {
		d.schedule.start()
		d.later("stop the schedule", d.schedule.stop)
	}
	// Last, and so the first to be undone.
	d.laterWithin(finishTick+abandonTick, "finish the tick", d.finish)
	return nil
}

// tellSystemd says how the daemon is to the service manager that started it;
// without one it does nothing.
func tellSystemd(logger *slog.Logger, state string) {
	if _, err := sd.SdNotify(false, state); err != nil {
		logger.Warn("the service manager was not told", "state", state, "error", err)
	}
}

// alive is what the schedule calls whenever it goes on: it tells the service manager,
// and asks for an early tick where somebody changed the document.
func (d *Daemon) alive() func() {
	tell := d.watchdog()
	return func() {
		if tell != nil {
			tell()
		}
		if d.published.publisher.Touched() {
			d.hurry()
		}
	}
}

// watchdog is what tells the service manager that the schedule goes on; nil where
// none watches. The manager is asked for the time that a tick may take behind one
// that somebody asked for, where it would give less.
func (d *Daemon) watchdog() func() {
	given, err := sd.SdWatchdogEnabled(false)
	if err != nil || given == 0 {
		return nil
	}
	c := d.options.Config
	if needed := c.Jitter + 2*c.TickTimeout + 4*beat; needed > given {
		tellSystemd(d.options.Logger, fmt.Sprintf("WATCHDOG_USEC=%d", needed.Microseconds()))
	}
	return func() { tellSystemd(d.options.Logger, sd.SdNotifyWatchdog) }
}

// DocumentPath is where the mind publishes itself.
func (d *Daemon) DocumentPath() string {
	return filepath.Join(d.options.Config.StateDir, "subconscious.json")
}
