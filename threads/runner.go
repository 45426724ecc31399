package threads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Runner asks threads in parallel. Its methods may be called by any goroutine,
// RunAll by one at a time.
type Runner struct {
	threads  []Thread
	deadline time.Duration
	logger   *slog.Logger
	beside   *Runner // of the rules beside models; nil for none

	gate gate
	mu   sync.Mutex
	busy map[subconscious.ThreadName]time.Time // asked then, and not back yet
}

// RunnerOptions are what a Runner needs.
type RunnerOptions struct {
	// Threads are asked in this order of report. Their names must differ.
	Threads []Thread
	// Beside are the rules beside threads with a model (see ThreadName.Rules). They
	// are asked whether those are or not, so that a model that is silent, rests or
	// fails hides nothing.
	Beside []Thread
	// Deadline for each; 0 means 30 s.
	Deadline time.Duration
	// Logger; nil discards.
	Logger *slog.Logger
}

// NewRunner returns a runner of the threads.
func NewRunner(options RunnerOptions) (*Runner, error) {
	if options.Deadline == 0 {
		options.Deadline = DefaultConfig().Deadline
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	seen := map[subconscious.ThreadName]bool{}
	for _, t := range options.Threads {
		if seen[t.Name()] {
			return nil, fmt.Errorf("threads: %q is there twice", t.Name())
		}
		seen[t.Name()] = true
	}
	r := &Runner{threads: options.Threads, deadline: options.Deadline, logger: options.Logger, busy: map[subconscious.ThreadName]time.Time{}}
	if len(options.Beside) == 0 {
		return r, nil
	}
	options.Threads, options.Beside = options.Beside, nil
	var err error
	r.beside, err = NewRunner(options)
	return r, err
}

// Names returns the threads' names in order.
func (r *Runner) Names() []subconscious.ThreadName {
	names := make([]subconscious.ThreadName, 0, len(r.threads))
	for _, t := range r.threads {
		names = append(names, t.Name())
	}
	return names
}

// Beside returns the names of the rules beside models, in order.
func (r *Runner) Beside() []subconscious.ThreadName {
	if r.beside == nil {
		return nil
	}
	return r.beside.Names()
}

// Modes returns each thread's mode by its name.
func (r *Runner) Modes() map[subconscious.ThreadName]string {
	modes := make(map[subconscious.ThreadName]string, len(r.threads))
	for _, t := range r.threads {
		modes[t.Name()] = t.Mode()
	}
	return modes
}

// Result is how one thread fared.
type Result struct {
	Thread    subconscious.ThreadName
	Usual     string // its usual mode: reflex, model
	Attention Attention
	Answer
	// Beside is how the rules beside its model fared; nil where there are none, or
	// nothing was new to them.
	Beside  *Result
	Err     error // it failed
	Elapsed time.Duration
}

// EveryRun returns the results, and those of the rules beside them.
func EveryRun(results []Result) []Result {
	all := slices.Clone(results)
	for _, r := range results {
		if r.Beside != nil {
			all = append(all, *r.Beside)
		}
	}
	return all
}

var (
	// errHangs says that a thread is not back from an earlier tick.
	errHangs = errors.New("it has not come back from an earlier tick")
	// errStopped says that the runner asks nobody any more.
	errStopped = errors.New("the threads are being stopped")
	// errGone says that a thread ended its own goroutine.
	errGone = errors.New("it ended without an answer")
)

// RunAll asks every thread whose attention says so, and returns a result for
// each, in order. It returns when all are back, or at the threads' deadline, or
// when ctx is done; who is not back by then has failed, and is not asked again
// until it is back. A panic is a failure.
func (r *Runner) RunAll(ctx context.Context, snapshot subconscious.Snapshot, attention map[subconscious.ThreadName]Attention) []Result {
	if r.beside == nil {
		return r.runAll(ctx, snapshot, attention)
	}
	looks := map[subconscious.ThreadName]Attention{}
	for _, name := range r.beside.Names() {
		looks[name] = Attention{Ask: len(snapshot.Fields[name].New) > 0}
	}
	beside := r.beside.runAll(ctx, snapshot, looks)
	results := r.runAll(ctx, snapshot, attention)
	for i := range beside {
		found := &beside[i]
		at := slices.IndexFunc(results, func(result Result) bool { return result.Thread == found.Thread.Thread() })
		if at < 0 || !found.Attention.Ask {
			continue
		}
		results[at].Beside = found
		if found.Err != nil {
			results[at].Failures = append(results[at].Failures, "the rules beside it: "+found.Err.Error())
			r.logger.Error("rules beside a model failed", "thread", results[at].Thread, "error", found.Err)
		}
	}
	return results
}

func (r *Runner) runAll(ctx context.Context, snapshot subconscious.Snapshot, attention map[subconscious.ThreadName]Attention) []Result {
	ctx, cancel := context.WithTimeoutCause(ctx, r.deadline, fmt.Errorf("it did not answer within %s: %w", r.deadline, context.DeadlineExceeded))
	defer cancel()
	began := time.Now()
	results := make([]Result, len(r.threads))
	answers := make([]chan Result, len(r.threads))
	for i, t := range r.threads {
		results[i] = Result{Thread: t.Name(), Usual: t.Mode(), Answer: Answer{Mode: t.Mode()}, Attention: attention[t.Name()]}
		if !results[i].Attention.Ask {
			continue
		}
		if err := r.take(t.Name(), snapshot.At); err != nil {
			results[i].Err = err
			continue
		}
		answers[i] = make(chan Result, 1)
		go r.ask(ctx, t, snapshot, results[i], answers[i])
	}
	for i, answer := range answers {
		if answer == nil {
			continue
		}
		select {
		case results[i] = <-answer:
		case <-ctx.Done():
			select {
			case results[i] = <-answer: // it arrived at the same moment
			default:
				results[i].Err, results[i].Elapsed = overtaken(ctx), time.Since(began)
			}
		}
	}
	return results
}

// overtaken says why nobody waits for a thread any longer.
func overtaken(ctx context.Context) error {
	switch cause := context.Cause(ctx); cause {
	case context.Canceled, context.DeadlineExceeded: // the caller's, not ours
		return fmt.Errorf("the tick ended before it answered: %w", cause)
	default:
		return cause
	}
}

// take marks a thread as asked. It fails while an earlier question hangs.
func (r *Runner) take(name subconscious.ThreadName, at time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if since, busy := r.busy[name]; busy {
		return fmt.Errorf("asked at %s: %w", since.Format(time.TimeOnly), errHangs)
	}
	if !r.gate.enter(len(r.threads)) {
		return errStopped
	}
	r.busy[name] = at
	return nil
}

// giveBack says that a thread is back.
func (r *Runner) giveBack(name subconscious.ThreadName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.busy, name)
	r.gate.leave()
}

