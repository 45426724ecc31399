// Package health is the sense for the machine itself: disks, memory, load,
// temperature, battery, services and the clock. The daemon opens one, and
// collects from it at each tick.
//
// It stores no tables. Its cursor keeps, for what is not in order alone, the
// band and the trend that were last announced, so that a restart neither
// repeats nor forgets anything.
//
// # What stands, and until when
//
// All kinds stand while they are so and are gone after; nothing is momentary.
//
//	kind         ID                     stands while
//	disk         disk:/var              over its threshold, or full within 24 hours at its present trend
//	inodes       inodes:/var            the same, of the files that fit
//	memory       memory                 over its threshold
//	swap         swap                   over its threshold
//	load         load                   the load of 15 minutes, per core, is over its threshold
//	temperature  temperature:SENSOR     over its threshold, or over the sensor's own critical limit
//	battery      battery                discharging and below its threshold
//	unit         unit:NAME              systemd calls the unit failed (unit:user/NAME for the person's own)
//	restarts     restarts:NAME          the service was restarted too often within the window
//	clock        clock                  a time service runs and the clock is out of step
//
// A threshold is left only 3 points below it (20 points for load), so that a
// reading that trembles about it changes nothing.
//
// The fingerprint is the band, and for disks, inodes, memory and swap the trend
// and the class of hours until full. Readings are never part of it. Load,
// temperature and battery swing too fast for a trend to say anything. That of a
// unit is why and in which hour it failed, so that failing again is a change.
//
// # Attributes
//
//	band          warning, critical; "trend" for what stands by its trend alone
//	trend         rising, steady, falling
//	used_percent  whole per cent in use
//	free_bytes    what is left
//	full_at       RFC 3339, when it will be full at its present trend
//	left_percent  whole per cent of the battery's charge
//	per_core      load of one core
//	celsius, result, exit_code, restarts, bus, offset
package health

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Name is the sense's name and the id of its only instance.
const Name = "health"

// Options are what the sense needs beside its configuration.
type Options struct {
	// Reader reads the machine; nil means the real one.
	Reader Reader
	// Logger is told of what people need not know; nil means nobody is.
	Logger *slog.Logger
}

// Sense looks at the machine.
type Sense struct {
	config Config
	reader Reader
	logger *slog.Logger
	// readings and counters are what was read since the start. Nothing rests
	// on them alone that was announced: that is in the cursor.
	readings map[string]series
	counters map[string]counter
}

var (
	_ senses.Sense   = (*Sense)(nil)
	_ senses.Stopper = (*Sense)(nil)
)

// New returns the sense, or the error of the configuration's Validate.
func New(config Config, options Options) (*Sense, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	s := &Sense{
		config:   config,
		reader:   options.Reader,
		logger:   cmp.Or(options.Logger, slog.New(slog.DiscardHandler)),
		readings: map[string]series{},
		counters: map[string]counter{},
	}
	if s.reader == nil {
		s.reader = NewSystem(SystemOptions{Paths: config.Disk.Paths, Units: config.Units, Clock: config.Clock})
	}
	return s, nil
}

// Name returns "health".
func (s *Sense) Name() string { return Name }

// ID returns "health": a machine has one.
func (s *Sense) ID() string { return Name }

// Stop ends what the reader still waits for.
func (s *Sense) Stop(ctx context.Context) error {
	if stopper, ok := s.reader.(senses.Stopper); ok {
		return stopper.Stop(ctx)
	}
	return nil
}

// Collect reads the machine and returns all that is not in order, a scope for
// each disk and one for each other group. A group that could not be read is not
// mentioned, and named in Degraded.
func (s *Sense) Collect(ctx context.Context, at time.Time, cursor []byte) (senses.Batch, error) {
	reading, err := s.reader.Read(ctx)
	if err != nil {
		return senses.Batch{}, fmt.Errorf("read this machine's health: %w", err)
	}
	before, err := decodeState(cursor)
	if err != nil {
		s.logger.Warn("health starts afresh", "error", err)
	}
	l := &collect{
		at: at, config: s.config, reading: reading, before: before,
		now:      state{Version: stateVersion, Gauges: map[string]gaugeNow{}, Loops: map[string]loop{}},
		readings: s.readings, counters: s.counters,
	}
	l.disks()
	l.others()
	l.units()
	l.restarts()
	l.clock()
	kept, err := l.now.encode(before, s.readings, at)
	if err != nil {
		return senses.Batch{}, err
	}
	return senses.Batch{Sets: l.sets, Listing: l.listing, Cursor: kept, Degraded: l.degraded(), Aside: l.now.Left.Says("disk.paths", at.Location())}, nil
}

// collect is one Collect: from what was announced and what was read to what
// stands and what is to be remembered.
type collect struct {
	at       time.Time
	config   Config
	reading  Reading
	before   state
	now      state
	readings map[string]series
	counters map[string]counter
	sets     []senses.Set
	listing  senses.Listing
	omitted  []string // what there was too much of
}

// failed reports whether a group could not be read.
func (l *collect) failed(group string) bool {
	_, failed := l.reading.Failed[group]
	return failed
}

// set says that items are all that stands in scope.
func (l *collect) set(scope string, items ...subconscious.Observation) {
	l.sets = append(l.sets, senses.Set{Scope: scope, Items: items})
}

// standing returns an observation that stands.
func (l *collect) standing(kind, id string) subconscious.Observation {
	return subconscious.Observation{
		ID: id, Sense: Name, Instance: Name, Kind: kind, Change: subconscious.Appeared,
		At: l.at, Trust: subconscious.Machine,
	}
}

// degraded says in plain words what could not be seen, at most 500 bytes.
func (l *collect) degraded() string {
	var reasons []string
	for _, group := range slices.Sorted(maps.Keys(l.reading.Failed)) {
		reasons = append(reasons, clip(l.reading.Failed[group], 120))
	}
	return clip(strings.Join(append(reasons, l.omitted...), "; "), 500)
}
