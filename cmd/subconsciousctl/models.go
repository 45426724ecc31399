package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

func newModels(a *app) *cobra.Command {
	group := &cobra.Command{
		Use:   "models",
		Short: "show which model has which role, how it is and what it costs",
		Long: `Shows every role that has a model: whether it answers, since when it does not
and why, when it is asked again, what it costs, and who stands in for it.
Nothing is asked of a model; subconsciousctl models test does that.`,
		Args: a.unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return show(cmd.Context(), a, "asking", put(api.GetModels, api.Nothing{}), screen.Models)
		},
	}
	group.AddCommand(newModelsTest(a), newModelsFake(a))
	return group
}

func newModelsTest(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "test [ROLE|PROVIDER]",
		Short: "ask the models something, live, and say what is wrong",
		Long: `Asks each model one small question: whether its key is there, its endpoint
answers, the model is known, its answer has the shape that was asked for, and
comes in pieces. It costs what such a question costs, within the budget, which
is printed. Exits with 1 if any model failed.`,
		Args:              takes(0, 1),
		ValidArgsFunction: a.offer(roles),
		RunE: func(cmd *cobra.Command, args []string) error {
			who := ""
			if len(args) == 1 {
				who = args[0]
			}
			tests, err := ask(cmd.Context(), a, "asking the models", put(api.PostModelTest, api.ModelTestRequest{Who: who}))
			if err != nil {
				return err
			}
			if err := a.print(tests, func(v screen.View) string { return screen.ModelTests(v, tests) }); err != nil {
				return err
			}
			for _, t := range tests {
				if !t.OK {
					return &silentError{exitFailed}
				}
			}
			return nil
		},
	}
}

// roles asks for roles and providers.
func roles(ctx context.Context, daemon *client.Client) (all []entry, err error) {
	models, err := client.Ask(ctx, daemon, api.GetModels, api.Nothing{})
	offered := map[string]bool{}
	for _, m := range models {
		all = append(all, nameEntry(m.Role, m.Provider+"/"+m.Model))
		if !offered[m.Provider] {
			offered[m.Provider] = true
			all = append(all, nameEntry(m.Provider, "all models of it"))
		}
	}
	return all, err
}

// fakeFlags is what a stand-in is asked to be.
type fakeFlags struct {
	listen, script string
	faults         []string
	seed           uint64
}

func newModelsFake(a *app) *cobra.Command {
	var request fakeFlags
	cmd := &cobra.Command{
		Use:   "fake",
		Short: "serve a model that only pretends, for a dry run",
		Long: `Serves a model on this machine that answers by a script, in the protocols of
OpenAI and of Anthropic, until Ctrl-C: to see what the mind would ask, to try a
configuration out, or to see what becomes of a fault. It costs nothing and sends
nothing anywhere.

Scripts:
` + scriptTable() + `
Faults, each alone (every time), as NAME@3,5 (the third and the fifth request)
or as NAME~0.2 (one time in five):
` + faultTable(),
		Example: "  subconsciousctl models fake --script thinker --fault 429-header~0.3",
		Args:    takes(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.fake(cmd.Context(), request) },
	}
	flags := cmd.Flags()
	flags.StringVar(&request.listen, "listen", "127.0.0.1:0", "the `ADDRESS` to listen on; port 0 takes a free one")
	flags.StringVar(&request.script, "script", "thinker", "what it answers, by `NAME`")
	flags.StringArrayVar(&request.faults, "fault", nil, "what goes wrong, by `NAME`; may be given again")
	flags.Uint64Var(&request.seed, "seed", 1, "of what happens by chance")
	var scripts, faults []string
	for _, s := range modeltest.Scripts() {
		scripts = append(scripts, s.Name)
	}
	for _, f := range modeltest.Faults() {
		faults = append(faults, string(f.Fault))
	}
	completeFrom(cmd, "script", scripts)
	completeFrom(cmd, "fault", faults)
	return cmd
}

