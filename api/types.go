// Package api serves a mind over HTTP on its unix socket. It declares what it
// needs of the daemon as small interfaces, and the JSON that travels.
package api

import (
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/heartbeat"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Status is one screen about a mind.
type Status struct {
	Version      string                `json:"version"`
	Mind         MindStatus            `json:"mind"`
	Tick         TickStatus            `json:"tick"`
	Senses       []SenseStatus         `json:"senses"`
	Threads      []ThreadStatus        `json:"threads"`
	Subconscious subconscious.Document `json:"subconscious"`
	// Parked are what stands and found no room in its list, the most important
	// first.
	Parked []subconscious.Entry `json:"parked"`
	// Pending are commands that the next tick will consume.
	Pending []subconscious.Command `json:"pending"`
	// Edited is what became of what was changed by hand in subconscious.json in the
	// last 24 hours, newest first.
	Edited    []subconscious.Edited `json:"edited"`
	Incidents IncidentCounts        `json:"incidents"`
	Budget    BudgetStatus          `json:"budget"`
	// Models are the roles that have a model.
	Models []ModelStatus `json:"models"`
	// Rejected counts findings by the reason for which they were not taken, in
	// the last 24 hours.
	Rejected map[string]int `json:"rejected"`
	// Notices are what the daemon has to say about itself.
	Notices []Notice `json:"notices"`
	// Waiting are the incidents that wait to be told, the most important first.
	Waiting  []InboxIncident       `json:"waiting"`
	Channels []ChannelStatus       `json:"channels"`
	Presence subconscious.Presence `json:"presence"`
	// Configuration is nil where the mind has none that is read again.
	Configuration *ConfigurationStatus `json:"configuration,omitempty"`
	// Heartbeat is nil where none is configured.
	Heartbeat *HeartbeatStatus `json:"heartbeat,omitempty"`
	// Backup is nil where none are made by themselves.
	Backup *BackupStatus `json:"backup,omitempty"`
	// Proposed are the actions that wait for the person's word, newest first, at
	// most 5; Incidents.Proposals counts all.
	Proposed []Proposal `json:"proposed"`
	// Deliberating are the deliberations under way and those that wait, in order.
	Deliberating []DeliberatingStatus `json:"deliberating"`
}

// MindStatus says which mind this is.
type MindStatus struct {
	StateDir string    `json:"state_dir"`
	PID      int       `json:"pid"`
	Started  time.Time `json:"started"`
	Paused   bool      `json:"paused"`
	// PausedUntil is zero while it is paused until resumed.
	PausedUntil time.Time `json:"paused_until,omitzero"`
	Demo        bool      `json:"demo,omitempty"`
}

// TickStatus says when it thought last and will think next.
type TickStatus struct {
	Count    int64     `json:"count"`
	Last     time.Time `json:"last,omitzero"`
	Next     time.Time `json:"next,omitzero"`
	Running  bool      `json:"running"`
	Schedule string    `json:"schedule"`
	// Error is why the last tick did not commit, if it did not.
	Error string `json:"error,omitempty"`
}

// SenseStatus is the health of one sense.
type SenseStatus = senses.Health

// ThreadStatus is the health of one thread.
type ThreadStatus struct {
	Name            string    `json:"name"`
	Mode            string    `json:"mode"`  // reflex, model
	State           string    `json:"state"` // ok, skipped, failed
	Reason          string    `json:"reason,omitempty"`
	Since           time.Time `json:"since,omitzero"`
	NoveltyPressure int       `json:"novelty_pressure"`
	FocusHint       string    `json:"focus_hint,omitempty"`
	Last            time.Time `json:"last,omitzero"` // its last healthy run
	Pending         int       `json:"pending"`       // observations it has not been shown
	Overflow        int       `json:"overflow,omitempty"`
	// Model is who thinks for it now, "PROVIDER/MODEL", empty for reflex.
	Model string `json:"model,omitempty"`
	// Usual is who is configured, where Model is another.
	Usual  string  `json:"usual,omitempty"`
	Cost   float64 `json:"cost"`   // US dollars today
	Calls  int     `json:"calls"`  // today
	Tokens int     `json:"tokens"` // today
}

// IncidentCounts says how much waits.
type IncidentCounts struct {
	Open int `json:"open"`
	Held int `json:"held"`
	// Proposals wait for the person's word.
	Proposals int `json:"proposals"`
}

// BudgetStatus is what today cost.
type BudgetStatus struct {
	MoneyToday         float64 `json:"money_today"` // US dollars
	TokensToday        int     `json:"tokens_today"`
	CallsToday         int     `json:"calls_today"`
	NotificationsToday int     `json:"notifications_today"`
	MoneyMonth         float64 `json:"money_month"`
	// Limits are those that are set, or used.
	Limits      []LimitStatus `json:"limits"`
	Exploration Exploration   `json:"exploration"`
	// Unsettled are calls whose cost is not known: their worst case counts.
	Unsettled int         `json:"unsettled"`
	Roles     []RoleSpend `json:"roles"`
}

// ConfigurationStatus is how the configuration is that counts, and the one on the disk.
type ConfigurationStatus struct {
	Path   string    `json:"path"`
	Loaded time.Time `json:"loaded"`
	// Refused is why the one on the disk is not taken up.
	Refused string `json:"refused,omitempty"`
	// Waits are what it waits for before it is taken up.
	Waits []string `json:"waits,omitempty"`
	// Restart are the keys of which another value counts from the next start on.
	Restart []string `json:"restart,omitempty"`
}

// NoticeConfiguration is the code of the notice that the configuration on the
// disk is refused, or in part waits for a restart.
const NoticeConfiguration = "configuration_changed"

// NoticeBackup is the code of the notice that the backup of the day failed,
// NoticeBackupCheck that the check of the month did, and NoticeUnpublished that the
// document was not written.
const (
	NoticeBackup      = "backup_failed"
	NoticeBackupCheck = "backup_not_whole"
	NoticeUnpublished = "document_unpublished"
)

// Notice is what the daemon has to say about itself, and EntryChange what
// happened to one entry at a tick.
type (
	Notice      = subconscious.Notice
	EntryChange = aggregator.EntryChange
)

// HeartbeatStatus is how the last heartbeat went, and BackupStatus how the backups are
// that are made by themselves.
type (
	HeartbeatStatus = heartbeat.Status
	BackupStatus    = subconscious.Backups
)

// TickReport is what one tick did.
type TickReport struct {
	Tick      int64                 `json:"tick"`
	At        time.Time             `json:"at"`
	Kind      subconscious.TickKind `json:"kind"`
	ElapsedMS float64               `json:"elapsed_ms"`
	Senses    []SenseReport         `json:"senses"`
	Threads   []ThreadReport        `json:"threads"`
	Changes   []EntryChange         `json:"changes"`
	// Decisions is what was decided of the requests to tell somebody, new ones and
	// those that wait; of what waits only what changed.
	Decisions []Decision `json:"decisions"`
	// Told are the messages that were given to the channels.
	Told []ToldMessage `json:"told"`
	// Published is false where the document could not be written; Error says why.
	Published bool   `json:"published"`
	Error     string `json:"error,omitempty"`
	DryRun    bool   `json:"dry_run,omitempty"`
}

// Replay is a recorded tick, thought again.
type Replay struct {
	Tick int64     `json:"tick"`
	At   time.Time `json:"at"`
	// Same: its document, its changes, its decisions and what was told are the same
	// bytes, by rules of the same versions.
	Same bool `json:"same"`
	// Mechanics and Gate are the versions of their rules.
	Mechanics Versions `json:"mechanics"`
	Gate      Versions `json:"gate"`
	// Document: it is another one.
	Document bool `json:"document_differs"`
	// What differs of the rest.
	Changes   []Differing[EntryChange] `json:"changes"`
	Decisions []Differing[Decision]    `json:"decisions"`
	Told      []Differing[ToldMessage] `json:"told"`
}

// Replays are recorded ticks, thought again.
type Replays struct {
	// Since and Until are when the first and the last of them was.
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"`
	// Set are the settings that were other ones.
	Set []string `json:"set"`
	// Ticks were thought again. Missing are not on record, Older were thought by
	// rules of another version: those were left out.
	Ticks   int `json:"ticks"`
	Missing int `json:"missing"`
	Older   int `json:"older"`
	// What the person was told by a message of its own, and in digests.
	Pushes  Versions `json:"pushes"`
	Digests Versions `json:"digests"`
	// Differ counts the ticks that come out otherwise; Differing are the first 200.
	Differ    int      `json:"differ"`
	Differing []Replay `json:"differing"`
}

// Other reports whether the rules are of another version than those of then.
func (r Replay) Other() bool { return r.Mechanics.Then != r.Mechanics.Now || r.Gate.Then != r.Gate.Now }

// Versions are those of rules, or numbers, when a tick was recorded and now.
type Versions struct {
	Then int `json:"then"`
	Now  int `json:"now"`
}

// Differing is something as it was and as it comes out now; nil where it does not.
type Differing[T any] struct {
	Then *T `json:"then,omitempty"`
	Now  *T `json:"now,omitempty"`
}

// SenseReport is what one sense brought to a tick.
type SenseReport struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	State   string `json:"state"`
	Changes int    `json:"changes"`
	Error   string `json:"error,omitempty"`
}

