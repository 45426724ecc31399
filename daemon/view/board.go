package view

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Now is what the ticks have left to be read without waiting for one. Its lists
// are replaced as a whole and never changed.
type Now struct {
	State    subconscious.State
	Document []byte
	Threads  []api.ThreadStatus
	Senses   []senses.Health
	Paused   *mind.Pause
	Running  bool
	Failure  string // why the last tick did not commit
	Failed   []time.Time
	Rejected []Rejections
	Presence subconscious.Presence // at the last tick
	Used     time.Time             // when the command line was used last
	Glanced  time.Time             // when the status was asked for last
	Reminds  time.Time             // when the person is to be reminded next; zero for not within a day
	Done     api.Done              // since the start
}

// Board holds a Now, which the tick writes and everybody else reads.
type Board struct {
	mu  sync.Mutex
	now Now
}

// Now returns what is on the board.
func (b *Board) Now() Now {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

// Set changes what is on the board.
func (b *Board) Set(change func(*Now)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.now)
}

// Rejections are the findings of one tick that were not taken, by reason.
type Rejections struct {
	At     time.Time
	Counts map[string]int
}

// rejectionsShown is how far back status counts rejected findings.
const rejectionsShown = 24 * time.Hour

// CountRejections adds a tick's rejections and forgets those that are old.
func (n *Now) CountRejections(report api.TickReport) {
	counts := map[string]int{}
	for _, t := range report.Threads {
		for reason, n := range t.Rejected {
			counts[reason] += n
		}
	}
	kept := n.Rejected[:0:0]
	for _, r := range n.Rejected {
		if report.At.Sub(r.At) < rejectionsShown {
			kept = append(kept, r)
		}
	}
	if len(counts) > 0 {
		kept = append(kept, Rejections{report.At, counts})
	}
	n.Rejected = kept
}

// RejectedSince counts rejected findings by reason.
func (n Now) RejectedSince(since time.Time) map[string]int {
	total := map[string]int{}
	for _, r := range n.Rejected {
		if !r.At.Before(since) {
			for reason, n := range r.Counts {
				total[reason] += n
			}
		}
	}
	return total
}

// failuresKept bounds how many ticks that failed are kept for the report.
const failuresKept = 1000

// Fail notes that a tick did not commit.
func (n *Now) Fail(at time.Time, reason string) {
	n.Failure = reason
	n.Failed = append(n.Failed[max(0, len(n.Failed)-failuresKept+1):len(n.Failed):len(n.Failed)], at)
}

// poll is the least time between two looks at the status that a person is taken
// to have: what asks more often is a program.
const poll = 10 * time.Minute

// Use notes that the person used the command line, and Glance that somebody
// looked at the status.
func (b *Board) Use(at time.Time) { b.Set(func(n *Now) { n.Used = at }) }

// Glance notes that somebody looked at the status.
func (b *Board) Glance(at time.Time) {
	b.Set(func(n *Now) {
		if at.Sub(n.Glanced) >= poll {
			n.Used = at
		}
		n.Glanced = at
	})
}

// Thread is how a thread was after the last tick.
func (n Now) Thread(name string) api.ThreadStatus {
	at := slices.IndexFunc(n.Threads, func(t api.ThreadStatus) bool { return t.Name == name })
	if at < 0 {
		return api.ThreadStatus{Name: name}
	}
	return n.Threads[at]
}

// recalled is how many ticks are read back after a start.
const recalled = 300

// Recall reads back the rejections of the last day, and returns when each thread
// last ran well.
func (b *Board) Recall(ctx context.Context, kept *mind.Store) (map[string]time.Time, error) {
	records, err := kept.Records(ctx, 0, recalled)
	if err != nil {
		return nil, fmt.Errorf("read the last ticks: %w", err)
	}
	ran := map[string]time.Time{}
	for _, record := range slices.Backward(records) {
		report, err := ReportOf(record)
		if err != nil {
			return nil, err
		}
		b.Set(func(n *Now) { n.CountRejections(report) })
		for _, t := range report.Threads {
			if State(t) == OK {
				ran[t.Name] = report.At
			}
		}
	}
	return ran, nil
}

// State is the state of a thread after a tick.
func State(t api.ThreadReport) string {
	if t.Mode == Skipped || t.Mode == Failed {
		return t.Mode
	}
	return OK
}
