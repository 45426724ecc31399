package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"
	"github.com/shirou/gopsutil/v4/sensors"
)

// SystemOptions say what the real reader reads. The zero value reads
// everything but systemd and the clock.
type SystemOptions struct {
	// Paths are the folders whose disks are read; none means all local disks,
	// at most 32.
	Paths []string
	// Units and Clock say whether to ask systemd, and the kernel's clock.
	Units, Clock bool
	// SystemBus and UserBus are D-Bus addresses; empty means the usual ones of
	// the environment.
	SystemBus, UserBus string
}

// System is the Reader of this machine.
type System struct {
	options SystemOptions
	probes  *probes
	timeout time.Duration
	usage   func(ctx context.Context, path string) (Disk, error)
	// answered are the buses that answered once: their absence is a failure.
	answered [len(buses)]atomic.Bool
	// synchronised is set once the clock was in step: something keeps it.
	synchronised atomic.Bool
}

var _ Reader = (*System)(nil)

// NewSystem returns the reader of this machine.
func NewSystem(options SystemOptions) *System {
	return &System{options: options, probes: newProbes(), timeout: probeTimeout, usage: diskUsage}
}

// Probe reads this machine once, without its disks but that of "/".
func Probe(ctx context.Context) (Reading, error) {
	system := NewSystem(SystemOptions{Paths: []string{"/"}, Clock: true})
	reading, err := system.Read(ctx)
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer done()
	_ = system.Stop(ctx) // a probe that hangs is left to the end of the process
	return reading, err
}

// Stop waits for whatever still hangs, until ctx is done.
func (s *System) Stop(ctx context.Context) error { return s.probes.wait(ctx) }

// Read reads all groups at once, each under its own deadline of 3 seconds.
func (s *System) Read(ctx context.Context) (Reading, error) {
	r := &results{reading: Reading{Failed: map[string]string{}}}
	groups := []func(context.Context, *results){
		s.disks,
		group(s, "memory", "memory", readMemory, func(r *Reading, m *Memory) { r.Memory = m }),
		group(s, "swap", "swap", readSwap, func(r *Reading, m *Memory) { r.Swap = m }),
		group(s, "load", "load", readLoad, func(r *Reading, l *Load) { r.Load = l }),
		group(s, "temperature", "temperature sensors", readTemperatures, func(r *Reading, t []Temperature) { r.Temperatures = t }),
		group(s, "battery", "battery", readBattery, func(r *Reading, b *Battery) { r.Battery = b }),
	}
	if s.options.Clock {
		groups = append(groups, group(s, "clock", "clock", readClock, func(r *Reading, c *Clock) { r.Clock = c }))
	}
	if s.options.Units || s.options.Clock {
		for i := range buses {
			groups = append(groups, func(ctx context.Context, r *results) { s.manager(ctx, i, r) })
		}
	}
	var all sync.WaitGroup
	for _, read := range groups {
		all.Go(func() { read(ctx, r) })
	}
	all.Wait()
	return s.whole(ctx, r)
}

// whole puts the answers together. That nothing at all was read is an error.
func (s *System) whole(ctx context.Context, r *results) (Reading, error) {
	if err := ctx.Err(); err != nil {
		return Reading{}, err
	}
	if r.good == 0 {
		for _, words := range r.reading.Failed {
			return Reading{}, errors.New(words)
		}
	}
	if c := r.reading.Clock; c != nil {
		if c.Synchronised {
			s.synchronised.Store(true)
		}
		c.Kept = r.timeService || s.synchronised.Load()
	}
	slices.SortFunc(r.reading.Disks, func(a, b Disk) int { return strings.Compare(a.Path, b.Path) })
	return r.reading, nil
}

// results gathers what the groups read.
type results struct {
	mu          sync.Mutex
	reading     Reading
	good        int // groups that answered
	timeService bool
}

func (r *results) add(set func(*Reading)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	set(&r.reading)
	r.good++
}

func (r *results) fail(group, name string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reading.Failed[group] = name + plainly(err)
}

// plainly says what went wrong, to follow the name of what failed.
func plainly(err error) string {
	var path *fs.PathError
	switch {
	case errors.Is(err, errNoAnswer), errors.Is(err, context.DeadlineExceeded):
		return " did not answer"
	case errors.As(err, &path):
		err = path.Err
	}
	return ": " + clip(err.Error(), 100)
}

// group returns a reader of one group that has one value.
func group[T any](s *System, key, name string, read func(context.Context) (T, error), set func(*Reading, T)) func(context.Context, *results) {
	return func(ctx context.Context, r *results) {
		value, err := probe(ctx, s.probes, key, s.timeout, read)
		if err != nil {
			r.fail(key, name, err)
			return
		}
		r.add(func(reading *Reading) { set(reading, value) })
	}
}

