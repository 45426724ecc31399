// Package apitest has a mind that thinks nothing, for tests of what is built on
// package api: the server, its client, the command line.
package apitest

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Mind answers from what it is given. Its fields may be changed before it is
// served; the methods are safe for concurrent use.
type Mind struct {
	Now      api.Status
	Reports  []api.TickReport // newest first
	Reasons  map[subconscious.EntryID]api.Explanation
	Replayed []api.Replay
	// Tests are what TestModels answers from, Prompts are by thread, and Sum is
	// the report, to which Since and Until are set.
	Tests   []api.ModelTest
	Prompts map[string]api.RenderedPrompt
	Sum     api.Report
	// Box are all incidents, newest first, with what Inbox says beside them, and
	// Stories explain some.
	Box     api.Inbox
	Stories map[subconscious.IncidentID]api.IncidentExplanation
	// Traced is what Missed answers, Learnt the calibration, and Sent what
	// TestChannels answers from.
	Traced api.Trace
	Learnt api.Calibration
	Sent   []api.Delivery
	// Proposed are all proposals and Ran all runs, newest first. Approving adds a
	// run that succeeds; what OnDecide refuses is not carried out.
	Proposed []api.Proposal
	Ran      []api.ActionRun
	OnDecide func(api.ProposalDecision) error
	// Passphrase is what approving takes, "" for none.
	Passphrase string
	// Talks are conversations and Said their messages, newest first.
	Talks []api.Conversation
	Said  []api.Message
	// Memories are what is remembered, newest first.
	Memories []api.MemoryRecord
	// Fit is how the memory is.
	Fit api.MemoryHealth
	// Unwell is what Health answers.
	Unwell error
	// OnThink, if set, is called by Think first; its error is Think's.
	OnThink func(context.Context, api.TickRequest) error
	// OnStatus, if set, is called by Status first; its error is Status's.
	OnStatus func(context.Context) error

	// Happened are the events that are kept, and Forgotten how many came before.
	Happened  []api.Event
	Forgotten int64

	mu       sync.Mutex
	happens  chan struct{} // closed at the next event
	commands []subconscious.Command
	ticks    []api.TickRequest
	missed   []string
	decided  []api.ProposalDecision
	posted   []api.PostRequest
	changed  []any
}

var _ api.Mind = (*Mind)(nil)

