package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

var _ api.Inspector = (*Daemon)(nil)

// Status implements api.Inspector.
func (d *Daemon) Status(ctx context.Context) (api.Status, error) {
	pending, err := d.mind.Pending(ctx)
	if err != nil {
		return api.Status{}, fmt.Errorf("read what is asked for: %w", err)
	}
	notices, err := d.mind.Notices(ctx)
	if err != nil {
		return api.Status{}, fmt.Errorf("read the notices: %w", err)
	}
	now := d.options.Now()
	d.mu.Lock()
	v := d.view
	rejected := v.rejectedSince(now.Add(-rejectionsShown))
	d.mu.Unlock()
	zone := d.zoneOrUTC()
	d.glance()
	status := api.Status{
		Version: d.options.Version,
		Mind: api.MindStatus{
			StateDir: d.options.Config.StateDir, PID: os.Getpid(), Started: d.started.In(zone).Round(0), Demo: d.options.Demo,
			Paused: v.paused.Active(now),
		},
		Tick: api.TickStatus{
			Count: v.state.TickCount, Last: v.state.LastTick, Next: d.schedule.next(), Running: v.running,
			Schedule: d.options.Config.Schedule, Error: v.failure,
		},
		Senses: senseStatuses(v.senses), Threads: v.threads, Subconscious: v.state.Document(),
		Parked: parkedEntries(v.state.Parked), Presence: v.presence,
		Pending: pending, Rejected: rejected, Notices: d.shownNotices(notices),
	}
	if d.options.Changed() {
		status.Notices = append(status.Notices, api.Notice{At: now, Code: api.NoticeConfiguration,
			Text: "the configuration was changed since it was read, which takes effect at the next start",
			Next: "see whether it is right (subconsciousctl config check), then restart the daemon"})
	}
	if status.Budget, err = d.budgetStatus(ctx); err != nil {
		return api.Status{}, fmt.Errorf("read what is spent: %w", err)
	}
	status.Models, status.Threads = d.modelStatuses(), withSpending(v.threads, status.Budget.Roles)
	if err := d.addTelling(ctx, &status); err != nil {
		return api.Status{}, err
	}
	if err := d.addDeliberating(ctx, &status); err != nil {
		return api.Status{}, err
	}
	if status.Mind.Paused {
		status.Mind.PausedUntil = v.paused.Until
	}
	return status, nil
}

// withSpending are the threads with what their roles cost today.
func withSpending(all []api.ThreadStatus, roles []api.RoleSpend) []api.ThreadStatus {
	all = slices.Clone(all)
	for i := range all {
		for _, r := range roles {
			if r.Role == all[i].Name {
				all[i].Calls, all[i].Tokens, all[i].Cost = r.Calls, r.Tokens, r.Money
			}
		}
	}
	return all
}

// parkedEntries are what waits for room, the most important first.
func parkedEntries(parked []subconscious.Entry) []api.ParkedEntry {
	shown := make([]api.ParkedEntry, 0, len(parked))
	for _, e := range parked {
		shown = append(shown, api.ParkedEntry{ID: e.ID, List: e.List, Kind: e.Kind, Summary: e.Summary, Importance: e.Importance, Due: e.Due})
	}
	slices.SortFunc(shown, func(a, b api.ParkedEntry) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(a.ID, b.ID))
	})
	return shown
}

func senseStatuses(all []senses.Health) []api.SenseStatus {
	statuses := make([]api.SenseStatus, 0, len(all))
	for _, h := range all {
		statuses = append(statuses, api.SenseStatus{
			ID: h.ID, Kind: h.Kind, State: string(h.State), Since: h.Since, Error: h.Error, Next: h.Next, Standing: h.Standing,
		})
	}
	return statuses
}

// threadStatus is what is known of a thread between its ticks.
func (d *Daemon) threadStatus(name subconscious.ThreadName, kept subconscious.ThreadState) api.ThreadStatus {
	state := kept.Health
	if state == "" {
		state = "ok"
	}
	return api.ThreadStatus{
		Name: string(name), Mode: d.runner.Modes()[name], Usual: d.usual(name), State: state, Reason: kept.Error, Since: kept.Since,
		NoveltyPressure: kept.NoveltyPressure, FocusHint: kept.FocusHint,
	}
}

// lastStatus is how a thread was after the last tick.
func (d *Daemon) lastStatus(name string) api.ThreadStatus {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.view.threads {
		if t.Name == name {
			return t
		}
	}
	return api.ThreadStatus{Name: name, Mode: d.runner.Modes()[subconscious.ThreadName(name)]}
}

// Document implements api.Inspector.
func (d *Daemon) Document(context.Context) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.view.document, nil
}

// Health implements api.Inspector.
func (d *Daemon) Health(context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.view.failure != "" {
		return errors.New("the last tick was not committed: " + d.view.failure)
	}
	for _, s := range d.view.senses {
		if s.State == senses.Blind {
			return fmt.Errorf("%s is blind: %s", senses.SenseID{Sense: s.Kind, ID: s.ID}, s.Error)
		}
	}
	for _, t := range d.view.threads {
		if t.State == threadFailed {
			return fmt.Errorf("the %s failed: %s", t.Name, t.Reason)
		}
	}
	return nil
}
