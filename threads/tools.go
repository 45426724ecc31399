package threads

import (
	"context"
	"encoding/json"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// tool is something that a model may ask for. It reads, and does nothing.
type tool struct {
	name, description string
	parameters        json.RawMessage // JSON Schema of an object
	call              func(ctx context.Context, look look, arguments json.RawMessage) (finding, error)
}

// look is what a tool sees of the tick.
type look struct{ snapshot subconscious.Snapshot }

// finding is what a tool brought back.
type finding struct {
	text  string
	shown []subconscious.Ref
}

func readFile(*Registry) tool    { return tool{name: "read_file"} }
func listEvents(*Registry) tool  { return tool{name: "list_events"} }
func health(*Registry) tool      { return tool{name: "health"} }
func searchNotes(*Registry) tool { return tool{name: "search_notes"} }
