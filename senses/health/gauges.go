package health

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	margin     = 3  // points, and degrees
	loadMargin = 20 // points: 100 is a whole core
	maxSensors = 64
)

// gauge is one reading that has bands.
type gauge struct {
	kind, id string
	value    float64 // what the limits are about
	limits   limits
	// used and total are there where a trend can be told, in bytes or files;
	// fills where running full within the day stands by itself.
	used, total float64
	fills       bool
	// words returns the title, and what more there is to say.
	words func(gaugeNow) string
	attrs map[string]string
	links []string
}

// gauge returns the observation of g, and whether it stands.
func (l *collect) gauge(g gauge) (subconscious.Observation, bool) {
	before := l.before.Gauges[g.id]
	now := gaugeNow{Band: g.limits.next(before.Band, g.value)}
	if g.total > 0 {
		kept := l.readings[g.id]
		if kept == nil {
			kept = before.Readings
		}
		kept = kept.add(l.at, g.used)
		l.readings[g.id] = kept
		now.Course = before.Course.next(kept, g.used, g.total, g.fills)
	}
	if now.Band == inOrder && now.Course.Fill == fillNone {
		return subconscious.Observation{}, false
	}
	l.now.Gauges[g.id] = now
	return l.gaugeObservation(g, now), true
}

func (l *collect) gaugeObservation(g gauge, now gaugeNow) subconscious.Observation {
	o := l.standing(g.kind, g.id)
	o.Title, o.Links = g.words(now), g.links
	o.Fingerprint = string(now.Band)
	o.Attrs = map[string]string{"band": string(now.Band)}
	maps.Copy(o.Attrs, g.attrs)
	if g.total > 0 {
		o.Fingerprint = strings.Join([]string{string(now.Band), string(now.Course.Trend), string(now.Course.Fill)}, "/")
		o.Attrs["trend"] = cmp.Or(string(now.Course.Trend), "steady")
	}
	if now.Course.Fill != fillNone {
		o.Attrs["full_at"] = fullAt(l.at, g, now).Format(time.RFC3339)
	}
	switch now.Band {
	case critical:
		o.Severity = subconscious.Critical
	case warning:
		o.Severity = subconscious.Warning
	default:
		o.Severity, o.Attrs["band"] = subconscious.Notable, "trend"
	}
	return o
}

// disks looks at each mount, and ends what stood on mounts that are no more. What
// stood on those that left the list is kept for a while.
func (l *collect) disks() {
	seen := map[string]bool{}
	for _, d := range l.reading.Disks[:min(len(l.reading.Disks), maxPaths)] {
		seen[d.Path] = true
		l.scope("disk:"+d.Path, l.disk(d))
		l.scope("inodes:"+d.Path, l.inodes(d))
	}
	for _, path := range l.config.Disk.Paths {
		l.now.Listed = append(l.now.Listed, filepath.Clean(path))
	}
	l.now.Left, _, l.listing = l.before.Left.Keep(l.at, slices.AppendSeq(l.before.Listed, maps.Keys(l.before.Left)), func(path string) bool {
		return seen[path] || slices.Contains(l.now.Listed, path)
	})
	// over reports whether a gauge is of a mount that is no more, and not of one
	// that could not be read, or left.
	over := func(id string) (gone, kept bool) {
		kind, path, _ := strings.Cut(id, ":")
		if kind != "disk" && kind != "inodes" || seen[path] {
			return false, false
		}
		if l.now.Left.Has(path) {
			o := l.standing(kind, id)
			o.Title = id
			l.sets = append(l.sets, senses.Set{Scope: id, Items: []subconscious.Observation{o}, Left: true})
			return false, true
		}
		kept = l.failed("disks") || l.failed("disk:"+path)
		return !kept, kept
	}
	for id, before := range l.before.Gauges {
		if gone, kept := over(id); kept {
			l.now.Gauges[id] = before
		} else if gone {
			l.set(id)
		}
	}
	for id := range l.readings {
		if gone, _ := over(id); gone {
			delete(l.readings, id)
		}
	}
}

// scope sets what stands of the gauges in a scope. Gauges without a unit of
// measure (nil words) are what the machine does not have.
func (l *collect) scope(scope string, gauges ...gauge) {
	var items []subconscious.Observation
	for _, g := range gauges {
		if g.words == nil || math.IsNaN(g.value) || math.IsInf(g.value, 0) {
			continue
		}
		if o, stands := l.gauge(g); stands {
			items = append(items, o)
		}
	}
	l.set(scope, items...)
}

// others looks at the groups that are one scope each.
func (l *collect) others() {
	for _, group := range []struct {
		scope  string
		gauges func() []gauge
	}{
		{"memory", func() []gauge { return []gauge{l.memory("memory", l.reading.Memory, l.config.Memory)} }},
		{"swap", func() []gauge { return []gauge{l.memory("swap", l.reading.Swap, l.config.Swap)} }},
		{"load", func() []gauge { return []gauge{l.load()} }},
		{"temperature", l.temperatures},
		{"battery", func() []gauge { return []gauge{l.battery()} }},
	} {
		if l.failed(group.scope) {
			l.keep(group.scope)
			continue
		}
		l.scope(group.scope, group.gauges()...)
	}
}

// keep carries over what was announced of a kind that could not be read.
func (l *collect) keep(kind string) {
	for id, before := range l.before.Gauges {
		if id == kind || strings.HasPrefix(id, kind+":") {
			l.now.Gauges[id] = before
		}
	}
}

