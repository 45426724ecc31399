package deliberate

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// errUnknown is the error for an id that no escalation has, and errUnreadable is
// wrapped by errors of a record that is damaged, or was written by another version.
var (
	errUnknown    = errors.New("there is no such deliberation")
	errUnreadable = errors.New("the record cannot be read")
)

const (
	// maxOf is how many escalations Of returns.
	maxOf = 20
	// Said and done is kept for keepSteps after the end, the escalation for
	// keepEscalation.
	keepSteps      = 30 * 24 * time.Hour
	keepEscalation = 365 * 24 * time.Hour
)

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

// row is an escalation as it is stored.
type row struct {
	Record
	bytes  int
	system string // the hash of what the model is told about its task
}

// packed scans a body that pack wrote; NULL is an ending that is ahead.
type packed struct{ into any }

// Scan implements sql.Scanner.
func (p packed) Scan(column any) error {
	if column == nil {
		return nil
	}
	body, _ := column.([]byte)
	raw, err := store.Unpack(body, nil)
	if err == nil {
		err = json.Unmarshal(raw, p.into)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	return nil
}

// pack returns a value as it is stored, and how many bytes it has as JSON.
func (w *Worker) pack(value any) (body []byte, size int, err error) {
	raw, err := json.Marshal(value)
	if err == nil {
		body, err = w.packer.Pack(raw, nil)
	}
	return body, len(raw), err
}

func (r *row) columns() []any {
	return []any{&r.State, packed{&r.Escalation}, store.Time(&r.Started), store.Time(&r.Deadline), &r.Resumed, &r.bytes, &r.Cost, &r.system,
		store.Time(&r.Over), packed{&r.Ending}}
}

// row reads an escalation without what was said and done in it.
func (w *Worker) row(ctx context.Context, tx *store.Tx, id string) (row, error) {
	r, ok, err := store.One(ctx, tx, (*row).columns,
		"SELECT state, body, started, deadline, resumed, bytes, cost, system, ended, ending FROM escalations WHERE id = ?", id)
	switch {
	case err != nil:
		return r, fmt.Errorf("escalation %s: %w", id, err)
	case !ok:
		return r, errUnknown
	}
	for _, t := range []*time.Time{&r.Started, &r.Deadline, &r.Over} {
		*t = inZone(*t, w.Now())
	}
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
func (w *Worker) find(ctx context.Context, tx *store.Tx, id string) (row, error) {
	r, err := w.row(ctx, tx, id)
	if err != nil {
		return r, err
	}
	if r.system != "" {
		system, ok, err := store.One(ctx, tx, func(text *string) []any { return []any{packed{text}} }, "SELECT body FROM deliberation_systems WHERE hash = ?", r.system)
		if err == nil && !ok {
			err = errors.New("it is not there")
		}
		if err != nil {
			return r, fmt.Errorf("escalation %s: what its model is told: %w", id, err)
		}
		r.System = system
	}
	r.Steps, err = store.All(ctx, tx, func(s *Step) []any { return []any{packed{s}} }, "SELECT body FROM deliberation_steps WHERE id = ? ORDER BY n", id)
	for _, s := range r.Steps {
		err = cmp.Or(err, s.check())
	}
	if err != nil {
		return r, fmt.Errorf("escalation %s: its steps: %w", id, err)
	}
	return r, nil
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

// Of returns the escalations of an incident by its name for people, newest first, at
// most 20, without those that cannot be read.
func (w *Worker) Of(ctx context.Context, person subconscious.IncidentID) ([]Record, error) {
	return w.records(ctx, w.find, "SELECT id FROM escalations WHERE person = ? ORDER BY at DESC, id LIMIT ?", string(person), maxOf)
}

// Open returns the escalations that have not ended, without what was said and done in
// them, in the order in which they are taken up. The worker lets go those that
// cannot be read.
func (w *Worker) Open(ctx context.Context) ([]Record, error) {
	return w.records(ctx, w.row, "SELECT id FROM escalations WHERE state <> 'ended' ORDER BY "+turns, maxStuck, w.Now().Add(soon).UnixNano())
}

// records reads the escalations whose ids a query finds, but for those that cannot be
// read.
func (w *Worker) records(ctx context.Context, read func(context.Context, *store.Tx, string) (row, error), query string, args ...any) (all []Record, err error) {
	err = w.DB.Read(ctx, func(tx *store.Tx) error {
		ids, err := store.All(ctx, tx, store.Value[string], query, args...)
		for _, id := range ids {
			r, unread := read(ctx, tx, id)
			switch {
			case errors.Is(unread, errUnreadable):
			case unread != nil:
				return unread
			default:
				all = append(all, r.Record)
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("deliberate: %w", err)
	}
	return all, nil
}

// Sweep removes what is kept no more: what was said 30 days after an escalation
// ended, the escalation a year after. It is quick, and may be called at each
// tick.
func (w *Worker) Sweep(ctx context.Context, at time.Time) error {
	const done = " WHERE state = 'ended' AND ended < ?1"
	steps, whole := at.Add(-keepSteps).UnixNano(), at.Add(-keepEscalation).UnixNano()
	err := w.DB.Write(ctx, func(tx *store.Tx) error {
		return cmp.Or(
			tx.Exec(ctx, "DELETE FROM deliberation_steps WHERE id IN (SELECT id FROM escalations"+done+")", steps),
			tx.Exec(ctx, "UPDATE escalations SET system = ''"+done+" AND system <> ''", steps),
			tx.Exec(ctx, "DELETE FROM deliberation_systems WHERE hash NOT IN (SELECT system FROM escalations)"),
			tx.Exec(ctx, "DELETE FROM escalations"+done, whole),
		)
	})
	if err != nil {
		return fmt.Errorf("deliberate: sweep: %w", err)
	}
	return nil
}

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations returns the steps that make the tables of this package.
//
// Times are nanoseconds since 1970, money is in billionths of a US dollar.
func Migrations() []store.Migration { return store.Migrations("escalate/deliberate", migrations) }
