package actions

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/internal/wake"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// RunState is what became of a run.
type RunState string

const (
	RunStarted   RunState = "started"
	RunSucceeded RunState = "succeeded"
	RunFailed    RunState = "failed"
	RunTimedOut  RunState = "timed_out"
	// RunUnknown: the daemon ended meanwhile, and nobody knows how far it came.
	RunUnknown RunState = "unknown"
)

// Run is one execution of an action.
type Run struct {
	ID    string   `json:"id"` // "r-…", unique for good
	State RunState `json:"state"`
	Exact
	Proposal string `json:"proposal,omitempty"` // that was approved; "" where the policy let it through
	UndoOf   string `json:"undo_of,omitempty"`  // the run that it undoes; "" for none
	// By is the process that approved it, or undid a run by it, as Engine.Caller
	// says it; "" where the policy let it through.
	By       string    `json:"by,omitempty"`
	Started  time.Time `json:"at"`
	Ended    time.Time `json:"ended,omitzero"` // zero while it runs
	ExitCode int       `json:"exit_code"`      // -1 where there is none
	// Output is what it wrote to both its outputs: plain text, redacted. LeftOut
	// counts the bytes of it that were not kept.
	Output  string `json:"output,omitempty"`
	LeftOut int64  `json:"-"`
	// Problem is a sentence on what went wrong; "" for nothing.
	Problem string `json:"problem,omitempty"`
	// UndoUntil is until when it can be undone; zero where it cannot.
	UndoUntil time.Time `json:"undo_until,omitzero"`

	claim string
}

// undoWindow is how long a run can be undone.
const undoWindow = 10 * time.Minute

// running is a run of this process.
type running struct {
	action string
	done   chan struct{} // closed when it has ended
	run    Run           // how, from then on
	err    error         // why it did not begin
}

// claim is a run that is about to begin.
type claim struct {
	run   Run
	bound Bound
	// record decides about it and writes its row, in one transaction. It returns
	// the earlier run of the key, if there is one.
	record func(ctx context.Context, tx *store.Tx, c *claim) (earlier *Run, err error)
	// late refuses whoever comes second; nil: they get the run of the first.
	late error
}

// beginsWithin is how long after its request a run may begin.
const beginsWithin = 15 * time.Minute

// Execute runs what the policy lets through without asking. A request of more
// than 15 minutes ago begins nothing: whatever it was good for, and the policy,
// may be another since; nor does one that is Refused. The same key runs once: a
// second call returns the run of the first, and waits for it if it still runs. An
// error is a refusal, or of the database: then nothing ran. How the program fared
// is in the Run.
//
// The program belongs to the Engine: if ctx is done the Run is returned as it
// is, started, and goes on.
func (e *Engine) Execute(ctx context.Context, r Request) (Run, error) {
	r, err := e.check(r)
	if err != nil {
		return Run{}, fmt.Errorf("actions: execute: %w", err)
	}
	c := &claim{run: runOf(r.Act, "request/"+r.Key)}
	c.record = func(ctx context.Context, tx *store.Tx, c *claim) (*Run, error) {
		if earlier, ok, err := findRun(ctx, tx, "WHERE key = ?", c.run.Key); err != nil || ok {
			return &earlier, err
		}
		if r.Refused != "" {
			return nil, refuse(CodeChanged, "ask for it again", "%s", r.Refused)
		}
		if c.run.Started.Sub(r.At) > beginsWithin {
			return nil, refuse(CodeExpired, "have it asked for again", "%s was asked for at %s, and not begun in time", r.Action, r.At.Format(time.RFC3339))
		}
		b, err := e.Check(r.Action, r.Arguments)
		if err != nil {
			return nil, err
		}
		hour, day, err := counts(ctx, tx, b.Action, c.run.Started)
		if err == nil {
			err = limits(b.does.action, hour, day)
		}
		if err != nil {
			return nil, err
		}
		c.take(b, b.Argv)
		return nil, e.begin(ctx, tx, c, r)
	}
	return e.perform(ctx, r.Action, c)
}

