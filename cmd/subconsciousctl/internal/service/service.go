// Package service installs the daemon as a service of the person: a user unit of
// systemd or an agent of launchd, made of the files in package deploy, with the
// completion of the shells. It asks systemctl, loginctl and journalctl, or
// launchctl; what it writes it marks, so that a file that a person changed is told
// from it. The commands service and logs call it.
package service

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/setup/doctor"
)

// Options say for whom, and what is started.
type Options struct {
	// System is the operating system, as runtime.GOOS names it.
	System string
	Env    func(string) (string, bool)
	// Command starts the daemon, with absolute paths.
	Command []string
	// Kept are the configuration and the state folder, which Uninstall leaves.
	Kept []string
	// Completion returns the script of a shell; Runs reports whether a daemon
	// answers on the state folder.
	Completion func(shell string) (string, error)
	Runs       func(context.Context) bool
	// Force takes files that a person changed for installed ones.
	Force bool
	// Now and Zone are for the words.
	Now  time.Time
	Zone *time.Location
}

// Service is the daemon as a service of one person.
type Service struct {
	Options
	manager
}

// manager is what keeps programs running on a system, and how it is asked.
type manager struct {
	// file is what it reads of the service.
	file File
	// absent says why it cannot be asked; nil where it can.
	absent func(context.Context) error
	// running reports whether it runs the service now.
	running func(context.Context) bool
	// start are the commands that have it run, whose file was replaced or not;
	// stop those before the file is removed, and forget those after that.
	start  func(ctx context.Context, replaced bool) [][]string
	stop   func(context.Context) [][]string
	forget [][]string
	status func(context.Context) []doctor.Finding
	logs   func(LogQuery) ([]string, error)
	// edit is how a person changes the file lastingly.
	edit string
}

// File is a file that is installed.
type File struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Text string `json:"text"`
}

// New returns the service of a person on this system. It needs to know their home.
func New(o Options) (*Service, error) {
	home, _ := o.Env("HOME")
	if !filepath.IsAbs(home) {
		return nil, api.Errorf(api.CodeUnavailable, "set HOME to your home folder", "HOME is not set, so it is not known where services are")
	}
	s := &Service{Options: o}
	switch o.System {
	case "darwin":
		s.manager = s.launchd(home)
	default:
		s.manager = s.systemd(s.folder("XDG_CONFIG_HOME", home, ".config"))
	}
	return s, nil
}

// folder is one of the person's folders, by its variable or where it usually is.
func (s *Service) folder(variable, home, usual string) string {
	if dir, _ := s.Env(variable); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(home, usual)
}

// Plan is what an installation writes and runs.
type Plan struct {
	Files    []File     `json:"files"`
	Commands [][]string `json:"commands"`
}

// Plan is what Install would do where nothing is installed.
func (s *Service) Plan(ctx context.Context) (Plan, error) {
	files, err := s.files()
	return Plan{files, s.start(ctx, false)}, err
}

// String is what people read: completion scripts by the command that prints them.
func (p Plan) String() string {
	var b strings.Builder
	for i, f := range p.Files {
		if i > 0 {
			f.Text = "# what subconsciousctl completion " + strings.TrimPrefix(f.Name, "completion ") + " prints\n"
		}
		fmt.Fprintf(&b, "==> %s <==\n%s\n", f.Path, f.Text)
	}
	b.WriteString("==> commands <==\n")
	for _, argv := range p.Commands {
		b.WriteString(screen.ShellLine(argv...) + "\n")
	}
	return b.String()
}

// files are those to be installed: of the manager, and of the shells whose folder
// for the completions of a person is there.
func (s *Service) files() ([]File, error) {
	all := []File{s.file}
	home, _ := s.Env("HOME")
	shared := s.folder("XDG_DATA_HOME", home, ".local/share")
	for _, shell := range []struct {
		name, file string
		folders    []string
	}{
		{"bash", "subconsciousctl", []string{s.folder("BASH_COMPLETION_USER_DIR", shared, "bash-completion") + "/completions"}},
		{"zsh", "_subconsciousctl", []string{home + "/.zfunc", home + "/.zsh/completions", home + "/.zsh/completion", shared + "/zsh/site-functions"}},
		{"fish", "subconsciousctl.fish", []string{s.folder("XDG_CONFIG_HOME", home, ".config") + "/fish/completions"}},
	} {
		for _, folder := range shell.folders {
			if found, err := os.Stat(folder); err != nil || !found.IsDir() {
				continue
			}
			text, err := s.Completion(shell.name)
			if err != nil {
				return nil, fmt.Errorf("make the completion of %s: %w", shell.name, err)
			}
			all = append(all, File{"completion " + shell.name, filepath.Join(folder, shell.file), marked(text, "# ", "")})
			break
		}
	}
	return all, nil
}

