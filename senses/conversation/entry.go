package conversation

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/subconsciousd/subconsciousd/internal/foreign"
)

const (
	// anchor is how many bytes at the head of a transcript, and before where it
	// was read to, tell whether it is the one that it was.
	anchor = 1 << 10
	// maxSeen is how many messages of a transcript are known again.
	maxSeen = 256
)

// entry is what is kept of one transcript.
type entry struct {
	Name string `json:"n"`
	// MTime is 0 where the file is to be looked at again whatever its time.
	MTime int64 `json:"m,omitempty"`
	Size  int64 `json:"s,omitempty"`
	// Offset is how far it was read. Head and Tail are hashes of the anchors.
	Offset int64  `json:"o,omitempty"`
	Head   uint64 `json:"h,omitempty"`
	Tail   uint64 `json:"t,omitempty"`
	// Seen are hashes of the last messages, 8 bytes each, and Dropped says that
	// there were more.
	Seen    []byte `json:"i,omitempty"`
	Dropped bool   `json:"d,omitempty"`
	Open    []open `json:"p,omitempty"`
}

func decodeEntry(row []byte) (*entry, error) {
	e := &entry{}
	if err := json.Unmarshal(row, e); err != nil {
		return nil, err
	}
	if e.Offset < 0 || e.Size < 0 || len(e.Seen)%8 != 0 || e.Name == "" {
		return nil, fmt.Errorf("offset %d, size %d, %d bytes of hashes, name %q", e.Offset, e.Size, len(e.Seen), e.Name)
	}
	return e, nil
}

func (e *entry) copy() *entry {
	c := *e
	c.Seen, c.Open = slices.Clone(e.Seen), slices.Clone(e.Open)
	return &c
}

// seen returns the hashes of the last messages as a set.
func (e *entry) seen() map[uint64]bool {
	set := make(map[uint64]bool, len(e.Seen)/8)
	for b := e.Seen; len(b) >= 8; b = b[8:] {
		set[binary.LittleEndian.Uint64(b)] = true
	}
	return set
}

func (e *entry) see(hash uint64) {
	e.Seen = binary.LittleEndian.AppendUint64(e.Seen, hash)
	if excess := len(e.Seen) - 8*maxSeen; excess > 0 {
		e.Seen, e.Dropped = slices.Clone(e.Seen[excess:]), true
	}
}

// headLength is how long the anchor is with which a transcript begins.
func (e *entry) headLength() int64 { return min(anchor, e.Offset) }

// matches reports whether a file of that size begins as the transcript did that
// was read.
func (e *entry) matches(file io.ReaderAt, size int64) bool {
	if size < e.Offset {
		return false
	}
	head, err := hashAt(file, 0, e.headLength())
	if err != nil || head != e.Head {
		return false
	}
	tail, err := hashAt(file, e.Offset-e.headLength(), e.headLength())
	return err == nil && tail == e.Tail
}

// fix notes how far a file was read.
func (e *entry) fix(file io.ReaderAt, offset int64) (err error) {
	e.Offset = offset
	if e.Head, err = hashAt(file, 0, e.headLength()); err != nil {
		return err
	}
	e.Tail, err = hashAt(file, offset-e.headLength(), e.headLength())
	return err
}

func hashAt(file io.ReaderAt, at, length int64) (uint64, error) {
	data := make([]byte, length)
	if n, err := file.ReadAt(data, at); int64(n) < length {
		return 0, err
	}
	return hashOf(data), nil
}

func hashOf(data []byte) uint64 {
	sum := sha256.Sum256(data)
	return binary.LittleEndian.Uint64(sum[:8])
}

// identity is a message's own where it has an identity or a time. Else it is by
// its words, and by how often they came before.
func identity(said foreign.Said, nth int) (hash uint64, own bool) {
	var b bytes.Buffer
	b.WriteString(string(said.By) + "\x00")
	if own = said.ID != "" || !said.At.IsZero(); own {
		b.WriteString(said.ID + "\x00" + strconv.FormatInt(said.At.UnixNano(), 10))
	} else {
		b.WriteString("#" + strconv.Itoa(nth))
	}
	b.WriteString("\x00" + said.Text)
	return hashOf(b.Bytes()), own
}
