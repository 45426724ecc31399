package subconscious

import "time"

// EntryID is the readable id of an entry, never used again: "w-invoice-" and
// base32 of tick and ordinal.
type EntryID string

// List names one of the four lists of entries.
type List string

const (
	ActiveThreads List = "active_threads"
	Patterns      List = "patterns"
	Hunches       List = "hunches"
	Insights      List = "insights"
)

// Lists returns the lists in the order of the document.
func Lists() []List { return []List{ActiveThreads, Patterns, Hunches, Insights} }

// State is the whole state of a mind, as kept in mind.db. The published
// document is a projection of it.
type State struct {
	Version   int       `json:"version"`
	TickCount int64     `json:"tick_count"`
	LastTick  time.Time `json:"last_tick,omitzero"`

	Entries []Entry `json:"entries"`
	// Parked entries stand but found no place in their list, at most 50.
	Parked  []Entry                    `json:"parked,omitempty"`
	History []EscalationRecord         `json:"history,omitempty"`
	Threads map[ThreadName]ThreadState `json:"threads,omitempty"`
	// Closed are the last incidents the person closed, newest first, at most 10.
	Closed []ClosedIncident `json:"closed,omitempty"`
}

// ClosedIncident is remembered so that no thread is sent after it again.
type ClosedIncident struct {
	At       time.Time   `json:"at"`
	Incident IncidentKey `json:"incident"`
	Summary  string      `json:"summary"`
}

// SchemaVersion is the version of State and of the published document.
const SchemaVersion = 1

// Entry is a line of the subconscious.
type Entry struct {
	ID         EntryID      `json:"id"`
	List       List         `json:"list"`
	Kind       Kind         `json:"kind"`
	Summary    string       `json:"summary"`
	Strength   int          `json:"strength"`   // 0 to 10
	Importance int          `json:"importance"` // 1 to 10
	Created    time.Time    `json:"created"`
	LastSeen   time.Time    `json:"last_seen"`
	Due        time.Time    `json:"due,omitzero"`
	Incident   IncidentKey  `json:"incident"`
	Sources    []ThreadName `json:"sources,omitempty"`
	Rule       string       `json:"rule,omitempty"`
	// About is the observation that the summary speaks of.
	About Ref `json:"about,omitempty"`
	// Evidence: at most 4, its own first, of that About, then what stands, then
	// the newest.
	Evidence []Held `json:"evidence"`
	// Over: all of its evidence is gone; it is dropped on the next decaying
	// tick unless what it speaks of returns.
	Over bool `json:"over,omitempty"`
	// Fresh: it was added on a tick that does not decay, and the next decaying
	// one spares it, so that it appears in as many documents as any other.
	Fresh bool `json:"fresh,omitempty"`
}

// MaxHeld is how many references an entry holds at most; it may rest on more.
const MaxHeld = 4

// Held is evidence as an entry holds it.
type Held struct {
	Citation
	// Standing, Gone and Severity are as of the last tick.
	Standing bool     `json:"standing,omitempty"`
	Gone     bool     `json:"gone,omitempty"`
	Severity Severity `json:"severity,omitempty"`
	// Aside: cited beside what the entry is about, and neither its key nor
	// linked to it. It explains, but holds nothing.
	Aside bool `json:"aside,omitempty"`
	// Said is what was last said of the observation, where the entry's summary
	// speaks of another.
	Said *Said `json:"said,omitempty"`
}

// Said is how a thread spoke of an observation.
type Said struct {
	Kind       Kind      `json:"kind"`
	Summary    string    `json:"summary"`
	Importance int       `json:"importance"`
	Due        time.Time `json:"due,omitzero"`
	Rule       string    `json:"rule,omitempty"`
}

// ThreadState is what is kept of a thread between ticks.
type ThreadState struct {
	// LastFindings are the entries of its last 3 ticks, newest first.
	LastFindings    [][]EntryID `json:"last_findings,omitempty"`
	NoveltyPressure int         `json:"novelty_pressure"` // 0 to 10
	// Widened is the widest level at which the thread was asked since its
	// pressure was last released.
	Widened   int    `json:"widened,omitempty"`
	FocusHint string `json:"focus_hint,omitempty"`
	// FocusSource is the thread whose hint it is, or who set it by command:
	// "person", "agent:NAME". FocusUntil is how long such a hint stands.
	FocusSource string    `json:"focus_source,omitempty"`
	FocusUntil  time.Time `json:"focus_until,omitzero"`
	Journal     string    `json:"journal,omitempty"`
	Health      string    `json:"health,omitempty"` // ok, failed
	Since       time.Time `json:"since,omitzero"`   // since when Health is so
	Error       string    `json:"error,omitempty"`
}

