package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// completeFrom completes the values of a flag, which the command has, from a
// list.
func completeFrom(cmd *cobra.Command, flag string, values []string) {
	// That the flag is not known cannot be.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func newCompletion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "print a script that completes commands, entries and threads",
		Long: `Prints a completion script for a shell:

  bash  subconsciousctl completion bash >~/.local/share/bash-completion/completions/subconsciousctl
  zsh   subconsciousctl completion zsh >"${fpath[1]}/_subconsciousctl"
  fish  subconsciousctl completion fish >~/.config/fish/completions/subconsciousctl.fish`,
		Args:        takes(1, 1),
		Annotations: map[string]string{needs: "the name of a shell"},
		ValidArgs:   []string{"bash", "zsh", "fish"},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.stdout)
			case "fish":
				return root.GenFishCompletion(a.stdout, true)
			}
			return &usageError{err: fmt.Errorf("there is no completion for %q", args[0]), next: "use bash, zsh or fish"}
		},
	}
}
