// Package doctor examines an installation: its configuration, its folders, its
// database, its service, the machine, the mail accounts and calendars, the models, how the person is told,
// and what may be done for them, and says for each failure what to do.
//
// It stores nothing and mends nothing. No remote model, and no person, is sent
// anything unless that is asked for. The command doctor calls it.
package doctor

import (
	"context"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/presence"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/setup/live"
)

// State is how one thing is.
type State string

const (
	OK       State = "ok"
	Note     State = "note"     // nothing is wrong; it is worth knowing
	Skipped  State = "skipped"  // it could not, or should not, be looked at
	Degraded State = "degraded" // it works less well than it should
	Broken   State = "broken"   // it does not work
)

// The parts of an examination, in order.
const (
	PartConfiguration = "configuration"
	PartMind          = "mind"
	PartService       = "service"
	PartMachine       = "machine"
	PartMail          = "mail"
	PartCalendars     = "calendars"
	PartModels        = "models"
	PartTelling       = "telling"
	PartActing        = "acting"
)

// Finding is what was found of one thing.
type Finding struct {
	Part   string `json:"part"`
	Name   string `json:"name"`
	State  State  `json:"state"`
	Detail string `json:"detail"`
	// Next says what to do where it is degraded or broken.
	Next string `json:"next,omitempty"`
}

// Daemon is what is asked of a running one.
type Daemon interface {
	Status(ctx context.Context) (api.Status, error)
	TestModels(ctx context.Context, who string) ([]api.ModelTest, error)
}

// Options say what to examine.
type Options struct {
	// File is the path of the configuration; Exists is false where the defaults
	// hold for want of one.
	File   string
	Exists bool
	// Config is nil where it could not be loaded; Wrong says why.
	Config *setup.Config
	Wrong  error
	// StateDir is the folder of the mind, absolute.
	StateDir string
	// Daemon is nil where none can be asked for.
	Daemon Daemon
	// Live asks every model a question, which may cost.
	Live bool
	// Send sends a test message over every channel.
	Send bool
	// Env looks variables up; Now is the clock.
	Env func(string) (string, bool)
	Now func() time.Time
	// Reader reads this machine; nil is the real one.
	Reader health.Reader
	// DialMail connects to mail servers; nil is the usual way.
	DialMail live.Dial
	// Watches is how many folders may be watched; nil asks the kernel.
	Watches func() (limit int, ok bool)
	// Programs are the folders in which programs of actions are looked for; nil is
	// those of the daemon.
	Programs []string
	// Service looks at the service that keeps the daemon running; nil does not.
	Service func(context.Context) []Finding
	// Session looks at the person's session; nil asks the desktop.
	Session func(context.Context) presence.Session
}

// examination gathers findings.
type examination struct {
	Options
	found []Finding
	part  string
	// status is what the daemon said; runs is false where none answers.
	status api.Status
	runs   bool
}

// Examine looks at everything, in order. It ends early with the context.
func Examine(ctx context.Context, options Options) []Finding {
	e := &examination{Options: options}
	if e.Now == nil {
		e.Now = time.Now
	}
	for _, check := range []struct {
		part  string
		where bool
		look  func(context.Context)
	}{
		{PartConfiguration, true, e.configuration}, {PartConfiguration, e.Exists, e.paths}, {PartConfiguration, true, e.prompts},
		{PartMind, true, e.stateDir}, {PartMind, true, e.daemon}, {PartMind, true, e.database}, {PartMind, e.Config != nil, e.backups},
		{PartService, e.Service != nil, func(ctx context.Context) { e.found = append(e.found, e.Service(ctx)...) }},
		{PartMachine, true, e.room}, {PartMachine, true, e.encryption}, {PartMachine, true, e.clock}, {PartMachine, e.Config != nil, e.watches}, {PartMachine, e.Config != nil, e.transcripts}, {PartMachine, e.Config != nil, e.sources},
		{PartMail, e.Config != nil, e.mail}, {PartCalendars, e.Config != nil, e.calendars},
		{PartModels, e.Config != nil, e.models}, {PartModels, e.Config != nil, e.budget},
		{PartTelling, e.Config != nil, e.channels}, {PartTelling, e.Config != nil, e.heartbeat}, {PartTelling, e.Config != nil, e.quietHours}, {PartTelling, e.Config != nil, e.attention},
		{PartTelling, e.Config != nil, e.presence},
		{PartActing, e.Config != nil, e.acting},
	} {
		if e.part = check.part; check.where {
			check.look(ctx)
		}
	}
	return e.found
}

// Worst is the gravest state of all.
func Worst(findings []Finding) State {
	worst, rank := OK, map[State]int{OK: 0, Note: 0, Skipped: 0, Degraded: 1, Broken: 2}
	for _, f := range findings {
		if rank[f.State] > rank[worst] {
			worst = f.State
		}
	}
	return worst
}

// row is one way in which a check can come out.
type row struct {
	holds        bool
	state        State
	detail, next string
}

// say adds the first row that holds, if any does.
func (e *examination) say(name string, rows ...row) {
	i := slices.IndexFunc(rows, func(r row) bool { return r.holds })
	if i >= 0 {
		e.add(rows[i].state, name, rows[i].detail, rows[i].next)
	}
}

func (e *examination) add(state State, name, detail, next string) {
	if state == OK || state == Skipped {
		next = ""
	}
	e.found = append(e.found, Finding{Part: e.part, Name: name, State: state, Detail: detail, Next: next})
}
