package actions

// Found says where the programs of an action are on this machine, or why it
// cannot be run.
type Found struct {
	// Name is the action's; Program and Undo are absolute, Undo "" for none.
	Name, Program, Undo string
	// Problem is nil where the action can be run.
	Problem *Error
}

// Find looks for the programs of actions, which have passed Validate, as an
// Engine does. It runs nothing. Folders are those that programs are looked for
// in; nil is DefaultPath.
func Find(actions []Action, folders []string) []Found {
	if folders == nil {
		folders = DefaultPath()
	}
	all := make([]Found, 0, len(actions))
	for _, a := range actions {
		found := Found{Name: a.Name}
		found.Program, found.Problem = program(a.Command, folders)
		if len(a.Undo) > 0 && found.Problem == nil {
			found.Undo, found.Problem = program(a.Undo, folders)
		}
		all = append(all, found)
	}
	return all
}

// program finds the program of a vector that was not looked at yet.
func program(vector []string, folders []string) (string, *Error) {
	parsed, err := parseVector(vector)
	if err != nil || len(vector) == 0 {
		return "", &Error{Code: CodeUnavailable, Text: "its command cannot be read", Next: "see subconsciousctl config check"}
	}
	return locate(vector, parsed, folders)
}
