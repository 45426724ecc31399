package senses

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Staged is what one tick works out: the changes, what is new to whom, and what
// has been shown to whom. Thrown away, it leaves no trace. It is used by one
// goroutine at a time; its View may be used by any number, for any time.
type Staged struct {
	ledger     *Ledger
	at         time.Time
	base       *records
	now        *records
	interested func(subconscious.ThreadName, subconscious.Observation) bool

	changes []*subconscious.Observation
	view    *View

	// What differs from base, for Persist.
	rewritten map[subconscious.Ref]bool // recorded anew, or dropped
	marked    map[subconscious.Ref]bool // only shown and known
	queues    map[subconscious.ThreadName]bool
	touched   map[SenseID]bool
	rows      []sourceRows
	slotted   bool
	// restamps are the instances whose earlier observations get another trust.
	restamps []restamping
}

type sourceRows struct {
	source SenseID
	rows   []Row
}

// Stage works out what changed, given what the senses brought at the time at.
func (l *Ledger) Stage(at time.Time, collected []Collected) *Staged {
	l.mu.Lock()
	base, config := l.records, l.config
	now := base.copy()
	l.mu.Unlock()
	s := &Staged{
		ledger: l, at: at.Round(0), base: base, now: now, interested: config.interested,
		rewritten: map[subconscious.Ref]bool{}, marked: map[subconscious.Ref]bool{},
		queues: map[subconscious.ThreadName]bool{}, touched: map[SenseID]bool{},
	}
	p := staging{Staged: s, touches: map[subconscious.Ref]*touch{}}
	p.configure(config)
	p.restamp(collected, config)
	for _, c := range collected {
		if config.senses == nil || config.senses[SenseID{c.Sense, c.ID}] {
			p.collect(c)
		}
	}
	p.leave()
	p.expire()
	p.reduce()
	p.cross()
	p.seed(config)
	p.trim()
	p.prune()
	s.view = newView(now)
	return s
}

// View returns what stands after the changes of this tick.
func (s *Staged) View() *View { return s.view }

// Changes returns what was recorded this tick, in order of Seq: at most one
// change of each observation.
func (s *Staged) Changes() []subconscious.Observation {
	changes := make([]subconscious.Observation, len(s.changes))
	for i, o := range s.changes {
		changes[i] = *o
	}
	return changes
}

// Health returns the health of every sense that has ever been looked through
// and is still configured, in order of their names.
func (s *Staged) Health() []Health { return s.now.health() }

func (r *records) health() []Health {
	list := make([]Health, 0, len(r.sources))
	for _, id := range slices.SortedFunc(maps.Keys(r.sources), compareSources) {
		if src := r.sources[id]; id.Sense != Person && src.health.State != left {
			src.health.Standing = src.standing
			r.scopes.Ascend(scoped{id, outScope, ""}, func(s scoped) bool {
				out := s.source == id && strings.HasPrefix(s.scope, outScope)
				if out {
					src.health.Standing--
				}
				return out
			})
			list = append(list, src.health)
		}
	}
	return list
}

// Pending returns what the thread has not been shown, in order of Seq, at most
// MaxPending, and how many there were beyond that since it last ran. Several
// changes of one observation are one, with the highest severity among them.
func (s *Staged) Pending(thread subconscious.ThreadName) (new []subconscious.Observation, overflow int) {
	q := s.now.pending[thread]
	return slices.DeleteFunc(q.list(), func(o subconscious.Observation) bool {
		t := s.now.get(o.Ref())
		return t != nil && t.phase == away
	}), q.overflow
}

// Left are the senses that left the configuration and are still known.
func (s *Staged) Left() (ids []SenseID) {
	for _, id := range slices.SortedFunc(maps.Keys(s.now.sources), compareSources) {
		if s.now.sources[id].health.State == left {
			ids = append(ids, id)
		}
	}
	return ids
}

// History returns the last changes of an observation, oldest first and the
// latest included, at most MaxOccurrences. It is kept for 30 days after the
// observation has ended.
func (s *Staged) History(ref subconscious.Ref) []subconscious.Occurrence {
	if t := s.now.get(ref); t != nil {
		return slices.Clone(t.occurrences)
	}
	return nil
}

// Shown reports whether the observation, which stands, was shown to the thread
// since its last change.
func (s *Staged) Shown(thread subconscious.ThreadName, ref subconscious.Ref) bool {
	t := s.now.get(ref)
	return t != nil && t.phase == standing && t.shown&s.now.slots.bit(thread) != 0
}

// Seen records that the thread was shown these observations and ran well. It
// changes neither the view nor what Evidence returns.
func (s *Staged) Seen(thread subconscious.ThreadName, refs []subconscious.Ref) {
	bit := s.now.slots.bit(thread)
	q := s.now.pending[thread]
	if bit == 0 || len(refs) == 0 && q.overflow == 0 {
		return
	}
	q = s.queue(thread)
	q.overflow = 0
	for _, ref := range refs {
		delete(q.items, ref)
		s.mark(ref, bit)
	}
	s.now.pending[thread] = q
}

func (s *Staged) mark(ref subconscious.Ref, bit uint64) {
	t := s.now.get(ref)
	if t == nil {
		return
	}
	marks := t.marks
	if t.phase == standing {
		marks.shown |= bit
		marks.known |= bit
	} else {
		marks.known &^= bit
	}
	if marks != t.marks {
		t = t.copy()
		t.marks = marks
		s.now.put(ref, t)
		s.marked[ref] = true
	}
}

// queue returns the thread's queue as one that may be changed; the caller puts
// it back.
func (s *Staged) queue(thread subconscious.ThreadName) queue {
	q := s.now.pending[thread]
	if !s.queues[thread] {
		s.queues[thread] = true
		q = q.copy()
		s.now.pending[thread] = q
	}
	return q
}

// Evidence returns all that the mechanics may know of the observations, in the
// order of refs. Observations that the ledger does not know are left out.
func (s *Staged) Evidence(refs []subconscious.Ref, shownTo, newTo map[subconscious.Ref][]subconscious.ThreadName) []subconscious.Evidence {
	var list []subconscious.Evidence
	seen := map[subconscious.Ref]bool{}
	for _, ref := range refs {
		t := s.now.get(ref)
		if t == nil || seen[ref] {
			continue
		}
		seen[ref] = true
		latest := *withoutText(t.latest)
		latest.AsOf = s.view.asOf(t)
		if t.latest.Text != "" && len(shownTo[ref]) > 0 {
			latest.Words = t.latest.Terms()
		}
		list = append(list, subconscious.Evidence{
			Ref: ref, Latest: latest,
			Standing: t.phase == standing, Gone: t.phase == gone,
			Occurrences: slices.Clone(t.occurrences),
			ShownTo:     slices.Clone(shownTo[ref]), NewTo: slices.Clone(newTo[ref]),
		})
	}
	return list
}