// ThreadReport is what one thread brought to a tick.
type ThreadReport struct {
	Name     string         `json:"name"`
	Mode     string         `json:"mode"` // reflex, model, skipped, failed
	Reason   string         `json:"reason,omitempty"`
	Shown    int            `json:"shown"`    // observations new to it
	Findings int            `json:"findings"` // accepted
	Rejected map[string]int `json:"rejected"`
	Calls    int            `json:"calls"`
	Tokens   int            `json:"tokens"`
	// Model is who answered, "PROVIDER/MODEL", empty for reflex; Usual is who is
	// configured, where that is another.
	Model string `json:"model,omitempty"`
	Usual string `json:"usual,omitempty"`
	// Cached are those of Tokens that the provider had kept.
	Cached int     `json:"cached,omitempty"`
	Cost   float64 `json:"cost"` // US dollars
	// Failures are those of models that were asked before, in order and in plain
	// words.
	Failures []string `json:"failures,omitempty"`
}

// Ruling is what the gate decided of a request.
type Ruling = escalate.Ruling

// Decision says what became of one request to tell somebody.
type Decision struct {
	Incident subconscious.IncidentKey `json:"incident"`
	ID       subconscious.IncidentID  `json:"id,omitempty"`
	Entry    subconscious.EntryID     `json:"entry,omitempty"`
	Thread   subconscious.ThreadName  `json:"thread"`
	Rule     string                   `json:"rule,omitempty"`
	Summary  string                   `json:"summary"`
	Tick     int64                    `json:"tick,omitempty"`
	At       time.Time                `json:"at,omitzero"`
	Ruling
	// Because is the thread's own reason.
	Because    string `json:"because,omitempty"`
	Importance int    `json:"importance"` // 1 to 10
	// Message is what was told, title and text; with Deliberate, what is told
	// where the deliberation cannot be had.
	Message string `json:"message,omitempty"`
}

