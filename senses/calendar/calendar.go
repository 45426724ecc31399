// Package calendar is the sense "calendar": the events ahead in one iCalendar
// file, or in the calendars of an account on a server, which a Source asks.
// Whatever they come from, they are expanded here, in the window of the tick.
//
// An "event" stands while it is ahead: a timed event until it begins, an all-day
// event until the end of its first day. Only occurrences that begin within the next
// 35 days are reported. Of one that took the person's time, and is cancelled or no
// longer there, "taken-out" is said once.
//
// The ID of an event is its UID, a slash, and for an occurrence of a series
// the original start in UTC (RFC 3339), so that an occurrence that was moved
// keeps its identity. An event that does not repeat has nothing after the
// slash and keeps its identity wherever it is moved. All-day and floating
// occurrences are named by the date or clock time that was written, so that a
// journey into another zone makes no new events of them.
//
// Attributes: start and end (RFC 3339, in the mind's zone), all_day ("true"),
// location, organizer, attendees (how many), partstat (the owner's own answer,
// in lower case, where one of the configured addresses was invited), status
// ("tentative" or "confirmed"), transparent ("free" or "busy"), recurring
// ("true"), zone (the event's zone, where it is not the mind's), moved_from
// (the start it had before, RFC 3339), event (what else than an appointment it is:
// "working location", "out of office" or "birthday"; it is free then).
//
// Links: "uid:UID", "url:…" for meeting links without their query, "addr:…"
// for the organiser.
//
// The package stores no tables. Its rows in the ledger are "start/" and an
// ID, with the start that was last reported, the one before it, title and organiser,
// and of an account those of its items, see itemPrefix. The collector of package senses
// calls it once a tick.
package calendar

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// ahead is how far the sense looks, behind how much of the past it expands.
	ahead  = 35 * day
	behind = day
	// renew is how often the file is expanded anew although it is the same,
	// because the window moves on.
	renew = time.Hour
)

// Options are what a Sense needs beside its configuration. Every field may be
// left out.
type Options struct {
	// Watcher gives hints that bring an early tick; the file is looked at each
	// tick with or without it.
	Watcher *watch.Watcher
	// Exclude are absolute folders that are never looked into.
	Exclude []string
	// Zone is the mind's time zone, asked for each tick; nil means the
	// machine's.
	Zone func() *time.Location
	// Rows reads back the rows of the last commit. Without it a move is told
	// from the start before only while the daemon runs. A Source needs it.
	Rows senses.RowReader
	// Source is asked for the events in place of a file.
	Source Source
	// Logger may be nil.
	Logger *slog.Logger
}

// Sense reads one calendar file, or the calendars of one account.
type Sense struct {
	config    Config
	options   Options
	path      string // "" with a Source
	addresses map[string]bool
	hints     *hints

	// What the last collect saw; current is false where it must be repeated.
	current     bool
	stamp       stamp
	collectedAt time.Time
	mind        *time.Location
	cursor      string
	items       [sha256.Size]byte // digest of the last set
	degraded    string
	starts      starts
}

var (
	_ senses.Sense   = (*Sense)(nil)
	_ senses.Hinter  = (*Sense)(nil)
	_ senses.Stopper = (*Sense)(nil)
)

// New returns the sense of one calendar file, which need not exist yet, or of the
// account that Options.Source asks.
func New(config Config, options Options) (*Sense, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("calendar: %w", err)
	}
	path := ""
	if config.Remote() != (options.Source != nil) {
		return nil, errors.New("calendar: a source is for what is no file, and nothing else")
	}
	if options.Source == nil {
		var err error
		if path, err = filepath.Abs(strings.TrimSpace(config.ICS)); err != nil {
			return nil, fmt.Errorf("calendar: ics: %w", err)
		}
	} else if options.Rows == nil {
		return nil, errors.New("calendar: a source needs rows to keep what it finds")
	}
	config.Trust = cmp.Or(config.Trust, subconscious.Outsider)
	if options.Zone == nil {
		options.Zone = func() *time.Location { return time.Local }
	}
	options.Logger = cmp.Or(options.Logger, slog.New(slog.DiscardHandler))
	s := &Sense{config: config, options: options, path: path, addresses: map[string]bool{}}
	for _, address := range config.Addresses {
		s.addresses[strings.ToLower(address)] = true
	}
	s.subscribe()
	return s, nil
}

// subscribe asks for hints. Without them the sense is as good, only later.
func (s *Sense) subscribe() {
	if s.options.Watcher == nil || s.options.Source != nil {
		return
	}
	hints, err := listen(s.options.Watcher, s.path)
	if err != nil {
		s.options.Logger.Warn("calendar is looked at once a tick only", "id", s.config.ID, "error", err)
		return
	}
	s.hints = hints
}

