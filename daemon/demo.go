package daemon

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/stdout"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// samples are the files that a demo mind looks at.
//
//go:embed demo
var samples embed.FS

// DemoOptions are what a demo needs.
type DemoOptions struct {
	// Out shows what the mind noticed; Log is for warnings.
	Out, Log io.Writer
	Version  string
	// StateDir, where it is not empty, takes the place of a fresh folder for
	// the mind's own files.
	StateDir string
	// Parent is where the demo's folder is made; "" is the folder for
	// temporary files.
	Parent string
	Env    func(string) (string, bool)
}

// RunDemo shows a mind at work until ctx is done: over this machine's health,
// sample files in a fresh folder, which is kept, and a sample mailbox that it
// serves itself. It writes nowhere else.
func RunDemo(ctx context.Context, options DemoOptions) (err error) {
	dir, err := os.MkdirTemp(options.Parent, "subconscious-demo-")
	if err != nil {
		return fmt.Errorf("make the demo's folder: %w", err)
	}
	now := time.Now()
	config, err := demoConfig(dir, options)
	if err != nil {
		return err
	}
	zone, err := config.Location(env(options.Env))
	if err != nil {
		return err
	}
	if err := writeSamples(dir, now.In(zone)); err != nil {
		return fmt.Errorf("write the demo's samples: %w", err)
	}
	mailbox, err := serveDemoMail(now.In(zone))
	if err != nil {
		return err
	}
	defer func() { err = mailbox.close(err) }()
	config.Senses.Mail = []mail.Config{mailbox.config()}
	show := &demoShow{out: options.Out, dir: dir, config: config, mailbox: mailbox}
	d, err := New(Options{
		Config: config, Version: options.Version, Demo: true, Env: mailbox.env(env(options.Env)), OnTick: show.tick,
		Channels: []notify.Channel{{ID: "terminal", Kind: "stdout", Content: notify.ContentFull,
			Notifier: stdout.New(stdout.Config{}, stdout.Options{Writer: told{show}})}},
		Logger: slog.New(slog.NewTextHandler(options.Log, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: redacted})),
	})
	if err != nil {
		return err
	}
	show.mind = d
	show.greet()
	err = d.Run(ctx)
	if err == nil {
		_, err = fmt.Fprintf(options.Out, "\nEnded cleanly. The folder is kept: %s\n", dir)
	}
	return err
}

func env(given func(string) (string, bool)) func(string) (string, bool) {
	if given != nil {
		return given
	}
	return func(name string) (string, bool) {
		if name == "HOME" {
			return "", false // a demo does not look at the person's own files
		}
		return os.LookupEnv(name)
	}
}

// demoConfig is the configuration of a demo mind: a tick a minute, so that
// there is something to see.
func demoConfig(dir string, options DemoOptions) (*setup.Config, error) {
	config := setup.Default()
	config.StateDir = filepath.Join(dir, "mind")
	if options.StateDir != "" {
		abs, err := filepath.Abs(options.StateDir)
		if err != nil {
			return nil, fmt.Errorf("--state-dir: %w", err)
		}
		config.StateDir = abs
	}
	config.Schedule = "* * * * *"
	config.QuietHours = escalate.Hours{From: "00:00", To: "00:00"} // never: who looks on is awake
	config.Senses.Files = []files.Config{{ID: "sample", Path: filepath.Join(dir, "files"), Trust: subconscious.Owner}}
	config.Senses.Notes = []notes.Config{{ID: "sample", Path: filepath.Join(dir, "notes"), Trust: subconscious.Owner}}
	config.Senses.Calendar = []calendar.Config{{ID: "sample", ICS: filepath.Join(dir, "calendar.ics"), Trust: subconscious.Owner}}
	return config, os.MkdirAll(config.StateDir, 0o700)
}

// writeSamples writes the sample files below dir. Their dates are reckoned from
// now: "{{day+3}}" is the date in three days, "{{at+20m}}" an ICS time,
// "{{date+-2h}}" that of a mail.
func writeSamples(dir string, now time.Time) error {
	return fs.WalkDir(samples, "demo", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && path == "demo/mail" {
			return fs.SkipDir // served, see demo_mail.go
		}
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := samples.ReadFile(path)
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(path, "demo/")))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		text, err := dated(string(data), now)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if strings.HasSuffix(target, ".ics") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		return os.WriteFile(target, []byte(text), 0o600)
	})
}

