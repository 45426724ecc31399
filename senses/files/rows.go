package files

import (
	"bytes"
	"cmp"
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
	r := bytes.NewReader(value)
	flags, err1 := r.ReadByte()
	size, err2 := binary.ReadUvarint(r)
	mtime, err3 := binary.ReadVarint(r)
	inode, err4 := binary.ReadUvarint(r)
	if r.Len() > 0 || cmp.Or(err1, err2, err3, err4) != nil {
		return stat{}, false, errRow
	}
	return stat{size: int64(size), mtime: mtime, inode: inode}, flags&markedFlag != 0, nil
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
	stale   []string // keys of rows of another folder, to be removed

	bad  int
	open map[string][]entry
	// hidden are the rows whose paths hold a secret, by key.
	hidden map[string][]byte
}

func newLoaded() *loaded {
	return &loaded{marked: map[string]bool{}, open: map[string][]entry{}, hidden: map[string][]byte{}}
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
		now.below(map[string]bool{".": true}, func(file string, _ stat) {
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

// cursor says which collect the rows belong to, and what it was at. It is stored
// as it stands, behind its version.
type cursor struct {
	Root    uint64 // hash of the folder's path
	Ignore  uint64 // hash of the configured patterns
	Device  uint64 // of the folder, 0 where unknown
	Run     [8]byte
	Collect uint64
	Trusts  uint64 // sum of those by which all was stamped; version 1 has none
}

const cursorVersion = 2

func (c cursor) encode() []byte {
	b, _ := binary.Append([]byte{cursorVersion}, binary.BigEndian, c) // of a fixed size, which cannot fail
	return b
}

func decodeCursor(b []byte) (c cursor, err error) {
	size := 1 + binary.Size(c)
	if len(b) == size-8 && b[0] == 1 {
		b = append(slices.Clone(b), make([]byte, 8)...)
	} else if len(b) != size || b[0] != cursorVersion {
		return c, fmt.Errorf("cursor of %d bytes is not of this version", len(b))
	}
	_, err = binary.Decode(b[1:], binary.BigEndian, &c)
	return c, err
}

func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, part := range parts {
		_, _ = h.Write(append([]byte(part), 0)) // a hash never fails
	}
	return h.Sum64()
}
