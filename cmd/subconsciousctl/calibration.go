package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func newCalibration(a *app) *cobra.Command {
	group := &cobra.Command{
		Use:   "calibration",
		Short: "show what was learnt from your answers, and what that changes",
		Long: `Shows for each sort of thing (thread, sense and kind) what you said to being
told of it, the weight that this gives it, and how important such a thing must
be to be pushed now.`,
		Args: a.unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return show(cmd.Context(), a, "asking", put(api.GetCalibration, api.Nothing{}), screen.Calibration)
		},
	}
	group.AddCommand(newCalibrationReset(a))
	return group
}

func newCalibrationReset(a *app) *cobra.Command {
	var thread, source, kind string
	var all bool
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "forget what was learnt of a sort of thing, or of all",
		Long: `Forgets what was learnt from your answers, of the sorts of things that all given
flags match, and says what that was. It is forgotten at once and for good.`,
		Example: "  subconsciousctl calibration reset --source health --kind anomaly\n  subconsciousctl calibration reset --all",
		Args:    takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			request := api.CalibrationRequest{Thread: subconscious.ThreadName(thread), Source: source, Kind: subconscious.Kind(kind)}
			some := request != api.CalibrationRequest{}
			switch {
			case !some && !all:
				return &usageError{err: errors.New("reset needs to know what to forget"), next: "name a sort with --thread, --source or --kind, or say --all"}
			case some && all:
				return &usageError{err: errors.New("--all takes no sort beside it"), next: "leave out --all, or the others"}
			}
			return show(cmd.Context(), a, "forgetting", func(ctx context.Context, daemon *client.Client) (screen.Forgotten, error) {
				return forget(ctx, daemon, request)
			}, screen.Forgot)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&thread, "thread", "", "what this `THREAD` asked that you be told")
	flags.StringVar(&source, "source", "", "what is about things of this `SENSE`")
	flags.StringVar(&kind, "kind", "", "what is of this `KIND`")
	flags.BoolVar(&all, "all", false, "everything")
	for flag, part := range map[string]func(api.ScoreStatus) string{
		"thread": func(s api.ScoreStatus) string { return string(s.Thread) },
		"source": func(s api.ScoreStatus) string { return s.Source },
		"kind":   func(s api.ScoreStatus) string { return string(s.Kind) },
	} {
		a.completeScores(cmd, flag, part)
	}
	return cmd
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
		if (request.Thread == "" || request.Thread == score.Thread) && (request.Source == "" || request.Source == score.Source) && (request.Kind == "" || request.Kind == score.Kind) {
			forgotten.Forgot = append(forgotten.Forgot, score)
		}
	}
	return forgotten, nil
}

// completeScores completes a flag by one part of the sorts that were learnt of.
func (a *app) completeScores(cmd *cobra.Command, flag string, part func(api.ScoreStatus) string) {
	// That the flag is not known cannot be.
	_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return a.complete(cmd, begun, func(ctx context.Context, daemon *client.Client) ([]entry, error) {
			calibration, err := client.Ask(ctx, daemon, api.GetCalibration, api.Nothing{})
			var all []entry
			offered := map[string]bool{}
			for _, score := range calibration.Scores {
				if name := part(score); !offered[name] {
					offered[name] = true
					all = append(all, nameEntry(name, ""))
				}
			}
			return all, err
		})
	})
}
