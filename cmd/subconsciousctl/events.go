package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
)

// eventCommands tell what changes.
func (a *app) eventCommands() map[string]command {
	var query api.EventsQuery
	var follow bool
	return map[string]command{"events": {flags: map[string]any{"after": &query.After, "follow": &follow}, run: func(cmd *cobra.Command, _ []string) error {
		if query.After < 0 {
			return &usageError{err: errors.New("--after takes the number of an event, or 0"), next: "take one from subconsciousctl events"}
		}
		query.End, query.Past = !follow, !follow || cmd.Flags().Changed("after")
		daemon, err := a.daemon()
		if err != nil {
			return err
		}
		return client.Follow(cmd.Context(), daemon, query, a.happened, func(err error) {
			// Nobody is told where that cannot be written.
			_, _ = fmt.Fprintf(a.stderr, "subconsciousctl: %s\n  → it is tried again, and nothing is missed\n", err)
		})
	}}}
}

// happened writes one event as a line.
func (a *app) happened(e api.Event) error {
	if a.json {
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("write an event: %w", err)
		}
		return a.write(string(line) + "\n")
	}
	text := strings.TrimRight(fmt.Sprintf("%6d  %s  %-12s  %s", e.ID, e.At.In(a.view().Zone).Format(time.DateTime), e.Kind, e.Of), " ")
	if e.Kind == api.EventReset {
		text = "what changed before is not kept any more"
	}
	return a.write(text + "\n")
}
