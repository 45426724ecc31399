package api

import (
	"context"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Mind is all that is asked of a mind.
type Mind interface {
	Inspector
	Recorder
	Steerer
	Modeler
	Reporter
	Teller
	Calibrator
	Messenger
	Proposer
	Undoer
	Conversationalist
	Rememberer
}

// Inspector shows a mind as it is now. Its methods must not wait for a tick.
type Inspector interface {
	// Status returns one screen about the mind.
	Status(ctx context.Context) (Status, error)
	// Document returns the published document, byte for byte as in
	// subconscious.json.
	Document(ctx context.Context) ([]byte, error)
	// Health returns nil while the mind thinks as it should; the error says in
	// plain words what is wrong.
	Health(ctx context.Context) error
}

// Recorder shows what is on record.
type Recorder interface {
	// Ticks returns at most limit reports of ticks with a number below before,
	// newest first. Before 0 means the newest there are.
	Ticks(ctx context.Context, before int64, limit int) ([]TickReport, error)
	// Tick returns the report of tick n, or an *Error with CodeNotFound.
	Tick(ctx context.Context, n int64) (TickReport, error)
	// Why explains an entry, listed, parked, or dropped lately. An id that is
	// not known gives an *Error with CodeNotFound.
	Why(ctx context.Context, entry subconscious.EntryID) (Explanation, error)
}

// Steerer takes the person's requests. The context of its methods outlives the
// client's connection: a request that arrived is carried out although nobody
// waits for the answer.
type Steerer interface {
	// Think runs one tick and returns its report. While another tick runs it
	// waits, then runs its own. A paused mind refuses with CodePaused.
	Think(ctx context.Context, request TickRequest) (TickReport, error)
	// Command records what the next tick will consume. At and By are set; ID is
	// the implementation's to give. An entry or thread that is not known gives
	// an *Error with CodeNotFound.
	Command(ctx context.Context, command subconscious.Command) (CommandResult, error)
	// Pause stops ticks, or lets them go on.
	Pause(ctx context.Context, request PauseRequest) (PauseState, error)
}

// TickRequest asks for one tick now.
type TickRequest struct {
	// DryRun thinks and reports, and commits nothing.
	DryRun bool `json:"dry_run,omitempty"`
	// Thread asks that one thread alone; empty asks all.
	Thread string `json:"thread,omitempty"`
}

func (t *TickRequest) check() error {
	if t.Thread == "" {
		return nil
	}
	return checkThread(subconscious.ThreadName(t.Thread))
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

// WhyQuery names an entry.
type WhyQuery struct {
	Entry subconscious.EntryID `path:"entry"`
}

func (q *WhyQuery) check() error { return checkEntry(q.Entry) }

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