// Status returns Now with the commands that wait.
func (m *Mind) Status(ctx context.Context) (api.Status, error) {
	if m.OnStatus != nil {
		if err := m.OnStatus(ctx); err != nil {
			return api.Status{}, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	status := m.Now
	status.Pending = append(status.Pending, m.commands...)
	return status, nil
}

// Figures returns Now, and that one tick was done.
func (m *Mind) Figures(ctx context.Context) (api.Figures, error) {
	status, err := m.Status(ctx)
	return api.Figures{Status: status, Done: api.Done{Ticks: 1, Findings: 2, Took: 1500 * time.Millisecond}}, err
}

// Document returns the document of Now.
func (m *Mind) Document(context.Context) (json.RawMessage, error) {
	return json.Marshal(m.Now.Subconscious)
}

// Health returns Unwell.
func (m *Mind) Health(context.Context) error { return m.Unwell }

// Ticks returns a page of Reports.
func (m *Mind) Ticks(_ context.Context, before int64, limit int) ([]api.TickReport, error) {
	found, _ := page(m.Reports, 0, limit, func(r api.TickReport) int64 { return r.Tick }, func(r api.TickReport) bool { return before == 0 || r.Tick < before })
	return found, nil
}

// Tick returns one of Reports.
func (m *Mind) Tick(_ context.Context, n int64) (api.TickReport, error) {
	r, err := find(m.Reports, func(r api.TickReport) bool { return r.Tick == n }, "see subconsciousctl ticks", "there is no tick %d on record", n)
	return *r, err
}

// Replay returns one of Replayed.
func (m *Mind) Replay(_ context.Context, n int64) (api.Replay, error) {
	r, err := find(m.Replayed, func(r api.Replay) bool { return r.Tick == n }, "see subconsciousctl ticks", "what went into tick %d is not on record any more", n)
	return *r, err
}

// Replays returns all of Replayed that differ.
func (m *Mind) Replays(_ context.Context, q api.ReplayQuery) (api.Replays, error) {
	all := api.Replays{Ticks: len(m.Replayed), Set: strings.Fields(q.Set), Missing: 2, Older: 1, Pushes: api.Versions{Then: 3, Now: 2}, Digests: api.Versions{Then: 1, Now: 1}}
	for _, r := range m.Replayed {
		if all.Since, all.Until = r.At, m.Now.Tick.Last; !r.Same {
			all.Differ, all.Differing = all.Differ+1, append(all.Differing, r)
		}
	}
	return all, nil
}

// Why returns one of Reasons.
func (m *Mind) Why(_ context.Context, entry subconscious.EntryID) (api.Explanation, error) {
	explanation, ok := m.Reasons[entry]
	if !ok {
		return api.Explanation{}, unknown(entry)
	}
	return explanation, nil
}

func unknown(entry subconscious.EntryID) error {
	return api.Errorf(api.CodeNotFound, "take an id from subconsciousctl status", "there is no entry %s", entry)
}

// Think records the request and returns the newest of Reports. A paused mind
// refuses.
func (m *Mind) Think(ctx context.Context, request api.TickRequest) (api.TickReport, error) {
	if m.OnThink != nil {
		if err := m.OnThink(ctx, request); err != nil {
			return api.TickReport{}, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Now.Mind.Paused {
		return api.TickReport{}, api.Errorf(api.CodePaused, "let it go on: subconsciousctl resume", "it is paused")
	}
	m.ticks = append(m.ticks, request)
	report := api.TickReport{Tick: 1, Published: true}
	if len(m.Reports) > 0 {
		report = m.Reports[0]
	}
	report.DryRun = request.DryRun
	return report, nil
}

// Command records the command. Entries, incidents and threads that the mind does
// not show are not found.
func (m *Mind) Command(_ context.Context, command subconscious.Command) (api.CommandResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if command.Entry != "" {
		if _, ok := m.Reasons[command.Entry]; !ok {
			return api.CommandResult{}, unknown(command.Entry)
		}
	}
	if command.IncidentID != "" {
		if _, err := m.boxed(command.IncidentID); err != nil {
			return api.CommandResult{}, err
		}
		command.Incident = m.Stories[command.IncidentID].Record.Key
	}
	if command.Thread != "" {
		if _, err := find(m.Now.Threads, func(t api.ThreadStatus) bool { return t.Name == string(command.Thread) },
			"see subconsciousctl status", "there is no thread %s", command.Thread); err != nil {
			return api.CommandResult{}, err
		}
	}
	command.ID = int64(len(m.commands) + 1)
	m.commands = append(m.commands, command)
	return api.CommandResult{Command: command, Pending: true}, nil
}

// Pause changes Now. The end of a pause is reckoned from the last tick, so that
// it does not depend on a clock.
func (m *Mind) Pause(_ context.Context, request api.PauseRequest) (api.PauseState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	state := api.PauseState{Paused: !request.Resume}
	if request.For > 0 {
		state.Until = m.Now.Tick.Last.Add(request.For)
	}
	m.Now.Mind.Paused, m.Now.Mind.PausedUntil = state.Paused, state.Until
	return state, nil
}

// Models returns the models of Now.
func (m *Mind) Models(context.Context) ([]api.ModelStatus, error) {
	return copied(m, &m.Now.Models), nil
}

// TestModels returns those of Tests that are of that role or provider.
func (m *Mind) TestModels(_ context.Context, who string) ([]api.ModelTest, error) {
	found := slices.DeleteFunc(slices.Clone(m.Tests), func(t api.ModelTest) bool { return who != "" && who != t.Role && who != t.Provider })
	if who != "" && len(found) == 0 {
		return nil, api.Errorf(api.CodeNotFound, "see subconsciousctl models", "no role and no provider is called %s", who)
	}
	return found, nil
}

// Prompt returns one of Prompts.
func (m *Mind) Prompt(_ context.Context, thread string) (api.RenderedPrompt, error) {
	prompt, ok := m.Prompts[thread]
	if !ok {
		return api.RenderedPrompt{}, api.Errorf(api.CodeNotFound, "see subconsciousctl status", "there is no thread %s", thread)
	}
	return prompt, nil
}

// Report returns Sum. Its end is the time of the samples.
func (m *Mind) Report(_ context.Context, since time.Time) (api.Report, error) {
	report := m.Sum
	report.Since, report.Until = since, at
	return report, nil
}

// copied is a list as it is now.
func copied[T any](m *Mind, list *[]T) []T {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(*list)
}

// find is the one of a list that is asked for, or an empty one and an error with
// CodeNotFound that says where to look instead.
func find[T any](all []T, is func(T) bool, look, format string, name any) (*T, error) {
	n := slices.IndexFunc(all, is)
	if n < 0 {
		return new(T), api.Errorf(api.CodeNotFound, look, format, name)
	}
	return &all[n], nil
}

// Commands returns what was recorded so far.
func (m *Mind) Commands() []subconscious.Command { return copied(m, &m.commands) }

// Requests returns the ticks that were run so far.
func (m *Mind) Requests() []api.TickRequest { return copied(m, &m.ticks) }

// Serve starts a server for the mind on the file "socket" of the folder, and
// stops it when the test ends. Options but for the mind may be given.
func Serve(t testing.TB, folder string, m *Mind, options api.Options) *api.Server {
	t.Helper()
	options.Socket = filepath.Join(folder, "socket")
	options.Mind = m
	server, err := api.New(options)
	if err == nil {
		err = server.Start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, done := context.WithTimeout(context.Background(), 10*time.Second)
		defer done()
		if err := server.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	return server
}
