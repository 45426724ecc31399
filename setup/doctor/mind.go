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

	"github.com/dustin/go-humanize/english"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/internal/trusted"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/store"
)

// configuration looks at the file and what is in it.
func (e *examination) configuration(context.Context) {
	wrong, _ := errors.AsType[setup.Errors](e.Wrong)
	first := &setup.Error{}
	if len(wrong) > 0 {
		first = wrong[0]
	}
	e.say("file",
		row{first.Code == setup.CodeUntrusted, Broken, first.Problem, first.Fix},
		row{len(wrong) > 0, Broken, fmt.Sprintf("%s in %s, the first on line %d: %s: %s", english.Plural(len(wrong), "mistake", ""), e.File, first.Line, first.Key, first.Problem),
			first.Fix + "; subconsciousctl config check shows them all"},
		row{e.Wrong != nil, Broken, fmt.Sprint(e.Wrong), "name another with --config FILE"},
		row{!e.Exists, Note, "there is none; the defaults hold", "make one with subconsciousctl init"},
		row{true, OK, e.File + " is right", ""})
}

// paths looks whether what senses look at is there. Transcripts, and files of
// secrets, are looked at where they are used.
func (e *examination) paths(context.Context) {
	var absent []string
	for _, l := range setup.Check(e.File, e.Env) { // what is wrong is said of the file
		if l.Code == setup.CodeAbsent && strings.HasPrefix(l.Key, "senses.") && !strings.HasPrefix(l.Key, "senses.conversation") {
			absent = append(absent, l.Key+": "+l.Problem)
		}
	}
	if len(absent) > 0 {
		e.add(Degraded, "folders", strings.Join(absent, "; "), "make them, or correct the paths: subconsciousctl config check")
	}
}

