package notes

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/redact"
)

const (
	entryVersion = 1
	// maxLines is how many distinct lines of a file are told apart. Of a file
	// that has more it is said that it changed, but not what was added.
	maxLines = 6000
)

// entry is what is kept of one file: one row.
type entry struct {
	mtime int64 // nanoseconds; 0: it must be read again in any case
	size  int64
	hash  uint64 // of the content
	// origin is the path under which the file was first seen, and its promises
	// are known; "" where it is the path itself.
	origin string
	marked bool // it carries the daemon's mark, or is no text
	open   bool // it held promises when it was last read
	memos  []memo
	lines  []uint32 // hashes of the distinct lines, sorted
	many   bool     // it has more lines than are kept
}

// hiddenPrefix begins the key of a row whose path holds a secret.
const hiddenPrefix = "\x02"

func isHidden(key string) bool { return strings.HasPrefix(key, hiddenPrefix) }

// safeName is a path without its secrets: with the hash of the whole in place
// of them, so that a file keeps its identity. It is also that of a hidden key.
func safeName(rel string) string {
	if name, hidden := strings.CutPrefix(rel, hiddenPrefix); hidden {
		return name
	}
	name := redact.Text(rel)
	if name == rel {
		return rel
	}
	sum := sha256.Sum256([]byte(rel))
	return name + "#" + hex.EncodeToString(sum[:8])
}

// rowKey is the key of a file's row.
func rowKey(rel string) string {
	if name := safeName(rel); name != rel {
		return hiddenPrefix + name
	}
	return rel
}

// memo is what a promise with a date was found to mean when it was first seen.
type memo struct {
	key  key
	due  int64 // seconds
	gone int64 // seconds; since when the promise is not there, 0: it is
}

// remember is how long a promise that is gone keeps its date: long enough to
// cut it out of one place and paste it into another.
const remember = time.Hour

const (
	flagMarked = 1 << iota
	flagOpen
	flagMany
)

func (e *entry) encode() []byte {
	b := make([]byte, 0, 64+len(e.origin)+len(e.memos)*24+len(e.lines)*4)
	flags := byte(0)
	for i, on := range []bool{e.marked, e.open, e.many} {
		if on {
			flags |= 1 << i
		}
	}
	b = append(b, entryVersion, flags)
	b = binary.AppendVarint(b, e.mtime)
	b = binary.AppendVarint(b, e.size)
	b = binary.LittleEndian.AppendUint64(b, e.hash)
	b = binary.AppendUvarint(b, uint64(len(e.origin)))
	b = append(b, e.origin...)
	b = binary.AppendUvarint(b, uint64(len(e.memos)))
	for _, m := range e.memos {
		b = append(b, m.key[:]...)
		b = binary.AppendVarint(b, m.due)
		b = binary.AppendVarint(b, m.gone)
	}
	b = binary.AppendUvarint(b, uint64(len(e.lines)))
	for _, l := range e.lines {
		b = binary.LittleEndian.AppendUint32(b, l)
	}
	return b
}

var errRow = errors.New("a row that this version did not write")

// decode reads a row back. A file whose row cannot be read, or is of another
// folder, is read again.
func decode(row []byte, same bool) (*entry, error) {
	e, err := decodeEntry(row)
	if err != nil {
		return &entry{open: true, many: true}, err
	}
	if !same {
		e.mtime, e.hash = 0, 0
	}
	return e, nil
}

// decodeEntry reads a row back.
func decodeEntry(row []byte) (*entry, error) {
	d := decoder{rest: row}
	if version := d.bytes(1); d.failed || version[0] != entryVersion {
		return nil, errRow
	}
	flags := d.bytes(1)
	e := &entry{mtime: d.varint(), size: d.varint()}
	hash := d.bytes(8)
	origin := d.bytes(d.length(1))
	if d.failed {
		return nil, errRow
	}
	e.marked, e.open, e.many = flags[0]&flagMarked != 0, flags[0]&flagOpen != 0, flags[0]&flagMany != 0
	e.hash, e.origin = binary.LittleEndian.Uint64(hash), string(origin)
	if n := d.length(len(key{}) + 2); n > 0 {
		e.memos = make([]memo, n)
	}
	for i := range e.memos {
		copy(e.memos[i].key[:], d.bytes(len(key{})))
		e.memos[i].due, e.memos[i].gone = d.varint(), d.varint()
	}
	lines := d.bytes(4 * d.length(4))
	if d.failed || len(d.rest) > 0 {
		return nil, errRow
	}
	if len(lines) > 0 {
		e.lines = make([]uint32, len(lines)/4)
	}
	for i := range e.lines {
		e.lines[i] = binary.LittleEndian.Uint32(lines[4*i:])
	}
	return e, nil
}

// decoder reads a row; after a failure it returns zeroes.
type decoder struct {
	rest   []byte
	failed bool
}

func (d *decoder) bytes(n int) []byte {
	if d.failed || n < 0 || n > len(d.rest) {
		d.failed = true
		return make([]byte, min(max(n, 0), 16))
	}
	out := d.rest[:n]
	d.rest = d.rest[n:]
	return out
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.rest)
	if d.failed || n <= 0 {
		d.failed = true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// length reads a count of observations of at least size bytes each.
func (d *decoder) length(size int) int {
	v, n := binary.Uvarint(d.rest)
	if d.failed || n <= 0 || v > uint64(len(d.rest)/size) {
		d.failed = true
		return 0
	}
	d.rest = d.rest[n:]
	return int(v)
}
