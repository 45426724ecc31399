package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Mind is all that is asked of a mind. What is not known by the id that was asked
// for gives an *Error with CodeNotFound. The context of what changes something
// outlives the client's connection: a request that arrived is carried out although
// nobody waits for the answer.
type Mind interface {
	// Status returns one screen about the mind. It, Figures, Document and Health must not
	// wait for a tick.
	Status(ctx context.Context) (Status, error)
	// Figures returns what a program watches it by, which counts as nobody's look.
	Figures(ctx context.Context) (Figures, error)
	// Document returns the published document, byte for byte as in
	// subconscious.json.
	Document(ctx context.Context) (json.RawMessage, error)
	// Health returns nil while the mind thinks as it should; the error says in
	// plain words what is wrong.
	Health(ctx context.Context) error

	// Ticks returns at most limit reports of ticks with a number below before,
	// newest first. Before 0 means the newest there are.
	Ticks(ctx context.Context, before int64, limit int) ([]TickReport, error)
	Tick(ctx context.Context, n int64) (TickReport, error)
	// Replay thinks a recorded tick again, without a model, and compares. One that
	// cannot be thought again gives an *Error with CodeNotFound.
	Replay(ctx context.Context, n int64) (Replay, error)
	// Replays does so with the ticks since then, one after the other. Under other
	// settings each goes on from what the one before came to.
	Replays(ctx context.Context, query ReplayQuery) (Replays, error)
	// Why explains an entry, listed, parked, or dropped lately.
	Why(ctx context.Context, entry subconscious.EntryID) (Explanation, error)
	// Report sums up the time from since until now.
	Report(ctx context.Context, since time.Time) (Report, error)

	// Think runs one tick and returns its report. While another tick runs it
	// waits, then runs its own. A paused mind refuses with CodePaused.
	Think(ctx context.Context, request TickRequest) (TickReport, error)
	// Command records what the next tick will consume. At and By are set; ID is
	// the implementation's to give.
	Command(ctx context.Context, command subconscious.Command) (CommandResult, error)
	// Pause stops ticks, or lets them go on.
	Pause(ctx context.Context, request PauseRequest) (PauseState, error)

	// Events returns at most limit events after the one with that id: all that are
	// kept after 0, and none after Newest, without waiting. Where there are none yet,
	// and none is lost, it waits for one until ctx is done, and returns none.
	Events(ctx context.Context, after int64, limit int) (EventPage, error)

	// Models returns every role with its model and how that is, without asking
	// any of them anything. Roles in the order in which they are shown.
	Models(ctx context.Context) ([]ModelStatus, error)
	// TestModels asks models live, which may cost: those of a role or of a
	// provider, or all where who is empty.
	TestModels(ctx context.Context, who string) ([]ModelTest, error)
	// Prompt returns what a thread would be asked now, as the model would get it.
	Prompt(ctx context.Context, thread string) (RenderedPrompt, error)

	// Inbox returns incidents, newest first, and Incident explains one.
	Inbox(ctx context.Context, query InboxQuery) (Inbox, error)
	Incident(ctx context.Context, id subconscious.IncidentID) (IncidentExplanation, error)
	// Missed traces what should have been told, and keeps it as missed where it
	// was and that is asked for.
	Missed(ctx context.Context, request MissedRequest) (Trace, error)

	// Calibration returns what was learnt from the person's answers.
	Calibration(ctx context.Context) (Calibration, error)
	// ResetCalibration forgets scores, or a habit; an empty request forgets all.
	ResetCalibration(ctx context.Context, request CalibrationRequest) (Calibration, error)

	// Channels returns those over which the person is told.
	Channels(ctx context.Context) ([]ChannelStatus, error)
	// TestChannels sends a test message over one channel, or over all where
	// channel is empty, and waits for what became of it.
	TestChannels(ctx context.Context, channel string) ([]Delivery, error)
	// RenewChannel has the answers of a channel come back over a new reply topic.
	RenewChannel(ctx context.Context, channel string) (ChannelStatus, error)

	// Proposals returns the actions that wait for the person's word, or all,
	// newest first.
	Proposals(ctx context.Context, query ProposalQuery) (ProposalPage, error)
	Proposal(ctx context.Context, id string) (Proposal, error)
	// Decide approves or rejects one; nothing else approves anything, no channel
	// does. What was approved is carried out before it returns; a run that fails
	// is no error. It gives an *Error with CodeNotFound, CodeExpired, CodeUsed,
	// CodeChanged, CodeLimit or CodeRefused, and then nothing was carried out.
	Decide(ctx context.Context, decision ProposalDecision) (ProposalResult, error)
	// SetPassphrase sets the passphrase that approving may take.
	SetPassphrase(ctx context.Context, request PassphraseRequest) (PassphraseSet, error)
	// Runs returns what was carried out, newest first.
	Runs(ctx context.Context, query RunQuery) (RunPage, error)
	// Undo takes a run back where that is configured, and returns the run that
	// did. It works once, until UndoUntil. Its errors are those of Decide.
	Undo(ctx context.Context, request UndoRequest) (ActionRun, error)

	// Conversations returns those with the newest message first, and Messages
	// those of one conversation, newest first.
	Conversations(ctx context.Context, query ConversationQuery) (ConversationPage, error)
	Messages(ctx context.Context, query ConversationMessages) (MessagePage, error)
	// SearchMessages returns those that fit the words best, the best first.
	SearchMessages(ctx context.Context, query MessageSearch) (MessagePage, error)
	// Post adds a message.
	Post(ctx context.Context, request PostRequest) (Message, error)

	Memories

	// Observe keeps what a source hands in for the next tick. It gives an *Error
	// with CodeRefused where the token is none of that source's, and CodeLimit.
	Observe(ctx context.Context, handed Handed) error
	// SetSourceToken makes a new token for a source, or revokes it.
	SetSourceToken(ctx context.Context, request SourceTokenRequest) (SourceToken, error)
}

