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
	"github.com/subconsciousd/subconsciousd/backup"
	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/approve"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/heartbeat"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/presence"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/conversation"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/senses/source"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// Config is the whole configuration.
type Config struct {
	// StateDir is the folder of the mind, absolute after Load.
	StateDir    string        `mapstructure:"state_dir" env:"SUBCONSCIOUS_STATE_DIR" path:"made" about:"The folder of the mind; one daemon uses it at a time. Also --state-dir and SUBCONSCIOUS_STATE_DIR."`
	Schedule    string        `mapstructure:"schedule" env:"SUBCONSCIOUS_SCHEDULE" about:"When to tick: minute, hour, day of the month, month, day of the week, in the time zone."`
	Jitter      time.Duration `mapstructure:"jitter" env:"SUBCONSCIOUS_JITTER" about:"Put each scheduled tick off by a random time up to this: 0s to 5m."`
	TickTimeout time.Duration `mapstructure:"tick_timeout" env:"SUBCONSCIOUS_TICK_TIMEOUT" about:"End a tick that takes longer, with what it has by then: 1s to 1h."`
	Timezone    string        `mapstructure:"timezone" env:"SUBCONSCIOUS_TIMEZONE" about:"A name of the IANA database, or local for the machine's own, looked up again at each tick."`

	Person    subconscious.Person `mapstructure:"person" about:"Who you are; models are told, and mail accounts and calendars that name no address take yours."`
	Backup    backup.Config       `mapstructure:"backup" about:"Whether a backup of the mind is made each day."`
	API       API                 `mapstructure:"api" about:"Where the API is served."`
	Log       Log                 `mapstructure:"log" about:"What is logged and how."`
	Senses    Senses              `mapstructure:"senses" about:"What the mind looks at."`
	Models    models.Config       `mapstructure:"models" about:"Which models think, where they are, and what they are told."`
	Budget    budget.Config       `mapstructure:"budget" about:"What models may cost, and how often you may be told: hard limits. 0 lets nothing through; -1 is no limit, for models alone."`
	Threads   threads.Config      `mapstructure:"threads" about:"The threads of thought."`
	Mechanics aggregator.Rules    `mapstructure:"mechanics" about:"What is kept and for how long. The defaults are good; tests hold for them."`

	// QuietHours, and what Budget has on attention, are the gate's: see Gate.
	QuietHours   escalate.Hours    `mapstructure:"quiet_hours" about:"When nothing but what is critical is told; from = to: never."`
	Escalation   escalate.Rules    `mapstructure:"escalation" about:"When you are told, later or never."`
	Deliberation deliberate.Config `mapstructure:"deliberation" about:"How a frontier model deliberates on what is to be told, where one is there: see models.roles."`
	Actions      []actions.Action  `mapstructure:"actions" about:"What a deliberation may ask to have done, by name; none by default. See docs/actions.md."`
	Approve      approve.Config    `mapstructure:"approve" about:"What approving an action takes beside your word. See docs/security.md."`
	Presence     presence.Config   `mapstructure:"presence" about:"What tells a good moment from a bad one; none of it is stored or sent."`
	Heartbeat    heartbeat.Config  `mapstructure:"heartbeat" about:"Who is shown after each tick that the daemon lives, so that you hear of its death; nobody by default. See docs/service.md."`
	Memory       memory.Config     `mapstructure:"memory" about:"How what lasts is kept. See docs/memory.md."`
	Notify       []Channel         `mapstructure:"notify" about:"The channels over which you are told. Without any, what is told waits in the inbox."`
}

// API says where the API is served beside the unix socket in the state folder.
type API struct {
	Listen string   `mapstructure:"listen" about:"An address of this machine, as 127.0.0.1:7766, where programs read and hand in what they observe by HTTP and a token; empty: over the unix socket alone."`
	Hosts  []string `mapstructure:"hosts" about:"Names, beside those of this machine, under which it is asked there: those of a tunnel."`
}

// Log says what is logged and how.
type Log struct {
	Level  string `mapstructure:"level" env:"SUBCONSCIOUS_LOG_LEVEL" about:"The least that is logged: debug, info, warn or error."`
	Format string `mapstructure:"format" env:"SUBCONSCIOUS_LOG_FORMAT" about:"auto: text on a terminal, else JSON."`
}

// Senses are what the mind looks at.
type Senses struct {
	Health       health.Config         `mapstructure:"health" about:"This machine."`
	Files        []files.Config        `mapstructure:"files" about:"Folders whose files are watched; what happens in them is noticed, their first content is not."`
	Notes        []notes.Config        `mapstructure:"notes" about:"Folders of notes in Markdown: promises, dates and changes in them are noticed."`
	Calendar     []calendar.Config     `mapstructure:"calendar" about:"Calendars: what lies ahead, clashes, and changes."`
	Mail         []mail.Config         `mapstructure:"mail" about:"Mail accounts over IMAP: what arrives, what it asks of you, what you promised. Nothing is changed there, nothing is marked as read."`
	Conversation []conversation.Config `mapstructure:"conversation" about:"Folders of transcripts that agents write (JSON lines, Markdown); the mind's own conversations are always looked at."`
	Exec         []source.ExecConfig   `mapstructure:"exec" about:"Programs of yours that print what they find, one JSON object a line. See docs/sources.md."`
	Post         []source.Config       `mapstructure:"post" about:"Sources that hand in what they find by POST /v1/observations/ID, with a token of their own. See docs/sources.md."`
	Feeds        []source.FeedConfig   `mapstructure:"feeds" about:"Feeds in RSS or Atom; none by default."`
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
		Backup:       backup.DefaultConfig(),
		Senses:       Senses{Health: health.DefaultConfig()},
		Models:       models.DefaultConfig(),
		Budget:       budget.DefaultConfig(),
		Threads:      threads.DefaultConfig(),
		Mechanics:    aggregator.DefaultRules(),
		QuietHours:   escalate.DefaultRules().Quiet,
		Escalation:   defaultEscalation(),
		Deliberation: deliberate.DefaultConfig(),
		Approve:      approve.DefaultConfig(),
		Presence:     presence.DefaultConfig(),
		Memory:       memory.DefaultConfig(),
	}
}
