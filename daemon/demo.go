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
	"net"
	"net/http"
	netmail "net/mail"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/template"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/stdout"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/senses/notes"
	"github.com/subconsciousd/subconsciousd/senses/source"
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
// sample files in a fresh folder, which is kept, a sample mailbox and a feed that it
// serves itself, and a check that it runs. After the first tick some of the samples
// change. It writes nowhere else.
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
	zone, err := config.Location(demoEnv(options.Env))
	if err != nil {
		return err
	}
	if err := writeSamples(dir, samplesAt{now: now.In(zone)}); err != nil {
		return fmt.Errorf("write the demo's samples: %w", err)
	}
	mailbox, address, err := serveDemoMail(now.In(zone))
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepWithin)
		defer cancel()
		err = errors.Join(err, mailbox.Close(ctx))
	}()
	show := &demoShow{out: options.Out, Dir: dir, StateDir: config.StateDir, Mailbox: address.String(), User: demoAddress, Password: demoPassword, now: now.In(zone)}
	town, end, err := serveDemoFeed(show)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	config.Senses.Feeds = []source.FeedConfig{{ID: "town", URL: town, Every: 5 * time.Minute, Severity: "notable"}}
	config.Senses.Mail = []mail.Config{{ID: "sample", Host: address.IP.String(), Port: address.Port, Security: account.None,
		User: demoAddress, Password: secret.Ref{Env: demoPasswordEnv}}}
	d, err := New(Options{
		Config: config, Version: options.Version, Demo: true, Env: demoEnv(options.Env), OnTick: show.tick,
		Channels: []notify.Channel{{ID: "terminal", Kind: "stdout", Content: notify.ContentFull,
			Notifier: stdout.New(stdout.Config{}, stdout.Options{Writer: show})}},
		Logger: slog.New(slog.NewTextHandler(options.Log, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: redacted})),
	})
	if err != nil {
		return err
	}
	show.mind = d
	if show.words, err = template.New("").Parse(demoWords); err != nil {
		return err
	}
	if err := show.words.ExecuteTemplate(options.Out, "greeting", show); err != nil {
		return err
	}
	err = d.Run(ctx)
	if err == nil {
		_, err = fmt.Fprintf(options.Out, "\nEnded cleanly. The folder is kept: %s\n", dir)
	}
	return err
}

// The person of the demo, and the variable that their password is in.
const (
	demoAddress     = "sam@example.com"
	demoPassword    = "sample"
	demoPasswordEnv = "SUBCONSCIOUS_DEMO_PASSWORD"
)

// demoEnv is the environment of a demo, with the mailbox's password.
func demoEnv(given func(string) (string, bool)) func(string) (string, bool) {
	return func(name string) (string, bool) {
		switch {
		case name == demoPasswordEnv:
			return demoPassword, true
		case given != nil:
			return given(name)
		case name == "HOME":
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
	config.Senses.Calendar = []calendar.Config{{ID: "sample", ICS: filepath.Join(dir, "calendar.ics"), Addresses: []string{demoAddress}, Trust: subconscious.Owner}}
	config.Senses.Exec = []source.ExecConfig{{
		Config:  source.Config{ID: "house", Trust: subconscious.Machine, Kinds: []source.Kind{{ID: "open", Severity: "warning"}}},
		Command: []string{"cat", filepath.Join(dir, "checks.jsonl")}, Every: time.Minute, Complete: true,
	}}
	return config, os.MkdirAll(config.StateDir, 0o700)
}

// changing are the samples that change after the first tick, and feedSample what is
// served.
var changing = []string{"demo/calendar.ics", "demo/checks.jsonl"}

const feedSample = "demo/feed.xml"

// writeSamples writes the sample files below dir; later those that change.
func writeSamples(dir string, at samplesAt) error {
	return fs.WalkDir(samples, "demo", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && name == "demo/mail" {
			return fs.SkipDir // served, see serveDemoMail
		}
		if err != nil || entry.IsDir() || name == feedSample || at.later && !slices.Contains(changing, name) {
			return err
		}
		text, err := dated(name, at)
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(name, "demo/")))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		if path.Ext(name) == ".ics" {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		return os.WriteFile(target, []byte(text), 0o600)
	})
}

// serveDemoMail serves the sample mails over IMAP on a free loopback port, as a
// provider would.
func serveDemoMail(now time.Time) (*mailtest.Server, *net.TCPAddr, error) {
	server := mailtest.New(mailtest.Options{Users: []mailtest.User{{Name: demoAddress, Password: demoPassword}}})
	names, err := fs.Glob(samples, "demo/mail/*/*.eml")
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		text, err := dated(name, samplesAt{now: now})
		if err != nil {
			return nil, nil, err
		}
		message, err := netmail.ReadMessage(strings.NewReader(text))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		at, err := message.Header.Date()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		folder := map[string]string{"inbox": "INBOX", "sent": "Sent"}[path.Base(path.Dir(name))]
		server.User(demoAddress).Deliver(folder, []byte(strings.ReplaceAll(text, "\n", "\r\n")), at)
	}
	listening, err := server.Listen()
	if err != nil {
		return nil, nil, fmt.Errorf("serve the demo's mailbox: %w", err)
	}
	address, _ := listening.(*net.TCPAddr)
	return server, address, nil
}

