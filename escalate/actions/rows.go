package actions

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

func instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// list writes a list as JSON, never as null.
func list[T any](items []T) (string, error) {
	if items == nil {
		items = []T{}
	}
	text, err := json.Marshal(items)
	return string(text), err
}

const proposalColumns = `p.number, p.key, p.action, p.arguments, p.argv, p.folder, p.hash, p.reason, p.incident, p.deliberation, p.trusts, p.clause, p.why,
	p.at, p.expires, p.state, p.changed, r.number, coalesce(r.said_by, '')`

// proposalTables finds the run of a proposal by what only one run has.
const proposalTables = ` FROM actions_proposals p LEFT JOIN actions_runs r ON r.key = 'proposal/' || p.number `

func scanProposal(scan func(...any) error) (p Proposal, err error) {
	var number, at, expires, changed int64
	var run sql.NullInt64
	var arguments string
	var argv, trusts []byte
	if err := scan(&number, &p.Key, &p.Action, &arguments, &argv, &p.Folder, &p.Hash, &p.Reason, &p.Incident, &p.Deliberation, &trusts, &p.Clause, &p.Why,
		&at, &expires, &p.State, &changed, &run, &p.By); err != nil {
		return Proposal{}, err
	}
	p.ID, p.Arguments = ident("p", p.Action, number), json.RawMessage(arguments)
	p.At, p.Expires, p.Changed = instant(at), instant(expires), instant(changed)
	if run.Valid {
		p.Run = ident("r", p.Action, run.Int64)
	}
	return p, errors.Join(json.Unmarshal(argv, &p.Argv), json.Unmarshal(trusts, &p.Trusts))
}

// findProposals returns the rows that match the rest of a query.
func findProposals(ctx context.Context, tx *store.Tx, rest string, args ...any) ([]Proposal, error) {
	return gather(ctx, tx, scanProposal, "SELECT "+proposalColumns+proposalTables+rest, args...)
}

func gather[T any](ctx context.Context, tx *store.Tx, scan func(func(...any) error) (T, error), query string, args ...any) ([]T, error) {
	found := []T{}
	err := tx.Each(ctx, func(rows *sql.Rows) error {
		one, err := scan(rows.Scan)
		found = append(found, one)
		return err
	}, query, args...)
	return found, err
}

// findProposal returns the first such row; ok is false where there is none.
func findProposal(ctx context.Context, tx *store.Tx, rest string, args ...any) (p Proposal, ok bool, err error) {
	found, err := findProposals(ctx, tx, rest, args...)
	if err != nil || len(found) == 0 {
		return Proposal{}, false, err
	}
	return found[0], true, nil
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
	argv, err := list(p.Argv)
	if err != nil {
		return err
	}
	trusts, err := list(p.Trusts)
	if err != nil {
		return err
	}
	result, err := tx.ExecContext(ctx, `INSERT INTO actions_proposals (key, action, arguments, argv, folder, hash, reason, incident, deliberation, trusts,
		clause, why, at, expires, state, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, p.Key, p.Action, string(p.Arguments), argv, p.Folder, p.Hash,
		p.Reason, string(p.Incident), p.Deliberation, trusts, p.Clause, p.Why, nanoseconds(p.At), nanoseconds(p.Expires), string(p.State), nanoseconds(p.Changed))
	if err != nil {
		return err
	}
	number, err := result.LastInsertId()
	p.ID = ident("p", p.Action, number)
	return err
}

// put stores what changes of a proposal.
func (p Proposal) put(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, "UPDATE actions_proposals SET state = ?, changed = ? WHERE number = ?", string(p.State), nanoseconds(p.Changed), numberOf("p", p.ID))
	return err
}

const runColumns = `number, key, claim, action, arguments, argv, folder, hash, reason, incident, deliberation, trusts, clause, why, proposal, undoes,
	started, ended, state, exit, output, left_out, problem, undo_until, said_by`

func scanRun(scan func(...any) error) (r Run, err error) {
	var number, started, ended, until int64
	var arguments string
	var argv, trusts []byte
	if err := scan(&number, &r.Key, &r.claim, &r.Action, &arguments, &argv, &r.Folder, &r.Hash, &r.Reason, &r.Incident, &r.Deliberation, &trusts, &r.Clause, &r.Why,
		&r.Proposal, &r.UndoOf, &started, &ended, &r.State, &r.ExitCode, &r.Output, &r.LeftOut, &r.Problem, &until, &r.By); err != nil {
		return Run{}, err
	}
	r.ID, r.Arguments = ident("r", r.Action, number), json.RawMessage(arguments)
	r.Started, r.Ended, r.UndoUntil = instant(started), instant(ended), instant(until)
	return r, errors.Join(json.Unmarshal(argv, &r.Argv), json.Unmarshal(trusts, &r.Trusts))
}

func findRuns(ctx context.Context, tx *store.Tx, rest string, args ...any) ([]Run, error) {
	return gather(ctx, tx, scanRun, "SELECT "+runColumns+" FROM actions_runs "+rest, args...)
}

func findRun(ctx context.Context, tx *store.Tx, rest string, args ...any) (r Run, ok bool, err error) {
	found, err := findRuns(ctx, tx, rest, args...)
	if err != nil || len(found) == 0 {
		return Run{}, false, err
	}
	return found[0], true, nil
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
	argv, err := list(r.Argv)
	if err != nil {
		return err
	}
	trusts, err := list(r.Trusts)
	if err != nil {
		return err
	}
	result, err := tx.ExecContext(ctx, `INSERT INTO actions_runs (key, claim, action, arguments, argv, folder, hash, reason, incident, deliberation, trusts, clause,
		why, proposal, undoes, started, ended, state, exit, output, left_out, problem, undo_until, said_by, noticed)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`, r.Key, r.claim, r.Action, string(r.Arguments), argv, r.Folder, r.Hash,
		r.Reason, string(r.Incident), r.Deliberation, trusts, r.Clause, r.Why, r.Proposal, r.UndoOf, nanoseconds(r.Started), nanoseconds(r.Ended), string(r.State),
		r.ExitCode, r.Output, r.LeftOut, r.Problem, nanoseconds(r.UndoUntil), r.By)
	if err != nil {
		return err
	}
	number, err := result.LastInsertId()
	r.ID = ident("r", r.Action, number)
	return err
}

// put stores how a run ended. It changes no run that has ended before.
func (r Run) put(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, `UPDATE actions_runs SET ended = ?, state = ?, exit = ?, output = ?, left_out = ?, problem = ?, undo_until = ?
		WHERE number = ? AND state = 'started'`, nanoseconds(r.Ended), string(r.State), r.ExitCode, r.Output, r.LeftOut, r.Problem, nanoseconds(r.UndoUntil), numberOf("r", r.ID))
	return err
}