// mark ends what was installed, with the sum of what stands before it.
const mark = "written by subconsciousctl service install, sha256 "

var markLine = regexp.MustCompile(`\n(?:# |<!-- )` + mark + `([0-9a-f]{64})(?: -->)?\n$`)

func marked(text, begin, end string) string {
	text = strings.TrimRight(text, "\n") + "\n"
	return text + begin + mark + fmt.Sprintf("%x", sha256.Sum256([]byte(text))) + end + "\n"
}

// untouched reports whether a text is as it was installed.
func untouched(text string) bool {
	at := markLine.FindStringSubmatchIndex(text)
	return at != nil && text[at[2]:at[3]] == fmt.Sprintf("%x", sha256.Sum256([]byte(text[:at[0]+1])))
}

// What stands where a file is to be.
const (
	absent = iota
	same
	ours   // of another version, or for other paths
	theirs // a person wrote, changed or linked it
)

func standing(f File) (int, error) {
	if place, err := os.Lstat(f.Path); err == nil && place.Mode()&fs.ModeSymlink != 0 {
		return theirs, nil
	}
	text, err := os.ReadFile(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent, nil
	case err != nil:
		return theirs, fmt.Errorf("look at what is installed: %w", err)
	case string(text) == f.Text:
		return same, nil
	case untouched(string(text)):
		return ours, nil
	}
	return theirs, nil
}

// over does something to each file that does not stand as it is to, and says so, with
// the word that do gives it; state and well are said of the others. What a person changed it
// leaves, and ends at the service file, unless it is forced.
func (s *Service) over(as int, state doctor.State, well, forced string, do func(f File, stands int) (string, error)) ([]doctor.Finding, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	var did []doctor.Finding
	for _, f := range files {
		stands, err := standing(f)
		switch {
		case err != nil:
			return did, err
		case stands == as:
			did = append(did, found(state, f.Name, well+s.short(f.Path), ""))
			continue
		case stands == theirs && !s.Force && f == s.file:
			return did, api.Errorf(api.CodeRefused, "look at it; --force "+forced+". Changes of your own are best kept beside it: "+s.edit,
				"%s was not written by service install, or was changed since", f.Path)
		case stands == theirs && !s.Force:
			did = append(did, found(doctor.Note, f.Name, "changed, and left as it is: "+s.short(f.Path), "--force "+forced))
			continue
		}
		word, err := do(f, stands)
		if err != nil {
			return did, err
		}
		did = append(did, found(doctor.OK, f.Name, word+s.short(f.Path), ""))
	}
	return did, nil
}

// Install writes the files and has the service run, and says what it did and how
// it is. What is installed already it leaves.
func (s *Service) Install(ctx context.Context) ([]doctor.Finding, error) {
	if err := s.absent(ctx); err != nil {
		return nil, err
	}
	if !s.running(ctx) && s.Runs(ctx) {
		return nil, api.Errorf(api.CodeRefused, "end it first, by Ctrl-C where it runs, and install then", "a daemon runs already, and not as a service: two cannot share a state folder")
	}
	replaced := false
	did, err := s.over(same, doctor.OK, "as it should be: ", "replaces it", func(f File, stands int) (string, error) {
		err := os.MkdirAll(filepath.Dir(f.Path), 0o755)
		if err == nil {
			err = renameio.WriteFile(f.Path, []byte(f.Text), 0o644, renameio.WithTempDir(filepath.Dir(f.Path)))
		}
		if err != nil {
			return "", fmt.Errorf("install the service: %w", err)
		}
		replaced = replaced || f == s.file && stands != absent
		return []string{"written: ", "", "renewed: ", "replaced, as you said: "}[stands], nil
	})
	if err != nil {
		return did, err
	}
	if err := s.each(ctx, s.start(ctx, replaced)); err != nil {
		return did, api.Errorf(api.CodeUnavailable, "what the daemon said: subconsciousctl logs -n 20", "the service is installed, and does not start: %v", err)
	}
	rest := s.status(ctx)
	if doctor.Worst(rest[:1]) == doctor.OK {
		rest = rest[1:] // the file was just told of
	}
	return append(did, rest...), nil
}