// runOf is the run of a request that has not begun.
func runOf(asked escalate.Act, key string) Run {
	asked.Key = key
	return Run{State: RunStarted, Exact: Exact{Act: asked}, ExitCode: -1, claim: rand.Text()}
}

// take has the claim run argv.
func (c *claim) take(b Bound, argv []string) {
	c.bound = b
	c.run.Exact = b.of(c.run.Act)
	c.run.Argv = argv
}

// begin writes the row of a run. What the daemon does by itself is done here.
func (e *Engine) begin(ctx context.Context, tx *store.Tx, c *claim, r Request) error {
	if err := failpoint.Hit("actions.start"); err != nil {
		return err
	}
	if builtin := c.bound.does.builtin; builtin != nil {
		r.Arguments = c.bound.Arguments
		output, err := builtin.Do(ctx, tx, c.run.Key, c.bound.Arguments, r)
		if err != nil {
			return fmt.Errorf("%s: %w", builtin.Name, err)
		}
		c.run.State, c.run.Ended, c.run.ExitCode = RunSucceeded, c.run.Started, 0
		c.run.Output = subconscious.Head(e.Redact(subconscious.Visible(output, true)), c.bound.does.action.MaxOutput)
	}
	if err := c.run.insert(ctx, tx); err != nil || e.Begun == nil {
		return err
	}
	var recent int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT started FROM actions_runs ORDER BY number DESC LIMIT ?) WHERE started >= ?",
		maxListed, c.run.Started.Truncate(time.Minute).UnixNano()).Scan(&recent); err != nil {
		return err
	}
	return e.Begun(ctx, tx, c.run, recent)
}

// perform reserves a place, records the claim, and runs it.
func (e *Engine) perform(ctx context.Context, action string, c *claim) (Run, error) {
	c.run.Started = e.Now().UTC()
	mine := &running{action: action, done: make(chan struct{})}
	theirs, err := e.reserve(c.run.Key, mine)
	before, ran := e.earlier(ctx, c.run.Key, err)
	switch {
	case c.late != nil && (ran || theirs != nil):
		return Run{}, c.late
	case ran:
		return before, nil
	case err != nil:
		return Run{}, err
	case theirs != nil:
		return e.wait(ctx, theirs)
	}
	earlier, err := e.record(ctx, c)
	if err != nil || earlier != nil || c.run.State != RunStarted {
		if earlier != nil {
			c.run = *earlier
		}
		mine.run, mine.err = c.run, wrap("run", err)
		e.told()
		e.release(c.run.Key, mine)
		if mine.err != nil {
			return Run{}, mine.err
		}
		return c.run, nil
	}
	run := c.run
	e.told()
	go func() {
		mine.run = e.carryOut(c)
		e.release(run.Key, mine)
	}()
	select {
	case <-mine.done:
		return mine.run, nil
	case <-ctx.Done():
		return run, nil
	}
}

// told has sent what Begun had told.
func (e *Engine) told() {
	if e.Told != nil {
		e.Told()
	}
}

// earlier looks, where there is no place, whether the key has run before.
func (e *Engine) earlier(ctx context.Context, key string, refused error) (r Run, ok bool) {
	if code := CodeOf(refused); code != CodeBusy && code != CodeStopped {
		return Run{}, false
	}
	r, ok, err := findRun(ctx, e.DB, "WHERE key = ?", key)
	return r, ok && err == nil
}

// wait returns a run of this process when it has ended, or why it did not begin.
func (e *Engine) wait(ctx context.Context, theirs *running) (Run, error) {
	select {
	case <-theirs.done:
		if theirs.err != nil {
			return Run{}, theirs.err
		}
		return theirs.run, nil
	case <-ctx.Done():
		return Run{}, fmt.Errorf("actions: wait for a run: %w", ctx.Err())
	}
}

