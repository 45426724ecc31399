package egress

import "testing"

func TestParse(t *testing.T) {
	for _, data := range [][]byte{nil, {0x45}, {0x60, 1}, make([]byte, 20), {0x4f, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}} {
		if p := parse(data, 99); p.bytes != 99 || p.protocol != "other" {
			t.Errorf("%x is read as %+v", data, p)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte{0x45, 0, 0, 0x28, 0, 0, 0, 0, 64, 6, 0, 0, 127, 0, 0, 1, 192, 0, 2, 1, 0x30, 0x39, 1, 0xbb})
	f.Add(append([]byte{0x60, 0, 0, 0, 0, 8, 17, 64}, make([]byte, 40)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		all := newTally()
		all.add(parse(data, len(data)))
		if seen := all.result(); seen.Packets != 1 || seen.Bytes != 0 && seen.Bytes != len(data) {
			t.Errorf("%x: %+v", data, seen)
		}
	})
}
