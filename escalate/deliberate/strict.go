package deliberate

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/subconsciousd/subconsciousd/escalate"
)

// maxArguments bounds what a model writes for one tool, in bytes.
const maxArguments = 16 << 10

// decode reads the arguments of a tool: one object of known fields, none of them
// twice. An error is in words for the model.
func decode(arguments string, into any) error {
	if len(arguments) > maxArguments {
		return fmt.Errorf("the arguments have %d bytes, and may have %d", len(arguments), maxArguments)
	}
	if _, err := escalate.Arguments([]byte(arguments)); err != nil {
		return err
	}
	decoder := json.NewDecoder(strings.NewReader(arguments))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("the arguments do not fit: %w", err)
	}
	return nil
}
