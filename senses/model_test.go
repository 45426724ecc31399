package senses_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The model keeps in plain maps what the ledger should know, and works it out
// anew from the beginning at each tick.

// believed is what one thread was told of one observation and what it was not.
type believed struct {
	known    bool // it was told that the observation stands
	waits    bool
	real     bool // more waits than the crossing of a band
	change   subconscious.Change
	severity subconscious.Severity
}

type modelKnown struct {
	stands   bool
	class    string
	severity subconscious.Severity
	band     subconscious.Band
	threads  map[subconscious.ThreadName]believed
}

func (m modelKnown) clone() modelKnown {
	m.threads = maps.Clone(m.threads)
	return m
}

type model map[string]modelKnown

func (m model) clone() model {
	c := model{}
	for id, known := range m {
		c[id] = known.clone()
	}
	return c
}

// world is what is really there, and what happened since it was last reported.
type world struct {
	stands   map[string]subconscious.Observation
	happened []string
	blind    bool
	away     bool // the notes are not configured
	// out: an entry of their list is not, for which all that stood then was held.
	out, listed bool // listed: it was when they were looked at last
	held        []subconscious.Observation
	n           int
}

// dues and ends of the observations that have one.
var (
	dues = map[string]time.Time{"due-a": noon.Add(30 * time.Hour), "due-b": noon.Add(80 * time.Hour)}
	ends = map[string]time.Time{"until": noon.Add(20 * time.Hour)}
	ids  = []string{"a", "due-a", "due-b", "until"}
)

// hidden reports whether nobody hears of the notes.
func (w *world) hidden() bool { return w.away || w.out }

func (w *world) all() []subconscious.Observation {
	return slices.SortedFunc(maps.Values(w.stands), func(a, b subconscious.Observation) int { return strings.Compare(a.ID, b.ID) })
}

func (w *world) collect() []senses.Collected {
	if w.blind {
		return []senses.Collected{blind("notes", "n", "no"), blind("files", "f", "no")}
	}
	var changes []subconscious.Observation
	for _, id := range w.happened {
		changes = append(changes, change(item(id, "1"), subconscious.Momentary))
	}
	notes := senses.Batch{Sets: []senses.Set{{Items: w.held, Left: true}}}
	if !w.out {
		notes = senses.Batch{Sets: []senses.Set{{Items: w.all()}}}
	}
	if w.out == w.listed {
		notes.Listing = senses.Relisted
	}
	return []senses.Collected{brings("notes", "n", notes), brings("files", "f", senses.Batch{Changes: changes})}
}

// tick changes the model as the ledger should change at the time at and
// returns the changes by observation.
func (m model) tick(w *world, at time.Time) map[string]subconscious.Change {
	recorded := map[string]subconscious.Change{}
	for _, id := range ids {
		if w.hidden() {
			break // nobody hears of it
		}
		known := m[id]
		now, there := w.stands[id]
		if w.blind {
			there = known.stands
			now.Fingerprint, now.Severity = known.class, known.severity
		}
		if end, ok := ends[id]; ok && !at.Before(end) {
			there = false
		}
		band := subconscious.TimeBand(dues[id], at)
		switch {
		case there && !known.stands:
			recorded[id] = subconscious.Appeared
		case there && (now.Fingerprint != known.class || now.Severity != known.severity):
			recorded[id] = subconscious.Changed
		case there && band.Rank() > known.band.Rank():
			recorded[id] = "band"
			known.band = band
		case !there && known.stands:
			recorded[id] = subconscious.Momentary
			for _, b := range known.threads {
				if b.known {
					recorded[id] = subconscious.Gone
				}
			}
		}
		if change, ok := recorded[id]; ok && change != "band" {
			if there {
				known.class, known.severity, known.band = now.Fingerprint, now.Severity, band
			}
			known.stands = there
		}
		m[id] = m.told(known, recorded[id])
	}
	if !w.blind {
		for _, id := range w.happened {
			recorded[id] = subconscious.Momentary
			m[id] = m.told(modelKnown{threads: map[subconscious.ThreadName]believed{}}, subconscious.Momentary)
		}
	}
	return recorded
}

