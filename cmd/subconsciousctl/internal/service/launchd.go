package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/deploy"
	"github.com/subconsciousd/subconsciousd/setup/doctor"
)

// label is how launchd calls the service.
const label = "com.subconsciousd.subconsciousd"

// launchd keeps it running by an agent of the person's login.
func (s *Service) launchd(home string) manager {
	domain := fmt.Sprintf("gui/%d", os.Getuid())
	target, path := domain+"/"+label, filepath.Join(home, "Library/LaunchAgents", label+".plist")
	return manager{
		file: File{"agent", path, marked(deploy.Agent(home, s.Command...), "<!-- ", " -->")},
		absent: func(ctx context.Context) error {
			if _, err := s.run(ctx, "launchctl", "print", domain); err != nil {
				return s.unmanaged("launchd has no session of yours; agents run for who is logged in at the screen: " + err.Error())
			}
			return nil
		},
		running: func(ctx context.Context) bool {
			said, ok := s.loaded(ctx, target)
			return ok && agentValue(said, "state") == "running"
		},
		start: func(ctx context.Context, replaced bool) [][]string {
			enable, load := []string{"launchctl", "enable", target}, []string{"launchctl", "bootstrap", domain, path}
			switch _, there := s.loaded(ctx, target); {
			case !there:
				return [][]string{enable, load}
			case replaced:
				return [][]string{enable, {"launchctl", "bootout", target}, load}
			}
			return [][]string{enable, {"launchctl", "kickstart", target}}
		},
		stop: func(ctx context.Context) [][]string {
			if _, there := s.loaded(ctx, target); !there {
				return nil
			}
			return [][]string{{"launchctl", "bootout", target}}
		},
		status: func(ctx context.Context) []doctor.Finding { return s.agentStatus(ctx, domain, path) },
		logs:   func(q LogQuery) ([]string, error) { return logFile(home, q) },
		edit:   "a copy with a label of its own",
	}
}

// loaded is what launchd says of the agent, and whether it knows it.
func (s *Service) loaded(ctx context.Context, target string) (string, bool) {
	said, err := s.run(ctx, "launchctl", "print", target)
	return said, err == nil
}

// bootedOut waits until launchd has let go of the agent, which lasts until the daemon
// has ended or ExitTimeOut is over: until then none of its label is taken. The error
// is that of bootout, which gives one also where it is under way.
func (s *Service) bootedOut(ctx context.Context, target string, err error) error {
	limit := time.After(20 * time.Second)
	for {
		if _, there := s.loaded(ctx, target); !there {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-limit:
			return cmp.Or(err, errors.New("launchctl bootout: the daemon has not ended"))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// agentValue finds a line "key = value" in what launchctl prints.
func agentValue(said, key string) string {
	found := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(key) + ` = (.*)$`).FindStringSubmatch(said)
	if found == nil {
		return ""
	}
	return strings.TrimSpace(found[1])
}

// agentStatus says how launchd finds the agent, a line each.
func (s *Service) agentStatus(ctx context.Context, domain, path string) []doctor.Finding {
	text, err := os.ReadFile(path)
	if err != nil {
		return []doctor.Finding{found(doctor.Broken, "agent", notInstalled, "subconsciousctl service install")}
	}
	agent := s.unlike(path, string(text))
	enabled := found(doctor.OK, "enabled", "it starts when you log in", "")
	disabled, _ := s.run(ctx, "launchctl", "print-disabled", domain) // no answer names none
	if regexp.MustCompile(`"` + regexp.QuoteMeta(label) + `" => (disabled|true)`).MatchString(disabled) {
		enabled = found(doctor.Degraded, "enabled", "no: it does not start by itself", "launchctl enable "+domain+"/"+label)
	}
	said, there := s.loaded(ctx, domain+"/"+label)
	running := found(doctor.Broken, "running", "no: launchd does not know it", "subconsciousctl service install")
	last := found(doctor.OK, "last exit", "none since it was loaded", "")
	if there {
		pid := agentValue(said, "pid")
		running = found(doctor.Broken, "running", "no: "+agentValue(said, "state"), "what it said: subconsciousctl logs -n 20; start it: launchctl kickstart "+domain+"/"+label)
		if agentValue(said, "state") == "running" {
			detail := "pid " + pid
			if age, err := s.run(ctx, "ps", "-o", "etime=", "-p", pid); err == nil {
				detail = "for " + strings.TrimSpace(age) + ", " + detail
			}
			running = found(doctor.OK, "running", detail, "")
		}
		switch code := agentValue(said, "last exit code"); {
		case code == "0" || code == "" || strings.HasPrefix(code, "("):
		case running.State == doctor.OK:
			last = found(doctor.Note, "last exit", "exit code "+code+"; launchd started it anew", "why: subconsciousctl logs")
		default:
			last = found(doctor.Broken, "last exit", "exit code "+code, "what it said: subconsciousctl logs -n 20")
		}
	}
	return []doctor.Finding{agent, enabled, running, last,
		found(doctor.OK, "linger", "an agent ends when you log out", ""), found(doctor.OK, "watchdog", "launchd has none; it starts anew what fails", "")}
}

// logFile shows the end of the file that the agent writes to.
func logFile(home string, q LogQuery) ([]string, error) {
	path := filepath.Join(home, "Library/Logs/subconsciousd.log")
	if _, err := os.Stat(path); err != nil {
		return nil, unread("there is no log at " + path)
	}
	if _, err := exec.LookPath("tail"); err != nil {
		return nil, unread("the log is " + path + ", and tail is not found")
	}
	argv := append([]string{"tail"}, q.flags("-n", "-F", "")...)
	return append(argv, path), nil
}
