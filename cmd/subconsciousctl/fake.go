package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
)

// fake serves a stand-in, and tells of what it is asked, one after the other.
type fake struct {
	app *app
	mu  sync.Mutex
}

// tell says what the stand-in was asked.
func (f *fake) tell(value any, words func() string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	// A terminal that cannot be written to shows nothing.
	if f.app.json {
		_ = json.NewEncoder(f.app.stdout).Encode(value)
		return
	}
	_ = f.app.write(words())
}

// serve serves until the context ends. What the stand-in is asked is told after
// how to use it.
func serve[S interface{ Close() }, R any](ctx context.Context, f *fake, listen func() (S, error), ready func(S) R, page string) error {
	f.mu.Lock()
	server, err := listen()
	if err != nil {
		f.mu.Unlock()
		return err
	}
	defer server.Close()
	err = f.app.show(ready(server), page)
	f.mu.Unlock()
	if err == nil {
		<-ctx.Done()
	}
	return err
}

// notListened refuses what is no address to listen on.
func notListened(address string) error {
	return &usageError{err: fmt.Errorf("--listen: %q is not an address with a port", address), next: "write it as 127.0.0.1:8099"}
}

// fakeFlags is what a model is asked to pretend.
type fakeFlags struct {
	listen, script string
	faults         []string
	seed           uint64
}

// modelReady says where a stand-in for a provider listens, and how to use it.
type modelReady struct {
	BaseURL      string   `json:"base_url"`
	AnthropicURL string   `json:"anthropic_url"`
	Script       string   `json:"script"`
	Faults       []string `json:"faults"`
	Config       string   `json:"config"`
	Warning      string   `json:"warning,omitempty"`
}

func (a *app) fakeModel(ctx context.Context, request fakeFlags) error {
	options, err := request.options()
	if err != nil {
		return &usageError{err: err, next: "see subconsciousctl models fake --help"}
	}
	if _, _, err := net.SplitHostPort(request.listen); err != nil {
		return notListened(request.listen)
	}
	f := &fake{app: a}
	options.Seen = func(r modeltest.Record) {
		told := requestOf(r)
		f.tell(told, func() string { return screen.Lines(told.String()) + "\n" })
	}
	return serve(ctx, f, func() (*modeltest.Server, error) { return modeltest.Listen(request.listen, options) }, func(server *modeltest.Server) modelReady {
		base, warning := reachable(server.BaseURL(modeltest.OpenAI))
		anthropic, _ := reachable(server.BaseURL(modeltest.Anthropic))
		return modelReady{base, anthropic, request.script, append([]string{}, request.faults...), fakeConfig(base), warning}
	}, "Ready")
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

// reachable is the address under which a server at that URL answers on this
// machine, since one that listens everywhere cannot be asked at "everywhere", and
// a warning where others can reach it too.
func reachable(address string) (here, warning string) {
	at, err := url.Parse(address)
	if err != nil {
		return address, ""
	}
	ip, err := netip.ParseAddr(at.Hostname())
	if err != nil || ip.IsLoopback() {
		return address, ""
	}
	if ip.IsUnspecified() {
		at.Host = net.JoinHostPort("127.0.0.1", at.Port())
	}
	return at.String(), "everybody on the network can reach it: --listen 127.0.0.1:0 keeps it to this machine"
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

func requestOf(r modeltest.Record) fakeRequest {
	return fakeRequest{Number: r.Number, Method: r.Method, Path: r.Path, Status: r.Status, Model: r.Request.Model,
		Input: r.Charged.Input, Cached: r.Charged.Cached, Output: r.Charged.Output, Fault: string(r.Fault)}
}

// String is what people read.
func (r fakeRequest) String() string {
	line := fmt.Sprintf("%4d  %s %s  %d  %s  %d tokens in (%d kept), %d out", r.Number, r.Method, r.Path, r.Status, cmp.Or(r.Model, "-"), r.Input, r.Cached, r.Output)
	if r.Fault != "" {
		line += "  fault " + r.Fault
	}
	return line
}

// fakeTopic is the topic that the stand-in suggests.
const fakeTopic = "mind"

// channelReady says where a stand-in for an ntfy server listens, and how to use it.
type channelReady struct {
	URL    string `json:"url"`
	Topic  string `json:"topic"`
	Config string `json:"config"`
}

func (a *app) fakeChannel(ctx context.Context, listen string, faults []string) error {
	if host, _, err := net.SplitHostPort(listen); err != nil || host == "" {
		return notListened(listen)
	}
	f, buttons := &fake{app: a}, map[string]string{}
	options := ntfytest.Options{Seen: func(m ntfytest.Message) {
		f.tell(m, func() string {
			if pressed := buttons[m.Message]; pressed != "" {
				return screen.Lines("pressed "+pressed) + "\n"
			}
			for _, b := range m.Actions {
				buttons[b.Body] = fmt.Sprintf("“%s” of “%s”", b.Label, m.Title)
			}
			return screen.Draw(a.view(), "Push", a.pushed(m))
		})
	}}
	for _, text := range faults {
		trouble, err := parseFault(text)
		if err != nil {
			return &usageError{err: err, next: "see subconsciousctl notify fake --help"}
		}
		options.Troubles = append(options.Troubles, trouble)
	}
	return serve(ctx, f, func() (*ntfytest.Server, error) { return ntfytest.Listen(listen, options) }, func(server *ntfytest.Server) channelReady {
		return channelReady{server.URL(), fakeTopic, fmt.Sprintf("notify:\n  - id: fake\n    ntfy: {url: %q, topic: %s}\n", server.URL(), fakeTopic)}
	}, "ReadyChannel")
}

// pushed is a message as it is drawn.
func (a *app) pushed(m ntfytest.Message) screen.Pushed {
	pushed := screen.Pushed{At: a.now(), Topic: m.Topic, Title: m.Title, Text: m.Message, Priority: m.Priority, Tags: m.Tags, Click: m.Click}
	for _, b := range m.Actions {
		if b.Action == "http" {
			pushed.Buttons = append(pushed.Buttons, screen.Button{Label: b.Label, Press: screen.ShellLine("curl", "-d", b.Body, b.URL)})
		}
	}
	return pushed
}

// parseFault reads NAME or NAME@N.
func parseFault(text string) (ntfytest.Trouble, error) {
	name, number, once := strings.Cut(text, "@")
	trouble := ntfytest.Trouble{Fault: ntfytest.Fault(name), Use: ntfytest.Publish}
	if !slices.Contains(ntfytest.Faults(), trouble.Fault) {
		return trouble, fmt.Errorf("--fault: there is no fault %q; there are %s", name, strings.Join(faultNames(), ", "))
	}
	if trouble.Fault == ntfytest.Silent || trouble.Fault == ntfytest.Short {
		trouble.Use = ntfytest.Stream
	}
	if !once {
		return trouble, nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return trouble, fmt.Errorf("--fault: %q is not the number of a message", number)
	}
	trouble.Skip, trouble.Times = n-1, 1
	return trouble, nil
}

func faultNames() []string {
	var names []string
	for _, fault := range ntfytest.Faults() {
		names = append(names, string(fault))
	}
	return names
}
