package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/internal/trusted"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/store"
)

// configuration looks at the file and what is in it.
func (e *examination) configuration() {
	const name = "file"
	var wrong setup.Errors
	switch {
	case errors.As(e.Wrong, &wrong) && len(wrong) > 0:
		first := wrong[0]
		if first.Code == setup.CodeUntrusted {
			e.add(Broken, name, first.Problem, first.Fix)
			return
		}
		e.add(Broken, name, fmt.Sprintf("%d mistakes in %s, the first on line %d: %s: %s", len(wrong), e.File, first.Line, first.Key, first.Problem),
			first.Fix+"; subconsciousctl config check shows them all")
		return
	case e.Wrong != nil:
		e.add(Broken, name, e.Wrong.Error(), "name another with --config FILE")
		return
	case !e.Exists:
		e.add(Note, name, "there is none; the defaults hold", "make one with subconsciousctl init")
		return
	}
	e.add(OK, name, e.File+" is right", "")
}

// paths looks whether what senses look at is there. Transcripts, and files of
// secrets, are looked at where they are used.
func (e *examination) paths() {
	var absent []string
	lacking, _ := setup.Check(e.File, e.Env) // what is wrong is said of the file
	for _, l := range lacking {
		if l.Code == setup.CodeAbsent && strings.HasPrefix(l.Key, "senses.") && !strings.HasPrefix(l.Key, "senses.conversation") {
			absent = append(absent, l.Key+": "+l.Problem)
		}
	}
	if len(absent) > 0 {
		e.add(Degraded, "folders", strings.Join(absent, "; "), "make them, or correct the paths: subconsciousctl config check")
	}
}

// prompts looks at the templates that override the shipped ones.
func (e *examination) prompts() {
	dir := setup.PromptsDir(e.File)
	set, err := prompts.Open(dir)
	var wrong *trusted.Error
	switch {
	case errors.As(err, &wrong):
		e.add(Broken, "prompts", wrong.Text, wrong.Next)
		return
	case err != nil:
		e.add(Broken, "prompts", strings.ReplaceAll(err.Error(), "\n", "; "), "mend the template, or remove it to get the shipped one; subconsciousctl prompts diff shows what differs")
		return
	}
	own := 0
	for _, name := range set.Names() {
		if source, _ := set.Source(name); source.Path != "" {
			own++
		}
	}
	if stray := strays(dir, set.Names()); len(stray) > 0 {
		e.add(Note, "prompts", "no template is called "+strings.Join(stray, ", ")+", so that it is not used",
			"call it as one of "+strings.Join(set.Names(), ", ")+", with .md behind it")
	}
	if own == 0 {
		e.add(OK, "prompts", "the shipped ones", "")
		return
	}
	e.add(OK, "prompts", fmt.Sprintf("%d of your own in %s", own, dir), "")
}

// strays are the files in the folder of templates that take no template's place.
func strays(dir string, names []string) []string {
	found, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return nil // no pattern; the folder is named oddly
	}
	var stray []string
	for _, path := range found {
		if name := filepath.Base(path); !slices.Contains(names, strings.TrimSuffix(name, ".md")) {
			stray = append(stray, name)
		}
	}
	return stray
}

// stateDir looks at the folder of the mind.
func (e *examination) stateDir() {
	const name = "state folder"
	var wrong *trusted.Error
	info, err := os.Stat(e.StateDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.add(Note, name, e.StateDir+" is not there yet; the daemon makes it", "start it: subconsciousd")
	case err != nil:
		e.add(Broken, name, fmt.Sprintf("%s cannot be looked at: %v", e.StateDir, err), "check its permissions and those of the folders above it")
	case !info.IsDir():
		e.add(Broken, name, e.StateDir+" is no folder", "move the file away, or set state_dir to another path")
	case errors.As(trusted.Path(e.StateDir), &wrong):
		e.add(Broken, name, wrong.Text, wrong.Next)
	case info.Mode().Perm()&0o077 != 0:
		e.add(Broken, name, fmt.Sprintf("others can open %s (mode %#o)", e.StateDir, info.Mode().Perm()), "run: chmod 700 "+e.StateDir)
	default:
		e.writable(name)
	}
}

// writable tries to make a file in the state folder.
func (e *examination) writable(name string) {
	file, err := os.CreateTemp(e.StateDir, ".doctor-*")
	if err == nil {
		err = errors.Join(file.Close(), os.Remove(file.Name()))
	}
	if err != nil {
		e.add(Broken, name, fmt.Sprintf("nothing can be written to %s: %v", e.StateDir, err),
			fmt.Sprintf("give it to this user: sudo chown -R %d %s && chmod 700 %s; its disk has to take writes", os.Geteuid(), e.StateDir, e.StateDir))
		return
	}
	e.add(OK, name, e.StateDir+" is yours alone", "")
}

// daemonWithin is how long a daemon may take to answer.
const daemonWithin = 5 * time.Second

// daemon asks the daemon how it is.
func (e *examination) daemon(ctx context.Context) {
	const name = "daemon"
	if e.Daemon == nil {
		e.add(Skipped, name, "not asked", "")
		return
	}
	ctx, done := context.WithTimeout(ctx, daemonWithin)
	defer done()
	status, err := e.Daemon.Status(ctx)
	var foreign *api.Error
	switch {
	case errors.As(err, &foreign):
		e.add(Broken, name, foreign.Text, foreign.Next)
		return
	case err != nil:
		e.add(Degraded, name, "it does not answer: "+err.Error(), "start it: subconsciousd, or as a service (docs/service.md)")
		return
	}
	e.status = &status
	for _, n := range status.Notices {
		if n.Code == api.NoticeConfiguration {
			e.add(Degraded, "restart", n.Text, n.Next)
		}
	}
	var troubles []string
	for _, s := range status.Senses {
		if s.State == "blind" {
			troubles = append(troubles, "the sense "+s.ID+" is blind: "+s.Error)
		}
	}
	for _, t := range status.Threads {
		if t.State == "failed" {
			troubles = append(troubles, "the thread "+t.Name+" failed: "+t.Reason)
		}
	}
	if status.Tick.Error != "" {
		troubles = append(troubles, "the last tick failed: "+status.Tick.Error)
	}
	if len(troubles) > 0 {
		e.add(Degraded, name, strings.Join(troubles, "; "), "see subconsciousctl status")
		return
	}
	words := fmt.Sprintf("it runs, version %s, process %d", status.Version, status.Mind.PID)
	if status.Mind.Paused {
		e.add(Note, name, words+", paused", "let it go on: subconsciousctl resume")
		return
	}
	e.add(OK, name, words, "")
}

// databaseName is the database in the state folder.
const databaseName = "mind.db"

// database reads the whole database.
func (e *examination) database(ctx context.Context) {
	const name = "database"
	path := filepath.Join(e.StateDir, databaseName)
	err := store.CheckFile(ctx, path)
	var known *store.Error
	switch {
	case err == nil:
		e.add(OK, name, path+" is whole", "")
	case errors.Is(err, fs.ErrNotExist):
		e.add(Note, name, "there is none yet; the daemon makes it", "start it: subconsciousd")
	case errors.As(err, &known):
		e.add(Broken, name, known.Text, known.Next)
	default:
		e.add(Broken, name, err.Error(), "stop the daemon, and put the newest of the folder backups in its place")
	}
}
