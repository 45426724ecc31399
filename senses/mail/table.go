package mail

import (
	"iter"

	"github.com/subconsciousd/subconsciousd/senses"
)

// table is one class of rows in memory, as it was last committed, with the
// changes of a collect above it that is not known to be.
type table[V any] struct {
	base map[hash]V
	over map[hash]*V // nil: deleted
}

func newTable[V any]() *table[V] { return &table[V]{base: map[hash]V{}, over: map[hash]*V{}} }

func (t *table[V]) get(key hash) (V, bool) {
	if v, ok := t.over[key]; ok {
		if v == nil {
			var none V
			return none, false
		}
		return *v, true
	}
	v, ok := t.base[key]
	return v, ok
}

func (t *table[V]) has(key hash) bool {
	_, ok := t.get(key)
	return ok
}

func (t *table[V]) set(key hash, value V) { t.over[key] = &value }

// drop deletes a key; one that was never committed leaves no trace.
func (t *table[V]) drop(key hash) {
	if _, ok := t.base[key]; ok {
		t.over[key] = nil
		return
	}
	delete(t.over, key)
}

// len is how many there are, or a few more while a collect goes on.
func (t *table[V]) len() int { return len(t.base) + len(t.over) }

// all yields what there is. A key that was yielded may be dropped or set.
func (t *table[V]) all() iter.Seq2[hash, V] {
	return func(yield func(hash, V) bool) {
		for key, v := range t.base {
			if _, changed := t.over[key]; !changed && !yield(key, v) {
				return
			}
		}
		for key, v := range t.over {
			if v != nil && !yield(key, *v) {
				return
			}
		}
	}
}

// beside is the table without the changes of a collect that are still being made:
// they count when it was handed over.
func (t *table[V]) beside(handed bool) *table[V] {
	if handed {
		return t
	}
	return &table[V]{base: t.base}
}

// changed reports whether there is anything to commit.
func (t *table[V]) changed() bool { return len(t.over) > 0 }

// rows appends the changes of the collect.
func (t *table[V]) rows(prefix string, rows []senses.Row) []senses.Row {
	for key, v := range t.over {
		row := senses.Row{Key: prefix + key.key()}
		if v != nil {
			row.Value = encode(*v)
		}
		rows = append(rows, row)
	}
	return rows
}

// commit makes the changes of the collect the table's own.
func (t *table[V]) commit() {
	for key, v := range t.over {
		if v == nil {
			delete(t.base, key)
		} else {
			t.base[key] = *v
		}
	}
	clear(t.over)
}

// discard forgets them.
func (t *table[V]) discard() { clear(t.over) }

// dropAll deletes all that was committed.
func (t *table[V]) dropAll() {
	for key := range t.base {
		t.over[key] = nil
	}
}

// clear empties the table before it is read back.
func (t *table[V]) clear() { t.base, t.over = map[hash]V{}, map[hash]*V{} }

// load takes in a row, and reports whether it could be read.
func (t *table[V]) load(key string, value []byte) bool {
	k, ok := parseHash(key)
	var v V
	if !ok || !decode(value, &v) {
		return false
	}
	t.base[k] = v
	return true
}
