package daemon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/backup"
	"github.com/subconsciousd/subconsciousd/chat"
	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// slots are the ticks of a day.
const slots = int(24 * time.Hour / slot)

// busyDay is a day that was lived, tick by tick: what each left behind.
type busyDay struct {
	states  []subconscious.State
	records []mind.Record
	docs    [][]byte
	seen    [][]subconscious.Observation
	logs    [][]mind.LogEntry
	decided [][]mind.Decision
	counts  []map[string]int
	reports []map[string]json.RawMessage
}

// idle is how many ticks of a night are lived.
const idle = 24

// worked is what an hour's work does to a machine, in five minutes.
func (w *world) worked(random *rand.Rand, i int) {
	w.t.Helper()
	for range 1 + random.IntN(4) {
		save(w.t, filepath.Join(w.files, fmt.Sprintf("file-%d.md", random.IntN(12))), fmt.Sprint("words ", i))
	}
	switch i % 12 {
	case 1:
		w.disk.set(50 + random.Uint64N(50))
	case 3:
		w.calendar(event{"review@example.org", "Lighthouse review", w.clock.Now().Add(time.Duration(random.IntN(90)) * time.Minute), time.Hour})
	case 7:
		save(w.t, filepath.Join(w.notes, "day.md"), fmt.Sprintf("- [ ] ask about room %d of the lighthouse by Friday\n", i))
	}
}

// livesADay lives some ticks of a night in which nothing changes, and so many of a day in
// which something does at each.
func livesADay(w *world, busy int) busyDay {
	phoned(w)
	w.begin()
	random := rand.New(rand.NewPCG(3, 4))
	ctx := w.t.Context()
	var day busyDay
	var seq int64
	for i := range busy + idle {
		if i == idle {
			w.unchanging()
		} else if i > idle {
			w.worked(random, i)
		}
		report := w.tick()
		record, ok, err := w.d.Mind().Record(ctx, report.Tick)
		doc, _, unread := w.d.Mind().Document(ctx, report.Tick)
		if err != nil || unread != nil || !ok {
			w.t.Fatal(err, unread)
		}
		var seen []subconscious.Observation
		w.query(fmt.Sprint("SELECT seq, observation FROM ledger_changes WHERE seq > ", seq, " ORDER BY seq"), func(scan func(...any) error) error {
			var o subconscious.Observation
			err := scan(&seq, store.JSON(&o))
			o.Change = subconscious.Momentary
			seen = append(seen, o)
			return err
		})
		var logs []mind.LogEntry
		w.query(fmt.Sprint("SELECT entry, incident, what, body FROM mind_entry_log WHERE tick = ", report.Tick), func(scan func(...any) error) error {
			l := mind.LogEntry{}
			err := scan(&l.Entry, &l.Incident, &l.What, &l.JSON)
			logs = append(logs, l)
			return err
		})
		var decided []mind.Decision
		w.query(fmt.Sprint("SELECT incident, person, entry, thread, verdict, reason, body FROM mind_decisions WHERE tick = ", report.Tick), func(scan func(...any) error) error {
			d := mind.Decision{}
			err := scan(&d.Incident, &d.ID, &d.Entry, &d.Thread, &d.Verdict, &d.Reason, &d.JSON)
			decided = append(decided, d)
			return err
		})
		day.states = append(day.states, w.d.State())
		day.records, day.docs, day.seen = append(day.records, record), append(day.docs, doc), append(day.seen, seen)
		var said map[string]json.RawMessage
		if err := json.Unmarshal(record.Report, &said); err != nil {
			w.t.Fatal(err)
		}
		day.reports = append(day.reports, said)
		day.counts = append(day.counts, view.Counts(report))
		day.logs, day.decided = append(day.logs, logs), append(day.decided, decided)
	}
	w.stop()
	return day
}

