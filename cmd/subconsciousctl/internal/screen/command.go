package screen

import "github.com/subconsciousd/subconsciousd/api"

// Command says what became of a command.
func Command(view View, result api.CommandResult) string {
	p := newPage(view)
	switch {
	case result.Done != "":
		p.wrapped("", plain, sentence(result.Done))
	case result.Pending:
		p.wrapped("", plain, "For the next tick: "+CommandWords(result.Command))
	default:
		p.wrapped("", plain, "Done: "+CommandWords(result.Command)+".")
	}
	return p.String()
}

// Pause says whether ticks are stopped.
func Pause(view View, state api.PauseState) string {
	p := newPage(view)
	switch {
	case !state.Paused:
		p.line("It thinks again.")
	case state.Until.IsZero():
		p.wrapped("", plain, "Paused until you say: subconsciousctl resume")
	default:
		p.wrapped("", plain, "Paused; it goes on "+p.when(state.Until)+". Sooner: subconsciousctl resume")
	}
	return p.String()
}