// reserve takes a place for a key. With theirs that key has one already.
func (e *Engine) reserve(key string, mine *running) (theirs *running, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if theirs := e.running[key]; theirs != nil {
		return theirs, nil
	}
	if !e.started || e.ended {
		return nil, refuse(CodeStopped, "start the daemon", "no actions are run now")
	}
	if e.held {
		return nil, refuse(CodeBusy, "ask again in a moment", "the daemon takes up its configuration")
	}
	for _, other := range e.running {
		if other.action == mine.action {
			return nil, refuse(CodeBusy, "wait until it has ended", "%s runs now", mine.action)
		}
	}
	if len(e.running) >= maxRunning {
		return nil, refuse(CodeBusy, "wait until one has ended", "%d actions run now", len(e.running))
	}
	e.running[key] = mine
	e.group.Add(1)
	return nil, nil
}

func (e *Engine) release(key string, mine *running) {
	e.mu.Lock()
	delete(e.running, key)
	e.mu.Unlock()
	close(mine.done)
	e.group.Done()
}

// record writes the claim, durably, before anything is run. Where nobody knows
// whether it was written, it is written that it never began.
func (e *Engine) record(ctx context.Context, c *claim) (earlier *Run, err error) {
	err = e.DB.Write(ctx, func(tx *store.Tx) (err error) {
		earlier, err = c.record(ctx, tx, c)
		return err
	})
	if err == nil && earlier == nil {
		err = failpoint.Hit("actions.started")
	}
	if err == nil {
		return earlier, nil
	}
	if CodeOf(err) == "" && c.run.ID != "" {
		err = errors.Join(err, e.neverBegan(ctx, c))
	}
	return nil, err
}

func (e *Engine) neverBegan(ctx context.Context, c *claim) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	return e.DB.Exec(ctx, "UPDATE actions_runs SET state = 'failed', ended = started, problem = 'it was never begun' WHERE key = ? AND claim = ? AND state = 'started'",
		c.run.Key, c.run.claim)
}

// carryOut runs the program of a claim and records how it ended.
func (e *Engine) carryOut(c *claim) Run {
	r := e.run(c.run, c.bound.does.action)
	r.Ended = e.Now().UTC()
	if r.State == RunSucceeded && r.UndoOf == "" && len(c.bound.undo) > 0 {
		r.UndoUntil = r.Ended.Add(undoWindow)
	}
	err := failpoint.Hit("actions.ran")
	if err == nil {
		err = e.recordEnd(r)
	}
	if err == nil {
		err = failpoint.Hit("actions.ended")
	}
	if err != nil {
		e.Logger.Error("how an action ended is not recorded, and will be unknown", "run", r.ID, "action", r.Action, "state", r.State, "error", err)
	}
	return r
}

// recordTries is how often it is tried to record an end, and recordPause how
// long is waited in between, doubled each time.
const (
	recordTries = 6
	recordPause = 250 * time.Millisecond
)

// recordEnd stores how a run ended. A database that is full or locked gets some
// time.
func (e *Engine) recordEnd(r Run) error {
	for try, pause := 1, recordPause; ; try, pause = try+1, 2*pause {
		ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
		err := e.DB.Write(ctx, func(tx *store.Tx) error { return r.put(ctx, tx) })
		cancel()
		if err == nil || try == recordTries || e.ctx.Err() != nil {
			return err
		}
		wake.Pause(e.ctx, pause)
	}
}

// counts is how often an action ran in the hour and in the 24 hours before a
// time. A clock that was set back counts what is ahead of it.
func counts(ctx context.Context, tx *store.Tx, action string, at time.Time) (hour, day int, err error) {
	err = tx.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE started > ?), count(*) FROM actions_runs WHERE action = ? AND started > ? AND undoes = ''`,
		at.Add(-time.Hour).UnixNano(), action, at.Add(-24*time.Hour).UnixNano()).Scan(&hour, &day)
	return hour, day, err
}