// again keeps a tick of the day that was lived once more, of another day: what was
// seen, found and decided is new then.
func (d busyDay) again(ctx context.Context, tx *store.Tx, at time.Time, minds *mind.Store, ledger *senses.Ledger, tick int64) error {
	i, day := int(tick)%slots, int(tick)/slots
	of := i + idle
	if of >= len(d.records) {
		of = i % idle
	}
	mark := fmt.Sprint("-", day)
	state := d.states[of]
	state.TickCount, state.LastTick = tick, at
	c := mind.Commit{State: state, Record: d.records[of], Published: d.docs[of], Counts: d.counts[of]}
	c.Record.Tick, c.Record.At = tick, at
	said := d.reports[of]
	said["tick"], said["at"] = fmt.Append(nil, tick), at.AppendFormat(nil, `"`+time.RFC3339Nano+`"`)
	var err error
	if c.Record.Report, err = json.Marshal(said); err != nil {
		return err
	}
	c.Record.Inputs = bytes.ReplaceAll(c.Record.Inputs, []byte(`"lighthouse`), fmt.Appendf(nil, `"lighthouse %d`, tick))
	for _, l := range d.logs[of] {
		l.Entry, l.Incident, l.Tick, l.At = l.Entry+subconscious.EntryID(mark), l.Incident+subconscious.IncidentKey(mark), tick, at
		c.Log = append(c.Log, l)
	}
	for _, one := range d.decided[of] {
		one.Incident, one.ID, one.Entry = one.Incident+subconscious.IncidentKey(mark), one.ID+subconscious.IncidentID(mark), one.Entry+subconscious.EntryID(mark)
		one.Tick, one.At = tick, at
		c.Decisions = append(c.Decisions, one)
	}
	if i%24 == 0 { // twelve times a day somebody is told, and a model is asked at each hour
		key := subconscious.IncidentKey(fmt.Sprint("files:told", tick))
		c.Incidents = []subconscious.Incident{{Key: key, Links: []string{string(key), "work"}, LastSeen: at, Telling: &subconscious.Telling{
			ID: subconscious.IncidentID(fmt.Sprint("i-told-", tick)), State: subconscious.TellingTold, Since: at, Asked: subconscious.Asked{At: at, Summary: "The backup of the workshop has failed", Importance: 8}}}}
		c.State.History = append(c.State.History, subconscious.EscalationRecord{At: at, Incident: key, Outcome: "told"})
		c.Pushes = []mind.Push{{At: at, Kind: mind.PushIncident}}
	}
	if i%12 == 0 {
		c.Calls = []mind.ModelCall{{Tick: tick, At: at, Role: "watcher", Provider: "lab", Model: "m", PromptHash: strings.Repeat("0", 64), PromptBytes: 9000,
			Input: 3000, Output: 400, UsageKnown: true, Cost: 1e6, Attempts: 1, Outcome: mind.OutcomeAnswered, Answer: string(d.docs[of][:min(2000, len(d.docs[of]))])}}
	}
	seen := make([]subconscious.Observation, len(d.seen[of]))
	for n, o := range d.seen[of] {
		o.At, o.ID = at, o.ID+mark
		seen[n] = o
	}
	staged := ledger.Stage(at, []senses.Collected{{Sense: "files", ID: "work", Batch: senses.Batch{Changes: seen, Cursor: fmt.Append(nil, tick)}, Health: senses.Health{Kind: "files", ID: "work", State: senses.OK, Since: start}}})
	if err := staged.Persist(ctx, tx); err != nil {
		return err
	}
	ledger.Adopt(staged)
	if i == 0 {
		if err := d.once(ctx, tx, day, at); err != nil {
			return err
		}
	}
	return minds.Commit(ctx, tx, c)
}

// once leaves what a day leaves beside its ticks: twelve messages that were sent, three
// deliberations of ten steps, and twenty-four charges.
func (d busyDay) once(ctx context.Context, tx *store.Tx, day int, at time.Time) error {
	random := rand.NewChaCha8([32]byte{byte(day), byte(day >> 8)})
	packed := func(n int) []byte {
		body := make([]byte, n)
		_, _ = random.Read(body)
		return body
	}
	for i := range 12 {
		if err := tx.Exec(ctx, `INSERT INTO notify_outbox (key, channel, sequence, kind, incident, at, title, text, urgent, expires, link, answers, state, due, changed, attempts, repeated, sent, receipt, error, next)
			VALUES (?, 'phone', 's', 'incident', ?, ?, 'The backup of the workshop has failed', ?, 0, ?, '', '[]', 'sent', ?, ?, 1, 0, ?, 'r', '', '')`,
			fmt.Sprintf("tell/%d/%d", day, i), fmt.Sprintf("i-told-%d-%d", day, i), at.UnixNano(), strings.Repeat("w ", 60), at.Add(24*time.Hour).UnixNano(), at.UnixNano(), at.UnixNano(), at.UnixNano()); err != nil {
			return err
		}
	}
	for i := range 3 {
		id := fmt.Sprintf("d-%d-%d", day, i)
		if err := tx.Exec(ctx, `INSERT INTO escalations (id, tick, incident, person, at, critical, expires, state, body, system, ended, ending)
			VALUES (?, ?, ?, ?, ?, 0, 0, 'ended', ?, ?, ?, ?)`, id, day, id, id, at.UnixNano(), packed(3000), fmt.Sprint("hash", day/7), at.UnixNano(), packed(500)); err != nil {
			return err
		}
		for n := range 10 {
			if err := tx.Exec(ctx, "INSERT INTO deliberation_steps VALUES (?, ?, ?)", id, n, packed(2500)); err != nil {
				return err
			}
		}
	}
	for range 24 {
		if err := tx.Exec(ctx, `INSERT INTO budget_charges (at, zone, day, role, provider, model, exploration, tick, worst_money, worst_tokens, money, tokens, state)
			VALUES (?, 0, ?, 'watcher', 'lab', 'm', 0, 1, 2000, 5000, 1000, 3400, 'settled')`, at.UnixNano(), at.Format(time.DateOnly)); err != nil {
			return err
		}
	}
	return nil
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	stat, err := os.Stat(path)
	if os.IsNotExist(err) {
		return 0
	} else if err != nil {
		t.Fatal(err)
	}
	return stat.Size()
}

