package main

import (
	"context"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

// command sends one command and says what became of it. Where it names an
// entry, the first letters of its id are enough.
func (a *app) command(ctx context.Context, request api.CommandRequest) error {
	result, err := ask(ctx, a, "asking", func(ctx context.Context, daemon *client.Client) (api.CommandResult, error) {
		if request.Entry != "" {
			id, err := resolve(ctx, daemon, string(request.Entry))
			if err != nil {
				return api.CommandResult{}, err
			}
			request.Entry = id
		}
		return daemon.Command(ctx, request)
	})
	if err != nil {
		return err
	}
	return a.print(result, func(v screen.View) string { return screen.Command(v, result) })
}
