package source

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/program"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Config is what the person says of a source: what it may report, and what that
// is worth. Nothing of it is the source's own to say.
type Config struct {
	ID      string             `mapstructure:"id" about:"A short name of your choice: lower-case letters, digits, - and _."`
	Trust   subconscious.Trust `mapstructure:"trust" about:"Whose word it is: owner, machine, agent or outsider; left out: outsider, of whom you hear in a digest at most."`
	Kinds   []Kind             `mapstructure:"kinds" about:"What it may report."`
	PerHour int                `mapstructure:"per_hour" about:"How much new it may report within an hour; left out: 60."`
}

// Kind is one kind of thing that a source reports.
type Kind struct {
	ID       string        `mapstructure:"id" about:"Its name, as the source writes it."`
	Severity Level         `mapstructure:"severity" about:"What it is worth: plain (the default), notable (a line of the digest), and of your own or the machine's word warning (a push) or critical (also in quiet hours, while it stands)."`
	Stands   time.Duration `mapstructure:"stands" about:"How long it stands after it was last reported, up to 8784h; left out: it happens and does not stand, unless complete says so."`
	Due      bool          `mapstructure:"due" about:"Whether it may name a time by which it is due."`
}

// ExecConfig is a command whose output is a source.
type ExecConfig struct {
	Config   `mapstructure:",squash"`
	Command  []string      `mapstructure:"command" about:"The program and its arguments, one by one and never a shell line; it prints one JSON object a line."`
	Every    time.Duration `mapstructure:"every" about:"How often it is run, at ticks: 1m to 24h; left out: 5m."`
	Timeout  time.Duration `mapstructure:"timeout" about:"After how long it is ended, with all that it started: 1s to 15s; left out: 10s."`
	Folder   string        `mapstructure:"folder" path:"folder" about:"Where it runs, no folder of secrets; left out: /."`
	Env      []string      `mapstructure:"env" about:"Names of variables that it gets, beside PATH, HOME, LANG and TZ."`
	Complete bool          `mapstructure:"complete" about:"Whether it prints all that stands: what it does not print any more is gone, where it ended well."`
}

// Level is a severity as a configuration writes it.
type Level string

// Levels are all of them, from the least.
var Levels = []string{"plain", "notable", "warning", "critical"}

// Severity of a level; plain where there is none.
func (l Level) Severity() subconscious.Severity {
	return subconscious.Severity(max(slices.Index(Levels, string(l)), 0))
}

const (
	maxStands  = 366 * 24 * time.Hour
	maxPerHour = 3600
	perHour    = 60

	every, leastEvery, maxEvery       = 5 * time.Minute, time.Minute, 24 * time.Hour
	timeout, leastTimeout, maxTimeout = 10 * time.Second, time.Second, 15 * time.Second
)

// ours: it is the person's word, or the machine's.
func (c Config) ours() bool {
	return c.Trust == subconscious.Owner || c.Trust == subconscious.Machine
}

// Validate returns errors that name the key.
func (c Config) Validate() error {
	var f senses.Faults
	f.Where(len(c.Kinds) == 0, "kinds: there is none; name what it reports, as [{id: ring, severity: notable}]")
	f.Where(c.PerHour < 0 || c.PerHour > maxPerHour, "per_hour: is %d; it must be 1 to %d, or left out for %d", c.PerHour, maxPerHour, perHour)
	for i, k := range c.Kinds {
		f.Where(k.Stands < 0 || k.Stands > maxStands, "kinds[%d].stands: is %s; it must be up to %s, or left out", i, k.Stands, maxStands)
		f.Where(!c.ours() && k.Severity.Severity() > subconscious.Notable, "kinds[%d].severity: %q is no outsider's or agent's to say; write trust: machine beside the id if you vouch for the source, or severity: notable", i, k.Severity)
		f.Where(!c.ours() && k.Due, "kinds[%d].due: when you have to act is no outsider's or agent's to say; write trust: machine beside the id if you vouch for the source, or leave it out", i)
		f.Where(k.Due && k.Stands == 0, "kinds[%d].due: what is due stands until then; say for how long at most with stands", i)
	}
	return errors.Join(f...)
}

// secretive are folders that hold credentials.
var secretive = strings.Fields(".ssh .gnupg .password-store .aws .azure .kube .docker gcloud keyrings keys credentials")

// Validate returns errors that name the key.
func (c ExecConfig) Validate() error {
	f := senses.Faults{c.Config.Validate()}
	switch shell := shellLine(c.Command); {
	case len(c.Command) == 0 || c.Command[0] == "":
		f.Add("command: is empty; write a list, as [/home/anna/bin/checks, --all]")
	case !filepath.IsAbs(c.Command[0]) && strings.ContainsAny(c.Command[0], "/ \t\n"):
		f.Add("command: %.60q is no program; write it from / on, or a bare name, with each argument as an item of its own", c.Command[0])
	case shell != "":
		f.Add("command: %s -c is a shell line; name the program and its arguments one by one, or a script file", shell)
	}
	between := func(key string, d, least, most, left time.Duration) {
		f.Where(d != 0 && (d < least || d > most), "%s: is %s; it must be %s to %s, or left out for %s", key, d, least, most, left)
	}
	between("every", c.Every, leastEvery, maxEvery, every)
	between("timeout", c.Timeout, leastTimeout, maxTimeout, timeout)
	parts := strings.Split(c.Folder, "/")
	f.Where(slices.ContainsFunc(secretive, func(name string) bool { return slices.Contains(parts, name) }), "folder: %q holds credentials; let it run in another folder", c.Folder)
	return errors.Join(f...)
}

// shellLine names the shell that would read a line in a vector; "" for none.
func shellLine(vector []string) string {
	for i, word := range vector {
		if name := filepath.Base(word); program.IsShell(name) && slices.ContainsFunc(vector[i+1:], program.IsCommandOption) {
			return name
		}
	}
	return ""
}
