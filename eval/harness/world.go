package harness

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Slot is the time between two ticks.
const Slot = 5 * time.Minute

// World is what a mind is played in: a temporary folder with its state and with
// the files that it looks at, a clock that is moved by hand, and a phone.
type World struct {
	Dir    string
	Config *setup.Config
	Mind   *daemon.Daemon
	Phone  *Phone

	zone  *time.Location
	clock atomic.Int64 // Unix nanoseconds
	ends  []func(context.Context) error
}

// Open makes the folder of a world at a time, in whose zone its person lives.
// The name of the folder always has the same length, since a longer path would be
// cut elsewhere in messages. The caller closes the world, even after an error.
func Open(name string, at time.Time) (*World, error) {
	w := &World{Config: setup.Default(), zone: at.Location()}
	w.Set(at)
	w.Phone = &Phone{Now: w.Now}
	root, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return w, fmt.Errorf("make a folder to play in: %w", err)
	}
	dir := filepath.Join(root, fmt.Sprintf("%s-%016x", name, rand.Uint64()))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return w, fmt.Errorf("make a folder to play in: %w", err)
	}
	w.Dir = dir
	w.Config.StateDir, w.Config.Timezone = w.Path("state"), w.zone.String()
	return w, w.Folders("state")
}

// Close stops the mind, then the servers beside it, the last started first, and
// removes the folder.
func (w *World) Close(ctx context.Context) (err error) {
	ctx = context.WithoutCancel(ctx)
	if w.Mind != nil {
		err = w.Mind.Stop(ctx)
	}
	for _, end := range slices.Backward(w.ends) {
		err = errors.Join(err, end(ctx))
	}
	if w.Dir != "" {
		err = errors.Join(err, os.RemoveAll(w.Dir))
	}
	return err
}

// Later has something end when the world is closed, before what was started before
// it.
func (w *World) Later(end func(context.Context) error) { w.ends = append(w.ends, end) }

// CloseInto closes the world when a function returns, and joins what goes wrong
// to its error.
func (w *World) CloseInto(ctx context.Context, err *error) { *err = errors.Join(*err, w.Close(ctx)) }

// Now is the clock of the mind, and Set moves it.
func (w *World) Now() time.Time   { return time.Unix(0, w.clock.Load()).In(w.zone) }
func (w *World) Set(at time.Time) { w.clock.Store(at.UnixNano()) }

// Pass has the clock go on by a slot.
func (w *World) Pass() { w.clock.Add(int64(Slot)) }

// Path is where something lies that is named with slashes below the folder.
func (w *World) Path(name string) string { return filepath.Join(w.Dir, filepath.FromSlash(name)) }

