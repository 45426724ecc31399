package service

import (
	"context"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/deploy"
	"github.com/subconsciousd/subconsciousd/setup/doctor"
)

// unitName is how systemd calls the service.
const unitName = "subconsciousd.service"

func userctl(words ...string) []string { return append([]string{"systemctl", "--user"}, words...) }

// systemd keeps it running by a user unit.
func (s *Service) systemd(folder string) manager {
	return manager{
		file:   File{"unit", filepath.Join(folder, "systemd/user", unitName), marked(deploy.Unit(s.Command...), "# ", "")},
		absent: s.withoutSystemd, status: s.unitStatus, logs: journal,
		edit: "systemctl --user edit " + unitName,
		running: func(ctx context.Context) bool {
			_, err := s.run(ctx, userctl("is-active", "--quiet", unitName)...)
			return err == nil
		},
		start: func(_ context.Context, replaced bool) [][]string {
			commands := [][]string{userctl("daemon-reload")}
			if replaced {
				commands = append(commands, userctl("try-restart", unitName))
			}
			return append(commands, userctl("enable", "--now", unitName))
		},
		stop:   func(context.Context) [][]string { return [][]string{userctl("disable", "--now", unitName)} },
		forget: [][]string{userctl("daemon-reload")},
	}
}

// withoutSystemd says why the person's systemd cannot be asked.
func (s *Service) withoutSystemd(ctx context.Context) error {
	if _, err := exec.LookPath("systemctl"); err != nil {
		return s.unmanaged("there is no systemd here: systemctl is not found")
	}
	_, err := s.run(ctx, userctl("show", "--property=Version")...)
	if err == nil {
		return nil
	}
	if _, booted := os.Stat("/run/systemd/system"); booted != nil {
		return s.unmanaged("systemd does not run on this machine: " + err.Error())
	}
	return api.Errorf(api.CodeUnavailable, "log in as yourself, not by su or sudo, or have one started by: loginctl enable-linger; for a server there is a system unit, see docs/service.md",
		"no service manager of yours answers: %v", err)
}

// unitProperties are those that the status is made of.
const unitProperties = "LoadState,LoadError,FragmentPath,NeedDaemonReload,UnitFileState,ActiveState,SubState,Result,MainPID,NRestarts," +
	"ActiveEnterTimestamp,ExecMainCode,ExecMainStatus,ExecMainExitTimestamp,WatchdogUSec,WatchdogTimestamp,ExecStart"

// properties are what a systemd says of a unit.
func (s *Service) properties(ctx context.Context, argv ...string) (map[string]string, error) {
	said, err := s.run(ctx, append(argv, "--property="+unitProperties)...)
	p := map[string]string{}
	for line := range strings.Lines(said) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		p[key] = value
	}
	return p, err
}

// served says how the system unit is that root may have enabled for the person; ok is
// false where there is none, or they have a unit of their own.
func (s *Service) served(ctx context.Context) (f doctor.Finding, ok bool) {
	who, err := user.Current()
	if _, own := os.Stat(s.file.Path); own == nil || err != nil {
		return f, false
	}
	unit := "subconsciousd@" + who.Username + ".service"
	p, err := s.properties(ctx, "systemctl", "show", unit)
	switch {
	case err != nil || p["ActiveState"] != "active" && !strings.HasPrefix(p["UnitFileState"], "enabled"):
		return f, false
	case p["ActiveState"] != "active":
		return found(doctor.Broken, "unit", unit+" of the system is "+p["ActiveState"]+" ("+p["Result"]+")", "why: sudo systemctl status "+unit), true
	}
	return found(doctor.OK, "unit", unit+" of the system runs it, pid "+p["MainPID"], ""), true
}

// unitStatus says how systemd finds the unit, a line each.
func (s *Service) unitStatus(ctx context.Context) []doctor.Finding {
	p, err := s.properties(ctx, userctl("show", unitName)...)
	if err != nil {
		return []doctor.Finding{found(doctor.Broken, "unit", err.Error(), "")}
	}
	if p["LoadState"] == "not-found" {
		return []doctor.Finding{found(doctor.Broken, "unit", notInstalled, "subconsciousctl service install")}
	}
	return []doctor.Finding{s.unitFile(p), enabled(p), s.active(p), s.lastExit(p), s.linger(ctx), s.watched(p)}
}

// started is the program of ExecStart=, as systemctl shows that.
var started = regexp.MustCompile(`path=(.*?) ; argv`)

