package health

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// maxUnits bounds the failed units that stand on one bus.
const maxUnits = 100

// buses are systemd's two managers: the machine's and the person's own.
var buses = [...]struct {
	name string
	user bool
}{{"system", false}, {"user", true}}

// unitName is a unit's name in IDs and links. Units of the two managers may
// share a name.
func unitName(name string, user bool) string {
	if user {
		return "user/" + clip(name, 200)
	}
	return clip(name, 200)
}

// units looks at the units that failed, each manager a scope.
func (l *collect) units() {
	for _, bus := range buses {
		scope := "units:" + bus.name
		if l.failed(scope) {
			continue
		}
		var items []subconscious.Observation
		omitted := 0
		seen := map[string]bool{}
		for _, u := range l.reading.Units {
			id := unitName(u.Name, u.User)
			switch {
			case !l.config.Units || u.User != bus.user || seen[id]:
			case len(items) == maxUnits:
				omitted++
			default:
				seen[id] = true
				items = append(items, l.unit(u))
			}
		}
		if omitted > 0 {
			l.omitted = append(l.omitted, fmt.Sprintf("%d more failed %s units are not listed", omitted, bus.name))
		}
		l.set(scope, items...)
	}
}

// unit is a warning; one that ran out of memory or disk is critical, because
// what took its room takes that of others.
func (l *collect) unit(u Unit) subconscious.Observation {
	name := unitName(u.Name, u.User)
	o := l.standing("unit", "unit:"+name)
	o.Title = fmt.Sprintf("%s failed (%s)", clip(u.Name, 100), u.reason())
	o.Text = clip(strings.TrimSpace(u.Description+"\n"+u.Status), 1000)
	o.Fingerprint = strings.Join([]string{"failed", clip(u.Result, 40), strconv.Itoa(u.ExitCode), hour(u.Since)}, "/")
	o.Severity, o.Links = subconscious.Warning, []string{"unit:" + name}
	o.Attrs = map[string]string{"band": string(warning), "result": clip(u.Result, 40), "exit_code": strconv.Itoa(u.ExitCode)}
	if u.User {
		o.Attrs["bus"] = "user"
	}
	mount := ""
	if strings.Contains(strings.ToLower(u.Status), "no space left on device") {
		mount = l.mountIn(u.Status)
	}
	if mount != "" {
		o.Links = append(o.Links, "disk:"+mount)
	}
	if mount != "" || u.Result == "oom-kill" {
		o.Severity, o.Attrs["band"] = subconscious.Critical, string(critical)
	}
	return o
}

// hour is the class of the time of a failure: a unit that fails again within
// the hour is the same news.
func hour(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15")
}

// reason says in a person's words why the unit failed.
func (u Unit) reason() string {
	switch u.Result {
	case "exit-code":
		if u.ExitCode == 0 { // a mount, or a command before the service itself
			return "a command of it failed"
		}
		return fmt.Sprintf("exit code %d", u.ExitCode)
	case "signal", "core-dump":
		if name := unix.SignalName(syscall.Signal(u.ExitCode)); name != "" {
			return "ended by " + name
		}
		return fmt.Sprintf("ended by signal %d", u.ExitCode)
	case "timeout":
		return "it took too long"
	case "watchdog":
		return "it stopped responding"
	case "oom-kill":
		return "the machine ran out of memory"
	case "start-limit-hit":
		return "it was restarted too often"
	case "resources":
		return "the machine lacked resources"
	case "", "success":
		return "no reason given"
	}
	return clip(u.Result, 40)
}

// mountIn returns the watched mount that the first path in text lies on, or "".
func (l *collect) mountIn(text string) string {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`:,;()[]<>=", r) }) {
		if !strings.HasPrefix(word, "/") {
			continue
		}
		mount := ""
		for _, d := range l.reading.Disks {
			if len(d.Path) > len(mount) && within(filepath.Clean(word), d.Path) {
				mount = d.Path
			}
		}
		return mount
	}
	return ""
}

// within reports whether path is folder or lies in it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}