// told adds a change to what waits for each thread.
func (m model) told(known modelKnown, change subconscious.Change) modelKnown {
	if change == "" {
		return known
	}
	for _, thread := range subconscious.Threads() {
		b := known.threads[thread]
		if change == "band" {
			if thread != subconscious.Oracle {
				continue
			}
			if !b.real {
				b.change = subconscious.Changed
			}
		} else {
			b.real, b.change = true, change
			if !b.known && change == subconscious.Changed {
				b.change = subconscious.Appeared
			}
			if !b.known && change == subconscious.Gone {
				b.change = subconscious.Momentary
			}
		}
		if !b.waits {
			b.severity = 0
		}
		b.waits = true
		b.severity = max(b.severity, known.severity)
		known.threads[thread] = b
	}
	return known
}

// waiting lists what should be shown to a thread.
func (m model) waiting(thread subconscious.ThreadName, away bool) []string {
	var list []string
	for id, known := range m {
		if b := known.threads[thread]; b.waits && !(away && known.stands) {
			list = append(list, fmt.Sprintf("%s %s severity %d band only %t", b.change, id, b.severity, !b.real))
		}
	}
	slices.Sort(list)
	return list
}

func (m model) seen(thread subconscious.ThreadName, away bool) {
	for _, known := range m {
		if b := known.threads[thread]; b.waits && !(away && known.stands) {
			known.threads[thread] = believed{known: known.stands}
		}
	}
}

func TestLedgerMatchesModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := &run{book: newRapidBook(t), t: rt, model: model{}, world: &world{stands: map[string]subconscious.Observation{}}}
		defer r.close()
		for _, id := range ids {
			r.model[id] = modelKnown{threads: map[subconscious.ThreadName]believed{}}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				id := rapid.SampledFrom(ids).Draw(t, "id")
				o := item(id, rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "class"))
				o.Severity = subconscious.Severity(rapid.IntRange(0, 3).Draw(t, "severity"))
				o.Due, o.Until = dues[id], ends[id]
				r.world.stands[id] = o
			},
			"remove": func(t *rapid.T) { delete(r.world.stands, rapid.SampledFrom(ids).Draw(t, "id")) },
			"happen": func(t *rapid.T) {
				r.world.n++
				r.world.happened = append(r.world.happened, fmt.Sprintf("event-%d", r.world.n))
			},
			"blind": func(t *rapid.T) { r.world.blind = !r.world.blind },
			"later": func(t *rapid.T) {
				r.at = r.at.Add(time.Duration(rapid.IntRange(1, 720).Draw(t, "minutes")) * time.Minute)
			},
			"leave or come back": func(*rapid.T) { r.world.away = !r.world.away; r.reopen() },
			"an entry leaves or comes back": func(t *rapid.T) {
				if !r.world.blind && !r.world.away {
					r.world.out = !r.world.out
					r.tickOnce(t)
				}
			},
			"restart": func(*rapid.T) { r.reopen() },
			"tick":    r.tickOnce,
			"a tick":  r.tickOnce,
			"again":   r.tickOnce,
			"next":    r.tickOnce,
			"crash": func(*rapid.T) {
				staged := r.ledger.Stage(r.at, r.world.collect())
				for _, thread := range subconscious.Threads() {
					see(staged, thread)
				}
				r.reopen()
			},
			"thrown away": func(*rapid.T) {
				staged := r.ledger.Stage(r.at, r.world.collect())
				for _, thread := range subconscious.Threads() {
					see(staged, thread)
				}
			},
		})
	})
}

type run struct {
	*book
	t     *rapid.T
	model model
	world *world
	seq   int64
	// views are old ones, with what they held.
	views []oldView
}

type oldView struct {
	view *senses.View
	held []string
}

func newRapidBook(t *testing.T) *book {
	b := &book{t: t, at: noon}
	b.db = openMemory(t)
	b.reopen()
	return b
}