// fake serves until the context ends.
func (a *app) fake(ctx context.Context, request fakeFlags) error {
	options, err := request.options()
	if err != nil {
		return &usageError{err: err, next: "see subconsciousctl models fake --help"}
	}
	log := &fakeLog{w: a.stdout, json: a.json}
	options.Seen = log.seen
	if _, _, err := net.SplitHostPort(request.listen); err != nil {
		return &usageError{err: fmt.Errorf("--listen: %w", err), next: "write it as 127.0.0.1:8099"}
	}
	server, err := modeltest.Listen(request.listen, options)
	if err != nil {
		return err
	}
	defer server.Close()
	ready := struct {
		BaseURL      string   `json:"base_url"`
		AnthropicURL string   `json:"anthropic_url"`
		Script       string   `json:"script"`
		Faults       []string `json:"faults"`
		Config       string   `json:"config"`
		Warning      string   `json:"warning,omitempty"`
	}{dialled(server.BaseURL(modeltest.OpenAI)), dialled(server.BaseURL(modeltest.Anthropic)), request.script, append([]string{}, request.faults...),
		fakeConfig(dialled(server.BaseURL(modeltest.OpenAI))), exposed(server.URL())}
	// What is seen waits until the address is out.
	err = log.first(func() error {
		return a.print(ready, func(v screen.View) string {
			return screen.Ready(v, ready.BaseURL, ready.AnthropicURL, ready.Config, ready.Warning)
		})
	})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func (w fakeFlags) options() (modeltest.Options, error) {
	script, err := modeltest.ScriptNamed(w.script, w.seed)
	if err != nil {
		return modeltest.Options{}, err
	}
	options := modeltest.Options{Script: script, Seed: w.seed}
	var problems []error
	for _, fault := range w.faults {
		trouble, err := modeltest.ParseTrouble(fault)
		problems = append(problems, err)
		options.Troubles = append(options.Troubles, trouble)
	}
	return options, errors.Join(problems...)
}

// fakeConfig is a configuration in which all threads think with the model at
// that address.
func fakeConfig(baseURL string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "models:\n  providers:\n    - {id: fake, kind: openai, base_url: %q, local: true}\n  roles:\n", baseURL)
	for _, role := range []string{"watcher", "librarian", "oracle", "dreamer", "deliberation"} {
		fmt.Fprintf(&b, "    - {id: %s, provider: fake, model: %s}\n", role, modeltest.Model)
	}
	return b.String()
}

// dialled is the address under which a server at that URL answers on this
// machine: one that listens everywhere cannot be asked at "everywhere".
func dialled(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return address
	}
	ip, err := netip.ParseAddr(parsed.Hostname())
	if err != nil || !ip.IsUnspecified() {
		return address
	}
	parsed.Host = net.JoinHostPort("127.0.0.1", parsed.Port())
	return parsed.String()
}

// exposed warns where others than this machine can reach that URL; "" where they
// cannot.
func exposed(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if ip, err := netip.ParseAddr(parsed.Hostname()); err != nil || ip.IsLoopback() {
		return ""
	}
	return "everybody on the network can reach it: --listen 127.0.0.1:0 keeps it to this machine"
}

// fakeLog writes a line about each request, one after the other.
type fakeLog struct {
	mu   sync.Mutex
	w    io.Writer
	json bool
}

// first writes something before any request is told of.
func (l *fakeLog) first(write func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return write()
}

// fakeRequest is one request as it is told with --json.
type fakeRequest struct {
	Number int    `json:"number"`
	Method string `json:"method"`
	Path   string `json:"path"`
	Status int    `json:"status"`
	Model  string `json:"model,omitempty"`
	Input  int    `json:"input"`
	Cached int    `json:"cached"`
	Output int    `json:"output"`
	Fault  string `json:"fault,omitempty"`
}

func (l *fakeLog) seen(r modeltest.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	told := fakeRequest{Number: r.Number, Method: r.Method, Path: r.Path, Status: r.Status, Model: r.Request.Model,
		Input: r.Charged.Input, Cached: r.Charged.Cached, Output: r.Charged.Output, Fault: string(r.Fault)}
	// A terminal that cannot be written to shows no requests.
	if l.json {
		_ = json.NewEncoder(l.w).Encode(told)
		return
	}
	line := fmt.Sprintf("%4d  %s %s  %d  %s  %d tokens in (%d kept), %d out", told.Number, told.Method, told.Path, told.Status,
		cmp.Or(told.Model, "-"), told.Input, told.Cached, told.Output)
	if told.Fault != "" {
		line += "  fault " + told.Fault
	}
	_, _ = io.WriteString(l.w, screen.Lines(line)+"\n")
}

func scriptTable() string {
	var b strings.Builder
	for _, s := range modeltest.Scripts() {
		fmt.Fprintf(&b, "  %-14s %s\n", s.Name, s.About)
	}
	return b.String()
}

func faultTable() string {
	var b strings.Builder
	for _, f := range modeltest.Faults() {
		fmt.Fprintf(&b, "  %-14s %s\n", f.Fault, f.About)
	}
	return b.String()
}