// filled is a gauge of what is used of a whole.
func filled(kind, id string, used, total float64, t ThresholdConfig) gauge {
	share := 100 * used / total
	return gauge{
		kind: kind, id: id, value: share, used: used, total: total, limits: limits{t.Warn.value, t.Critical.value, margin},
		attrs: map[string]string{"used_percent": whole(share)},
	}
}

func (l *collect) disk(d Disk) gauge {
	used, total := float64(d.Used), float64(d.Used)+float64(d.Available)
	if total == 0 {
		return gauge{}
	}
	g := filled("disk", "disk:"+d.Path, used, total, ThresholdConfig{l.config.Disk.Warn, l.config.Disk.Critical})
	g.fills, g.links = true, []string{g.id}
	g.attrs["free_bytes"] = strconv.FormatUint(d.Available, 10)
	g.words = func(now gaugeNow) string {
		if now.Band == inOrder {
			return fmt.Sprintf("Disk %s fills by %s an hour; full %s", clip(d.Path, 80), size(now.Course.Rate*3600), l.when(g, now))
		}
		title := fmt.Sprintf("Disk %s is %s%% full: %s left of %s", clip(d.Path, 80), whole(g.value), size(total-used), size(total))
		if now.Course.Fill != fillNone {
			title += "; full " + l.when(g, now)
		}
		return title
	}
	return g
}

func (l *collect) inodes(d Disk) gauge {
	if d.InodesTotal == 0 || d.InodesUsed > d.InodesTotal {
		return gauge{}
	}
	g := filled("inodes", "inodes:"+d.Path, float64(d.InodesUsed), float64(d.InodesTotal), l.config.Inodes)
	g.fills, g.links = true, []string{g.id}
	g.words = func(now gaugeNow) string {
		if now.Band == inOrder {
			return fmt.Sprintf("Disk %s gains %s files an hour; no room for more %s", clip(d.Path, 80), count(now.Course.Rate*3600), l.when(g, now))
		}
		return fmt.Sprintf("Disk %s has room for %s more files: %s%% of its inodes are used", clip(d.Path, 80), count(g.total-g.used), whole(g.value))
	}
	return g
}

func (l *collect) memory(kind string, m *Memory, config ThresholdConfig) gauge {
	if m == nil || m.Total == 0 || m.Available > m.Total {
		return gauge{}
	}
	g := filled(kind, kind, float64(m.Total-m.Available), float64(m.Total), config)
	g.attrs["free_bytes"] = strconv.FormatUint(m.Available, 10)
	g.words = func(gaugeNow) string {
		name := strings.ToUpper(kind[:1]) + kind[1:]
		return fmt.Sprintf("%s is %s%% used: %s left of %s", name, whole(g.value), size(g.total-g.used), size(g.total))
	}
	return g
}

func (l *collect) load() gauge {
	r := l.reading.Load
	if r == nil || r.Cores < 1 {
		return gauge{}
	}
	each := r.Load15 / float64(r.Cores)
	return gauge{
		kind: "load", id: "load", value: 100 * each,
		limits: limits{l.config.Load.Warn.value, l.config.Load.Critical.value, loadMargin},
		attrs:  map[string]string{"per_core": strconv.FormatFloat(each, 'f', 1, 64)},
		words: func(gaugeNow) string {
			return fmt.Sprintf("The machine is overloaded: %.0f processes at a time on %s for a quarter of an hour", r.Load15, cores(r.Cores))
		},
	}
}

func (l *collect) temperatures() []gauge {
	var gauges []gauge
	for _, t := range l.reading.Temperatures[:min(len(l.reading.Temperatures), maxSensors)] {
		// Sensors that are not connected report 0, -128, 127.5 or 255.
		if t.Celsius <= 0 || t.Celsius >= 125 {
			continue
		}
		limits := limits{l.config.Temperature.Warn.value, l.config.Temperature.Critical.value, margin}
		if t.Limit >= 50 && t.Limit < limits.critical {
			limits.critical = t.Limit
			limits.warn = min(limits.warn, t.Limit-margin)
		}
		gauges = append(gauges, gauge{
			kind: "temperature", id: "temperature:" + clip(t.Sensor, 80), value: t.Celsius, limits: limits,
			attrs: map[string]string{"celsius": strconv.FormatFloat(t.Celsius, 'f', 0, 64)},
			words: func(gaugeNow) string {
				return fmt.Sprintf("Sensor %s is at %.0f°C", clip(t.Sensor, 80), t.Celsius)
			},
		})
	}
	return gauges
}

func (l *collect) battery() gauge {
	b := l.reading.Battery
	if b == nil || !b.Discharging {
		return gauge{}
	}
	return gauge{
		kind: "battery", id: "battery", value: -b.Percent,
		limits: limits{-l.config.Battery.Warn.value, -l.config.Battery.Critical.value, margin},
		attrs:  map[string]string{"left_percent": whole(b.Percent)},
		words:  func(gaugeNow) string { return fmt.Sprintf("Battery is at %s%% and discharging", whole(b.Percent)) },
	}
}

// band says how bad a reading is. The empty band is in order.
type band string

const (
	inOrder  band = ""
	warning  band = "warning"
	critical band = "critical"
)

// limits are where the bands of one reading begin. A band is left only margin
// below its beginning. What is bad when low, as a battery, is negated.
type limits struct{ warn, critical, margin float64 }

// next returns the band of value for what was in the band before.
func (l limits) next(before band, value float64) band {
	switch {
	case value >= l.critical, before == critical && value >= l.critical-l.margin:
		return critical
	case value >= l.warn, before != inOrder && value >= l.warn-l.margin:
		return warning
	}
	return inOrder
}
