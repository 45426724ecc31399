package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/program"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// ExecName is the name of the sense of commands.
const ExecName = "exec"

const (
	// maxOutput is how much a command may print, in bytes, and maxLines how many
	// reports; maxComplaint is how much is kept of what it complains of.
	maxOutput    = 1 << 20
	maxLines     = maxKnown
	maxComplaint = 4 << 10
	// afterwards is how long its outputs are waited for once it has ended.
	afterwards = 500 * time.Millisecond
)

// Exec is the sense of one command.
type Exec struct{ config ExecConfig }

var _ senses.Sense = (*Exec)(nil)

// NewExec returns the sense of a command. It does not run in one of the folders
// that are excluded: the daemon's own.
func NewExec(c ExecConfig, exclude []string) (*Exec, error) {
	c.Every, c.Timeout, c.PerHour, c.Folder = cmp.Or(c.Every, every), cmp.Or(c.Timeout, timeout), cmp.Or(c.PerHour, perHour), cmp.Or(c.Folder, "/")
	for _, own := range exclude {
		if rel, err := filepath.Rel(own, c.Folder); err == nil && filepath.IsLocal(rel) {
			return nil, fmt.Errorf("folder: %s lies inside the daemon's own folder %s; choose another", c.Folder, own)
		}
	}
	return &Exec{c}, c.Validate()
}

// Missing says why the command cannot be run, and what to do; "" where it can.
func (c ExecConfig) Missing() (problem, next string) {
	_, _, problem, next = program.Find(c.Command[0], program.DefaultPath())
	return problem, next
}

// Name returns "exec".
func (s *Exec) Name() string { return ExecName }

// ID returns the configured instance.
func (s *Exec) ID() string { return s.config.ID }

// Collect runs the command where its time has come. What it printed well counts,
// however it ended.
func (s *Exec) Collect(ctx context.Context, at time.Time, cursor []byte) (senses.Batch, error) {
	m := remembered(cursor)
	if !m.due(at, s.config.Every) {
		return senses.Batch{Degraded: m.Problem}, nil
	}
	printed, problem := s.run(ctx)
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return senses.Batch{}, err
	}
	reports, wrong := s.config.read(printed)
	if problem = senses.Joined(problem, wrong); problem != "" && len(reports) == 0 {
		return senses.Batch{}, fmt.Errorf("exec %s: %s", s.config.ID, problem)
	}
	var batch senses.Batch
	if over := m.take(s.config.Config, at, s.config.PerHour, s.config.Complete, reports, &batch); over > 0 {
		problem = senses.Joined(problem, fmt.Sprintf("%d reports were more than the %d new ones an hour that count; let it print less, or raise per_hour", over, s.config.PerHour))
	}
	if s.config.Complete && problem == "" {
		m.forget(at, &batch)
	}
	m.Ran, m.Problem = at, problem
	batch.Degraded = problem
	var err error
	batch.Cursor, err = m.cursor(s.config.Complete, &batch)
	return batch, err
}

// read reads what was printed, a report a line. wrong says what the first line is
// that cannot be read, and how many others.
func (c Config) read(printed []byte) (reports []Report, wrong string) {
	bad, n := 0, 0
	for line := range bytes.Lines(printed) {
		if n++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		r, err := c.Parse(line)
		if err == nil && len(reports) == maxLines {
			err = fmt.Errorf("more than %d lines are not read; print less", maxLines)
		}
		if err != nil {
			if bad++; bad == 1 {
				wrong = fmt.Sprintf("line %d: %v", n, err)
			}
			continue
		}
		r.ID = cmp.Or(r.ID, r.Title) // printed again, it is the same
		reports = append(reports, r)
	}
	if bad > 1 {
		wrong += fmt.Sprintf(" (and %d more lines)", bad-1)
	}
	return reports, wrong
}

// run runs the command once, in a process group of its own that ends with it, and
// returns what it printed, and what went wrong. What left the group, by a session
// of its own, is not followed.
func (s *Exec) run(ctx context.Context) (printed []byte, problem string) {
	path, _, missing, next := program.Find(s.config.Command[0], program.DefaultPath())
	if missing != "" {
		return nil, missing + "; " + next
	}
	// The system ends the program with the thread that started it, so that it
	// does not outlive a daemon that is killed.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	out, complaint := &bounded{most: maxOutput, full: cancel}, &bounded{most: maxComplaint}
	command := exec.CommandContext(ctx, path, s.config.Command[1:]...)
	command.Dir = s.config.Folder
	command.Env = append(program.Environment(program.DefaultPath(), s.config.Env, os.LookupEnv), program.RunVariable+"=exec/"+s.config.ID)
	command.Stdout, command.Stderr = out, complaint
	command.SysProcAttr = program.OwnGroup()
	command.Cancel = func() error { return program.Signal(command, syscall.SIGKILL) }
	command.WaitDelay = afterwards
	program.Seal()
	if err := command.Start(); err != nil {
		return nil, fmt.Sprintf("%s could not be started: %v; run it by hand in %s", path, err, s.config.Folder)
	}
	err := command.Wait()
	// What it left behind goes with it; mostly there is nothing.
	_ = program.Signal(command, syscall.SIGKILL)
	whole := out.kept
	if i := bytes.LastIndexByte(whole, '\n'); out.over || ctx.Err() != nil {
		whole = whole[:i+1] // the last line may be half of one
	}
	said := ""
	if line := strings.TrimSpace(subconscious.Printable(string(complaint.kept))); line != "" {
		said = fmt.Sprintf(" (it says %q)", subconscious.Shorten(line, 120))
	}
	switch code := command.ProcessState.ExitCode(); {
	case out.over:
		return whole, fmt.Sprintf("%s printed more than %d bytes and was ended; let it print less", path, maxOutput)
	case ctx.Err() != nil:
		return whole, fmt.Sprintf("%s ran longer than %s and was ended%s; raise timeout, or let something else run it and hand in what it finds by POST", path, s.config.Timeout, said)
	case code > 0:
		return whole, fmt.Sprintf("%s ended with exit code %d%s; run it by hand in %s", path, code, said, s.config.Folder)
	case !command.ProcessState.Success():
		return whole, fmt.Sprintf("%s was ended (%s)%s; run it by hand in %s", path, command.ProcessState, said, s.config.Folder)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return whole, fmt.Sprintf("what %s printed could not be read: %v", path, err)
	}
	return whole, ""
}

// bounded keeps the beginning of what is written to it. One that has a full calls
// it when there is more.
type bounded struct {
	kept []byte
	most int
	over bool
	full func()
}

// Write never fails.
func (b *bounded) Write(p []byte) (int, error) {
	room := min(len(p), b.most-len(b.kept))
	b.kept = append(b.kept, p[:room]...)
	if room < len(p) && !b.over {
		if b.over = true; b.full != nil {
			b.full()
		}
	}
	return len(p), nil
}
