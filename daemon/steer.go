package daemon

import (
	"context"
	"slices"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

var _ api.Steerer = (*Daemon)(nil)

// Think implements api.Steerer: one manual tick.
func (d *Daemon) Think(ctx context.Context, request api.TickRequest) (api.TickReport, error) {
	thread := subconscious.ThreadName(request.Thread)
	if thread != "" && !slices.Contains(d.runner.Names(), thread) {
		return api.TickReport{}, d.unknownThread(thread)
	}
	report, err := d.think(ctx, tickRequest{kind: subconscious.Manual, dryRun: request.DryRun, thread: thread})
	return report, answer(err)
}

// Command implements api.Steerer: it waits in the inputs for the next tick.
// Secrets are taken out of what was typed before it is stored.
func (d *Daemon) Command(ctx context.Context, command subconscious.Command) (api.CommandResult, error) {
	switch command.Kind {
	case subconscious.CommandFocus:
		if !slices.Contains(d.runner.Names(), command.Thread) {
			return api.CommandResult{}, d.unknownThread(command.Thread)
		}
	case subconscious.CommandClose, subconscious.CommandConfirm:
		if command.Entry == "" {
			break
		}
		if _, ok := d.currentState().Entry(command.Entry); !ok {
			return api.CommandResult{}, d.unknownEntry(command.Entry)
		}
	case subconscious.CommandDismiss, subconscious.CommandAck, subconscious.CommandSnooze, subconscious.CommandRemind:
		if err := d.named(ctx, &command); err != nil {
			return api.CommandResult{}, err
		}
	}
	if api.ByPerson(command.By) {
		d.use()
	}
	command.Text = redact.Text(command.Text)
	kept, err := d.mind.Enqueue(ctx, command)
	if err != nil {
		return api.CommandResult{}, answer(err)
	}
	switch command.Kind {
	case subconscious.CommandDismiss, subconscious.CommandAck, subconscious.CommandSnooze, subconscious.CommandRemind:
		d.hurry()
	}
	return api.CommandResult{Command: kept, Pending: true}, nil
}

func (d *Daemon) unknownThread(thread subconscious.ThreadName) error {
	return api.Errorf(api.CodeNotFound, "the threads are watcher, librarian, oracle and dreamer", "there is no thread %q", thread)
}

// Pause implements api.Steerer. It holds across restarts.
func (d *Daemon) Pause(ctx context.Context, request api.PauseRequest) (api.PauseState, error) {
	var pause *mind.Pause
	if !request.Resume {
		pause = &mind.Pause{}
		if request.For > 0 {
			pause.Until = d.options.Now().Add(request.For)
		}
	}
	if err := d.mind.SetPause(ctx, pause); err != nil {
		return api.PauseState{}, answer(err)
	}
	d.mu.Lock()
	d.view.paused = pause
	d.mu.Unlock()
	if pause == nil {
		return api.PauseState{}, nil
	}
	return api.PauseState{Paused: true, Until: pause.Until}, nil
}
