package actions

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// text is JSON that is stored as it is written.
type text struct{ *json.RawMessage }

// Scan implements sql.Scanner.
func (t text) Scan(stored any) error {
	written, ok := stored.(string)
	*t.RawMessage = json.RawMessage(written)
	if !ok {
		return fmt.Errorf("arguments are stored as %T", stored)
	}
	return nil
}

// Value implements driver.Valuer.
func (t text) Value() (driver.Value, error) { return string(*t.RawMessage), nil }

// exactColumns are those that proposals and runs share, columns the places where
// they are read to and written from.
const exactColumns = "key, action, arguments, argv, folder, hash, reason, incident, deliberation, trusts, clause, why"

func (x *Exact) columns() []any {
	if x.Argv == nil {
		x.Argv = []string{}
	}
	if x.Trusts == nil {
		x.Trusts = []subconscious.Trust{}
	}
	return []any{&x.Key, &x.Action, text{&x.Arguments}, store.JSON(&x.Argv), &x.Folder, &x.Hash, &x.Reason, &x.Incident, &x.Deliberation,
		store.JSON(&x.Trusts), &x.Clause, &x.Why}
}

// insert stores a new row, and returns its number.
func insert(ctx context.Context, tx *store.Tx, table, columns string, values []any) (int64, error) {
	result, err := tx.ExecContext(ctx, "INSERT INTO "+table+" ("+columns+") VALUES (?"+strings.Repeat(", ?", len(values)-1)+")", values...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// gather returns the rows of a query.
func gather[T any](ctx context.Context, tx *store.Tx, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	found := []T{}
	err := tx.Each(ctx, func(rows *sql.Rows) error {
		one, err := scan(rows)
		found = append(found, one)
		return err
	}, query, args...)
	return found, err
}

// first is the first that was found; ok is false where there is none.
func first[T any](found []T, err error) (one T, ok bool, _ error) {
	if err != nil || len(found) == 0 {
		return one, false, err
	}
	return found[0], true, nil
}

const proposalColumns = exactColumns + ", at, expires, state, changed"

func (p *Proposal) columns() []any {
	return append(p.Exact.columns(), store.Time(&p.At), store.Time(&p.Expires), &p.State, store.Time(&p.Changed))
}

// findProposals returns the rows that match the rest of a query. The run of a
// proposal is found by what only one run has.
func findProposals(ctx context.Context, tx *store.Tx, rest string, args ...any) ([]Proposal, error) {
	return gather(ctx, tx, func(rows *sql.Rows) (p Proposal, err error) {
		var number int64
		var run sql.NullInt64
		err = rows.Scan(append(p.columns(), &number, &run, &p.By)...)
		if p.ID = ident("p", p.Action, number); run.Valid {
			p.Run = ident("r", p.Action, run.Int64)
		}
		return p, err
	}, "SELECT p."+strings.ReplaceAll(proposalColumns, ", ", ", p.")+`, p.number, r.number, coalesce(r.said_by, '')
		FROM actions_proposals p LEFT JOIN actions_runs r ON r.key = 'proposal/' || p.number `+rest, args...)
}

func findProposal(ctx context.Context, tx *store.Tx, rest string, args ...any) (Proposal, bool, error) {
	return first(findProposals(ctx, tx, rest, args...))
}

func proposalByID(ctx context.Context, tx *store.Tx, id string) (Proposal, error) {
	p, ok, err := findProposal(ctx, tx, "WHERE p.number = ?", numberOf("p", id))
	if err == nil && (!ok || p.ID != id) {
		err = refuse(CodeNotFound, "list what waits: subconsciousctl proposals", "there is no proposal %q", clip(id))
	}
	return p, err
}

// insert stores a new proposal and gives it its id.
func (p *Proposal) insert(ctx context.Context, tx *store.Tx) error {
	number, err := insert(ctx, tx, "actions_proposals", proposalColumns, p.columns())
	p.ID = ident("p", p.Action, number)
	return err
}

// put stores what changes of a proposal.
func (p Proposal) put(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, "UPDATE actions_proposals SET state = ?, changed = ? WHERE number = ?", p.State, store.Time(&p.Changed), numberOf("p", p.ID))
	return err
}

const runColumns = exactColumns + ", claim, proposal, undoes, started, ended, state, exit, output, left_out, problem, undo_until, said_by"

func (r *Run) columns() []any {
	return append(r.Exact.columns(), &r.claim, &r.Proposal, &r.UndoOf, store.Time(&r.Started), store.Time(&r.Ended), &r.State, &r.ExitCode,
		&r.Output, &r.LeftOut, &r.Problem, store.Time(&r.UndoUntil), &r.By)
}

func findRuns(ctx context.Context, tx *store.Tx, rest string, args ...any) ([]Run, error) {
	return gather(ctx, tx, func(rows *sql.Rows) (r Run, err error) {
		var number int64
		err = rows.Scan(append(r.columns(), &number)...)
		r.ID = ident("r", r.Action, number)
		return r, err
	}, "SELECT "+runColumns+", number FROM actions_runs "+rest, args...)
}

func findRun(ctx context.Context, tx *store.Tx, rest string, args ...any) (Run, bool, error) {
	return first(findRuns(ctx, tx, rest, args...))
}

func runByID(ctx context.Context, tx *store.Tx, id string) (Run, error) {
	r, ok, err := findRun(ctx, tx, "WHERE number = ?", numberOf("r", id))
	if err == nil && (!ok || r.ID != id) {
		err = refuse(CodeNotFound, "look for it: subconsciousctl proposals --all", "there is no run %q", clip(id))
	}
	return r, err
}

// insert stores a new run and gives it its id.
func (r *Run) insert(ctx context.Context, tx *store.Tx) error {
	number, err := insert(ctx, tx, "actions_runs", runColumns+", noticed", append(r.columns(), 0))
	r.ID = ident("r", r.Action, number)
	return err
}

// put stores how a run ended. It changes no run that has ended before.
func (r Run) put(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, `UPDATE actions_runs SET ended = ?, state = ?, exit = ?, output = ?, left_out = ?, problem = ?, undo_until = ?
		WHERE number = ? AND state = 'started'`, store.Time(&r.Ended), r.State, r.ExitCode, r.Output, r.LeftOut, r.Problem, store.Time(&r.UndoUntil), numberOf("r", r.ID))
	return err
}

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations returns the steps that make the tables of this package. Times are
// nanoseconds since 1970, 0 for none.
func Migrations() []store.Migration { return store.Migrations("escalate/actions", migrations) }