// EscalationRecord is one thing that was escalated, why, and what came of it.
type EscalationRecord struct {
	At       time.Time   `json:"at"`
	Incident IncidentKey `json:"incident"`
	Summary  string      `json:"summary"`
	Reason   string      `json:"reason"`
	// Outcome is "told", "told in the digest", "deliberating", or what a
	// deliberation came to; and where the person answered their last word on it,
	// "told; you: useful".
	Outcome string `json:"outcome"`
	// Deliberation is its id, where there was one; Cost what it took, in
	// billionths of a US dollar; Cited what it rests on, as text (see
	// Citation.String), at most 8, of which 2 are published.
	Deliberation string   `json:"deliberation,omitempty"`
	Cost         int64    `json:"cost,omitempty"`
	Cited        []string `json:"cited,omitempty"`
}

// Command is what the person, a tool or a deliberation asks for, consumed by
// the next tick.
type Command struct {
	ID   int64       `json:"id"` // row in inputs
	At   time.Time   `json:"at"`
	Kind CommandKind `json:"kind"`
	// Entry for close, confirm and dismiss; Incident instead where the request is
	// about an incident.
	Entry    EntryID     `json:"entry,omitempty"`
	Incident IncidentKey `json:"incident,omitempty"`
	// IncidentID is how the person named the incident; the daemon sets Incident
	// from it.
	IncidentID IncidentID `json:"incident_id,omitempty"`
	Thread     ThreadName `json:"thread,omitempty"` // focus
	Text       string     `json:"text,omitempty"`   // focus, note; ack of a proposal: what was said to it
	Forever    bool       `json:"forever,omitempty"`
	// Feedback is the word of an ack: Useful, NotUseful, or "" for none.
	Feedback Feedback `json:"feedback,omitempty"`
	// Until is when snooze and remind let it speak again.
	Until time.Time `json:"until,omitzero"`
	// Outcome is what a deliberation came to, for CommandOutcome.
	Outcome *Outcome `json:"outcome,omitempty"`
	// Edit is what CommandEdit says of Entry, beside its words in Text.
	Edit *Edit `json:"edit,omitempty"`
	// By is "person", or the name of the tool or deliberation.
	By string `json:"by"`
}

// ByHand gives the commands that an edit of the document comes to. Whoever may
// write there wrote it: it is worth an agent's word.
const ByHand = "hand edit"

// Edit is what was written into the document by hand. What is zero stays as it is.
type Edit struct {
	Importance int `json:"importance,omitempty"`
	// Due: at the zero time it has none any more.
	Due *time.Time `json:"due,omitempty"`
	// List and Ref are those of a new entry: where it was written, and the
	// observation that it is.
	List List `json:"list,omitempty"`
	Ref  Ref  `json:"ref,omitempty"`
}

// CommandKind says what is asked for.
type CommandKind string

const (
	CommandClose   CommandKind = "close"
	CommandConfirm CommandKind = "confirm"
	CommandDismiss CommandKind = "dismiss"
	CommandFocus   CommandKind = "focus"
	CommandNote    CommandKind = "note" // becomes an observation of the sense "person"
	CommandEdit    CommandKind = "edit" // of the document, by hand
	// Those of the gate, about an incident:
	CommandAck    CommandKind = "ack"    // heard, with a word on its use
	CommandSnooze CommandKind = "snooze" // not now; again at Until, if it still stands
	CommandRemind CommandKind = "remind" // tell me again at Until, whatever happens to it
	// CommandOutcome is how a deliberation on an incident ended.
	CommandOutcome CommandKind = "outcome"
)

// Edited is what a tick did with one thing that was changed in the document by hand.
type Edited struct {
	Tick int64     `json:"tick"`
	At   time.Time `json:"at"`
	Done string    `json:"done"`
}

// In returns the entries of a list in the order of the state.
func (s State) In(list List) []Entry {
	var entries []Entry
	for _, e := range s.Entries {
		if e.List == list {
			entries = append(entries, e)
		}
	}
	return entries
}

// Entry returns the entry, listed or parked, with that id.
func (s State) Entry(id EntryID) (Entry, bool) {
	for _, entries := range [][]Entry{s.Entries, s.Parked} {
		for _, e := range entries {
			if e.ID == id {
				return e, true
			}
		}
	}
	return Entry{}, false
}
