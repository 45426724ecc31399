package health

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/senses"
)

// maxPaths bounds the mountpoints that are looked at.
const maxPaths = 32

// Config says what to watch and from where on it matters. DefaultConfig has
// every default; a threshold left at zero is an error, not a default.
type Config struct {
	Enabled     bool              `mapstructure:"enabled" about:"Whether to look at this machine at all."`
	Disk        DiskConfig        `mapstructure:"disk" about:"How full disks are, in per cent of their size."`
	Inodes      ThresholdConfig   `mapstructure:"inodes" about:"How many of the files that fit on a disk there are, in per cent."`
	Memory      ThresholdConfig   `mapstructure:"memory" about:"Memory that programs hold, in per cent."`
	Swap        ThresholdConfig   `mapstructure:"swap" about:"Swap in use, in per cent."`
	Load        LoadConfig        `mapstructure:"load" about:"Load of 15 minutes for each core: 100% is one waiting process a core."`
	Temperature TemperatureConfig `mapstructure:"temperature" about:"The hottest of each sensor, in degrees Celsius."`
	Battery     BatteryConfig     `mapstructure:"battery" about:"Charge that is left while discharging, in per cent; warn lies above critical."`
	Units       bool              `mapstructure:"units" about:"Whether to look at failed systemd units and restart loops, where systemd runs."`
	Restarts    RestartsConfig    `mapstructure:"restarts" about:"What counts as a restart loop."`
	Clock       bool              `mapstructure:"clock" about:"Whether to look at how far the clock is off, where a time service says so."`
}

// ThresholdConfig says from where on something is a warning, and critical.
type ThresholdConfig struct {
	Warn     Percent `mapstructure:"warn" about:"From here on it is worth telling, per cent used."`
	Critical Percent `mapstructure:"critical" about:"From here on it is urgent, per cent used."`
}

// LoadConfig is a ThresholdConfig of what one core has to do.
type LoadConfig struct {
	Warn     Percent `mapstructure:"warn" about:"From here on it is worth telling, per cent of one process a core."`
	Critical Percent `mapstructure:"critical" about:"From here on it is urgent, per cent of one process a core."`
}

// BatteryConfig is a ThresholdConfig the other way round: little is bad.
type BatteryConfig struct {
	Warn     Percent `mapstructure:"warn" about:"From here down it is worth telling, per cent left."`
	Critical Percent `mapstructure:"critical" about:"From here down it is urgent, per cent left."`
}

// DiskConfig adds the folders whose disks are watched. None means all local
// disks, at most 32.
//
// There is no rule in bytes beside the shares: a boot partition of 500 MB that
// is two thirds full is as it should be for years, and would stand for ever.
// A disk that runs out fast is caught by its trend whatever its size.
type DiskConfig struct {
	Warn     Percent  `mapstructure:"warn" about:"From here on it is worth telling, per cent used."`
	Critical Percent  `mapstructure:"critical" about:"From here on it is urgent, per cent used."`
	Paths    []string `mapstructure:"paths" path:"any" about:"Folders whose disks are watched, at most 32; none means all local disks."`
}

// TemperatureConfig is a ThresholdConfig in degrees Celsius.
type TemperatureConfig struct {
	Warn     Celsius `mapstructure:"warn" about:"From here on it is worth telling, in degrees Celsius."`
	Critical Celsius `mapstructure:"critical" about:"From here on it is urgent, in degrees Celsius."`
}

// RestartsConfig says what a restart loop is: Count restarts within Within.
type RestartsConfig struct {
	Count  int           `mapstructure:"count" about:"So many restarts: 2 to 1000."`
	Within time.Duration `mapstructure:"within" about:"Within so long: 5m to 24h."`
}

// DefaultConfig is the configuration of a machine about which nothing is known.
func DefaultConfig() Config {
	threshold := func(warn, critical float64) ThresholdConfig {
		return ThresholdConfig{Warn: Percent{warn}, Critical: Percent{critical}}
	}
	return Config{
		Enabled:     true,
		Disk:        DiskConfig{Warn: Percent{85}, Critical: Percent{95}},
		Inodes:      threshold(85, 95),
		Memory:      threshold(90, 97),
		Swap:        threshold(80, 95),
		Load:        LoadConfig{Warn: Percent{200}, Critical: Percent{400}},
		Temperature: TemperatureConfig{Warn: Celsius{85}, Critical: Celsius{95}},
		Battery:     BatteryConfig{Warn: Percent{20}, Critical: Percent{8}},
		Units:       true,
		Restarts:    RestartsConfig{Count: 3, Within: 30 * time.Minute},
		Clock:       true,
	}
}

// pair are the two thresholds of a check.
type pair struct {
	key             string
	warn, critical  *float64
	distance, limit float64 // between the two by default, and of both
	unit            string
}

// pairs are those of all checks. Of the battery alone critical lies below warn.
func (c *Config) pairs() []pair {
	return []pair{
		{"disk", &c.Disk.Warn.value, &c.Disk.Critical.value, 10, 100, "%"},
		{"inodes", &c.Inodes.Warn.value, &c.Inodes.Critical.value, 10, 100, "%"},
		{"memory", &c.Memory.Warn.value, &c.Memory.Critical.value, 7, 100, "%"},
		{"swap", &c.Swap.Warn.value, &c.Swap.Critical.value, 15, 100, "%"},
		{"load", &c.Load.Warn.value, &c.Load.Critical.value, 200, 9999, "%"},
		{"temperature", &c.Temperature.Warn.value, &c.Temperature.Critical.value, 10, 150, "°C"},
		{keyBattery, &c.Battery.Warn.value, &c.Battery.Critical.value, 12, 100, "%"},
	}
}

