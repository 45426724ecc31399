package setup

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	_ "time/tzdata" // zones exist on machines without a database of their own

	"github.com/robfig/cron/v3"
)

// Location is the time zone of the configuration. For "local" it looks at TZ
// and /etc/localtime anew, so that a mind follows its person on a journey
// without a restart; where neither says anything it is UTC.
func (c *Config) Location(env func(string) (string, bool)) (*time.Location, error) {
	if c.Timezone != Local {
		return zone(c.Timezone)
	}
	if name, set := env("TZ"); set {
		return localNamed(strings.TrimPrefix(name, ":"))
	}
	return localFile("/etc/localtime")
}

// zone checks and loads a zone by name.
func zone(name string) (*time.Location, error) {
	switch {
	case name == Local:
		return time.Local, nil
	case name == "":
		return nil, errors.New(`is empty; write a name such as Europe/Berlin, or local`)
	case strings.EqualFold(name, Local):
		return nil, fmt.Errorf(`%q must be in lower case; write local`, name)
	case len(name) > 64:
		return nil, fmt.Errorf(`%q is not a time zone; write a name such as Europe/Berlin, or local`, clip(name))
	}
	location, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf(`%q is not a known time zone; write a name such as Europe/Berlin, or local`, clip(name))
	}
	return location, nil
}

// localNamed reads the value of TZ: nothing is UTC, a path is a file.
func localNamed(name string) (*time.Location, error) {
	if strings.HasPrefix(name, "/") {
		return localFile(name)
	}
	location, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("load the time zone that TZ names: %w", err)
	}
	return location, nil
}

// localFile reads a zone from a file, under the name that the file links to.
func localFile(path string) (*time.Location, error) {
	if target, err := os.Readlink(path); err == nil {
		if _, name, ok := strings.Cut(target, "zoneinfo/"); ok {
			if location, err := time.LoadLocation(name); err == nil {
				return location, nil
			}
		}
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return time.UTC, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the machine's time zone: %w", err)
	}
	location, err := time.LoadLocationFromTZData("Local", data)
	if err != nil {
		return nil, fmt.Errorf("read the machine's time zone from %s: %w", path, err)
	}
	return location, nil
}

// ParseSchedule reads the five fields of cron: minute, hour, day of the month,
// month, day of the week. An error says what is wrong and, after a semicolon,
// what to write.
func ParseSchedule(spec string) (cron.Schedule, error) {
	fields := strings.Fields(spec)
	switch {
	case len(fields) == 0:
		return nil, errors.New(`is empty; write five fields, such as "*/5 * * * *"`)
	case len(spec) > 200:
		return nil, errors.New(`is too long; write five fields, such as "*/5 * * * *"`)
	case strings.HasPrefix(spec, "@every"):
		return nil, fmt.Errorf(`%q drifts away from the clock; write five fields, such as "*/5 * * * *" for every five minutes`, clip(spec))
	case strings.Contains(spec, "="):
		return nil, fmt.Errorf(`%q names a time zone; set the key timezone instead, and leave five fields here`, clip(spec))
	case strings.HasPrefix(spec, "@"):
		return nil, fmt.Errorf(`%q is a short form; write five fields, such as "0 * * * *" for every hour`, clip(spec))
	case len(fields) != 5:
		return nil, fmt.Errorf(`%q has not five fields but %d; write minute, hour, day, month and day of the week, such as "*/5 * * * *"`, clip(spec), len(fields))
	}
	schedule, err := cron.ParseStandard(strings.Join(fields, " "))
	if err != nil {
		return nil, fmt.Errorf(`%q cannot be read (%s); write five fields, such as "*/5 * * * *"`, clip(spec), clip(strings.ReplaceAll(err.Error(), "; ", ", ")))
	}
	if schedule.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, fmt.Errorf(`%q never comes; write a day that exists, such as "*/5 * * * *"`, clip(spec))
	}
	return schedule, nil
}
