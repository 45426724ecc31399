package files

import (
	"encoding/binary"
	"hash/fnv"
	"testing"
)

// What an earlier version stored is read on: nothing is told anew, and what
// changed since then is. A cursor of the first version had no sum of trusts.
func TestStoredBefore(t *testing.T) {
	for version, length := range map[byte]int{1: 41, 2: 49} {
		w := newWorld(t, false)
		w.write("a.txt", "1")
		w.write("sub/b.txt", "22")
		sum := func(parts ...string) uint64 {
			h := fnv.New64a()
			for _, part := range parts {
				_, _ = h.Write([]byte(part + "\x00"))
			}
			return h.Sum64()
		}
		c := []byte{version}
		for _, v := range []uint64{sum(w.root), sum(), 0, 0xde36c92f008aa22b, 2, sum("outsider")} {
			c = binary.BigEndian.AppendUint64(c, v)
		}
		w.kept.Cursor = c[:length]
		for name, s := range w.snapshot() {
			row := binary.AppendVarint(binary.AppendUvarint([]byte{0}, uint64(s.size)), s.mtime)
			w.kept.All[name] = binary.AppendUvarint(row, s.inode)
		}
		w.start()
		b := w.collect()
		if len(b.Changes)+len(b.Rows) > 0 || (b.Restamp != nil) != (version == 1) {
			t.Errorf("version %d: told anew %v, %d rows, stamps %t", version, said(b.Changes), len(b.Rows), b.Restamp != nil)
		}
		w.kept.Keep(b)
		w.write("a.txt", "333")
		w.rename("sub/b.txt", "c.txt")
		w.tells("changed a.txt", "renamed c.txt < sub/b.txt")
	}
}
