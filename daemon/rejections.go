package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
)

const (
	// rejectionsShown is how far back status counts rejected findings, and
	// rejectionsRead how many ticks are read back for that after a start.
	rejectionsShown = 24 * time.Hour
	rejectionsRead  = 300
)

// rejections are those of one tick.
type rejections struct {
	at     time.Time
	counts map[string]int
}

// countRejections adds a tick's rejections and forgets those that are old.
func (v *view) countRejections(report api.TickReport) {
	counts := map[string]int{}
	for _, t := range report.Threads {
		for reason, n := range t.Rejected {
			counts[reason] += n
		}
	}
	kept := v.rejected[:0:0]
	for _, r := range v.rejected {
		if report.At.Sub(r.at) < rejectionsShown {
			kept = append(kept, r)
		}
	}
	if len(counts) > 0 {
		kept = append(kept, rejections{report.At, counts})
	}
	v.rejected = kept
}

// rejectedSince counts rejected findings by reason.
func (v *view) rejectedSince(since time.Time) map[string]int {
	total := map[string]int{}
	for _, r := range v.rejected {
		if !r.at.Before(since) {
			for reason, n := range r.counts {
				total[reason] += n
			}
		}
	}
	return total
}

// loadRejections reads back the last day's, the last report, and when each
// thread last ran well.
func (d *Daemon) loadRejections(ctx context.Context) error {
	records, err := d.mind.Records(ctx, 0, rejectionsRead)
	if err != nil {
		return fmt.Errorf("read the last ticks: %w", err)
	}
	for i := len(records) - 1; i >= 0; i-- {
		var report api.TickReport
		if err := json.Unmarshal(records[i].Report, &report); err != nil {
			return fmt.Errorf("read the report of tick %d: %w", records[i].Tick, err)
		}
		d.view.countRejections(report)
		d.view.report = report
		for _, t := range report.Threads {
			if threadState(t) == threadOK {
				d.lastRun[t.Name] = report.At
			}
		}
	}
	return nil
}
