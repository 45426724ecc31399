package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// fakes are the models that only pretend, by the variable that has their
// address.
type fakes map[string]func()

type fakesKey struct{}

// fake is "fake NAME ARGUMENTS…": it starts `subconsciousctl models fake` and
// sets the variable to its address. "fake NAME" with ! ends it.
func fake(ts *testscript.TestScript, neg bool, args []string) {
	started := ts.Value(fakesKey{}).(fakes)
	switch {
	case len(args) == 0 || neg && (len(args) != 1 || started[args[0]] == nil):
		ts.Fatalf("usage: fake NAME ARGUMENTS…, or ! fake NAME")
	case neg:
		started[args[0]]()
		return
	}
	command := exec.Command(controlFolder+"/subconsciousctl", append([]string{"models", "fake", "--json"}, args[1:]...)...)
	out, err := command.StdoutPipe()
	ts.Check(err)
	ts.Check(command.Start())
	var ready struct {
		BaseURL string `json:"base_url"`
	}
	decoder := json.NewDecoder(out)
	err = decoder.Decode(&ready)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, out)
	}()
	end := sync.OnceFunc(func() {
		ts.Check(command.Process.Kill())
		<-drained
		var exit *exec.ExitError
		if err := command.Wait(); err != nil && !errors.As(err, &exit) {
			ts.Fatalf("the fake: %v", err)
		}
	})
	ts.Defer(end)
	started[args[0]] = end
	ts.Check(err)
	ts.Setenv(args[0], ready.BaseURL)
}