// Uninstall stops the service and removes what Install wrote.
func (s *Service) Uninstall(ctx context.Context) ([]doctor.Finding, error) {
	did, err := s.over(absent, doctor.Skipped, "was not installed: ", "removes it", func(f File, _ int) (string, error) {
		var before, after [][]string
		if f == s.file {
			if err := s.absent(ctx); err != nil {
				return "", err
			}
			before, after = s.stop(ctx), s.forget
		}
		if err := s.each(ctx, before); err != nil {
			return "", err
		}
		if err := os.Remove(f.Path); err != nil {
			return "", fmt.Errorf("remove the service: %w", err)
		}
		return "removed: ", s.each(ctx, after)
	})
	if err != nil {
		return did, err
	}
	for _, path := range s.Kept {
		if _, err := os.Stat(path); err == nil {
			did = append(did, found(doctor.Note, "kept", s.short(path), ""))
		}
	}
	return did, nil
}

// Status says how the service is.
func (s *Service) Status(ctx context.Context) ([]doctor.Finding, error) {
	if f, ok := s.served(ctx); ok {
		return []doctor.Finding{f}, nil
	}
	if err := s.absent(ctx); err != nil {
		return nil, err
	}
	return s.status(ctx), nil
}

// notInstalled is all that is said where there is no service.
const notInstalled = "is not installed"

// Examine says the same to a doctor: a daemon may run without being a service.
func (s *Service) Examine(ctx context.Context) []doctor.Finding {
	all, err := s.Status(ctx)
	if err != nil {
		return []doctor.Finding{found(doctor.Skipped, s.file.Name, err.Error(), "")}
	}
	if all[0].Detail == notInstalled {
		all[0].State, all[0].Detail = doctor.Note, notInstalled+": nothing starts the daemon by itself"
	}
	return all
}

// unlike is a note where what is installed is not what would be.
func (s *Service) unlike(path, text string) doctor.Finding {
	switch {
	case !untouched(text):
		return found(doctor.Note, s.file.Name, s.short(path)+", not as service install writes it", "")
	case text != s.file.Text:
		return found(doctor.Note, s.file.Name, s.short(path)+", of another version, or for other paths", "renew it: subconsciousctl service install")
	}
	return found(doctor.OK, s.file.Name, s.short(path), "")
}

// each runs commands, up to the first that fails.
func (s *Service) each(ctx context.Context, commands [][]string) error {
	for _, argv := range commands {
		_, err := s.run(ctx, argv...)
		if argv[1] == "bootout" {
			err = s.bootedOut(ctx, argv[2], err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// run runs a command, whose times are in UTC and whose words are English.
func (s *Service) run(ctx context.Context, argv ...string) (string, error) {
	command := exec.CommandContext(ctx, argv[0], argv[1:]...)
	command.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	var said, complaint bytes.Buffer
	command.Stdout, command.Stderr = &said, &complaint
	if err := command.Run(); err != nil {
		return said.String(), fmt.Errorf("%s: %s", strings.Join(argv, " "), firstOf(complaint.String(), err.Error()))
	}
	return said.String(), nil
}

// firstOf is the first line of what was said, or the other text.
func firstOf(said, other string) string {
	if line, _, _ := strings.Cut(strings.TrimSpace(said), "\n"); line != "" {
		return line
	}
	return other
}

func found(state doctor.State, name, detail, next string) doctor.Finding {
	return doctor.Finding{Part: doctor.PartService, Name: name, State: state, Detail: detail, Next: next}
}

// unmanaged is said where nothing keeps programs running that is known here. In a
// crontab "%" is a new line.
func (s *Service) unmanaged(why string) error {
	return api.Errorf(api.CodeUnavailable, "have it started by what starts programs here, such as this line of your crontab: @reboot "+strings.ReplaceAll(screen.ShellLine(s.Command...), "%", `\%`), "%s", why)
}

// short is a path with the home folder as "~".
func (s *Service) short(path string) string {
	home, _ := s.Env("HOME")
	if rest, ok := strings.CutPrefix(path, home+"/"); ok {
		return "~/" + rest
	}
	return path
}

// moment is a time in words, with its day where that is another.
func (s *Service) moment(at time.Time) string {
	at, now := at.In(s.Zone), s.Now.In(s.Zone)
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("2006-01-02 15:04")
}