// yearDays are how many days of the year are lived; all of them take five minutes.
var yearDays = flag.Int("year", 60, "how many days TestYear lives through")

// TestYear is a year of busy days: what is kept of them stays bounded. Once a month the
// daemon itself takes the mind and lets go of what it sweeps; the other ticks are those
// of the busiest day, committed by the parts that keep and forget.
func TestYear(t *testing.T) {
	t.Parallel()
	const most, mostLog = 1 << 30, 16 << 20
	days, busy := *yearDays, 96
	if testing.Short() {
		days, busy = 2, 24
	}
	w := newWorld(t)
	day := livesADay(w, busy)
	path := filepath.Join(w.state, "mind.db")
	tick, began := int64(len(day.states)), time.Now()
	var sizes []int64
	for n := 0; n < days; {
		db, err := store.Open(t.Context(), store.Options{Path: path, Now: w.clock.Now}, backup.Migrations()...)
		if err != nil {
			t.Fatal(err)
		}
		ledger, err := senses.OpenLedger(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		ledger.Interest(func(subconscious.ThreadName, subconscious.Observation) bool { return false })
		minds, talk := mind.New(db), chat.New(db, chat.Options{Now: w.clock.Now, Redact: func(s string) string { return s }})
		for range min(30, days-n) {
			for range 24 {
				if err := db.Write(t.Context(), func(tx *store.Tx) error { // an hour at once
					for range slots / 24 {
						tick++
						w.clock.now = w.clock.now.Add(slot)
						if err := day.again(t.Context(), tx, w.clock.now, minds, ledger, tick); err != nil {
							return err
						}
					}
					return nil
				}); err != nil {
					t.Fatalf("tick %d: %v", tick, err)
				}
			}
			for i := range 20 {
				if _, err := talk.Add(t.Context(), chat.Message{Author: chat.Person, Text: fmt.Sprintf("%d: %s", i, strings.Repeat("some words about the boiler ", 8))}); err != nil {
					t.Fatal(err)
				}
			}
			n++
			if size := sizeOf(t, path+"-wal"); size > mostLog {
				t.Fatalf("day %d: the log has %d bytes", n, size)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		w.begin()
		w.ticks(3)
		tick = w.d.State().TickCount
		w.stop()
		sizes = append(sizes, sizeOf(t, path)>>20)
	}
	last := sizes[len(sizes)-1]
	t.Logf("%d ticks in %v; mind.db by months, in MiB: %v", tick, time.Since(began).Round(time.Second), sizes)
	if days > 2 && last<<20 > most*int64(min(days, 365))/365 {
		t.Errorf("it has %d MiB after %d days, more than its share of a year's GiB", last, days)
	}
	// What is kept for a year grows, the rest does not.
	if len(sizes) > 6 && last > 4*sizes[2] {
		t.Errorf("it had %d MiB after three months, and has %d", sizes[2], last)
	}
	w.intact()
	w.begin()
	w.reports(tick)
}

// reports wants a report since the beginning to count so many ticks.
func (w *world) reports(ticks int64) {
	w.t.Helper()
	report, err := w.d.Report(w.t.Context(), start.Add(-time.Hour))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, sum := range report.Threads {
		if int64(sum.Asked+sum.Skipped) != ticks {
			w.t.Errorf("of %d ticks the report has %+v", ticks, sum)
		}
	}
	if int64(report.Ticks) != ticks || report.Findings == 0 || len(report.Changes) == 0 {
		w.t.Errorf("of %d ticks the report counts %d, %d findings, changes %v", ticks, report.Ticks, report.Findings, report.Changes)
	}
}

// TestReportBeyondRecords: what was counted of a day stays when the records of its ticks
// go, and none is counted twice.
func TestReportBeyondRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t).begin()
	const ticks = 400
	for i := range ticks {
		w.disk.set(50 + uint64(i/20%2)*40)
		w.clock.advance(3 * time.Hour)
		if _, err := w.d.TickAs(t.Context(), subconscious.Scheduled); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok, err := w.d.Mind().Record(t.Context(), 1); ok || err != nil {
		t.Fatalf("the first record is there still: %v", err)
	}
	w.reports(ticks)
	since := w.clock.Now().Add(-5 * 24 * time.Hour)
	if report, err := w.d.Report(t.Context(), since); err != nil || report.Ticks != 5*8+1 {
		t.Errorf("the last five days have %d ticks, %v", report.Ticks, err)
	}
}
