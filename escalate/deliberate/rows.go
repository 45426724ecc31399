package deliberate

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// ErrUnknown is the error of Record for an id that no escalation has.
var ErrUnknown = errors.New("there is no such deliberation")

const (
	// maxOf is how many escalations Of returns.
	maxOf = 20
	// Said and done is kept for keepSteps after the end, the escalation for
	// keepEscalation.
	keepSteps      = 30 * 24 * time.Hour
	keepEscalation = 365 * 24 * time.Hour
)

// ending is how an escalation ended, as it is stored.
type ending struct {
	Outcome  subconscious.Outcome `json:"outcome"`
	Told     *Told                `json:"told,omitempty"`
	Fallback string               `json:"fallback,omitempty"`
}

// Add puts an escalation into the queue, in the transaction of the tick. A tick
// has one escalation of an incident: adding it again does nothing. Its ID is
// made of these.
func (w *Worker) Add(ctx context.Context, tx *store.Tx, e Escalation) error {
	if err := e.check(); err != nil {
		return fmt.Errorf("deliberate: add: %w", err)
	}
	e.ID = idOf(e)
	body, size, err := w.pack(e)
	if err != nil {
		return fmt.Errorf("deliberate: add %s: %w", e.ID, err)
	}
	if size > maxEscalation {
		return fmt.Errorf("deliberate: add %s: the escalation has %d bytes, more than %d", e.ID, size, maxEscalation)
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO escalations (id, tick, incident, person, at, critical, expires, state, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', ?) ON CONFLICT DO NOTHING`,
		e.ID, e.Tick, string(e.Incident), string(e.Person), e.At.UnixNano(), e.Critical, store.Time(&e.Template.Expires), body)
	if err != nil {
		return fmt.Errorf("deliberate: add %s: %w", e.ID, err)
	}
	return nil
}

// columns are those that scan reads.
const columns = "state, body, started, deadline, resumed, bytes, cost, system, ended, ending"

// row is an escalation as it is stored.
type row struct {
	Record
	bytes  int
	system string // the hash of what the model is told about its task
}

type scanner interface{ Scan(into ...any) error }

func (w *Worker) scan(from scanner) (r row, err error) {
	var body, end []byte
	if err := from.Scan(&r.State, &body, store.Time(&r.Started), store.Time(&r.Deadline), &r.Resumed, &r.bytes, &r.Cost, &r.system,
		store.Time(&r.Over), &end); err != nil {
		return r, err
	}
	if err := unpack(body, &r.Escalation); err != nil {
		return r, err
	}
	for _, t := range []*time.Time{&r.Started, &r.Deadline, &r.Over} {
		*t = inZone(*t, w.Now())
	}
	if len(end) == 0 {
		return r, nil
	}
	var e ending
	if err := unpack(end, &e); err != nil {
		return r, err
	}
	r.Outcome, r.Told, r.Fallback = &e.Outcome, e.Told, e.Fallback
	return r, nil
}

// inZone is a time in the zone of another; zero stays zero.
func inZone(t, of time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.In(of.Location())
}

// find reads an escalation with all that was said and done in it.
func (w *Worker) find(ctx context.Context, tx *store.Tx, id string) (r row, err error) {
	r, err = w.scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM escalations WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return r, ErrUnknown
	}
	if err != nil {
		return r, fmt.Errorf("escalation %s: %w", id, err)
	}
	if r.system != "" {
		var body []byte
		if err := tx.QueryRowContext(ctx, "SELECT body FROM deliberation_systems WHERE hash = ?", r.system).Scan(&body); err != nil {
			return r, fmt.Errorf("escalation %s: what its model is told: %w", id, err)
		}
		if err := unpack(body, &r.System); err != nil {
			return r, fmt.Errorf("escalation %s: what its model is told: %w", id, err)
		}
	}
	r.Steps, err = steps(ctx, tx, id)
	if err != nil {
		return r, fmt.Errorf("escalation %s: its steps: %w", id, err)
	}
	return r, nil
}

func steps(ctx context.Context, tx *store.Tx, id string) (all []Step, err error) {
	err = tx.Each(ctx, func(rows *sql.Rows) error {
		var body []byte
		if err := rows.Scan(&body); err != nil {
			return err
		}
		var s Step
		if err := unpack(body, &s); err != nil {
			return err
		}
		all = append(all, s)
		return s.check()
	}, "SELECT body FROM deliberation_steps WHERE id = ? ORDER BY n", id)
	return all, err
}

