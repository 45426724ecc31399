// Package setup loads, validates and documents the configuration.
//
// Load reads one YAML file with a fresh viper, after a strict look at the
// file's own node tree, which knows the line of everything: an unknown key, a
// wrong type, a duration without a unit, a key that is there twice are errors
// that name file, line, key and a fix, all of them at once. The types of the
// configuration live with the packages that they configure; this package puts
// them together.
//
// It stores nothing. The daemon calls Load at the start and on each reload,
// subconsciousctl for its config commands.
package setup

import (
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/presence"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/conversation"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/threads"
)

// Config is the whole configuration.
type Config struct {
	// StateDir is the folder of the mind, absolute after Load.
	StateDir string `mapstructure:"state_dir"`
	// Schedule has the five fields of cron, in Timezone.
	Schedule string `mapstructure:"schedule"`
	// Jitter puts each scheduled tick off by a random time up to it.
	Jitter time.Duration `mapstructure:"jitter"`
	// TickTimeout ends a tick that takes longer.
	TickTimeout time.Duration `mapstructure:"tick_timeout"`
	// Timezone is a name of the IANA database, or "local".
	Timezone string `mapstructure:"timezone"`

	API       API              `mapstructure:"api"`
	Log       Log              `mapstructure:"log"`
	Senses    Senses           `mapstructure:"senses"`
	Models    models.Config    `mapstructure:"models"`
	Budget    budget.Config    `mapstructure:"budget"`
	Threads   threads.Config   `mapstructure:"threads"`
	Mechanics aggregator.Rules `mapstructure:"mechanics"`

	// QuietHours, and what Budget has on attention, are the gate's: see Gate.
	QuietHours escalate.Hours `mapstructure:"quiet_hours"`
	Escalation escalate.Rules `mapstructure:"escalation"`
	// Deliberation says how a model deliberates on what is to be told, and
	// Actions are what it may ask to have done.
	Deliberation deliberate.Config `mapstructure:"deliberation"`
	Actions      []actions.Action  `mapstructure:"actions"`
	// Presence is what is looked at to tell a good moment from a bad one.
	Presence presence.Config `mapstructure:"presence"`
	// Notify are the channels over which the person is told. Without any, what
	// is told waits.
	Notify []Channel `mapstructure:"notify"`
}

// API says where the API is served beside the unix socket in the state folder.
type API struct {
	// Listen is empty: the unix socket alone.
	Listen string `mapstructure:"listen"`
}

// Log says what is logged and how.
type Log struct {
	Level  string `mapstructure:"level"`  // debug, info, warn, error
	Format string `mapstructure:"format"` // auto, json, text
}

// Senses are what the mind looks at.
type Senses struct {
	Health   health.Config     `mapstructure:"health"`
	Files    []files.Config    `mapstructure:"files"`
	Notes    []notes.Config    `mapstructure:"notes"`
	Calendar []calendar.Config `mapstructure:"calendar"`
	Mail     []mail.Config     `mapstructure:"mail"`
	// Conversation are folders of transcripts; the mind's own log is always
	// looked at.
	Conversation []conversation.Config `mapstructure:"conversation"`
}

// Local is the time zone of the machine, looked up again at each tick.
const Local = "local"

// Default is the configuration that holds without a file: the machine's health
// is watched, and nothing else. Its StateDir still begins with "~".
func Default() *Config {
	return &Config{
		StateDir:     "~/.local/state/subconscious",
		Schedule:     "*/5 * * * *",
		TickTimeout:  120 * time.Second,
		Timezone:     Local,
		Log:          Log{Level: "info", Format: "auto"},
		Senses:       Senses{Health: health.DefaultConfig()},
		Models:       models.DefaultConfig(),
		Budget:       budget.DefaultConfig(),
		Threads:      threads.DefaultConfig(),
		Mechanics:    aggregator.DefaultRules(),
		QuietHours:   escalate.DefaultRules().Quiet,
		Escalation:   defaultEscalation(),
		Deliberation: deliberate.DefaultConfig(),
		Presence:     presence.DefaultConfig(),
	}
}
