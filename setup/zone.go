package setup

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	_ "time/tzdata" // zones exist on machines without a database of their own
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
