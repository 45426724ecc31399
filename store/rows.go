package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Source is where rows are read: a Tx, or a DB, which reads each query in a
// transaction of its own.
type Source interface {
	// Each runs a query and calls row for each of its rows, which it scans.
	Each(ctx context.Context, row func(*sql.Rows) error, query string, args ...any) error
}

// Each is as in Source.
func (tx *Tx) Each(ctx context.Context, row func(*sql.Rows) error, query string, args ...any) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Each is as in Source.
func (db *DB) Each(ctx context.Context, row func(*sql.Rows) error, query string, args ...any) error {
	return db.Read(ctx, func(tx *Tx) error { return tx.Each(ctx, row, query, args...) })
}

// All returns the rows of a query. The function columns says where each column
// of a row goes, as Scan takes it.
func All[T any](ctx context.Context, from Source, columns func(*T) []any, query string, args ...any) ([]T, error) {
	var all []T
	err := from.Each(ctx, func(rows *sql.Rows) error {
		var one T
		if err := rows.Scan(columns(&one)...); err != nil {
			return err
		}
		all = append(all, one)
		return nil
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// One returns the first row of a query; ok is false where there is none.
func One[T any](ctx context.Context, from Source, columns func(*T) []any, query string, args ...any) (one T, ok bool, err error) {
	all, err := All(ctx, from, columns, query, args...)
	if err != nil || len(all) == 0 {
		return one, false, err
	}
	return all[0], true, nil
}

// Map returns the rows of a query of two columns: the second by the first.
func Map[K comparable, V any](ctx context.Context, from Source, query string, args ...any) (map[K]V, error) {
	all := map[K]V{}
	err := from.Each(ctx, func(rows *sql.Rows) error {
		var key K
		var value V
		err := rows.Scan(&key, &value)
		all[key] = value
		return err
	}, query, args...)
	return all, err
}

// Value is the one column of rows that have one.
func Value[T any](into *T) []any { return []any{into} }

// JSONValue is the one column of rows whose column is JSON.
func JSONValue[T any](into *T) []any { return []any{JSON(into)} }

// Column is an argument of a statement, and what a column is scanned into.
type Column interface {
	sql.Scanner
	driver.Valuer
}

// JSON is a value stored as JSON, or a pointer to it, into which it is scanned;
// NULL leaves it as it is.
func JSON(value any) Column { return jsonColumn{value} }

type jsonColumn struct{ value any }

func (c jsonColumn) Scan(column any) error {
	switch column := column.(type) {
	case nil:
		return nil
	case []byte:
		return json.Unmarshal(column, c.value)
	case string:
		return json.Unmarshal([]byte(column), c.value)
	}
	return fmt.Errorf("store: a column of JSON is of type %T", column)
}

func (c jsonColumn) Value() (driver.Value, error) {
	body, err := json.Marshal(c.value)
	return string(body), err
}

// Time is a time stored as nanoseconds since 1970, in UTC where it is scanned; NULL
// and 0 are no time.
func Time(t *time.Time) Column { return timeColumn{t} }

type timeColumn struct{ into *time.Time }

func (c timeColumn) Value() (driver.Value, error) {
	if c.into.IsZero() {
		return int64(0), nil
	}
	return c.into.UnixNano(), nil
}

func (c timeColumn) Scan(column any) error {
	var nanoseconds sql.NullInt64
	if err := nanoseconds.Scan(column); err != nil {
		return err
	}
	*c.into = time.Time{}
	if nanoseconds.Int64 != 0 {
		*c.into = time.Unix(0, nanoseconds.Int64).UTC()
	}
	return nil
}

// Zone is a column of the seconds east of UTC of a time, behind the one of Time.
func Zone(t *time.Time) Column { return zoneColumn{t} }

type zoneColumn struct{ into *time.Time }

func (c zoneColumn) Value() (driver.Value, error) {
	_, seconds := c.into.Zone()
	return int64(seconds), nil
}

func (c zoneColumn) Scan(column any) error {
	var seconds sql.NullInt64
	if err := seconds.Scan(column); err != nil {
		return err
	}
	if seconds.Int64 != 0 {
		*c.into = c.into.In(time.FixedZone("", int(seconds.Int64)))
	}
	return nil
}

// Optional is a text that is stored as NULL where it is empty.
func Optional[T ~string](text *T) Column { return optionalColumn[T]{text} }

type optionalColumn[T ~string] struct{ into *T }

func (c optionalColumn[T]) Value() (driver.Value, error) {
	if *c.into == "" {
		return nil, nil
	}
	return string(*c.into), nil
}

func (c optionalColumn[T]) Scan(column any) error {
	var text sql.NullString
	err := text.Scan(column)
	*c.into = T(text.String)
	return err
}

// Run executes a statement and returns how many rows it changed.
func (tx *Tx) Run(ctx context.Context, query string, args ...any) (rows int64, err error) {
	result, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Exec executes a statement of which nothing but its error matters.
func (tx *Tx) Exec(ctx context.Context, query string, args ...any) error {
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// Exec executes a statement in a transaction of its own.
func (db *DB) Exec(ctx context.Context, query string, args ...any) error {
	return db.Write(ctx, func(tx *Tx) error { return tx.Exec(ctx, query, args...) })
}

// Insert adds a row to a table, and returns its number. Columns are their names,
// parted by commas, and values as many.
func (tx *Tx) Insert(ctx context.Context, table, columns string, values ...any) (number int64, err error) {
	places := strings.Repeat(", ?", len(values))[2:]
	result, err := tx.ExecContext(ctx, "INSERT INTO "+table+" ("+columns+") VALUES ("+places+")", values...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}
