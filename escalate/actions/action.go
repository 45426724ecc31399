package actions

import (
	"cmp"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
)

// Action is one configured action.
type Action struct {
	// Name is a word, [a-z][a-z0-9-]*, at most 32 bytes. Models see it.
	Name        string `mapstructure:"id" about:"Its name: a-z, 0-9 and -, beginning with a letter."`
	Description string `mapstructure:"description" about:"When to use it, for models and for you."`
	// Command is the argument vector. The first is a program: an absolute path,
	// or a name that is looked for in a fixed list of folders. In the others
	// {param} stands for a value; {{ and }} are single braces. An argument with
	// an optional parameter is left out together with its value.
	//
	// It is never a shell line: a shell with -c is refused, as is a value behind a
	// program that runs others (env, ssh, find -exec) or reads a language, but for
	// a script, named from / on. What a program makes of its arguments is its own,
	// though: the text of "curl --data={text}" may begin with @.
	Command []string      `mapstructure:"command" about:"The program and its arguments, one by one and never a shell line; {name} stands for a parameter."`
	Params  []Param       `mapstructure:"params" about:"What the arguments are made of."`
	Folder  string        `mapstructure:"folder" path:"folder" about:"Where the program runs; left out: your home folder."`
	Timeout time.Duration `mapstructure:"timeout" about:"After how long it is ended, with all that it started: 1s to 10m; left out: 30s."`
	// Env names the variables of the daemon that the program gets beside PATH,
	// HOME, LANG and TZ. Its PATH is the fixed one unless named here.
	Env      []string          `mapstructure:"env" about:"Names of variables that it gets, beside PATH, HOME, LANG and TZ."`
	Approval escalate.Approval `mapstructure:"approval" about:"When it waits for you: always (the default), tainted (where a word of a stranger or an agent was shown) or never (only where a stranger's was)."`
	Undo     []string          `mapstructure:"undo" about:"The program and arguments that take it back, offered for 10 minutes."`
	// PerHour and PerDay bound the runs in any hour and any 24 hours; 0 is 6
	// and 24. Undoing is not counted.
	PerHour int `mapstructure:"per_hour" about:"How often it may run within any hour; left out: 6."`
	PerDay  int `mapstructure:"per_day" about:"How often it may run within any 24 hours; left out: 24."`
	// MaxOutput is how many bytes of the output are kept; 0 is 16,384.
	MaxOutput int `mapstructure:"max_output" about:"How many bytes of its output are kept; left out: 16384."`
}

// ParamType is what a parameter takes.
type ParamType string

// The types. Each takes a JSON string but integer, number and boolean.
const (
	Text    ParamType = "text"
	Integer ParamType = "integer"
	Number  ParamType = "number"
	Boolean ParamType = "boolean" // true or false
	Choice  ParamType = "choice"  // one of Choices
	Date    ParamType = "date"    // YYYY-MM-DD
	Path    ParamType = "path"    // of what is below Root, or could be made there
)

// Param is one parameter of an action.
type Param struct {
	// Name is a word, [a-z][a-z0-9_]*, at most 32 bytes.
	Name        string    `mapstructure:"id" about:"Its name in the command: a-z, 0-9 and _."`
	Type        ParamType `mapstructure:"type" about:"text (the default), integer, number, boolean, choice, date (YYYY-MM-DD) or path."`
	Description string    `mapstructure:"description" about:"What it means, for models and for you."`
	Optional    bool      `mapstructure:"optional" about:"Whether it may be left out."`
	// MaxLength bounds a text, in characters; 0 is 1,000, and at most 16,384.
	MaxLength int    `mapstructure:"max_length,omitempty" about:"The longest text, in characters; left out: 1000."`
	Multiline bool   `mapstructure:"multiline" about:"Whether a text may have line ends and tabs."`
	Pattern   string `mapstructure:"pattern" about:"A regular expression (RE2) that the whole of a text must match."`
	// Min and Max bound a number. Where a number begins an argument, one below 0
	// needs a Min that allows it.
	Min     *float64 `mapstructure:"min" about:"The least number."`
	Max     *float64 `mapstructure:"max" about:"The greatest number."`
	Choices []string `mapstructure:"choices" about:"The values of a choice."`
	// Root is the folder of a path, absolute. Links that lead out of it, and
	// absolute links, are refused.
	Root string `mapstructure:"root" path:"folder" about:"The folder of a path, which cannot lead out of it."`
}

// NamePattern and ParamPattern are what the names of actions and of parameters
// match; NameFix and ParamFix say so.
const (
	NamePattern  = `^[a-z][a-z0-9-]{0,31}$`
	ParamPattern = `^[a-z][a-z0-9_]{0,31}$`
	NameFix      = "use up to 32 of a-z, 0-9 and -, beginning with a letter"
	ParamFix     = "use up to 32 of a-z, 0-9 and _, beginning with a letter"
)

const (
	maxActions     = 64
	maxParams      = 32
	maxVector      = 64
	maxArgument    = 4096 // bytes of one argument as configured
	maxEnv         = 64
	maxChoices     = 64
	maxDescription = 1000
	maxLength      = 16_384
	maxPattern     = 1000
	maxTimeout     = 10 * time.Minute
	maxRuns        = 1000
	maxOutput      = 1 << 20

	defaultLength  = 1000
	defaultTimeout = 30 * time.Second
	defaultPerHour = 6
	defaultPerDay  = 24
	defaultOutput  = 16 << 10
)

// WithDefaults returns the action with what is left out set, as far as it is
// used.
func (a Action) WithDefaults() Action {
	a.PerHour = cmp.Or(a.PerHour, defaultPerHour)
	a.PerDay = cmp.Or(a.PerDay, defaultPerDay)
	a.MaxOutput = cmp.Or(a.MaxOutput, defaultOutput)
	a.Timeout = cmp.Or(a.Timeout, defaultTimeout)
	a.Approval = cmp.Or(a.Approval, escalate.ApproveAlways)
	a.Params = slices.Clone(a.Params)
	for i := range a.Params {
		p := &a.Params[i]
		if p.Type = cmp.Or(p.Type, Text); p.Type == Text {
			p.MaxLength = cmp.Or(p.MaxLength, defaultLength)
		}
	}
	return a
}

// filled returns the action with every default set. What it returns is hashed
// into what is approved.
func (a Action) filled() Action {
	a = a.WithDefaults()
	a.Params = append([]Param{}, a.Params...)
	for i := range a.Params {
		a.Params[i].MaxLength = cmp.Or(a.Params[i].MaxLength, defaultLength)
	}
	return a
}

// param returns the parameter with that name; nil where there is none.
func (a Action) param(name string) *Param {
	for i := range a.Params {
		if a.Params[i].Name == name {
			return &a.Params[i]
		}
	}
	return nil
}
