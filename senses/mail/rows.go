package mail

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The rows of an account in the ledger. A HASH is the first 64 bits of the
// SHA-256 of an identity ("mid:…") or an address, in hexadecimal; its first 50
// bits are the reference of the observation.
//
//	m/HASH  a message that was looked at and is not older than the look-back:
//	        of which thread, when received, and in which folders. About 50
//	        bytes each; at most maxKnown.
//	o/HASH  an observation that stands, by its ID, with all reported of it; at
//	        most maxOpen.
//	s/HASH  a message that the person sent in the last year: when, and whether
//	        it asked something; at most maxSent.
//	r/HASH  a message that they answered in the last 60 days.
//	c/HASH  an address that they wrote to in the last year, and how often; at
//	        most maxCorrespondents.
//
// What is over is deleted in steps, pruneStep rows a tick.
const (
	maxKnown          = 150_000
	maxOpen           = 2_000
	maxSent           = 50_000
	maxAnswered       = 20_000
	maxCorrespondents = 10_000
	pruneStep         = 1_000
	pruneEvery        = time.Hour
)

// hash stands for an identity or an address.
type hash uint64

func hashOf(text string) hash {
	sum := sha256.Sum256([]byte(text))
	return hash(binary.BigEndian.Uint64(sum[:8]))
}

func (h hash) key() string { return fmt.Sprintf("%016x", uint64(h)) }

func parseHash(key string) (hash, bool) {
	n, err := strconv.ParseUint(key, 16, 64)
	return hash(n), err == nil && len(key) == 16
}

// place is a message in a folder: the folder's number, which is another one
// after its UIDs were given anew.
type place struct {
	Num uint32   `json:"n"`
	UID imap.UID `json:"u"`
}

// known is a message that was looked at.
type known struct {
	// check tells apart messages of one Message-ID: a hash of sender and date.
	check    uint32
	thread   hash
	received uint32 // Unix time
	// places are the last two that it was seen in.
	places [2]place
}

// in adds a place; of more than two the last ones are kept.
func (k known) in(p place) known {
	if k.places[0] != p && k.places[1] != p {
		k.places = [2]place{p, k.places[0]}
	}
	return k
}

// filed is a copy of a message, and whether it was read when it was last seen.
type filed struct {
	place
	Seen bool `json:"s,omitempty"`
}

// item is an observation that stands.
type item struct {
	Observation subconscious.Observation `json:"o"`
	// Of and Thread are the message and its thread.
	Of     hash `json:"m"`
	Thread hash `json:"t"`
	// Received is when the server took the message in.
	Received time.Time `json:"r"`
	// Copies are where it lies, for what stands only as long as it lies there. The
	// first says whether it was read.
	Copies []filed `json:"p,omitempty"`
	// Sent: it stands for what the person wrote, wherever that lies.
	Sent bool `json:"s,omitempty"`
}

// sent is a message of the person's.
type sent struct {
	day    uint32 // days since 1970
	asked  bool
	thread hash
	place  place
}

// correspondent is somebody whom the person wrote to.
type correspondent struct {
	last uint32 // the day
	// quarters are the last five in which they did, the newest first.
	quarters [5]quarter
}

type quarter struct{ number, count uint32 }

func knownForm() form[hash, known] {
	return form[hash, known]{
		prefix: "m/", key: hash.key, parseKey: parseHash,
		value: func(k known) []byte {
			b := binary.BigEndian.AppendUint32(nil, k.check)
			b = binary.BigEndian.AppendUint64(b, uint64(k.thread))
			b = binary.BigEndian.AppendUint32(b, k.received)
			for _, p := range k.places {
				b = appendPlace(b, p)
			}
			return b
		},
		parse: func(b []byte) (k known, ok bool) {
			r := reader{b: b, ok: true}
			k = known{check: r.uint32(), thread: hash(r.uint64()), received: r.uint32(), places: [2]place{r.place(), r.place()}}
			return k, r.ok
		},
	}
}

func openForm() form[hash, item] {
	return form[hash, item]{
		prefix: "o/", key: hash.key, parseKey: parseHash,
		value: func(o item) []byte {
			b, err := json.Marshal(o)
			if err != nil { // times beyond the year 9999 alone, and none is kept
				return nil
			}
			return b
		},
		parse: func(b []byte) (o item, ok bool) {
			err := json.Unmarshal(b, &o)
			return o, err == nil && o.Observation.ID != ""
		},
	}
}

func sentForm() form[hash, sent] {
	return form[hash, sent]{
		prefix: "s/", key: hash.key, parseKey: parseHash,
		value: func(s sent) []byte {
			b := binary.BigEndian.AppendUint32(nil, s.day<<1|flag(s.asked))
			b = binary.BigEndian.AppendUint64(b, uint64(s.thread))
			return appendPlace(b, s.place)
		},
		parse: func(b []byte) (s sent, ok bool) {
			r := reader{b: b, ok: true}
			day := r.uint32()
			s = sent{day: day >> 1, asked: day&1 == 1, thread: hash(r.uint64()), place: r.place()}
			return s, r.ok
		},
	}
}

func answeredForm() form[hash, uint32] {
	return form[hash, uint32]{
		prefix: "r/", key: hash.key, parseKey: parseHash,
		value: func(day uint32) []byte { return binary.BigEndian.AppendUint32(nil, day) },
		parse: func(b []byte) (uint32, bool) {
			r := reader{b: b, ok: true}
			return r.uint32(), r.ok
		},
	}
}

func correspondentForm() form[hash, correspondent] {
	return form[hash, correspondent]{
		prefix: "c/", key: hash.key, parseKey: parseHash,
		value: func(c correspondent) []byte {
			b := binary.BigEndian.AppendUint32(nil, c.last)
			for _, q := range c.quarters {
				b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, q.number), q.count)
			}
			return b
		},
		parse: func(b []byte) (c correspondent, ok bool) {
			r := reader{b: b, ok: true}
			c.last = r.uint32()
			for i := range c.quarters {
				c.quarters[i] = quarter{r.uint32(), r.uint32()}
			}
			return c, r.ok
		},
	}
}

func flag(set bool) uint32 {
	if set {
		return 1
	}
	return 0
}

func appendPlace(b []byte, p place) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, p.Num), uint32(p.UID))
}

// reader reads numbers off a row; ok turns false where it is too short.
type reader struct {
	b  []byte
	ok bool
}

func (r *reader) uint32() uint32 {
	if len(r.b) < 4 {
		r.ok, r.b = false, nil
		return 0
	}
	n := binary.BigEndian.Uint32(r.b)
	r.b = r.b[4:]
	return n
}

func (r *reader) uint64() uint64 { return uint64(r.uint32())<<32 | uint64(r.uint32()) }

func (r *reader) place() place { return place{Num: r.uint32(), UID: imap.UID(r.uint32())} }

// dayOf returns the days since 1970.
func dayOf(t time.Time) uint32 { return uint32(max(t.Unix(), 0) / 86400) }
