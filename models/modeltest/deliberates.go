package modeltest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
)

// deliberates has a script end a deliberation with the tools that it is offered,
// each tried once: what is refused is not asked for again. Where none is left it
// says that it is done, and rules tell the person.
func deliberates(otherwise Script, tools ...string) Script {
	return func(r Request) Reply {
		if !r.Wields() {
			return otherwise(r)
		}
		tried := r.called()
		for _, name := range tools {
			tool, offered := r.tool(name)
			if !offered || slices.Contains(tried, name) {
				continue
			}
			if arguments, ok := r.fill(tool); ok {
				return Reply{Calls: []models.ToolCall{{ID: fmt.Sprintf("call_%d", r.Number), Name: name, Arguments: arguments}}}
			}
		}
		return Reply{Text: "done"}
	}
}

// tool is one that is offered.
func (r Request) tool(name string) (models.Tool, bool) {
	i := slices.IndexFunc(r.Tools, func(t models.Tool) bool { return t.Name == name })
	if i < 0 {
		return models.Tool{}, false
	}
	return r.Tools[i], true
}

// called are the tools that were asked for before in this conversation.
func (r Request) called() (names []string) {
	for _, m := range r.Messages {
		for _, call := range m.Calls {
			names = append(names, call.Name)
		}
	}
	return names
}

// fill fills the arguments of a tool, as an honest model would that knows
// nothing of the world.
func (r Request) fill(tool models.Tool) (json.RawMessage, bool) {
	const reason = "A model that only pretends decided so."
	var arguments any
	switch tool.Name {
	case "notify_person":
		arguments = map[string]string{"text": "A model that only pretends has looked at it, and knows nothing more.", "reason": reason}
	case "propose_action":
		action, ok := firstAction(tool)
		if !ok {
			return nil, false
		}
		arguments = map[string]any{"action": action.name, "arguments": pretended(action.schema), "reason": reason}
	default:
		return json.RawMessage(Instance(tool.Parameters)), true
	}
	text, err := json.Marshal(arguments)
	return text, err == nil
}

// pretended are arguments that a schema allows, with a word where a text may not
// be left out.
func pretended(schema json.RawMessage) map[string]any {
	arguments := map[string]any{}
	if json.Unmarshal([]byte(Instance(schema)), &arguments) != nil {
		return nil
	}
	for name, value := range arguments {
		if value == "" {
			arguments[name] = "pretended"
		}
	}
	return arguments
}

// offeredAction is an action that can be proposed, and the schema of its
// arguments.
type offeredAction struct {
	name   string
	schema json.RawMessage
}

// firstAction reads the first action that the tool's description lists, as
// "- name: what it does. Arguments: {…}".
func firstAction(tool models.Tool) (offeredAction, bool) {
	for line := range strings.Lines(tool.Description) {
		name, rest, found := strings.Cut(strings.TrimPrefix(line, "- "), ": ")
		at := strings.Index(rest, "Arguments: ")
		if !strings.HasPrefix(line, "- ") || !found || at < 0 {
			continue
		}
		schema := strings.TrimSpace(rest[at+len("Arguments: "):])
		if json.Valid([]byte(schema)) {
			return offeredAction{name, json.RawMessage(schema)}, true
		}
	}
	return offeredAction{}, false
}
