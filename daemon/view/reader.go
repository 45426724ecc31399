// Package view is what is read of a mind: by the API, and by whoever measures
// one. It takes values and stores, never the daemon, waits for no tick and
// changes nothing. It stores nothing itself. Package daemon calls it.
package view

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Sources are what a Reader reads. All of them are needed.
type Sources struct {
	Config  *setup.Config
	Version string
	Demo    bool
	Started time.Time
	// Configuration is how it is; nil where there is none that is read again.
	Configuration func() *api.ConfigurationStatus
	// Now is the clock, in the mind's time zone; Next is when the next scheduled
	// tick is due, zero for none.
	Now  func() time.Time
	Next func() time.Time
	// Threads are those that think, in order, and Usual the model that is
	// configured for one, "PROVIDER/MODEL" or "".
	Threads []subconscious.ThreadName
	Usual   func(subconscious.ThreadName) string

	// Passed is what senses have before them since then and did not report.
	Passed func(ctx context.Context, since time.Time) ([]senses.Found, error)

	// Changes are what changed lately, as the database has it.
	Changes func(ctx context.Context, after int64, limit int) (store.Changes, error)

	Board         *Board
	Mind          *mind.Store
	Ledger        *senses.Ledger
	Outbox        *notify.Outbox
	Actions       *actions.Engine
	Deliberations *deliberate.Worker
	Chat          *chat.Log
	Memory        *memory.Store
	Budget        *budget.Budget
	Roster        *models.Roster
	Heartbeat     func() *api.HeartbeatStatus // nil where there is none
}

// Reader answers what is asked about a mind.
type Reader struct{ in Sources }

// New returns a reader of these sources.
func New(in Sources) *Reader { return &Reader{in} }

func (v *Reader) state() subconscious.State { return v.in.Board.Now().State }

func (v *Reader) use() { v.in.Board.Use(v.in.Now()) }

// pageUsual is how much a page has where nobody says.
const pageUsual = 20

func pageOf(limit int) int {
	if limit <= 0 {
		return pageUsual
	}
	return limit
}

// paged is the part of a list behind the one with the id before, and the mark of
// the next part.
func paged[T any](all []T, before string, limit int, id func(T) string) (shown []T, next string, err error) {
	if before != "" {
		at := slices.IndexFunc(all, func(t T) bool { return id(t) == before })
		if at < 0 {
			return nil, "", api.Errorf(api.CodeBadRequest, "begin again without it", "before: %.40q is no mark of a page, or no longer", before)
		}
		all = all[at+1:]
	}
	if limit = pageOf(limit); len(all) <= limit {
		return all, "", nil
	}
	return all[:limit], id(all[limit-1]), nil
}

// UnknownIncident, UnknownEntry and UnknownThread say that there is none of that
// name.
func UnknownIncident(id subconscious.IncidentID) error {
	return api.Errorf(api.CodeNotFound, "see `subconsciousctl inbox --all` for those there are", "there is no incident %s, nor was there one lately", id)
}

// UnknownEntry says that there is no such entry.
func UnknownEntry(id subconscious.EntryID) error {
	return api.Errorf(api.CodeNotFound, "see `subconsciousctl status` for the entries there are", "there is no entry %s, nor was there one lately", id)
}

// UnknownThread says that there is no such thread.
func UnknownThread(thread subconscious.ThreadName) error {
	return api.Errorf(api.CodeNotFound, "the threads are watcher, librarian, oracle and dreamer", "there is no thread %q", thread)
}

// Answer makes of an error of a store what the API may pass on: whoever asked
// learns that the disk is full, say, and what to do, without the log. What it
// does not know it returns as it is.
func Answer(err error) error {
	if _, told := errors.AsType[*api.Error](err); told || err == nil {
		return err
	}
	if refused, ok := errors.AsType[*actions.Error](err); ok {
		return &api.Error{Code: actionCode(refused.Code), Text: refused.Text, Next: refused.Next, Err: err}
	}
	if stored, ok := errors.AsType[*store.Error](err); ok {
		code := api.CodeUnavailable
		if stored.Code == store.CodeInput {
			code = api.CodeBadRequest
		}
		return &api.Error{Code: code, Text: stored.Text, Next: lowerFirst(stored.Next), Err: err}
	}
	if several, ok := errors.AsType[*memory.Several](err); ok {
		return &api.Error{Code: api.CodeAmbiguous, Text: several.Error(), Next: "add a letter or two", Candidates: several.IDs, Err: err}
	}
	const mend = "mend it, and send it again"
	for _, known := range []struct {
		err        error
		code       api.Code
		text, next string
	}{
		{chat.ErrNotFound, api.CodeNotFound, "there is no such conversation", "see `subconsciousctl messages` for those there are"},
		{chat.ErrInvalid, api.CodeBadRequest, "", mend},
		{chat.ErrFull, api.CodeUnavailable, "", "messages older than a year are let go by themselves"},
		{memory.ErrNotFound, api.CodeNotFound, "there is no such memory", "see `subconsciousctl memory list` for those there are"},
		{memory.ErrInvalid, api.CodeBadRequest, "", mend},
		{memory.ErrFull, api.CodeUnavailable, "", "forget what is not needed: `subconsciousctl memory forget ID`"},
	} {
		if errors.Is(err, known.err) {
			if known.text == "" {
				known.text = err.Error()
			}
			return &api.Error{Code: known.code, Text: known.text, Next: known.next, Err: err}
		}
	}
	return err
}

// actionCode is a code of the engine of actions as the API has it.
func actionCode(code actions.Code) api.Code {
	switch code {
	case actions.CodeNotFound, actions.CodeExpired, actions.CodeUsed, actions.CodeChanged, actions.CodeLimit, actions.CodeBusy, actions.CodePassphrase:
		return api.Code(code) // one word in both
	case actions.CodeUnknown:
		return api.CodeNotFound
	case actions.CodeInvalid:
		return api.CodeBadRequest
	case actions.CodeStopped:
		return api.CodeUnavailable
	}
	return api.CodeRefused
}

// lowerFirst makes a sentence fit for standing after others: the API's next
// steps begin small.
func lowerFirst(sentence string) string {
	if sentence == "" {
		return ""
	}
	return strings.ToLower(sentence[:1]) + sentence[1:]
}