// check refuses a step that lacks what its kind has.
func (s Step) check() error {
	lacks := s.Kind == StepAnswered && s.Answer == nil || (s.Kind == StepCalled || s.Kind == StepStarted) && s.Call == nil ||
		s.Kind == StepStarted && s.Call.Judgement == nil
	if lacks {
		return fmt.Errorf("%w: step %d of kind %s is not whole", errUnreadable, s.N, s.Kind)
	}
	return nil
}

// Record returns an escalation by its id; ErrUnknown where there is none.
func (w *Worker) Record(ctx context.Context, id string) (Record, error) {
	var r row
	if err := w.DB.Read(ctx, func(tx *store.Tx) (err error) {
		r, err = w.find(ctx, tx, id)
		return err
	}); err != nil {
		return Record{}, fmt.Errorf("deliberate: %w", err)
	}
	return r.Record, nil
}

// Of returns the escalations of an incident by its name for people, newest first, at
// most 20, without those that cannot be read.
func (w *Worker) Of(ctx context.Context, person subconscious.IncidentID) ([]Record, error) {
	var all []Record
	if err := w.DB.Read(ctx, func(tx *store.Tx) error {
		ids, err := names(ctx, tx, "SELECT id FROM escalations WHERE person = ? ORDER BY at DESC, id LIMIT ?", string(person), maxOf)
		if err != nil {
			return err
		}
		for _, id := range ids {
			r, err := w.find(ctx, tx, id)
			if errors.Is(err, errUnreadable) {
				continue
			}
			if err != nil {
				return err
			}
			all = append(all, r.Record)
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("deliberate: of %s: %w", person, err)
	}
	return all, nil
}

func names(ctx context.Context, tx *store.Tx, query string, args ...any) (all []string, err error) {
	err = tx.Each(ctx, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		all = append(all, name)
		return err
	}, query, args...)
	return all, err
}

// Sweep removes what is kept no more: what was said 30 days after an escalation
// ended, the escalation a year after. It is quick, and may be called at each
// tick.
func (w *Worker) Sweep(ctx context.Context, at time.Time) error {
	err := w.DB.Write(ctx, func(tx *store.Tx) error {
		const done = "SELECT id FROM escalations WHERE state = 'ended' AND ended < ?"
		for _, s := range []struct {
			query string
			args  []any
		}{
			{"DELETE FROM deliberation_steps WHERE id IN (" + done + ")", []any{at.Add(-keepSteps).UnixNano()}},
			{"UPDATE escalations SET system = '' WHERE system <> '' AND id IN (" + done + ")", []any{at.Add(-keepSteps).UnixNano()}},
			{"DELETE FROM deliberation_systems WHERE hash NOT IN (SELECT system FROM escalations)", nil},
			{"DELETE FROM escalations WHERE state = 'ended' AND ended < ?", []any{at.Add(-keepEscalation).UnixNano()}},
		} {
			if err := tx.Exec(ctx, s.query, s.args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("deliberate: sweep: %w", err)
	}
	return nil
}

// Open returns the escalations that have not ended, without what was said and done in
// them, in the order in which they are taken up.
func (w *Worker) Open(ctx context.Context) (open []Record, err error) {
	err = w.DB.Read(ctx, func(tx *store.Tx) error {
		ids, err := names(ctx, tx, "SELECT id FROM escalations WHERE state <> 'ended' ORDER BY "+turns, maxStuck, w.Now().Add(soon).UnixNano())
		if err != nil {
			return err
		}
		for _, id := range ids {
			r, err := w.scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM escalations WHERE id = ?", id))
			if errors.Is(err, errUnreadable) {
				continue // the worker lets it go
			}
			if err != nil {
				return err
			}
			open = append(open, r.Record)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("deliberate: read what is open: %w", err)
	}
	return open, nil
}

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations returns the steps that make the tables of this package.
//
// Times are nanoseconds since 1970, money is in billionths of a US dollar.
func Migrations() []store.Migration { return store.Migrations("escalate/deliberate", migrations) }