// Folders makes folders.
func (w *World) Folders(names ...string) error {
	for _, name := range names {
		if err := os.MkdirAll(w.Path(name), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// Write makes a file with that time of change. As editors do, it writes a draft and
// renames it when it is complete.
func (w *World) Write(name, text string, at time.Time) error {
	path, draft := w.Path(name), w.Path("draft")
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(draft, []byte(text), 0o600), os.Chtimes(draft, at, at), os.Rename(draft, path))
}

// Where the model is, as the configuration names it, and where its key is.
const (
	provider = "lab"
	keyName  = "LAB_KEY"
)

// Roles are those of all threads, and others.
func Roles(others ...string) []string {
	for _, thread := range subconscious.Threads() {
		others = append(others, string(thread))
	}
	return others
}

// Model starts a model that thinks for these roles at a price.
func (w *World) Model(options modeltest.Options, price models.Price, roles ...string) (*modeltest.Server, error) {
	options.Key, options.Keep = modeltest.Key, 1
	server, err := modeltest.Listen("127.0.0.1:0", options)
	if err != nil {
		return nil, fmt.Errorf("start the model: %w", err)
	}
	w.Later(func(context.Context) error { server.Close(); return nil })
	c := &w.Config.Models
	c.Providers = []models.Provider{{ID: provider, Kind: modeltest.OpenAI, BaseURL: server.BaseURL(modeltest.OpenAI)}}
	c.Providers[0].Key.Env = keyName
	for _, role := range roles {
		c.Roles = append(c.Roles, models.Role{ID: role, Provider: provider, Model: modeltest.Model})
	}
	price.Provider, price.Model = provider, modeltest.Model
	c.Prices = []models.Price{price}
	return server, nil
}

// MailBack is how far the first collect of mail goes back; it is the default of the
// sense.
const MailBack = 14 * 24 * time.Hour

// MailPassword opens the mailbox of a world; it lies in the file password.
const MailPassword = "of the suite"

// Mailbox starts a mail server with a mailbox for the first of these addresses,
// and has the mind look at it at this host and port.
func (w *World) Mailbox(addresses []string) (*mailtest.Server, *mailtest.Box, error) {
	server := mailtest.New(mailtest.Options{Users: []mailtest.User{{Name: addresses[0], Password: MailPassword}}, Now: w.Now})
	w.Later(server.Close)
	idle := false
	w.Config.Senses.Mail = []mail.Config{{
		ID: "mail", Host: "localhost", Port: 143, Security: "none", User: addresses[0],
		Addresses: slices.Clone(addresses), LookBack: MailBack, Idle: &idle,
	}}
	w.Config.Senses.Mail[0].Password.File = w.Path("password")
	return server, server.User(addresses[0]), w.Write("password", MailPassword, w.Now())
}

// Start starts the mind. It runs a tick only when it is asked to, and every sense
// looks at each tick.
func (w *World) Start(ctx context.Context, options daemon.Options) (err error) {
	options.Config, options.Now = w.Config, w.Now
	options.Unscheduled, options.NoSocket, options.Patient = true, true, true
	env := options.Env
	options.Env = func(name string) (string, bool) {
		if name == keyName || env == nil {
			return modeltest.Key, name == keyName
		}
		return env(name)
	}
	if w.Mind, err = daemon.New(options); err != nil {
		return err
	}
	return w.Mind.Start(ctx)
}

// Tick runs the scheduled tick of now.
func (w *World) Tick(ctx context.Context) (api.TickReport, error) {
	return w.TickAs(ctx, subconscious.Scheduled)
}

// TickAs runs a tick of that kind.
func (w *World) TickAs(ctx context.Context, kind subconscious.TickKind) (api.TickReport, error) {
	report, err := w.Mind.TickAs(ctx, kind)
	if err != nil {
		return report, fmt.Errorf("tick: %w", err)
	}
	if !report.Published {
		return report, fmt.Errorf("tick %d was not published: %s", report.Tick, report.Error)
	}
	return report, nil
}

// idleWithin is how long deliberations and messages of a tick may take: the longest
// deadline that a deliberation can have.
const idleWithin = 15 * time.Minute

// Idle waits until no deliberation and no message is under way.
func (w *World) Idle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, idleWithin)
	defer cancel()
	if err := w.Mind.Idle(ctx); err != nil {
		return fmt.Errorf("deliberations or messages were not over within %s: %w", idleWithin, err)
	}
	return nil
}

// Rows yields each row of a query of two texts in what the mind recorded.
func (w *World) Rows(ctx context.Context, query string, yield func(a, b string)) error {
	db, err := sql.Open("sqlite", "file:"+w.Path("state/mind.db")+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		return fmt.Errorf("read what was recorded: %w", err)
	}
	defer db.Close() // nothing was written
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("read what was recorded: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var a, b string
		if err := rows.Scan(&a, &b); err != nil {
			return fmt.Errorf("read what was recorded: %w", err)
		}
		yield(a, b)
	}
	return rows.Err()
}

// Machine is a machine whose readings never change.
type Machine health.Reading

var _ health.Reader = Machine{}

// Read implements health.Reader.
func (m Machine) Read(ctx context.Context) (health.Reading, error) {
	return health.Reading(m), ctx.Err()
}

// Phone is the channel of a world: it records what arrives, and when.
type Phone struct {
	Now func() time.Time

	mu      sync.Mutex
	arrived []Arrival
	down    bool
}

// Arrival is a message that the person got.
type Arrival struct {
	At time.Time
	notify.Message
}

var _ notify.Notifier = (*Phone)(nil)

// Channel is the one that a notifier stands behind.
func Channel(to notify.Notifier) []notify.Channel {
	return []notify.Channel{{ID: "phone", Kind: "recorder", Content: notify.ContentFull, Notifier: to}}
}

// Send implements notify.Notifier.
func (p *Phone) Send(ctx context.Context, m notify.Message) (notify.Receipt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return notify.Receipt{}, &notify.Error{Trouble: notify.Unavailable, Text: "The phone cannot be reached", Next: "Nothing; it is sent again"}
	}
	p.arrived = append(p.arrived, Arrival{p.Now(), m})
	return notify.Receipt{ID: m.Sequence, At: p.Now()}, ctx.Err()
}

// Fail has the phone take no messages, or take them again.
func (p *Phone) Fail(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// Since returns what arrived after the first n.
func (p *Phone) Since(n int) []Arrival {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.arrived[n:])
}