// Name returns "calendar".
func (s *Sense) Name() string { return senseName }

// ID returns the configured instance.
func (s *Sense) ID() string { return s.config.ID }

// Hints is readable when the file has changed since it was read; nil without a
// watcher.
func (s *Sense) Hints() <-chan struct{} {
	if s.hints == nil {
		return nil
	}
	return s.hints.out
}

// Stop ends the hints, and the Source.
func (s *Sense) Stop(ctx context.Context) error {
	if s.hints != nil {
		s.hints.close()
	}
	if source, ok := s.options.Source.(senses.Stopper); ok {
		return source.Stop(ctx)
	}
	return nil
}

// Collect returns the events ahead as one set, when there is anything new about
// them.
func (s *Sense) Collect(ctx context.Context, at time.Time, cursor []byte) (senses.Batch, error) {
	mind := s.options.Zone()
	if s.options.Source != nil {
		return s.ask(ctx, at, mind, cursor)
	}
	now, err := readStamp(s.path)
	if err != nil {
		s.current = false
		return senses.Batch{}, err
	}
	if now == s.stamp && s.stamp.shows(s.collectedAt) && s.fresh(at, mind, cursor) {
		return senses.Batch{Degraded: s.degraded}, nil
	}
	s.current = false
	batch, err := s.read(ctx, at, mind, cursor)
	if err != nil {
		return senses.Batch{}, err
	}
	s.current, s.collectedAt, s.mind = true, at, mind
	s.degraded = batch.Degraded
	return batch, nil
}

// fresh reports whether the last collect still holds where nothing changed since:
// the same zone, within the hour, and committed.
func (s *Sense) fresh(at time.Time, mind *time.Location, cursor []byte) bool {
	return s.current && s.cursor == string(cursor) && !at.Before(s.collectedAt) && at.Sub(s.collectedAt) < renew &&
		sameZone(mind, s.mind, at)
}

// sameZone reports whether two locations show the same clock around at.
func sameZone(a, b *time.Location, at time.Time) bool {
	if a == b {
		return true
	}
	if a.String() != b.String() {
		return false
	}
	for _, t := range [...]time.Time{at, at.Add(ahead)} {
		_, first := t.In(a).Zone()
		if _, second := t.In(b).Zone(); first != second {
			return false
		}
	}
	return true
}

// read reads and expands the file, and returns the set where it differs from
// the last one that was committed.
func (s *Sense) read(ctx context.Context, at time.Time, mind *time.Location, cursor []byte) (senses.Batch, error) {
	content, err := readFile(s.path, s.options.Exclude)
	if err != nil {
		return senses.Batch{}, err
	}
	s.stamp = content.stamp
	if s.hints != nil {
		s.hints.read.Store(&content.stamp)
	}
	if err := s.recall(ctx, cursor); err != nil {
		return senses.Batch{}, err
	}
	if content.own() {
		return s.report(nil, nil, nil, at, mind, cursor, s.config.ICS+" was written by this daemon and is left out; configure another calendar"), nil
	}
	parts := split(content.data)
	if parts.incomplete != "" {
		return senses.Batch{Degraded: fmt.Sprintf("%s %s, so the events known before are kept; if nothing is writing it just now, export it again",
			s.config.ICS, parts.incomplete)}, nil
	}
	return s.expanded(ctx, parts, splitting{}, at, mind, cursor, s.config.ICS)
}

// expanded reports what is ahead of the events of a place, and of those of which
// what they are in left the configuration.
func (s *Sense) expanded(ctx context.Context, parts, left splitting, at time.Time, mind *time.Location, cursor []byte, place string) (senses.Batch, error) {
	seen := map[string]bool{}
	items, found, err := s.ahead(ctx, parts, at, mind, seen)
	if err != nil {
		return senses.Batch{}, err
	}
	out, _, err := s.ahead(ctx, left, at, mind, seen)
	if err != nil {
		return senses.Batch{}, err
	}
	degraded := ""
	if text := found.notes.String(); text != "" {
		degraded = fmt.Sprintf("some of %s is left out: %s", place, text)
	}
	var gone []subconscious.Observation
	if unsure, ok := found.notes.unsure(parts.components); ok {
		gone = s.taken(slices.Concat(items, out), found.away, unsure, at, mind)
	}
	return s.report(items, out, gone, at, mind, cursor, degraded), nil
}

