package health

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"
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
	Load        ThresholdConfig   `mapstructure:"load" about:"Load of 15 minutes for each core: 100% is one waiting process a core."`
	Temperature TemperatureConfig `mapstructure:"temperature" about:"The hottest of each sensor, in degrees Celsius."`
	Battery     ThresholdConfig   `mapstructure:"battery" about:"Charge that is left while discharging, in per cent; warn lies above critical."`
	Units       bool              `mapstructure:"units" about:"Whether to look at failed systemd units and restart loops, where systemd runs."`
	Restarts    RestartsConfig    `mapstructure:"restarts" about:"What counts as a restart loop."`
	Clock       bool              `mapstructure:"clock" about:"Whether to look at how far the clock is off, where a time service says so."`
}

// ThresholdConfig says from where on something is a warning, and critical.
type ThresholdConfig struct {
	Warn     Percent `mapstructure:"warn" about:"From here on it is worth telling, in per cent."`
	Critical Percent `mapstructure:"critical" about:"From here on it is urgent, in per cent."`
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
		return ThresholdConfig{Warn: NewPercent(warn), Critical: NewPercent(critical)}
	}
	return Config{
		Enabled:     true,
		Disk:        DiskConfig{Warn: NewPercent(85), Critical: NewPercent(95)},
		Inodes:      threshold(85, 95),
		Memory:      threshold(90, 97),
		Swap:        threshold(80, 95),
		Load:        threshold(200, 400),
		Temperature: TemperatureConfig{Warn: NewCelsius(85), Critical: NewCelsius(95)},
		Battery:     threshold(20, 8),
		Units:       true,
		Restarts:    RestartsConfig{Count: 3, Within: 30 * time.Minute},
		Clock:       true,
	}
}

// Adapt moves a threshold that was not written out of the way of the other of
// its pair, which was: as far from it as by default, and at most half of the way
// that there is.
func (c *Config) Adapt(written func(key string) bool) {
	for _, pair := range []struct {
		low, high       string
		lower, higher   *float64
		distance, limit float64
	}{
		{"disk.warn", "disk.critical", &c.Disk.Warn.value, &c.Disk.Critical.value, 10, 100},
		{"inodes.warn", "inodes.critical", &c.Inodes.Warn.value, &c.Inodes.Critical.value, 10, 100},
		{"memory.warn", "memory.critical", &c.Memory.Warn.value, &c.Memory.Critical.value, 7, 100},
		{"swap.warn", "swap.critical", &c.Swap.Warn.value, &c.Swap.Critical.value, 15, 100},
		{"load.warn", "load.critical", &c.Load.Warn.value, &c.Load.Critical.value, 200, 9999},
		{"temperature.warn", "temperature.critical", &c.Temperature.Warn.value, &c.Temperature.Critical.value, 10, 150},
		{"battery.critical", "battery.warn", &c.Battery.Critical.value, &c.Battery.Warn.value, 12, 100},
	} {
		switch low, high := written(pair.low), written(pair.high); {
		case low == high || *pair.lower < *pair.higher:
		case low:
			*pair.higher = min(*pair.lower+pair.distance, (*pair.lower+pair.limit)/2)
		default:
			*pair.lower = max(*pair.higher-pair.distance, *pair.higher/2)
		}
	}
}

// Validate checks everything, and names each key that is wrong.
func (c Config) Validate() error {
	return errors.Join(
		c.Disk.Validate(),
		rising("inodes", c.Inodes.Warn.value, c.Inodes.Critical.value, 100, "%"),
		rising("memory", c.Memory.Warn.value, c.Memory.Critical.value, 100, "%"),
		rising("swap", c.Swap.Warn.value, c.Swap.Critical.value, 100, "%"),
		rising("load", c.Load.Warn.value, c.Load.Critical.value, 9999, "%"),
		rising("temperature", c.Temperature.Warn.value, c.Temperature.Critical.value, 150, "°C"),
		falling("battery", c.Battery.Warn.value, c.Battery.Critical.value),
		c.Restarts.Validate(),
	)
}

// Validate checks thresholds and paths.
func (c DiskConfig) Validate() error {
	errs := []error{rising("disk", c.Warn.value, c.Critical.value, 100, "%")}
	if len(c.Paths) > maxPaths {
		errs = append(errs, fmt.Errorf("disk.paths: %d paths are more than the %d that are looked at: name one folder a disk", len(c.Paths), maxPaths))
	}
	seen := map[string]bool{}
	for i, path := range c.Paths {
		switch clean := filepath.Clean(path); {
		case len(path) > 4096 || !filepath.IsAbs(path):
			errs = append(errs, fmt.Errorf("disk.paths[%d]: %q is not an absolute path: write it from / on", i, clip(path, 80)))
		case seen[clean]:
			errs = append(errs, fmt.Errorf("disk.paths[%d]: %q is there twice: remove one", i, clip(path, 80)))
		default:
			seen[clean] = true
		}
	}
	return errors.Join(errs...)
}

// Validate checks that a loop can be told from a single restart.
func (c RestartsConfig) Validate() error {
	var errs []error
	if c.Count < 2 || c.Count > 1000 {
		errs = append(errs, fmt.Errorf("restarts.count: %d is not between 2 and 1000 restarts", c.Count))
	}
	if c.Within < 5*time.Minute || c.Within > 24*time.Hour {
		errs = append(errs, fmt.Errorf("restarts.within: %s is not between 5m and 24h", c.Within))
	}
	return errors.Join(errs...)
}

func rising(key string, warn, critical, limit float64, unit string) error {
	switch {
	case warn <= 0 || warn > limit:
		return fmt.Errorf("%s.warn: %g%s is not between 0%s and %g%s", key, warn, unit, unit, limit, unit)
	case critical > limit:
		return fmt.Errorf("%s.critical: %g%s is more than %g%s", key, critical, unit, limit, unit)
	case critical <= warn:
		return fmt.Errorf("%s.critical: %g%s is not above %s.warn (%g%s)", key, critical, unit, key, warn, unit)
	}
	return nil
}

func falling(key string, warn, critical float64) error {
	switch {
	case critical <= 0 || warn >= 100:
		return fmt.Errorf("%s: warn (%g%%) and critical (%g%%) must lie between 0%% and 100%%", key, warn, critical)
	case critical >= warn:
		return fmt.Errorf("%s.critical: %g%% is not below %s.warn (%g%%): it is the charge that is left", key, critical, key, warn)
	}
	return nil
}
