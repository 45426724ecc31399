package files

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"path"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses"
)

// rawPrefix begins the key of a path that is no valid text.
const rawPrefix = "\x01"

// hiddenPrefix begins the key of a path that holds a secret: the path without
// it, and a hash of the whole. Such a key is no path that could be looked for,
// but that of a file that is there is known again; see loaded.restore.
const hiddenPrefix = "\x02"

// maxHidden bounds what is kept of a path that holds a secret.
const maxHidden = 1024

// rowKey makes text of any path, without secrets, and pathOfKey the path of
// that.
func rowKey(file string) string {
	if strings.HasPrefix(file, hiddenPrefix) {
		return file
	}
	text := valid(file)
	if safe := redact.Text(text); safe != text {
		return fmt.Sprintf("%s%s#%016x", hiddenPrefix, strings.ToValidUTF8(safe[:min(len(safe), maxHidden)], ""), hash(file))
	}
	if text == file && !strings.HasPrefix(file, rawPrefix) {
		return file
	}
	return rawPrefix + hex.EncodeToString([]byte(file))
}

func pathOfKey(key string) (string, error) {
	raw, ok := strings.CutPrefix(key, rawPrefix)
	if !ok {
		return key, nil
	}
	file, err := hex.DecodeString(raw)
	return string(file), err
}

// markedFlag is set for a file that the daemon itself wrote.
const markedFlag = 1

var errRow = errors.New("malformed row")

// encodeStat packs a stat: flags, size, time of change, inode.
func encodeStat(s stat, marked bool) []byte {
	flags := byte(0)
	if marked {
		flags = markedFlag
	}
	value := append(make([]byte, 0, 24), flags)
	value = binary.AppendUvarint(value, uint64(s.size))
	value = binary.AppendVarint(value, s.mtime)
	return binary.AppendUvarint(value, s.inode)
}

func decodeStat(value []byte) (s stat, marked bool, err error) {
	if len(value) == 0 {
		return stat{}, false, errRow
	}
	marked = value[0]&markedFlag != 0
	value = value[1:]
	size, n := binary.Uvarint(value)
	if n <= 0 {
		return stat{}, false, errRow
	}
	mtime, m := binary.Varint(value[n:])
	if m <= 0 {
		return stat{}, false, errRow
	}
	inode, k := binary.Uvarint(value[n+m:])
	if k <= 0 || n+m+k != len(value) {
		return stat{}, false, errRow
	}
	return stat{size: int64(size), mtime: mtime, inode: inode}, marked, nil
}

// row returns what has to be kept of a delta.
func (d delta) row(marked bool) senses.Row {
	if !d.has {
		return senses.Row{Key: rowKey(d.path)}
	}
	return senses.Row{Key: rowKey(d.path), Value: encodeStat(d.new, marked)}
}

// loaded is what the ledger kept, as it is read back.
type loaded struct {
	known  *tree // nil: there is no baseline for this folder
	marked map[string]bool
	// relaxed: what is new may have been there all along.
	relaxed bool
	device  uint64
	stale   []string // keys of rows of another folder, to be removed

	bad  int
	open map[string][]entry
	// hidden are the rows whose paths hold a secret, by key.
	hidden map[string][]byte
}

func newLoaded(device uint64) *loaded {
	return &loaded{device: device, marked: map[string]bool{}, open: map[string][]entry{}, hidden: map[string][]byte{}}
}

func (r *loaded) add(key string, value []byte) {
	if strings.HasPrefix(key, hiddenPrefix) {
		r.hidden[strings.Clone(key)] = slices.Clone(value)
		return
	}
	file, err := pathOfKey(key)
	r.put(file, value, err)
}

func (r *loaded) put(file string, value []byte, err error) {
	s, marked, decodeErr := decodeStat(value)
	if err != nil || decodeErr != nil || file == "" {
		r.bad++
		return
	}
	folder := path.Dir(file)
	r.open[folder] = append(r.open[folder], entry{strings.Clone(path.Base(file)), s})
	if marked {
		r.marked[file] = true
	}
}

// restore makes the tree of what was committed. The hidden rows of files that are
// there get their paths back; the others are of files that are gone, and are known
// by their keys.
func (r *loaded) restore(now *tree) {
	if len(r.hidden) > 0 {
		now.below(".", func(file string, _ stat) {
			if value, ok := r.hidden[rowKey(file)]; ok {
				delete(r.hidden, rowKey(file))
				r.put(file, value, nil)
			}
		})
	}
	for key, value := range r.hidden {
		r.put(key, value, nil)
	}
	for folder, entries := range r.open {
		r.known.put(strings.Clone(folder), entries)
	}
	r.open, r.hidden = nil, nil
}

// cursor says which collect the rows belong to, and what it was at.
type cursor struct {
	root    uint64 // hash of the folder's path
	ignore  uint64 // hash of the configured patterns
	device  uint64 // of the folder, 0 where unknown
	run     [8]byte
	collect uint64
	trusts  uint64 // sum of those by which all was stamped; version 1 has none
}

const cursorVersion = 2

func (c cursor) encode() []byte {
	b := []byte{cursorVersion}
	for _, v := range [...]uint64{c.root, c.ignore, c.device} {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	b = append(b, c.run[:]...)
	b = binary.BigEndian.AppendUint64(b, c.collect)
	return binary.BigEndian.AppendUint64(b, c.trusts)
}

func decodeCursor(b []byte) (cursor, error) {
	first := len(b) == 41 && b[0] == 1
	if !first && (len(b) != 49 || b[0] != cursorVersion) {
		return cursor{}, fmt.Errorf("cursor of %d bytes is not of this version", len(b))
	}
	var c cursor
	c.root = binary.BigEndian.Uint64(b[1:])
	c.ignore = binary.BigEndian.Uint64(b[9:])
	c.device = binary.BigEndian.Uint64(b[17:])
	copy(c.run[:], b[25:33])
	c.collect = binary.BigEndian.Uint64(b[33:])
	if !first {
		c.trusts = binary.BigEndian.Uint64(b[41:])
	}
	return c, nil
}

func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, part := range parts {
		_, _ = h.Write(append([]byte(part), 0)) // a hash never fails
	}
	return h.Sum64()
}
