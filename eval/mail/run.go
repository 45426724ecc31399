package mail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/eval/days"
	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// finding is one that the daemon accepted.
type finding struct {
	thread subconscious.ThreadName
	at     time.Time
	subconscious.Finding
}

// deliver plays the days over which a corpus comes through a whole daemon, by
// rules alone.
func deliver(ctx context.Context, c *corpus, o *options) (f figures, err error) {
	start, end := c.span(o.days)
	f = figures{Parts: c.parts, Addresses: o.addresses, From: start, Days: o.days, Messages: len(c.messages), Bytes: c.bytes, NoMail: c.unread}
	f.read(c)
	p, err := days.OpenInbox(ctx, o.path, o.addresses, start, end, c.posts(start, end))
	defer p.CloseInto(ctx, &err)
	if err != nil {
		return f, err
	}
	var found []finding
	p.After = func(ctx context.Context, report api.TickReport) error {
		merged, err := p.Mind.Merged(ctx, report.Tick)
		if err != nil {
			return err
		}
		for _, a := range merged.Changes.Accepted {
			found = append(found, finding{a.Thread, report.At, a.Finding})
		}
		if slices.ContainsFunc(report.Senses, func(s api.SenseReport) bool { return s.Kind == "mail" && s.State != "ok" && s.State != "degraded" }) {
			f.Blind++
		}
		return nil
	}
	began := time.Now()
	if err := p.Play(ctx); err != nil {
		return f, err
	}
	f.Ticks, f.TickMS = p.Played.Ticks, float64(time.Since(began).Milliseconds())/float64(max(1, p.Played.Ticks))
	f.RSS, f.RSSPeak = harness.ResidentMB("self")
	seen, err := recorded(ctx, p.World)
	if err != nil {
		return f, err
	}
	f.sort(c, seen)
	f.rules(found)
	f.told(p.Played.Pushes)
	f.draw(c, seen, found, o)
	f.Missed = harness.Missed(f.reaches())
	return f, nil
}

// recorded is what the daemon recorded of mail: of each observation every kind
// that it ever was.
func recorded(ctx context.Context, w *harness.World) (map[string]map[string]bool, error) {
	seen := map[string]map[string]bool{}
	var wrong error
	err := w.Rows(ctx, `SELECT observation, '' FROM ledger_changes`, func(text, _ string) {
		var o subconscious.Observation
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			wrong = fmt.Errorf("read what was recorded: %w", err)
		}
		if o.Sense != "mail" {
			return
		}
		if seen[o.ID] == nil {
			seen[o.ID] = map[string]bool{}
		}
		seen[o.ID][string(o.Kind)] = true
	})
	return seen, errors.Join(err, wrong)
}