// prompts looks at the templates that override the shipped ones.
func (e *examination) prompts(context.Context) {
	const name = "prompts"
	dir := setup.PromptsDir(e.File)
	set, err := prompts.Open(dir)
	if wrong, open := errors.AsType[*trusted.Error](err); open {
		e.add(Broken, name, wrong.Text, wrong.Next)
		return
	} else if err != nil {
		e.add(Broken, name, strings.ReplaceAll(err.Error(), "\n", "; "), "mend the template, or remove it to get the shipped one; subconsciousctl prompts diff shows what differs")
		return
	}
	own := 0
	for _, template := range set.Names() {
		if source, _ := set.Source(template); source.Path != "" {
			own++
		}
	}
	stray := strays(dir, set.Names())
	e.say(name, row{len(stray) > 0, Note, "no template is called " + strings.Join(stray, ", ") + ", so that it is not used",
		"call it as one of " + strings.Join(set.Names(), ", ") + ", with .md behind it"})
	e.say(name, row{own == 0, OK, "the shipped ones", ""}, row{true, OK, fmt.Sprintf("%d of your own in %s", own, dir), ""})
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
func (e *examination) stateDir(context.Context) {
	dir := e.StateDir
	info, err := os.Stat(dir)
	if err != nil {
		e.say("state folder",
			row{errors.Is(err, fs.ErrNotExist), Note, dir + " is not there yet; the daemon makes it", "start it: subconsciousd"},
			row{true, Broken, fmt.Sprintf("%s cannot be looked at: %v", dir, err), "check its permissions and those of the folders above it"})
		return
	}
	wrong, open := errors.AsType[*trusted.Error](trusted.Path(dir))
	if !open {
		wrong = &trusted.Error{}
	}
	mode := info.Mode().Perm()
	if info.IsDir() && !open && mode&0o077 == 0 {
		err = e.writable()
	}
	e.say("state folder",
		row{!info.IsDir(), Broken, dir + " is no folder", "move the file away, or set state_dir to another path"},
		row{open, Broken, wrong.Text, wrong.Next},
		row{mode&0o077 != 0, Broken, fmt.Sprintf("others can open %s (mode %#o)", dir, mode), "run: chmod 700 " + dir},
		row{err != nil, Broken, fmt.Sprintf("nothing can be written to %s: %v", dir, err),
			fmt.Sprintf("give it to this user: sudo chown -R %d %s && chmod 700 %s; its disk has to take writes", os.Geteuid(), dir, dir)},
		row{true, OK, dir + " is yours alone", ""})
}

// writable tries to make a file in the state folder.
func (e *examination) writable() error {
	file, err := os.CreateTemp(e.StateDir, ".doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
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
	if known, ok := errors.AsType[*api.Error](err); ok {
		e.add(Broken, name, known.Text, known.Next)
		return
	} else if err != nil {
		e.add(Degraded, name, "it does not answer: "+err.Error(), "start it: subconsciousd, or as a service: subconsciousctl service install")
		return
	}
	e.status, e.runs = status, true
	for _, n := range status.Notices {
		e.say("taken up", row{n.Code == api.NoticeConfiguration, Degraded, n.Text, n.Next})
		e.say("backup", row{n.Code == api.NoticeBackup, Degraded, n.Text, n.Next})
	}
	if b := status.Backup; b != nil && !b.Checked.IsZero() {
		when := b.File + ", checked " + b.Checked.In(e.zone()).Format("Mon 2 Jan")
		e.say("backup check",
			row{b.Error != "", Degraded, when + ": " + b.Error, b.Next},
			row{b.Restored, OK, when + ": restored aside, and whole", ""},
			row{true, Note, when + ": as it was made, and not restored, as its key is not here", "set backup.identity_file, or restore it once elsewhere"})
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
	words := fmt.Sprintf("it runs, version %s, process %d", status.Version, status.Mind.PID)
	e.say(name,
		row{len(troubles) > 0, Degraded, strings.Join(troubles, "; "), "see subconsciousctl status"},
		row{status.Mind.Paused, Note, words + ", paused", "let it go on: subconsciousctl resume"},
		row{true, OK, words, ""})
}

// databaseName is the database in the state folder.
const databaseName = "mind.db"

// database reads the whole database.
func (e *examination) database(ctx context.Context) {
	const name = "database"
	path := filepath.Join(e.StateDir, databaseName)
	err := store.CheckFile(ctx, path)
	known, ok := errors.AsType[*store.Error](err)
	if !ok {
		known = &store.Error{}
	}
	e.say(name,
		row{err == nil, OK, path + " is whole", ""},
		row{errors.Is(err, fs.ErrNotExist), Note, "there is none yet; the daemon makes it", "start it: subconsciousd"},
		row{ok, Broken, known.Text, known.Next},
		row{true, Broken, fmt.Sprint(err), "stop the daemon, and put the newest backup in its place: subconsciousctl restore FILE"})
}

// backups looks at those that are made each day.
func (e *examination) backups(context.Context) {
	c := e.Config.Backup
	newest, err := c.Newest(e.Now())
	known, ok := errors.AsType[*store.Error](err)
	if !ok {
		known = &store.Error{Text: fmt.Sprint(err), Next: "look at the folder, or correct backup.folder"}
	}
	words := "the newest is of " + newest.In(e.zone()).Format("2 Jan 2006 15:04")
	e.say("backups",
		row{c.Folder == "", Note, "none are made by themselves", "name a folder under backup, best on another disk: docs/service.md"},
		row{err != nil, Degraded, known.Text, known.Next},
		row{newest.IsZero(), Note, "there is none in " + c.Folder + " yet", "the daemon makes one; or at once: subconsciousctl backup"},
		row{e.Now().Sub(newest) > 49*time.Hour, Degraded, words, "see why: subconsciousctl status, subconsciousctl logs"},
		row{c.Recipient == "", Note, words + ", and whoever has it can read the mind", "have them encrypted: backup.recipient"},
		row{true, OK, words + ", encrypted", ""})
}
