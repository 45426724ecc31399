package sensetest

import (
	"bytes"
	"context"

	"github.com/subconsciousd/subconsciousd/senses"
)

// Kept is what a ledger keeps of one sense: its cursor, and all its rows.
type Kept struct {
	Cursor []byte
	All    map[string][]byte
}

var _ senses.RowReader = (*Kept)(nil)

// Rows are those of the sense, as the ledger would give them.
func (k *Kept) Rows(_ context.Context, _, _ string, yield func(key string, value []byte) bool) error {
	for key, value := range k.All {
		if !yield(key, value) {
			break
		}
	}
	return nil
}

// Keep is a commit of a batch.
func (k *Kept) Keep(b senses.Batch) {
	if b.Cursor != nil {
		k.Cursor = b.Cursor
	}
	if k.All == nil {
		k.All = map[string][]byte{}
	}
	for _, row := range b.Rows {
		if row.Value == nil {
			delete(k.All, row.Key)
		} else {
			k.All[row.Key] = bytes.Clone(row.Value)
		}
	}
}