// ahead are the events ahead that were not seen.
func (s *Sense) ahead(ctx context.Context, parts splitting, at time.Time, mind *time.Location, seen map[string]bool) ([]subconscious.Observation, expansion, error) {
	found, err := expand(ctx, parts, window{from: at.Add(-behind), to: at.Add(ahead), mind: mind})
	items := make([]subconscious.Observation, 0, len(found.occurrences))
	for _, o := range found.occurrences {
		item := s.observation(o, at, mind)
		if !item.Until.After(at) {
			s.starts.past(item.ID)
		} else if !seen[item.ID] {
			items = append(items, item)
		}
		seen[item.ID] = true
	}
	return items, found, err
}

// Probe counts the events of a calendar file. The error says why the sense could
// not read it; one that wraps fs.ErrNotExist, that there is none. A problem is what is
// wrong with one that is read as far as it goes.
func Probe(c Config) (events int, problem, err error) {
	content, err := readFile(c.ICS, nil)
	if err != nil {
		return 0, nil, err
	}
	if events, err = Count(content.data); errors.Is(err, errNoCalendar) {
		return 0, nil, err
	}
	return events, err, nil
}

var errNoCalendar = errors.New("it is no iCalendar file (.ics)")

// Count counts the events of an iCalendar object. It is an error where that is
// not whole.
func Count(data []byte) (events int, err error) {
	found := split(data)
	if found.incomplete == notCalendar {
		return 0, errNoCalendar
	}
	if found.incomplete != "" {
		err = errors.New("it " + found.incomplete)
	}
	for _, part := range found.components {
		if part.name == "VEVENT" {
			events++
		}
	}
	return events, err
}

// report makes the batch. Its cursor names the set, so that a collect whose
// commit failed is known by the cursor that comes back.
func (s *Sense) report(items, left, gone []subconscious.Observation, at time.Time, mind *time.Location, cursor []byte, degraded string) senses.Batch {
	batch := senses.Batch{Degraded: degraded}
	sum := sha256.New()
	var line []byte
	all := slices.Concat(items, left)
	for i, item := range all {
		if i == len(items) {
			sum.Write([]byte("\n"))
		}
		line = strconv.AppendQuote(append(line[:0], item.Fingerprint...), item.ID)
		sum.Write(strconv.AppendInt(line, item.Due.Unix(), 10))
	}
	digest := [sha256.Size]byte(sum.Sum(nil))
	if s.cursor != "" && s.cursor == string(cursor) && digest == s.items && s.mind != nil && sameZone(mind, s.mind, at) {
		return batch
	}
	batch.Changes = gone
	batch.Rows = s.starts.update(all, s.options.Rows != nil)
	batch.Sets = []senses.Set{{Scope: s.path, Items: items}}
	if len(left) > 0 {
		batch.Sets = append(batch.Sets, senses.Set{Scope: s.path, Items: left, Left: true})
	}
	s.items = digest
	s.cursor = fmt.Sprintf("1 %x %d", digest[:8], at.UnixNano())
	batch.Cursor = []byte(s.cursor)
	return batch
}

// taken says which events that were ahead do not take place any more. Of those that
// something is wrong with it is unsure.
func (s *Sense) taken(items []subconscious.Observation, away map[string]string, unsure map[string]bool, at time.Time, mind *time.Location) (out []subconscious.Observation) {
	for _, old := range s.starts.taken(items, at, mind) {
		if unsure[uidOf(old.name)] {
			continue
		}
		start, _ := startFrom(old.start, mind)
		o := subconscious.Observation{
			ID: old.name + "#" + takenKind, Sense: senseName, Instance: s.config.ID, Kind: takenKind, Change: subconscious.Momentary,
			At: at, Title: old.title, Trust: s.trust(person{name: old.organizer}), Fingerprint: old.uid,
			Attrs: map[string]string{"start": start.Format(time.RFC3339), "status": cmp.Or(away[old.name], away[uidOf(old.name)], "removed")},
		}
		if len(old.start) == len(time.DateOnly) {
			o.Attrs["all_day"] = "true"
		}
		if old.organizer != "" {
			o.Attrs["organizer"] = old.organizer
		}
		out = append(out, o)
	}
	return out
}

// recall makes the starts that were reported before those of the last commit.
func (s *Sense) recall(ctx context.Context, cursor []byte) error {
	if s.starts != nil && (s.options.Rows == nil || s.cursor == string(cursor)) {
		return nil
	}
	s.starts = starts{}
	if s.options.Rows == nil {
		return nil
	}
	err := s.options.Rows.Rows(ctx, senseName, s.config.ID, s.starts.load)
	if err != nil {
		s.starts = nil
		return fmt.Errorf("read what the calendar %s reported before: %w", s.config.ID, err)
	}
	return nil
}

// within reports whether path lies in one of the folders.
func within(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		relative, err := filepath.Rel(folder, path)
		return err == nil && filepath.IsLocal(relative)
	})
}
