package actions

import (
	"context"
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

// identColumn scans a number, where there is one, into the name of a proposal or a
// run, behind the column of its action.
type identColumn struct {
	prefix       string
	action, into *string
}

// Scan implements sql.Scanner.
func (c identColumn) Scan(stored any) error {
	if number, ok := stored.(int64); ok {
		*c.into = ident(c.prefix, *c.action, number)
	}
	return nil
}

const proposalColumns = exactColumns + ", at, expires, state, changed"

func (p *Proposal) columns() []any {
	return append(p.Exact.columns(), store.Time(&p.At), store.Time(&p.Expires), &p.State, store.Time(&p.Changed))
}

func (p *Proposal) found() []any {
	return append(p.columns(), identColumn{"p", &p.Action, &p.ID}, identColumn{"r", &p.Action, &p.Run}, &p.By)
}

// proposals reads proposals; the rest of a query follows. The run of one is found by
// what only one run has.
var proposals = "SELECT p." + strings.ReplaceAll(proposalColumns, ", ", ", p.") + `, p.number, r.number, coalesce(r.said_by, '')
	FROM actions_proposals p LEFT JOIN actions_runs r ON r.key = 'proposal/' || p.number `

func findProposal(ctx context.Context, from store.Source, rest string, args ...any) (Proposal, bool, error) {
	return store.One(ctx, from, (*Proposal).found, proposals+rest, args...)
}

func proposalByID(ctx context.Context, from store.Source, id string) (Proposal, error) {
	p, ok, err := findProposal(ctx, from, "WHERE p.number = ?", numberOf("p", id))
	if err == nil && (!ok || p.ID != id) {
		err = refuse(CodeNotFound, "list what waits: subconsciousctl proposals", "there is no proposal %q", clip(id))
	}
	return p, err
}

// insert stores a new proposal and gives it its id.
func (p *Proposal) insert(ctx context.Context, tx *store.Tx) error {
	number, err := tx.Insert(ctx, "actions_proposals", proposalColumns, p.columns()...)
	p.ID = ident("p", p.Action, number)
	return err
}

// put stores what changes of a proposal.
func (p Proposal) put(ctx context.Context, tx *store.Tx) error {
	return tx.Exec(ctx, "UPDATE actions_proposals SET state = ?, changed = ? WHERE number = ?", p.State, store.Time(&p.Changed), numberOf("p", p.ID))
}

const runColumns = exactColumns + ", claim, proposal, undoes, started, ended, state, exit, output, left_out, problem, undo_until, said_by"

func (r *Run) columns() []any {
	return append(r.Exact.columns(), &r.claim, &r.Proposal, &r.UndoOf, store.Time(&r.Started), store.Time(&r.Ended), &r.State, &r.ExitCode,
		&r.Output, &r.LeftOut, &r.Problem, store.Time(&r.UndoUntil), &r.By)
}

func (r *Run) found() []any { return append(r.columns(), identColumn{"r", &r.Action, &r.ID}) }

// runs reads runs; the rest of a query follows.
const runs = "SELECT " + runColumns + ", number FROM actions_runs "

func findRun(ctx context.Context, from store.Source, rest string, args ...any) (Run, bool, error) {
	return store.One(ctx, from, (*Run).found, runs+rest, args...)
}

func runByID(ctx context.Context, from store.Source, id string) (Run, error) {
	r, ok, err := findRun(ctx, from, "WHERE number = ?", numberOf("r", id))
	if err == nil && (!ok || r.ID != id) {
		err = refuse(CodeNotFound, "look for it: subconsciousctl proposals --all", "there is no run %q", clip(id))
	}
	return r, err
}

// insert stores a new run and gives it its id.
func (r *Run) insert(ctx context.Context, tx *store.Tx) error {
	number, err := tx.Insert(ctx, "actions_runs", runColumns+", noticed", append(r.columns(), 0)...)
	r.ID = ident("r", r.Action, number)
	return err
}

// put stores how a run ended. It changes no run that has ended before.
func (r Run) put(ctx context.Context, tx *store.Tx) error {
	return tx.Exec(ctx, `UPDATE actions_runs SET ended = ?, state = ?, exit = ?, output = ?, left_out = ?, problem = ?, undo_until = ?
		WHERE number = ? AND state = 'started'`, store.Time(&r.Ended), r.State, r.ExitCode, r.Output, r.LeftOut, r.Problem, store.Time(&r.UndoUntil), numberOf("r", r.ID))
}

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations returns the steps that make the tables of this package. Times are
// nanoseconds since 1970, 0 for none.
func Migrations() []store.Migration { return store.Migrations("escalate/actions", migrations) }
