package screen

import (
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
)

// Undoing is a run that would be taken back, exactly as it was carried out.
func Undoing(view View, in api.ActionRun) string {
	p := newPage(view)
	p.line(p.in(bold, "This would be taken back"))
	p.runHead("  ", in)
	if len(in.Argv) > 0 {
		p.heading("Exactly this had run")
		p.vector(in.Argv)
	}
	return p.String()
}

// takingBack says what became of taking back a run.
func takingBack(in api.ActionRun) string {
	of := clean(in.UndoOf) + " (" + clean(in.Action) + ")"
	_, _, words := runMark(in.State)
	if back := strings.Replace(words, "carried out", "taken back", 1); back != words {
		return of + " " + back
	}
	return "Taking back " + of + " " + words
}
