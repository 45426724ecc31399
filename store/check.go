package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// Check reads the whole database and returns an *Error with CodeCorrupt that
// names the first problems, if there are any. It takes about a second for each
// 100 MB.
func (db *DB) Check(ctx context.Context) error {
	var problems []string
	err := db.Read(ctx, func(tx *Tx) error {
		rows, err := tx.QueryContext(ctx, "PRAGMA integrity_check(10)")
		if err != nil {
			return err
		}
		if problems, err = column(rows, func(rows *sql.Rows) (line string, err error) {
			err = rows.Scan(&line)
			return line, err
		}); err != nil {
			return err
		}
		if len(problems) == 1 && problems[0] == "ok" {
			problems = nil
		}
		rows, err = tx.QueryContext(ctx, `SELECT "table", rowid, parent FROM pragma_foreign_key_check LIMIT 10`)
		if err != nil {
			return err
		}
		orphans, err := column(rows, func(rows *sql.Rows) (string, error) {
			var table, parent string
			var row sql.NullInt64
			err := rows.Scan(&table, &row, &parent)
			return fmt.Sprintf("row %d of %s has no row in %s", row.Int64, table, parent), err
		})
		problems = append(problems, orphans...)
		return err
	})
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	if len(problems) > 0 {
		return &Error{Code: CodeCorrupt, Path: db.path, Text: fmt.Sprintf("the database %s is damaged: %s", db.path, strings.Join(problems, "; ")),
			Next: "Stop the daemon, move the file away and restore the newest backup"}
	}
	return nil
}

func column(rows *sql.Rows, scan func(*sql.Rows) (string, error)) (lines []string, err error) {
	defer rows.Close()
	for rows.Next() {
		line, err := scan(rows)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, rows.Err()
}
