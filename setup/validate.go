package setup

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
)

// Validate checks what a type cannot say. Its errors begin with the key.
func (c *Config) Validate() error {
	var errs []error
	wrong := func(key, format string, args ...any) {
		errs = append(errs, fmt.Errorf(key+": "+format, args...))
	}
	if _, err := ParseSchedule(c.Schedule); err != nil {
		wrong("schedule", "%w", err)
	}
	if _, err := zone(c.Timezone); err != nil {
		wrong("timezone", "%w", err)
	}
	if c.StateDir == "/" {
		wrong("state_dir", "is the root of the file system; name a folder that is the mind's own")
	}
	if c.Jitter < 0 || c.Jitter > 5*time.Minute {
		wrong("jitter", "is %s; it must be 0s to 5m", c.Jitter)
	}
	if c.TickTimeout < time.Second || c.TickTimeout > time.Hour {
		wrong("tick_timeout", "is %s; it must be 1s to 1h", c.TickTimeout)
	}
	if !slices.Contains(logLevels, c.Log.Level) {
		wrong("log.level", "%q is not a level; use %s", clip(c.Log.Level), oneOf(logLevels)+meant(c.Log.Level, logLevels))
	}
	if !slices.Contains(logFormats, c.Log.Format) {
		wrong("log.format", "%q is not a format; use %s", clip(c.Log.Format), oneOf(logFormats)+meant(c.Log.Format, logFormats))
	}
	if at, err := netip.ParseAddrPort(c.API.Listen); c.API.Listen != "" && (err != nil || !at.Addr().IsLoopback()) {
		wrong("api.listen", "%q is no address of this machine alone; write one as 127.0.0.1:7766", clip(c.API.Listen))
	}
	for i, host := range c.API.Hosts {
		if at, err := url.Parse("//" + host); host == "" || err != nil || at.Hostname() != host {
			wrong(fmt.Sprintf("api.hosts[%d]", i), "%q is no name of a host; write it without https:// and without a port, as mind.example.com", clip(host))
		}
	}
	if c.Threads.Deadline > c.TickTimeout {
		wrong("threads.deadline", "is %s, longer than tick_timeout (%s); make it shorter, or the other longer", c.Threads.Deadline, c.TickTimeout)
	}
	root().each("", reflect.ValueOf(*c), func(key string, v reflect.Value, _ field) bool {
		switch part := v.Interface().(type) {
		case escalate.Rules:
			errs = append(errs, c.gate()...)
		case escalate.Hours: // the gate's
		case []actions.Action:
			errs = append(errs, under(key, actions.Validate(part))...)
		case interface{ Validate() error }:
			errs = append(errs, under(key, part.Validate())...)
		default:
			return true
		}
		return false
	})
	return errors.Join(errs...)
}

var (
	logLevels  = []string{"debug", "info", "warn", "error"}
	logFormats = []string{"auto", "json", "text"}
)

// under puts the key of a part before each of its errors.
func under(key string, err error) []error {
	var errs []error
	for _, e := range flatten(err) {
		dot := "."
		if first := e.Error()[0]; first == '[' {
			dot = ""
		} else if first >= '0' && first <= '9' { // of all of a list, and no key
			dot = ": "
		}
		errs = append(errs, fmt.Errorf("%s%s%w", key, dot, e))
	}
	return errs
}

// validate turns what Validate says into errors with lines.
func (c *checker) validate(config *Config, env Env) {
	for _, err := range flatten(config.Validate()) {
		key, message, ok := strings.Cut(err.Error(), ": ")
		if !ok || strings.ContainsRune(key, ' ') {
			key, message = "", err.Error()
		}
		if key == "threads.gate" { // set by another part
			key = "models.gate"
		}
		problem, fix := splitFix(message)
		c.at(CodeValue, key, env, problem, fix)
	}
}

// at adds an error about a key, wherever its value comes from.
func (c *checker) at(code Code, key string, env Env, problem, fix string) {
	if fix == "" {
		fix = c.anyFix(key)
	}
	e := &Error{Code: code, File: c.file, Key: key, Problem: unsaid(problem), Fix: unsaid(fix)}
	for at := key; at != "" && e.Line == 0; at = parent(at) {
		e.Line = c.lines[at]
	}
	if variable := overrider(env, key); variable != "" {
		e.File, e.Line = variable, 0
	}
	c.errs = append(c.errs, e)
}

// anyFix is what can be done about any value that is refused.
func (c *checker) anyFix(key string) string {
	if value, ok := defaults()[key]; ok {
		return fmt.Sprintf("change it, or remove the line to get the default (%v)", value)
	}
	if c.lines[key] == 0 {
		return fmt.Sprintf("add %q here", lastKey(key)+": …")
	}
	return "correct the value"
}

// parent drops the last part of a key: its index, or its name.
func parent(key string) string {
	if strings.HasSuffix(key, "]") {
		return key[:strings.LastIndexByte(key, '[')]
	}
	return key[:max(0, strings.LastIndexByte(key, '.'))]
}

// splitFix parts "what is wrong; what to do" (or with a colon).
func splitFix(message string) (problem, fix string) {
	for _, sep := range []string{"; ", ": "} {
		if problem, fix, ok := strings.Cut(message, sep); ok {
			return problem, fix
		}
	}
	return message, ""
}