const keyBattery = "battery"

// Adapt moves a threshold that was not written out of the way of the other of
// its pair, which was: as far from it as by default, and at most half of the way
// that there is.
func (c *Config) Adapt(written func(key string) bool) {
	for _, p := range c.pairs() {
		lower, higher := p.warn, p.critical
		low, high := written(p.key+".warn"), written(p.key+".critical")
		if p.key == keyBattery {
			lower, higher, low, high = higher, lower, high, low
		}
		switch {
		case low == high || *lower < *higher:
		case low:
			*higher = min(*lower+p.distance, (*lower+p.limit)/2)
		default:
			*lower = max(*higher-p.distance, *higher/2)
		}
	}
}

// Validate checks everything, and names each key that is wrong.
func (c Config) Validate() error {
	var f senses.Faults
	for _, p := range c.pairs() {
		p.validate(&f)
	}
	c.Disk.validate(&f)
	c.Restarts.validate(&f)
	return errors.Join(f...)
}

func (p pair) validate(f *senses.Faults) {
	warn, critical := *p.warn, *p.critical
	switch {
	case p.key == keyBattery && (critical <= 0 || warn >= p.limit):
		f.Add("%s: warn (%g%%) and critical (%g%%) must lie between 0%% and 100%%", p.key, warn, critical)
	case p.key == keyBattery && critical >= warn:
		f.Add("%s.critical: %g%% is not below %s.warn (%g%%): it is the charge that is left", p.key, critical, p.key, warn)
	case p.key == keyBattery:
	case warn <= 0 || warn > p.limit:
		f.Add("%s.warn: %g%s is not between 0%s and %g%s", p.key, warn, p.unit, p.unit, p.limit, p.unit)
	case critical > p.limit:
		f.Add("%s.critical: %g%s is more than %g%s", p.key, critical, p.unit, p.limit, p.unit)
	case critical <= warn:
		f.Add("%s.critical: %g%s is not above %s.warn (%g%s)", p.key, critical, p.unit, p.key, warn, p.unit)
	}
}

func (c DiskConfig) validate(f *senses.Faults) {
	f.Where(len(c.Paths) > maxPaths, "disk.paths: %d paths are more than the %d that are looked at: name one folder a disk", len(c.Paths), maxPaths)
	seen := map[string]bool{}
	for i, path := range c.Paths {
		switch clean := filepath.Clean(path); {
		case len(path) > 4096 || !filepath.IsAbs(path):
			f.Add("disk.paths[%d]: %q is not an absolute path: write it from / on", i, clip(path, 80))
		case seen[clean]:
			f.Add("disk.paths[%d]: %q is there twice: remove one", i, clip(path, 80))
		default:
			seen[clean] = true
		}
	}
}

// validate checks that a loop can be told from a single restart.
func (c RestartsConfig) validate(f *senses.Faults) {
	f.Where(c.Count < 2 || c.Count > 1000, "restarts.count: %d is not between 2 and 1000 restarts", c.Count)
	f.Where(c.Within < 5*time.Minute || c.Within > 24*time.Hour, "restarts.within: %s is not between 5m and 24h", c.Within)
}

// Percent is a share: "85%". It is a struct so that a bare number in a configuration,
// which could mean 0.85 as well as 85%, is refused.
type Percent struct{ value float64 }

// Celsius is a temperature: "85°C" or "85C".
type Celsius struct{ value float64 }

// String returns the form that UnmarshalText reads.
func (p Percent) String() string { return strconv.FormatFloat(p.value, 'f', -1, 64) + "%" }

// String returns the form that UnmarshalText reads.
func (c Celsius) String() string { return strconv.FormatFloat(c.value, 'f', -1, 64) + "°C" }

// MarshalText writes "85%".
func (p Percent) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// MarshalText writes "85°C".
func (c Celsius) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads "85%" or "99.5%". Whatever has no unit is an error.
func (p *Percent) UnmarshalText(text []byte) (err error) {
	p.value, err = quantity(string(text), "is not a percentage: write a number and a per cent sign, such as 85%", "%")
	return err
}

// UnmarshalText reads "85°C" or "85C". Whatever has no unit is an error.
func (c *Celsius) UnmarshalText(text []byte) (err error) {
	c.value, err = quantity(string(text), "is not a temperature: write degrees Celsius with the unit, such as 85°C", "°C", "C")
	return err
}

// plainNumber has no sign and no exponent.
var plainNumber = lazy.Regexp(`^\d{1,4}(\.\d{1,3})?$`)

// quantity reads a number with one of the units behind it; wrong says what to write
// instead of one that has none.
func quantity(text, wrong string, units ...string) (float64, error) {
	for _, unit := range units {
		number, found := strings.CutSuffix(strings.TrimSpace(text), unit)
		if number = strings.TrimSpace(number); found && plainNumber().MatchString(number) {
			return strconv.ParseFloat(number, 64)
		}
	}
	return 0, fmt.Errorf("%q %s", clip(text, 40), wrong)
}
