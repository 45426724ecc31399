package mail

import (
	"iter"
	"maps"

	"github.com/subconsciousd/subconsciousd/senses"
)

// table is one class of rows in memory, as it was last committed, with the
// changes of a look above it that is not known to be.
type table[K comparable, V any] struct {
	form form[K, V]
	base map[K]V
	over map[K]*V // nil: deleted
}

// form is how the rows of a table are written.
type form[K comparable, V any] struct {
	prefix   string // of the keys
	key      func(K) string
	parseKey func(string) (K, bool)
	value    func(V) []byte
	parse    func([]byte) (V, bool)
}

func newTable[K comparable, V any](f form[K, V]) *table[K, V] {
	return &table[K, V]{form: f, base: map[K]V{}, over: map[K]*V{}}
}

func (t *table[K, V]) get(key K) (V, bool) {
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

func (t *table[K, V]) has(key K) bool {
	_, ok := t.get(key)
	return ok
}

func (t *table[K, V]) set(key K, value V) { t.over[key] = &value }

// drop deletes a key; one that was never committed leaves no trace.
func (t *table[K, V]) drop(key K) {
	if _, ok := t.base[key]; ok {
		t.over[key] = nil
		return
	}
	delete(t.over, key)
}

// len is how many there are, or a few more while a look goes on.
func (t *table[K, V]) len() int { return len(t.base) + len(t.over) }

// all yields what there is. A key that was yielded may be dropped or set.
func (t *table[K, V]) all() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
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

// read is get beside the looks, for whoever holds the sense's lock: with the
// changes of a look only when it was handed over, since until then they are
// still being made.
func (t *table[K, V]) read(key K, handed bool) (V, bool) {
	if handed {
		return t.get(key)
	}
	v, ok := t.base[key]
	return v, ok
}

// readAll is all beside the looks, as read is get.
func (t *table[K, V]) readAll(handed bool) iter.Seq2[K, V] {
	if handed {
		return t.all()
	}
	return maps.All(t.base)
}

// changed reports whether there is anything to commit.
func (t *table[K, V]) changed() bool { return len(t.over) > 0 }

// rows appends the changes of the look.
func (t *table[K, V]) rows(rows []senses.Row) []senses.Row {
	for key, v := range t.over {
		row := senses.Row{Key: t.form.prefix + t.form.key(key)}
		if v != nil {
			row.Value = t.form.value(*v)
		}
		rows = append(rows, row)
	}
	return rows
}

// commit makes the changes of the look the table's own.
func (t *table[K, V]) commit() {
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
func (t *table[K, V]) discard() { clear(t.over) }

// clear empties the table before it is read back.
func (t *table[K, V]) clear() { t.base, t.over = map[K]V{}, map[K]*V{} }

// load takes in a row, and reports whether it could be read.
func (t *table[K, V]) load(key string, value []byte) bool {
	k, ok := t.form.parseKey(key)
	if !ok {
		return false
	}
	v, ok := t.form.parse(value)
	if ok {
		t.base[k] = v
	}
	return ok
}