func (r *run) reopen() {
	r.book.reopen()
	ids := []senses.SenseID{{Sense: "files", ID: "f"}}
	if !r.world.away {
		ids = append(ids, senses.SenseID{Sense: "notes", ID: "n"})
	}
	if err := r.ledger.Configure(ids); err != nil {
		r.t.Fatal(err)
	}
}

func (r *run) close() {
	if err := r.db.Close(); err != nil {
		r.t.Fatal(err)
	}
}

func held(v *senses.View) []string {
	var list []string
	v.All(func(o subconscious.Observation) bool {
		list = append(list, fmt.Sprintf("%s %s %d as of %t", o.ID, o.Fingerprint, o.Severity, !o.AsOf.IsZero()))
		return true
	})
	slices.Sort(list)
	return list
}

// tickOnce is one tick with some threads healthy, compared with the model.
func (r *run) tickOnce(t *rapid.T) {
	next := r.model.clone()
	want := next.tick(r.world, r.at)
	staged := r.ledger.Stage(r.at, r.world.collect())

	got := map[string]subconscious.Change{}
	for _, o := range staged.Changes() {
		if o.Seq != r.seq+1 {
			t.Fatalf("change %d follows %d", o.Seq, r.seq)
		}
		r.seq = o.Seq
		if _, twice := got[o.ID]; twice {
			t.Fatalf("%s changed twice in one tick", o.ID)
		}
		got[o.ID] = o.Change
		if o.BandOnly {
			got[o.ID] = "band"
		}
	}
	compare(t, "changes", got, want)
	var stands []string
	for id, known := range next {
		if known.stands && !r.world.hidden() {
			stands = append(stands, fmt.Sprintf("%s %s %d as of %t", id, known.class, known.severity, r.world.blind))
		}
	}
	slices.Sort(stands)
	compare(t, "what stands", held(staged.View()), stands)
	if n := staged.View().Len(); n != len(stands) {
		t.Fatalf("Len is %d, %d stand", n, len(stands))
	}
	for _, thread := range subconscious.Threads() {
		list, overflow := staged.Pending(thread)
		var lines []string
		for _, o := range list {
			lines = append(lines, fmt.Sprintf("%s %s severity %d band only %t", o.Change, o.ID, o.Severity, o.BandOnly))
		}
		slices.Sort(lines)
		compare(t, "what waits for "+string(thread), lines, next.waiting(thread, r.world.hidden()))
		if overflow != 0 {
			t.Fatalf("overflow %d", overflow)
		}
	}
	for _, thread := range rapid.SampledFrom([][]subconscious.ThreadName{
		subconscious.Threads(), nil, nil, {subconscious.Watcher}, {subconscious.Oracle}, {subconscious.Librarian, subconscious.Oracle},
	}).Draw(t, "healthy") {
		see(staged, thread)
		next.seen(thread, r.world.hidden())
	}
	for id, known := range next {
		for _, thread := range subconscious.Threads() {
			want := known.stands && !known.threads[thread].waits && !r.world.hidden()
			if got := staged.Shown(thread, subconscious.NewRef("notes", id)); got != want {
				t.Fatalf("%s was shown to %s: %t, want %t", id, thread, got, want)
			}
		}
	}
	r.commit(staged)
	r.model = next
	if !r.world.blind {
		r.world.happened = nil
		if !r.world.away {
			r.world.listed = !r.world.out
		}
		if !r.world.hidden() {
			r.world.held = r.world.all()
		}
	}
	r.views = append(r.views, oldView{staged.View(), held(staged.View())})
	for i, old := range r.views {
		compare(t, fmt.Sprintf("view %d of %d", i, len(r.views)), held(old.view), old.held)
	}
	if staged := r.ledger.Stage(r.at, r.world.collect()); len(staged.Changes()) != 0 {
		t.Fatalf("the same tick again brings %v", short(staged.Changes()))
	}
}

func compare(t *rapid.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}
