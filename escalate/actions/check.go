package actions

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/program"
)

// Bound is an action with arguments that fit it.
type Bound struct {
	Action string
	// Arguments are canonical: an object with sorted keys, each value in its one
	// form. Binding them again gives the same.
	Arguments json.RawMessage
	// Argv is exactly what would run, the program first; empty for a builtin.
	Argv   []string
	Folder string
	// Hash is the hex SHA-256 over the name, the definition and the arguments.
	Hash string

	undo []string
	does *prepared
}

// of is what was asked for, with what it is bound to.
func (b Bound) of(asked escalate.Act) Exact {
	asked.Action, asked.Arguments = b.Action, b.Arguments
	return Exact{Act: asked, Argv: b.Argv, Folder: b.Folder, Hash: b.Hash}
}

// prepared is an action that was looked at: its vectors are parsed, and its
// program found.
type prepared struct {
	action   Action // filled
	builtin  *Builtin
	command  []argument
	undo     []argument
	patterns []*regexp.Regexp // of the parameters
	program  string           // absolute
	undoer   string
	folder   string
	schema   json.RawMessage
	// definition is all of it that decides what runs, hashed.
	definition [sha256.Size]byte
	problem    *Error // why it cannot be run; nil where it can
}

func (e *Engine) prepare(a Action) (*prepared, error) {
	a = a.filled()
	p := &prepared{action: a, folder: a.Folder}
	var err error
	if p.command, err = parseVector(a.Command); err != nil {
		return nil, err
	}
	if p.undo, err = parseVector(a.Undo); err != nil {
		return nil, err
	}
	if p.folder == "" {
		p.folder = e.home()
	}
	found := a.found(e.Path)
	p.program, p.undoer, p.problem = found.Program, found.Undo, found.Problem
	return p, p.finish()
}

func prepareBuiltin(b Builtin) (*prepared, error) {
	if !builtinPattern().MatchString(b.Name) || b.Do == nil {
		return nil, fmt.Errorf("%q cannot be an action of the daemon", b.Name)
	}
	if errs := checkParams(b.Params); len(errs) > 0 {
		return nil, fmt.Errorf("%s: %w", b.Name, errors.Join(errs...))
	}
	a := Action{Name: b.Name, Description: b.Description, Params: b.Params, PerHour: maxRuns, PerDay: maxRuns}.filled()
	p := &prepared{action: a, builtin: &b}
	return p, p.finish()
}

// finish fills in what follows from the rest.
func (p *prepared) finish() error {
	for _, param := range p.action.Params {
		pattern, err := compilePattern(param.Pattern)
		if err != nil {
			return err
		}
		p.patterns = append(p.patterns, pattern)
	}
	p.schema = p.action.Schema()
	definition, err := json.Marshal(struct {
		Version         int
		Name            string
		Builtin         bool
		Program, Undoer string
		Command, Undo   []string
		Params          []Param
		Folder          string
		Env             []string
		Timeout         time.Duration
	}{1, p.action.Name, p.builtin != nil, p.program, p.undoer, p.action.Command, p.action.Undo, p.action.Params, p.folder, p.action.Env, p.action.Timeout})
	p.definition = sha256.Sum256(definition)
	return err
}

// home is the folder in which actions run that name none.
func (e *Engine) home() string {
	if home, ok := e.Environ("HOME"); ok && filepath.IsAbs(home) {
		return filepath.Clean(home)
	}
	return "/"
}

// DefaultPath are the folders in which programs are looked for.
func DefaultPath() []string { return program.DefaultPath() }

// locate finds the program of a vector. What others may write to is not run.
func (a Action) locate(argv, folders []string) (string, *Error) {
	parsed, err := parseVector(argv)
	if err != nil || len(argv) == 0 {
		return "", &Error{Code: CodeUnavailable, Text: "its command cannot be read", Next: "see subconsciousctl config check"}
	}
	path, real, problem, next := program.Find(argv[0], folders)
	if problem != "" {
		return "", &Error{Code: CodeUnavailable, Text: problem, Next: next}
	}
	if why := shellLine(argv, a.free(parsed), baseName(real)); why != "" {
		return "", &Error{Code: CodeUnavailable, Text: why, Next: "change its command"}
	}
	return path, nil
}

// Check binds arguments, a JSON object, to the action of that name as it is
// configured now. Nothing is split, expanded or looked up in them. An *Error
// says what does not fit.
func (e *Engine) Check(name string, arguments json.RawMessage) (Bound, error) {
	p, err := e.find(name)
	if err != nil {
		return Bound{}, err
	}
	if p.problem != nil {
		return Bound{}, p.problem
	}
	b, err := p.bind(arguments, e.guards)
	if err == nil {
		err = e.noSecrets(p, b)
	}
	if err != nil {
		return Bound{}, refuse(CodeInvalid, "correct them, or do without the action", "the arguments of %s: %v", p.action.Name, err)
	}
	return b, nil
}

// bind fills in everything.
func (p *prepared) bind(arguments json.RawMessage, g guards) (Bound, error) {
	given, err := decode(arguments)
	if err != nil {
		return Bound{}, err
	}
	values, err := p.values(given, g)
	if err != nil {
		return Bound{}, err
	}
	b := Bound{Action: p.action.Name, Folder: p.folder, does: p}
	if b.Arguments, err = canonical(values); err != nil {
		return Bound{}, err
	}
	if p.builtin == nil {
		if b.Argv, err = vector(p.program, p.command, values, g); err != nil {
			return Bound{}, err
		}
	}
	if p.undoer != "" {
		if b.undo, err = vector(p.undoer, p.undo, values, g); err != nil {
			return Bound{}, err
		}
	}
	sum := sha256.New()
	sum.Write(p.definition[:])
	sum.Write(b.Arguments)
	b.Hash = hex.EncodeToString(sum.Sum(nil))
	return b, nil
}

// canonical writes the values with sorted keys.
func canonical(values map[string]value) (json.RawMessage, error) {
	object := map[string]any{}
	for name, v := range values {
		object[name] = v.canonical
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// noSecrets refuses free text that would be redacted: arguments are stored as
// they are, and secrets are not stored.
func (e *Engine) noSecrets(p *prepared, b Bound) error {
	given, err := decode(b.Arguments)
	if err != nil {
		return err
	}
	for _, param := range p.action.Params {
		if text, ok := given[param.Name].(string); ok && param.Type == Text && e.Redact(text) != text {
			return fmt.Errorf("%s holds what looks like a secret", param.Name)
		}
	}
	return nil
}

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
		all = append(all, a.found(folders))
	}
	return all
}

func (a Action) found(folders []string) Found {
	found := Found{Name: a.Name}
	if found.Program, found.Problem = a.locate(a.Command, folders); found.Problem == nil && len(a.Undo) > 0 {
		found.Undo, found.Problem = a.locate(a.Undo, folders)
	}
	return found
}
