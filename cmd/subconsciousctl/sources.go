package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

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
	return map[string]command{"sources token": token(false), "sources revoke": token(true), "token": a.tokenCommand()}
}

// tokenCommand says where the token of the API is, or has another one made.
func (a *app) tokenCommand() command {
	var renew bool
	return command{flags: map[string]any{"new": &renew}, run: func(cmd *cobra.Command, _ []string) error {
		dir, err := a.findStateDir()
		file := api.TokenFile{Path: filepath.Join(dir, api.TokenName)}
		if err == nil && renew {
			file, err = ask(cmd.Context(), a, "asking", put(api.PostToken, api.TokenRequest{}))
		}
		if err != nil {
			return err
		}
		if _, err := os.Stat(file.Path); err != nil {
			return api.Errorf(api.CodeNotFound, "set api.listen in the configuration, and start the daemon", "no token has been made yet: %w", err)
		}
		return a.print(file, func() string { return file.Path + "\n" })
	}}
}