// TickRequest asks for one tick now.
type TickRequest struct {
	// DryRun thinks and reports, and commits nothing.
	DryRun bool `json:"dry_run,omitempty"`
	// Thread asks that one thread alone; empty asks all.
	Thread string `json:"thread,omitempty" is:"thread"`
}

// PauseRequest asks that ticks stop or go on.
type PauseRequest struct {
	// Resume lets ticks go on; For is then 0.
	Resume bool
	// For is how long they stop, at most MaxPause; 0 means until resumed.
	For time.Duration
}

// PauseState says whether ticks are stopped.
type PauseState struct {
	Paused bool `json:"paused"`
	// Until is zero while paused until resumed.
	Until time.Time `json:"until,omitzero"`
}

// PauseBody is the body of POST /v1/pause.
type PauseBody struct {
	For string `json:"for,omitempty"` // as Go writes durations: "2h", "1h30m"; empty: until resumed

	length time.Duration
}

func (p *PauseBody) check() (err error) {
	if p.For == "" {
		return nil
	}
	if p.length, err = time.ParseDuration(p.For); err != nil {
		return badRequest(`write it with its unit, like "90m" or "2h"`, "for: %q is not a length of time", clip(p.For))
	}
	if p.length <= 0 || p.length > MaxPause {
		return badRequest("leave it out to pause until resumed", "for: %s is not between 0 and 366 days", p.length)
	}
	return nil
}

// TicksQuery says which reports are wanted: those of ticks before one, 0 for the
// newest.
type TicksQuery struct {
	Limit  int   `query:"limit"` // 1 to 100; 0 is 20
	Before int64 `query:"before"`
}

// TickQuery names a tick.
type TickQuery struct {
	N int64 `path:"n"`
}

// ReplayQuery says which ticks are to be thought again: those since then, or one.
type ReplayQuery struct {
	Since time.Time `query:"since"`
	Tick  int64     `query:"tick"`
	// Set are settings of the configuration, "KEY=VALUE", one a line.
	Set string `query:"set"`
}

// WhyQuery names an entry.
type WhyQuery struct {
	Entry subconscious.EntryID `path:"entry" is:"entry"`
}

// TickPage is one page of reports, newest first.
type TickPage struct {
	Ticks []TickReport `json:"ticks"`
	// Before asks for the next page; 0 where this was the last.
	Before int64 `json:"before,omitempty"`
}

// HealthReply is what /healthz answers while all is well; what is wrong is
// answered with a Problem and status 503.
type HealthReply struct {
	Status string `json:"status"` // ok
}