// dated fills the dates of a sample in.
func dated(text string, now time.Time) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{{")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		mark, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return "", errors.New("a {{ is not closed")
		}
		text = after
		switch what, offset, _ := strings.Cut(mark, "+"); what {
		case "day":
			days := 0
			if _, err := fmt.Sscan(offset, &days); err != nil {
				return "", fmt.Errorf("read %q: %w", mark, err)
			}
			out.WriteString(now.AddDate(0, 0, days).Format(time.DateOnly))
		case "at":
			in, err := time.ParseDuration(offset)
			if err != nil {
				return "", fmt.Errorf("read %q: %w", mark, err)
			}
			out.WriteString(now.Add(in).UTC().Format("20060102T150405Z"))
		case "date":
			in, err := time.ParseDuration(offset)
			if err != nil {
				return "", fmt.Errorf("read %q: %w", mark, err)
			}
			out.WriteString(now.Add(in).Format(time.RFC1123Z))
		default:
			return "", fmt.Errorf("%q is neither a day nor a time", mark)
		}
	}
}

// demoShow prints what a demo mind does.
type demoShow struct {
	out     io.Writer
	dir     string
	config  *setup.Config
	mind    *Daemon
	mailbox *demoMailbox

	mu    sync.Mutex
	shown bool     // the first tick is on the screen
	held  []string // what was told before it was
}

// told prints what the demo tells, as a phone would be told, but not amid the
// account of the first tick.
type told struct{ show *demoShow }

func (t told) Write(line []byte) (int, error) {
	s := t.show
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.shown {
		s.held = append(s.held, string(line))
		return len(line), nil
	}
	s.print("Your phone would show:\n  %s", line)
	return len(line), nil
}

func (s *demoShow) greet() {
	s.print("subconsciousd: a mind at work, over this machine's health, sample files and a sample mailbox. Nothing leaves the machine.\n")
	s.print("Its folder, kept when it ends: %s\n\n", s.dir)
}

func (s *demoShow) print(format string, args ...any) { _, _ = fmt.Fprintf(s.out, format, args...) }

// tick prints the first tick at length, and each further one in a line.
func (s *demoShow) tick(report api.TickReport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown {
		s.print("%s\n", Line(report))
		return
	}
	s.shown = true
	state := s.mind.board.Now().State
	s.print("First tick, %.0f ms. It noticed:\n\n", report.ElapsedMS)
	entries := slices.Clone(state.Entries)
	slices.SortFunc(entries, func(a, b subconscious.Entry) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(a.ID, b.ID))
	})
	for _, e := range entries {
		s.entry(e)
	}
	if len(state.Entries) == 0 {
		s.print("  nothing worth keeping: this machine is well.\n\n")
	}
	if n := len(state.Parked); n > 0 {
		s.print("  And %d more, waiting for room in their list: see status.\n\n", n)
	}
	kept := 0
	for _, t := range report.Threads {
		for _, n := range t.Rejected {
			kept += n
		}
	}
	if kept > 0 {
		s.print("  It thought %d more not worth keeping, such as events that are still far off.\n", kept)
	}
	s.howTo(entries)
	if len(s.held) > 0 {
		s.print("Your phone would show:\n  %s\n", strings.Join(s.held, "  "))
	}
}

// entry prints one entry and why it is there.
func (s *demoShow) entry(e subconscious.Entry) {
	const full = 10
	s.print("  %s%s %s\n", strings.Repeat("▰", e.Strength), strings.Repeat("▱", full-e.Strength), e.Summary)
	why, err := s.mind.Why(context.Background(), e.ID)
	if err != nil {
		s.print("      (its explanation cannot be read: %v)\n", err)
		return
	}
	for _, o := range why.Observations {
		if o.Observation.Title != e.Summary {
			s.print("      because %s: %s\n", o.Observation.Sense, o.Observation.Title)
		}
	}
	s.print("      rule %s, importance %d of 10, id %s\n\n", e.Rule, e.Importance, e.ID)
}

// howTo says how to look further.
func (s *demoShow) howTo(entries []subconscious.Entry) {
	control := "subconsciousctl"
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), control)
		if _, err := os.Stat(beside); err == nil {
			control = beside
		}
	}
	control += " --state-dir " + s.config.StateDir
	s.print("\nA tick a minute follows, in a line each. In another terminal:\n\n")
	s.print("  echo '- I will call the plumber by Friday' >> %s\n", filepath.Join(s.dir, "notes", "today.md"))
	s.print("  %s tick\n  %s status\n  %s inbox\n", control, control, control)
	if len(entries) > 0 {
		s.print("  %s why %s\n", control, entries[0].ID)
	}
	s.print("\nThe sample mailbox is served for a mail program, too: %s.\n", s.mailbox.where())
	s.print("\nCtrl-C ends it.\n\n")
}