// ask puts the answer into the channel, which has room for it, however the
// thread ends.
func (r *Runner) ask(ctx context.Context, t Thread, snapshot subconscious.Snapshot, result Result, answer chan<- Result) {
	started := time.Now()
	result.Err = errGone
	defer func() {
		result.Elapsed = time.Since(started)
		r.giveBack(t.Name()) // before the answer: who has it may ask again
		answer <- result
	}()
	result.Answer, result.Err = r.think(ctx, t, snapshot)
}

// think contains a thread's panics, and what it says in another's name.
func (r *Runner) think(ctx context.Context, t Thread, snapshot subconscious.Snapshot) (answer Answer, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			r.logger.Error("a thread panicked", "thread", t.Name(), "panic", problem, "stack", string(debug.Stack()))
			answer, err = Answer{Mode: t.Mode()}, fmt.Errorf("it panicked: %v", problem)
		}
	}()
	if err := failpoint.Hit("thread." + string(t.Name())); err != nil {
		return Answer{Mode: t.Mode()}, err
	}
	answer, err = t.Think(ctx, snapshot)
	answer.Thought.Thread, answer.Mode = t.Name(), cmp.Or(answer.Mode, t.Mode())
	return answer, err
}

// Stop lets nobody be asked any more, and waits until every thread is back, or
// ctx is done.
func (r *Runner) Stop(ctx context.Context) error {
	if r.beside != nil {
		return errors.Join(r.beside.stop(ctx), r.stop(ctx))
	}
	return r.stop(ctx)
}

func (r *Runner) stop(ctx context.Context) error {
	left, err := r.gate.stop(ctx)
	if err != nil {
		return fmt.Errorf("stop threads: %d of them not back: %w", left, err)
	}
	return nil
}

// gate counts who is under way, and lets nobody in once it is stopped.
type gate struct {
	mu      sync.Mutex
	busy    int
	idle    chan struct{} // closed when nobody is busy any more
	stopped bool
}

// enter reports whether there was room for one more, who has to leave.
func (g *gate) enter(room int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped || g.busy >= room {
		return false
	}
	if g.busy++; g.busy == 1 {
		g.idle = make(chan struct{})
	}
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.busy--; g.busy == 0 {
		close(g.idle)
	}
}

// stop waits until all have left, or ctx is done: then it says how many have not.
func (g *gate) stop(ctx context.Context) (left int, err error) {
	g.mu.Lock()
	g.stopped, left = true, g.busy
	idle := g.idle
	g.mu.Unlock()
	if left == 0 {
		return 0, nil
	}
	select {
	case <-idle:
		return 0, nil
	case <-ctx.Done():
		return left, ctx.Err()
	}
}
