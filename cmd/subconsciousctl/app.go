package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/internal/unseen"
)

// process is what a run is given of the world.
type process struct {
	args           []string
	stdout, stderr io.Writer
	env            func(string) (string, bool)
	now            func() time.Time
	zone           *time.Location
	columns        func() int // of the terminal; 0 where there is none
	outTerminal    bool
	errTerminal    bool
	// stdin is asked where it is a terminal; nil asks nobody.
	stdin      io.Reader
	inTerminal bool
	// secret reads a line without showing it; nil where that is not possible.
	secret func() (string, error)
	// system is the operating system; "" is that of this build.
	system string
}

// app is one run of the command line.
type app struct {
	process
	// bare is the process as it was given: what it writes to lets everything
	// through, where process shows what a terminal would obey.
	bare   process
	client *client.Client // once a command asked for it

	json     bool
	asMe     bool
	noColour bool
	stateDir string
	config   string
}

// run executes one command line and returns its exit code.
func run(ctx context.Context, p process) int {
	a := &app{process: p, bare: p}
	a.stderr = unseen.Writer{To: p.stderr}
	a.stdout = unseen.Writer{To: p.stdout}
	if p.outTerminal {
		a.stdout = unseen.Writer{To: p.stdout, Keep: screen.Colours()}
	}
	root := newRoot(a)
	root.SetArgs(p.args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	if a.client != nil {
		defer a.client.Close()
		a.warnOfVersion()
		if err == nil && a.client.Spoke() && !a.json {
			_, _ = fmt.Fprintln(a.stderr, "subconsciousctl: nobody sits at a terminal here, so that counts as an agent's word\n  → --as-me makes it yours")
		}
	}
	if err != nil {
		return report(a.stderr, a.json, err)
	}
	return exitFine
}

// daemon returns the client for the state folder that was asked for.
func (a *app) daemon() (*client.Client, error) {
	if a.client == nil {
		dir, err := a.findStateDir()
		if err != nil {
			return nil, err
		}
		a.client = client.New(filepath.Join(dir, socketName))
		if !a.inTerminal && !a.asMe {
			a.client.SpeakAs(api.UnnamedAgent)
		}
	}
	return a.client, nil
}

// warnOfVersion says when daemon and command line are of two builds.
func (a *app) warnOfVersion() {
	if daemon, mismatch := a.client.Mismatch(); mismatch {
		_, _ = fmt.Fprintf(a.stderr, "subconsciousctl: the daemon is version %s and this command is another\n  → restart the daemon after an upgrade\n", daemon)
	}
}

// view says for whom to write. Times are shown in the mind's zone, as in the
// words of its entries.
func (a *app) view() screen.View {
	home, _ := a.env("HOME")
	zone := a.zone
	if a.client != nil && a.client.Zone() != nil {
		zone = a.client.Zone()
	}
	return screen.View{At: a.now(), Zone: zone, Width: a.width(), Colour: a.colour(), Home: home}
}

const usualWidth = 80

// width is the terminal's; elsewhere COLUMNS, or the usual one.
func (a *app) width() int {
	if columns := a.columns(); columns > 0 {
		return columns
	}
	text, _ := a.env("COLUMNS")
	if columns, err := strconv.Atoi(text); err == nil && columns > 0 {
		return columns
	}
	return usualWidth
}

// colour reports whether to write colours: on a terminal that has them, unless
// the person does not want any.
func (a *app) colour() bool {
	unwanted, _ := a.env("NO_COLOR")
	terminal, _ := a.env("TERM")
	return a.outTerminal && !a.noColour && unwanted == "" && terminal != "dumb"
}

// show writes the value as JSON, or the page of that name about it.
func (a *app) show(value any, page string, asked ...any) error {
	return a.print(value, func() string { return screen.Draw(a.view(), page, value, asked...) })
}

// print writes the value as JSON, or a text in its place.
func (a *app) print(value any, words func() string) error {
	if !a.json {
		return a.write(words())
	}
	encoder := json.NewEncoder(a.stdout)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// outcome prints what a person was told already, word by word.
func (a *app) outcome(value any) error {
	return a.print(value, func() string { return "" })
}

// write writes a text that is ready to be shown.
func (a *app) write(text string) error {
	if _, err := io.WriteString(a.stdout, text); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// ask asks the daemon one question, with a sign of life while it takes long.
func ask[T any](ctx context.Context, a *app, doing string, question func(context.Context, *client.Client) (T, error)) (T, error) {
	var answer T
	daemon, err := a.daemon()
	if err != nil {
		return answer, err
	}
	stop := a.spin(doing)
	defer stop()
	return question(ctx, daemon)
}

// work is what a command does.
type work = func(cmd *cobra.Command, args []string) error

// call is one run of a command that asks the daemon.
type call struct {
	*client.Client
	cmd  *cobra.Command
	args []string
}

// asking is the work of a command that puts the question that its flags make to
// the daemon and prints the answer; then says how it ends.
func asking[Q, A any](a *app, doing string, route api.Route[Q, A], question *Q, page string, then ...func(A) error) work {
	return filling(a, doing, route, question, func(context.Context, call) error { return nil }, page, then...)
}

// filling is asking with a question that is completed from the arguments.
func filling[Q, A any](a *app, doing string, route api.Route[Q, A], question *Q, fill func(context.Context, call) error, page string, then ...func(A) error) work {
	return func(cmd *cobra.Command, args []string) error {
		answer, err := ask(cmd.Context(), a, doing, func(ctx context.Context, daemon *client.Client) (answer A, err error) {
			if err := fill(ctx, call{daemon, cmd, args}); err != nil {
				return answer, err
			}
			return client.Ask(ctx, daemon, route, *question)
		})
		if err == nil {
			err = a.show(answer, page, *question)
		}
		for _, end := range then {
			if err == nil {
				err = end(answer)
			}
		}
		return err
	}
}

// put is a question as ask takes it.
func put[Q, A any](route api.Route[Q, A], question Q) func(context.Context, *client.Client) (A, error) {
	return func(ctx context.Context, daemon *client.Client) (A, error) {
		return client.Ask(ctx, daemon, route, question)
	}
}