func (s *Service) unitFile(p map[string]string) doctor.Finding {
	text, _ := os.ReadFile(p["FragmentPath"]) // what cannot be read is not as it was written
	path := s.short(p["FragmentPath"])
	switch {
	case p["LoadState"] != "loaded":
		return found(doctor.Broken, "unit", strings.TrimSpace(p["LoadState"]+" "+p["LoadError"])+": "+path, "subconsciousctl service install --force puts the shipped one in its place")
	case p["NeedDaemonReload"] == "yes":
		return found(doctor.Degraded, "unit", path+" was changed since systemd read it", "systemctl --user daemon-reload && systemctl --user restart "+unitName)
	}
	if program := started.FindStringSubmatch(p["ExecStart"]); program != nil {
		if _, err := os.Stat(program[1]); err != nil {
			return found(doctor.Broken, "unit", "what it starts is not there: "+program[1], "put it there, or install from where it is: subconsciousctl service install")
		}
	}
	return s.unlike(p["FragmentPath"], string(text))
}

func enabled(p map[string]string) doctor.Finding {
	if strings.HasPrefix(p["UnitFileState"], "enabled") {
		return found(doctor.OK, "enabled", "it starts by itself", "")
	}
	return found(doctor.Degraded, "enabled", "no ("+p["UnitFileState"]+"): it does not start by itself", "systemctl --user enable "+unitName)
}

func (s *Service) active(p map[string]string) doctor.Finding {
	if p["ActiveState"] != "active" {
		return found(doctor.Broken, "running", "no: "+p["ActiveState"]+" ("+p["SubState"]+")", "what it said: subconsciousctl logs -n 20; start it: systemctl --user start "+unitName)
	}
	detail := "pid " + p["MainPID"]
	if at, ok := systemTime(p["ActiveEnterTimestamp"]); ok {
		detail = "since " + s.moment(at) + ", " + detail
	}
	if n := p["NRestarts"]; n != "" && n != "0" {
		return found(doctor.Note, "running", detail+"; started anew by systemd, times: "+n, "why: subconsciousctl logs")
	}
	return found(doctor.OK, "running", detail, "")
}

// lastExit says how the program ended last, where systemd still knows.
func (s *Service) lastExit(p map[string]string) doctor.Finding {
	at, ok := systemTime(p["ExecMainExitTimestamp"])
	if !ok {
		return found(doctor.OK, "last exit", "none since it was started", "")
	}
	how := "exit code " + p["ExecMainStatus"]
	if p["ExecMainCode"] != "1" { // CLD_EXITED
		how = "signal " + p["ExecMainStatus"]
	}
	switch p["Result"] {
	case "success":
		return found(doctor.OK, "last exit", s.moment(at)+", "+how, "")
	case "watchdog":
		how += ": no progress, said the watchdog"
	case "exit-code", "signal", "core-dump":
	default:
		how += ": " + p["Result"]
	}
	return found(doctor.Broken, "last exit", s.moment(at)+", "+how, "what it said: subconsciousctl logs -n 20")
}

// linger says whether it runs while the person is logged out.
func (s *Service) linger(ctx context.Context) doctor.Finding {
	said, _ := s.run(ctx, "loginctl", "show-user", "--property=Linger", "--value", "--", strconv.Itoa(os.Getuid())) // no answer is one
	switch strings.TrimSpace(said) {
	case "yes":
		return found(doctor.OK, "linger", "yes: it goes on while you are logged out", "")
	case "no":
		return found(doctor.Note, "linger", "no: it ends when you log out", "to keep it thinking meanwhile: loginctl enable-linger")
	}
	return found(doctor.Skipped, "linger", "loginctl does not say whether it goes on while you are logged out", "")
}

func (s *Service) watched(p map[string]string) doctor.Finding {
	if within := p["WatchdogUSec"]; within != "" && within != "0" && within != "infinity" {
		detail := "restarted after " + within + " without progress"
		if at, ok := systemTime(p["WatchdogTimestamp"]); ok && p["ActiveState"] == "active" {
			detail += ", the last at " + at.In(s.Zone).Format(time.TimeOnly)
		}
		return found(doctor.OK, "watchdog", detail, "")
	}
	return found(doctor.Degraded, "watchdog", "none: if it hangs, nobody notices", "subconsciousctl service install --force puts the shipped unit in place")
}

// systemTime reads a time as systemctl shows it; none is "" or "n/a".
func systemTime(text string) (time.Time, bool) {
	at, err := time.Parse("Mon 2006-01-02 15:04:05 MST", text)
	return at, err == nil
}

// journal shows what the daemon wrote, and not what systemd says of it.
func journal(q LogQuery) ([]string, error) {
	if _, err := exec.LookPath("journalctl"); err != nil {
		return nil, unread("there is no journal here: journalctl is not found")
	}
	argv := []string{"journalctl", "--user", "--unit=" + unitName, "--identifier=subconsciousd", "--output=cat", "--no-pager", "--quiet"}
	return append(argv, q.flags("--lines=", "--follow", "--since=@")...), nil
}
