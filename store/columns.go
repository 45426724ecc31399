package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// Nano is a time as it is stored: nanoseconds since 1970, 0 for none. It is both
// an argument of a statement and what a column is scanned into, in UTC then.
type Nano struct{ *time.Time }

// Scan implements sql.Scanner.
func (n Nano) Scan(stored any) error {
	at, ok := stored.(int64)
	if !ok {
		return fmt.Errorf("a time is stored as %T", stored)
	}
	if *n.Time = (time.Time{}); at != 0 {
		*n.Time = time.Unix(0, at).UTC()
	}
	return nil
}

// Value implements driver.Valuer.
func (n Nano) Value() (driver.Value, error) {
	if n.IsZero() {
		return int64(0), nil
	}
	return n.UnixNano(), nil
}

// JSON is a value as it is stored, as text. It is both an argument of a statement
// and what a column is scanned into.
type JSON[T any] struct{ Of *T }

// Scan implements sql.Scanner.
func (j JSON[T]) Scan(stored any) error {
	switch text := stored.(type) {
	case string:
		return json.Unmarshal([]byte(text), j.Of)
	case []byte:
		return json.Unmarshal(text, j.Of)
	}
	return fmt.Errorf("JSON is stored as %T", stored)
}

// Value implements driver.Valuer.
func (j JSON[T]) Value() (driver.Value, error) {
	text, err := json.Marshal(j.Of)
	return string(text), err
}
