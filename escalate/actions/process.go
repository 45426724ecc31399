package actions

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"github.com/subconsciousd/subconsciousd/internal/program"
)

// RunVariable tells a program which run it is: the ID, "/", and letters that no
// other run of any daemon has. By it is known what it began.
const RunVariable = program.RunVariable

// run carries out a run, and returns it with how its program ended. That has a
// process group of its own, with nothing to read and no descriptor but its outputs.
// When its time is over, or the engine stops, the group is asked to end and then
// killed; at once where the engine cannot wait. What a program that ends by itself
// leaves behind in its group is killed too. What left the group, by a session of its
// own, is not followed.
func (e *Engine) run(r Run, action Action) Run {
	// The system ends the program with the thread that started it, so that it
	// does not outlive a daemon that is killed.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ctx, cancel := context.WithTimeout(e.ctx, action.Timeout)
	defer cancel()
	variable := RunVariable + "=" + r.ID + "/" + rand.Text()[:8]
	kept := &capture{most: action.MaxOutput + overlap}
	command := exec.CommandContext(ctx, r.Argv[0], r.Argv[1:]...)
	command.Dir, command.Env = r.Folder, append(program.Environment(e.Path, action.Env, e.Environ), variable)
	command.Stdout, command.Stderr = kept, kept
	command.SysProcAttr = program.OwnGroup()
	command.Cancel = func() error { return program.Signal(command, syscall.SIGTERM) }
	command.WaitDelay = e.Grace
	program.Seal()
	err := command.Start()
	if err != nil {
		r.State, r.Problem = RunFailed, "it could not be started: "+clip(err.Error())
		return r
	}
	err = e.await(command)
	if killed := program.Signal(command, syscall.SIGKILL); killed != nil && !errors.Is(killed, syscall.ESRCH) {
		e.Logger.Warn("what an action left behind could not be ended", "action", action.Name, "error", killed)
	}
	r.ExitCode = command.ProcessState.ExitCode()
	r.Output, r.LeftOut = kept.text(action.MaxOutput, e.Redact)
	switch {
	case command.ProcessState.Success() && (err == nil || errors.Is(err, exec.ErrWaitDelay)):
		r.State = RunSucceeded
	case e.ctx.Err() != nil:
		r.State, r.Problem = RunFailed, "it was ended with the daemon, before it was done"
	case ctx.Err() != nil:
		r.State, r.Problem = RunTimedOut, fmt.Sprintf("it was ended after %s", action.Timeout)
	case r.ExitCode >= 0:
		r.State, r.Problem = RunFailed, fmt.Sprintf("it ended with exit code %d", r.ExitCode)
	default:
		r.State, r.Problem = RunFailed, "it was ended: "+command.ProcessState.String()
	}
	return r
}

// await waits for a program that was started. Where the engine can wait no longer
// it kills the program's group.
func (e *Engine) await(command *exec.Cmd) error {
	ended := make(chan struct{})
	var hasty sync.WaitGroup
	hasty.Go(func() {
		select {
		case <-e.hurry.Done():
			_ = program.Signal(command, syscall.SIGKILL) // again, with its error, when it has ended
		case <-ended:
		}
	})
	err := command.Wait()
	close(ended)
	hasty.Wait()
	return err
}
