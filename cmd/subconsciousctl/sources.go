package main

import (
	"context"

	"github.com/subconsciousd/subconsciousd/api"
)

// sourceCommands open and close what hands in observations.
func (a *app) sourceCommands() map[string]command {
	token := func(revoke bool) command {
		request := api.SourceTokenRequest{Revoke: revoke}
		return command{run: filling(a, "asking", api.PostSourceToken, &request, func(_ context.Context, c call) error {
			request.Source = c.args[0]
			return nil
		}, "SourceToken")}
	}
	return map[string]command{"sources token": token(false), "sources revoke": token(true)}
}