// disks reads each disk in a probe of its own, so that one that hangs holds up
// no other.
func (s *System) disks(ctx context.Context, r *results) {
	paths := s.options.Paths
	if len(paths) == 0 {
		partitions, err := probe(ctx, s.probes, "disks", s.timeout, func(ctx context.Context) ([]disk.PartitionStat, error) {
			return disk.PartitionsWithContext(ctx, false)
		})
		if err != nil {
			r.fail("disks", "the list of disks", err)
			return
		}
		paths = localDisks(partitions)
	}
	var all sync.WaitGroup
	for _, path := range paths[:min(len(paths), maxPaths)] {
		path = filepath.Clean(path)
		all.Go(func() {
			key := "disk:" + path
			d, err := probe(ctx, s.probes, key, s.timeout, func(ctx context.Context) (Disk, error) { return s.usage(ctx, path) })
			if err != nil {
				r.fail(key, "disk "+clip(path, 80), err)
				return
			}
			r.add(func(reading *Reading) { reading.Disks = append(reading.Disks, d) })
		})
	}
	all.Wait()
}

func diskUsage(ctx context.Context, path string) (Disk, error) {
	u, err := disk.UsageWithContext(ctx, path)
	if err != nil {
		return Disk{}, err
	}
	return Disk{Path: path, Used: u.Used, Available: u.Free, InodesUsed: u.InodesUsed, InodesTotal: u.InodesTotal}, nil
}

// localDisks returns where the local disks are mounted, each once, at the
// shortest of its paths. That a mount is read-only says nothing: to a service
// under ProtectSystem= all of them are. Without any disk, as in a container,
// it is the root.
func localDisks(partitions []disk.PartitionStat) []string {
	byDevice := map[string]string{}
	for _, p := range partitions {
		if slices.Contains(readOnlyTypes, p.Fstype) || hidden(p.Mountpoint, partitions) {
			continue
		}
		before, seen := byDevice[p.Device]
		if !seen || byLength(p.Mountpoint, before) < 0 {
			byDevice[p.Device] = p.Mountpoint
		}
	}
	if len(byDevice) == 0 {
		return []string{"/"}
	}
	return slices.SortedFunc(maps.Values(byDevice), byLength)
}

// readOnlyTypes are file systems that are always full.
var readOnlyTypes = []string{"squashfs", "erofs", "iso9660", "udf", "cramfs", "romfs"}

// byLength orders paths by length, then by name.
func byLength(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// hidden tells mounts that are no disk of their own: the files that container
// engines mount over their own, and the volumes by which macOS divides one disk
// for itself, which share the free space of the one with the data.
func hidden(path string, all []disk.PartitionStat) bool {
	const data = "/System/Volumes/Data"
	switch {
	case path == "/etc/hosts" || path == "/etc/hostname" || path == "/etc/resolv.conf":
		return true
	case strings.HasPrefix(path, "/System/Volumes/"):
		return path != data
	case strings.HasPrefix(path, "/private/var/vm"):
		return true
	}
	return path == "/" && slices.ContainsFunc(all, func(p disk.PartitionStat) bool { return p.Mountpoint == data })
}

func readMemory(ctx context.Context) (*Memory, error) {
	m, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil {
		return nil, err
	}
	return &Memory{Total: m.Total, Available: m.Available}, nil
}

func readSwap(ctx context.Context) (*Memory, error) {
	m, err := mem.SwapMemoryWithContext(ctx)
	if err != nil || m.Total == 0 {
		return nil, err
	}
	return &Memory{Total: m.Total, Available: m.Free}, nil
}

func readLoad(ctx context.Context) (*Load, error) {
	average, err := load.AvgWithContext(ctx)
	if err != nil {
		return nil, err
	}
	cores, err := cpu.CountsWithContext(ctx, true)
	if err != nil {
		return nil, err
	}
	return &Load{Load15: average.Load15, Cores: cores}, nil
}

// readTemperatures returns one temperature a name, the highest. Sensors come
// and go and some never answer: only that none did is an error.
func readTemperatures(ctx context.Context) ([]Temperature, error) {
	stats, err := sensors.TemperaturesWithContext(ctx)
	var warnings *sensors.Warnings
	if len(stats) == 0 && err != nil && !errors.As(err, &warnings) && !errors.Is(err, os.ErrNotExist) && err.Error() != "not implemented yet" {
		return nil, fmt.Errorf("read the sensors: %w", err)
	}
	byName := map[string]Temperature{}
	for _, t := range stats {
		if before, seen := byName[t.SensorKey]; !seen || t.Temperature > before.Celsius {
			byName[t.SensorKey] = Temperature{Sensor: t.SensorKey, Celsius: t.Temperature, Limit: t.Critical}
		}
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b Temperature) int { return strings.Compare(a.Sensor, b.Sensor) }), nil
}
