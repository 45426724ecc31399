package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

// calibrationCommands show what was learnt from answers, and forget it.
func (a *app) calibrationCommands() map[string]command {
	var request api.CalibrationRequest
	var all bool
	return map[string]command{
		"calibration": {run: asking(a, "asking", api.GetCalibration, &api.Nothing{}, "Calibration")},
		"calibration reset": {
			flags: map[string]any{"thread": (*string)(&request.Thread), "source": &request.Source, "kind": (*string)(&request.Kind), "letters": &request.Letters, "all": &all},
			values: map[string]cobra.CompletionFunc{
				"thread": a.values(scores(func(s api.ScoreStatus) string { return string(s.Thread) })),
				"source": a.values(scores(func(s api.ScoreStatus) string { return s.Source })),
				"kind":   a.values(scores(func(s api.ScoreStatus) string { return string(s.Kind) })),
			},
			run: func(cmd *cobra.Command, _ []string) error {
				some := request != api.CalibrationRequest{}
				switch {
				case !some && !all:
					return &usageError{err: errors.New("reset needs to know what to forget"), next: "name a sort with --thread, --source or --kind, whose letters with --letters, or say --all"}
				case some && all:
					return &usageError{err: errors.New("--all takes no sort beside it"), next: "leave out --all, or the others"}
				}
				forgotten, err := ask(cmd.Context(), a, "forgetting", func(ctx context.Context, daemon *client.Client) (screen.Forgotten, error) {
					return forget(ctx, daemon, request)
				})
				if err != nil {
					return err
				}
				return a.show(forgotten, "Forgot")
			},
		},
	}
}

// forget resets scores and tells which there were: those that were there before
// and are not left.
func forget(ctx context.Context, daemon *client.Client, request api.CalibrationRequest) (screen.Forgotten, error) {
	before, err := client.Ask(ctx, daemon, api.GetCalibration, api.Nothing{})
	if err != nil {
		return screen.Forgotten{}, err
	}
	left, err := client.Ask(ctx, daemon, api.PostCalibration, request)
	if err != nil {
		return screen.Forgotten{}, err
	}
	forgotten := screen.Forgotten{Forgot: []api.ScoreStatus{}, Calibration: left}
	for _, score := range before.Scores {
		if request.Letters == "" && (request.Thread == "" || request.Thread == score.Thread) && (request.Source == "" || request.Source == score.Source) && (request.Kind == "" || request.Kind == score.Kind) {
			forgotten.Forgot = append(forgotten.Forgot, score)
		}
	}
	for _, habit := range before.Letters {
		if !slices.Contains(left.Letters, habit) {
			forgotten.ForgotLetters = append(forgotten.ForgotLetters, habit)
		}
	}
	return forgotten, nil
}

// scores asks for one part of the sorts that were learnt of, each once.
func scores(part func(api.ScoreStatus) string) list {
	return listed(api.GetCalibration, api.Nothing{}, func(calibration api.Calibration) (all []named) {
		for _, score := range calibration.Scores {
			if name := (named{id: part(score)}); !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
		return all
	})
}
