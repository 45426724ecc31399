package mind

import (
	"context"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
)

// nanoseconds is the column of t, or of at where t is not set.
func nanoseconds(t, at time.Time) int64 {
	if t.IsZero() {
		return at.UnixNano()
	}
	return t.UnixNano()
}

// maxJSON bounds the caller's details of a row.
const maxJSON = 64 << 10

// table is a table whose rows are values of one type.
type table[T any] struct {
	name, columns string
	// places are where in a value its columns are, as Scan takes them.
	places func(*T) []any
	// check refuses what cannot be added, and bounds the rest.
	check func(*T) error
}

func (t table[T]) add(ctx context.Context, tx *store.Tx, values []T) error {
	for _, value := range values {
		if err := t.check(&value); err != nil {
			return err
		}
		if _, err := tx.Insert(ctx, t.name, t.columns, t.places(&value)...); err != nil {
			return err
		}
	}
	return nil
}

// find reads rows; where and in which order says the rest of the query.
func (t table[T]) find(ctx context.Context, s *Store, what, rest string, args ...any) ([]T, error) {
	return all(ctx, s, what, t.places, "SELECT "+t.columns+" FROM "+t.name+" "+rest, args...)
}

// all returns the rows of a query; what it is says the error.
func all[T any](ctx context.Context, s *Store, what string, columns func(*T) []any, query string, args ...any) ([]T, error) {
	found, err := store.All(ctx, s.db, columns, query, args...)
	return found, wrap(what, err)
}

// one returns the first row of a query, as all does.
func one[T any](ctx context.Context, s *Store, what string, columns func(*T) []any, query string, args ...any) (found T, ok bool, err error) {
	found, ok, err = store.One(ctx, s.db, columns, query, args...)
	return found, ok, wrap(what, err)
}

// write runs a transaction; what it is says the error. So does read.
func (s *Store) write(ctx context.Context, what string, do func(*store.Tx) error) error {
	return wrap(what, s.db.Write(ctx, do))
}

func (s *Store) read(ctx context.Context, what string, do func(*store.Tx) error) error {
	return wrap(what, s.db.Read(ctx, do))
}

func wrap(what string, err error) error {
	if err != nil {
		return fmt.Errorf("mind: %s: %w", what, err)
	}
	return nil
}
