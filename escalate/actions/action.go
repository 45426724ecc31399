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
	Name string `mapstructure:"id"`
	// Description says when to use it, for models and for people.
	Description string `mapstructure:"description"`
	// Command is the argument vector. The first is a program: an absolute path,
	// or a name that is looked for in a fixed list of folders. In the others
	// {param} stands for a value; {{ and }} are single braces. An argument with
	// an optional parameter is left out together with its value.
	//
	// It is never a shell line: a shell with -c is refused, as is a value behind a
	// program that runs others (env, ssh, find -exec) or reads a language, but for
	// a script, named from / on. What a program makes of its arguments is its own,
	// though: the text of "curl --data={text}" may begin with @.
	Command []string `mapstructure:"command"`
	Params  []Param  `mapstructure:"params"`
	// Folder is where the program runs, absolute; "" is the home folder.
	Folder string `mapstructure:"folder"`
	// Timeout is when the program and all of its process group are ended; 0 is
	// 30 s, and at most 10 min.
	Timeout time.Duration `mapstructure:"timeout"`
	// Env names the variables of the daemon that the program gets beside PATH,
	// HOME, LANG and TZ. Its PATH is the fixed one unless named here.
	Env []string `mapstructure:"env"`
	// Approval says when it waits for the person; "" is always.
	Approval escalate.Approval `mapstructure:"approval"`
	// Undo is an argument vector over the same parameters, offered for 10
	// minutes after a success; empty is none.
	Undo []string `mapstructure:"undo"`
	// PerHour and PerDay bound the runs in any hour and any 24 hours; 0 is 6
	// and 24. Undoing is not counted.
	PerHour int `mapstructure:"per_hour"`
	PerDay  int `mapstructure:"per_day"`
	// MaxOutput is how many bytes of the output are kept; 0 is 16,384.
	MaxOutput int `mapstructure:"max_output"`
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
	Name        string    `mapstructure:"id"`
	Type        ParamType `mapstructure:"type"` // "" is text
	Description string    `mapstructure:"description"`
	// Optional: it may be left out.
	Optional bool `mapstructure:"optional"`
	// MaxLength bounds a text, in characters; 0 is 1,000, and at most 16,384.
	MaxLength int `mapstructure:"max_length,omitempty"`
	// Multiline: a text may have line ends and tabs.
	Multiline bool `mapstructure:"multiline"`
	// Pattern is a regular expression (RE2) that the whole of a text matches; ""
	// is any text.
	Pattern string `mapstructure:"pattern"`
	// Min and Max bound a number. Where a number begins an argument, one below 0
	// needs a Min that allows it.
	Min *float64 `mapstructure:"min"`
	Max *float64 `mapstructure:"max"`
	// Choices are the values of a choice.
	Choices []string `mapstructure:"choices"`
	// Root is the folder of a path, absolute. Links that lead out of it, and
	// absolute links, are refused.
	Root string `mapstructure:"root"`
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
