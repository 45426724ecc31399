package view

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Status implements api.Mind.
func (v *Reader) Status(ctx context.Context) (api.Status, error) {
	v.in.Board.Glance(v.in.Now())
	return v.status(ctx)
}

// Figures implements api.Mind. Nobody looks.
func (v *Reader) Figures(ctx context.Context) (api.Figures, error) {
	status, err := v.status(ctx)
	return api.Figures{Status: status, Done: v.in.Board.Now().Done}, err
}

func (v *Reader) status(ctx context.Context) (api.Status, error) {
	pending, err := v.in.Mind.Pending(ctx)
	if err != nil {
		return api.Status{}, fmt.Errorf("read what is asked for: %w", err)
	}
	notices, err := v.in.Mind.Notices(ctx)
	if err != nil {
		return api.Status{}, fmt.Errorf("read the notices: %w", err)
	}
	now := v.in.Now()
	edited, err := v.in.Mind.Edited(ctx, now.Add(-24*time.Hour))
	if err != nil {
		return api.Status{}, fmt.Errorf("read what was edited: %w", err)
	}
	for i := range edited {
		edited[i].At = edited[i].At.In(now.Location())
	}
	shown := v.in.Board.Now()
	status := api.Status{
		Version: v.in.Version,
		Mind: api.MindStatus{
			StateDir: v.in.Config.StateDir, PID: os.Getpid(), Started: v.in.Started.In(now.Location()).Round(0), Demo: v.in.Demo,
			Paused: shown.Paused.Active(now),
		},
		Tick: api.TickStatus{
			Count: shown.State.TickCount, Last: shown.State.LastTick, Next: v.in.Next(), Running: shown.Running,
			Schedule: v.in.Config.Schedule, Error: shown.Failure,
		},
		Senses: shown.Senses, Threads: shown.Threads, Subconscious: shown.State.Document(),
		Parked: byImportance(shown.State.Parked), Presence: shown.Presence,
		Pending: pending, Edited: edited, Rejected: shown.RejectedSince(now.Add(-rejectionsShown)), Notices: v.shownNotices(notices),
		Heartbeat: v.in.Heartbeat(),
	}
	if at, err := v.in.Mind.Restored(ctx); err != nil {
		return api.Status{}, err
	} else if at = at.In(now.Location()); !at.IsZero() && at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		status.Notices = append(status.Notices, api.Notice{NoticeKey: subconscious.NoticeKey{Code: "restored"}, At: at,
			Text: "the mind was restored from a backup today, and until midnight it tells only what is critical at once",
			Next: "see `subconsciousctl inbox` for the rest"})
	}
	if v.in.Config.Backup.Folder != "" {
		backups, err := v.in.Mind.Backups(ctx)
		if err != nil {
			return api.Status{}, err
		}
		status.Backup = &backups
	}
	if c := v.in.Configuration(); c != nil {
		status.Configuration = c
		c.Loaded = c.Loaded.In(now.Location()).Round(0)
		notice := api.Notice{At: now, NoticeKey: subconscious.NoticeKey{Code: api.NoticeConfiguration}}
		if c.Refused != "" {
			notice.Text = "the configuration on the disk is refused, and the last good one counts: " + c.Refused
			notice.Next = "correct it (subconsciousctl config check), and it is read again by itself"
			status.Notices = append(status.Notices, notice)
		}
		if len(c.Restart) > 0 {
			notice.Text = "the configuration was taken up but for " + strings.Join(c.Restart, ", ") + ", which takes effect at the next start"
			notice.Next = "restart the daemon"
			status.Notices = append(status.Notices, notice)
		}
	}
	if status.Budget, err = v.budgetStatus(ctx); err != nil {
		return api.Status{}, fmt.Errorf("read what is spent: %w", err)
	}
	status.Models, status.Threads = v.in.Roster.Statuses(), withSpending(shown.Threads, status.Budget.Roles)
	if err := v.addTelling(ctx, &status); err != nil {
		return api.Status{}, err
	}
	if err := v.addDeliberating(ctx, &status); err != nil {
		return api.Status{}, err
	}
	if status.Mind.Paused {
		status.Mind.PausedUntil = shown.Paused.Until
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

// byImportance are what waits for room, the most important first.
func byImportance(parked []subconscious.Entry) []subconscious.Entry {
	return slices.SortedFunc(slices.Values(parked), func(a, b subconscious.Entry) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(a.ID, b.ID))
	})
}

// What a thread did at a tick, beside the ways in which it thinks, and its state
// where it ran well.
const (
	Skipped = "skipped"
	Failed  = "failed"
	OK      = "ok"
)

// Document implements api.Mind.
func (v *Reader) Document(context.Context) (json.RawMessage, error) {
	return v.in.Board.Now().Document, nil
}

// Health implements api.Mind.
func (v *Reader) Health(context.Context) error {
	now := v.in.Board.Now()
	if now.Failure != "" {
		return errors.New("the last tick was not committed: " + now.Failure)
	}
	for _, s := range now.Senses {
		if s.State == senses.Blind {
			return fmt.Errorf("%s is blind: %s", senses.SenseID{Sense: s.Kind, ID: s.ID}, s.Error)
		}
	}
	for _, t := range now.Threads {
		if t.State == Failed {
			return fmt.Errorf("the %s failed: %s", t.Name, t.Reason)
		}
	}
	return nil
}