// serveDemoFeed serves the sample feed on a free loopback port, and returns its
// address, and what ends it.
func serveDemoFeed(show *demoShow) (address string, end func() error, err error) {
	listening, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("serve the demo's feed: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: stepWithin, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text, err := dated(feedSample, samplesAt{show.now, show.later.Load()})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, text)
	})}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listening) }) // until it is closed
	return "http://" + listening.Addr().String(), func() error {
		defer serving.Wait()
		return server.Close()
	}, nil
}

// samplesAt is as of when samples are written: when the demo began, and whether what
// changes after the first tick has.
type samplesAt struct {
	now   time.Time
	later bool
}

// dated is a sample with its dates filled in, which are reckoned from now:
// {{day 3}} is the date in three days, {{at "20m"}} an ICS time, {{date "-2h"}}
// that of a mail.
func dated(name string, as samplesAt) (string, error) {
	now := as.now
	reckon := func(from time.Time, layout string) func(string) (string, error) {
		return func(offset string) (string, error) {
			in, err := time.ParseDuration(offset)
			return from.Add(in).Format(layout), err
		}
	}
	sample, err := template.New(path.Base(name)).Funcs(template.FuncMap{
		"later": func() bool { return as.later },
		"day":   func(days int) string { return now.AddDate(0, 0, days).Format(time.DateOnly) },
		"at":    reckon(now.UTC(), "20060102T150405Z"),
		"date":  reckon(now, time.RFC1123Z),
	}).ParseFS(samples, name)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = sample.Execute(&text, nil)
	return text.String(), err
}

// demoShow prints what a demo mind does. Its exported fields are what its words
// name.
type demoShow struct {
	out                                    io.Writer
	mind                                   *Daemon
	words                                  *template.Template
	Dir, StateDir, Mailbox, User, Password string

	now   time.Time
	later atomic.Bool // the samples have changed

	mu    sync.Mutex
	began bool     // the first tick is on the screen
	held  []string // what was told before it was
}

//go:embed demo.tmpl
var demoWords string

// Write prints what the demo tells, as a phone would be told, but not amid the
// account of the first tick.
func (s *demoShow) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.began {
		s.held = append(s.held, string(line))
		return len(line), nil
	}
	_, err := fmt.Fprintf(s.out, "Your phone would show:\n  %s", line)
	return len(line), err
}

// tick prints the first tick at length, and each further one in a line.
func (s *demoShow) tick(report api.TickReport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.began {
		_, _ = fmt.Fprintln(s.out, Line(report))
		return
	}
	s.began = true
	s.later.Store(true)
	if err := writeSamples(s.Dir, samplesAt{s.now, true}); err != nil {
		_, _ = fmt.Fprintln(s.out, "The samples cannot be changed:", err)
	}
	state := s.mind.board.Now().State
	first := struct {
		*demoShow
		MS             float64
		Noticed        []noticed
		Parked, Unkept int
		Control        string
		Held           string
	}{demoShow: s, MS: report.ElapsedMS, Parked: len(state.Parked), Control: "subconsciousctl", Held: strings.Join(s.held, "  ")}
	for _, e := range state.Entries {
		first.Noticed = append(first.Noticed, s.noticed(e))
	}
	slices.SortFunc(first.Noticed, func(a, b noticed) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(a.ID, b.ID))
	})
	for _, t := range report.Threads {
		for _, n := range t.Rejected {
			first.Unkept += n
		}
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), first.Control)
		if _, err := os.Stat(beside); err == nil {
			first.Control = beside
		}
	}
	_ = s.words.ExecuteTemplate(s.out, "first", first)
}

// noticed is an entry and why it is there.
type noticed struct {
	subconscious.Entry
	Bar     string
	Because []subconscious.Observation
	Problem error // why its explanation cannot be read
}

func (s *demoShow) noticed(e subconscious.Entry) noticed {
	const full = 10
	n := noticed{Entry: e, Bar: strings.Repeat("▰", e.Strength) + strings.Repeat("▱", full-e.Strength)}
	why, err := s.mind.Why(context.Background(), e.ID)
	n.Problem = err
	for _, o := range why.Observations {
		if o.Observation.Title != e.Summary {
			n.Because = append(n.Because, o.Observation)
		}
	}
	return n
}