// ToldMessage is one message of a tick.
type ToldMessage struct {
	Kind      string                    `json:"kind"` // incident, proposal, digest, notice
	Incidents []subconscious.IncidentID `json:"incidents"`
	Title     string                    `json:"title"`
	Text      string                    `json:"text"`
	Urgent    bool                      `json:"urgent,omitempty"`
}

// Explanation answers "why": how an entry came to be what it is.
type Explanation struct {
	Entry        subconscious.Entry    `json:"entry"`
	Place        string                `json:"place"` // listed, parked, dropped, closed
	Incident     subconscious.Incident `json:"incident"`
	Observations []CitedObservation    `json:"observations"`
	Steps        []Step                `json:"steps"` // newest last
}

// CitedObservation is one observation that an entry rests on.
type CitedObservation struct {
	Citation    string                   `json:"citation"`
	Observation subconscious.Observation `json:"observation"`
	Standing    bool                     `json:"standing"`
	// Missing: its text was deleted by age.
	Missing bool `json:"missing,omitempty"`
}

// Step is one thing that happened to an entry, with the tick and the rule.
type Step struct {
	Tick   int64       `json:"tick"`
	At     time.Time   `json:"at"`
	Thread string      `json:"thread,omitempty"`
	Rule   string      `json:"rule,omitempty"`
	Change EntryChange `json:"change"`
	// Asked is what the thread asked of a model at that tick; nil where it
	// thought by rules.
	Asked *Asked `json:"asked,omitempty"`
}

// Asked is what a thread asked of a model at one tick.
type Asked struct {
	Model  string  `json:"model"` // "PROVIDER/MODEL"
	Shown  int     `json:"shown"` // observations new to it
	Calls  int     `json:"calls"`
	Tokens int     `json:"tokens"`
	Cost   float64 `json:"cost"` // US dollars
}

// CommandResult says what became of a command.
type CommandResult struct {
	Command subconscious.Command `json:"command"`
	// Pending: the next tick consumes it. Done is what it did, once known.
	Pending bool   `json:"pending"`
	Done    string `json:"done,omitempty"`
	// Untold: what is acknowledged was never told.
	Untold bool `json:"untold,omitempty"`
	// Due is when what is snoozed until later is due, or begins, or when telling of it
	// ceases to help; zero where it is snoozed until before that.
	Due time.Time `json:"due,omitzero"`
}
